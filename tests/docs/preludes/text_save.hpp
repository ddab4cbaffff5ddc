// SPDX-License-Identifier: Zlib
using style = text::script<"unit">;
extern text::save_file& save;

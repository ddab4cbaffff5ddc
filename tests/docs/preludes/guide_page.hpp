// SPDX-License-Identifier: Zlib
extern text_sink& page;

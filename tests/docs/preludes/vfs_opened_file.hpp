// SPDX-License-Identifier: Zlib
extern opened_file file;
extern bool ticket;

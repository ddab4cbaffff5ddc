// SPDX-License-Identifier: Zlib
extern int level;

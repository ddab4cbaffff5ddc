// SPDX-License-Identifier: Zlib
extern entry_index portrait;
extern entry_index music;

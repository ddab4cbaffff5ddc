// SPDX-License-Identifier: Zlib
void decode_png(std::FILE* file);

// SPDX-License-Identifier: Zlib
extern struct png_struct* png;
void png_init_io(png_struct*, std::FILE* file);

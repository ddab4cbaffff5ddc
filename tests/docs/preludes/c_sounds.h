/* SPDX-License-Identifier: Zlib */
extern float buffer[];
extern size_t frame_count;

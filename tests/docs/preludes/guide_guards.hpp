// SPDX-License-Identifier: Zlib
void draw_frame();

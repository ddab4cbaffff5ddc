// SPDX-License-Identifier: Zlib
void simulate();
void cull_view();
void draw_view();
void upload_level();
void read_mesh();
void read_texture();

/* SPDX-License-Identifier: Zlib */
extern void* heap;
extern void* engine;
void* take(void* context, size_t bytes, size_t alignment, int32_t tag);
void give(void* context, void* memory, size_t bytes, size_t alignment, int32_t tag);
void run_soon(void* context, overture_job job, void* job_context, int32_t priority);
void* make_texture(const void* pixels, size_t size);
void free_texture(void* texture);
extern const unsigned char grey_png[];
extern const size_t grey_png_size;
extern struct renderer the_renderer;

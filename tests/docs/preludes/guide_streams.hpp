// SPDX-License-Identifier: Zlib
//
// Stands for headers of other libraries.
void decode_png(std::FILE* file);

using stbi_uc = unsigned char;
struct stbi_io_callbacks {
  int (*read)(void* user, char* data, int size);
  void (*skip)(void* user, int n);
  int (*eof)(void* user);
};
stbi_uc* stbi_load_from_callbacks(const stbi_io_callbacks* functions, void* user, int* width,
                                  int* height, int* channels, int wanted);

using drwav_bool32 = unsigned;
enum drwav_seek_origin { drwav_seek_origin_start, drwav_seek_origin_current };
struct drwav {};
drwav_bool32 drwav_init(drwav* made, std::size_t (*read)(void*, void*, std::size_t),
                        drwav_bool32 (*seek)(void*, int, drwav_seek_origin), void* user,
                        const struct drwav_allocation_callbacks* memory);

using ma_int64 = long long;
enum ma_result { MA_SUCCESS, MA_IO_ERROR, MA_AT_END, MA_BAD_SEEK };
enum ma_seek_origin { ma_seek_origin_start, ma_seek_origin_current, ma_seek_origin_end };
struct ma_decoder {
  void* pUserData;
};

using png_structp = struct png_struct*;
using png_bytep = unsigned char*;
extern png_structp png;
extern struct read_file& file;
void* png_get_io_ptr(png_structp png);
[[noreturn]] void png_error(png_structp png, const char* reason);
void png_set_read_fn(png_structp png, void* user,
                     void (*read)(png_structp, png_bytep, std::size_t));

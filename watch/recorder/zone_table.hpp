// SPDX-License-Identifier: Zlib
//
// Functions of libraries that are watched, and what work they do. A row is all that one needs, if
// its arguments and its result are numbers or pointers, at most ten words of them: no floats.
#pragma once

#include <cstddef>
#include <cstdint>

namespace overture::watch {

enum class zone_work : std::uint8_t {
  images,    // decoding them
  sounds,    // decoding them
  unpack,    // decompressing
  fonts,     // loading and drawing letters
  textures,  // handing images to the graphics driver
  shaders,   // compiling them
  window,    // opening the display
  device,    // opening sound and other devices
  names,     // asking what address a name has
  programs,  // waiting for another program
  files,     // a library that reads files for the game
};
inline constexpr std::size_t zone_works = 11;

// X(function, library, work)
#define OVERTURE_WATCH_ZONES(X)                                                               \
  X(png_read_image, "libpng", images)                                                         \
  X(png_read_row, "libpng", images)                                                           \
  X(png_read_rows, "libpng", images)                                                          \
  X(png_read_png, "libpng", images)                                                           \
  X(png_image_finish_read, "libpng", images)                                                  \
  X(spng_decode_image, "libspng", images)                                                     \
  X(spng_decode_row, "libspng", images)                                                       \
  X(spng_decode_scanline, "libspng", images)                                                  \
  X(jpeg_read_header, "libjpeg", images)                                                      \
  X(jpeg_start_decompress, "libjpeg", images)                                                 \
  X(jpeg_read_scanlines, "libjpeg", images)                                                   \
  X(jpeg_finish_decompress, "libjpeg", images)                                                \
  X(tjDecompress2, "libturbojpeg", images)                                                    \
  X(WebPDecode, "libwebp", images)                                                            \
  X(WebPDecodeRGBA, "libwebp", images)                                                        \
  X(WebPDecodeRGBAInto, "libwebp", images)                                                    \
  X(IMG_Load, "SDL_image", images)                                                            \
  X(IMG_Load_RW, "SDL_image", images)                                                         \
  X(IMG_LoadTyped_RW, "SDL_image", images)                                                    \
  X(IMG_LoadTexture, "SDL_image", images)                                                     \
  X(IMG_Load_IO, "SDL_image", images)                                                         \
  X(SDL_LoadBMP_RW, "SDL", images)                                                            \
  X(FreeImage_Load, "FreeImage", images)                                                      \
  X(ilLoadImage, "DevIL", images)                                                             \
  X(ov_open_callbacks, "libvorbisfile", sounds)                                               \
  X(ov_open, "libvorbisfile", sounds)                                                         \
  X(ov_fopen, "libvorbisfile", sounds)                                                        \
  X(ov_read, "libvorbisfile", sounds)                                                         \
  X(ov_read_float, "libvorbisfile", sounds)                                                   \
  X(op_open_callbacks, "libopusfile", sounds)                                                 \
  X(op_read, "libopusfile", sounds)                                                           \
  X(op_read_stereo, "libopusfile", sounds)                                                    \
  X(mpg123_read, "libmpg123", sounds)                                                         \
  X(mpg123_decode_frame, "libmpg123", sounds)                                                 \
  X(FLAC__stream_decoder_process_single, "libFLAC", sounds)                                   \
  X(FLAC__stream_decoder_process_until_end_of_stream, "libFLAC", sounds)                      \
  X(sf_read_short, "libsndfile", sounds)                                                      \
  X(sf_readf_short, "libsndfile", sounds)                                                     \
  X(sf_readf_float, "libsndfile", sounds)                                                     \
  X(Mix_LoadWAV_RW, "SDL_mixer", sounds)                                                      \
  X(Mix_LoadMUS, "SDL_mixer", sounds)                                                         \
  X(Mix_LoadMUS_RW, "SDL_mixer", sounds)                                                      \
  X(SDL_LoadWAV_RW, "SDL", sounds)                                                            \
  X(alBufferData, "OpenAL", sounds)                                                           \
  X(inflate, "zlib", unpack)                                                                  \
  X(uncompress, "zlib", unpack)                                                               \
  X(gzread, "zlib", unpack)                                                                   \
  X(gzgets, "zlib", unpack)                                                                   \
  X(BZ2_bzDecompress, "libbz2", unpack)                                                       \
  X(BZ2_bzRead, "libbz2", unpack)                                                             \
  X(lzma_code, "liblzma", unpack)                                                             \
  X(ZSTD_decompress, "zstd", unpack)                                                          \
  X(ZSTD_decompressDCtx, "zstd", unpack)                                                      \
  X(ZSTD_decompressStream, "zstd", unpack)                                                    \
  X(LZ4_decompress_safe, "lz4", unpack)                                                       \
  X(LZ4_decompress_fast, "lz4", unpack)                                                       \
  X(LZ4F_decompress, "lz4", unpack)                                                           \
  X(libdeflate_zlib_decompress, "libdeflate", unpack)                                         \
  X(libdeflate_deflate_decompress, "libdeflate", unpack)                                      \
  X(FT_Init_FreeType, "FreeType", fonts)                                                      \
  X(FT_New_Face, "FreeType", fonts)                                                           \
  X(FT_New_Memory_Face, "FreeType", fonts)                                                    \
  X(FT_Open_Face, "FreeType", fonts)                                                          \
  X(FT_Load_Glyph, "FreeType", fonts)                                                         \
  X(FT_Load_Char, "FreeType", fonts)                                                          \
  X(FT_Render_Glyph, "FreeType", fonts)                                                       \
  X(TTF_OpenFont, "SDL_ttf", fonts)                                                           \
  X(TTF_OpenFontRW, "SDL_ttf", fonts)                                                         \
  X(FcInit, "fontconfig", fonts)                                                              \
  X(FcFontMatch, "fontconfig", fonts)                                                         \
  X(FcFontSort, "fontconfig", fonts)                                                          \
  X(glTexImage2D, "OpenGL", textures)                                                         \
  X(glTexSubImage2D, "OpenGL", textures)                                                      \
  X(glGenerateMipmap, "OpenGL", textures)                                                     \
  X(gluBuild2DMipmaps, "GLU", textures)                                                       \
  X(SDL_CreateTextureFromSurface, "SDL", textures)                                            \
  X(SDL_UpdateTexture, "SDL", textures)                                                       \
  X(glCompileShader, "OpenGL", shaders)                                                       \
  X(glLinkProgram, "OpenGL", shaders)                                                         \
  X(glCompileShaderARB, "OpenGL", shaders)                                                    \
  X(glLinkProgramARB, "OpenGL", shaders)                                                      \
  X(SDL_CreateWindow, "SDL", window)                                                          \
  X(SDL_CreateRenderer, "SDL", window)                                                        \
  X(SDL_GL_CreateContext, "SDL", window)                                                      \
  X(SDL_SetVideoMode, "SDL", window)                                                          \
  X(glfwCreateWindow, "GLFW", window)                                                         \
  X(XOpenDisplay, "Xlib", window)                                                             \
  X(XSync, "Xlib", window)                                                                    \
  X(SDL_Init, "SDL", device)                                                                  \
  X(SDL_InitSubSystem, "SDL", device)                                                         \
  X(SDL_OpenAudio, "SDL", device)                                                             \
  X(SDL_OpenAudioDevice, "SDL", device)                                                       \
  X(Mix_OpenAudio, "SDL_mixer", device)                                                       \
  X(Mix_OpenAudioDevice, "SDL_mixer", device)                                                 \
  X(alcOpenDevice, "OpenAL", device)                                                          \
  X(alcCreateContext, "OpenAL", device)                                                       \
  X(snd_pcm_open, "ALSA", device)                                                             \
  X(pa_simple_new, "PulseAudio", device)                                                      \
  X(dbus_bus_get, "D-Bus", device)                                                            \
  X(dbus_connection_send_with_reply_and_block, "D-Bus", device)                               \
  X(getaddrinfo, "libc", names)                                                               \
  X(getnameinfo, "libc", names)                                                               \
  X(gethostbyname, "libc", names)                                                             \
  X(gethostbyname2, "libc", names)                                                            \
  X(gethostbyaddr, "libc", names)                                                             \
  X(system, "libc", programs)                                                                 \
  X(pclose, "libc", programs)                                                                 \
  X(_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode, "libstdc++", files)  \
  X(_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode, "libstdc++", files)    \
  X(_ZNSt14basic_ifstreamIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode, "libstdc++", files) \
  X(_ZNSt10filesystem6statusERKNS_7__cxx114pathE, "libstdc++", files)                         \
  X(_ZNSt10filesystem6statusERKNS_7__cxx114pathERSt10error_code, "libstdc++", files)          \
  X(_ZNSt10filesystem9file_sizeERKNS_7__cxx114pathE, "libstdc++", files)                      \
  X(PHYSFS_init, "PhysicsFS", files)                                                          \
  X(PHYSFS_mount, "PhysicsFS", files)                                                         \
  X(PHYSFS_addToSearchPath, "PhysicsFS", files)                                               \
  X(PHYSFS_openRead, "PhysicsFS", files)                                                      \
  X(PHYSFS_read, "PhysicsFS", files)                                                          \
  X(PHYSFS_readBytes, "PhysicsFS", files)                                                     \
  X(PHYSFS_exists, "PhysicsFS", files)                                                        \
  X(PHYSFS_stat, "PhysicsFS", files)                                                          \
  X(PHYSFS_isDirectory, "PhysicsFS", files)                                                   \
  X(PHYSFS_enumerate, "PhysicsFS", files)                                                     \
  X(PHYSFS_enumerateFiles, "PhysicsFS", files)

// Their numbers.
enum class zone_number : std::uint32_t {
#define OVERTURE_WATCH_NUMBER(NAME, LIBRARY, WORK) NAME,
  OVERTURE_WATCH_ZONES(OVERTURE_WATCH_NUMBER)
#undef OVERTURE_WATCH_NUMBER
      count
};

}  // namespace overture::watch

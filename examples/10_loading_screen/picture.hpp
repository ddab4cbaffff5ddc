// SPDX-License-Identifier: Zlib
//
// Writes pictures to files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// 8-bit RGB, rows top to bottom. PPM if the name ends with .ppm, else PNG. Prints why it could not,
// and returns false.
bool write_picture(const char* path, std::uint32_t width, std::uint32_t height,
                   std::span<const std::byte> rgb);

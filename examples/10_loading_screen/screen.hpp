// SPDX-License-Identifier: Zlib
//
// A window with OpenGL: a progress bar, textures, and a menu that shows all of them. All of it
// belongs to one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "overture/base/error.hpp"
#include "overture/load.hpp"

struct SDL_Window;

class screen {
 public:
  screen() = default;
  ~screen();
  screen(const screen&) = delete;
  screen& operator=(const screen&) = delete;

  // Prints why it did not, and returns false.
  bool open();
  // Whether the player has closed it. Call it in each frame.
  bool was_closed();

  // A texture of 8-bit RGBA without content. The menu shows them by `place`. Errors: limit,
  // out_of_memory.
  overture::result<void> begin_texture(std::uint32_t place, std::uint32_t width,
                                       std::uint32_t height);
  // Uploads some rows of the last texture from row `first` on; returns how many.
  std::uint32_t upload_rows(std::uint32_t first, std::span<const std::byte> pixels);
  [[nodiscard]] std::size_t texture_count() const { return textures_.size(); }

  void draw_loading(const overture::load_progress& now);
  // All textures, and a red tile for each file that failed.
  void draw_menu(std::uint64_t failed);
  // Writes what was drawn and not shown yet, as PNG or PPM. Prints why it could not, and returns
  // false.
  bool save(const char* path);
  // Shows what was drawn, `interval` after the last time at the earliest.
  void show(std::chrono::milliseconds interval);

 private:
  struct texture {
    std::uint32_t place = 0;
    unsigned name = 0;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
  };

  SDL_Window* window_ = nullptr;
  void* context_ = nullptr;
  int texture_side_max_ = 0;
  bool closed_ = false;
  std::vector<texture> textures_;
  std::chrono::steady_clock::time_point shown_;
};

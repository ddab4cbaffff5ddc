// SPDX-License-Identifier: Zlib
#include "screen.hpp"

#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <SDL_opengl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "letters.hpp"
#include "picture.hpp"

using namespace overture;

namespace {

constexpr int width = 960;
constexpr int height = 540;

struct colour {
  float red, green, blue;
};
constexpr colour background{0.08f, 0.09f, 0.12f};
constexpr colour trough{0.20f, 0.22f, 0.28f};
constexpr colour filled{0.95f, 0.70f, 0.25f};
constexpr colour failure{0.80f, 0.15f, 0.15f};

void clear() {
  glClearColor(background.red, background.green, background.blue, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

void draw_quad(double x, double y, double w, double h) {
  glBegin(GL_QUADS);
  glTexCoord2i(0, 0), glVertex2d(x, y);
  glTexCoord2i(1, 0), glVertex2d(x + w, y);
  glTexCoord2i(1, 1), glVertex2d(x + w, y + h);
  glTexCoord2i(0, 1), glVertex2d(x, y + h);
  glEnd();
}

void draw_box(double x, double y, double w, double h, const colour& of) {
  glDisable(GL_TEXTURE_2D);
  glColor3f(of.red, of.green, of.blue);
  draw_quad(x, y, w, h);
}

void draw_text(std::string_view text, double x, double y, double pixel, const colour& of) {
  for (const char letter : text) {
    for_each_pixel_of(letter, [&](int column, int row) {
      draw_box(x + column * pixel, y + row * pixel, pixel, pixel, of);
    });
    x += (letter_columns + 1) * pixel;
  }
}

bool report(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, SDL_GetError());
  return false;
}

bool is_unseen(std::string_view video_driver) {
  return video_driver == "offscreen" || video_driver == "dummy" || video_driver == "evdev";
}

}  // namespace

screen::~screen() {
  for (const texture& each : textures_) glDeleteTextures(1, &each.name);
  if (context_ != nullptr) SDL_GL_DeleteContext(context_);
  if (window_ != nullptr) SDL_DestroyWindow(window_);
  SDL_Quit();
}

bool screen::open() {
  SDL_SetMainReady();
  if (SDL_Init(SDL_INIT_VIDEO) != 0) return report("there is no display");
  // Without a display SDL draws into memory, which is good for programs that have asked for it.
  if (SDL_getenv("SDL_VIDEODRIVER") == nullptr && is_unseen(SDL_GetCurrentVideoDriver())) {
    std::fputs("there is no display: DISPLAY and WAYLAND_DISPLAY are not set\n", stderr);
    return false;
  }
  window_ = SDL_CreateWindow("Overture", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width,
                             height, SDL_WINDOW_OPENGL);
  if (window_ == nullptr) return report("cannot open a window with OpenGL");
  context_ = SDL_GL_CreateContext(window_);
  if (context_ == nullptr) return report("there is no OpenGL");
  (void)SDL_GL_SetSwapInterval(1);
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture_side_max_);
  glOrtho(0, width, height, 0, -1, 1);
  return true;
}

bool screen::was_closed() {
  for (SDL_Event event; SDL_PollEvent(&event) != 0;) {
    const bool escape = event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE;
    if (event.type == SDL_QUIT || escape) closed_ = true;
  }
  return closed_;
}

result<void> screen::begin_texture(std::uint32_t place, std::uint32_t w, std::uint32_t h) {
  const auto side_max = static_cast<std::uint32_t>(texture_side_max_);
  if (w > side_max || h > side_max) {
    return fail(errc::limit, "the image is larger than this graphics card's textures");
  }
  texture made{place, 0, w, h};
  glGenTextures(1, &made.name);
  glBindTexture(GL_TEXTURE_2D, made.name);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);  // the default needs mipmaps
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, static_cast<GLsizei>(w), static_cast<GLsizei>(h), 0,
               GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  if (glGetError() != GL_NO_ERROR) {
    glDeleteTextures(1, &made.name);
    return fail(errc::out_of_memory, "the graphics card has no room for the image");
  }
  textures_.push_back(made);
  return {};
}

std::uint32_t screen::upload_rows(std::uint32_t first, std::span<const std::byte> pixels) {
  // A fraction of a millisecond's work.
  constexpr std::uint32_t pixels_at_once = 64 * 1024;
  const texture& last = textures_.back();
  const std::uint32_t count =
      std::min(std::max(pixels_at_once / last.width, 1u), last.height - first);
  glBindTexture(GL_TEXTURE_2D, last.name);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, static_cast<GLint>(first), static_cast<GLsizei>(last.width),
                  static_cast<GLsizei>(count), GL_RGBA, GL_UNSIGNED_BYTE,
                  pixels.data() + std::size_t{first} * last.width * 4);
  return count;
}

void screen::draw_loading(const load_progress& now) {
  clear();
  std::array<char, 80> text;
  const int length = std::snprintf(text.data(), text.size(), "%llu OF %llu FILES",
                                   static_cast<unsigned long long>(now.files_done),
                                   static_cast<unsigned long long>(now.files_total));
  draw_text("LOADING", 96, 330, 6, filled);
  draw_text({text.data(), static_cast<std::size_t>(length)}, 96, 440, 3, filled);
  draw_box(96, 388, width - 2 * 96, 32, trough);
  draw_box(96, 388, (width - 2 * 96) * now.fraction, 32, filled);

  text[0] = '\0';
  (void)explain(now, text);
  SDL_SetWindowTitle(window_, text.data());
}

void screen::draw_menu(std::uint64_t failed) {
  clear();
  SDL_SetWindowTitle(window_, "Overture");
  std::ranges::sort(textures_, {}, &texture::place);
  const double count = static_cast<double>(textures_.size()) + static_cast<double>(failed);
  // The largest squares that leave room for all.
  double side = std::floor(std::sqrt(width * height / std::max(count, 1.0)));
  while (side > 1 && std::floor(width / side) * std::floor(height / side) < count) --side;
  double x = 0;
  double y = 0;
  const auto next_place = [&] {
    x += side;
    if (x + side <= width) return;
    x = 0;
    y += side;
  };
  for (const texture& each : textures_) {
    glEnable(GL_TEXTURE_2D);
    glColor3f(1, 1, 1);
    glBindTexture(GL_TEXTURE_2D, each.name);
    draw_quad(x, y, side - 1, side - 1);
    next_place();
  }
  for (std::uint64_t i = 0; i < failed; ++i) {
    draw_box(x, y, side - 1, side - 1, failure);
    next_place();
  }
}

bool screen::save(const char* path) {
  std::vector<std::byte> pixels(std::size_t{width} * height * 3);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
  for (int top = 0, bottom = height - 1; top < bottom;
       ++top, --bottom) {  // OpenGL's is upside down
    const auto row = [&](int number) {
      return pixels.begin() + std::ptrdiff_t{number} * width * 3;
    };
    std::swap_ranges(row(top), row(top + 1), row(bottom));
  }
  return write_picture(path, width, height, pixels);
}

void screen::show(std::chrono::milliseconds interval) {
  SDL_GL_SwapWindow(window_);
  // Where it does not wait for the display, wait here.
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - shown_);
  if (since < interval) SDL_Delay(static_cast<Uint32>((interval - since).count()));
  shown_ = std::chrono::steady_clock::now();
}

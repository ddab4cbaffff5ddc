// SPDX-License-Identifier: Zlib
//
// A loading screen: images are decoded on the workers and uploaded on the thread that draws, within
// 4 ms of each frame. This file is all that you need of Overture; screen.cpp has the window.
//
//   example_10_loading_screen [FOLDER OR ARCHIVE...]     later ones win; --help lists the options
#include <overture/overture.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "console.hpp"
#include "frame_times.hpp"
#include "screen.hpp"

using namespace overture;
using namespace std::chrono_literals;

namespace {

// Takes what is loaded. An image that does not fit into this frame goes on in the next.
class texture_sink final : public asset_sink {
 public:
  explicit texture_sink(screen& on) : screen_(on) {}

  bool one_thread() const noexcept override { return true; }  // as OpenGL wants it
  result<void> finalize(entry_index entry, decoded_asset& asset,
                        std::span<const std::byte>) override {
    if (asset.kind() != asset_kind::image) return {};  // a game keeps its sounds and models
    if (auto begun = screen_.begin_texture(entry, asset.width, asset.height); !begun) return begun;
    image_ = std::move(asset);
    rows_done_ = 0;
    upload_rows();
    return {};
  }

  // For each frame: the rest of the last image, then what has been decoded since. No image is taken
  // while one is unfinished: those that wait count in the budget of the load.
  void upload(load_scope& load, std::chrono::nanoseconds budget) {
    until_ = std::chrono::steady_clock::now() + budget;
    if (!is_idle()) upload_rows();
    if (is_idle()) load.pump(std::max(until_ - std::chrono::steady_clock::now(), 0ns));
  }
  [[nodiscard]] bool is_idle() const { return image_.kind() == asset_kind::none; }

 private:
  void upload_rows() {
    do {
      rows_done_ += screen_.upload_rows(rows_done_, image_.bytes());
      if (rows_done_ == image_.height) image_ = {};  // frees the pixels
    } while (!is_idle() && std::chrono::steady_clock::now() < until_);
  }

  screen& screen_;
  std::chrono::steady_clock::time_point until_;
  decoded_asset image_;  // that is being uploaded
  std::uint32_t rows_done_ = 0;
};

}  // namespace

int main(int count, char** values) {
  options chosen = read_options(count, values);
  file_system files;
  for (const char* path : chosen.paths) {
    if (auto mounted = files.mount(path); !mounted) return cannot_mount(path, mounted.error());
  }
  if (auto frozen = files.freeze(); !frozen) return cannot_load(files, frozen.error());
  if (files.entry_count() == 0) return nothing_to_load();
  screen window;
  if (!window.open()) return 1;

  texture_sink textures(window);
  thread_pool jobs{{.workers = std::max(processor_count(), 2u) - 1}};  // one processor draws
  read_queue reads{files, {.wake_ahead = &jobs}};
  load_scope menu{files, reads, jobs, {.sink = &textures}};
  if (auto started = menu.start(); !started) return cannot_load(files, started.error());

  frame_times frames;
  for (bool done = false; !done;) {
    const bool posing = chosen.shot != nullptr;  // one file a frame, to meet the half of the load
    frames.begin();
    if (window.was_closed()) menu.cancel();
    textures.upload(menu, posing ? 0ns : 4ms);
    frames.pumped();
    const load_progress now = menu.progress();
    done = menu.done() && textures.is_idle();
    frames.end();
    window.draw_loading(now);
    if (posing && now.fraction >= 0.5 && !window.save(std::exchange(chosen.shot, nullptr)))
      return 1;
    window.show(posing ? 0ms : 16ms);
  }
  print_result(files, menu, window.texture_count(), frames);
  return show_menu(window, menu.summary(), chosen);
}

// SPDX-License-Identifier: Zlib
//
// Loads a whole game from overlaid folders and archives, every file, on all cores.
//
//   example_01_load_a_game base.pk3 dlc/rome/ mods/better_ai.zip
#include <overture/overture.hpp>

#include <array>
#include <cstdio>

using namespace overture;
using namespace std::chrono_literals;

namespace {

// Receives the loaded files, on many threads at once.
class game_assets final : public asset_sink {
 public:
  result<void> finalize(entry_index, decoded_asset& asset, std::span<const std::byte>) override {
    if (asset.kind() == asset_kind::image) ++images;  // a game would keep std::move(asset)
    return {};
  }
  atomic<unsigned> images{0};
};

int report(const file_system& files, const error& failure) {
  std::array<char, 1024> text;
  const std::size_t length = files.explain(failure, text);
  std::fprintf(stderr, "%.*s\n", static_cast<int>(length), text.data());
  return 1;
}

}  // namespace

int main(int count, char** paths) {
  file_system files;
  for (int i = 1; i < count; ++i) {  // later mounts win
    if (const auto mounted = files.mount(paths[i]); !mounted) {
      std::fprintf(stderr, "%s: %s\n", paths[i], mounted.error().reason);
      return 1;
    }
  }
  if (const auto frozen = files.freeze(); !frozen) return report(files, frozen.error());

  game_assets assets;
  thread_pool jobs = thread_pool::for_this_machine();  // the main thread helps in wait_for()
  read_queue reads{files, {.wake_ahead = &jobs}};      // wakes a worker just before a read ends
  load_scope menu{files, reads, jobs, {.sink = &assets}};
  if (const auto started = menu.start(); !started) return report(files, started.error());
  while (!menu.wait_for(16ms)) {  // time to draw a frame
    std::printf("\r%3.0f %%", menu.progress().fraction * 100);
    std::fflush(stdout);
  }

  menu.for_each_file([&](const loaded_file& file) {
    if (!file.failure) return;
    const std::string_view path = files.entry(file.entry).path;
    std::fprintf(stderr, "\r%.*s: %s\n", static_cast<int>(path.size()), path.data(),
                 file.failure->reason);
  });
  const load_summary done = menu.summary();
  std::printf("\r%llu files, %llu bytes, %u images\n", static_cast<unsigned long long>(done.files),
              static_cast<unsigned long long>(done.bytes), assets.images.load());
  return done.failed > 0 ? 1 : 0;
}

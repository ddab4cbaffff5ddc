// Loads a whole game on every core: folders and archives mounted over one another.
//
//   example_01_load_a_game base.pk3 dlc/rome/ mods/better_ai.zip
#include <overture/overture.hpp>

#include <cstdio>

using namespace overture;
using namespace std::chrono_literals;

// Receives the loaded files, on many threads at once.
struct assets final : asset_sink {
  atomic<unsigned> pictures{0};

  result<void> finalize(entry_index, decoded_asset& asset, std::span<const std::byte>) override {
    if (asset.kind() == asset_kind::image) ++pictures;  // a game would keep std::move(asset)
    return {};
  }
};

int main(int count, char** paths) {
  file_system files;
  for (int i = 1; i < count; ++i) {
    if (const auto mounted = files.mount(paths[i]); !mounted) {  // later mounts win
      std::fprintf(stderr, "%s: %s\n", paths[i], mounted.error().reason);
      return 1;
    }
  }
  if (const auto frozen = files.freeze(); !frozen) {
    std::fprintf(stderr, "%s\n", frozen.error().reason);
    return 1;
  }

  assets mine;
  thread_pool jobs{{.workers = processor_count() - 1}};
  read_queue reads{files, {.warms = &jobs}};  // a worker is awake when a read ends
  load_scope game{files, reads, jobs, {.sink = &mine}};
  if (const auto started = game.start(); !started) {
    std::fprintf(stderr, "%s\n", started.error().reason);
    return 1;
  }
  while (!game.wait_for(16ms)) {  // this thread helps, and gets back to its frame
    std::printf("\r%3.0f %%", game.progress().fraction * 100);
    std::fflush(stdout);
  }

  game.for_each_file([&](const loaded_file& file) {
    if (!file.failure) return;
    const std::string_view path = files.entry(file.entry).path;
    std::fprintf(stderr, "\r%.*s: %s\n", static_cast<int>(path.size()), path.data(),
                 file.failure->reason);
  });
  const load_summary done = game.summary();
  std::printf("\r%llu files, %llu bytes, %u pictures\n",
              static_cast<unsigned long long>(done.files),
              static_cast<unsigned long long>(done.bytes), mine.pictures.load());
  return done.failed > 0 ? 1 : 0;
}

// SPDX-License-Identifier: Zlib
//
// Plays one level while the next one loads in the background, and raises it when the player gets
// near. The main theme comes first.
//
//   example_12_levels [FOLDER OR ARCHIVE...]   default: the tiny levels beside this file
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "overture/assets.hpp"
#include "overture/io.hpp"
#include "overture/jobs.hpp"
#include "overture/vfs.hpp"

using namespace overture;
using namespace overture::literals;
using namespace std::chrono_literals;

namespace {

// Stands for a texture or a sound.
struct content {
  std::size_t bytes = 0;
};

class content_loader final : public loader<content> {
 public:
  result<content> decode(std::span<const std::byte> bytes, load_context&) override {
    return content{bytes.size()};
  }
  // A game uploads to the graphics card here, on the thread that calls pump().
  result<finalize_step> finalize(content&, std::chrono::nanoseconds) override {
    ++uploads;
    return finalize_step::done;
  }
  int uploads = 0;
};

// A text with a path in each line.
struct level {
  std::vector<asset<content>> parts;
};

class level_loader final : public loader<level> {
 public:
  result<level> decode(std::span<const std::byte> bytes, load_context& context) override {
    level made;
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (!line.empty()) made.parts.push_back(context.need<content>(line));
    }
    return made;
  }
  bool free_threaded() const noexcept override { return true; }  // nothing to upload
};

int report(const error& why) {
  std::fprintf(stderr, "%s: %s\n", to_string(why.code), why.reason);
  return 1;
}

// What a frame does beside loading.
void play_one_frame(job_system& jobs) {
  job_group frame{jobs};
  for (int i = 0; i < 8; ++i) frame.run([] {});
}

}  // namespace

int main(int argc, char** argv) {
  file_system files;
  for (int i = 1; i < argc; ++i) {
    if (auto mounted = files.mount(argv[i]); !mounted) return report(mounted.error());
  }
  if (argc == 1) {
    if (auto mounted = files.mount(OVERTURE_EXAMPLE_DATA); !mounted) return report(mounted.error());
  }
  thread_pool jobs = thread_pool::for_this_machine();
  read_queue reads{files};
  content_loader contents;
  level_loader levels;
  asset_store store{files, reads, jobs};
  if (auto added = store.add(contents); !added) return report(added.error());
  if (auto added = store.add(levels); !added) return report(added.error());

  const asset<content> theme = store.get<content>("music/theme.ogg"_path, asset_priority::high);
  const asset<content> other =
      store.get<content>("music/other.ogg"_path, asset_priority::background);
  asset<level> now = store.get<level>("levels/1.txt"_path);
  store.wait_for(now, 10s);
  if (auto loaded = now.status(); !loaded) {
    char why[200];
    (void)store.explain(now, why);
    std::fprintf(stderr, "%s\n", why);
    return 1;
  }
  std::printf("level 1: %zu parts; theme %s\n", now->parts.size(), to_string(theme.state()));

  asset<level> next = store.get<level>("levels/2.txt"_path, asset_priority::background);
  for (int frame = 0; !next.is_ready() && next.state() != asset_state::failed; ++frame) {
    play_one_frame(jobs);
    if (frame == 3) store.raise(next, asset_priority::high);  // the player sees the door
    store.pump(4ms);
  }
  now = std::move(next);  // level 1 is unloaded in the next pump(), but for what both use
  if (!now.is_ready()) return report(now.status().error());
  store.pump(4ms);
  std::printf("level 2: %zu parts; %d uploads\n", now->parts.size(), contents.uploads);
  store.wait_for(other, 10s);
  std::printf("other music %s\n", to_string(other.state()));
}

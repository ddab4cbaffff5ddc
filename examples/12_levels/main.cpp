// SPDX-License-Identifier: Zlib
//
// Plays one level while the next one loads in the background, and raises it when the player gets
// near. The main theme comes first.
//
//   example_12_levels [--html FILE] [FOLDER OR ARCHIVE...]
//
// The default is the tiny levels beside this file.
//
// With --html it writes what each asset waited for as a page.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "overture/assets.hpp"
#include "overture/base/os.hpp"
#include "overture/base/replace_file.hpp"
#include "overture/io.hpp"
#include "overture/jobs.hpp"
#include "overture/report/write_report.hpp"
#include "overture/trace.hpp"
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

class page_file final : public text_sink {
 public:
  explicit page_file(os_handle file) : file_(file) {}
  result<void> write(std::string_view text) override {
    return write_fully(system_os(), file_, 0, std::as_bytes(std::span(text)));  // in one piece
  }

 private:
  os_handle file_;
};

// What a frame does beside loading.
void play_one_frame(job_system& jobs) {
  job_group frame{jobs};
  for (int i = 0; i < 8; ++i) frame.run([] {});
}

}  // namespace

int main(int argc, char** argv) {
  const bool writes_page = argc > 2 && std::strcmp(argv[1], "--html") == 0;
  const int first = writes_page ? 3 : 1;
  file_system files;
  for (int i = first; i < argc; ++i) {
    if (auto mounted = files.mount(argv[i]); !mounted) return report(mounted.error());
  }
  if (argc == first) {
    if (auto mounted = files.mount(OVERTURE_EXAMPLE_DATA); !mounted) return report(mounted.error());
  }
  timeline record;
  timeline* const into = writes_page ? &record : nullptr;
  if (writes_page) (void)record.attach_thread("main");
  thread_pool jobs{{.record = into}};
  read_queue reads{files, {.record = into}};
  content_loader contents;
  level_loader levels;
  asset_store store{files, reads, jobs, {.record = into}};
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
  if (!writes_page) return 0;
  const auto written = replace_file(system_os(), argv[2], [&](os_handle file) {
    page_file page(file);
    return write_report(page, record, store);
  });
  return written ? 0 : report(written.error());
}

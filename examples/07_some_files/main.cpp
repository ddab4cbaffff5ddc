// SPDX-License-Identifier: Zlib
//
// Loads some files of a tree: one by itself, then those that match a pattern, in the background and
// those of the menu first.
//
//   example_07_some_files gfx/title.png 'maps/**' base.pk3 dlc/rome/
#include <overture/overture.hpp>

#include <array>
#include <cstdio>

using namespace overture;
using namespace std::chrono_literals;

namespace {

int report(const file_system& files, const error& failure) {
  std::array<char, 1024> text;
  const std::size_t length = files.explain(failure, text);
  std::fprintf(stderr, "%.*s\n", static_cast<int>(length), text.data());
  return 1;
}

// A coroutine that waits for the file on no thread.
co_task<std::size_t> size_of(shared_future<decoded_asset> picture) {
  const result<decoded_asset>& there = co_await picture;
  if (!there) co_return tl::unexpected<error>(there.error());
  co_return there->bytes().size();
}

constexpr auto menu_first = [](const entry_info& file) {
  return file.path.starts_with("menu/") ? load_priority::high : load_priority::normal;
};

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::fprintf(stderr, "usage: example_07_some_files PICTURE PATTERN MOUNT...\n");
    return 2;
  }
  file_system files;
  for (int i = 3; i < count; ++i) {
    if (const auto mounted = files.mount(words[i]); !mounted) {
      return report(files, mounted.error());
    }
  }
  if (const auto frozen = files.freeze(); !frozen) return report(files, frozen.error());
  path_buffer room;
  const result<asset_path> path = normalise(words[1], room);
  if (!path) return report(files, path.error());

  buffer_pool buffers;
  thread_pool jobs{{.workers = 2}};
  read_queue reads{files};
  const std::array<std::string_view, 1> patterns{words[2]};
  load_scope level{files, reads, jobs, {.only = patterns, .priority = load_priority::low}};
  if (const auto started = level.start(menu_first); !started) {
    return report(files, started.error());
  }
  const auto size = spawn(jobs, size_of(decode_file(files, *path, buffers, reads, jobs)));
  if (!size) return report(files, size.error());

  const result<std::size_t>& bytes = size->get();
  if (!bytes) return report(files, bytes.error());
  std::printf("%s: %zu bytes decoded\n", words[1], *bytes);

  level.set_priority(load_priority::normal);  // now it is all that is left
  while (!level.done()) {
    (void)level.wait_for(16ms);
    std::array<char, 160> text;
    const load_progress now = level.progress();
    const std::size_t length = explain(now, text);
    std::printf("%3.0f %% %.*s\n", 100 * now.fraction, static_cast<int>(length), text.data());
  }
  std::printf("%llu files\n", static_cast<unsigned long long>(level.summary().files));
  return 0;
}

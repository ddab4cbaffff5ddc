// SPDX-License-Identifier: Zlib
//
// Reads one file of a mounted tree on the calling thread and prints which mounts have it.
//
//   example_02_read_one_file maps/rome.txt base.pk3 dlc/rome/ mods/better_ai.zip
#include <overture/overture.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

using namespace overture;

namespace {

int report(const file_system& files, const error& failure) {
  std::array<char, 1024> text;
  const std::size_t length = files.explain(failure, text);
  std::fprintf(stderr, "%.*s\n", static_cast<int>(length), text.data());
  return 1;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: example_02_read_one_file PATH MOUNT...\n");
    return 2;
  }
  file_system files;
  for (int i = 2; i < count; ++i) {
    if (const auto mounted = files.mount(words[i]); !mounted) {
      return report(files, mounted.error());
    }
  }
  if (const auto frozen = files.freeze(); !frozen) return report(files, frozen.error());

  path_buffer room;
  const result<asset_path> path = normalise(words[1], room);  // untrusted input
  if (!path) return report(files, path.error());
  const result<entry_index> found = files.find(*path);
  if (!found) return report(files, found.error());

  std::array<mount_id, 16> mounts;
  const std::size_t providers = std::min(files.providers(*found, mounts), mounts.size());
  for (std::size_t i = 0; i < providers; ++i) {
    const std::string_view mount = files.mount_of(mounts[i]).path;
    std::fprintf(stderr, "%s %.*s\n", i == 0 ? "from" : "hides", static_cast<int>(mount.size()),
                 mount.data());
  }

  buffer_pool buffers;
  const result<blob> bytes = files.read_all(*path, buffers);  // unpacked, checksum verified
  if (!bytes) return report(files, bytes.error());
  std::fwrite(bytes->data(), 1, bytes->size(), stdout);
  return 0;
}

// SPDX-License-Identifier: Zlib
//
// Mounts bytes as an archive and exercises the whole file_system on it, for some inputs once more
// with one allocation refused or one call of the system failed. Which one follows from the input.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "overture/base/hash.hpp"
#include "overture/vfs/file_system.hpp"
#include "support/failing_allocator.hpp"
#include "support/memory_file_os.hpp"

namespace overture::fuzz {

// A broken guarantee of the interface stops the fuzzer like a crash.
inline void require(bool kept) {
  if (!kept) std::abort();
}

// Memory use may grow with the size an entry claims, so skip entries that claim much.
inline constexpr std::uint64_t entry_bytes_loaded_max = 1u << 20;

// The largest expansion of any method that packs single entries.
inline constexpr std::uint64_t ratio_max = limits::deflate_ratio_max > limits::zstd_ratio_max
                                               ? limits::deflate_ratio_max
                                               : limits::zstd_ratio_max;

inline void load(file_system& files, entry_index index, buffer_pool& buffers) {
  const entry_info info = files.entry(index);
  require(path_flaw(info.path) == nullptr && !info.path.empty());
  require(info.id.value == hash64(info.path));
  const result<entry_index> found = files.find({info.path, info.id});
  require(found && *found == index);
  mount_id mounts[2];
  require(files.providers(index, mounts) == 1 && mounts[0] == info.mount);

  char text[256];
  const result<opened_file> opened = files.open(index);
  if (!opened) {
    require(files.explain(opened.error(), text) > 0);
    return;
  }
  const file_place& place = opened->place();
  require(place.read_bytes >= place.packed_bytes);
  require(place.bytes / ratio_max <= place.packed_bytes);
  if (place.bytes > entry_bytes_loaded_max) return;
  const result<blob> bytes = files.read_all({info.path, info.id}, buffers);
  if (bytes) {
    require(bytes->size() == place.bytes);
    require(!place.has_crc || crc32(bytes->span()) == place.crc32);
  } else {
    require(files.explain(bytes.error(), text) > 0);
  }
}

inline void use(file_system& files, const char* name, mount_format format,
                const mount_options& options, bool undisturbed) {
  const result<mount_id> mount = files.mount(name, options);
  char text[256];
  if (!mount) {
    require(files.explain(mount.error(), text) > 0);
    require(files.mount_count() == 0);
    return;
  }
  for (std::size_t i = 0; i < files.skipped_count(); ++i) {
    const skipped_name skipped = files.skipped(i);
    require(skipped.reason[0] != '\0' && skipped.name.size() <= limits::path_bytes_max);
  }
  const mount_info info = files.mount_of(*mount);
  require(to_string(info.format)[0] != '\0');
  if (info.format != format) return;  // left to another fuzzer
  require(info.skipped == files.skipped_count());
  const result<void> frozen = files.freeze();
  if (!frozen) {
    require(!undisturbed || frozen.error().code == errc::collision);
    require(files.explain(frozen.error(), text) > 0);
    return;
  }
  require(files.entry_count() == info.entries && files.hidden_count() == 0);
  buffer_pool buffers;
  for (entry_index i = 0; i < files.entry_count(); ++i) load(files, i, buffers);
}

// What goes wrong; the default is nothing.
struct disturbance {
  std::uint64_t refused_allocation = UINT64_MAX;
  bool all_after = false;  // refuses all later ones, too
  int failed_call = -1;
};

struct effort {
  std::uint64_t allocations = 0;
  int calls = 0;
};

// Mounts the bytes under a name, at one of several mount points. If they look like another format,
// it only mounts them.
inline effort run_once(std::string_view bytes, const char* name, mount_format format,
                       const mount_options& options, const disturbance& what) {
  memory_file_os os(bytes);
  os.fail_call(what.failed_call, EIO);
  failing_allocator memory(what.refused_allocation, what.all_after);
  {
    file_system files({.memory = &memory, .os = &os});
    mount_options placed = options;
    placed.at = bytes.size() % 2 == 0 ? "" : "mods/one";
    use(files, name, format, placed, what.refused_allocation == UINT64_MAX && what.failed_call < 0);
  }
  require(os.open_handles() == 0 && memory.live_bytes() == 0);
  return {memory.calls(), os.calls()};
}

// The body of a fuzzer.
inline int run(const std::uint8_t* data, std::size_t size, const char* name, mount_format format,
               const mount_options& options = {}) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const effort whole = run_once(bytes, name, format, options, {});
  const std::uint64_t choice = hash64(bytes);
  const std::uint64_t place = choice >> 8;
  switch (choice % 8) {
    case 0:
      run_once(bytes, name, format, options,
               {.refused_allocation = place % whole.allocations, .all_after = choice / 8 % 2 == 0});
      break;
    case 1:
      run_once(bytes, name, format, options,
               {.failed_call = static_cast<int>(place % static_cast<unsigned>(whole.calls))});
      break;
    default:
      break;
  }
  return 0;
}

}  // namespace overture::fuzz

// Mounts bytes as an archive and exercises the whole file_system on it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "overture/vfs/file_system.hpp"
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
                const mount_options& options) {
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
  if (info.format != format) return;  // left to another fuzzer
  require(info.skipped == files.skipped_count());
  const result<void> frozen = files.freeze();
  if (!frozen) {
    require(frozen.error().code == errc::collision);
    require(files.explain(frozen.error(), text) > 0);
    return;
  }
  require(files.entry_count() == info.entries && files.hidden_count() == 0);
  buffer_pool buffers;
  for (entry_index i = 0; i < files.entry_count(); ++i) load(files, i, buffers);
}

// The body of a fuzzer: mounts the bytes under a name, at one of several mount points. If they look
// like another format, it only mounts them.
inline int run(const std::uint8_t* data, std::size_t size, const char* name, mount_format format,
               const mount_options& options = {}) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  memory_file_os os(bytes);
  tracking_allocator memory;
  {
    file_system files({.memory = &memory, .os = &os});
    mount_options placed = options;
    placed.at = size % 2 == 0 ? "" : "mods/one";
    use(files, name, format, placed);
  }
  require(os.open_handles() == 0 && memory.total().bytes == 0);
  return 0;
}

}  // namespace overture::fuzz

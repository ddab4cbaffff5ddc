// SPDX-License-Identifier: Zlib
//
// The files that a handle_cache knows. A file's number is its index, so finding it needs no search;
// files and paths never move, so that one can be opened and pinned without the cache's lock.
#pragma once

#include <cstring>
#include <new>
#include <string_view>

#include "base/vec.hpp"
#include "io/files/sizes.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/os.hpp"
#include "sync/mutex.hpp"

namespace overture::io_detail {

inline constexpr std::uint32_t no_entry = UINT32_MAX;

struct alignas(detail::line_bytes) known_file {  // one is opened while its neighbour is read
  const char* path = nullptr;
  atomic<std::uint32_t> entry{no_entry};
  atomic<std::uint64_t> last_read_number{0};  // of a reader that found it closed

 private:
  friend class known_files;
  mapping mapped_;  // made by the first view, kept until the end
};

class known_files {
 public:
  static constexpr std::uint32_t files_max = cache_chunk_files * cache_chunks_max;

  explicit known_files(allocator& memory) noexcept
      : memory_(memory), paths_(memory, memory_tag::io) {}
  ~known_files() {
    for (const atomic<known_file*>& each : chunks_) {
      known_file* const chunk = each.load(std::memory_order_relaxed);
      if (!chunk) break;
      for (std::uint32_t i = 0; i < cache_chunk_files; ++i) chunk[i].~known_file();
      memory_.deallocate(chunk, sizeof(known_file) * cache_chunk_files, alignof(known_file),
                         memory_tag::io);
    }
    for (char* block : paths_) memory_.deallocate(block, path_block_bytes, 1, memory_tag::io);
  }
  known_files(const known_files&) = delete;
  known_files& operator=(const known_files&) = delete;

  // Any thread; what takes `held` needs the cache's lock.
  [[nodiscard]] bool knows(source_id id) const noexcept {
    return id.generation == 1 && id.index < count_.load(std::memory_order_acquire);
  }
  [[nodiscard]] known_file& at(std::uint32_t index) noexcept {
    return chunks_[index / cache_chunk_files].load(
        std::memory_order_relaxed)[index % cache_chunk_files];
  }
  [[nodiscard]] std::uint32_t count() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] mapping& mapping_of(known_file& of, const sync_detail::mutex& held) noexcept
      REQUIRES(held) {
    (void)held;
    return of.mapped_;
  }
  // False if out of memory.
  [[nodiscard]] bool add(std::string_view path, const sync_detail::mutex& held) noexcept
      REQUIRES(held) {
    (void)held;
    const std::uint32_t index = count();
    if (!chunks_[index / cache_chunk_files].load(std::memory_order_relaxed)) {
      void* const room = memory_.allocate(sizeof(known_file) * cache_chunk_files,
                                          alignof(known_file), memory_tag::io);
      if (!room) return false;
      auto* const made = static_cast<known_file*>(room);
      for (std::uint32_t i = 0; i < cache_chunk_files; ++i) {
        ::new (static_cast<void*>(made + i)) known_file;
      }
      chunks_[index / cache_chunk_files].store(made, std::memory_order_relaxed);
    }
    const char* const kept = keep(path);
    if (!kept) return false;
    at(index).path = kept;
    count_.store(index + 1, std::memory_order_release);
    return true;
  }

 private:
  static constexpr std::size_t path_block_bytes = 64u << 10;
  static_assert(limits::path_bytes_max < path_block_bytes);

  [[nodiscard]] const char* keep(std::string_view path) noexcept {
    if (paths_.empty() || path.size() >= path_block_bytes - path_bytes_used_) {
      void* const room = memory_.allocate(path_block_bytes, 1, memory_tag::io);
      if (!room) return nullptr;
      if (!paths_.push_back(static_cast<char*>(room))) {
        memory_.deallocate(room, path_block_bytes, 1, memory_tag::io);
        return nullptr;
      }
      path_bytes_used_ = 0;
    }
    char* const begin = paths_.back() + path_bytes_used_;
    std::memcpy(begin, path.data(), path.size());
    begin[path.size()] = '\0';
    path_bytes_used_ += path.size() + 1;
    return begin;
  }

  allocator& memory_;
  // Read by every read, and written only when a file is added, as is the rest.
  atomic<std::uint32_t> count_{0};
  atomic<known_file*> chunks_[cache_chunks_max] = {};
  base_detail::vec<char*> paths_;    // blocks of them
  std::size_t path_bytes_used_ = 0;  // of the last
};

}  // namespace overture::io_detail

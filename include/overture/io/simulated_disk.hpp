// SPDX-License-Identifier: Zlib
//
// A disk in virtual time, for trying out and testing what a read queue does on a real one.
//
//   simulated_disk disk({.seek_ns = 8'000'000, .bytes_per_second = 150'000'000, .seed = 7});
//   const source_id maps = *disk.add_file(64u << 20);
//   read_queue reads{disk, {.disk = &disk}};
//   reads.submit(requests);
//   reads.drain();                         // takes no time, but disk.now_ns() has moved on
//
// Time moves only when the disk works. Files lie one after the other, and their bytes follow from
// the seed: byte_at() gives any of them. The disk has one head. A read costs its share of a seek
// over the whole disk, the transfer, and a latency during which the next read can begin. Of the
// reads in its queue (at most `depth`) the disk serves the nearest.
//
// Failures come at random, as often as asked for: short reads, EINTR, EIO, and completions that
// come late, so that others overtake them. The same seed and the same calls give the same results.
//
// Threads: one at a time, the one that calls poll(), run() or drain() of its queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/os.hpp"
#include "overture/io/read_queue.hpp"

namespace overture {

struct disk_model {
  std::uint64_t seek_ns = 8'000'000;  // over the whole disk; a shorter seek costs its share
  std::uint64_t latency_ns = 100'000;
  std::uint64_t bytes_per_second = 150'000'000;
  unsigned depth = 1;  // reads in its queue, 1..simulated_disk::depth_max

  // How many of 65536 reads
  std::uint32_t short_reads = 0;  // return fewer bytes than asked for
  std::uint32_t interrupted = 0;  // return EINTR
  std::uint32_t broken = 0;       // return EIO
  std::uint32_t late = 0;         // complete late, by up to late_ns
  std::uint64_t late_ns = 50'000'000;

  std::uint64_t seed = 1;
  allocator* memory = nullptr;  // null = default_allocator()
};

struct disk_stats {
  std::uint64_t reads = 0;
  std::uint64_t bytes = 0;
  std::uint64_t seek_ns = 0;  // in total
  std::uint64_t seeks = 0;    // reads that did not begin where the last one ended
  std::uint64_t unlucky = 0;  // short, interrupted, broken or late
};

class OVERTURE_API simulated_disk final : public source_files, public operating_system {
 public:
  static constexpr unsigned depth_max = 64;

  explicit simulated_disk(const disk_model& model = {}) noexcept;
  ~simulated_disk() override;
  simulated_disk(const simulated_disk&) = delete;
  simulated_disk& operator=(const simulated_disk&) = delete;

  // Adds a file after the others. Its bytes follow from the seed, or are those given, which must
  // outlive the disk. Error: out_of_memory.
  [[nodiscard]] result<source_id> add_file(std::uint64_t bytes) noexcept;
  [[nodiscard]] result<source_id> add_file(std::span<const std::byte> content) noexcept;
  // Shortens the file.
  void truncate(source_id id, std::uint64_t bytes) noexcept;
  [[nodiscard]] std::byte byte_at(source_id id, std::uint64_t offset) const noexcept;
  [[nodiscard]] bool holds(source_id id, std::uint64_t offset,
                           std::span<const std::byte> bytes) const noexcept;

  [[nodiscard]] std::uint64_t now_ns() const noexcept { return now_ns_; }
  // Lets time pass without work for the disk.
  void pass(std::uint64_t ns) noexcept { now_ns_ += ns; }
  [[nodiscard]] const disk_stats& stats() const noexcept { return stats_; }
  [[nodiscard]] unsigned depth() const noexcept { return model_.depth; }

  // --- For the read queue ---
  // Begins a read in a free slot, 0..depth() - 1.
  void start(unsigned slot, source_id id, std::uint64_t offset,
             std::span<const std::span<std::byte>> parts) noexcept;
  struct ended {
    unsigned slot = 0;
    std::int64_t outcome = 0;  // bytes read, or minus errno
  };
  // Moves time on to the end of the next read; at least one must have begun.
  [[nodiscard]] ended wait() noexcept;

  // --- source_files, operating_system ---
  [[nodiscard]] result<open_source> source(source_id id) noexcept override;
  std::size_t describe(source_id id, std::span<char> text) const noexcept override;
  [[nodiscard]] result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                                            std::span<std::byte> bytes) noexcept override;
  [[nodiscard]] result<os_handle> open(const char* path) noexcept override;
  [[nodiscard]] result<os_handle> open_below(os_handle folder, const char* path) noexcept override;
  void close(os_handle handle) noexcept override;
  [[nodiscard]] result<file_status> status(os_handle handle) noexcept override;
  [[nodiscard]] result<file_status> status(const char* path, bool follow_links) noexcept override;
  [[nodiscard]] result<void> list(
      const char* path, function_ref<void(const folder_entry&) noexcept> visit) noexcept override;
  [[nodiscard]] result<std::size_t> canonical_path(const char* path,
                                                   std::span<char> text) noexcept override;
  [[nodiscard]] result<mapping> map(os_handle handle) noexcept override;
  void unmap(mapping memory) noexcept override;

 private:
  struct file {
    std::uint64_t begins = 0;
    std::uint64_t bytes = 0;
    const std::byte* content = nullptr;  // null: from the seed
  };
  struct reading {
    enum class phase : std::uint8_t { none, waits, served } state = phase::none;
    std::uint64_t position = 0;
    std::uint64_t bytes = 0;
    std::uint64_t ends_ns = 0;
    std::int64_t outcome = 0;
  };
  [[nodiscard]] std::uint64_t draw() noexcept;
  [[nodiscard]] bool has_luck(std::uint32_t of_65536) noexcept {
    return draw() % 65536 >= of_65536;
  }
  [[nodiscard]] std::uint64_t way_ns(std::uint64_t position) const noexcept;
  void serve_nearest() noexcept;
  [[nodiscard]] std::int64_t fill(source_id id, std::uint64_t offset,
                                  std::span<const std::span<std::byte>> parts) noexcept;
  [[nodiscard]] const file* find(source_id id) const noexcept;

  disk_model model_;
  file* files_ = nullptr;
  std::size_t file_count_ = 0;
  std::size_t file_room_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t head_ = 0;
  std::uint64_t now_ns_ = 1;
  std::uint64_t free_ns_ = 0;  // when the head can move on
  std::uint64_t luck_ = 0;
  reading slots_[depth_max];
  disk_stats stats_;
};

}  // namespace overture

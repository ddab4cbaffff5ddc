// A disk that does not exist, for trying out and testing what a read queue does on one.
//
//   simulated_disk disk({.seek_ns = 8'000'000, .bytes_per_second = 150'000'000, .seed = 7});
//   const source_id maps = *disk.add_file(64u << 20);
//   read_queue reads{disk, {.disk = &disk}};
//   reads.submit(requests);
//   reads.drain();                         // takes no time: disk.now_ns() has moved on
//
// Time is virtual and moves only when the disk works. Files lie one behind the other and hold bytes
// that follow from the seed; any() of them can be checked with byte_at(). The disk has one head: a
// read costs its share of the way over the disk, the transfer, and a latency during which the next
// one can begin. Of the reads that it has been given (at most `depth`) it serves the nearest.
//
// Bad luck comes by chance, as often as asked for in 65536 reads: short reads, EINTR, EIO for good,
// and completions that come late, so that later ones overtake them. The same seed and the same
// calls give the same everything.
//
// One thread at a time, which is the one that calls poll(), run() or drain() of its queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/error.hpp"
#include "overture/os.hpp"
#include "overture/read_queue.hpp"

namespace overture {

struct disk_model {
  std::uint64_t seek_ns = 8'000'000;  // over the whole disk; a shorter way costs its share
  std::uint64_t latency_ns = 100'000;
  std::uint64_t bytes_per_second = 150'000'000;
  unsigned depth = 1;  // reads that it takes at once, 1..simulated_disk::depth_max

  // How many of 65536 reads ...
  std::uint32_t short_reads = 0;
  std::uint32_t interrupted = 0;
  std::uint32_t broken = 0;  // end in EIO
  std::uint32_t late = 0;    // come late, by up to
  std::uint64_t late_ns = 50'000'000;

  std::uint64_t seed = 1;
  allocator* memory = nullptr;  // null = default_allocator()
};

struct disk_stats {
  std::uint64_t reads = 0;
  std::uint64_t bytes = 0;
  std::uint64_t seek_ns = 0;  // of all the ways of the head
  std::uint64_t seeks = 0;    // reads that did not begin where the one before ended
  std::uint64_t unlucky = 0;  // short, interrupted, broken or late
};

class simulated_disk final : public source_files, public operating_system {
 public:
  static constexpr unsigned depth_max = 64;

  explicit simulated_disk(const disk_model& model = {}) noexcept;
  ~simulated_disk() override;
  simulated_disk(const simulated_disk&) = delete;
  simulated_disk& operator=(const simulated_disk&) = delete;

  // A file behind the others, whose bytes come from the seed, or are those given, which must
  // outlive the disk. Error: out_of_memory.
  [[nodiscard]] result<source_id> add_file(std::uint64_t bytes) noexcept;
  [[nodiscard]] result<source_id> add_file(std::span<const std::byte> content) noexcept;
  // From now on it ends there.
  void truncate(source_id id, std::uint64_t bytes) noexcept;
  [[nodiscard]] std::byte byte_at(source_id id, std::uint64_t offset) const noexcept;
  [[nodiscard]] bool holds(source_id id, std::uint64_t offset,
                           std::span<const std::byte> bytes) const noexcept;

  [[nodiscard]] std::uint64_t now_ns() const noexcept { return now_ns_; }
  // Time in which the disk is not used.
  void pass(std::uint64_t ns) noexcept { now_ns_ += ns; }
  [[nodiscard]] const disk_stats& stats() const noexcept { return stats_; }
  [[nodiscard]] unsigned depth() const noexcept { return model_.depth; }

  // --- For the read queue ---
  // Begins a read in a free slot below depth().
  void start(unsigned slot, source_id id, std::uint64_t offset,
             std::span<const std::span<std::byte>> parts) noexcept;
  struct ended {
    unsigned slot = 0;
    std::int64_t outcome = 0;  // bytes read, or minus errno
  };
  // Moves time on to the end of a read that was begun; there must be one.
  [[nodiscard]] ended wait() noexcept;

  // --- source_files, operating_system ---
  [[nodiscard]] result<open_source> source(source_id id) noexcept override;
  std::size_t describe(source_id id, std::span<char> text) const noexcept override;
  [[nodiscard]] result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                                            std::span<std::byte> bytes) override;
  [[nodiscard]] result<os_handle> open(const char* path) override;
  [[nodiscard]] result<os_handle> open_below(os_handle folder, const char* path) override;
  void close(os_handle handle) override;
  [[nodiscard]] result<file_status> status(os_handle handle) override;
  [[nodiscard]] result<file_status> status(const char* path, bool follow_links) override;
  [[nodiscard]] result<void> list(const char* path,
                                  function_ref<void(const folder_entry&)> visit) override;
  [[nodiscard]] result<std::size_t> canonical_path(const char* path, std::span<char> text) override;
  [[nodiscard]] result<mapping> map(os_handle handle) override;
  void unmap(mapping memory) override;

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
  std::uint64_t free_ns_ = 0;  // from when on the head can go elsewhere
  std::uint64_t luck_ = 0;
  reading slots_[depth_max];
  disk_stats stats_;
};

}  // namespace overture

// Blocks of an archive that are unpacked as a whole, once, for all who read in them.
//
// A solid 7z archive packs many files into one block, and none of them can be had without what lies
// in front of it. The store unpacks a block when somebody first reads in it, keeps the bytes, and
// copies from them. To its readers it is an operating_system with one file, in which the unpacked
// blocks lie side by side: so the read queue, read_all() and the pipeline need not know of it.
//
// Memory: at most limits::blocks_kept_bytes of blocks that nobody reads in at the moment, besides
// those that are being read in, each of limits::block_bytes_max at most. Blocks leave by the clock
// algorithm (Corbató, "A paging experiment with the Multics system", 1968).
//
// Threads: any, several at once. The first who reads in a block unpacks it; read_at() waits for
// that, read_cached_at() says busy. A block that is broken is unpacked once too: what came before
// the damage can be read, the rest gives the error.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/vec.hpp"
#include "overture/event_count.hpp"
#include "overture/limits.hpp"
#include "overture/os.hpp"
#include "sync/mutex.hpp"
#include "vfs/handle.hpp"

namespace overture::vfs {

class block_store : public operating_system {
 public:
  // `file` is the archive's, open as long as somebody reads.
  block_store(allocator& memory, operating_system& os, const owned_handle& file) noexcept
      : os_(os),
        file_(file),
        blocks_(memory, memory_tag::vfs),
        resident_(memory, memory_tag::vfs) {}
  ~block_store() override;
  block_store(const block_store&) = delete;
  block_store& operator=(const block_store&) = delete;

  // The one file there is, for an opened_entry.
  [[nodiscard]] owned_handle open_all() noexcept { return {*this, os_handle{1}}; }

  // How often a block was unpacked, for tests.
  [[nodiscard]] std::uint64_t unpacked_count() noexcept;
  [[nodiscard]] std::uint64_t kept_bytes() noexcept;

  result<os_handle> open(const char*) override { return os_handle{1}; }
  result<os_handle> open_below(os_handle, const char*) override { return no_folder(); }
  void close(os_handle) override {}
  result<file_status> status(os_handle) override { return file_status{file_kind::file, size(), 0}; }
  result<std::size_t> read_at(os_handle, std::uint64_t offset, std::span<std::byte> to) override {
    return read(offset, to, reading::may_wait);
  }
  result<std::size_t> read_cached_at(os_handle, std::uint64_t offset,
                                     std::span<std::byte> to) override {
    return read(offset, to, reading::at_once);
  }
  result<file_status> status(const char*, bool) override { return status(os_handle{1}); }
  result<void> list(const char*, function_ref<void(const folder_entry&)>) override {
    return no_folder();
  }
  result<std::size_t> canonical_path(const char*, std::span<char>) override { return no_folder(); }
  result<mapping> map(os_handle) override {
    return fail(errc::unsupported, "what is packed cannot be mapped");
  }
  void unmap(mapping) override {}

 protected:
  enum class reading : std::uint8_t { may_wait, at_once };

  // While the archive is listed. Returns where in the file the block begins; bytes > 0.
  [[nodiscard]] result<std::uint64_t> add_block(std::uint64_t bytes) noexcept;
  // The same for bytes that lie in the archive as they are: they are read there and never kept.
  [[nodiscard]] result<std::uint64_t> add_stored(std::uint64_t bytes,
                                                 std::uint64_t archive_offset) noexcept;
  [[nodiscard]] std::uint64_t size() const noexcept {
    return blocks_.empty() ? 0 : blocks_[blocks_.size() - 1].end();
  }

  // Unpacks block `number` into all of `to` and keeps `made` up to date: how many bytes at
  // its front are right, if it fails. On any thread, for several blocks at once, under no lock.
  // Error: busy, if at_once and the packed bytes are not in the page cache.
  virtual result<void> unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                              std::size_t& made) noexcept = 0;

  // Fills all of `to` with bytes of the archive, for unpack().
  [[nodiscard]] result<void> read_packed(std::uint64_t offset, std::span<std::byte> to,
                                         reading how) noexcept;

 private:
  struct kept_block {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::byte* data = nullptr;  // null: not unpacked, or its memory was given back
    std::uint64_t right = 0;    // so many of the bytes can be read
    error flaw = {};            // why not the others
    std::uint64_t archive_offset = 0;
    bool stored = false;  // in the archive, at that place; nothing below matters then
    std::uint32_t readers = 0;
    bool broken = false;  // flaw says why, for ever
    bool unpacking = false;
    bool used = false;  // since the clock came by

    [[nodiscard]] std::uint64_t end() const noexcept { return offset + bytes; }
  };

  static tl::unexpected<error> no_folder() {
    return fail(errc::unsupported, "what is packed is no folder");
  }
  [[nodiscard]] allocator& memory() const noexcept { return blocks_.memory(); }
  result<std::uint64_t> add(kept_block added) noexcept;
  [[nodiscard]] std::uint32_t block_at(std::uint64_t offset) const noexcept;
  result<std::size_t> read(std::uint64_t offset, std::span<std::byte> to, reading how) noexcept;
  result<void> hold(std::uint32_t number, reading how) noexcept;
  result<void> unpack_held(std::uint32_t number, reading how) noexcept;
  [[nodiscard]] bool make_room(std::uint64_t bytes) noexcept REQUIRES(lock_);
  void give_back(kept_block& one) noexcept REQUIRES(lock_);

  operating_system& os_;
  const owned_handle& file_;
  mutex lock_;
  event_count unpacked_;
  vec<kept_block> blocks_;  // the list does not change once the archive is listed
  vec<std::uint32_t> resident_ GUARDED_BY(lock_);  // blocks that have memory
  std::size_t hand_ GUARDED_BY(lock_) = 0;         // of the clock, in resident_
  std::uint64_t kept_bytes_ GUARDED_BY(lock_) = 0;
  std::uint64_t unpacked_count_ GUARDED_BY(lock_) = 0;
};

}  // namespace overture::vfs

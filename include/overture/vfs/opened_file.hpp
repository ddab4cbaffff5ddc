// SPDX-License-Identifier: Zlib
//
// opened_file, mapped_file: what file_system::open() and map() give.
//
//   result<opened_file> map = files.open("maps/rome.txt"_path);
//   if (!map) return report(map.error());
//   const file_place& where = map->place();   // for a read_queue
//
// Cost: as file_system::open() says; moving one copies its members. Programs that want a file's
// bytes need neither: see file_system::read_all() and file_reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/archives/file_place.hpp"
#include "overture/base/api.hpp"
#include "overture/base/os.hpp"

namespace overture {

namespace archives_detail {
class block_store;
}  // namespace archives_detail
namespace vfs_detail {
struct mount;
}  // namespace vfs_detail
class file_system;

// An open file: says where its bytes are and keeps them readable. Holds its mount and, for a loose
// file, a descriptor; the destructor releases both. Move-only. One thread at a time, any thread.
class OVERTURE_API opened_file {
 public:
  opened_file() = default;
  opened_file(opened_file&& other) noexcept;
  opened_file& operator=(opened_file&& other) noexcept;
  opened_file(const opened_file&) = delete;
  opened_file& operator=(const opened_file&) = delete;
  ~opened_file();

  [[nodiscard]] const file_place& place() const noexcept { return place_; }

  // Whether it is read from a block of a solid archive, which is unpacked as a whole.
  [[nodiscard]] bool is_in_block() const noexcept { return store_ != nullptr; }
  // A file in a solid archive is read from a block, which must be unpacked first. Where that takes
  // 1 MiB or more, reading takes room from the file system's ledger, and fails as errc::limit if
  // there is none. A pipeline, which can wait for room, takes it beforehand:
  //
  //   const std::uint64_t room = file.block_room();    // 0 for nearly all files
  //   ... files.ledger()->take(room, memory_tag::vfs, ticket) ...
  //   if (!file.hold_block(room, ticket)) ... try again ...
  //
  // The room that reading would take now. 0 if the block is in memory or another file holds it.
  [[nodiscard]] std::uint64_t block_room() const noexcept;
  // Takes over `room`, and the ledger's ticket if you got it for that, and keeps the block until
  // release_block() or until the file is closed. If another file has taken room for the block
  // meanwhile, yours is given back and you keep the ticket: return it. False: the block has been
  // evicted since block_room(); the room was given back, and you keep the ticket. Once a file holds
  // its block, further calls do nothing.
  [[nodiscard]] bool hold_block(std::uint64_t room, bool& ticket) noexcept;
  // Whether the held block was admitted past the ledger's limit. Then add() the file's own room
  // instead of waiting for it: nothing gets the ticket while a file holds the block.
  [[nodiscard]] bool block_has_ticket() const noexcept;
  // Call it when the bytes have been read. Does nothing if no block is held. The block keeps the
  // ticket for as long as it is in memory.
  void release_block() noexcept;

 private:
  friend class file_system;
  friend class mapped_file;
  file_system* files_ = nullptr;  // null: nothing is open
  const vfs_detail::mount* mount_ = nullptr;
  archives_detail::block_store* store_ = nullptr;  // null: the file is not in a block
  bool owns_source_ = false;
  bool holds_block_ = false;
  file_place place_;
};

// A file's bytes mapped read-only, see file_system::map(). They stay where they are until it is
// destroyed, also when it is moved or the mount is unmounted; an archive in memory stays until its
// mount_release. The file_system must outlive it. Move-only. One thread at a time may change it;
// any may read the bytes.
class OVERTURE_API mapped_file {
 public:
  mapped_file() = default;
  mapped_file(mapped_file&& other) noexcept { swap(other); }
  mapped_file& operator=(mapped_file&& other) noexcept;
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file();

  [[nodiscard]] std::span<const std::byte> span() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

 private:
  friend class file_system;
  void swap(mapped_file& other) noexcept;

  opened_file file_;                // of an archive's entry
  operating_system* os_ = nullptr;  // of a loose file, which has a mapping of its own
  mapping own_;
  std::span<const std::byte> bytes_;
};

}  // namespace overture

// SPDX-License-Identifier: Zlib
//
// The pieces of files that several threads pack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "overture/overture.hpp"

namespace overture::cli {

// Part of a file, and what it packs to.
struct piece {
  std::span<const std::byte> bytes;
  compression method = compression::deflate;
  bool is_last = true;
  bool is_whole = true;  // the only one of its file
  std::unique_ptr<std::byte[]> room;
  std::size_t packed_bytes = 0;
  std::optional<error> failure;

  [[nodiscard]] std::span<const std::byte> packed() const { return {room.get(), packed_bytes}; }
};

// Adds the pieces of a whole file. One packed with zstd is one frame.
void cut(std::span<const std::byte> bytes, compression method, std::vector<piece>& pieces);
// The next pieces of a large file, read into `room`: one less than fit into that, or all that are
// left.
[[nodiscard]] result<std::vector<piece>> next_window(file_reader& reader,
                                                     std::span<std::byte> room);

// Packs pieces on any thread.
class piece_packer {
 public:
  void pack(piece& part);

 private:
  std::unique_ptr<packer> take();
  void give_back(std::unique_ptr<packer> done);

  // One for each thread that packs. Not thread_local: where the system cannot note that such a
  // variable has a destructor, it ends the process.
  std::mutex changing_;
  std::vector<std::unique_ptr<packer>> idle_;
};

[[nodiscard]] std::uint64_t packed_sum(std::span<const piece> pieces);
[[nodiscard]] std::uint64_t bytes_sum(std::span<const piece> pieces);
// What saves less is stored, and costs no unpacking.
[[nodiscard]] constexpr bool is_worth_it(std::uint64_t bytes, std::uint64_t packed) {
  return packed <= bytes - bytes / 32;
}

}  // namespace overture::cli

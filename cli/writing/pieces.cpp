// SPDX-License-Identifier: Zlib
#include "writing/pieces.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace overture::cli {

void cut(std::span<const std::byte> bytes, compression method, std::vector<piece>& pieces) {
  const std::uint64_t count = method == compression::deflate ? zip_piece_count(bytes.size()) : 1;
  const std::uint64_t size = zip_piece_bytes(bytes.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool is_last = i + 1 == count;
    pieces.push_back({.bytes = is_last ? bytes : bytes.first(size),
                      .method = method,
                      .is_last = is_last,
                      .is_whole = count == 1,
                      .room = {},
                      .failure = {}});
    bytes = bytes.subspan(pieces.back().bytes.size());
  }
}

result<std::vector<piece>> next_window(file_reader& reader, std::span<std::byte> room) {
  const std::uint64_t size = zip_piece_bytes(reader.size());
  const std::uint64_t left = reader.size() - reader.position();
  const bool to_end = left < room.size();
  const std::span<std::byte> bytes = room.first(to_end ? left : room.size() - size);
  if (const result<void> read = reader.read_all_of(bytes); !read) {
    return tl::unexpected(read.error());
  }
  std::vector<piece> pieces;
  for (std::span<const std::byte> rest = bytes; !rest.empty();) {
    const bool is_last = to_end && rest.size() < 2 * size;
    pieces.push_back({.bytes = is_last ? rest : rest.first(size),
                      .method = compression::deflate,
                      .is_last = is_last,
                      .is_whole = false,
                      .room = {},
                      .failure = {}});
    rest = rest.subspan(pieces.back().bytes.size());
  }
  return pieces;
}

std::unique_ptr<packer> piece_packer::take() {
  const std::scoped_lock lock(changing_);
  if (idle_.empty()) return std::make_unique<packer>();
  std::unique_ptr<packer> last = std::move(idle_.back());
  idle_.pop_back();
  return last;
}

void piece_packer::give_back(std::unique_ptr<packer> done) {
  const std::scoped_lock lock(changing_);
  idle_.push_back(std::move(done));
}

void piece_packer::pack(piece& part) {
  std::unique_ptr<packer> pack = take();
  const std::size_t room = packer::packed_bytes_max(part.method, part.bytes.size());
  part.room = std::make_unique_for_overwrite<std::byte[]>(room);
  const std::span<std::byte> to{part.room.get(), room};
  const result<std::size_t> count = part.is_whole ? pack->pack(part.method, part.bytes, to)
                                                  : pack->pack_piece(part.bytes, part.is_last, to);
  if (count) {
    part.packed_bytes = *count;
  } else {
    part.failure = count.error();
  }
  give_back(std::move(pack));
}

std::uint64_t packed_sum(std::span<const piece> pieces) {
  return std::accumulate(
      pieces.begin(), pieces.end(), std::uint64_t{0},
      [](std::uint64_t sum, const piece& part) { return sum + part.packed_bytes; });
}

std::uint64_t bytes_sum(std::span<const piece> pieces) {
  return std::accumulate(
      pieces.begin(), pieces.end(), std::uint64_t{0},
      [](std::uint64_t sum, const piece& part) { return sum + part.bytes.size(); });
}

}  // namespace overture::cli

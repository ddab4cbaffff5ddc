// SPDX-License-Identifier: Zlib
//
// A DEFLATE stream read in pieces, in any order, gives the same bytes as in one piece. For some
// inputs one allocation is refused, and reading may fail.
//
// Input: the unpacked size (3 bytes), the number of reads (1), the reads (offset 3, size 2), and
// the stream.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "io/unpack/inflate_stream.hpp"
#include "overture/base/hash.hpp"
#include "overture/io/unpack.hpp"
#include "support/failing_allocator.hpp"

namespace {

using namespace overture;

class input {
 public:
  input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  std::size_t number(std::size_t bytes) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes && !rest_.empty(); ++i) {
      value = value << 8 | rest_.front();
      rest_ = rest_.subspan(1);
    }
    return value;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return std::as_bytes(rest_); }

 private:
  std::span<const std::uint8_t> rest_;
};

void require(bool truth) {
  if (!truth) std::abort();
}

struct asked_part {
  std::size_t offset;
  std::size_t bytes;
};

// `whole` is the content, or null if the stream is damaged.
void read_in_parts(allocator& memory, std::span<const std::byte> packed,
                   const std::vector<asked_part>& parts, const std::vector<std::byte>* whole,
                   std::size_t bytes) {
  const auto fetch = [&](std::uint64_t at, std::span<std::byte> to) -> result<void> {
    require(at <= packed.size() && to.size() <= packed.size() - at);
    std::memcpy(to.data(), packed.data() + at, to.size());
    return {};
  };
  io_detail::inflate_stream stream(memory, packed.size(), bytes, 64);
  if (!stream.begin()) return;
  std::vector<std::byte> room(bytes);
  bool failed = false;
  const auto read = [&](const asked_part& part) {
    const std::span<std::byte> to = std::span(room).first(part.bytes);
    if (!stream.read(part.offset, to, fetch)) {
      failed = true;
      return;
    }
    require(!whole || to.empty() ||
            std::memcmp(to.data(), whole->data() + part.offset, to.size()) == 0);
  };
  for (const asked_part& part : parts) read(part);
  read({0, bytes});
  if (whole && !failed) {
    require(stream.seen_bytes() == bytes && stream.seen_crc32() == crc32(*whole));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  input from(data, size);
  const std::size_t bytes = from.number(3) % 2'000'000;
  std::vector<asked_part> parts(from.number(1) % 16);
  for (asked_part& part : parts) {
    part.offset = from.number(3) % (bytes + 1);
    part.bytes = from.number(2) % (bytes - part.offset + 1);
  }
  const std::span<const std::byte> packed = from.rest();
  std::vector<std::byte> whole(bytes);
  const bool sound = unpacker().unpack(compression::deflate, packed, whole).has_value();
  const std::uint64_t choice = hash64({reinterpret_cast<const char*>(data), size});
  failing_allocator memory(choice % 4 == 0 ? choice / 4 % 8 : UINT64_MAX);
  read_in_parts(memory, packed, parts, sound ? &whole : nullptr, bytes);
  require(memory.live_bytes() == 0);
  return 0;
}

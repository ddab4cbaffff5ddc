// SPDX-License-Identifier: Zlib
//
// Unpacks in parts and as a whole: if the parts succeed, the whole gives the same bytes.
//
// The first byte is the method, the next three the stated size.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "io/unpack/unpack_plan.hpp"

namespace {

using namespace overture;

void unpack(compression method, std::span<const std::byte> packed, std::size_t bytes) {
  if (to_string(method)[0] == '\0') std::abort();
  unpacker tables;
  std::vector<std::byte> whole(bytes);
  std::vector<std::byte> parts(bytes);
  const result<void> outcome = tables.unpack(method, packed, whole);
  io_detail::unpack_plan plan;
  plan.make(method, packed, bytes);
  for (std::size_t i = 0; i < plan.part_count(); ++i) {
    if (!plan.unpack(i, tables, method, packed, parts)) return;
  }
  if (plan.holds(parts) && (!outcome || parts != whole)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::size_t bytes = data[1] + 256u * data[2] + 65'536u * (data[3] & 15u);
  unpack(static_cast<compression>(data[0] % 5), std::as_bytes(std::span(data, size)).subspan(4),
         bytes);
  return 0;
}

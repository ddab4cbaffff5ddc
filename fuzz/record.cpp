// SPDX-License-Identifier: Zlib
//
// Reads the bytes as the record of a load. What it has is what it gives to another record, and
// every path in it follows the rules.
#include <cstdlib>
#include <string_view>

#include "overture/load/load_record.hpp"
#include "support/failing_allocator.hpp"

namespace {

using namespace overture;

void require(bool kept) {
  if (!kept) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const result<load_record> record = load_record::parse(text);
  if (!record) {
    const errc why = record.error().code;
    require(why == errc::unsupported || why == errc::corrupt);
    require(record.error().offset <= size);
    return 0;
  }
  load_record other;
  for (std::size_t i = 0; i < record->size(); ++i) {
    const recorded_file file = (*record)[i];
    require(!file.path.empty() && path_flaw(file.path) == nullptr);
    require(other.add(file).has_value());
    require(other[i].path == file.path && other[i].cost_us == file.cost_us);
  }
  failing_allocator memory(hash64(text) % 8);
  {
    const result<load_record> refused = load_record::parse(text, &memory);
    require(refused || refused.error().code == errc::out_of_memory);
  }
  require(memory.live_bytes() == 0);
  return 0;
}

// SPDX-License-Identifier: Zlib
//
// Offsets and sizes modulo 4 GiB: in an archive that is whole they are recovered, in a damaged one
// nothing else than places that fit together. For some inputs memory or a read is refused.
//
// Input: the number of entries (1 byte), the entries (method 1, packed size 5, size 5), and damage
// to the directory or a header (which 1, where 1, what 1).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "archives/big_archive.hpp"
#include "overture/base/hash.hpp"
#include "support/failing_allocator.hpp"

namespace {

using namespace overture;
using namespace overture::archives_detail;

constexpr std::uint64_t size_max = 6 * zip_wrap;

void require(bool truth) {
  if (!truth) std::abort();
}

class input {
 public:
  input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes && !rest_.empty(); ++i) {
      value = value << 8 | rest_.front();
      rest_ = rest_.subspan(1);
    }
    return value;
  }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  std::span<const std::uint8_t> rest_;
};

std::vector<big_entry> entries_of(input& from) {
  std::vector<big_entry> entries(1 + from.number(1) % 16);
  for (big_entry& entry : entries) {
    entry.method = from.number(1) % 2 == 0 ? zip_method_stored : zip_method_deflate;
    entry.packed_bytes = from.number(5) % size_max;
    entry.bytes = from.number(5) % size_max;
    if (entry.method == zip_method_stored) entry.bytes = entry.packed_bytes;
  }
  return entries;
}

// The finder takes whole records only.
void cut_to_records(std::string& directory) {
  std::span<const std::byte> rest = std::as_bytes(std::span(directory));
  for (;;) {
    const std::size_t size = measure_zip_record(rest).record;
    if (size == 0) break;
    rest = rest.subspan(size);
  }
  directory.resize(directory.size() - rest.size());
}

void damage(big_archive& archive, input& from) {
  while (!from.empty()) {
    const std::size_t which = from.number(1) % (archive.places.size() + 1);
    std::string& bytes = which == archive.places.size()
                             ? archive.directory
                             : archive.headers[archive.places[which].header];
    const std::size_t where = from.number(1) % bytes.size();
    bytes[where] = static_cast<char>(from.number(1));
  }
  cut_to_records(archive.directory);
}

// All ones announce a Zip64 field, which these archives do not have.
bool means_zip64(std::uint64_t number) {
  return (number & UINT32_MAX) == UINT32_MAX;
}

// What is packed smaller by more than 4 GiB has no certain size.
bool same(const zip_true_place& found, const zip_true_place& real, const big_entry& entry) {
  const bool certain = entry.method == zip_method_stored;
  return found.header == real.header && found.packed_bytes == real.packed_bytes &&
         (!certain || found.bytes == real.bytes);
}

void check(const big_archive& archive, std::span<const zip_true_place> found) {
  std::span<const std::byte> rest = std::as_bytes(std::span(archive.directory));
  std::uint64_t free = 0;
  for (const zip_true_place& place : found) {
    zip_record record;
    const std::size_t size = read_zip_record(rest, record);
    require(size > 0);
    rest = rest.subspan(size);
    require(place.header % zip_wrap == record.header);
    require(place.packed_bytes % zip_wrap == record.packed_bytes);
    require(place.header >= free);
    free = place.header + zip_local_header_bytes + place.packed_bytes;
    require(free <= archive.end);
  }
  require(rest.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  input from(data, size);
  const std::vector<big_entry> entries = entries_of(from);
  big_archive archive(entries);
  const bool whole =
      from.empty() &&
      std::none_of(archive.places.begin(), archive.places.end(), [](const zip_true_place& place) {
        return means_zip64(place.header) || means_zip64(place.packed_bytes) ||
               means_zip64(place.bytes);
      });
  damage(archive, from);
  const std::uint64_t choice = hash64({reinterpret_cast<const char*>(data), size});
  archive.fails = choice % 16 == 1;
  failing_allocator memory(choice % 16 == 0 ? choice / 16 % 3 : UINT64_MAX);
  {
    base_detail::vec<zip_true_place> found(memory, memory_tag::vfs);
    const result<bool> fits = archive.find(found);
    require(!archive.fails || !fits || found.empty());
    require(!fits || *fits || found.empty());
    if (fits && *fits) check(archive, found.span());
    if (whole && fits) {
      require(*fits && found.size() == entries.size());
      for (std::size_t i = 0; i < entries.size(); ++i) {
        require(same(found[i], archive.places[i], entries[i]));
      }
    }
  }
  require(memory.live_bytes() == 0);
  return 0;
}

// SPDX-License-Identifier: Zlib
//
// Archives of more than 4 GiB without their data, as archivers write them that do not know Zip64.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "archives/zip/zip_wrapped.hpp"

namespace overture::archives_detail {

struct big_entry {
  std::uint64_t packed_bytes;
  std::uint64_t bytes;
  std::uint16_t method = zip_method_stored;
};

// The directory, and the local headers by offset. All else reads as zeros.
struct big_archive {
  explicit big_archive(const std::vector<big_entry>& entries);

  result<void> read(std::uint64_t offset, std::span<std::byte> to) const {
    if (fails) return fail(errc::io, "bad disk");
    std::memset(to.data(), 0, to.size());
    const auto header = headers.find(offset);
    if (header != headers.end()) std::memcpy(to.data(), header->second.data(), to.size());
    return {};
  }
  result<bool> find(base_detail::vec<zip_true_place>& found) const {
    const auto reader = [this](std::uint64_t offset, std::span<std::byte> to) {
      return read(offset, to);
    };
    return find_wrapped_places(std::as_bytes(std::span(directory)), end, reader, found);
  }

  std::string directory;
  std::map<std::uint64_t, std::string> headers;
  std::vector<zip_true_place> places;
  std::uint64_t end = 0;  // of the data so far
  bool fails = false;

 private:
  static void put(std::string& to, std::uint64_t value, int bytes) {
    for (; bytes > 0; --bytes, value >>= 8) to += static_cast<char>(value & 0xFF);
  }
};

inline big_archive::big_archive(const std::vector<big_entry>& entries) {
  std::uint32_t crc32 = 1;
  for (const big_entry& entry : entries) {
    places.push_back({end, entry.packed_bytes, entry.bytes});
    std::string& local = headers[end];
    put(local, 0x04034B50, 4);
    put(local, 0, 4);
    put(local, entry.method, 2);
    put(local, 0, 4);
    put(local, crc32, 4);
    put(local, entry.packed_bytes, 4);
    put(local, entry.bytes, 4);
    put(local, 1, 2);
    put(local, 0, 2);
    put(directory, 0x02014B50, 4);
    put(directory, 0, 6);
    put(directory, entry.method, 2);
    put(directory, 0, 4);
    put(directory, crc32++, 4);
    put(directory, entry.packed_bytes, 4);
    put(directory, entry.bytes, 4);
    put(directory, 1, 2);
    put(directory, 0, 12);
    put(directory, end, 4);
    directory += 'n';
    end += zip_local_header_bytes + 1 + entry.packed_bytes;
  }
}

}  // namespace overture::archives_detail

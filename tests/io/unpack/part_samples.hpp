// SPDX-License-Identifier: Zlib
//
// Requests and files for the tests of the read queue's parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/io/read_queue.hpp"
#include "support/refusing_os.hpp"

namespace overture::test {

inline constexpr source_id some_file{3, 1};
inline constexpr source_id other_file{4, 1};

// Wants bytes that go nowhere.
inline read_request wanting(std::uint64_t offset, std::size_t bytes = 10,
                            source_id source = some_file) {
  read_request made;
  made.source = source;
  made.offset = offset;
  made.into = read_into::pool;
  made.bytes = bytes;
  return made;
}

inline read_request wanting_packed(std::uint64_t offset, std::size_t packed_bytes) {
  read_request made = wanting(offset);
  made.method = compression::deflate;
  made.packed_bytes = packed_bytes;
  return made;
}

// Files that hold their offsets, and note what they are asked.
class noted_files : public source_files, public refusing_os {
 public:
  bool lends = false;      // borrow() finds every file open
  bool opens_own = false;  // borrow() opens a file for its reader alone
  int pins = 0;
  int unpins = 0;
  int closed = 0;
  int fetched = 0;
  std::uint64_t size = UINT64_MAX;

  result<open_source> source(source_id) noexcept override { return open_source{this, {1}}; }
  std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }
  result<open_source> pin(source_id id, bool may_wait) noexcept override {
    if (!may_wait) return fail(errc::busy, "too many open files", id);
    ++pins;
    return source(id);
  }
  void unpin(source_id) noexcept override { ++unpins; }
  result<open_source> borrow(source_id id, std::uint64_t read_number) noexcept override {
    if (opens_own && read_number != 0) return open_source{this, {2}, true};
    if (lends) return open_source{this, {1}};
    return fail(errc::busy, "not open", id);
  }
  result<std::size_t> read_at(os_handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    std::size_t count = 0;
    for (; count < bytes.size() && offset + count < size; ++count) {
      bytes[count] = static_cast<std::byte>(offset + count);
    }
    return count;
  }
  void fetch_ahead(os_handle, std::uint64_t, std::uint64_t) noexcept override { ++fetched; }
  void close(os_handle) noexcept override { ++closed; }
};

}  // namespace overture::test

// SPDX-License-Identifier: Zlib
//
// Reads the input as a start pack. If the first byte says so, its checksums are corrected first, to
// reach what is after them. A pack must be refused, or its entries must fit into the file, and each
// must be read or refused.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "overture/base/hash.hpp"
#include "overture/base/thread.hpp"
#include "overture/io/unpack.hpp"
#include "start_pack/pack_reader.hpp"
#include "support/failing_allocator.hpp"
#include "support/memory_file_os.hpp"

namespace {

using namespace overture;
using namespace overture::start_pack;

// A broken guarantee of the interface stops the fuzzer like a crash.
void require(bool kept) {
  if (!kept) std::abort();
}

// Runs the reader's thread at once: an input gives the same each time.
class no_threads final : public thread_factory {
 public:
  result<thread_handle> start(const thread_options&, void (*entry)(void*) noexcept,
                              void* argument) override {
    entry(argument);
    return thread_handle{1};
  }
  void join(thread_handle) noexcept override {}
};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

template <class Number>
Number get(const std::string& text, std::size_t at) {
  Number value = 0;
  if (at + sizeof value <= text.size()) std::memcpy(&value, text.data() + at, sizeof value);
  return value;
}

void put_crc(std::string& text, std::size_t at, std::size_t begin, std::size_t bytes) {
  if (begin > text.size() || bytes > text.size() - begin || at + 4 > text.size()) return;
  const std::uint32_t crc = crc32(bytes_of(std::string_view(text).substr(begin, bytes)));
  std::memcpy(text.data() + at, &crc, sizeof crc);
}

// From the data of the entries to the header, in the order in which they depend on each other.
void mend(std::string& text) {
  const auto index = get<std::uint64_t>(text, 8);
  const auto index_bytes = get<std::uint64_t>(text, 16);
  std::uint64_t offset = header_bytes;
  if (index > text.size()) return;
  for (std::uint64_t at = index; at + record_bytes <= text.size(); at += record_bytes) {
    const auto packed_bytes = get<std::uint64_t>(text, at + 40);
    if (packed_bytes > text.size()) break;
    if (text[at + 51] % 16 != 0) put_crc(text, at + 48, offset, packed_bytes);
    offset += packed_bytes;
  }
  put_crc(text, 32, index, index_bytes);
  put_crc(text, header_bytes - 4, 0, header_bytes - 4);
}

void check(const pack_index& index, std::string_view text) {
  std::uint64_t end = header_bytes;
  for (const entry& each : index.entries()) {
    require(each.offset == end && each.packed_bytes <= text.size() - end);
    require(!each.path.empty());
    end += each.packed_bytes;
    const std::size_t found = index.find(each.path, each.name);
    require(found != pack_index::none);
    const entry& same = index.entries()[found];
    require(same.path == each.path && same.name == each.name && same.offset <= each.offset);
  }
}

void read_all(pack_reader& reader) {
  for (const entry& each : reader.index().entries()) {
    const std::size_t first = reader.index().find(each.path, each.name);
    const entry& one = reader.index().entries()[first];
    const result<blob> content = reader.take(each.path, each.name, one.real);
    if (content) {
      require(content->size() == one.bytes);
    } else {
      require(content.error().reason[0] != '\0');
    }
    identity other = one.real;
    ++other.number;
    require(!reader.take(each.path, each.name, other));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) mend(text);
  const std::uint64_t choice = hash64(text);
  // Some inputs are read with one allocation refused or one call of the system failed.
  memory_file_os os(text);
  failing_allocator memory(choice % 4 == 1 ? choice / 4 % 8 : UINT64_MAX);
  if (choice % 4 == 2) os.fail_call(static_cast<int>(choice / 4 % 8), EIO);
  no_threads threads;
  if (const result<os_handle> file = os.open("fuzzed.pack")) {
    const reader_config config{.ahead_bytes_max = UINT64_MAX, .linger_ns = 0};
    const result<pack_reader*> opened = pack_reader::open(os, *file, threads, memory, config);
    if (opened) {
      check((*opened)->index(), text);
      read_all(**opened);
      (*opened)->close();
    } else {
      require(opened.error().reason[0] != '\0');
    }
  }
  require(os.open_handles() == 0);
  require(memory.live_bytes() == 0);
  return 0;
}

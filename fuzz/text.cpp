// SPDX-License-Identifier: Zlib
//
// Reads the input as objects in one of the styles, of fixed size or of any, chosen by the first
// byte. What could be read is written, read back and written again; both texts must be the same.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "overture/text/read.hpp"
#include "overture/text/write.hpp"
#include "text/hero.hpp"
#include "text/sample.hpp"

namespace {

using namespace overture;
using units = paged<sample::unit, 64>;
using sample::heroes;

// A broken guarantee of the interface stops the fuzzer like a crash.
void require(bool kept) {
  if (!kept) std::abort();
}

struct text_buffer {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
  [[nodiscard]] std::string_view view() const { return {bytes.get(), size}; }
};

template <class Style, class Objects>
text_buffer write(const Objects& from, text::page_table& table) {
  const std::size_t room = text::bytes_max<Style>(from);
  text_buffer buffer{std::make_unique<char[]>(room + 1), 0};
  const auto done = text::write<Style>(from, std::span(buffer.bytes.get(), room), &table);
  require(done.has_value());
  buffer.size = done->bytes;
  return buffer;
}

template <class Style, class Objects = units>
void use(std::string_view text) {
  Objects first;
  const auto read = text::read<Style>(text, first);
  if (!read) {
    char room[40];
    require(text::member_path(text, read.error().offset, room).size() <= sizeof room);
    require(read.error().reason[0] != '\0' && read.error().offset <= text.size());
    require(first.page_count() == 0);
    return;
  }
  text::page_table table;
  const text_buffer once = write<Style>(first, table);
  Objects second;
  require(text::read<Style>(once.view(), second, &table).has_value());
  const text_buffer twice = write<Style>(second, table);
  require(once.view() == twice.view());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      use<text::script<"unit">>(text);
      break;
    case 1:
      use<text::rows<','>>(text);
      break;
    case 2:
      use<text::json>(text);
      break;
    case 4:
      use<text::script<"hero">, heroes>(text);
      break;
    case 5:
      use<text::json, heroes>(text);
      break;
    case 6:
      use<text::blocks<"hero">, heroes>(text);
      break;
    default:
      use<text::rows<' '>>(text);
  }
  return 0;
}

// SPDX-License-Identifier: Zlib
#include "overture/text/format.hpp"

#include "text/bounded_writer.hpp"

namespace overture::text::detail {
namespace {

void add_literal(bounded_writer& out, std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && text[end] != '{' && text[end] != '}') ++end;
    // The first of two doubled braces.
    const bool brace = end < text.size();
    out.add(text.substr(at, end - at + (brace ? 1 : 0)));
    at = brace ? end + 2 : end;
  }
}

template <class T>
char* write_float(char* at, T value, const placeholder& spec) noexcept {
  return spec.kind == 'f' ? write_fixed(at, value, spec.decimals) : write_shortest(at, value);
}

void add_argument(bounded_writer& out, const argument& value, const placeholder& spec) noexcept {
  using type = argument::type;
  char text[fixed_room<double>(64)];
  char* end = text;
  switch (value.is) {
    case type::boolean:
      out.add(value.bits != 0 ? "yes" : "no");
      return;
    case type::text:
      out.add(value.string);
      return;
    case type::signed_integer:
    case type::unsigned_integer:
      if (spec.kind == 'x') {
        end = write_hex(text, value.bits & (~std::uint64_t{0} >> (64 - 8 * value.bytes)));
      } else if (value.is == type::signed_integer) {
        end = write_integer(text, static_cast<std::int64_t>(value.bits));
      } else {
        end = write_integer(text, value.bits);
      }
      break;
    case type::float32:
      end = write_float(text, std::bit_cast<float>(static_cast<std::uint32_t>(value.bits)), spec);
      break;
    case type::float64:
      end = write_float(text, std::bit_cast<double>(value.bits), spec);
      break;
  }
  out.add({text, static_cast<std::size_t>(end - text)});
}

}  // namespace

std::size_t format_arguments(std::span<char> out, std::string_view format,
                             std::span<const placeholder> placeholders,
                             std::span<const argument> arguments) noexcept {
  bounded_writer written(out.data(), out.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < placeholders.size(); ++i) {
    add_literal(written, format.substr(at, placeholders[i].literal_end - at));
    add_argument(written, arguments[i], placeholders[i]);
    at = placeholders[i].next;
  }
  add_literal(written, format.substr(at));
  return written.size();
}

}  // namespace overture::text::detail

// SPDX-License-Identifier: Zlib
//
// The fast path of reading: text exactly as write.hpp wrote it.
//
// Nearly all text that is read was written by text/write.hpp and never edited. So the reader first
// compares the text with what the writer would have put there, names and blanks included, which are
// compile-time constants, and takes the values in between. It searches for nothing. Where the text
// differs (another order, a comment), the full reader (read_value.hpp) starts again from the
// beginning of the object. Members that the fast path has already set are simply set again.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "overture/base/detail/compiler.hpp"
#include "overture/text/detail/cursor.hpp"
#include "overture/text/detail/digits.hpp"
#include "overture/text/detail/write_value.hpp"
#include "overture/text/style.hpp"

namespace overture::text::detail {

// In read_value.hpp.
template <class Style, class V, class Format>
bool parse_value(cursor& from, V& value);

template <class Style>
struct without_one_line {
  using type = Style;
};
template <class Style>
struct without_one_line<one_line<Style>> : without_one_line<Style> {};

// The bounds of the text, and where read_decimal() has the margins around it that it reads.
class text_bounds {
 public:
  text_bounds(const char* begin, const char* last) noexcept
      : end(last),
        first_(begin + (last - begin > margins ? margin_before : 0)),
        bytes_(last - begin > margins ? static_cast<std::size_t>(last - begin - margins) : 0) {}

  [[nodiscard]] bool has_margins(const char* at) const noexcept {
    return static_cast<std::size_t>(at - first_) < bytes_;
  }

  const char* end;

 private:
  static constexpr std::ptrdiff_t margin_before = 16;
  static constexpr std::ptrdiff_t margins = margin_before + 32;

  const char* first_;
  std::size_t bytes_;
};

// `at` + length (below 16), by branches instead of an addition. Integers of one field tend to have
// the same length, so the processor predicts where the next value is and starts reading it before
// this one is done. With an addition it would have to wait for the length.
inline const char* advance_by_branches(const char* at, unsigned length) noexcept {
  const auto jump = [&at, length](unsigned bit) {
    if ((length & bit) == 0) return;
    at += bit;
    // Keeps the compiler from turning the branches back into one addition.
    overture::detail::forget(at);
  };
  jump(8);
  jump(4);
  jump(2);
  jump(1);
  if (at == nullptr) overture::detail::unreachable();
  return at;
}

template <const auto& Text>
inline bool matches_at(const char* at, const char* end) noexcept {
  return static_cast<std::size_t>(end - at) >= Text.used &&
         std::memcmp(at, Text.bytes, Text.used) == 0;
}

// A word to compare with. Choosing one of two must not be a branch: it would be mispredicted.
struct masked_word {
  std::uint64_t bytes;
  std::uint64_t mask;
  unsigned length;

  static constexpr masked_word of(std::string_view text) noexcept {
    std::array<char, 8> bytes{};
    std::array<char, 8> mask{};
    for (std::size_t i = 0; i < text.size(); ++i) {
      bytes[i] = text[i];
      mask[i] = static_cast<char>(-1);
    }
    return {std::bit_cast<std::uint64_t>(bytes), std::bit_cast<std::uint64_t>(mask),
            static_cast<unsigned>(text.size())};
  }
};

// Each of these returns the end of the value, or null if it is not written the way the writer does.

template <class Style, class Format>
inline const char* fast_bool(const char* at, const char* end, bool& value) noexcept {
  constexpr bool is_json = Style::notation == notation::json;
  if constexpr (!is_json && std::is_same_v<Format, y_n>) {
    const unsigned letter = static_cast<unsigned char>(at != end ? *at : 0) - unsigned{'n'};
    constexpr unsigned known = 1u | 1u << ('y' - 'n');
    if (letter > 31 || (known >> letter & 1) == 0) return nullptr;
    value = letter != 0;
    return at + 1;
  }
  static constexpr masked_word words[] = {masked_word::of(is_json ? "false" : "no"),
                                          masked_word::of(is_json ? "true" : "yes")};
  if (end - at < 8) return nullptr;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  const bool yes = *at == (is_json ? 't' : 'y');
  const masked_word& word = words[yes ? 1 : 0];
  if (((bytes ^ word.bytes) & word.mask) != 0) return nullptr;
  value = yes;
  return at + word.length;
}

// Close to either end of the text. Out of line, because the loops that call it seldom need it.
template <floating V>
[[gnu::noinline]] const char* fast_short(const char* at, const char* end, V& value) noexcept {
  const unsigned length = read_short_decimal(at, end, value);
  return length != 0 ? at + length : nullptr;
}

template <floating V>
[[gnu::always_inline]] inline const char* fast_number(const char* at, const text_bounds& text,
                                                      V& value) noexcept {
  if (text.has_margins(at)) [[likely]] {
    const char* const next = read_decimal(at, value);
    if (next) [[likely]]
      return next;
  }
  return fast_short(at, text.end, value);
}
template <integer V>
inline const char* fast_number(const char* at, const text_bounds& text, V& value) noexcept {
  const unsigned length = read_short_integer(at, text.end, value);
  return length != 0 ? advance_by_branches(at, length) : nullptr;
}

// Anything else, by the full reader. Out of line too.
template <class Style, class Format, class V>
[[gnu::noinline]] const char* slow_value(const char* at, const char* end, V& value) {
  cursor from({at, static_cast<std::size_t>(end - at)});
  return parse_value<Style, V, Format>(from, value) ? from.here() : nullptr;
}

// Whether the writer puts this after a value. Anything else may belong to the value.
template <class Style>
inline bool ends_written_value(char next) noexcept {
  if constexpr (Style::notation == notation::rows) return next == Style::separator || next == '\n';
  return next == ' ' || next == '\n' || next == ',' || next == '}' || next == ']';
}

template <class Style, class V, class Format, int Depth>
[[gnu::always_inline]] inline const char* fast_value(const char* at, const text_bounds& text,
                                                     V& value);

template <class Style, class Format, int Depth, class V>
inline const char* fast_array(const char* at, const text_bounds& text, V& values) {
  using element = typename array_of<V>::element;
  constexpr bool is_script = Style::notation == notation::script;
  constexpr bool is_rows = Style::notation == notation::rows;
  // What precedes the first element and follows the last.
  constexpr std::string_view open = is_rows ? "" : is_script ? "{ " : "[";
  constexpr std::string_view close = is_rows ? "" : is_script ? " }" : "]";
  const auto take = [&at, &text](std::string_view bracket) {
    if (static_cast<std::size_t>(text.end - at) < bracket.size()) return false;
    for (std::size_t i = 0; i < bracket.size(); ++i) {
      if (at[i] != bracket[i]) return false;
    }
    at += bracket.size();
    return true;
  };
  if (!take(open)) return nullptr;
  bool first = true;
  for (element& each : values) {
    if (!first) {
      char between = ' ';
      if constexpr (is_rows) between = Style::separator;
      if constexpr (Style::notation == notation::json) between = ',';
      if (at == text.end || *at != between) return nullptr;
      ++at;
    }
    first = false;
    at = fast_value<element_style<Style>, element, Format, Depth + 1>(at, text, each);
    if (!at) return nullptr;
  }
  return take(close) ? at : nullptr;
}

// Returns the end of the field, or `at` if the text does not continue with this field.
template <class Style, class T, std::size_t I, int Depth>
inline const char* fast_field(const char* begin, const char* at, const text_bounds& text,
                              T& object) {
  using field = field_at<T, I>;
  const char* value = at;
  if constexpr (Style::notation == notation::json) {
    if (at == text.end || *at != (at == begin ? '{' : ',')) return at;
    ++value;
  }
  if (!matches_at<prefix<Style, T, I, Depth>>(value, text.end)) return at;
  value += prefix<Style, T, I, Depth>.used;
  const char* const next =
      fast_value<Style, typename field::member_type, typename field::format_type, Depth + 1>(
          value, text, mutable_member<I>(object));
  return next ? next : at;
}

// Reads the fields that stand there in order. `begin` is the opening bracket of the block.
template <class Style, int Depth, class T, std::size_t... I>
inline const char* fast_fields(const char* begin, const text_bounds& text, T& object,
                               std::index_sequence<I...> /*all*/) {
  const char* at = Style::notation == notation::json ? begin : begin + 1;
  ((at = fast_field<Style, T, I, Depth>(begin, at, text, object)), ...);
  return at;
}

template <class Style, int Depth>
constexpr auto make_closing() noexcept {
  fixed_text<2 + indent_bytes<Style, Depth>()> closing;
  if (Style::notation == notation::script) closing.add(Style::indented ? "\n" : " ");
  for (std::size_t i = 0; i < indent_bytes<Style, Depth>(); ++i) closing.add(" ");
  closing.add("}");
  return closing;
}
template <class Style, int Depth>
inline constexpr auto closing = make_closing<Style, Depth>();

template <class Style, int Depth, class T>
inline const char* fast_block(const char* at, const text_bounds& text, T& object) {
  if (at == text.end || *at != '{') return nullptr;
  at = fast_fields<Style, Depth>(at, text, object, std::make_index_sequence<field_count<T>>());
  if (!matches_at<closing<Style, Depth>>(at, text.end)) return nullptr;
  return at + closing<Style, Depth>.used;
}

template <class Style, int Depth, class T, std::size_t... I>
[[gnu::always_inline]] inline const char* fast_cells(const char* at, const text_bounds& text,
                                                     T& object, std::index_sequence<I...> /*all*/) {
  const auto next = [&](auto index) {
    using field = field_at<T, index.value>;
    if (index.value > 0) {
      if (at == text.end || *at != Style::separator) return false;
      ++at;
    }
    at = fast_value<Style, typename field::member_type, typename field::format_type, Depth>(
        at, text, mutable_member<index.value>(object));
    return at != nullptr;
  };
  return (next(std::integral_constant<std::size_t, I>{}) && ...) ? at : nullptr;
}

template <class Style, class V, class Format, int Depth>
[[gnu::always_inline]] inline const char* fast_value(const char* at, const text_bounds& text,
                                                     V& value) {
  if constexpr (block<V>) {
    if constexpr (Style::notation == notation::rows) {
      return fast_cells<Style, Depth>(at, text, value, std::make_index_sequence<field_count<V>>());
    } else {
      return fast_block<Style, Depth>(at, text, value);
    }
  } else if constexpr (array<V>) {
    return fast_array<Style, Format, Depth>(at, text, value);
  } else {
    const char* next = nullptr;
    if constexpr (std::is_same_v<V, bool>) {
      next = fast_bool<Style, Format>(at, text.end, value);
    } else if constexpr ((integer<V> && !std::is_same_v<Format, hex>) || floating<V>) {
      next = fast_number(at, text, value);
    }
    if (next && next != text.end && ends_written_value<Style>(*next)) return next;
    return slow_value<typename without_one_line<Style>::type, Format>(at, text.end, value);
  }
}

// What precedes an object; null if the text does not continue as the writer begins an object.
template <class Style>
inline const char* fast_opening(const char* at, const char* end) noexcept {
  if constexpr (Style::notation == notation::script) {
    return matches_at<opening<Style>>(at, end) ? at + opening<Style>.used : nullptr;
  } else {
    // Blanks and '#' come before '$' in ASCII.
    return at != end && static_cast<unsigned char>(*at) >= '$' ? at : nullptr;
  }
}

// An object and its line end.
template <class Style, class T>
[[gnu::always_inline]] inline const char* fast_object(const char* at, const text_bounds& text,
                                                      T& object) {
  // Types of any size are read in one way only (read_value.hpp). Trying two for each of many
  // nested blocks would double the time at each depth.
  if constexpr (measured<T>) return nullptr;
  at = fast_value<Style, T, default_format, 0>(at, text, object);
  return at && at != text.end && *at == '\n' ? at + 1 : nullptr;
}

}  // namespace overture::text::detail

// Text back into objects: the same description that wrote it reads it, by pages on all threads.
//
//   paged<unit> units;
//   auto done = text::read<text::script<"unit">>(jobs, file, units);
//   if (!done) { auto at = text::position_of(file, done.error().offset); ... at.line, at.column }
//
// Styles: all of text/write.hpp. What shortest floats, strings and integers say is read back bit by
// bit; fixed decimals give the float nearest to them.
//
// Tolerant where people edit and versions differ: fields in any order (not in rows), unknown fields
// and unknown blocks at the top are skipped, missing ones keep what T{} has, later ones of one name
// win, names may be escaped; '#' begins a comment (script; rows, in front of a row), lines may end
// with CRLF, white space is free (script, JSON), and in front of a text without page table there
// may be a byte order mark. Strict where it would guess: a value that is none, or does not fit its
// member, is an error with its place, and so is a string that is longer than its member. What was
// skipped may be nested limits::text_depth_max deep.
//
// Pages: with the page table that write() made the pages are read at once, each into a page of the
// paged. Without one a first walk over the text finds where objects begin; script may then have its
// objects on any number of lines, rows and JSON have one line for each, and JSON nothing else in
// it.
//
// Cost: about that of the numbers while the text stands as it was written, and some more where it
// was edited. One allocation for each megabyte of pages and one table, all before the parallel
// part; what members of T take (std::string) they take there. Any thread may
// call; all or nothing: after an error `objects` is as it was. Errors: corrupt, truncated, limit,
// out_of_memory; error::offset is the place in the text, of the first error by place.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "overture/jobs/paged.hpp"
#include "overture/text/cursor.hpp"
#include "overture/text/detail/follow.hpp"
#include "overture/text/pages.hpp"
#include "overture/text/style.hpp"

namespace overture::text {

namespace detail {

template <class Style>
inline constexpr bool has_comments = Style::notation != notation::json;

template <class Style>
inline std::string_view next_word(cursor& from) noexcept {
  if constexpr (Style::notation == notation::rows) return from.cell(Style::separator);
  return from.token();
}

inline bool get_bool(cursor& from, std::string_view word, bool& value) noexcept {
  if (word.size() == 1 && (word[0] == 'y' || word[0] == 'n')) {
    value = word[0] == 'y';
    return true;
  }
  const bool yes = word == "yes" || word == "true" || word == "1";
  if (!yes && word != "no" && word != "false" && word != "0") {
    return from.fail_in(word, errc::corrupt, "neither yes nor no");
  }
  value = yes;
  return true;
}

// What may stand behind a value that was read where it stands.
template <class Style>
inline bool ends_value(char next) noexcept {
  if constexpr (Style::notation == notation::rows) {
    return next == Style::separator || next == '\n' || next == '\r';
  } else {
    return cursor::ends_token(next);
  }
}

template <class Format, class V>
inline read_end read_with_format(const char* first, const char* end, V& value) noexcept {
  if constexpr (std::is_same_v<Format, hex>) {
    std::uint64_t bits = 0;
    read_end read = read_hex(first, end, bits);
    if (bits >> (sizeof(V) * 8 - 1) >> 1 != 0) read.ok = false;
    if (read.ok) value = static_cast<V>(bits);
    return read;
  } else {
    return read_number(first, end, value);
  }
}

template <class Format, class V>
inline bool get_number(cursor& from, std::string_view word, V& value,
                       const char* otherwise = "no number of the kind that belongs here") noexcept {
  const char* const first = word.data();
  const char* const end = first + word.size();
  const read_end read = read_with_format<Format>(first, end, value);
  if (read.ok && read.next == end) return true;
  return from.fail_in(word, errc::corrupt, otherwise);
}

// The same without looking for the word's end first. False if that is not how it stands there, and
// then nothing has happened.
template <class Style, class Format, class V>
inline bool get_number_here(cursor& from, V& value) noexcept {
  V number{};
  const read_end read = read_with_format<Format>(from.here(), from.end(), number);
  if (!read.ok) return false;
  if (read.next != from.end() && !ends_value<Style>(*read.next)) return false;
  value = number;
  from.move_to(read.next);
  return true;
}

template <std::size_t N>
constexpr std::size_t longest_of(const std::array<std::string_view, N>& names) noexcept {
  std::size_t bytes = 0;
  for (const std::string_view name : names) bytes = std::max(bytes, name.size());
  return bytes;
}

template <class V>
inline bool get_enum(cursor& from, std::string_view word, V& value) noexcept {
  if constexpr (named<V>) {
    char room[longest_of(value_names<V>) + cursor::escape_bytes_max];
    const std::string_view name = cursor::unescaped(word, room);
    for (const auto& each : name_table<V>) {
      if (each.name != name) continue;
      value = each.value;
      return true;
    }
  }
  std::underlying_type_t<V> number{};
  constexpr const char* otherwise = named<V> ? "neither a name of the enumeration nor a number"
                                             : "no number that the enumeration can hold";
  if (!get_number<standard>(from, word, number, otherwise)) return false;
  value = static_cast<V>(number);
  return true;
}

template <class V>
bool get_characters(cursor& from, V& value) noexcept {
  constexpr std::size_t size = array_of<V>::size;
  std::size_t bytes = 0;
  if (!from.string(&value[0], size, bytes)) return false;
  for (; bytes < size; ++bytes) value[bytes] = '\0';
  return true;
}

template <class Format, class V>
bool get_string(cursor& from, V& value) {
  static_assert(
      requires { value.assign("", std::size_t{0}); },
      "a string that is read back needs assign(const char*, std::size_t)");
  char text[Format::bytes_max == 0 ? 1 : Format::bytes_max];
  std::size_t bytes = 0;
  if (!from.string(text, Format::bytes_max, bytes)) return false;
  value.assign(text, bytes);
  return true;
}

template <class Style, class Format, class V>
bool get_optional(cursor& from, V& value) {
  const cursor before = from;
  if (from.peek() != '"' && from.peek() != '{' && from.peek() != '[') {
    const std::string_view word = next_word<Style>(from);
    if (word == (Style::notation == notation::json ? "null" : "none")) {
      value.reset();
      return true;
    }
  }
  from = before;
  typename V::value_type inner{};
  if (!get_value<Style, typename V::value_type, Format>(from, inner)) return false;
  value = std::move(inner);
  return true;
}

inline bool row_ended(const cursor& from) noexcept {
  return from.at_end() || from.peek() == '\n' || from.peek() == '\r';
}
// Behind a cell: over the separator to the next one. False at the end of the row, and for an error.
template <class Style>
inline bool next_cell(cursor& from) noexcept {
  if (row_ended(from)) return false;
  if (!from.take(Style::separator)) return from.fail(errc::corrupt, "a separator is missing");
  return !row_ended(from);
}

template <class Style, class Format, class V>
bool get_array(cursor& from, V& values) {
  using element = typename array_of<V>::element;
  if constexpr (Style::notation == notation::rows) {
    bool first = true;
    for (element& each : values) {
      if (!first && !next_cell<Style>(from)) return !from.failed();
      first = false;
      if (!get_value<Style, element, Format>(from, each)) return false;
    }
    return true;
  } else {
    constexpr bool is_json = Style::notation == notation::json;
    constexpr char close = is_json ? ']' : '}';
    if (!from.take(is_json ? '[' : '{')) {
      return from.fail(errc::corrupt, "a list is missing");
    }
    for (std::size_t i = 0;; ++i) {
      from.skip_space(has_comments<Style>);
      if (from.take(close)) return true;
      if (i > 0 && is_json) {
        if (!from.take(',')) return from.fail(errc::corrupt, "a comma is missing");
        from.skip_space(false);
      }
      // More than there is room for: from a version that had more.
      const bool read = i < array_of<V>::size ? get_value<Style, element, Format>(from, values[i])
                                              : from.skip_value();
      if (!read) return false;
    }
  }
}

template <class Style, class T, std::size_t I>
bool get_field(cursor& from, T& object) {
  using field = field_at<T, I>;
  return get_value<Style, typename field::member_type, typename field::format_type>(
      from, member_to_read<I>(object));
}

// The field of that name, or nothing if there is none: 0 = failed, 1 = read, 2 = unknown.
template <class Style, class T, std::size_t... I>
int get_named(cursor& from, std::string_view name, T& object, std::index_sequence<I...> /*all*/) {
  int outcome = 2;
  (void)((name == std::get<I>(description<T>).name
              ? (outcome = get_field<Style, T, I>(from, object) ? 1 : 0, true)
              : false) ||
         ...);
  return outcome;
}

template <class Style, class T, std::size_t... I>
bool get_row(cursor& from, T& object, std::index_sequence<I...> /*all*/) {
  // A row that ends early leaves the rest as it is.
  const auto next = [&](auto index) {
    if (index.value > 0 && !next_cell<Style>(from)) return false;
    return get_field<Style, T, index.value>(from, object);
  };
  (void)(next(std::integral_constant<std::size_t, I>{}) && ...);
  return !from.failed();
}

template <class Style, class T>
bool get_block(cursor& from, T& object) {
  constexpr auto all = std::make_index_sequence<field_count<T>>();
  if constexpr (Style::notation == notation::rows) {
    return get_row<Style>(from, object, all);
  } else {
    constexpr bool is_json = Style::notation == notation::json;
    char room[longest_of(field_names<T>) + cursor::escape_bytes_max];
    const char* const begin = from.here();
    if (!from.take('{')) return from.fail(errc::corrupt, "a block is missing");
    const char* const followed = follow_fields<Style, 0>(begin, {begin, from.end()}, object, all);
    if (followed > from.here()) from.move_to(followed);
    for (bool first = from.here() == begin + 1;; first = false) {
      from.skip_space(has_comments<Style>);
      if (from.take('}')) return true;
      if (from.at_end()) return from.fail(errc::truncated, "the text ends within a block");
      if (!first && is_json) {
        if (!from.take(',')) return from.fail(errc::corrupt, "a comma is missing");
        from.skip_space(false);
      }
      const std::string_view name = cursor::unescaped(from.token(), room);
      if (from.failed()) return false;
      from.skip_space(has_comments<Style>);
      if (!from.take(is_json ? ':' : '=')) {
        return from.fail(errc::corrupt, "a name without a value");
      }
      from.skip_space(has_comments<Style>);
      const int outcome = get_named<Style>(from, name, object, all);
      if (outcome == 0 || (outcome == 2 && !from.skip_value())) return false;
    }
  }
}

template <class Style, class V, class Format>
bool get_value(cursor& from, V& value) {
  if constexpr (character_array<V>) {
    return get_characters(from, value);
  } else if constexpr (string<V>) {
    return get_string<Format>(from, value);
  } else if constexpr (optional<V>) {
    return get_optional<Style, Format>(from, value);
  } else if constexpr (array<V>) {
    return get_array<Style, Format>(from, value);
  } else if constexpr (block<V>) {
    return get_block<Style>(from, value);
  } else {
    if constexpr (integer<V> || floating<V>) {
      if (get_number_here<Style, Format>(from, value)) return true;
    }
    const std::string_view word = next_word<Style>(from);
    if (from.failed()) return false;
    if constexpr (std::is_same_v<V, bool>) {
      return get_bool(from, word, value);
    } else if constexpr (std::is_enum_v<V>) {
      return get_enum(from, word, value);
    } else {
      return get_number<Format>(from, word, value);
    }
  }
}

// Over what may stand in front of an object, its name included. False at the end of the page, and
// for an error.
template <class Style>
bool get_opening(cursor& from) {
  for (;;) {
    from.skip_space(has_comments<Style>);
    if (from.at_end()) return false;
    if constexpr (Style::notation == notation::script) {
      const std::string_view name = from.token();
      from.skip_space(true);
      if (!from.failed() && !from.take('=')) from.fail(errc::corrupt, "a name without a value");
      from.skip_space(true);
      if (from.failed()) return false;
      if (name == Style::name) return true;
      if (!from.skip_value()) return false;
    } else {
      return true;
    }
  }
}

// An object and what may stand behind it in its line. Out of line, so that the loop which seldom
// needs it stays short.
template <class Style, class T>
[[gnu::noinline]] bool get_object(cursor& from, T& object) {
  if (!get_value<Style, T, standard>(from, object)) return false;
  if constexpr (Style::notation == notation::rows) {
    // Cells that this version does not know.
    if (from.peek() != '\n') from.skip_line();
  } else if constexpr (Style::notation == notation::json) {
    while (from.peek() == ' ' || from.peek() == '\t' || from.peek() == '\r') from.advance();
    if (!from.at_end() && from.peek() != '\n') {
      return from.fail(errc::corrupt, "something stands behind the object of this line");
    }
  }
  return true;
}

// The objects of one page; `add()` of `objects` makes another one, or returns null.
template <class Style, class Appender>
error read_page(std::string_view page, Appender& objects) {
  cursor from(page);
  const char* const end = from.end();
  // Not the cursor's, which others know: this one can stay in a register.
  const char* at = from.here();
  const extent text(at, end);
  for (;;) {
    const char* value = follow_opening<Style>(at, end);
    if (!value) {
      from.move_to(at);
      if (!get_opening<Style>(from)) return from.problem();
      value = from.here();
    }
    auto* object = objects.add();
    if (!object) {
      from.fail_at(value, errc::corrupt, "more objects than the page table says");
      return from.problem();
    }
    at = follow_object<Style>(value, text, *object);
    if (at) continue;
    from.move_to(value);
    if (!get_object<Style>(from, *object)) return from.problem();
    at = from.here();
  }
}

// Splits a text where no object is cut. Errors: out_of_memory.
result<void> make_index(std::string_view text, notation style, std::size_t objects_max,
                        page_table& pages);

struct nothing_after {
  void operator()(std::size_t /*i*/, std::size_t /*at*/, error& /*problem*/) const noexcept {}
};

// `after(i, at, problem)` is called for page i of the table, which is page `at` of the objects, on
// the thread that has read it; it may take the problem away.
template <class Style, class T, std::size_t PageSize, class After = nothing_after>
result<std::size_t> read_paged(job_system* jobs, std::string_view text, page_table* table,
                               paged<T, PageSize>& objects, After after = {}) {
  // Says what is wrong with a description.
  static_assert(object_bytes_max<Style, T>() > 0);
  page_table own(objects.memory());
  if (!table) {
    auto made = make_index(text, Style::notation, PageSize, own);
    if (!made) return tl::unexpected(made.error());
  }
  page_table& pages = table ? *table : own;
  const auto first = objects.add_pages(pages.size());
  if (!first) return tl::unexpected(first.error());
  const auto read_one = [&](std::size_t i, std::string_view page) {
    error problem;
    {
      typename paged<T, PageSize>::appender made(objects, *first + i, pages[i].objects);
      problem = read_page<Style>(page, made);
      // A text that was split here may have blocks that are no objects.
      if (problem.reason[0] == '\0' && table && made.size() != pages[i].objects) {
        problem = {errc::corrupt, 0, "fewer objects than the page table says", {}, page.size()};
      }
    }
    after(i, *first + i, problem);
    return problem;
  };
  auto read = read_pages(jobs, pages, text, PageSize, read_one);
  if (!read) {
    objects.drop_pages(*first);
    return tl::unexpected(read.error());
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) count += objects.page_at(*first + i).size();
  return count;
}

template <class Style, class T, std::size_t PageSize>
result<std::size_t> read_text(job_system* jobs, std::string_view text, page_table* table,
                              paged<T, PageSize>& objects) {
  // Of a table that write() has not filled, or of another text, the rest would be left out.
  if (table) {
    const page_entry last = table->size() != 0 ? (*table)[table->size() - 1] : page_entry{};
    if (last.offset + last.bytes != text.size()) {
      return fail(errc::corrupt, "the page table does not suit the text", {}, last.offset);
    }
  }
  return read_paged<Style>(jobs, text, table, objects);
}

}  // namespace detail

// Adds the objects of the text behind those that are there, on the calling thread or on all of the
// job system's, and returns how many. With the page table of the text every page must have exactly
// the objects that the table says, and no more than PageSize, and the last one ends where the text
// does.
template <class Style, class T, std::size_t PageSize>
[[nodiscard]] result<std::size_t> read(std::string_view text, paged<T, PageSize>& objects,
                                       page_table* table = nullptr) {
  return detail::read_text<Style>(nullptr, text, table, objects);
}
template <class Style, class T, std::size_t PageSize>
[[nodiscard]] result<std::size_t> read(job_system& jobs, std::string_view text,
                                       paged<T, PageSize>& objects, page_table* table = nullptr) {
  return detail::read_text<Style>(&jobs, text, table, objects);
}

}  // namespace overture::text

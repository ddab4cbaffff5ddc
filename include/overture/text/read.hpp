// SPDX-License-Identifier: Zlib
//
// Reads text back into objects, by the description that wrote it, page by page on every core.
//
//   paged<unit> units;
//   auto done = text::read<text::script<"unit">>(jobs, file, units);
//   if (!done) {
//     char room[200];
//     auto at = text::position_of(file, done.error().offset);     // at.line, at.column
//     auto member = text::member_path(file, done.error().offset, room);    // inventory[3].count
//   }
//
// Reads all styles of text/style.hpp. Strings, integers and shortest floats come back bit for bit;
// fixed<N> comes back as the float nearest to the decimals.
//
// Accepts what people edit and other versions write:
// - fields in any order (not in rows), names with escapes, white space (script, JSON), CRLF;
// - omitted fields, which keep the value that T{} gives them; of repeated fields and keys the last
//   counts;
// - unknown fields, and in scripts unknown top-level blocks, nested up to limits::text_depth_max:
//   they are skipped;
// - comments from '#' to the end of the line (script; in rows before a row);
// - a byte order mark, if there is no page table.
// Rejects what it would have to guess at, with its position: a value that is malformed or does not
// fit its member, and a string longer than its member.
//
// Pages: with the page table that write() filled, pages are read in parallel from the start.
// Without one, a first pass finds where objects begin; a script object may then span any number of
// lines, a row or JSON object takes exactly one, and JSON lines may contain nothing else.
//
// Cost: little more than parsing the numbers while the text is as it was written, somewhat more
// where it was edited. One allocation per MiB of pages and one table, all before the parallel part.
// Members that allocate, such as std::string, do so in the parallel part.
//
// Memory of hostile text: what containers take is in proportion to the text. Each element needs at
// least two bytes of it, and elements that take more than limits::text_element_bytes_always are
// refused beyond text_element_bytes_ratio_max bytes for each byte of text. Blocks of types that
// contain themselves nest up to limits::text_depth_max. Keys can be chosen so that all of a hash
// map fall together, which makes each insertion a search: use ordered maps for text of strangers.
//
// Threads: any thread may call; `objects` belongs to the call until it returns.
//
// Errors: all or nothing, so after an error `objects` is as it was. corrupt, truncated, limit,
// out_of_memory (a member that allocates, too), threw (such a member), unsupported (the job system
// is of another version of Overture); error::offset is the position in the text of the first error
// in the text, whichever thread found it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/api.hpp"
#include "overture/jobs/paged.hpp"
#include "overture/text/detail/read_container.hpp"
#include "overture/text/detail/read_value.hpp"
#include "overture/text/detail/write_container.hpp"
#include "overture/text/pages.hpp"
#include "overture/text/style.hpp"

namespace overture::text {

// A position in a text. Both count from 1; columns are bytes.
struct position {
  std::size_t line = 1;
  std::size_t column = 1;
};
// Turns the offset of an error into line and column: position_of(text, error.offset). Scans the
// text up to there. Any thread.
[[nodiscard]] OVERTURE_API position position_of(std::string_view text,
                                                std::uint64_t offset) noexcept;

// The member at the offset of an error, from the object inwards: "at.x", "inventory[3].count",
// "quests.rescue.stage"; elements count from 0. Written to `room` as far as it fits. Empty for
// rows, whose cells have no names, and outside of objects. Scans the text up to there. Any thread.
[[nodiscard]] OVERTURE_API std::string_view member_path(std::string_view text, std::uint64_t offset,
                                                        std::span<char> room) noexcept;

namespace detail {

// Makes a page table for a text that has none, cutting between objects. Errors: out_of_memory.
OVERTURE_API result<void> make_page_table(std::string_view text, notation style,
                                          std::size_t objects_max, page_table& pages);

struct no_page_hook {
  void operator()(std::size_t /*i*/, std::size_t /*at*/, error& /*problem*/) const noexcept {}
};

// Calls after(i, at, problem) for page i of the table, which is page `at` of the objects, on the
// thread that read it. `after` may clear the problem.
template <class Style, class T, std::size_t PageSize, class After = no_page_hook>
result<std::size_t> read_paged(job_system* jobs, std::string_view text, page_table* table,
                               paged<T, PageSize>& objects, After after = {}) {
  // Comes first, to report what is wrong with a description.
  check_type<Style, T>();
  page_table own(objects.memory());
  if (!table) {
    auto made = make_page_table(text, Style::notation, PageSize, own);
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
      // A table made by make_page_table() counts unknown blocks as objects.
      if (problem.reason[0] == '\0' && table && made.size() != pages[i].objects) {
        problem = {
            errc::corrupt, 0, "page holds fewer objects than the page table says", {}, page.size()};
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
  // An unfilled table, or that of another text, would silently skip the rest.
  if (table) {
    const page_entry last = table->size() != 0 ? (*table)[table->size() - 1] : page_entry{};
    if (last.offset + last.bytes != text.size()) {
      return fail(errc::corrupt, "page table does not match the text", {}, last.offset);
    }
  }
  return read_paged<Style>(jobs, text, table, objects);
}

}  // namespace detail

// Appends the objects of the text to `objects`, on the calling thread or on all threads of the job
// system. Returns how many. A page table must match the text exactly: each page has the number of
// objects that it says, at most PageSize, and the last page ends where the text does.
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

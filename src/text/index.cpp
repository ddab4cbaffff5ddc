// SPDX-License-Identifier: Zlib
//
// Splits a text without a page table between its objects.
#include <cstring>

#include "overture/text/read.hpp"

namespace overture::text::detail {
namespace {

// next(at) is the end of the object that begins after `at`, or the end of the text. Blanks and
// comments before an object belong to it.
class splitter {
 public:
  splitter(std::string_view text, notation style) noexcept : text_(text), style_(style) {}

  std::size_t next(std::size_t at) const noexcept {
    return style_ == notation::script ? next_block(at) : next_line(at);
  }

 private:
  std::size_t end_of_line(std::size_t at) const noexcept {
    const void* const end = std::memchr(text_.data() + at, '\n', text_.size() - at);
    return end ? static_cast<std::size_t>(static_cast<const char*>(end) - text_.data()) + 1
               : text_.size();
  }
  // Skips empty lines and comments, which are not objects.
  std::size_t next_line(std::size_t at) const noexcept {
    while (at < text_.size()) {
      const std::size_t end = end_of_line(at);
      while (at < end &&
             (text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\r' || text_[at] == '\n')) {
        ++at;
      }
      if (at < end && (text_[at] != '#' || style_ == notation::json)) return end;
      at = end;
    }
    return at;
  }
  std::size_t end_of_string(std::size_t at) const noexcept {
    for (++at; at < text_.size() && text_[at] != '"' && text_[at] != '\n'; ++at) {
      if (text_[at] == '\\') ++at;
    }
    return at < text_.size() ? at + 1 : text_.size();
  }
  std::size_t next_block(std::size_t at) const noexcept {
    std::size_t depth = 0;
    while (at < text_.size()) {
      switch (text_[at]) {
        case '"':
          at = end_of_string(at);
          continue;
        case '#':
          at = end_of_line(at);
          continue;
        case '{':
          ++depth;
          break;
        case '}':
          // A stray bracket also ends here; the reader reports it.
          if (depth <= 1) return at + 1;
          --depth;
          break;
        default:
          break;
      }
      ++at;
    }
    return at;
  }

  std::string_view text_;
  notation style_;
};

}  // namespace

result<void> make_page_table(std::string_view text, notation style, std::size_t objects_max,
                             page_table& pages) {
  const splitter split(text, style);
  // A byte order mark would be read as part of the first name.
  const std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  std::size_t objects = 0;
  for (std::size_t at = begin; at < text.size(); at = split.next(at)) ++objects;
  const std::size_t count = (objects + objects_max - 1) / objects_max;
  auto ready = pages.prepare(count, 1);
  if (!ready) return ready;
  std::size_t at = begin;
  for (std::size_t i = 0; i < count; ++i) {
    page_entry entry{at, 0, 0};
    while (entry.objects < objects_max && at < text.size()) {
      at = split.next(at);
      ++entry.objects;
    }
    entry.bytes = at - entry.offset;
    pages.set_entry(i, entry);
  }
  return {};
}

}  // namespace overture::text::detail

// SPDX-License-Identifier: Zlib
//
// Pages of text in one buffer: where each lies, and how many threads write and read them.
//
// The layer below text/write.hpp, for objects that are not in a paged<T>. Say how many objects each
// page has and how long one can be, give a function that writes one page, and write_pages() does
// the rest:
//
//   text::page_table pages;
//   if (auto ready = pages.prepare(page_count, jobs.concurrency()); !ready) ...
//   for (std::size_t i = 0; i < page_count; ++i) {
//     pages.set_page(i, objects_in(i), bytes_max_of_one);
//   }
//   auto done = text::write_pages(&jobs, pages, buffer, text::layout::dense, write_page);
//
// A page_table also tells where each page of text is, for sending it piece by piece (text_of()) or
// reading it back in parallel (text/read.hpp).
//
// Cost and errors: see text/write.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/jobs/job_system.hpp"

namespace overture::text {

// Where the text of one page lies, in bytes, and how many objects it has.
struct page_entry {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t objects = 0;
};

enum class layout : std::uint8_t {
  dense,  // one text without gaps
  slots,  // pages stay in their slots with gaps between, for writev; needs room for all slots
};

struct written {
  std::size_t bytes = 0;  // of text in all pages
  std::size_t pages = 0;
};

// How many objects a page has and the most bytes that writing them can take.
struct page_room {
  static constexpr std::size_t none = ~std::size_t{0};       // its objects nest too deep
  static constexpr std::size_t most = std::size_t{1} << 48;  // more than there are addresses

  std::size_t objects = 0;
  std::size_t bytes = 0;
};

class page_table;
// Reads page i from its text and returns the error, or an error without a reason if all went well.
// Called on several threads at once for different pages. During the call the thread rounds to
// nearest and does not flush subnormal numbers, whatever its mode was (on x86-64 and ARM64).
using read_page_function = function_ref<error(std::size_t i, std::string_view page)>;
// Reads all pages of the table, on all threads of `jobs`, or on the calling thread if it is null.
// Errors: corrupt if the table does not match the text (pages must follow one another, end within
// the text, and have at most `objects_max` objects); otherwise the error of the first page that has
// one, its offset counted from the start of the text; threw (read_page; out_of_memory if it threw
// std::bad_alloc); unsupported (`jobs` is of another version of Overture). Any thread.
[[nodiscard]] OVERTURE_API result<void> read_pages(job_system* jobs, page_table& pages,
                                                   std::string_view text, std::size_t objects_max,
                                                   read_page_function read_page);

// Reuse one to reuse its memory. One thread at a time.
class OVERTURE_API page_table {
 public:
  explicit page_table(allocator& memory = default_allocator()) noexcept : memory_(&memory) {}
  page_table(const page_table&) = delete;
  page_table& operator=(const page_table&) = delete;
  ~page_table();

  // Makes a table of `pages` empty pages, to be written by at most `threads` threads. Errors:
  // out_of_memory.
  result<void> prepare(std::size_t pages, unsigned threads);
  // Before writing: how many objects page i has, and the most bytes that one can take.
  void set_page(std::size_t i, std::size_t objects, std::size_t object_bytes) noexcept;
  // The same for all pages, on all threads of `jobs`, or on the calling thread if it is null:
  // room_of(i) says how many objects page i has and how many bytes they can take. Error: limit for
  // the first page with page_room::none or more than page_room::most, whose number is
  // error::offset.
  result<void> set_pages(job_system* jobs,
                         function_ref<page_room(std::size_t i) noexcept> room_of) noexcept;
  // The most bytes that writing page i can touch.
  [[nodiscard]] std::uint64_t slot_bytes(std::size_t i) const noexcept;
  // Before reading: where page i is.
  void set_entry(std::size_t i, const page_entry& entry) noexcept;

  // After write_pages(): how many pages there are, and where each is.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] page_entry operator[](std::size_t i) const noexcept;
  // The text of page i in the buffer that it was written to.
  [[nodiscard]] std::string_view text_of(std::size_t i, std::string_view buffer) const noexcept {
    const page_entry entry = (*this)[i];
    return buffer.substr(entry.offset, entry.bytes);
  }

 private:
  friend class page_writing;
  friend class page_reading;
  struct record {
    page_entry entry;
    std::uint64_t slot = 0;        // offset of its slot
    error problem;                 // from reading it
    std::uint64_t slot_bytes = 0;  // the most that writing it can touch
    atomic<std::uint32_t> state{0};
  };
  result<char*> scratch(std::size_t bytes) noexcept;
  void free_all() noexcept;

  allocator* memory_;
  record* records_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  unsigned threads_ = 1;
  char* scratch_ = nullptr;
  std::size_t scratch_bytes_ = 0;
};

// Writes page i to `out` and returns the end of its text, or null to give up. It may touch `slack`
// bytes beyond the text. `destination` is where the text is likely to be copied to, to be
// prefetched while writing; it equals `out` if the text stays there. Called on several threads at
// once for different pages, and perhaps twice for one page.
using write_page_function = function_ref<char*(std::size_t i, char* out, const char* destination)>;

// Writes all pages of the table, on all threads of `jobs`, or on the calling thread if it is null.
// Errors: no_space, limit (write_page gave up), threw (write_page), out_of_memory, invalid,
// unsupported; see text/write.hpp. Any thread, one at a time per table.
[[nodiscard]] OVERTURE_API result<written> write_pages(job_system* jobs, page_table& pages,
                                                       std::span<char> buffer, layout how,
                                                       write_page_function write_page);

}  // namespace overture::text

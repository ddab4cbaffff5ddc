// Pages of text in one buffer: where each lies, and how many threads write them.
//
// The layer below text/write.hpp, for hosts whose objects are not in a paged<T>: say for each page
// how many objects it has, give a function that writes one page, and write_pages() does the rest.
//
//   text::page_table pages;
//   if (auto ready = pages.prepare(page_count, jobs.concurrency()); !ready) ...
//   for (i ...) pages.set_page(i, objects_in(i), bytes_max_of_one);
//   auto done = text::write_pages(&jobs, pages, buffer, text::layout::dense, write_page);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/jobs/job_system.hpp"

namespace overture::text {

// Where one page's text is.
struct page_entry {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t objects = 0;
};

enum class layout : std::uint8_t {
  dense,  // one text without gaps
  slots,  // each page stays in its slot, with gaps between: for writev; needs room for all slots
};

struct written {
  std::size_t bytes = 0;  // of text, all pages together
  std::size_t pages = 0;
};

class page_table;
// Reads page i, whose text this is, and returns what was wrong with it; no reason means nothing.
// Called on several threads at once, for different pages; they round to nearest meanwhile, and
// subnormal numbers count, whatever the host's mode (on x86-64 and ARM64).
using read_page_function = function_ref<error(std::size_t i, std::string_view page)>;
// Reads all pages of the table. `jobs` may be null. Errors: corrupt, if the table does not suit the
// text (pages one behind the other, none beyond the end, none with more objects than
// `objects_max`); otherwise that of the first page by place that has one, its offset counted from
// the text's beginning.
[[nodiscard]] result<void> read_pages(job_system* jobs, page_table& pages, std::string_view text,
                                      std::size_t objects_max, read_page_function read_page);

// Used again it keeps its memory. One thread at a time.
class page_table {
 public:
  explicit page_table(allocator& memory = default_allocator()) noexcept : memory_(&memory) {}
  page_table(const page_table&) = delete;
  page_table& operator=(const page_table&) = delete;
  ~page_table();

  // Makes a table of this many empty pages, to be written by at most so many threads. Errors:
  // out_of_memory.
  result<void> prepare(std::size_t pages, unsigned threads);
  // Before writing: the objects of a page, and the most bytes that one can have.
  void set_page(std::size_t i, std::size_t objects, std::size_t object_bytes) noexcept;
  // For readers: where a page is.
  void set_entry(std::size_t i, const page_entry& entry) noexcept;

  // Behind write_pages().
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] page_entry operator[](std::size_t i) const noexcept;
  // The text of a page in the buffer that was written to.
  [[nodiscard]] std::string_view text_of(std::size_t i, std::string_view buffer) const noexcept {
    const page_entry entry = (*this)[i];
    return buffer.substr(entry.offset, entry.bytes);
  }

 private:
  friend class page_writing;
  friend result<void> read_pages(job_system* jobs, page_table& pages, std::string_view text,
                                 std::size_t objects_max, read_page_function read_page);
  struct record {
    page_entry entry;
    std::uint64_t slot = 0;        // where its slot begins
    error problem;                 // of reading it
    std::uint64_t slot_bytes = 0;  // the most that its writer can touch
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

// Writes page i to `out` and returns the end of its text, or null to give up. `place` is where the
// text is likely to be copied to, for those who would fetch that into the cache; `out` if it stays.
// Called on several threads at once, for different pages, and perhaps twice for one.
using write_page_function = function_ref<char*(std::size_t i, char* out, const char* place)>;

// Writes all pages of the table; see text/write.hpp for how, and for the errors. `jobs` may be
// null.
[[nodiscard]] result<written> write_pages(job_system* jobs, page_table& pages,
                                          std::span<char> buffer, layout how,
                                          write_page_function write_page);

}  // namespace overture::text

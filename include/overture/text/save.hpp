// SPDX-License-Identifier: Zlib
//
// Saves: files of objects as text, written completely or not at all, verified page by page.
//
//   text::save_writer out{3};                                     // the version of your data
//   auto added = out.add<text::script<"unit">>(jobs, "units", units);     // any number of sections
//   auto done = out.commit(system_os(), "saves/rome.save");
//
//   text::save_file save;
//   if (auto loaded = save.load(system_os(), "saves/rome.save", {.version = 3, .jobs = &jobs})) {
//     auto count = save.read<text::script<"unit">>(jobs, "units", units);
//   } else {
//     save.for_each_damage([](const text::save_damage& page) { ... });  // what is wrong, and where
//     auto rest = save.salvage<text::script<"unit">>(jobs, "units", units);  // the intact pages
//   }
//
// Writing: commit() writes a temporary file, syncs it and renames it (replace_file() in
// base/os.hpp). A full disk, an error or a loss of power at any moment leaves the old file or the
// new one, never half of one.
//
// Loading: load() verifies every byte before anything is parsed. A file with a damaged or missing
// page is refused; the error's offset is where that page lies, and for_each_damage() lists all of
// them. Intact sections can still be read, and salvage() reads the intact pages of the others. The
// checksums (XXH64) find accidents, not forgery, so pages are parsed as carefully as any untrusted
// text.
//
// Versions: unknown fields are skipped and omitted ones keep their defaults, so most changes to
// your types need nothing. Where a value changed its meaning, pass read() a hook; it is called for
// each object of an older file, on the thread that read it:
//
//   save.read<style>(jobs, "units", units, [](unit& each, std::uint32_t from) {
//     if (from < 3) each.speed *= 3.6f;                           // was in metres per second
//   });
//
// Where a type changed its shape, read the old section into a type that still has the old fields
// (`unit_1`) and convert. A file of a newer version than yours is refused as unsupported.
//
// Editing: the file is text, a table of lines that begin with '#' followed by the pages. People can
// read and edit scripts and rows; load() then refuses the file as damaged, but read() in
// text/read.hpp takes it. docs/formats/save.md has the grammar.
//
// Cost: add() writes each page once and hashes it while it is in the cache. commit() makes one
// write per page and two syncs. Until it is destroyed, the writer holds all text, in memory laid
// out for the longest possible text; what is never touched costs only address space with most
// allocators. save_file holds the whole file.
//
// Threads: use one writer or file from one thread at a time; different ones are independent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/base/filesystem_path.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/base/os.hpp"
#include "overture/base/replace_file.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/jobs/paged.hpp"
#include "overture/text/pages.hpp"
#include "overture/text/read.hpp"
#include "overture/text/write.hpp"

namespace overture::text {

// Section names are words (text/fields.hpp) of at most this many bytes that do not end in '.'.
inline constexpr std::size_t save_name_bytes_max = 32;

class OVERTURE_API save_writer {
 public:
  // `version` is that of your data. `pages_done`, if given, is incremented once for each page that
  // add() writes and once for each page that commit() stores, for a progress bar on another thread.
  explicit save_writer(std::uint32_t version, allocator& memory = default_allocator(),
                       atomic<std::uint64_t>* pages_done = nullptr) noexcept
      : memory_(&memory), pages_done_(pages_done), version_(version) {}
  save_writer(const save_writer&) = delete;
  save_writer& operator=(const save_writer&) = delete;
  ~save_writer();

  // Writes the objects to memory as a section, on the calling thread or on all threads of the job
  // system. The objects must not change during the call. After an error the section is not in the
  // save. Errors: invalid (the name is not a valid one, or already used), limit (an object that
  // cannot be written, see text/write.hpp; too many sections or pages), out_of_memory.
  template <class Style, class T, std::size_t PageSize>
  [[nodiscard]] result<void> add(std::string_view name, const paged<T, PageSize>& objects) {
    return add_objects<Style>(nullptr, name, objects);
  }
  template <class Style, class T, std::size_t PageSize>
  [[nodiscard]] result<void> add(job_system& jobs, std::string_view name,
                                 const paged<T, PageSize>& objects) {
    return add_objects<Style>(&jobs, name, objects);
  }

  // Writes the save to an open, empty file, for a file_replacement. Returns its size in bytes.
  // Errors: those of the system, out_of_memory.
  [[nodiscard]] result<std::uint64_t> write(operating_system& os, os_handle file);
  // Replaces the file at `path`. Returns its size in bytes. Errors: those of replace_file(),
  // out_of_memory.
  [[nodiscard]] result<std::uint64_t> commit(operating_system& os, const char* path,
                                             replacing how = replacing::allowed);
  template <filesystem_path Path>
  [[nodiscard]] result<std::uint64_t> commit(operating_system& os, const Path& path,
                                             replacing how = replacing::allowed) {
    return commit(os, overture::detail::utf8_path(path).c_str(), how);
  }

 private:
  struct section;

  template <class Style, class T, std::size_t PageSize>
  result<void> add_objects(job_system* jobs, std::string_view name,
                           const paged<T, PageSize>& objects) {
    const auto room_of = [&objects](std::size_t i) noexcept {
      return detail::room_of<Style>(objects, i);
    };
    const detail::object_writer<Style> write_object;
    const detail::page_writer<T, PageSize, const detail::object_writer<Style>> write_page{
        objects, write_object};
    return add_section(jobs, name, objects.page_count(), room_of, write_page);
  }
  using room_function = function_ref<page_room(std::size_t) noexcept>;
  result<void> add_section(job_system* jobs, std::string_view name, std::size_t pages,
                           room_function room_of, write_page_function write_page);
  result<void> check_name(std::string_view name) const noexcept;
  result<void> write_text(job_system* jobs, section& to, room_function room_of,
                          write_page_function write_page);
  char* put_table(char* out, std::uint64_t file_bytes) const noexcept;
  result<void> store(operating_system& os, os_handle file, std::string_view table,
                     std::string_view tail) const;
  void count_page() const noexcept {
    if (pages_done_) pages_done_->fetch_add(1, std::memory_order_relaxed);
  }
  void free_section(section* each) noexcept;

  allocator* memory_;
  atomic<std::uint64_t>* pages_done_;
  section* first_ = nullptr;
  section* last_ = nullptr;
  std::uint64_t sections_ = 0;
  std::uint64_t pages_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::uint32_t version_;
};

struct save_section {
  std::string_view name;  // empty if its table entry is damaged
  std::uint64_t pages = 0;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;  // of text
};

// One thing in the file that is not as it was written.
struct save_damage {
  static constexpr std::uint64_t no_page = ~std::uint64_t{0};

  std::string_view section;      // empty if unknown
  std::uint64_t page = no_page;  // index within the section; no_page: a line of the table
  std::uint64_t bytes = 0;       // size of the page, 0 if unknown
  error problem;                 // corrupt or truncated, with the offset in the file
};

// What salvage() has read and what it had to leave out.
struct salvaged {
  std::uint64_t objects = 0;
  std::uint64_t pages = 0;
  std::uint64_t pages_lost = 0;
};

struct save_options {
  std::uint32_t version = 0;   // of your data: files of newer versions are refused
  job_system* jobs = nullptr;  // if given, pages are verified on all its threads
  // If given, incremented once for each page verified and once for each page read.
  atomic<std::uint64_t>* pages_done = nullptr;
};

struct no_upgrade {
  template <class T>
  void operator()(T& /*object*/, std::uint32_t /*from*/) const noexcept {}
};

class OVERTURE_API save_file {
 public:
  explicit save_file(allocator& memory = default_allocator()) noexcept : memory_(&memory) {}
  save_file(const save_file&) = delete;
  save_file& operator=(const save_file&) = delete;
  ~save_file() { forget(); }

  // Reads the file into memory and verifies it. Errors: corrupt and truncated, after which the
  // intact part can still be read; unsupported (newer data or a newer save format); limit
  // (limits::save_bytes_max, save_sections_max, save_pages_max); out_of_memory; those of the
  // operating system.
  [[nodiscard]] result<void> load(operating_system& os, const char* path,
                                  const save_options& options);
  template <filesystem_path Path>
  [[nodiscard]] result<void> load(operating_system& os, const Path& path,
                                  const save_options& options) {
    return load(os, overture::detail::utf8_path(path).c_str(), options);
  }
  // The same for a file that is already in memory. `bytes` must outlive this object or the next
  // load().
  [[nodiscard]] result<void> load_bytes(std::string_view bytes, const save_options& options);

  [[nodiscard]] std::uint32_t version() const noexcept { return version_; }
  // The whole file, for position_of().
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::size_t section_count() const noexcept { return section_count_; }
  // Sections are in file order. Returns an empty one if `i` is out of range.
  [[nodiscard]] save_section section(std::size_t i) const noexcept;
  // Visits everything that load(), and since then salvage(), found damaged, in file order. Error:
  // threw (the visitor; it ends there).
  result<void> for_each_damage(function_ref<void(const save_damage&)> visit) const noexcept;

  // Appends the objects of a section to `objects`, all or nothing. Returns how many. If the file is
  // older than options.version, upgrade(object, file_version) is called for each object. Errors:
  // not_found (no such section), corrupt or truncated (one of its pages is damaged), those of
  // read() in text/read.hpp. Offsets are in the file.
  template <class Style, class T, std::size_t PageSize, class Upgrade = no_upgrade>
  [[nodiscard]] result<std::size_t> read(std::string_view name, paged<T, PageSize>& objects,
                                         Upgrade upgrade = {}) {
    return read_objects<Style>(nullptr, name, objects, upgrade);
  }
  template <class Style, class T, std::size_t PageSize, class Upgrade = no_upgrade>
  [[nodiscard]] result<std::size_t> read(job_system& jobs, std::string_view name,
                                         paged<T, PageSize>& objects, Upgrade upgrade = {}) {
    return read_objects<Style>(&jobs, name, objects, upgrade);
  }
  // Appends the objects of all intact pages of a section and leaves out the others. Errors:
  // not_found, limit (a page has more objects than PageSize), out_of_memory, corrupt (the table is
  // inconsistent).
  template <class Style, class T, std::size_t PageSize, class Upgrade = no_upgrade>
  [[nodiscard]] result<salvaged> salvage(std::string_view name, paged<T, PageSize>& objects,
                                         Upgrade upgrade = {}) {
    return salvage_objects<Style>(nullptr, name, objects, upgrade);
  }
  template <class Style, class T, std::size_t PageSize, class Upgrade = no_upgrade>
  [[nodiscard]] result<salvaged> salvage(job_system& jobs, std::string_view name,
                                         paged<T, PageSize>& objects, Upgrade upgrade = {}) {
    return salvage_objects<Style>(&jobs, name, objects, upgrade);
  }

 private:
  struct page;
  struct section_entry;
  enum class selection : std::uint8_t { all, undamaged };

  template <class Style, class T, std::size_t PageSize, class Upgrade>
  result<std::size_t> read_objects(job_system* jobs, std::string_view name,
                                   paged<T, PageSize>& objects, Upgrade& upgrade) {
    page_table pages(*memory_);
    if (auto selected = select_pages(name, selection::all, PageSize, pages); !selected) {
      return tl::unexpected(selected.error());
    }
    const auto after = [&](std::size_t /*i*/, std::size_t at, error& problem) {
      if (problem.reason[0] == '\0') upgrade_page(objects.page_at(at), upgrade);
      count_page();
    };
    return detail::read_paged<Style>(jobs, text_, &pages, objects, after);
  }
  template <class Style, class T, std::size_t PageSize, class Upgrade>
  result<salvaged> salvage_objects(job_system* jobs, std::string_view name,
                                   paged<T, PageSize>& objects, Upgrade& upgrade) {
    page_table pages(*memory_);
    const auto lost = select_pages(name, selection::undamaged, PageSize, pages);
    if (!lost) return tl::unexpected(lost.error());
    atomic<std::uint64_t> unreadable{0};
    const auto after = [&](std::size_t i, std::size_t at, error& problem) {
      count_page();
      if (problem.reason[0] == '\0') return upgrade_page(objects.page_at(at), upgrade);
      objects.clear_page(at);
      mark_unreadable(i, problem);
      unreadable.fetch_add(1, std::memory_order_relaxed);
      problem = {};
    };
    const auto count = detail::read_paged<Style>(jobs, text_, &pages, objects, after);
    if (!count) return tl::unexpected(count.error());
    const std::uint64_t more = unreadable.load(std::memory_order_relaxed);
    return salvaged{*count, pages.size() - more, *lost + more};
  }
  template <class Page, class Upgrade>
  void upgrade_page(Page& objects, Upgrade& upgrade) const {
    if (version_ >= wanted_version_) return;
    objects.for_each([&](auto& object) { upgrade(object, version_); });
  }

  void count_page() const noexcept {
    if (pages_done_) pages_done_->fetch_add(1, std::memory_order_relaxed);
  }
  result<void> check(const save_options& options);
  void visit_damage(function_ref<void(const save_damage&)> visit) const;
  void read_table() noexcept;
  void check_offsets(std::uint64_t table_end, std::uint64_t end) noexcept;
  void check_page_hashes(job_system* jobs);
  [[nodiscard]] error first_damage() const;
  // Fills the table with the pages of a section. Returns how many damaged ones it left out.
  result<std::uint64_t> select_pages(std::string_view name, selection which,
                                     std::size_t objects_max, page_table& pages);
  // Marks the i-th page that select_pages() selected.
  void mark_unreadable(std::size_t i, const error& problem) noexcept;
  void forget() noexcept;

  allocator* memory_;
  char* owned_ = nullptr;
  std::size_t owned_bytes_ = 0;
  std::string_view text_;
  section_entry* sections_ = nullptr;
  std::size_t section_count_ = 0;
  page* pages_ = nullptr;
  std::size_t page_count_ = 0;
  std::uint32_t* selected_ = nullptr;  // of page_count_
  error frame_problem_;                // damage of the first or last line, or of the table
  atomic<std::uint64_t>* pages_done_ = nullptr;
  std::uint32_t version_ = 0;
  std::uint32_t wanted_version_ = 0;
};

}  // namespace overture::text

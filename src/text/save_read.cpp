// SPDX-License-Identifier: Zlib
#include <cstring>
#include <new>

#include "base/guarded_call.hpp"
#include "base/limit_text.hpp"
#include "base/vec.hpp"
#include "overture/base/hash.hpp"
#include "overture/base/limits.hpp"
#include "overture/jobs/parallel.hpp"
#include "text/save_lines.hpp"

namespace overture::text {

struct save_file::page {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t objects = 0;
  std::uint64_t hash = 0;
  std::uint32_t section = 0;  // if the entry is damaged, that of the page before
  error problem;
};

struct save_file::section_entry {
  std::uint64_t pages = 0;
  std::size_t name_bytes = 0;  // 0: the entry is damaged
  char name[save_name_bytes_max] = {};

  [[nodiscard]] std::string_view name_view() const noexcept { return {name, name_bytes}; }
};

namespace {

bool is_error(const error& problem) noexcept {
  return problem.reason[0] != '\0';
}

result<void> check_version(const save_options& options) noexcept {
  if (!options.jobs || options.jobs->is_of_this_version()) return {};
  return fail(errc::unsupported, other_version);
}

template <class T>
bool make_all(allocator& memory, T*& all, std::size_t count) noexcept {
  if (count == 0) return true;
  void* const allocated = memory.allocate(sizeof(T) * count, alignof(T), memory_tag::host);
  all = static_cast<T*>(allocated);
  if (!allocated) return false;
  for (std::size_t i = 0; i < count; ++i) ::new (static_cast<void*>(all + i)) T{};
  return true;
}

template <class T>
void free_all(allocator& memory, T*& all, std::size_t count) noexcept {
  if (all) memory.deallocate(all, sizeof(T) * count, alignof(T), memory_tag::host);
  all = nullptr;
}

}  // namespace

void save_file::forget() noexcept {
  free_all(*memory_, sections_, section_count_);
  free_all(*memory_, pages_, page_count_);
  free_all(*memory_, selected_, page_count_);
  free_all(*memory_, owned_, owned_bytes_);
  section_count_ = page_count_ = owned_bytes_ = 0;
  text_ = {};
  frame_problem_ = {};
  version_ = 0;
}

result<void> save_file::load(operating_system& os, const char* path, const save_options& options) {
  forget();
  if (auto known = check_version(options); !known) return known;
  const result<os_handle> file = os.open(path);
  if (!file) return tl::unexpected(file.error());
  const auto read_into_memory = [&]() -> result<void> {
    const result<file_status> status = os.status(*file);
    if (!status) return tl::unexpected(status.error());
    if (status->kind != file_kind::file) return fail(errc::not_a_file, "not a regular file");
    if (status->size > limits::save_bytes_max) return fail(errc::limit, limit_text::save_bytes);
    if (status->size == 0) return {};
    owned_ = static_cast<char*>(memory_->allocate(status->size, 1, memory_tag::host));
    if (!owned_) return fail(errc::out_of_memory, "out of memory for the save");
    owned_bytes_ = status->size;
    return read_fully(os, *file, 0, std::as_writable_bytes(std::span(owned_, owned_bytes_)));
  };
  const result<void> read = read_into_memory();
  os.close(*file);
  if (!read) {
    forget();
    return read;
  }
  text_ = {owned_, owned_bytes_};
  return check(options);
}

result<void> save_file::load_bytes(std::string_view bytes, const save_options& options) {
  forget();
  if (auto known = check_version(options); !known) return known;
  text_ = bytes;
  return check(options);
}

result<void> save_file::check(const save_options& options) {
  using save_lines::bytes_of;
  using save_lines::head;
  constexpr std::uint64_t line = bytes_of<head>;
  const std::uint64_t size = text_.size();
  const auto refuse = [this](errc code, const char* reason, std::uint64_t offset) {
    frame_problem_ = {code, 0, reason, {}, offset};
    return tl::unexpected(frame_problem_);
  };
  if (size < line)
    return refuse(errc::truncated, "the save is truncated, or the file is not a save", size);
  const char* const begin = text_.data();
  const char* const end = begin + size;
  head top;
  head last;
  const bool top_ok = save_lines::get(begin, top);
  const bool last_ok = save_lines::get(end - line, last);
  if (!top_ok && !last_ok) {
    return refuse(errc::corrupt,
                  "the file is not a save, or both its first and last line are damaged", 0);
  }
  const head& found = top_ok ? top : last;
  if (found.format != save_lines::format)
    return fail(errc::unsupported, "the save's format is newer than this program");
  if (found.version > options.version)
    return fail(errc::unsupported, "the save was made by a newer version of the program");
  if (found.sections > limits::save_sections_max || found.pages > limits::save_pages_max) {
    return fail(errc::limit, limit_text::save_parts);
  }
  const std::uint64_t table_end = save_lines::table_bytes(found);
  if (found.bytes < table_end + line) {
    return refuse(errc::corrupt,
                  "the file size in the first line is too small for the table of pages", 0);
  }
  if (table_end > size)
    return refuse(errc::truncated, "the save is truncated: it ends inside its table of pages",
                  size);

  if (!top_ok) {
    frame_problem_ = {errc::corrupt, 0, "the first line is damaged", {}, 0};
  } else if (size < found.bytes) {
    frame_problem_ = {errc::truncated,
                      0,
                      "the save is truncated: it is shorter than its first line says",
                      {},
                      size};
  } else if (size > found.bytes) {
    frame_problem_ = {
        errc::corrupt, 0, "unexpected data after the end of the save", {}, found.bytes};
  } else if (!last_ok || std::memcmp(begin, end - line, line) != 0) {
    frame_problem_ = {errc::corrupt, 0, "the last line is damaged", {}, size - line};
  }
  version_ = static_cast<std::uint32_t>(found.version);
  wanted_version_ = options.version;
  pages_done_ = options.pages_done;
  // The file contains the whole table, so these allocations are in proportion to its size.
  section_count_ = found.sections;
  page_count_ = found.pages;
  if (!make_all(*memory_, sections_, section_count_) || !make_all(*memory_, pages_, page_count_) ||
      !make_all(*memory_, selected_, page_count_)) {
    forget();
    return fail(errc::out_of_memory, "out of memory for the save's table of pages");
  }
  read_table();
  check_offsets(table_end, found.bytes - line);
  check_page_hashes(options.jobs);
  const error problem = first_damage();
  if (is_error(problem)) return tl::unexpected(problem);
  return {};
}

void save_file::read_table() noexcept {
  const char* at = text_.data() + save_lines::bytes_of<save_lines::head>;
  const auto offset = [&] { return static_cast<std::uint64_t>(at - text_.data()); };
  const auto note = [this](const error& problem) {
    if (!is_error(frame_problem_)) frame_problem_ = problem;
  };
  for (std::size_t i = 0; i < section_count_; ++i) {
    save_lines::section line;
    if (save_lines::get(at, line) && line.number == i) {
      std::size_t name_bytes = sizeof line.name;
      while (name_bytes > 0 && line.name[name_bytes - 1] == '.') --name_bytes;
      sections_[i].pages = line.pages;
      sections_[i].name_bytes = name_bytes;
      std::memcpy(sections_[i].name, line.name, name_bytes);
    }
    if (sections_[i].name_bytes == 0) {
      note({errc::corrupt, 0, "a section is damaged in the table of pages", {}, offset()});
    }
    at += save_lines::bytes_of<save_lines::section>;
  }
  std::uint32_t section = 0;
  for (std::size_t i = 0; i < page_count_; ++i) {
    page& each = pages_[i];
    save_lines::page line;
    if (save_lines::get(at, line) && line.number == i && line.section >= section &&
        line.section < section_count_) {
      section = static_cast<std::uint32_t>(line.section);
      each = {line.offset, line.bytes, line.objects, line.hash, section, {}};
    } else {
      each.section = section;
      each.problem = {errc::corrupt, 0, "the page is damaged in the table of pages", {}, offset()};
    }
    at += save_lines::bytes_of<save_lines::page>;
  }
}

// Pages must follow one another from the end of the table to the last line.
void save_file::check_offsets(std::uint64_t table_end, std::uint64_t end) noexcept {
  std::uint64_t expected = table_end;
  bool is_known = true;
  bool any_wrong = false;
  for (std::size_t i = 0; i < page_count_; ++i) {
    page& each = pages_[i];
    if (!is_error(each.problem)) {
      if (each.offset < expected || (is_known && each.offset != expected) || each.offset > end ||
          each.bytes > end - each.offset) {
        each.problem = {errc::corrupt,
                        0,
                        "the page's offset contradicts those of its neighbours",
                        {},
                        expected};
      } else if (each.offset + each.bytes > text_.size()) {
        each.problem = {
            errc::truncated, 0, "the save is truncated: it ends inside this page", {}, each.offset};
      }
    }
    any_wrong = any_wrong || is_error(each.problem);
    is_known = each.problem.code == errc::truncated || !is_error(each.problem);
    if (is_known) expected = each.offset + each.bytes;
  }
  if (any_wrong || is_error(frame_problem_)) return;
  bool agrees = expected == end;
  for (std::size_t i = 0, at = 0; i < section_count_; ++i) {
    const std::size_t first = at;
    while (at < page_count_ && pages_[at].section == i) ++at;
    agrees = agrees && at - first == sections_[i].pages;
  }
  if (!agrees)
    frame_problem_ = {errc::corrupt, 0, "the table of pages contradicts itself", {}, expected};
}

void save_file::check_page_hashes(job_system* jobs) {
  const auto check_one = [this](std::size_t i) {
    count_page();
    page& each = pages_[i];
    if (is_error(each.problem)) return;
    if (hash64(text_.substr(each.offset, each.bytes)) == each.hash) return;
    each.problem = {errc::corrupt, 0, "the page does not match its checksum", {}, each.offset};
  };
  if (jobs) {
    parallel_for(*jobs, 0, page_count_, check_one);
  } else {
    for (std::size_t i = 0; i < page_count_; ++i) check_one(i);
  }
}

error save_file::first_damage() const {
  for (std::size_t i = 0; i < page_count_; ++i) {
    if (is_error(pages_[i].problem)) return pages_[i].problem;
  }
  return frame_problem_;
}

result<void> save_file::for_each_damage(
    function_ref<void(const save_damage&)> visit) const noexcept {
  const auto visit_all = [&] { visit_damage(visit); };
  if (!base_detail::guarded_call(visit_all)) return fail(errc::threw, base_detail::visitor_threw);
  return {};
}

void save_file::visit_damage(function_ref<void(const save_damage&)> visit) const {
  if (is_error(frame_problem_)) visit({{}, save_damage::no_page, 0, frame_problem_});
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < page_count_; ++i, ++number) {
    const page& each = pages_[i];
    if (i > 0 && pages_[i - 1].section != each.section) number = 0;
    if (!is_error(each.problem)) continue;
    const std::string_view name =
        each.section < section_count_ ? sections_[each.section].name_view() : std::string_view();
    visit({name, number, each.bytes, each.problem});
  }
}

save_section save_file::section(std::size_t i) const noexcept {
  if (i >= section_count_) return {};
  save_section found{.name = sections_[i].name_view()};
  for (std::size_t at = 0; at < page_count_; ++at) {
    if (pages_[at].section != i) continue;
    ++found.pages;
    found.objects += pages_[at].objects;
    found.bytes += pages_[at].bytes;
  }
  return found;
}

result<std::uint64_t> save_file::select_pages(std::string_view name, selection which,
                                              std::size_t objects_max, page_table& pages) {
  std::size_t section = 0;
  while (section < section_count_ && sections_[section].name_view() != name) ++section;
  if (name.empty() || section == section_count_) {
    return fail(errc::not_found, "no section with this name");
  }
  std::size_t count = 0;
  std::uint64_t left_out = 0;
  for (std::size_t i = 0; i < page_count_; ++i) {
    const page& each = pages_[i];
    if (each.section != section) continue;
    if (is_error(each.problem)) {
      if (which == selection::all) return tl::unexpected(each.problem);
      ++left_out;
    } else if (each.objects > objects_max) {
      return fail(errc::limit, "the saved pages hold more objects than this program's", {},
                  each.offset);
    } else {
      selected_[count++] = static_cast<std::uint32_t>(i);
    }
  }
  if (auto ready = pages.prepare(count, 1); !ready) return tl::unexpected(ready.error());
  for (std::size_t i = 0; i < count; ++i) {
    const page& each = pages_[selected_[i]];
    pages.set_entry(i, {each.offset, each.bytes, each.objects});
  }
  return left_out;
}

void save_file::mark_unreadable(std::size_t i, const error& problem) noexcept {
  page& each = pages_[selected_[i]];
  each.problem = problem;
  each.problem.offset += each.offset;
}

}  // namespace overture::text

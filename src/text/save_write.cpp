// SPDX-License-Identifier: Zlib
#include <cstring>
#include <limits>
#include <new>

#include "base/limit_text.hpp"
#include "base/vec.hpp"
#include "overture/base/hash.hpp"
#include "overture/base/limits.hpp"
#include "text/save_lines.hpp"

namespace overture::text {
using namespace base_detail;

struct save_writer::section {
  section(allocator& memory, std::string_view called) noexcept
      : table(memory), text(memory, memory_tag::host), hashes(memory, memory_tag::host) {
    std::memset(name, '.', sizeof name);
    std::memcpy(name, called.data(), called.size());
    name_bytes = called.size();
  }

  page_table table;
  vec<char> text;  // laid out in slots: only its capacity is used
  vec<std::uint64_t> hashes;
  section* next = nullptr;
  std::size_t name_bytes;
  char name[save_name_bytes_max];
};

save_writer::~save_writer() {
  while (first_) {
    section* const next = first_->next;
    free_section(first_);
    first_ = next;
  }
}

void save_writer::free_section(section* each) noexcept {
  destroy_object(*memory_, memory_tag::host, each);
}

result<void> save_writer::check_name(std::string_view name) const noexcept {
  if (name.size() > save_name_bytes_max || !detail::is_word(name) || name.back() == '.') {
    return fail(errc::invalid,
                "section name must be a word of at most 32 bytes, not ending in '.'");
  }
  for (const section* each = first_; each; each = each->next) {
    if (std::string_view(each->name, each->name_bytes) == name) {
      return fail(errc::invalid, "section name already used");
    }
  }
  return {};
}

result<void> save_writer::add_section(job_system* jobs, std::string_view name, std::size_t pages,
                                      room_function room_of, write_page_function write_page) {
  if (jobs && !jobs->is_of_this_version()) return fail(errc::unsupported, other_version);
  if (auto named = check_name(name); !named) return named;
  if (sections_ == limits::save_sections_max || pages > limits::save_pages_max - pages_) {
    return fail(errc::limit, limit_text::save_parts);
  }
  auto* const made = make_object<section>(*memory_, memory_tag::host, *memory_, name);
  if (!made) return fail(errc::out_of_memory, "out of memory for a section of the save");
  auto ready = made->table.prepare(pages, jobs ? jobs->concurrency() : 1);
  if (ready) ready = write_text(jobs, *made, room_of, write_page);
  if (!ready) {
    free_section(made);
    return ready;
  }
  (last_ ? last_->next : first_) = made;
  last_ = made;
  ++sections_;
  pages_ += pages;
  return {};
}

result<void> save_writer::write_text(job_system* jobs, section& to, room_function room_of,
                                     write_page_function write_page) {
  const std::size_t pages = to.table.size();
  if (auto sized = to.table.set_pages(jobs, room_of); !sized) return sized;
  std::size_t room = 0;
  for (std::size_t i = 0; i < pages; ++i) {
    const std::size_t left = std::numeric_limits<std::size_t>::max() / 2 - room;
    if (to.table[i].objects > UINT32_MAX || left < to.table.slot_bytes(i)) {
      return fail(errc::limit, "the section has more objects than fit into memory");
    }
    room += to.table.slot_bytes(i);
  }
  if (!to.text.reserve(room) || !to.hashes.resize(pages)) {
    return fail(errc::out_of_memory, "out of memory for the text of a section");
  }
  const auto write_and_hash = [&](std::size_t i, char* out, const char* destination) -> char* {
    char* const end = write_page(i, out, destination);
    if (end) to.hashes[i] = hash64({out, static_cast<std::size_t>(end - out)});
    count_page();
    return end;
  };
  const auto done =
      write_pages(jobs, to.table, {to.text.data(), room}, layout::slots, write_and_hash);
  if (!done) return tl::unexpected(done.error());
  text_bytes_ += done->bytes;
  return {};
}

// Writes the head and the lines of all sections and pages. Returns the end.
char* save_writer::put_table(char* out, std::uint64_t file_bytes) const noexcept {
  using namespace save_lines;
  const head top{.version = version_, .sections = sections_, .pages = pages_, .bytes = file_bytes};
  out = put(out, top);
  std::uint64_t number = 0;
  for (const section* each = first_; each; each = each->next) {
    save_lines::section line{.number = number++, .pages = each->table.size()};
    std::memcpy(line.name, each->name, sizeof line.name);
    out = put(out, line);
  }
  save_lines::page line{.offset = table_bytes(top)};
  for (const section* each = first_; each; each = each->next, ++line.section) {
    for (std::size_t i = 0; i < each->table.size(); ++i, ++line.number) {
      line.bytes = each->table[i].bytes;
      line.objects = each->table[i].objects;
      line.hash = each->hashes[i];
      out = put(out, line);
      line.offset += line.bytes;
    }
  }
  return out;
}

result<void> save_writer::store(operating_system& os, os_handle file, std::string_view table,
                                std::string_view tail) const {
  const auto put = [&os, file](std::uint64_t offset, std::string_view text) {
    return write_fully(os, file, offset, std::as_bytes(std::span(text.data(), text.size())));
  };
  if (auto done = put(0, table); !done) return done;
  std::uint64_t offset = table.size();
  for (const section* each = first_; each; each = each->next) {
    for (std::size_t i = 0; i < each->table.size(); ++i) {
      const page_entry page = each->table[i];
      if (auto done = put(offset, {each->text.data() + page.offset, page.bytes}); !done) {
        return done;
      }
      offset += page.bytes;
      count_page();
    }
  }
  return put(offset, tail);
}

result<std::uint64_t> save_writer::write(operating_system& os, os_handle file) {
  using namespace save_lines;
  const head top{.sections = sections_, .pages = pages_};
  const std::uint64_t file_bytes = table_bytes(top) + text_bytes_ + bytes_of<head>;
  vec<char> table(*memory_, memory_tag::host);
  if (!table.reserve(table_bytes(top))) {
    return fail(errc::out_of_memory, "out of memory for the save's table of pages");
  }
  char* const end = put_table(table.data(), file_bytes);
  const std::string_view lines(table.data(), static_cast<std::size_t>(end - table.data()));
  // The first line is repeated at the end, so that one of them survives damage to the other.
  const std::string_view tail = lines.substr(0, bytes_of<head>);
  const auto done = store(os, file, lines, tail);
  if (!done) return tl::unexpected(done.error());
  return file_bytes;
}

result<std::uint64_t> save_writer::commit(operating_system& os, const char* path, replacing how) {
  std::uint64_t bytes = 0;
  const auto done = replace_file(
      os, path,
      [&](os_handle file) {
        return write(os, file).map([&](std::uint64_t written) { bytes = written; });
      },
      how);
  if (!done) return tl::unexpected(done.error());
  return bytes;
}

}  // namespace overture::text

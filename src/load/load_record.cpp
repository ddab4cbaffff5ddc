// SPDX-License-Identifier: Zlib
#include "overture/load/load_record.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <tuple>

#include "base/limit_text.hpp"
#include "base/vec.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/replace_file.hpp"
#include "overture/load/load_scope.hpp"

namespace overture {
using namespace base_detail;

namespace {

constexpr std::string_view magic = "overture-load-record ";
constexpr std::string_view first_line = "overture-load-record 1\n";

tl::unexpected<error> no_memory_for_record() noexcept {
  return fail(errc::out_of_memory, "out of memory for the record of a load");
}

// Takes a number and the character after it from the front.
bool take_number(std::string_view& text, std::uint64_t& number) noexcept {
  const char* const begin = std::to_address(text.begin());
  const char* const end = std::to_address(text.end());
  const std::from_chars_result read = std::from_chars(begin, end, number);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != ' ') return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - begin) + 1);
  return true;
}

// Writes what an escaped path stands for to `room`. False if it is not one, or too long.
bool unescape(std::string_view text, path_buffer& room, std::string_view& path) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\') {
      if (++i == text.size()) return false;
      c = text[i] == 'n' ? '\n' : text[i] == 'r' ? '\r' : text[i] == '\\' ? '\\' : '\0';
    }
    if (count == room.size()) return false;
    room[count++] = c;
  }
  path = {room.data(), count};
  return !path.empty() && path_flaw(path) == nullptr;
}

bool append_number(vec<char>& to, std::uint64_t number) noexcept {
  char digits[24];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits - 1, number);
  *end.ptr = ' ';
  return to.append(digits, static_cast<std::size_t>(end.ptr - digits) + 1);
}

bool append_escaped(vec<char>& to, std::string_view path) noexcept {
  for (const char c : path) {
    const std::string_view shown = c == '\n'   ? "\\n"
                                   : c == '\r' ? "\\r"
                                   : c == '\\' ? "\\\\"
                                               : std::string_view(&c, 1);
    if (!to.append(shown.data(), shown.size())) return false;
  }
  return to.append("\n", 1);
}

struct loaded_part {
  std::uint64_t began_ns = 0;
  recorded_file file;
};

std::uint64_t cost_us_of(const loaded_file& file) noexcept {
  std::uint64_t ns = file.device_ns;
  for (const load_stage each : {load_stage::read, load_stage::unpack, load_stage::decode}) {
    ns += file.stage_ns[static_cast<std::size_t>(each)];
  }
  return ns / 1000;
}

}  // namespace

struct load_record::state {
  struct line {
    std::uint64_t cost_us = 0;
    std::uint64_t bytes = 0;
    std::uint32_t path = 0;  // in paths
    std::uint32_t path_bytes = 0;
  };

  explicit state(allocator& from) noexcept
      : memory(from), lines(from, memory_tag::load), paths(from, memory_tag::load) {}

  result<void> add(const recorded_file& file) noexcept {
    if (file.path.empty()) return fail(errc::bad_path, "an empty path");
    if (const char* const flaw = path_flaw(file.path)) return fail(errc::bad_path, flaw);
    if (lines.size() == limits::entries_max) return fail(errc::limit, limit_text::files);
    if (paths.size() + file.path.size() > limits::record_bytes_max) {
      return fail(errc::limit, limit_text::record);
    }
    const line added{file.cost_us, file.bytes, static_cast<std::uint32_t>(paths.size()),
                     static_cast<std::uint32_t>(file.path.size())};
    if (!paths.append(file.path.data(), file.path.size()) || !lines.push_back(added)) {
      return no_memory_for_record();
    }
    return {};
  }
  [[nodiscard]] std::string_view path_of(const line& of) const noexcept {
    return {paths.data() + of.path, of.path_bytes};
  }

  allocator& memory;
  vec<line> lines;
  vec<char> paths;
};

load_record::load_record(allocator* memory) noexcept {
  allocator& from = memory ? *memory : default_allocator();
  state_ = make_object<state>(from, memory_tag::load, from);
}

load_record::~load_record() {
  if (state_) destroy_object(state_->memory, memory_tag::load, state_);
}

result<void> load_record::add(const recorded_file& file) noexcept {
  return state_ ? state_->add(file) : no_memory_for_record();
}

result<void> load_record::add(const load_scope& scope) noexcept {
  if (!state_) return no_memory_for_record();
  vec<loaded_part> parts(state_->memory, memory_tag::load);
  bool fits = true;
  result<void> done = scope.for_each_file([&](const loaded_file& file) noexcept {
    if (file.failure || file.cancelled || file.skipped) return;
    fits = fits && parts.push_back({file.began_ns, {file.path, cost_us_of(file), file.bytes}});
  });
  if (!done) return done;
  if (!fits) return no_memory_for_record();
  std::sort(parts.begin(), parts.end(), [](const loaded_part& a, const loaded_part& b) {
    return std::tuple(a.began_ns, a.file.path) < std::tuple(b.began_ns, b.file.path);
  });
  for (const loaded_part& part : parts) {
    done = add(part.file);
    if (!done) return done;
  }
  return {};
}

std::size_t load_record::size() const noexcept {
  return state_ ? state_->lines.size() : 0;
}

recorded_file load_record::operator[](std::size_t index) const noexcept {
  const state::line& line = state_->lines[index];
  return {state_->path_of(line), line.cost_us, line.bytes};
}

result<load_record> load_record::parse(std::string_view text, allocator* memory) noexcept {
  load_record record(memory);
  if (!record.state_) return no_memory_for_record();
  if (!text.starts_with(first_line)) {
    return text.starts_with(magic)
               ? fail(errc::unsupported, "the record is of a later version of Overture")
               : fail(errc::unsupported, "not the record of a load");
  }
  path_buffer room;
  for (std::string_view rest = text.substr(first_line.size()); !rest.empty();) {
    const std::size_t at = text.size() - rest.size();
    const std::size_t length = rest.find('\n');
    if (length == std::string_view::npos) {
      return fail(errc::corrupt, "the record's last line is cut off", {}, at);
    }
    std::string_view line = rest.substr(0, length);
    recorded_file file;
    if (!take_number(line, file.cost_us) || !take_number(line, file.bytes) ||
        !unescape(line, room, file.path)) {
      return fail(errc::corrupt, "a line of the record is damaged", {}, at);
    }
    if (result<void> added = record.add(file); !added) return tl::unexpected(added.error());
    rest.remove_prefix(length + 1);
  }
  return record;
}

result<load_record> load_record::read(const char* path, operating_system& os,
                                      allocator* memory) noexcept {
  const result<os_handle> file = os.open(path);
  if (!file) return tl::unexpected(file.error());
  vec<char> text(memory ? *memory : default_allocator(), memory_tag::load);
  result<void> done = os.status(*file).and_then([&](const file_status& status) -> result<void> {
    if (status.kind != file_kind::file) return fail(errc::not_a_file, "not a regular file");
    if (status.size > limits::record_bytes_max) return fail(errc::limit, limit_text::record);
    if (!text.resize_for_overwrite(status.size)) return no_memory_for_record();
    return read_fully(os, *file, 0, std::as_writable_bytes(std::span(text.data(), text.size())));
  });
  os.close(*file);
  if (!done) return tl::unexpected(done.error());
  return parse({text.data(), text.size()}, memory);
}

result<void> load_record::write(const char* path, operating_system& os) const noexcept {
  return replace_file(os, path, [&](os_handle file) noexcept { return write(file, os); });
}

result<void> load_record::write(os_handle file, operating_system& os) const noexcept {
  if (!state_) return no_memory_for_record();
  vec<char> text(state_->memory, memory_tag::load);
  bool fits = text.append(first_line.data(), first_line.size());
  for (const state::line& line : state_->lines) {
    fits = fits && append_number(text, line.cost_us) && append_number(text, line.bytes) &&
           append_escaped(text, state_->path_of(line));
  }
  if (!fits) return no_memory_for_record();
  return write_fully(os, file, 0, std::as_bytes(text.span()));
}

}  // namespace overture

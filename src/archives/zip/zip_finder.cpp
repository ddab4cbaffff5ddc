// SPDX-License-Identifier: Zlib
#include "archives/zip/zip_finder.hpp"

#include <algorithm>
#include <optional>

#include "base/limit_text.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

tl::unexpected<error> no_memory_for_directory() {
  return fail(errc::out_of_memory, "out of memory for the archive's directory");
}

// Whether it is the archive that is wrong, so that another end record may be right.
bool is_of_content(const error& why) noexcept {
  return why.code == errc::corrupt || why.code == errc::unsupported || why.code == errc::limit;
}

// Counts the records. A broken one ends them.
std::span<const std::byte> measure(zip_directory& directory) noexcept {
  std::span<const std::byte> rest = directory.bytes;
  directory.records = 0;
  directory.name_bytes = 0;
  for (;;) {
    const zip_record_size size = measure_zip_record(rest);
    if (size.record == 0) return rest;
    rest = rest.subspan(size.record);
    directory.name_bytes += size.name;
    ++directory.records;
  }
}

}  // namespace

result<bool> zip_finder::run(zip_directory& directory) noexcept {
  result<bool> found = search(zip_tail_bytes, directory);
  if (!found || *found) return found;
  const result<front_kind> front = look_at_front();
  if (!front) return tl::unexpected(front.error());
  if (*front == front_kind::other) return false;
  if (input_.status.size > zip_tail_bytes) {
    found = search(zip_far_tail_bytes, directory);
    if (!found || *found) return found;
  }
  if (*front == front_kind::program) return false;
  return fail(errc::corrupt, "the archive has no end record and is probably truncated");
}

// False if there is no end record.
result<bool> zip_finder::search(std::size_t tail_bytes, zip_directory& directory) noexcept {
  const std::uint64_t file_bytes = input_.status.size;
  if (!tail_.resize_for_overwrite(std::min<std::uint64_t>(file_bytes, tail_bytes))) {
    return no_memory_for_directory();
  }
  result<void> done = read(file_bytes - tail_.size(), {tail_.data(), tail_.size()});
  if (!done) return tl::unexpected(done.error());
  zip_end_search ends(tail_.span(), file_bytes);
  std::optional<error> failed;  // the first failure, which is of the last end record
  bool empty = false;
  const auto reader = [this](std::uint64_t offset, std::span<std::byte> to) {
    return read(offset, to);
  };
  for (int i = 0; i < candidates_max && ends.find_next(); ++i) {
    const result<zip_end> end = ends.parse(reader);
    // A comment may contain zeros after a signature, so an archive without files comes last.
    if (end && end->directory_bytes == 0) {
      empty = true;
      continue;
    }
    done = end ? try_end(*end, directory) : tl::unexpected(end.error());
    if (done) return true;
    if (!is_of_content(done.error())) return tl::unexpected(done.error());
    if (!failed) failed = done.error();
  }
  directory = {};
  directory.offset = file_bytes;
  if (empty) return true;
  if (failed) return tl::unexpected(*failed);
  return false;
}

result<zip_finder::front_kind> zip_finder::look_at_front() noexcept {
  std::byte front[4] = {};
  const std::size_t bytes = std::min<std::uint64_t>(input_.status.size, sizeof front);
  if (result<void> done = read(0, {front, bytes}); !done) return tl::unexpected(done.error());
  if (begins_like_zip(std::span(front, bytes))) return front_kind::zip;
  const std::string_view text(reinterpret_cast<const char*>(front), bytes);
  const bool is_program = text.starts_with("MZ") || text.starts_with(
                                                        "\x7F"
                                                        "ELF");
  return is_program ? front_kind::program : front_kind::other;
}

result<std::span<const std::byte>> zip_finder::bytes_at(std::uint64_t offset,
                                                        std::uint64_t count) noexcept {
  const std::uint64_t tail_offset = input_.status.size - tail_.size();
  if (offset >= tail_offset) return tail_.span().subspan(offset - tail_offset, count);
  if (!room_.resize_for_overwrite(count)) return no_memory_for_directory();
  return read(offset, {room_.data(), room_.size()}).map([this] { return room_.span(); });
}

result<bool> zip_finder::begins_with_record(std::uint64_t offset) noexcept {
  std::byte front[4];
  if (offset > input_.status.size - sizeof front) return false;
  const std::uint64_t tail_offset = input_.status.size - tail_.size();
  if (offset >= tail_offset)
    return begins_like_zip_record(tail_.span().subspan(offset - tail_offset));
  return read(offset, front).map([&] { return begins_like_zip_record(front); });
}

// Normally the directory ends where the end records begin; otherwise unknown data is in between.
result<void> zip_finder::try_end(const zip_end& end, zip_directory& directory) noexcept {
  if (end.directory_bytes > limits::archive_directory_bytes_max) {
    return fail(errc::limit, limit_text::archive_directory);
  }
  const std::uint64_t latest = end.offset - end.directory_bytes;
  const std::uint64_t stated = end.directory_offset;
  for (const std::uint64_t offset : {latest, stated}) {
    if (offset < stated || offset > latest) continue;
    const result<bool> begins = begins_with_record(offset);
    if (!begins) return tl::unexpected(begins.error());
    if (!*begins) continue;
    const result<std::span<const std::byte>> bytes = bytes_at(offset, end.directory_bytes);
    if (!bytes) return tl::unexpected(bytes.error());
    directory = {offset - stated, offset, *bytes};
    const std::span<const std::byte> rest = measure(directory);
    const std::uint64_t counted =
        end.entries_in_16_bits ? directory.records & UINT16_MAX : directory.records;
    // The count may be wrong where the size is right.
    const bool fits = rest.empty() && offset == stated && offset == latest;
    if (counted != end.entries && !fits) {
      return fail(errc::corrupt,
                  "the archive's directory does not list as many files as the end record says", {},
                  offset + directory.bytes.size() - rest.size());
    }
    if (directory.records > limits::entries_max) return fail(errc::limit, limit_text::files);
    directory.bytes = directory.bytes.first(directory.bytes.size() - rest.size());
    directory.may_have_wrapped =
        directory.base > 0 && directory.base % zip_wrap == 0 && end.entries_in_16_bits;
    return {};
  }
  return fail(errc::corrupt, "the archive's directory is not where the end record says", {},
              stated);
}

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
//
// For formats that are a table of names and offsets: files are stored uncompressed and without
// checksums.
//
//   plain_table table(input, into);
//   result<void> done = table.each({offset, count, 64}, [&](const std::byte* record) {
//     return table.add(text_of(record, 56), load_u32(record + 56), load_u32(record + 60));
//   });
//   return table.finish(done);
//
// The table is read through a window, so memory is used only for entries that exist, whatever the
// archive claims. Files may share bytes: tools for these formats save space that way, and without
// compression it is harmless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "archives/archive_builder.hpp"
#include "archives/tree/archive_links.hpp"
#include "base/little_endian.hpp"

namespace overture::archives_detail {

// Adjacent records of one size.
struct record_table {
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
  std::size_t record_bytes = 0;

  [[nodiscard]] std::uint64_t end() const noexcept { return offset + count * record_bytes; }
};

class plain_table {
 public:
  plain_table(const archive_input& input, archive& into) noexcept;

  [[nodiscard]] std::uint64_t file_bytes() const noexcept { return input_.status.size; }
  // Whether all of the table is inside the archive.
  [[nodiscard]] bool has(const record_table& records) const noexcept {
    return base_detail::fits(records.offset, records.count, records.record_bytes, file_bytes());
  }
  // Bytes of the file, valid until the next read() or each(). Error: corrupt if the file ends
  // first.
  [[nodiscard]] result<const std::byte*> read(std::uint64_t offset, std::size_t bytes) noexcept {
    return window(offset, bytes, chain_window_bytes);
  }
  // The same, into a buffer of the caller's.
  [[nodiscard]] result<void> read_into(base_detail::vec<char>& text, std::uint64_t offset,
                                       std::uint64_t bytes) noexcept;

  // Calls `act` for each record. It must not call read().
  [[nodiscard]] result<void> each(const record_table& records,
                                  function_ref<result<void>(const std::byte* record)> act) noexcept;

  // Adds a file. One outside the archive is in the tree and fails when it is opened.
  [[nodiscard]] result<void> add(std::string_view name, std::uint64_t offset, std::uint64_t bytes,
                                 const entry_origin& origin = {}) noexcept;
  // The same for formats that know more about an entry.
  [[nodiscard]] result<void> add_entry(std::string_view name, const archive_entry& entry) noexcept {
    return builder_.add(name, entry).map([](bool) {});
  }
  [[nodiscard]] result<void> skip(std::string_view name, const char* reason) noexcept {
    return builder_.skip(name, reason);
  }
  // Lists damage that hides files: they are missing from the tree. `name` may be empty.
  [[nodiscard]] result<void> lose(std::string_view name, const char* reason) noexcept {
    return builder_.lose(name, error{.code = errc::corrupt, .reason = reason});
  }

  // How many files were added.
  [[nodiscard]] std::uint32_t entry_count() const noexcept {
    return static_cast<std::uint32_t>(into_.entries.size());
  }

  // Completes the archive and gives the result of the format's `list`. Of files with the same name
  // the last one stays. The others are listed as skipped, but for those in `named_twice` (ascending
  // numbers), which have another path.
  [[nodiscard]] result<bool> finish(const result<void>& done,
                                    std::span<const std::uint32_t> named_twice = {}) noexcept;
  // The same, and follows the entries in `links` (ascending numbers).
  [[nodiscard]] result<bool> finish_links(const result<void>& done,
                                          std::span<const std::uint32_t> links,
                                          link_reader read) noexcept;

 private:
  static constexpr std::size_t chain_window_bytes = 4096;
  static constexpr std::size_t table_window_bytes = 1u << 20;

  [[nodiscard]] result<void> index_last(path_index& index,
                                        std::span<const std::uint32_t> named_twice) noexcept;
  [[nodiscard]] result<bool> complete(const result<void>& indexed,
                                      const path_index& index) noexcept;
  [[nodiscard]] result<const std::byte*> window(std::uint64_t offset, std::size_t bytes,
                                                std::size_t wanted) noexcept;

  const archive_input& input_;
  archive& into_;
  archive_builder builder_;
  base_detail::vec<std::byte> window_;
  std::uint64_t window_offset_ = 0;
};

// The text in a field, which ends at a NUL or with the field.
[[nodiscard]] std::string_view text_of(const std::byte* field, std::size_t bytes) noexcept;

// The `open` of all these formats.
[[nodiscard]] result<opened_entry> open_plain(const archive& from, const archive_entry& entry,
                                              operating_system& os) noexcept;

[[nodiscard]] inline tl::unexpected<error> table_outside(std::uint64_t offset) noexcept {
  return fail(errc::corrupt,
              "the archive's directory is outside the archive, which is probably truncated", {},
              offset);
}

}  // namespace overture::archives_detail

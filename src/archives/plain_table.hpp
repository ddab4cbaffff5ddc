// What the archives have in common that are a table of names and places: nothing in them is packed,
// nothing has a checksum, and a file is read as it lies there.
//
//   plain_table table(input, into);
//   result<void> done = table.each({offset, count, 64}, [&](const std::byte* record) {
//     return table.add(text_of(record, 56), load_u32(record + 56), load_u32(record + 60));
//   });
//   return table.finish(done);
//
// The table is read through a window, so that mounting takes memory for what is listed and no more,
// whatever the archive says. Two files may share bytes: tools for these formats save room that way,
// and nothing is unpacked that could become large by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "archives/archive.hpp"
#include "base/little_endian.hpp"

namespace overture::vfs {

// Records of one size, side by side.
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
  // Whether the archive is long enough to have all of the table.
  [[nodiscard]] bool has(const record_table& records) const noexcept {
    return fits(records.offset, records.count, records.record_bytes, file_bytes());
  }
  // Bytes of the file, valid until the next read() or each(). Error: corrupt if the file ends
  // before.
  [[nodiscard]] result<const std::byte*> read(std::uint64_t offset, std::size_t bytes) noexcept {
    return window(offset, bytes, chain_window_bytes);
  }
  // The same, kept by the caller: a table of texts, say.
  [[nodiscard]] result<void> read_into(vec<char>& text, std::uint64_t offset,
                                       std::uint64_t bytes) noexcept;

  // Calls `act` for each record, which must not read().
  [[nodiscard]] result<void> each(const record_table& records,
                                  function_ref<result<void>(const std::byte* record)> act) noexcept;

  // A file of the archive. One that lies outside is in the tree and cannot be opened.
  [[nodiscard]] result<void> add(std::string_view name, std::uint64_t offset,
                                 std::uint64_t bytes) noexcept;
  // The same for formats that separate folders by backslashes.
  [[nodiscard]] result<void> add_dos(std::string_view name, std::uint64_t offset,
                                     std::uint64_t bytes) noexcept;
  // The same for formats that know more of an entry.
  [[nodiscard]] result<void> add_entry(std::string_view name, const archive_entry& entry) noexcept {
    return builder_.add(name, entry).map([](bool) {});
  }
  [[nodiscard]] result<void> skip(std::string_view name, const char* reason) noexcept {
    return builder_.skip(name, reason);
  }

  // What `list` of the format returns: of several files with one name the last is left.
  [[nodiscard]] result<bool> finish(const result<void>& done) noexcept;

 private:
  static constexpr std::size_t chain_window_bytes = 4096;
  static constexpr std::size_t table_window_bytes = 1u << 20;

  [[nodiscard]] result<const std::byte*> window(std::uint64_t offset, std::size_t bytes,
                                                std::size_t wanted) noexcept;

  const archive_input& input_;
  archive& into_;
  archive_builder builder_;
  vec<std::byte> window_;
  std::uint64_t window_offset_ = 0;
};

// The text in a field, which ends with the field or at a NUL.
[[nodiscard]] std::string_view text_of(const std::byte* field, std::size_t bytes) noexcept;

// `open` of every such format.
[[nodiscard]] result<opened_entry> open_plain(const archive& from, const archive_entry& entry,
                                              operating_system& os) noexcept;

[[nodiscard]] inline tl::unexpected<error> table_outside(std::uint64_t offset) noexcept {
  return fail(errc::corrupt, "the archive's table lies outside the archive", {}, offset);
}

}  // namespace overture::vfs

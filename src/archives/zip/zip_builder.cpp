// SPDX-License-Identifier: Zlib
//
// Sources of the layout: PKWARE's APPNOTE.TXT 6.3.10; for the padding, Android's zipalign and
// "apksig", which registered the field 0xD935.
#include "overture/archives/zip_builder.hpp"

#include <algorithm>
#include <cstring>

#include "archives/zip/zip_directory.hpp"
#include "archives/zip/zip_pieces.hpp"
#include "base/limit_text.hpp"
#include "base/utf8.hpp"
#include "base/vec.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/path.hpp"

namespace overture {
using namespace base_detail;
using namespace archives_detail;

namespace {

constexpr std::size_t buffer_bytes = 1u << 20;
constexpr std::uint64_t paged_bytes_min = 64u << 10;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t line_bytes = 64;
// Larger entries have Zip64 fields: packed, they may be somewhat larger still.
constexpr std::uint64_t zip64_bytes_min = 0xF0000000;
constexpr std::uint64_t unset = UINT32_MAX;  // the value is in the Zip64 field
constexpr std::uint16_t padding_field = 0xD935;
constexpr std::size_t padding_bytes_min = 6;
constexpr std::uint16_t zip64_field = 1;
constexpr std::uint32_t written_on_unix = 3u << 8 | 63;
constexpr std::uint32_t first_day = 1u << 5 | 1;  // 1980-01-01
constexpr std::uint32_t mode_plain = 0100644u << 16;
constexpr std::uint32_t mode_executable = 0100755u << 16;

std::uint32_t number_of(compression method) noexcept {
  return method == compression::none      ? zip_method_stored
         : method == compression::deflate ? zip_method_deflate
                                          : zip_method_zstd;
}

// The version of the specification that a reader needs.
unsigned version_needed(compression method, bool zip64) noexcept {
  return method == compression::zstd ? 63 : zip64 ? 45 : 20;
}

bool is_utf8_name(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t count = utf8_character_bytes(text);
    if (count == 0) return false;
    text.remove_prefix(count);
  }
  return true;
}

bool is_ascii(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Little-endian numbers at the end of a vector that has room for them.
class record_writer {
 public:
  explicit record_writer(vec<std::byte>& to) noexcept : to_(to) {}
  record_writer& u16(std::uint64_t value) noexcept { return number(value, 2); }
  record_writer& u32(std::uint64_t value) noexcept { return number(value, 4); }
  record_writer& u64(std::uint64_t value) noexcept { return number(value, 8); }
  record_writer& text(std::string_view value) noexcept {
    failed_ = failed_ || !to_.append(value.data(), value.size());
    return *this;
  }
  record_writer& zeros(std::size_t count) noexcept {
    while (count-- > 0) number(0, 1);
    return *this;
  }
  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  record_writer& number(std::uint64_t value, unsigned count) noexcept {
    std::byte bytes[8];
    for (unsigned i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
    failed_ = failed_ || !to_.append(bytes, count);
    return *this;
  }

  vec<std::byte>& to_;
  bool failed_ = false;
};

struct open_entry {
  bool is_open = false;
  bool zip64 = false;
  bool executable = false;
  bool utf8 = false;
  compression method = compression::none;
  std::size_t padding = 0;  // the whole field
  std::uint64_t header = 0;
  std::uint64_t data = 0;
  std::uint64_t bytes = 0;
  std::uint64_t piece_bytes = 0;
  std::uint64_t pieces = 0;
};

}  // namespace

struct OVERTURE_HIDDEN zip_builder::state {
  state(operating_system& system, os_handle to, allocator& from) noexcept
      : os(system),
        file(to),
        memory(from),
        buffer(from, memory_tag::vfs),
        directory(from, memory_tag::vfs),
        header(from, memory_tag::vfs),
        texts(from, memory_tag::vfs),
        hints(from, memory_tag::vfs) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return flushed + buffer.size(); }
  result<void> put(std::span<const std::byte> bytes) noexcept;
  result<void> flush() noexcept;
  // Overwrites what has been put.
  result<void> patch(std::uint64_t at, std::span<const std::byte> bytes) noexcept;
  [[nodiscard]] bool make_local_header(std::uint32_t crc32, std::uint64_t packed) noexcept;
  [[nodiscard]] bool add_record(std::uint32_t crc32, std::uint64_t packed) noexcept;
  [[nodiscard]] bool add_end() noexcept;
  [[nodiscard]] std::string_view name() const noexcept {
    return {reinterpret_cast<const char*>(texts.data()), name_bytes};
  }
  [[nodiscard]] std::string_view comment() const noexcept {
    return {reinterpret_cast<const char*>(texts.data()) + name_bytes, texts.size() - name_bytes};
  }

  operating_system& os;
  os_handle file;
  allocator& memory;
  std::uint64_t flushed = 0;
  vec<std::byte> buffer;  // what follows it in the file
  vec<std::byte> directory;
  vec<std::byte> header;  // of the open entry
  vec<std::byte> texts;   // its name and comment
  vec<std::byte> hints;   // the field of its pieces
  std::size_t name_bytes = 0;
  open_entry entry;
  std::uint64_t entries = 0;
  bool finished = false;
};

namespace {

tl::unexpected<error> no_memory_for_new_directory() noexcept {
  return fail(errc::out_of_memory, "out of memory for the archive's directory");
}
tl::unexpected<error> wrong_order() noexcept {
  return fail(errc::invalid, "the calls of the zip_builder are in the wrong order");
}

// The length of the padding field in front of data that would begin at `offset`.
std::size_t padding_at(std::uint64_t offset, std::uint64_t alignment) noexcept {
  const auto missing = static_cast<std::size_t>((alignment - offset % alignment) % alignment);
  if (missing == 0) return 0;
  return missing >= padding_bytes_min ? missing : missing + static_cast<std::size_t>(alignment);
}

}  // namespace

result<void> zip_builder::state::flush() noexcept {
  if (buffer.empty()) return {};
  result<void> done = write_fully(os, file, flushed, buffer.span());
  flushed += buffer.size();
  buffer.clear();
  return done;
}

result<void> zip_builder::state::put(std::span<const std::byte> bytes) noexcept {
  if (buffer.size() + bytes.size() > buffer_bytes) {
    if (result<void> done = flush(); !done) return done;
  }
  if (bytes.size() < buffer_bytes) {
    return buffer.append(bytes.data(), bytes.size()) ? result<void>()
                                                     : no_memory_for_new_directory();
  }
  result<void> done = write_fully(os, file, flushed, bytes);
  flushed += bytes.size();
  return done;
}

result<void> zip_builder::state::patch(std::uint64_t at,
                                       std::span<const std::byte> bytes) noexcept {
  const std::uint64_t in_file =
      at < flushed ? std::min<std::uint64_t>(flushed - at, bytes.size()) : 0;
  if (in_file < bytes.size()) {
    std::memcpy(buffer.data() + (at + in_file - flushed), bytes.data() + in_file,
                bytes.size() - in_file);
  }
  return in_file == 0 ? result<void>() : write_fully(os, file, at, bytes.first(in_file));
}

bool zip_builder::state::make_local_header(std::uint32_t crc32, std::uint64_t packed) noexcept {
  header.clear();
  const std::size_t extra = (entry.zip64 ? 20 : 0) + entry.padding;
  record_writer to(header);
  to.u32(zip_local_signature).u16(version_needed(entry.method, entry.zip64));
  to.u16(entry.utf8 ? zip_flag_utf8 : 0).u16(number_of(entry.method)).u16(0).u16(first_day);
  to.u32(crc32).u32(entry.zip64 ? unset : packed).u32(entry.zip64 ? unset : entry.bytes);
  to.u16(name_bytes).u16(extra).text(name());
  if (entry.zip64) to.u16(zip64_field).u16(16).u64(entry.bytes).u64(packed);
  if (entry.padding != 0) {
    const std::uint64_t alignment = entry.bytes >= paged_bytes_min ? page_bytes : line_bytes;
    to.u16(padding_field).u16(entry.padding - 4).u16(alignment);
    to.zeros(entry.padding - padding_bytes_min);
  }
  return !to.failed();
}

bool zip_builder::state::add_record(std::uint32_t crc32, std::uint64_t packed) noexcept {
  const bool far = entry.header >= unset;
  const std::size_t zip64_bytes = (entry.zip64 ? 16 : 0) + (far ? 8 : 0);
  const std::size_t extra = (zip64_bytes == 0 ? 0 : 4 + zip64_bytes) + hints.size();
  record_writer to(directory);
  to.u32(zip_record_signature).u16(written_on_unix);
  to.u16(version_needed(entry.method, zip64_bytes != 0));
  to.u16(entry.utf8 ? zip_flag_utf8 : 0).u16(number_of(entry.method)).u16(0).u16(first_day);
  to.u32(crc32).u32(entry.zip64 ? unset : packed).u32(entry.zip64 ? unset : entry.bytes);
  to.u16(name_bytes).u16(extra).u16(comment().size()).u16(0).u16(0);
  to.u32(entry.executable ? mode_executable : mode_plain).u32(far ? unset : entry.header);
  to.text(name());
  if (zip64_bytes != 0) to.u16(zip64_field).u16(zip64_bytes);
  if (entry.zip64) to.u64(entry.bytes).u64(packed);
  if (far) to.u64(entry.header);
  to.text({reinterpret_cast<const char*>(hints.data()), hints.size()});
  to.text(comment());
  return !to.failed();
}

bool zip_builder::state::add_end() noexcept {
  const std::uint64_t begin = size();
  const std::uint64_t bytes = directory.size();
  record_writer to(directory);
  if (entries >= UINT16_MAX || begin >= unset || bytes >= unset) {
    to.u32(zip_end64_signature).u64(44).u16(written_on_unix).u16(45).u32(0).u32(0);
    to.u64(entries).u64(entries).u64(bytes).u64(begin);
    to.u32(zip_locator_signature).u32(0).u64(begin + bytes).u32(1);
  }
  const std::uint64_t count = std::min<std::uint64_t>(entries, UINT16_MAX);
  to.u32(zip_end_signature).u16(0).u16(0).u16(count).u16(count);
  to.u32(std::min(bytes, unset)).u32(std::min(begin, unset)).u16(0);
  return !to.failed();
}

zip_builder::zip_builder(operating_system& os, os_handle file, allocator* memory) noexcept {
  allocator& from = memory ? *memory : default_allocator();
  state_ = make_object<state>(from, memory_tag::vfs, os, file, from);
}

zip_builder::~zip_builder() {
  if (state_) destroy_object(state_->memory, memory_tag::vfs, state_);
}

std::uint64_t zip_builder::size() const noexcept {
  return state_ ? state_->size() : 0;
}

result<void> zip_builder::begin(const zip_entry_info& entry) noexcept {
  if (!state_) return no_memory_for_new_directory();
  state& zip = *state_;
  if (zip.entry.is_open || zip.finished) return wrong_order();
  if (entry.name.empty()) return fail(errc::bad_path, "an entry needs a name");
  if (const char* const flaw = path_flaw(entry.name)) return fail(errc::bad_path, flaw);
  if (entry.comment.size() > UINT16_MAX || !is_utf8_name(entry.comment)) {
    return fail(errc::invalid, "the comment is longer than 64 KiB, or not UTF-8");
  }
  if (entry.method != compression::none && entry.method != compression::deflate &&
      entry.method != compression::zstd) {
    return fail(errc::unsupported, "ZIP does not have this compression method");
  }
  if (zip.entries == limits::entries_max) return fail(errc::limit, limit_text::files);
  zip.texts.clear();
  if (!zip.texts.append(entry.name.data(), entry.name.size()) ||
      !zip.texts.append(entry.comment.data(), entry.comment.size())) {
    return no_memory_for_new_directory();
  }
  zip.name_bytes = entry.name.size();
  open_entry opened;
  opened.is_open = true;
  opened.zip64 = entry.bytes >= zip64_bytes_min;
  opened.executable = entry.executable;
  opened.utf8 = !is_ascii(entry.name) || !is_ascii(entry.comment);
  opened.method = entry.method;
  opened.header = zip.size();
  opened.bytes = entry.bytes;
  opened.piece_bytes = entry.piece_bytes;
  const std::uint64_t unaligned =
      opened.header + zip_local_header_bytes + entry.name.size() + (opened.zip64 ? 20 : 0);
  if (entry.method == compression::none && entry.bytes != 0) {
    opened.padding =
        padding_at(unaligned, entry.bytes >= paged_bytes_min ? page_bytes : line_bytes);
  }
  opened.data = unaligned + opened.padding;
  zip.entry = opened;
  zip.hints.clear();
  if (!zip.make_local_header(0, 0)) return no_memory_for_new_directory();
  return zip.put(zip.header.span());
}

result<void> zip_builder::write(std::span<const std::byte> packed) noexcept {
  if (!state_) return no_memory_for_new_directory();
  state& zip = *state_;
  if (!zip.entry.is_open) return wrong_order();
  if (zip.entry.piece_bytes != 0 &&
      !add_zip_piece(zip.hints, zip.entry.piece_bytes, zip.entry.pieces++, packed.size())) {
    return no_memory_for_new_directory();
  }
  return zip.put(packed);
}

result<void> zip_builder::end(std::uint32_t crc32) noexcept {
  if (!state_) return no_memory_for_new_directory();
  state& zip = *state_;
  if (!zip.entry.is_open) return wrong_order();
  const std::uint64_t packed = zip.size() - zip.entry.data;
  if (zip.entry.method == compression::none && packed != zip.entry.bytes) {
    return fail(errc::invalid, "the entry does not have the stated size");
  }
  if (!zip.entry.zip64 && packed >= unset) {
    return fail(errc::limit, "packed, the entry is much larger than unpacked; store it");
  }
  end_zip_pieces(zip.hints, zip.entry.pieces, zip.entry.bytes);
  if (!zip.make_local_header(crc32, packed) || !zip.add_record(crc32, packed))
    return no_memory_for_new_directory();
  zip.entry.is_open = false;
  ++zip.entries;
  return zip.patch(zip.entry.header, zip.header.span());
}

result<void> zip_builder::finish() noexcept {
  if (!state_) return no_memory_for_new_directory();
  state& zip = *state_;
  if (zip.entry.is_open || zip.finished) return wrong_order();
  zip.finished = true;
  if (!zip.add_end()) return no_memory_for_new_directory();
  return zip.put(zip.directory.span()).and_then([&] { return zip.flush(); });
}

}  // namespace overture

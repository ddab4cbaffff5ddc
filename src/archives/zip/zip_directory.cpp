// SPDX-License-Identifier: Zlib
#include "archives/zip/zip_directory.hpp"

#include <algorithm>

#include "base/little_endian.hpp"
#include "overture/io/unpack.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

using raw_bytes = std::span<const std::byte>;

// The caller has checked the size.
std::uint16_t u16(raw_bytes from, std::size_t at) noexcept {
  return static_cast<std::uint16_t>(load_u16(from.data() + at));
}
std::uint32_t u32(raw_bytes from, std::size_t at) noexcept {
  return load_u32(from.data() + at);
}
std::uint64_t u64(raw_bytes from, std::size_t at) noexcept {
  return load_u64(from.data() + at);
}

constexpr std::size_t end64_bytes = 56;
constexpr std::size_t locator_bytes = 20;

bool is_end64(raw_bytes record) noexcept {
  return record.size() >= end64_bytes && u32(record, 0) == zip_end64_signature;
}

// A field with all bits set in the end record is in the Zip64 end record instead.
result<void> apply_end64(raw_bytes record, zip_end& end) noexcept {
  if (u32(record, 16) != 0 || u32(record, 20) != 0) {
    return fail(errc::unsupported, "multi-part archives are not supported; join the parts first");
  }
  if (end.entries == UINT16_MAX) {
    end.entries = u64(record, 32);
    end.entries_in_16_bits = false;
  }
  if (end.directory_bytes == UINT32_MAX) end.directory_bytes = u64(record, 40);
  if (end.directory_offset == UINT32_MAX) end.directory_offset = u64(record, 48);
  return {};
}

// `locator` is the offset in the Zip64 locator. It counts from the start of the archive, which a
// self-extractor may have moved. Without optional data the Zip64 end record is directly in front of
// the locator, so try that first.
result<void> read_end64(raw_bytes tail, std::uint64_t tail_offset, std::size_t locator_at,
                        zip_reader read, zip_end& end) noexcept {
  if (u32(tail, locator_at + 16) > 1) {
    return fail(errc::unsupported, "multi-part archives are not supported; join the parts first");
  }
  if (locator_at >= end64_bytes) {
    const raw_bytes before = tail.subspan(locator_at - end64_bytes, end64_bytes);
    if (is_end64(before)) {
      end.offset = tail_offset + locator_at - end64_bytes;
      return apply_end64(before, end);
    }
  }
  const std::uint64_t stated = u64(tail, locator_at + 8);
  const std::uint64_t locator_offset = tail_offset + locator_at;
  if (locator_offset < end64_bytes || stated > locator_offset - end64_bytes) {
    return fail(errc::corrupt, "the Zip64 end record is outside the archive", {}, stated);
  }
  std::byte elsewhere[end64_bytes];
  if (result<void> got = read(stated, elsewhere); !got) return got;
  if (!is_end64(elsewhere)) {
    return fail(errc::corrupt, "the Zip64 end record is missing", {}, stated);
  }
  end.offset = stated;
  return apply_end64(elsewhere, end);
}

// The field with this number in the extra data; empty if there is none.
raw_bytes find_field(raw_bytes extra, std::uint16_t number) noexcept {
  while (extra.size() >= 4) {
    const std::size_t length = u16(extra, 2);
    if (length > extra.size() - 4) return {};
    if (u16(extra, 0) == number) return extra.subspan(4, length);
    extra = extra.subspan(4 + length);
  }
  return {};
}

// The name in UTF-8. It is outdated if an archiver that does not know the field renamed the entry.
// Source: APPNOTE.TXT, 4.6.9, "Info-ZIP Unicode Path Extra Field".
std::string_view unicode_name_in(raw_bytes extra, std::string_view name) noexcept {
  constexpr std::size_t head_bytes = 5;
  const raw_bytes field = find_field(extra, 0x7075);
  if (field.size() <= head_bytes || field[0] != std::byte{1}) return {};
  if (u32(field, 1) != crc32(std::as_bytes(std::span(name)))) return {};
  const raw_bytes text = field.subspan(head_bytes);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

// When the file was modified, exactly if a field says it.
// Sources: APPNOTE.TXT, 4.4.6 and 4.5.5 (NTFS); Info-ZIP's proginfo/extrafld.txt (0x5455).
entry_origin origin_in(raw_bytes extra, std::uint16_t date, std::uint16_t time) noexcept {
  const raw_bytes unix_times = find_field(extra, 0x5455);
  if (unix_times.size() >= 5 && (std::to_integer<unsigned>(unix_times[0]) & 1) != 0) {
    return {.modified_s = u32(unix_times, 1)};
  }
  const raw_bytes ntfs = find_field(extra, 0x000A);
  constexpr std::size_t reserved = 4;
  const raw_bytes times =
      find_field(ntfs.size() < reserved ? raw_bytes() : ntfs.subspan(reserved), 1);
  if (times.size() >= 8) return {.modified_s = seconds_of_ntfs(u64(times, 0))};
  return {.modified_s = seconds_of_dos(date, time), .in_local_time = true};
}

// Takes values that did not fit the record from its Zip64 field. False if they are missing.
bool read_zip64_field(raw_bytes extra, zip_record& record, std::uint32_t& part) noexcept {
  const bool wanted[] = {record.bytes == UINT32_MAX, record.packed_bytes == UINT32_MAX,
                         record.header == UINT32_MAX};
  std::uint64_t* const values[] = {&record.bytes, &record.packed_bytes, &record.header};
  const bool wants_part = part == UINT16_MAX;
  if (!wanted[0] && !wanted[1] && !wanted[2] && !wants_part) return true;
  raw_bytes field = find_field(extra, 0x0001);
  for (int i = 0; i < 3; ++i) {
    if (!wanted[i]) continue;
    if (field.size() < 8) return false;
    *values[i] = u64(field, 0);
    field = field.subspan(8);
  }
  if (wants_part) {
    if (field.size() < 4) return false;
    part = u32(field, 0);
  }
  return true;
}

}  // namespace

bool zip_end_search::find_next() noexcept {
  if (tail_.size() < zip_end_bytes) return false;
  for (std::size_t at = std::min(at_, tail_.size() - zip_end_bytes + 1); at-- > 0;) {
    if (tail_[at] != std::byte{'P'} || u32(tail_, at) != zip_end_signature) continue;
    at_ = at;
    return true;
  }
  return false;
}

result<zip_end> zip_end_search::parse(zip_reader read) const noexcept {
  const raw_bytes tail = tail_;
  const std::size_t at = at_;
  const std::uint64_t tail_offset = file_bytes_ - tail.size();
  zip_end end;
  end.offset = tail_offset + at;
  end.entries = u16(tail, at + 10);
  end.directory_bytes = u32(tail, at + 12);
  end.directory_offset = u32(tail, at + 16);
  if (at >= locator_bytes && u32(tail, at - locator_bytes) == zip_locator_signature) {
    result<void> done = read_end64(tail, tail_offset, at - locator_bytes, read, end);
    if (!done) return tl::unexpected(done.error());
  } else if (u16(tail, at + 4) != 0 || u16(tail, at + 6) != 0) {
    return fail(errc::unsupported, "multi-part archives are not supported; join the parts first");
  }
  if (end.directory_bytes > end.offset) {
    return fail(errc::corrupt, "the archive's directory is larger than the archive", {},
                end.offset);
  }
  return end;
}

zip_record_size measure_zip_record(std::span<const std::byte> directory) noexcept {
  if (directory.size() < zip_record_bytes || u32(directory, 0) != zip_record_signature) return {};
  const std::size_t name = u16(directory, 28);
  const std::size_t size = zip_record_bytes + name + u16(directory, 30) + u16(directory, 32);
  return size > directory.size() ? zip_record_size{} : zip_record_size{size, name};
}

std::size_t read_zip_record(std::span<const std::byte> directory, zip_record& record) noexcept {
  const zip_record_size size = measure_zip_record(directory);
  if (size.record == 0) return 0;
  record.made_on = std::to_integer<std::uint8_t>(directory[5]);
  record.flags = u16(directory, 8);
  record.method = u16(directory, 10);
  record.time = u16(directory, 12);
  record.crc32 = u32(directory, 16);
  record.packed_bytes = u32(directory, 20);
  record.bytes = u32(directory, 24);
  record.extra_bytes = u16(directory, 30);
  record.attributes = u32(directory, 38);
  record.header = u32(directory, 42);
  const char* const texts = reinterpret_cast<const char*>(directory.data()) + zip_record_bytes;
  record.name = {texts, size.name};
  record.comment = {texts + size.name + record.extra_bytes, u16(directory, 32)};
  std::uint32_t part = u16(directory, 34);
  const raw_bytes extra = directory.subspan(zip_record_bytes + size.name, record.extra_bytes);
  record.sizes_missing = !read_zip64_field(extra, record, part);
  record.in_another_part = part != 0;
  const bool is_utf8 = (record.flags & zip_flag_utf8) != 0;
  record.origin = origin_in(extra, u16(directory, 14), record.time);
  record.unicode_name = is_utf8 ? std::string_view() : unicode_name_in(extra, record.name);
  return size.record;
}

bool read_zip_local_header(std::span<const std::byte> from, zip_local_header& header) noexcept {
  if (from.size() < zip_local_header_bytes || u32(from, 0) != zip_local_signature) return false;
  header.flags = u16(from, 6);
  header.method = u16(from, 8);
  header.crc32 = u32(from, 14);
  header.packed_bytes = u32(from, 18);
  header.header_bytes = zip_local_header_bytes + u16(from, 26) + u16(from, 28);
  return true;
}

bool begins_like_zip(std::span<const std::byte> file) noexcept {
  return file.size() >= 4 && u32(file, 0) == zip_local_signature;
}

bool begins_like_zip_record(std::span<const std::byte> directory) noexcept {
  return directory.size() >= 4 && u32(directory, 0) == zip_record_signature;
}

}  // namespace overture::archives_detail

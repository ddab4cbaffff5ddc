// SPDX-License-Identifier: Zlib
#include "archives/iso/rock_ridge.hpp"

#include "base/little_endian.hpp"
#include "overture/base/limits.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t field_header_bytes = 4;
constexpr int continuations_max = 16;  // of one record
constexpr std::size_t xa_bytes = 14;   // attributes of CD-ROM XA, in front of the fields

constexpr unsigned flag_goes_on = 1;
constexpr unsigned flag_here = 2;
constexpr unsigned flag_up = 4;
constexpr unsigned flag_root = 8;

// "SP", 7, 1, 0xBE, 0xEF, u8
bool is_begin(std::span<const std::byte> area) noexcept {
  return area.size() >= 7 && text_of(area.data(), 2) == "SP" && load_u8(area.data() + 4) == 0xBE &&
         load_u8(area.data() + 5) == 0xEF;
}

posix_kind kind_of(std::uint32_t mode) noexcept {
  switch (mode & 0170000) {
    case 0100000:
      return posix_kind::file;
    case 0040000:
      return posix_kind::folder;
    case 0120000:
      return posix_kind::link;
    case 0:
      return posix_kind::unknown;
    default:
      return posix_kind::other;
  }
}

}  // namespace

result<bool> rock_ridge::begin(plain_table& table, std::span<const std::byte> area) noexcept {
  if (!is_begin(area)) {
    if (area.size() < xa_bytes) return false;
    area = area.subspan(xa_bytes);
    if (!is_begin(area)) return false;
  }
  const std::size_t skipped = load_u8(area.data() + 6);
  const result<bool> done = read(table, area);
  if (!done || !*done) return done;
  skipped_bytes_ = skipped;
  return kind_ != posix_kind::unknown;  // each record has a mode
}

void rock_ridge::forget() noexcept {
  name_.clear();
  target_.clear();
  element_goes_on_ = false;
  kind_ = posix_kind::unknown;
  is_executable_ = false;
  is_relocated_ = false;
  child_ = 0;
  packing_ = {};
}

result<bool> rock_ridge::read(plain_table& table, std::span<const std::byte> area) noexcept {
  forget();
  if (area.size() < skipped_bytes_) return true;
  continuation next;
  result<void> done = read_fields(area.subspan(skipped_bytes_), next);
  for (int i = 0; done && next.bytes != 0; ++i) {
    const bool honest = i < continuations_max && next.bytes <= sector_bytes &&
                        fits(next.offset, 1, next.bytes, table.file_bytes());
    if (!honest) return false;
    // Otherwise a few could be read for ever.
    continued_bytes_ += next.bytes;
    if (continued_bytes_ > table.file_bytes()) {
      return fail(errc::corrupt, "the image's folder records overlap", {}, next.offset);
    }
    done = table.read_into(area_, next.offset, next.bytes);
    next = {};
    if (done) done = read_fields(std::as_bytes(std::span(area_.data(), area_.size())), next);
  }
  if (!done) return tl::unexpected(done.error());
  return true;
}

result<void> rock_ridge::read_fields(std::span<const std::byte> area, continuation& next) noexcept {
  while (area.size() >= field_header_bytes) {
    const std::size_t bytes = load_u8(area.data() + 2);
    const std::string_view field(reinterpret_cast<const char*>(area.data()), 2);
    if (bytes < field_header_bytes || bytes > area.size() || field == "ST") break;
    const std::span<const std::byte> data =
        area.subspan(field_header_bytes, bytes - field_header_bytes);
    if (!take(field, data, next)) {
      return fail(errc::out_of_memory, "out of memory for the image's folders");
    }
    area = area.subspan(bytes);
  }
  return {};
}

bool rock_ridge::take(std::string_view field, std::span<const std::byte> data,
                      continuation& next) noexcept {
  const std::byte* const at = data.data();
  if (field == "CE" && data.size() >= 24) {
    next = {std::uint64_t{load_u32(at)} * sector_bytes + load_u32(at + 8), load_u32(at + 16)};
  } else if (field == "PX" && data.size() >= 8) {
    kind_ = kind_of(load_u32(at));
    is_executable_ = (load_u32(at) & 0100) != 0;
  } else if (field == "CL" && data.size() >= 8) {
    child_ = load_u32(at);
  } else if (field == "RE") {
    is_relocated_ = true;
  } else if (field == "ZF" && data.size() >= 12) {
    packing_ = read_zisofs_field(at);
  } else if (field == "NM" && !data.empty()) {
    return take_name(data);
  } else if (field == "SL" && !data.empty()) {
    return take_target(data.subspan(1));
  }
  return true;
}

// What exceeds the longest path is no path, so the rest is not kept.
bool rock_ridge::append(vec<char>& text, std::string_view more) noexcept {
  if (text.size() > limits::link_target_bytes_max) return true;
  return text.append(more.data(), more.size());
}

bool rock_ridge::take_name(std::span<const std::byte> data) noexcept {
  const std::uint32_t flags = load_u8(data.data());
  if ((flags & (flag_here | flag_up)) != 0) return true;
  data = data.subspan(1);
  return append(name_, {reinterpret_cast<const char*>(data.data()), data.size()});
}

bool rock_ridge::take_target(std::span<const std::byte> data) noexcept {
  while (data.size() >= 2) {
    const std::uint32_t flags = load_u8(data.data());
    const std::size_t bytes = load_u8(data.data() + 1);
    if (bytes > data.size() - 2) return true;
    std::string_view element(reinterpret_cast<const char*>(data.data()) + 2, bytes);
    if ((flags & flag_here) != 0) element = ".";
    if ((flags & flag_up) != 0) element = "..";
    if ((flags & flag_root) != 0) element = "/";
    const bool needs_separator = !element_goes_on_ && !target_.empty() && target() != "/";
    if (needs_separator && !append(target_, "/")) return false;
    if (!append(target_, element)) return false;
    element_goes_on_ = (flags & flag_goes_on) != 0;
    data = data.subspan(2 + bytes);
  }
  return true;
}

}  // namespace overture::archives_detail

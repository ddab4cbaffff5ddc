// SPDX-License-Identifier: Zlib
#include "overture/loaders/plain_loaders.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "loaders/decode_as.hpp"
#include "overture/loaders/json_loader.hpp"

namespace overture::loaders {

namespace {

std::string_view view_of(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_utf16(std::string_view text) noexcept {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

// A line end is two bytes there, which other characters have too.
text::position position_in_utf16(std::string_view text, std::uint64_t offset) noexcept {
  const std::string_view line_end(text[0] == '\xFF' ? "\n\0" : "\0\n", 2);
  text::position found;
  std::size_t line_begin = 0;
  for (std::size_t at = 0; at + 2 <= offset && at + 2 <= text.size(); at += 2) {
    if (text.substr(at, 2) != line_end) continue;
    ++found.line;
    line_begin = at + 2;
  }
  found.column = static_cast<std::size_t>(offset) - line_begin + 1;
  return found;
}

}  // namespace

tl::unexpected<error> detail::report_flaw(text_flaw_sink* to, const asset_path& path,
                                          std::string_view text, const error& what) noexcept {
  if (to == nullptr || what.code == errc::out_of_memory) return tl::unexpected<error>(what);
  std::array<char, 256> room{};
  text_flaw flaw{.path = path, .what = what, .at = {}, .member = {}};
  if (is_utf16(text)) {
    flaw.at = position_in_utf16(text, what.offset);
  } else {
    flaw.at = text::position_of(text, what.offset);
    flaw.member = text::member_path(text, what.offset, room);
  }
  to->found(flaw);
  return tl::unexpected<error>(what);
}

result<file_bytes> bytes_loader::decode(std::span<const std::byte> bytes, load_context&) {
  result<decoded_asset> made = decoded_asset::make(asset_kind::binary, bytes.size(), memory_);
  if (!made) return tl::unexpected<error>(made.error());
  if (!bytes.empty()) std::memcpy(made->bytes().data(), bytes.data(), bytes.size());
  return file_bytes(*std::move(made));
}

std::uint64_t bytes_loader::memory_needed(const asset_path&,
                                          std::span<const std::byte> bytes) const noexcept {
  return sizeof(file_bytes) + bytes.size();
}

std::uint64_t bytes_loader::bytes_of(const file_bytes& value) const noexcept {
  return sizeof(file_bytes) + value.bytes().size();
}

result<text_file> text_loader::decode(std::span<const std::byte> bytes, load_context& context) {
  const decoder* const by = decoder_called("text");
  result<decoded_asset> made = by->decode(bytes, memory_);
  if (!made) return tl::unexpected<error>(made.error());
  if (made->kind() == asset_kind::text) return text_file(*std::move(made));
  const error what{.code = errc::corrupt,
                   .reason = is_utf16(view_of(bytes)) ? "the text is not valid UTF-16"
                                                      : "the text is not valid UTF-8",
                   .offset = made->warning_offset};
  return detail::report_flaw(flaws_, context.path(), view_of(bytes), what);
}

// UTF-16 may take half as much again as UTF-8.
std::uint64_t text_loader::memory_needed(const asset_path&,
                                         std::span<const std::byte> bytes) const noexcept {
  const bool grows = is_utf16(view_of(bytes.first(std::min<std::size_t>(bytes.size(), 2))));
  return sizeof(text_file) + bytes.size() + (grows ? bytes.size() / 2 : 0);
}

std::uint64_t text_loader::bytes_of(const text_file& value) const noexcept {
  return sizeof(text_file) + value.text().size();
}

}  // namespace overture::loaders

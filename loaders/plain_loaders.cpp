// SPDX-License-Identifier: Zlib
#include "overture/loaders/plain_loaders.hpp"

#include <algorithm>
#include <cstring>

#include "loaders/decode_as.hpp"

namespace overture::loaders {

namespace {

std::string_view view_of(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_utf16(std::string_view text) noexcept {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

}  // namespace

result<file_bytes> copy_bytes(std::span<const std::byte> bytes, allocator& memory) noexcept {
  result<decoded_asset> made = decoded_asset::make(asset_kind::binary, bytes.size(), memory);
  if (!made) return tl::unexpected<error>(made.error());
  if (!bytes.empty()) std::memcpy(made->bytes().data(), bytes.data(), bytes.size());
  return file_bytes(*std::move(made));
}

result<file_bytes> bytes_loader::decode(std::span<const std::byte> bytes, load_context&) {
  return copy_bytes(bytes, memory_);
}

std::uint64_t bytes_loader::memory_needed(const asset_path&,
                                          std::span<const std::byte> bytes) const noexcept {
  return sizeof(file_bytes) + bytes.size();
}

std::uint64_t bytes_loader::bytes_of(const file_bytes& value) const noexcept {
  return sizeof(file_bytes) + value.bytes().size();
}

result<text_file> decode_text(std::span<const std::byte> bytes, allocator& memory) noexcept {
  const decoder* const by = decoder_called("text");
  result<decoded_asset> made = by->decode(bytes, memory);
  if (!made) return tl::unexpected<error>(made.error());
  if (made->kind() == asset_kind::text) return text_file(*std::move(made));
  const char* const why =
      is_utf16(view_of(bytes)) ? "the text is not valid UTF-16" : "the text is not valid UTF-8";
  return fail(errc::corrupt, why, {}, made->warning_offset);
}

result<text_file> text_loader::decode(std::span<const std::byte> bytes, load_context&) {
  return decode_text(bytes, memory_);
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

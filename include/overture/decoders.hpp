// Decoders: from the bytes of a file to what a game works with.
//
//   for (const decoder* candidate : all_decoders())
//     if (candidate->accepts(path)) return candidate->decode(bytes, memory);
//
// A decoder is one file in src/decoders and one line in its table. A host adds its own by deriving
// from decoder and passing a list of its own to the loader. Files that no decoder accepts are
// checksummed only.
//
// Decoded data lives in memory of the allocator that was passed. What third-party libraries take
// for themselves while they work does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "overture/allocator.hpp"
#include "overture/error.hpp"

namespace overture {

enum class asset_kind : std::uint8_t { none, image, text };
[[nodiscard]] const char* to_string(asset_kind kind) noexcept;

// What a decoder made. Move-only; owns its memory.
class decoded_asset {
 public:
  decoded_asset() = default;
  decoded_asset(decoded_asset&& other) noexcept { swap(other); }
  decoded_asset& operator=(decoded_asset&& other) noexcept {
    decoded_asset taken(std::move(other));
    swap(taken);
    return *this;
  }
  decoded_asset(const decoded_asset&) = delete;
  decoded_asset& operator=(const decoded_asset&) = delete;
  ~decoded_asset() {
    if (data_) memory_->deallocate(data_, size_, alignment, memory_tag::decode);
  }

  // Memory for `bytes` bytes (may be 0). Error: out_of_memory.
  [[nodiscard]] static result<decoded_asset> make(asset_kind kind, std::size_t bytes,
                                                  allocator& memory) noexcept;

  [[nodiscard]] asset_kind kind() const noexcept { return kind_; }
  // Images: rows from top to bottom, four bytes (red, green, blue, alpha) a pixel, no padding.
  // Text: the UTF-8 text without a byte order mark.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {data_, size_}; }

  std::uint32_t width = 0;   // images: pixels
  std::uint32_t height = 0;  // images: pixels
  std::uint64_t lines = 0;   // text: line ends, and one for an unfinished last line

 private:
  static constexpr std::size_t alignment = 64;
  void swap(decoded_asset& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(width, other.width);
    std::swap(height, other.height);
    std::swap(lines, other.lines);
  }

  asset_kind kind_ = asset_kind::none;
  allocator* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

class decoder {
 public:
  virtual ~decoder() = default;
  // A literal: the name in reports.
  [[nodiscard]] virtual const char* name() const noexcept = 0;
  // Whether this decoder is the one for the file, by its path and first bytes. Any thread.
  [[nodiscard]] virtual bool accepts(std::string_view path,
                                     std::span<const std::byte> bytes) const noexcept = 0;
  // Decodes a whole file. Bytes come from outside and may be anything. Errors: corrupt,
  // unsupported, limit, out_of_memory. Any thread, several at once.
  [[nodiscard]] virtual result<decoded_asset> decode(std::span<const std::byte> bytes,
                                                     allocator& memory) const noexcept = 0;
};

// Overture's decoders: PNG images and UTF-8 text. Lives for the whole process. Any thread.
[[nodiscard]] std::span<const decoder* const> all_decoders() noexcept;

}  // namespace overture

// SPDX-License-Identifier: Zlib
//
// Loaders for files that are kept as they are: bytes_loader and text_loader.
//
//   loaders::bytes_loader blobs;
//   loaders::text_loader texts;
//   if (auto added = store.add(blobs); !added) return report(added.error());
//   if (auto added = store.add(texts); !added) return report(added.error());
//
//   asset<loaders::file_bytes> navigation = store.get<loaders::file_bytes>("maps/1.nav"_path);
//   asset<loaders::text_file> credits = store.get<loaders::text_file>("credits.txt"_path);
//
// Cost: one block of memory and one copy for each asset, because the store's own copy of a file
// lives only while it is decoded.
//
// Threads: a loader may be asked from any; a value is read by any number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "overture/assets/loader.hpp"
#include "overture/decoders/decoder.hpp"

namespace overture::loaders {

// The bytes of a file.
class file_bytes {
 public:
  file_bytes() = default;
  explicit file_bytes(decoded_asset content) noexcept : content_(std::move(content)) {}
  // Aligned to 64 bytes.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return content_.bytes(); }

 private:
  decoded_asset content_;
};

// Loads any file. Errors: out_of_memory.
class bytes_loader final : public loader<file_bytes> {
 public:
  // `memory` must outlive the store.
  explicit bytes_loader(allocator& memory = default_allocator()) noexcept : memory_(memory) {}

  result<file_bytes> decode(std::span<const std::byte> bytes, load_context& context) override;
  [[nodiscard]] std::uint64_t memory_needed(
      const asset_path& path, std::span<const std::byte> bytes) const noexcept override;
  [[nodiscard]] std::uint64_t bytes_of(const file_bytes& value) const noexcept override;
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }

 private:
  allocator& memory_;
};

// A text in UTF-8.
class text_file {
 public:
  text_file() = default;
  explicit text_file(decoded_asset content) noexcept : content_(std::move(content)) {}
  // Valid UTF-8 without a byte order mark. It may contain NULs, and does not end with one.
  [[nodiscard]] std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(content_.bytes().data()), content_.bytes().size()};
  }
  // Counts an unterminated last one.
  [[nodiscard]] std::uint64_t lines() const noexcept { return content_.lines; }

 private:
  decoded_asset content_;
};

// Loads text in UTF-8, or in UTF-16 with a byte order mark, which becomes UTF-8. Other encodings
// cannot be told apart: load the bytes, and convert them. Errors: corrupt, at the first byte that
// is no text, of which asset_store::explain() says the line and column; out_of_memory.
class text_loader final : public loader<text_file> {
 public:
  // `memory` must outlive the store.
  explicit text_loader(allocator& memory = default_allocator()) noexcept : memory_(memory) {}

  result<text_file> decode(std::span<const std::byte> bytes, load_context& context) override;
  [[nodiscard]] std::uint64_t memory_needed(
      const asset_path& path, std::span<const std::byte> bytes) const noexcept override;
  [[nodiscard]] std::uint64_t bytes_of(const text_file& value) const noexcept override;
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }

 private:
  allocator& memory_;
};

}  // namespace overture::loaders

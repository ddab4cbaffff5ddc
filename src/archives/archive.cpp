// SPDX-License-Identifier: Zlib
#include "archives/archive.hpp"

#include <cstring>

#include "base/ascii.hpp"
#include "base/limit_text.hpp"

namespace overture::archives_detail {
using namespace base_detail;

error error_of(entry_flaw flaw) noexcept {
  const auto make = [](errc code, const char* reason) { return error{code, 0, reason, {}, 0}; };
  switch (flaw) {
    case entry_flaw::none:
      break;
    case entry_flaw::outside:
      return make(errc::corrupt,
                  "the file's data is outside the archive, which is probably truncated");
    case entry_flaw::overlap:
      return make(errc::corrupt, "the file's data overlaps another file's");
    case entry_flaw::stored_size:
      return make(errc::corrupt, "the file is stored, but its packed and unpacked sizes differ");
    case entry_flaw::ratio:
      return make(errc::corrupt, "the file claims more bytes than its compressed data can hold");
    case entry_flaw::sizes:
      return make(errc::corrupt, "the file's sizes are missing");
    case entry_flaw::too_large:
      return make(errc::limit, limit_text::file_in_archive);
    case entry_flaw::block_too_large:
      return make(errc::limit, limit_text::solid_block);
    case entry_flaw::encrypted_too_large:
      return make(errc::limit, limit_text::encrypted_file);
    case entry_flaw::bomb:
      return make(errc::limit, limit_text::bomb);
    case entry_flaw::encrypted:
      return make(errc::password, "the file is encrypted; mount it with a password");
    case entry_flaw::strongly_encrypted:
      return make(errc::unsupported,
                  "unsupported encryption; only traditional ZIP encryption is supported");
    case entry_flaw::method:
      return make(errc::unsupported, "unknown compression method; repack with DEFLATE or zstd");
    case entry_flaw::bzip2:
      return make(errc::unsupported,
                  "unsupported compression BZip2; repack with DEFLATE or zstd, or as 7z");
    case entry_flaw::deflate64:
      return make(errc::unsupported,
                  "unsupported compression Deflate64; repack with DEFLATE or zstd");
    case entry_flaw::lzma:
      return make(errc::unsupported,
                  "unsupported compression LZMA in a ZIP; repack with DEFLATE or zstd, or as 7z");
    case entry_flaw::ppmd:
      return make(errc::unsupported,
                  "unsupported compression PPMd; unpack it with 7-Zip and repack with DEFLATE");
    case entry_flaw::xz:
      return make(errc::unsupported, "unsupported compression xz; repack with DEFLATE or zstd");
    case entry_flaw::method_in_7z:
      return make(errc::unsupported, "unknown compression method or filter; repack with LZMA2");
    case entry_flaw::deflate64_in_7z:
      return make(errc::unsupported, "unsupported compression Deflate64; repack with LZMA2");
    case entry_flaw::ppmd_in_7z:
      return make(errc::unsupported,
                  "unsupported compression PPMd; unpack it with 7-Zip and repack with LZMA2");
    case entry_flaw::brotli_in_7z:
      return make(errc::unsupported, "unsupported compression Brotli; repack with LZMA2 or zstd");
    case entry_flaw::lz4_in_7z:
      return make(errc::unsupported, "unsupported compression LZ4; repack with LZMA2 or zstd");
    case entry_flaw::encryption_of_7z:
      return make(errc::unsupported,
                  "encrypted, which this build cannot read; build it with libcrypto");
    case entry_flaw::zisofs:
      return make(
          errc::unsupported,
          "unsupported version of zisofs, which xorriso reads; pack with version 1 or not at all");
    case entry_flaw::interleaved:
      return make(
          errc::unsupported,
          "interleaved or packed in several extents, which is not supported; make the image "
          "again without that");
    case entry_flaw::sparse:
      return make(errc::unsupported,
                  "sparse files are not supported; make the archive again without --sparse");
    case entry_flaw::removal:
      return make(errc::not_found, "a removal marker, not a file");
    case entry_flaw::in_parts:
      return make(errc::unsupported, "multi-part archives are not supported; join the parts first");
  }
  return make(errc::invalid, "the entry has no flaw");
}

bool archive_input::begins_with(std::string_view magic, std::size_t at) const noexcept {
  return front.size() >= at + magic.size() &&
         std::memcmp(front.data() + at, magic.data(), magic.size()) == 0;
}

bool archive_input::has_extension_of(std::string_view words) const noexcept {
  const std::string_view wanted = extension(path);
  if (wanted.empty()) return false;
  while (!words.empty()) {
    const std::size_t space = words.find(' ');
    if (equals_ignoring_case(words.substr(0, space), wanted)) return true;
    words.remove_prefix(space == std::string_view::npos ? words.size() : space + 1);
  }
  return false;
}

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
//
// For builds without libcrypto.
#include "archives/seven_zip/seven_zip_aes.hpp"

namespace overture::archives_detail {

bool has_aes() noexcept {
  return false;
}

result<aes_key> derive_key(const aes_parameters&, std::string_view, allocator&) noexcept {
  return fail(errc::unsupported, "this build cannot decrypt 7z archives");
}

aes_source::aes_source(byte_source& from, const aes_key&, const aes_parameters&,
                       std::uint64_t bytes, allocator& memory) noexcept
    : packed_(from, memory, 1), left_(bytes) {}
aes_source::~aes_source() = default;

result<void> aes_source::refill() noexcept {
  return fail(errc::unsupported, "this build cannot decrypt 7z archives");
}

result<void> aes_source::read(std::span<std::byte>, std::size_t& made) noexcept {
  made = 0;
  return refill();
}

}  // namespace overture::archives_detail

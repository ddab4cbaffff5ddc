#include "decoders/table.hpp"

namespace overture {

std::span<const decoder* const> all_decoders() noexcept {
  static const decoder* const table[] = {
      &png_decoder(),
      &text_decoder(),
  };
  return table;
}

const char* to_string(asset_kind kind) noexcept {
  switch (kind) {
    case asset_kind::none:
      return "none";
    case asset_kind::image:
      return "image";
    case asset_kind::text:
      return "text";
  }
  return "unknown";
}

result<decoded_asset> decoded_asset::make(asset_kind kind, std::size_t bytes,
                                          allocator& memory) noexcept {
  decoded_asset made;
  made.kind_ = kind;
  if (bytes == 0) return made;
  made.data_ = static_cast<std::byte*>(memory.allocate(bytes, alignment, memory_tag::decode));
  if (!made.data_) return fail(errc::out_of_memory, "no memory for the decoded file");
  made.memory_ = &memory;
  made.size_ = bytes;
  return made;
}

}  // namespace overture

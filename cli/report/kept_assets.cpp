// SPDX-License-Identifier: Zlib
#include "report/kept_assets.hpp"

#include <cstring>
#include <iterator>
#include <utility>

#include "terminal/units.hpp"

namespace overture::cli {

namespace {

memory_tag owner_of(memory_tag tag) {
  return tag == memory_tag::decode ? memory_tag::host : tag;
}

}  // namespace

void* kept_assets::host_memory::allocate(std::size_t bytes, std::size_t alignment,
                                         memory_tag tag) noexcept {
  return upstream_.allocate(bytes, alignment, owner_of(tag));
}

void kept_assets::host_memory::deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                                          memory_tag tag) noexcept {
  upstream_.deallocate(memory, bytes, alignment, owner_of(tag));
}

result<void> kept_assets::finalize(entry_index entry, decoded_asset& asset,
                                   std::span<const std::byte> bytes) {
  slot& own = slots_[entry];
  if (asset.kind() == asset_kind::none) {
    result<decoded_asset> copy = decoded_asset::make(asset_kind::none, bytes.size(), memory_);
    if (!copy) return fail(errc::out_of_memory, "out of memory for the kept file");
    if (!bytes.empty()) std::memcpy(copy->bytes().data(), bytes.data(), bytes.size());
    own.asset = std::move(*copy);
  } else {
    own.asset = std::move(asset);
  }
  own.kept = true;
  return {};
}

kept_total kept_assets::total() const {
  kept_total sum;
  for (const slot& each : slots_) {
    if (!each.kept) continue;
    const std::uint64_t bytes = each.asset.bytes().size();
    kept_kind& kind = sum.kinds[static_cast<std::size_t>(each.asset.kind())];
    ++kind.files;
    kind.bytes += bytes;
    ++sum.files;
    sum.bytes += bytes;
  }
  return sum;
}

void kept_assets::clear() {
  for (slot& each : slots_) each = {};
}

std::string kept_line(const kept_total& kept) {
  static constexpr struct {
    asset_kind kind;
    const char* singular;
    const char* plural;
  } names[] = {{asset_kind::image, "image", "images"},
               {asset_kind::texture, "texture", "textures"},
               {asset_kind::sound, "sound", "sounds"},
               {asset_kind::model, "model", "models"},
               {asset_kind::text, "text", "texts"},
               {asset_kind::binary, "unpacked file", "unpacked files"},
               {asset_kind::none, "undecoded file", "undecoded files"}};
  static_assert(std::size(names) == asset_kind_count);
  std::string text = "kept " + human_bytes(static_cast<double>(kept.bytes));
  const char* between = ": ";
  for (const auto& name : names) {
    const std::uint64_t files = kept.kinds[static_cast<std::size_t>(name.kind)].files;
    if (files == 0) continue;
    text += between + counted(files, name.singular, name.plural);
    between = ", ";
  }
  return text;
}

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
//
// Loaders for sounds and models.
//
//   loaders::sound_loader sounds;
//   loaders::model_loader models;
//   if (auto added = store.add(sounds); !added) return report(added.error());
//   if (auto added = store.add(models); !added) return report(added.error());
//
//   asset<loaders::sound> shot = store.get<loaders::sound>("sounds/shot.ogg"_path);
//   asset<loaders::model> tank = store.get<loaders::model>("models/tank.md3"_path);
//
// Sounds are decoded whole: for effects. A song of five minutes would take 100 MiB; it is streamed
// (overture/sounds/sound_stream.hpp). docs/guide/decoders.md lists the formats of both.
//
// Cost: that of their decoders (overture/decoders/decoder.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "overture/assets/loader.hpp"
#include "overture/base/path.hpp"
#include "overture/decoders/decoder.hpp"
#include "overture/decoders/model.hpp"

namespace overture::loaders {

// A sound that is decoded whole. Any number of threads may read it.
class sound {
 public:
  sound() = default;
  // Of kind asset_kind::sound.
  explicit sound(decoded_asset content) noexcept : content_(std::move(content)) {}

  // frames() * channels() of them, the channels interleaved.
  [[nodiscard]] std::span<const std::int16_t> samples() const noexcept {
    return {reinterpret_cast<const std::int16_t*>(content_.bytes().data()),
            content_.bytes().size() / sizeof(std::int16_t)};
  }
  [[nodiscard]] std::uint32_t sample_rate() const noexcept { return content_.sample_rate; }
  [[nodiscard]] std::uint32_t channels() const noexcept { return content_.channels; }
  [[nodiscard]] std::uint64_t frames() const noexcept { return content_.frames; }
  // What is wrong with the file although the sound is complete; a literal. Null if nothing is.
  [[nodiscard]] const char* warning() const noexcept { return content_.warning; }

 private:
  decoded_asset content_;
};

// A model. Any number of threads may read it.
class model {
 public:
  model() = default;
  // Of kind asset_kind::model.
  explicit model(decoded_asset content) noexcept : content_(std::move(content)) {}

  // Its surfaces, vertices and so on; valid as long as the model, which must not be an empty one.
  [[nodiscard]] model_view view() const noexcept { return model_view(content_); }
  // The same as one block.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return content_.bytes(); }
  [[nodiscard]] const char* warning() const noexcept { return content_.warning; }

 private:
  decoded_asset content_;
};

namespace detail {

// Errors: those of the decoder; unsupported if the file becomes no asset of this kind.
[[nodiscard]] result<decoded_asset> decode_kind(asset_kind kind, const asset_path& path,
                                                std::span<const std::byte> bytes,
                                                allocator& memory) noexcept;
// 0 if the header does not tell.
[[nodiscard]] std::uint64_t decoding_needs(const asset_path& path,
                                           std::span<const std::byte> bytes) noexcept;

}  // namespace detail

// Errors: corrupt, unsupported (no sound, or in a format that is not decoded), limit,
// out_of_memory.
class sound_loader : public loader<sound> {
 public:
  // `memory` must outlive the store.
  explicit sound_loader(allocator& memory = default_allocator()) noexcept : memory_(memory) {}

  result<sound> decode(std::span<const std::byte> bytes, load_context& context) override {
    auto made = detail::decode_kind(asset_kind::sound, context.path(), bytes, memory_);
    if (!made) return tl::unexpected<error>(made.error());
    return sound(*std::move(made));
  }
  [[nodiscard]] std::uint64_t memory_needed(
      const asset_path& path, std::span<const std::byte> bytes) const noexcept override {
    return detail::decoding_needs(path, bytes);
  }
  [[nodiscard]] std::uint64_t bytes_of(const sound& value) const noexcept override {
    return sizeof(sound) + value.samples().size_bytes();
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }

 private:
  allocator& memory_;
};

// Models in formats that are decoded. glTF is not: load it with a loader of your own, whose
// load_context::need() asks for its buffers and images. Errors: as above.
class model_loader : public loader<model> {
 public:
  // `memory` must outlive the store.
  explicit model_loader(allocator& memory = default_allocator()) noexcept : memory_(memory) {}

  result<model> decode(std::span<const std::byte> bytes, load_context& context) override {
    auto made = detail::decode_kind(asset_kind::model, context.path(), bytes, memory_);
    if (!made) return tl::unexpected<error>(made.error());
    return model(*std::move(made));
  }
  [[nodiscard]] std::uint64_t memory_needed(
      const asset_path& path, std::span<const std::byte> bytes) const noexcept override {
    return detail::decoding_needs(path, bytes);
  }
  [[nodiscard]] std::uint64_t bytes_of(const model& value) const noexcept override {
    return sizeof(model) + value.bytes().size();
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }

 private:
  allocator& memory_;
};

}  // namespace overture::loaders

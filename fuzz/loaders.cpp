// SPDX-License-Identifier: Zlib
//
// Passes any bytes to the loaders of textures, images and JSON: they refuse or load them, what they
// return has the size that its numbers state, they take what they said at most, and all memory is
// freed, even if one allocation was refused. Options, and which allocation, follow from the bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/hash.hpp"
#include "overture/loaders/image_loader.hpp"
#include "overture/loaders/json_loader.hpp"
#include "overture/loaders/texture_loader.hpp"
#include "support/failing_allocator.hpp"

// Reflection needs a type with external linkage.
namespace fuzzed {

struct object {
  std::string name;
  float value = 0;
  std::vector<object> parts;
  std::map<std::string, int> counts;
  std::optional<bool> flag;
};

}  // namespace fuzzed

namespace {

using namespace overture;
using namespace overture::literals;

void require(bool truth) {
  if (!truth) std::abort();
}

// Reads all of it, so that sanitizers find undefined or missing bytes.
void look_at(std::span<const std::byte> bytes) {
  std::size_t sum = 0;
  for (const std::byte value : bytes) sum += static_cast<std::size_t>(value);
  volatile std::size_t sink = sum;
  (void)sink;
}

void look_at(const loaders::texture& made) {
  require(made.format.block_bytes != 0 && made.levels != 0 && made.layers != 0);
  for (std::uint32_t level = 0; level < made.levels; ++level) {
    for (std::uint32_t face = 0; face < made.faces; ++face) {
      look_at(made.part(level, made.layers - 1, face));
    }
  }
  made.for_each_value([&](std::string_view key, std::span<const std::byte> value) {
    look_at(std::as_bytes(std::span(key)));
    look_at(value);
    require(made.value(key).data() != nullptr);
  });
}

// As a whole, and as the beginning of a larger file.
void load_texture(std::span<const std::byte> bytes, std::uint64_t choice) {
  failing_allocator memory(choice % 4 == 0 ? 0 : UINT64_MAX);
  const std::uint64_t said = loaders::texture_memory_needed("a.dds"_path, bytes);
  {
    const result<loaders::texture> made = loaders::decode_texture("a.dds"_path, bytes, memory);
    if (made) {
      require(said == 0 || said >= made->bytes().size());
      look_at(*made);
    }
    const std::size_t begin = bytes.size() - choice / 4 % (bytes.size() + 1);
    const result<loaders::texture> part = loaders::decode_texture(
        "a.ktx2"_path, bytes.first(begin), memory, bytes.size() + choice % 3);
    if (part) look_at(*part);
  }
  require(memory.live_bytes() == 0);
}

void load_image(std::span<const std::byte> bytes, std::uint64_t choice) {
  failing_allocator memory(choice % 5 == 0 ? choice / 5 % 4 : UINT64_MAX);
  loaders::image_options options{.memory = &memory};
  if ((choice & 0x100) != 0) options.order = pixel_order::bgra;
  options.premultiplied = (choice & 0x200) != 0;
  options.flipped = (choice & 0x400) != 0;
  options.mips = (choice & 0x800) != 0;
  options.srgb = (choice & 0x1000) != 0;
  {
    const result<loaders::image> made = loaders::decode_image("a.tga"_path, bytes, options);
    if (made) {
      for (std::uint32_t i = 0; i < made->layout().levels; ++i) {
        const loaders::image_level& level = made->layout().level[i];
        for (std::uint32_t y = 0; y < level.height; ++y) {
          look_at({made->row(i, y), std::size_t{level.width} * 4});
        }
      }
    }
  }
  require(memory.live_bytes() == 0);
}

void load_json(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  fuzzed::object into;
  const result<void> read = loaders::read_json(text, into);
  if (!read) require(read.error().offset <= text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const std::uint64_t choice = hash64({reinterpret_cast<const char*>(data), size});
  load_texture(bytes, choice);
  load_image(bytes, choice >> 8);
  load_json(bytes);
  return 0;
}

// SPDX-License-Identifier: Zlib
//
// What it costs to bring images to a mapped buffer, with a row pitch and in the order of Direct3D,
// beside decoding them alone; and how soon the first levels of textures are there.
#include <fmt/format.h>
#include <spng.h>

#include <cstdio>

#include <jpeglib.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <overture/decoders/decoder.hpp>
#include <overture/loaders/image_loader.hpp>

#include "harness.hpp"
#include "loaders_parts.hpp"
#include "options.hpp"

namespace bench {
namespace {

using namespace overture;
using namespace overture::literals;

constexpr std::uint32_t side = 2048;

// Smooth colours with some noise, as photographs have.
std::vector<unsigned char> photograph(unsigned channels) {
  std::vector<unsigned char> pixels;
  std::uint32_t random = 1;
  for (std::uint32_t i = 0; i < side * side * channels; ++i) {
    random = random * 1103515245 + 12345;
    const std::uint32_t channel = i % channels;
    const std::uint32_t pixel = i / channels;
    const std::uint32_t row = pixel / side;
    const double x = pixel % side;
    const double y = row;
    const double smooth = 128 + 60 * std::sin(x * 0.01 * (channel + 1)) + 50 * std::cos(y * 0.013);
    const double noise = (random >> 16) % 13;
    pixels.push_back(channel == 3 ? 255 : static_cast<unsigned char>(smooth + noise - 6));
  }
  return pixels;
}

using file = std::vector<std::byte>;

file taken(void* encoded, std::size_t size) {
  const auto* const first = static_cast<const std::byte*>(encoded);
  file made(first, first + size);
  std::free(encoded);  // NOLINT(cppcoreguidelines-no-malloc): the codecs give it away so
  return made;
}

file png(unsigned channels) {
  const std::vector<unsigned char> pixels = photograph(channels);
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context(spng_ctx_new(SPNG_CTX_ENCODER),
                                                               spng_ctx_free);
  spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{side, side, 8, SPNG_COLOR_TYPE_TRUECOLOR, 0, 0, 0};
  if (channels == 4) header.color_type = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
  spng_set_ihdr(context.get(), &header);
  int failed = spng_encode_image(context.get(), pixels.data(), pixels.size(), SPNG_FMT_PNG,
                                 SPNG_ENCODE_FINALIZE);
  if (failed != 0) throw std::runtime_error("no PNG");
  std::size_t size = 0;
  void* const encoded = spng_get_png_buffer(context.get(), &size, &failed);
  return taken(encoded, size);
}

file jpeg() {
  std::vector<unsigned char> pixels = photograph(3);
  jpeg_compress_struct codec{};
  jpeg_error_mgr errors{};
  codec.err = jpeg_std_error(&errors);
  jpeg_create_compress(&codec);
  unsigned char* encoded = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&codec, &encoded, &size);
  codec.image_width = codec.image_height = side;
  codec.input_components = 3;
  codec.in_color_space = JCS_RGB;
  jpeg_set_defaults(&codec);
  jpeg_set_quality(&codec, 90, TRUE);
  jpeg_start_compress(&codec, TRUE);
  while (codec.next_scanline < side) {
    JSAMPROW row = pixels.data() + std::size_t{codec.next_scanline} * side * 3;
    jpeg_write_scanlines(&codec, &row, 1);
  }
  jpeg_finish_compress(&codec);
  jpeg_destroy_compress(&codec);
  return taken(encoded, size);
}

class mapped_buffer final : public loaders::image_memory {
 public:
  result<std::span<std::byte>> take(const asset_path&,
                                    loaders::image_layout& layout) noexcept override {
    if (layout.bytes > bytes_.size()) return fail(errc::no_space, "the buffer is full");
    return std::span(bytes_).first(layout.bytes);
  }
  void give_back(std::span<std::byte>) noexcept override {}

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(std::size_t{side} * side * 6);
};

void decode(const file& image) {
  for (const decoder* each : all_decoders()) {
    if (!each->accepts("a", image)) continue;
    if (!each->decode(image, default_allocator())) throw std::runtime_error("not decoded");
    return;
  }
}

void load(const file& image, const loaders::image_options& options) {
  if (!loaders::decode_image("a"_path, image, options)) throw std::runtime_error("not loaded");
}

void measure(results& out, int rounds, const std::string& name, const file& image) {
  mapped_buffer buffer;
  const loaders::image_options mapped{
      .order = pixel_order::bgra, .row_alignment = 256, .place = &buffer};
  loaders::image_options mips = mapped;
  mips.mips = true;
  std::vector<variant> variants;
  variants.push_back({"alone", [&] { decode(image); }});
  variants.push_back({"mapped", [&] { load(image, mapped); }});
  variants.push_back({"with mips", [&] { load(image, mips); }});
  interleave(variants, rounds, name);
  out.metric(fmt::format("{}, decoded alone, ms", name),
             time_of(variants[0], clock::cpu).median * 1e3);
  out.goal(fmt::format("{}, into a mapped buffer / alone", name),
           ratio(variants[1], variants[0], clock::cpu), 1.05);
  out.metric(fmt::format("{}, with mips / alone", name),
             ratio(variants[2], variants[0], clock::cpu).median);
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  int rounds = 21;
  std::string json;
  bench::options line("Measures images that go to a mapped buffer, and textures in stages", rounds,
                      json);
  if (const std::optional<int> over = line.parse(count, words)) return *over;
  bench::results out("loaders");
  bench::measure(out, rounds, "PNG with alpha", bench::png(4));
  bench::measure(out, rounds, "PNG", bench::png(3));
  bench::measure(out, rounds, "JPEG", bench::jpeg());
  bench::measure_stages(out, rounds);
  return out.finish(json);
}

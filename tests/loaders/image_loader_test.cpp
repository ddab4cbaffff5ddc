// SPDX-License-Identifier: Zlib
#include "overture/loaders/image_loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "loaders/image_files.hpp"
#include "loaders/loader_rig.hpp"
#include "support/failing_allocator.hpp"

namespace overture::image_loader_test {
namespace {

using namespace test;
using namespace literals;
using loaders::decode_image;
using loaders::image;
using loaders::image_choice;
using loaders::image_layout;
using loaders::image_loader;
using loaders::image_options;
using testing::Each;
using testing::ElementsAre;

using values = std::vector<unsigned>;

// Two rows of three pixels.
const std::vector<unsigned char> small = {1, 2,  3,  255, 4,  5,  6,  255, 7,  8,  9,  255,
                                          9, 10, 11, 128, 12, 13, 14, 0,   15, 16, 17, 255};

values as_values(const std::vector<unsigned char>& pixels) {
  return {pixels.begin(), pixels.end()};
}
values swapped(values pixels) {
  for (std::size_t i = 0; i < pixels.size(); i += 4) std::swap(pixels[i], pixels[i + 2]);
  return pixels;
}
values flipped(const values& pixels, std::size_t width) {
  values turned;
  for (std::size_t y = pixels.size() / width / 4; y > 0; --y) {
    const auto row = pixels.begin() + static_cast<std::ptrdiff_t>((y - 1) * width * 4);
    turned.insert(turned.end(), row, row + static_cast<std::ptrdiff_t>(width * 4));
  }
  return turned;
}

image decoded(const bytes& file, const image_options& options = {}) {
  result<image> made = decode_image("a.tga"_path, file, options);
  if (!made) {
    ADD_FAILURE() << made.error().reason;
    return {};
  }
  return *std::move(made);
}
std::string failure(const bytes& file, const image_options& options = {}) {
  const result<image> made = decode_image("a.tga"_path, file, options);
  return made ? "decoded" : std::string(to_string(made.error().code)) + ": " + made.error().reason;
}

TEST(image_loader, makes_rgba_of_any_image) {
  image_loader images;
  loader_rig rig;
  rig.file("x.png", make_png(3, 2, small));
  rig.file("x.tga", make_tga(3, 2, small));
  for (const char* path : {"x.png", "x.tga"}) {
    const asset<image> made = rig.load(images, path);
    ASSERT_EQ(outcome(made), "ready");
    EXPECT_EQ(made->width(), 3u);
    EXPECT_EQ(made->height(), 2u);
    EXPECT_EQ(made->layout().levels, 1u);
    EXPECT_EQ(pixels_of(*made), as_values(small)) << path;
    EXPECT_EQ(made->bytes().size(), 24u);
  }
}

TEST(image_loader, makes_one_image_as_its_settings_say) {
  image_loader images({.mips = true});
  loader_rig rig;
  rig.file("x.png", make_png(3, 2, small));
  const asset<image> as_all = rig.load(images, "x.png");
  const asset<image> without = rig.store().get<image>(
      "x.png", asset_priority::normal,
      {.settings = {.flipped = image_choice::yes, .mips = image_choice::no}});
  ASSERT_TRUE(rig.store().wait_for(without, std::chrono::minutes(4)));
  ASSERT_EQ(outcome(without), "ready");
  EXPECT_EQ(as_all->layout().levels, 2u);
  EXPECT_EQ(without->layout().levels, 1u);
  EXPECT_TRUE(std::equal(without->row(0, 0), without->row(0, 1), as_all->row(0, 1)));
}

TEST(image_loader, has_settings_for_each_option_of_an_image) {
  const image_options all{.premultiplied = true, .flipped = true, .mips = true, .srgb = true};
  const image_options none{.srgb = false};
  constexpr auto no = image_choice::no;
  constexpr auto yes = image_choice::yes;
  const auto bits = [](const image_options& of) {
    return (of.premultiplied ? 8 : 0) | (of.flipped ? 4 : 0) | (of.mips ? 2 : 0) |
           (of.srgb ? 1 : 0);
  };
  EXPECT_EQ(bits(with_settings(all, {})), 15);
  EXPECT_EQ(bits(with_settings(none, {})), 0);
  EXPECT_EQ(bits(with_settings(all, {.premultiplied = no})), 7);
  EXPECT_EQ(bits(with_settings(all, {.flipped = no})), 11);
  EXPECT_EQ(bits(with_settings(all, {.mips = no})), 13);
  EXPECT_EQ(bits(with_settings(all, {.srgb = no})), 14);
  EXPECT_EQ(bits(with_settings(none, {yes, yes, yes, yes})), 15);
}

TEST(image_loader, refuses_what_is_no_image) {
  image_loader images;
  loader_rig rig;
  rig.file("a.txt", "text");
  rig.file("a.bin", std::string("\0\1\2", 3));
  const char* const no_image = "unsupported: not an image, or in a format that is not decoded";
  EXPECT_EQ(outcome(rig.load(images, "a.txt")), no_image);
  EXPECT_EQ(outcome(rig.load(images, "a.bin")), no_image);
  EXPECT_EQ(decode_image("a"_path, {}).error().code, errc::unsupported);
  byte_writer dds;
  dds.text("DDS ").u32(124).u32(0x1007).u32(1).u32(1).u32(0).u32(0).u32(0).text("", 44);
  dds.u32(32).u32(0x41).u32(0).u32(32).u32(0xFF).u32(0xFF00).u32(0xFF0000).u32(0xFF000000);
  dds.u32(0x1000).u32(0).u32(0).u32(0).u32(0).u32(1);
  const char* const texture =
      "unsupported: this is a texture, not an image: get it from a texture_loader";
  EXPECT_EQ(failure(dds.content), texture);
  EXPECT_EQ(failure(dds.content, {.flipped = true}), texture);
}

TEST(image_loader, changes_the_order_and_the_rows) {
  for (const bytes& file :
       {make_png(3, 2, small), make_tga(3, 2, small), make_png(3, 2, small, true)}) {
    const values pixels = as_values(small);
    EXPECT_EQ(pixels_of(decoded(file, {.order = pixel_order::bgra})), swapped(pixels));
    EXPECT_EQ(pixels_of(decoded(file, {.flipped = true})), flipped(pixels, 3));
    EXPECT_EQ(pixels_of(decoded(file, {.order = pixel_order::bgra, .flipped = true})),
              swapped(flipped(pixels, 3)));
  }
}

TEST(image_loader, swaps_rows_of_every_width) {
  for (std::uint32_t width = 1; width < 40; ++width) {
    const std::vector<unsigned char> pixels = noise(width * 4);
    EXPECT_EQ(pixels_of(decoded(make_png(width, 1, pixels), {.order = pixel_order::bgra})),
              swapped(as_values(pixels)));
  }
}

TEST(image_loader, multiplies_by_alpha) {
  const bytes file = make_png(2, 1, {100, 200, 255, 128, 9, 9, 9, 0});
  EXPECT_THAT(pixels_of(decoded(file, {.premultiplied = true, .srgb = false})),
              ElementsAre(50, 100, 128, 128, 0, 0, 0, 0));
  // Half the light of 255 is 188.
  EXPECT_THAT(pixels_of(decoded(file, {.premultiplied = true})),
              ElementsAre(72, 147, 188, 128, 0, 0, 0, 0));
  EXPECT_THAT(pixels_of(decoded(file, {.order = pixel_order::bgra, .premultiplied = true})),
              ElementsAre(188, 147, 72, 128, 0, 0, 0, 0));
}

TEST(image_loader, filters_levels_in_light) {
  // Black and white.
  const bytes file = make_png(2, 2,
                              {0, 0, 0, 255, 255, 255, 255, 255,  //
                               255, 255, 255, 255, 0, 0, 0, 255});
  const image light = decoded(file, {.mips = true});
  ASSERT_EQ(light.layout().levels, 2u);
  EXPECT_THAT(pixels_of(light, 1), ElementsAre(188, 188, 188, 255));
  const image data = decoded(file, {.mips = true, .srgb = false});
  EXPECT_THAT(pixels_of(data, 1), ElementsAre(128, 128, 128, 255));
}

TEST(image_loader, weighs_colours_of_levels_by_alpha) {
  // What is transparent has no colour, also where it says it is red.
  const bytes file = make_png(2, 1, {255, 0, 0, 0, 0, 0, 255, 255});
  EXPECT_THAT(pixels_of(decoded(file, {.mips = true}), 1), ElementsAre(0, 0, 255, 128));
  EXPECT_THAT(pixels_of(decoded(file, {.premultiplied = true, .mips = true, .srgb = false}), 1),
              ElementsAre(0, 0, 128, 128));
}

TEST(image_loader, has_levels_down_to_one_pixel) {
  const image made =
      decoded(make_png(5, 3, std::vector<unsigned char>(5 * 3 * 4, 77)), {.mips = true});
  ASSERT_EQ(made.layout().levels, 3u);
  EXPECT_EQ(made.layout().level[1].width, 2u);
  EXPECT_EQ(made.layout().level[1].height, 1u);
  EXPECT_EQ(made.layout().level[2].width, 1u);
  for (std::uint32_t level = 0; level < 3; ++level) {
    EXPECT_THAT(pixels_of(made, level), Each(77));
  }
}

TEST(image_loader, flips_every_level) {
  const bytes file = make_png(5, 7, noise(5 * 7 * 4));
  const image plain = decoded(file, {.mips = true});
  const image turned = decoded(file, {.flipped = true, .mips = true});
  for (std::uint32_t level = 0; level < plain.layout().levels; ++level) {
    EXPECT_EQ(pixels_of(turned, level),
              flipped(pixels_of(plain, level), plain.layout().level[level].width));
  }
}

TEST(image_loader, aligns_rows_and_levels) {
  const image made =
      decoded(make_png(3, 2, small), {.mips = true, .row_alignment = 256, .level_alignment = 1024});
  EXPECT_EQ(made.layout().level[0].row_pitch, 256u);
  EXPECT_EQ(made.layout().level[1].offset, 1024u);
  EXPECT_EQ(made.layout().bytes, 1024u + 256);
  EXPECT_EQ(pixels_of(made), as_values(small));
  for (const std::uint32_t bad : {0u, 3u, 131072u}) {
    const std::string text = "invalid: an alignment must be a power of two up to 65,536";
    EXPECT_EQ(failure(make_png(3, 2, small), {.row_alignment = bad}), text);
    EXPECT_EQ(failure(make_png(3, 2, small), {.level_alignment = bad}), text);
  }
}

TEST(image_loader, writes_into_memory_of_the_host_and_nowhere_else) {
  for (const bytes& file : {make_png(3, 2, small), make_tga(3, 2, small)}) {
    for (const pixel_order order : {pixel_order::rgba, pixel_order::bgra}) {
      host_memory host;
      host.change = [](image_layout& layout) {
        layout.level[0].offset = 5;  // of any alignment
        layout.level[0].row_pitch = 15;
        layout.bytes = 5 + 15 + 12;
      };
      {
        const image made = decoded(file, {.order = order, .place = &host});
        EXPECT_EQ(host.asked_for, "a.tga");
        EXPECT_EQ(made.bytes().data(), host.memory.data());
        EXPECT_EQ(pixels_of(made),
                  order == pixel_order::bgra ? swapped(as_values(small)) : as_values(small));
        const bytes& all = host.memory;
        EXPECT_THAT(bytes(all.begin(), all.begin() + 5), Each(std::byte{0xEE}));
        EXPECT_THAT(bytes(all.begin() + 17, all.begin() + 20), Each(std::byte{0xEE}));
        EXPECT_EQ(host.given_back, 0);
      }
      EXPECT_EQ(host.taken, 1);
      EXPECT_EQ(host.given_back, 1);
    }
  }
}

TEST(image_loader, takes_no_memory_for_pixels_beside_that_of_the_host) {
  const bytes file = make_png(64, 4096, noise(64 * 4096 * 4));
  host_memory host;
  tracking_allocator memory;
  const image made = decoded(file, {.order = pixel_order::bgra, .place = &host, .memory = &memory});
  EXPECT_LE(memory.total().peak_bytes, 64u * 4 * 16);
  EXPECT_EQ(memory.total().bytes, 0u);
}

TEST(image_loader, refuses_memory_of_the_host_that_does_not_fit) {
  struct row {
    std::size_t size;
    std::uint64_t offset;
    std::uint64_t pitch;
    const char* outcome;
  };
  const char* const small_memory = "no_space: the host's memory is too small for the image";
  const row rows[] = {
      {24, 0, 12, "decoded"},
      {23, 0, 12, small_memory},
      {0, 0, 12, small_memory},
      {100, 0, 88, "decoded"},
      {100, 0, 89, small_memory},
      {100, 77, 12, small_memory},
      {100, 0, UINT64_MAX, small_memory},
      {100, UINT64_MAX, 12, small_memory},
      {100, UINT64_MAX - 11, 12, small_memory},
      {100, 0, 11, "invalid: the row pitch is smaller than a row of the image"},
      {100, 0, 0, "invalid: the row pitch is smaller than a row of the image"},
  };
  for (const row& each : rows) {
    host_memory host;
    host.size = each.size;
    host.change = [&](image_layout& layout) {
      layout.level[0].offset = each.offset;
      layout.level[0].row_pitch = each.pitch;
    };
    EXPECT_EQ(failure(make_png(3, 2, small), {.place = &host}), each.outcome) << each.pitch;
    EXPECT_EQ(host.given_back, 1);
  }
}

TEST(image_loader, checks_a_layout_that_the_host_has_made_larger) {
  host_memory host;
  host.change = [](image_layout& layout) {
    layout.levels = 400;
    layout.level[0].width = 4000;
    layout.level[0].height = 4000;
  };
  const image made = decoded(make_png(3, 2, small), {.place = &host});
  EXPECT_EQ(made.layout().levels, 1u);
  EXPECT_EQ(pixels_of(made), as_values(small));
}

TEST(image_loader, passes_on_why_the_host_has_no_memory) {
  host_memory host;
  host.refuses = true;
  EXPECT_EQ(failure(make_png(3, 2, small), {.place = &host}), "no_space: the upload heap is full");
  EXPECT_EQ(host.given_back, 0);
}

TEST(image_loader, gives_memory_of_the_host_back_once_it_is_uploaded) {
  struct uploading final : image_loader {
    using image_loader::image_loader;
    bool free_threaded() const noexcept override { return false; }
    result<finalize_step> finalize(image& value, std::chrono::nanoseconds) override {
      uploaded = pixels_of(value);
      value.release();
      return finalize_step::done;
    }
    values uploaded;
  };
  host_memory host;
  uploading images({.place = &host});
  loader_rig rig;
  rig.file("x.png", make_png(3, 2, small));
  const asset<image> made = rig.load(images, "x.png");
  ASSERT_EQ(outcome(made), "ready");
  EXPECT_EQ(images.uploaded, as_values(small));
  EXPECT_EQ(host.given_back, 1);
  EXPECT_EQ(made->width(), 3u);
  EXPECT_TRUE(made->bytes().empty());
  EXPECT_EQ(images.bytes_of(*made), sizeof(image));
}

TEST(image_loader, gives_all_memory_back_when_any_of_it_is_refused) {
  for (const image_options& options :
       {image_options{}, image_options{.order = pixel_order::bgra, .mips = true}}) {
    for (const bytes& file : {make_png(3, 2, small), make_tga(3, 2, small)}) {
      for (std::uint64_t call = 0;; ++call) {
        ASSERT_LT(call, 10u);
        failing_allocator memory(call, true);
        image_options wish = options;
        wish.memory = &memory;
        const std::string how = failure(file, wish);
        EXPECT_EQ(memory.live_bytes(), 0u);
        if (how == "decoded") break;
        EXPECT_EQ(how.substr(0, 13), "out_of_memory");
      }
    }
  }
}

TEST(image_loader, gives_the_memory_back_of_every_file_that_is_cut_or_damaged) {
  const bytes whole = make_png(9, 5, noise(9 * 5 * 4));
  const image_options options{.order = pixel_order::bgra, .premultiplied = true, .mips = true};
  constexpr std::size_t without_pixels = 16;  // at the end: a checksum, and the end chunk
  for (std::size_t size = 0; size < whole.size(); ++size) {
    host_memory host;
    image_options wish = options;
    wish.place = &host;
    const bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(failure(cut, wish) != "decoded" || size + without_pixels >= whole.size()) << size;
    EXPECT_EQ(host.taken, host.given_back);
  }
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    tracking_allocator memory;
    image_options wish = options;
    wish.memory = &memory;
    bytes damaged = whole;
    damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    (void)failure(damaged, wish);
    ASSERT_EQ(memory.total().bytes, 0u) << bit;
  }
}

TEST(image_loader, says_what_it_takes) {
  const auto blank = std::vector<unsigned char>(200 * 100 * 4, 1);
  constexpr std::uint64_t pixels = 200 * 100 * 4;
  for (const bytes& file :
       {make_png(200, 100, blank), make_png(200, 100, blank, true), make_tga(200, 100, blank)}) {
    for (const image_options& options : {image_options{}, image_options{.order = pixel_order::bgra},
                                         image_options{.mips = true}}) {
      tracking_allocator memory;
      image_options wish = options;
      wish.memory = &memory;
      const image_loader images(wish);
      const std::uint64_t said = images.memory_needed("a.tga"_path, file);
      const image made = decoded(file, wish);
      EXPECT_GE(said, memory.total().peak_bytes + sizeof(image));
      EXPECT_LE(said, pixels * 3 + (512u << 10));
      EXPECT_EQ(images.bytes_of(made), sizeof(image) + made.layout().bytes);
    }
  }
}

}  // namespace
}  // namespace overture::image_loader_test

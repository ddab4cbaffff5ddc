// SPDX-License-Identifier: Zlib
#include "overture/loaders/texture_loader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "loaders/loader_rig.hpp"
#include "loaders/texture_files.hpp"
#include "overture/base/limits.hpp"
#include "support/failing_allocator.hpp"

namespace overture::texture_loader_test {
namespace {

using namespace test;
using namespace literals;
using loaders::decode_texture;
using loaders::gpu_format_of;
using loaders::texture;
using loaders::texture_loader;

std::string failure(const bytes& file, allocator& memory = default_allocator()) {
  // A block of exactly the file's size, so that a sanitizer catches any read past it.
  const std::unique_ptr<std::byte[]> exact(new std::byte[file.size()]);
  std::copy(file.begin(), file.end(), exact.get());
  const result<texture> made = decode_texture("a.ktx2"_path, {exact.get(), file.size()}, memory);
  return made ? "decoded" : std::string(to_string(made.error().code)) + ": " + made.error().reason;
}
texture decoded(const bytes& file) {
  result<texture> made = decode_texture("a"_path, file);
  if (!made) {
    ADD_FAILURE() << made.error().reason;
    return {};
  }
  return *std::move(made);
}
bytes part(const texture& of, std::uint32_t level, std::uint32_t layer = 0,
           std::uint32_t face = 0) {
  const auto found = of.part(level, layer, face);
  return {found.begin(), found.end()};
}
bytes cut(const bytes& from, std::size_t begin, std::size_t count) {
  const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

struct dds_wish {
  std::uint32_t levels = 1;
  std::uint32_t capabilities = 0;
  std::uint32_t number = 98;  // BC7
  std::uint32_t misc = 0;
  std::uint32_t layers = 1;
};
// 8 x 8 pixels with an extended header.
bytes make_dds(const dds_wish& wish, const bytes& pixels) {
  byte_writer out;
  out.text("DDS ").u32(124).u32(0x1007).u32(8).u32(8).u32(0).u32(0).u32(wish.levels).text("", 44);
  out.u32(32).u32(4).text("DX10").u32(0).u32(0).u32(0).u32(0).u32(0);
  out.u32(0x1000).u32(wish.capabilities).u32(0).u32(0).u32(0);
  out.u32(wish.number).u32(3).u32(wish.misc).u32(wish.layers).u32(0);
  return out.append(pixels).content;
}

TEST(texture_loader, leaves_the_levels_of_a_ktx2_as_they_are) {
  texture_loader textures;
  loader_rig rig;
  const std::vector<bytes> levels = {noise_bytes(6 * 5 * 4, 1), noise_bytes(3 * 2 * 4, 2),
                                     noise_bytes(4, 3)};
  for (const std::uint32_t scheme : {0u, 2u, 3u}) {
    const bytes file = make_ktx2({.width = 6, .height = 5, .levels = 3, .scheme = scheme}, levels);
    rig.file("a" + std::to_string(scheme), file);
  }
  for (const char* path : {"a0", "a2", "a3"}) {
    const asset<texture> made = rig.load(textures, path);
    ASSERT_EQ(outcome(made), "ready");
    EXPECT_EQ(made->format.vulkan, 37u);
    EXPECT_EQ(made->levels, 3u);
    EXPECT_EQ(made->width(), 6u);
    EXPECT_EQ(made->height(), 5u);
    EXPECT_EQ(made->depth(), 1u);
    EXPECT_EQ(made->level[1].width, 3u);
    EXPECT_EQ(made->level[1].height, 2u);
    EXPECT_EQ(made->level[0].row_bytes, 24u);
    for (std::uint32_t level = 0; level < 3; ++level) {
      EXPECT_EQ(part(*made, level), levels[level]);
      EXPECT_EQ(made->level[level].offset % 16, 0u);
    }
  }
}

TEST(texture_loader, finds_layers_and_faces_of_a_ktx2) {
  const bytes content = noise_bytes(2 * 6 * 2 * 2 * 4);
  const texture made =
      decoded(make_ktx2({.width = 2, .height = 2, .layers = 2, .faces = 6}, {content}));
  EXPECT_EQ(made.layers, 2u);
  EXPECT_EQ(made.faces, 6u);
  EXPECT_EQ(part(made, 0, 1, 5), cut(content, 11 * 16, 16));
  EXPECT_EQ(part(made, 0, 0, 3), cut(content, 3 * 16, 16));
}

TEST(texture_loader, takes_lines_and_volumes) {
  const texture line = decoded(make_ktx2({.width = 5, .height = 0}, {noise_bytes(20)}));
  EXPECT_EQ(line.height(), 1u);
  const bytes content = noise_bytes(4 * 4 * 3 * 4);
  const texture volume =
      decoded(make_ktx2({.depth = 3, .levels = 2}, {content, noise_bytes(2 * 2 * 4)}));
  EXPECT_EQ(volume.depth(), 3u);
  EXPECT_EQ(volume.level[0].slice_bytes, 64u);
  EXPECT_EQ(part(volume, 0), content);
  EXPECT_EQ(volume.level[1].depth, 1u);
}

TEST(texture_loader, has_one_level_of_a_file_that_leaves_the_others_to_the_host) {
  EXPECT_EQ(decoded(make_ktx2({.levels = 0}, {noise_bytes(64)})).levels, 1u);
}

TEST(texture_loader, counts_blocks_of_compressed_formats) {
  struct row {
    std::uint32_t format;
    const char* channels;
    const char* numbers;
    std::size_t bytes;  // of 9 x 7 pixels
  };
  const row rows[] = {
      {9, "R8", "UNORM", 63},
      {29, "R8G8B8", "SRGB", 189},
      {123, "E5B9G9R9", "UFLOAT_PACK32", 252},
      {104, "R32G32B32", "UINT", 756},
      {134, "BC1_RGBA", "SRGB_BLOCK", 48},
      {146, "BC7", "SRGB_BLOCK", 96},
      {147, "ETC2_R8G8B8", "UNORM_BLOCK", 48},
      {157, "ASTC_4x4", "UNORM_BLOCK", 96},
      {160, "ASTC_5x4", "SRGB_BLOCK", 64},
      {184, "ASTC_12x12", "SRGB_BLOCK", 16},
      {1000066013, "ASTC_12x12", "SFLOAT_BLOCK", 16},
  };
  for (const row& each : rows) {
    const ktx2_wish wish{.format = each.format, .width = 9, .height = 7};
    const texture made = decoded(make_ktx2(wish, {noise_bytes(each.bytes)}));
    EXPECT_EQ(made.format.vulkan, each.format);
    EXPECT_STREQ(made.format.channels, each.channels);
    EXPECT_STREQ(made.format.numbers, each.numbers);
    EXPECT_EQ(made.bytes().size(), each.bytes) << each.channels;
  }
  // No format at the ends of the runs.
  for (const std::uint32_t unknown : {0u, 1u, 124u, 130u, 185u, 1000065999u, 1000066014u}) {
    EXPECT_EQ(gpu_format_of(unknown).block_bytes, 0) << unknown;
  }
}

std::string text_of(std::span<const std::byte> value) {
  if (value.data() == nullptr) return "none";
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

TEST(texture_loader, has_the_keys_and_values_of_a_ktx2) {
  bytes values = ktx2_value("KTXorientation", {"rd\0", 3});
  for (const auto& [key, value] : {std::pair("KTXwriter", "a tool"), std::pair("empty", "")}) {
    const bytes more = ktx2_value(key, value);
    values.insert(values.end(), more.begin(), more.end());
  }
  const bytes pixels = noise_bytes(64);
  for (const std::uint32_t scheme : {0u, 2u, 3u}) {
    const texture made = decoded(make_ktx2({.scheme = scheme, .values = values}, {pixels}));
    EXPECT_EQ(text_of(made.value("KTXorientation")), std::string("rd\0", 3));
    EXPECT_EQ(text_of(made.value("KTXwriter")), "a tool");
    EXPECT_EQ(text_of(made.value("empty")), "");
    EXPECT_EQ(text_of(made.value("KTX")), "none");
    EXPECT_EQ(text_of(made.value("")), "none");
    std::string all;
    made.for_each_value([&](std::string_view key, std::span<const std::byte> value) {
      all += std::string(key) + ":" + std::to_string(value.size()) + " ";
    });
    EXPECT_EQ(all, "KTXorientation:3 KTXwriter:6 empty:0 ");
    EXPECT_EQ(made.key_values().size(), values.size());
    EXPECT_EQ(made.bytes().size(), pixels.size());
    EXPECT_EQ(part(made, 0), pixels);
  }
  const texture plain = decoded(make_ktx2({}, {pixels}));
  EXPECT_EQ(text_of(plain.value("KTXwriter")), "none");
  EXPECT_EQ(text_of(texture().value("KTXwriter")), "none");
  texture moved = decoded(make_ktx2({.values = values}, {pixels}));
  const texture taken = std::move(moved);
  EXPECT_EQ(text_of(taken.value("KTXwriter")), "a tool");
  // NOLINTNEXTLINE(bugprone-use-after-move)
  EXPECT_EQ(moved.bytes().size() + moved.key_values().size(), 0u);
}

TEST(texture_loader, takes_the_first_of_equal_keys_and_a_last_value_without_padding) {
  bytes values = ktx2_value("a", "xyz");
  const bytes more = ktx2_value("a", "12345");
  values.insert(values.end(), more.begin(), more.end() - 1);
  EXPECT_EQ(text_of(decoded(make_ktx2({.values = values}, {noise_bytes(64)})).value("a")), "xyz");
}

TEST(texture_loader, refuses_keys_and_values_that_are_damaged) {
  struct damage {
    const char* what;
    bytes values;
  };
  const damage table[] = {
      {"longer than all", byte_writer{}.u32(100).text("a").u8(0).u16(0).content},
      {"longer than any", byte_writer{}.u32(0xFFFFFFFF).text("a").u8(0).u16(0).content},
      {"no end of the key", byte_writer{}.u32(4).text("abcd").content},
      {"no key", byte_writer{}.u32(4).u8(0).text("abc").content},
      {"nothing at all", byte_writer{}.u32(0).content},
      {"less than a length", byte_writer{}.u8(1).content},
  };
  for (const damage& each : table) {
    EXPECT_EQ(failure(make_ktx2({.values = each.values}, {noise_bytes(64)})),
              "corrupt: a key or value of the KTX2 file is damaged")
        << each.what;
  }
  bytes outside = make_ktx2({.values = ktx2_value("a", "b")}, {noise_bytes(64)});
  put_u32(outside, 56, outside.size());
  EXPECT_EQ(failure(outside), "corrupt: the KTX2 file is truncated");
  put_u32(outside, 56, 104);
  put_u32(outside, 60, 0xFFFFFFFF);
  EXPECT_EQ(failure(outside), "corrupt: the KTX2 file is truncated");
}

TEST(texture_loader, finds_the_parts_of_a_dds) {
  const bytes pixels = noise_bytes(12 * (64 + 16));
  const texture array = decoded(make_dds({.levels = 2, .layers = 12}, pixels));
  EXPECT_EQ(array.layers, 12u);
  EXPECT_EQ(array.faces, 1u);
  EXPECT_EQ(array.format.vulkan, 145u);
  EXPECT_EQ(array.format.dxgi, 98u);
  EXPECT_EQ(part(array, 1, 3), cut(pixels, 3 * 80 + 64, 16));
  const texture cubes = decoded(make_dds({.levels = 2, .misc = 4, .layers = 2}, pixels));
  EXPECT_EQ(cubes.layers, 2u);
  EXPECT_EQ(cubes.faces, 6u);
  EXPECT_EQ(part(cubes, 0, 1, 2), cut(pixels, 8 * 80, 64));
  EXPECT_EQ(cubes.bytes().size(), pixels.size());
}

TEST(texture_loader, knows_formats_of_dds_by_both_numbers) {
  const texture srgb = decoded(make_dds({.number = 91}, noise_bytes(256)));
  EXPECT_EQ(srgb.format.vulkan, 50u);
  EXPECT_EQ(srgb.format.dxgi, 91u);
  // Vulkan has it with alpha only.
  const texture opaque = decoded(make_dds({.number = 88}, noise_bytes(256)));
  EXPECT_EQ(opaque.format.vulkan, 44u);
  EXPECT_EQ(opaque.format.dxgi, 88u);
}

TEST(texture_loader, refuses_what_is_no_texture) {
  const bytes text = byte_writer{}.text("text").content;
  EXPECT_EQ(decode_texture("a.txt"_path, text).error().code, errc::unsupported);
  EXPECT_EQ(decode_texture("a.bin"_path, {}).error().code, errc::unsupported);
  EXPECT_EQ(failure(text), "corrupt: not a KTX2 file");  // by its name it is one
}

TEST(texture_loader, names_basis_universal) {
  const std::vector<bytes> levels = {noise_bytes(64)};
  EXPECT_EQ(failure(make_ktx2({.format = 0, .model = 166}, levels)),
            "unsupported: KTX2 with Basis Universal (UASTC), which must be transcoded");
  EXPECT_EQ(failure(make_ktx2({.format = 0, .scheme = 2, .model = 166}, levels)),
            "unsupported: KTX2 with Basis Universal (UASTC), which must be transcoded");
  EXPECT_EQ(failure(make_ktx2({.format = 0, .scheme = 1, .model = 163}, levels)),
            "unsupported: KTX2 with Basis Universal (ETC1S), which must be transcoded");
  EXPECT_EQ(failure(make_ktx2({.format = 0}, levels)),
            "unsupported: unsupported KTX2 pixel format");
  EXPECT_EQ(failure(make_ktx2({.scheme = 4}, levels)),
            "unsupported: unsupported KTX2 supercompression");
  // The descriptor lies outside the file.
  bytes file = make_ktx2({.format = 0}, levels);
  put_u32(file, 48, 0xFFFFFFF0);
  EXPECT_EQ(failure(file), "unsupported: unsupported KTX2 pixel format");
}

TEST(texture_loader, refuses_sizes_that_make_no_sense) {
  const std::vector<bytes> levels = {noise_bytes(64)};
  const ktx2_wish wishes[] = {
      {.width = 0},
      {.height = 0, .depth = 4},
      {.levels = 4},
      {.levels = 0xFFFFFFFF},
      {.faces = 0},
      {.faces = 5},
      {.height = 8, .faces = 6},
      {.depth = 4, .faces = 6},
      {.layers = 2},
  };
  for (const ktx2_wish& wish : wishes) {
    EXPECT_EQ(failure(make_ktx2(wish, levels)).substr(0, 7), "corrupt") << wish.width;
  }
  const ktx2_wish huge[] = {
      {.width = 0xFFFFFFFF},
      {.width = 32769},
      {.width = 32768, .height = 32768},
      {.width = 32768, .height = 32768, .depth = 32768},
      {.format = 109, .width = 32768, .height = 32768, .layers = 0xFFFFFFFF, .faces = 6},
      {.layers = 0xFFFFFFFF},
      {.layers = 1u << 26, .faces = 6},
  };
  for (const ktx2_wish& wish : huge) {
    tracking_allocator memory;
    EXPECT_EQ(failure(make_ktx2(wish, levels), memory).substr(0, 5), "limit") << wish.width;
    EXPECT_EQ(memory.total().peak_bytes, 0u);
  }
}

TEST(texture_loader, refuses_levels_outside_the_file) {
  const bytes whole = make_ktx2({}, {noise_bytes(64)});
  for (const std::uint64_t offset : {UINT64_MAX, UINT64_MAX - 63, std::uint64_t{whole.size()},
                                     std::uint64_t{whole.size() - 63}}) {
    bytes file = whole;
    put_u64(file, ktx2_index, offset);
    EXPECT_EQ(failure(file), "corrupt: the KTX2 file is truncated");
  }
  bytes file = whole;
  put_u64(file, ktx2_index, ktx2_index);
  EXPECT_EQ(failure(file), "corrupt: a mip level of the KTX2 file lies in its header");
  file = whole;
  put_u64(file, ktx2_index + 8, UINT64_MAX);
  EXPECT_EQ(failure(file), "corrupt: the KTX2 file is truncated");
}

TEST(texture_loader, refuses_levels_of_another_size_without_taking_memory) {
  const char* const wrong = "corrupt: a mip level of the KTX2 file has the wrong size";
  for (const std::uint64_t size : {UINT64_MAX, std::uint64_t{1} << 40, std::uint64_t{63},
                                   std::uint64_t{65}, std::uint64_t{0}}) {
    bytes file = make_ktx2({.scheme = 2}, {noise_bytes(64)});
    put_u64(file, ktx2_index + 16, size);
    tracking_allocator memory;
    EXPECT_EQ(failure(file, memory), wrong);
    EXPECT_EQ(memory.total().peak_bytes, 0u);
  }
  EXPECT_EQ(failure(make_ktx2({}, {noise_bytes(60)})), wrong);
  EXPECT_EQ(failure(make_ktx2({}, {noise_bytes(68)})), wrong);
}

TEST(texture_loader, refuses_levels_that_unpack_to_another_size) {
  for (const std::uint32_t scheme : {2u, 3u}) {
    for (const std::size_t size : {0u, 63u, 65u, 100'000u}) {
      bytes file = make_ktx2({.scheme = scheme}, {bytes(size)});
      put_u64(file, ktx2_index + 16, 64);
      EXPECT_EQ(failure(file).substr(0, 7), "corrupt") << size;
    }
  }
}

TEST(texture_loader, refuses_a_tiny_file_that_claims_a_huge_texture) {
  bytes file = make_ktx2({.width = 8192, .height = 8192, .scheme = 2}, {bytes(64)});
  put_u64(file, ktx2_index + 16, std::uint64_t{8192} * 8192 * 4);
  tracking_allocator memory;
  EXPECT_EQ(failure(file, memory).substr(0, 5), "limit");
  EXPECT_EQ(memory.total().peak_bytes, 0u);
}

TEST(texture_loader, survives_every_cut_and_every_flipped_bit) {
  for (const std::uint32_t scheme : {0u, 2u, 3u}) {
    const bytes whole = make_ktx2({.width = 4,
                                   .height = 2,
                                   .levels = 2,
                                   .scheme = scheme,
                                   .values = ktx2_value("KTXwriter", "a")},
                                  {noise_bytes(32), noise_bytes(8)});
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_NE(failure(cut(whole, 0, size)), "decoded") << size;
    }
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      bytes file = whole;
      file[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
      tracking_allocator memory;
      (void)failure(file, memory);
      (void)loaders::texture_memory_needed("a"_path, file);
      ASSERT_EQ(memory.total().bytes, 0u) << bit;
      ASSERT_LE(memory.total().peak_bytes, 64u << 20) << bit;
    }
  }
  const bytes dds = make_dds({.levels = 2, .misc = 4}, noise_bytes(6 * 80));
  for (std::size_t size = 0; size < dds.size(); ++size) {
    EXPECT_NE(failure(cut(dds, 0, size)), "decoded") << size;
  }
}

TEST(texture_loader, says_what_it_takes) {
  const bytes ktx2 =
      make_ktx2({.width = 64, .height = 64, .scheme = 2, .values = ktx2_value("a", "bcd")},
                {noise_bytes(64 * 64 * 4)});
  const bytes dds = make_dds({.levels = 2, .layers = 12}, noise_bytes(12 * 80));
  for (const bytes& file : {ktx2, dds}) {
    tracking_allocator memory;
    const texture_loader textures(memory);
    const result<texture> made = decode_texture("a"_path, file, memory);
    ASSERT_TRUE(made);
    const std::uint64_t said = textures.memory_needed("a"_path, file);
    EXPECT_GE(said, sizeof(texture) + memory.total().peak_bytes);
    EXPECT_LE(said, sizeof(texture) + memory.total().peak_bytes + (200u << 10));
    EXPECT_EQ(textures.bytes_of(*made), sizeof(texture) + memory.total().bytes);
  }
}

TEST(texture_loader, reports_memory_that_is_refused) {
  failing_allocator memory(0);
  EXPECT_EQ(failure(make_ktx2({}, {noise_bytes(64)}), memory).substr(0, 13), "out_of_memory");
}

// --- In stages -----------------------------------------------------------------------------------

TEST(the_beginning_of_a_ktx2, has_the_small_levels_that_are_there) {
  const std::vector<bytes> levels{noise_bytes(8 * 8 * 4, 1), noise_bytes(4 * 4 * 4, 2),
                                  noise_bytes(2 * 2 * 4, 3)};
  for (const std::uint32_t scheme : {0u, 2u}) {
    const bytes file = make_ktx2(
        {.width = 8, .height = 8, .levels = 3, .scheme = scheme, .values = ktx2_value("a", "b")},
        levels);
    std::uint32_t most = 0;
    for (std::size_t size = 0; size <= file.size(); ++size) {
      const std::unique_ptr<std::byte[]> exact(new std::byte[size]);
      std::copy_n(file.begin(), size, exact.get());
      const std::span<const std::byte> some(exact.get(), size);
      const result<texture> made = decode_texture("a"_path, some, default_allocator(), file.size());
      if (!made) {
        EXPECT_EQ(most, 0u) << size;
        continue;
      }
      EXPECT_GE(made->levels, most);
      most = made->levels;
      ASSERT_EQ(made->levels + made->first_level, 3u);
      for (std::uint32_t i = 0; i < made->levels; ++i) {
        EXPECT_EQ(made->level[i].width, 8u >> (made->first_level + i));
        EXPECT_EQ(part(*made, i), levels[made->first_level + i]);
      }
      EXPECT_EQ(text_of(made->value("a")), "b");
      EXPECT_NE(loaders::texture_memory_needed("a"_path, some), 0u);
    }
    EXPECT_EQ(most, 3u);
  }
}

TEST(a_texture_loader, shows_small_levels_first) {
  const std::vector<bytes> levels{noise_bytes(64 * 64 * 4, 1), noise_bytes(32 * 32 * 4, 2),
                                  noise_bytes(16 * 16 * 4, 3)};
  texture_loader sharpening(default_allocator(), 2000);
  loader_rig rig;
  rig.file("wall.ktx2", make_ktx2({.width = 64, .height = 64, .levels = 3}, levels));
  rig.file("one.ktx2", make_ktx2({.width = 64, .height = 64}, {levels[0]}));
  const asset<texture> wall = rig.load(sharpening, "wall.ktx2");
  EXPECT_EQ(wall->levels, 1u);
  const asset<texture> one = rig.load(sharpening, "one.ktx2");
  EXPECT_EQ(one->levels, 1u);
  EXPECT_EQ(one->first_level, 0u) << "its only level";
  while (wall.version() != 2) (void)rig.store().pump(std::chrono::milliseconds(1));
  EXPECT_EQ(wall->levels, 3u);
  EXPECT_EQ(part(*wall, 0), levels[0]);
  EXPECT_EQ(one.version(), 1u);
}

}  // namespace
}  // namespace overture::texture_loader_test

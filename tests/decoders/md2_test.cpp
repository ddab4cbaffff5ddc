// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <array>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"
#include "overture/decoders/model.hpp"

namespace overture::md2_test {
namespace {

using namespace decoders_detail;

using namespace test;

struct md2_wish {
  std::uint32_t version = 8;
  std::uint32_t frames = 2;
  std::vector<std::array<unsigned, 3>> positions = {{0, 0, 0}, {10, 0, 0}, {0, 10, 0}, {10, 10, 0}};
  std::vector<std::array<int, 2>> coordinates = {{0, 0}, {64, 0}, {0, 32}, {64, 32}, {-64, 0}};
  // Three positions, three coordinates. Clockwise from above.
  std::vector<std::array<unsigned, 6>> triangles = {{0, 2, 1, 0, 2, 1}, {1, 2, 3, 4, 2, 3}};
  std::uint32_t frame_surplus = 0;
};

// A square of two triangles, whose corner 1 has two places in the texture.
bytes make_md2(const md2_wish& wish = {}) {
  const std::size_t frame_bytes = 40 + wish.positions.size() * 4 + wish.frame_surplus;
  const std::size_t skins_at = 68;
  const std::size_t coordinates_at = skins_at + 64;
  const std::size_t triangles_at = coordinates_at + wish.coordinates.size() * 4;
  const std::size_t frames_at = triangles_at + wish.triangles.size() * 12;
  const std::size_t end = frames_at + wish.frames * frame_bytes;
  byte_writer file;
  file.text("IDP2").u32(wish.version).u32(64).u32(32).u32(frame_bytes).u32(1);
  file.u32(wish.positions.size()).u32(wish.coordinates.size()).u32(wish.triangles.size());
  file.u32(0).u32(wish.frames).u32(skins_at).u32(coordinates_at).u32(triangles_at).u32(frames_at);
  file.u32(end).u32(end).text("models/square.pcx", 64);
  for (const auto& [s, t] : wish.coordinates) {
    file.u16(static_cast<std::uint16_t>(s)).u16(static_cast<std::uint16_t>(t));
  }
  for (const auto& corners : wish.triangles) {
    for (const unsigned index : corners) file.u16(index);
  }
  for (std::uint32_t frame = 0; frame < wish.frames; ++frame) {
    const float scale = static_cast<float>(frame + 1);
    file.f32(scale).f32(scale).f32(scale).f32(-5).f32(0).f32(1).text("frame", 16);
    for (const auto& position : wish.positions) {
      file.u8(position[0]).u8(position[1]).u8(position[2]).u8(5);
    }
    file.text("", wish.frame_surplus);
  }
  return file.content;
}

result<decoded_asset> decode(const bytes& file) {
  return md2_decoder().decode(file, default_allocator());
}

TEST(md2_decoder, makes_a_vertex_of_each_position_and_place_in_the_texture) {
  for (const std::uint32_t surplus : {0u, 4u}) {
    const result<decoded_asset> asset = decode(make_md2({.frame_surplus = surplus}));
    ASSERT_TRUE(asset) << asset.error().reason;
    EXPECT_EQ(asset->frames, 2u);
    EXPECT_EQ(asset->vertices, 5u);
    EXPECT_EQ(asset->triangles, 2u);
    const model_view model(*asset);
    ASSERT_EQ(model.surfaces().size(), 1u);
    EXPECT_EQ(model.surfaces()[0].vertices, 5u);
    EXPECT_STREQ(model.shaders()[0].name, "models/square.pcx");
    const std::vector<std::uint32_t> indices(model.indices().begin(), model.indices().end());
    EXPECT_EQ(indices, (std::vector<std::uint32_t>{0, 3, 1, 2, 3, 4}));
    const model_texture_coordinate torn = model.texture_coordinates()[2];
    EXPECT_EQ(torn.s, -1);
    EXPECT_EQ(torn.t, 0);
    EXPECT_EQ(model.texture_coordinates()[4].t, 1);
    for (std::uint32_t frame = 0; frame < 2; ++frame) {
      const auto scale = static_cast<float>(frame + 1);
      const std::span<const model_vertex> vertices = model.vertices(frame);
      EXPECT_EQ(vertices[2].position[0], 10 * scale - 5);
      EXPECT_EQ(vertices[3].position[1], 10 * scale);
      EXPECT_EQ(vertices[3].position[2], 1);
      EXPECT_EQ(model.frames()[frame].lower[0], -5);
      EXPECT_EQ(model.frames()[frame].upper[1], 10 * scale);
      EXPECT_NEAR(model.frames()[frame].radius, 7.0711f * scale, 0.001f);
      for (const model_vertex& vertex : vertices) {
        EXPECT_EQ(vertex.normal[0], 0);
        EXPECT_EQ(vertex.normal[2], 1) << "clockwise from above";
        EXPECT_NEAR(vertex.tangent[0] * vertex.tangent[0] + vertex.tangent[1] * vertex.tangent[1],
                    1, 0.0001f);
        EXPECT_EQ(vertex.tangent[2], 0);
        EXPECT_EQ(std::abs(vertex.tangent[3]), 1);
      }
      EXPECT_EQ(vertices[0].tangent[0], 1) << "s grows with x";
      EXPECT_EQ(vertices[0].tangent[3], 1) << "and t with y";
    }
  }
}

TEST(md2_decoder, may_have_no_triangles) {
  const result<decoded_asset> asset = decode(make_md2({.triangles = {}}));
  ASSERT_TRUE(asset) << asset.error().reason;
  EXPECT_EQ(asset->vertices, 0u);
}

TEST(md2_decoder, has_the_same_result_for_many_frames_and_any_number_of_workers) {
  const bytes file = make_md2({.frames = 9000});
  const result<decoded_asset> asset = decode(file);
  ASSERT_TRUE(asset);
  const model_view model(*asset);
  EXPECT_EQ(model.vertices(8999)[3].position[1], 90'000);
}

TEST(md2_decoder, rejects_false_headers) {
  EXPECT_EQ(outcome(decode(make_md2({.version = 7}))), "unsupported");
  EXPECT_EQ(outcome(decode(make_md2({.frames = 0}))), "corrupt");
  EXPECT_EQ(outcome(decode(make_md2({.triangles = {{0, 1, 4, 0, 1, 2}}}))), "corrupt");
  EXPECT_EQ(outcome(decode(make_md2({.triangles = {{0, 1, 2, 0, 1, 5}}}))), "corrupt");
  bytes narrow = make_md2();
  put_u32(narrow, 16, 41);
  EXPECT_EQ(outcome(decode(narrow)), "corrupt") << "the frames have no room for the positions";
  EXPECT_EQ(outcome(md2_decoder().decode(bytes(), default_allocator())), "corrupt");
}

TEST(md2_decoder, rejects_a_large_model_out_of_proportion_to_its_file) {
  // Few positions, each at every place of the texture.
  md2_wish wish{.frames = 4000};
  wish.positions = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
  wish.coordinates.assign(3000, {1, 1});
  wish.triangles.clear();
  for (unsigned i = 0; i + 2 < 3000; i += 3) wish.triangles.push_back({0, 1, 2, i, i + 1, i + 2});
  const result<decoded_asset> model = decode(make_md2(wish));
  EXPECT_EQ(outcome(model), "limit");
  EXPECT_STREQ(
      model.error().reason,
      "the model is larger than 64 MiB when decoded and has more than 64 bytes for each byte "
      "of the file");
}

TEST(md2_decoder, says_by_the_header_what_it_takes) {
  // Six corners make five vertices; the others, and the tables that sort them, may be over.
  for (const std::uint32_t frames : {1u, 2u, 30u}) {
    const std::uint64_t one_vertex = frames * sizeof(model_vertex) + 8 + 36;
    expect_memory_needed(md2_decoder(), make_md2({.frames = frames}), one_vertex + 500);
  }
  expect_memory_needed(md2_decoder(), make_md2({.triangles = {}}), 500);
  EXPECT_EQ(md2_decoder().memory_needed(make_md2({.version = 7})), 0u);
}

TEST(md2_decoder, survives_cut_and_flipped_files) {
  const bytes file = make_md2();
  decode_each_cut(md2_decoder(), file, [](std::size_t size, const result<decoded_asset>& model) {
    EXPECT_EQ(outcome(model), "corrupt") << size;
  });
  decode_flipped(md2_decoder(), file, 10'000);
  expect_refusals(md2_decoder(), file);
  EXPECT_TRUE(md2_decoder().accepts("a", file));
  EXPECT_TRUE(md2_decoder().accepts("models/a.MD2", {}));
}

}  // namespace
}  // namespace overture::md2_test

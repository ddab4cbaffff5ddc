// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"
#include "overture/decoders/model.hpp"

namespace overture::md3_test {
namespace {

using namespace decoders_detail;

using namespace test;

struct corner {
  int x = 0, y = 0, z = 0;  // in 64ths
  unsigned normal = 0;      // up: angles 0 and 0
};

struct surface_wish {
  std::string name = "body";
  std::vector<std::string> shaders = {"models/skin"};
  std::vector<std::uint32_t> indices;
  std::vector<std::pair<float, float>> coordinates;
  std::vector<std::vector<corner>> poses;  // by frame
};

bytes make_surface(const surface_wish& wish) {
  const std::size_t shaders_at = 108 + wish.indices.size() * 4;
  const std::size_t coordinates_at = shaders_at + wish.shaders.size() * 68;
  const std::size_t vertices_at = coordinates_at + wish.coordinates.size() * 8;
  const std::size_t end = vertices_at + wish.poses.size() * wish.coordinates.size() * 8;
  byte_writer out;
  out.text("IDP3").text(wish.name, 64).u32(0).u32(wish.poses.size()).u32(wish.shaders.size());
  out.u32(wish.coordinates.size()).u32(wish.indices.size() / 3).u32(108).u32(shaders_at);
  out.u32(coordinates_at).u32(vertices_at).u32(end);
  for (const std::uint32_t index : wish.indices) out.u32(index);
  for (const std::string& shader : wish.shaders) out.text(shader, 64).u32(0);
  for (const auto& [s, t] : wish.coordinates) out.f32(s).f32(t);
  for (const std::vector<corner>& pose : wish.poses) {
    for (const corner& at : pose) {
      for (const int value : {at.x, at.y, at.z}) out.u16(static_cast<std::uint16_t>(value));
      out.u16(at.normal);
    }
  }
  return out.content;
}

bytes make_md3(const std::vector<surface_wish>& surfaces, std::uint32_t frames = 1,
               const std::vector<std::string>& tags = {}) {
  const std::size_t tags_at = 108 + frames * 56;
  const std::size_t surfaces_at = tags_at + frames * tags.size() * 112;
  byte_writer body;
  for (const surface_wish& surface : surfaces) body.append(make_surface(surface));
  byte_writer out;
  out.text("IDP3").u32(15).text("a model", 64).u32(0).u32(frames).u32(tags.size());
  out.u32(surfaces.size()).u32(0).u32(108).u32(tags_at).u32(surfaces_at);
  out.u32(surfaces_at + body.content.size());
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    for (int i = 0; i < 10; ++i)
      out.f32(static_cast<float>(frame * 100 + static_cast<unsigned>(i)));
    out.text("pose", 16);
  }
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    for (const std::string& tag : tags) {
      out.text(tag, 64);
      for (int i = 0; i < 12; ++i)
        out.f32(static_cast<float>(frame * 100 + static_cast<unsigned>(i)));
    }
  }
  return out.append(body.content).content;
}

// A unit square in the xy plane: two triangles, normals up.
surface_wish square() {
  return {.indices = {0, 1, 2, 0, 2, 3},
          .coordinates = {{0.0f, 0.0f}, {1.0f, 0.0f}, {1.0f, 1.0f}, {0.0f, 1.0f}},
          .poses = {{{0, 0, 0}, {64, 0, 0}, {64, 64, 0}, {0, 64, 0}}}};
}

// Many pseudo-random vertices in many frames.
surface_wish crowd(std::uint32_t vertices, std::uint32_t triangles, std::uint32_t frames) {
  surface_wish made;
  const auto random = noise(std::size_t{vertices} * 2 + std::size_t{triangles} * 6 +
                            std::size_t{vertices} * frames * 5);
  std::size_t at = 0;
  const auto next = [&] { return unsigned{random[at++]}; };
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const float s = static_cast<float>(next()) / 256;
    made.coordinates.emplace_back(s, static_cast<float>(next()) / 256);
  }
  for (std::uint32_t c = 0; c < triangles * 3; ++c) {
    const unsigned high = next();
    made.indices.push_back((high * 256 + next()) % vertices);
  }
  for (std::uint32_t f = 0; f < frames; ++f) {
    made.poses.emplace_back();
    for (std::uint32_t v = 0; v < vertices; ++v) {
      corner place{static_cast<int>(next()), static_cast<int>(next()), static_cast<int>(next())};
      place.normal = next() << 8;
      place.normal |= next();
      made.poses.back().push_back(place);
    }
  }
  return made;
}

result<decoded_asset> decode(const bytes& file) {
  return md3_decoder().decode(file, default_allocator());
}

void expect_vector(const float* found, float x, float y, float z) {
  EXPECT_NEAR(found[0], x, 1e-5f);
  EXPECT_NEAR(found[1], y, 1e-5f);
  EXPECT_NEAR(found[2], z, 1e-5f);
}

TEST(md3_decoder, accepts_its_extension_in_any_case) {
  EXPECT_TRUE(md3_decoder().accepts("models/Head.MD3", {}));
  EXPECT_FALSE(md3_decoder().accepts("models/head.ase", {}));
}

TEST(md3_decoder, keeps_everything_in_the_file) {
  surface_wish first = square();
  first.poses.push_back({{6400, -64, 32}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  surface_wish second = first;
  second.name = "head";
  second.shaders = {"a", "b"};
  const result<decoded_asset> asset =
      decode(make_md3({first, second}, 2, {"tag_head", "tag_hand"}));
  ASSERT_TRUE(asset) << asset.error().reason;
  EXPECT_EQ(asset->kind(), asset_kind::model);
  EXPECT_EQ(asset->vertices, 8u);
  EXPECT_EQ(asset->triangles, 4u);
  EXPECT_EQ(asset->frames, 2u);

  const model_view model(*asset);
  EXPECT_EQ(asset->bytes().size(), model_view::block_bytes(model.counts()));
  EXPECT_EQ(static_cast<const void*>(model.vertices().data() + model.vertices().size()),
            static_cast<const void*>(asset->bytes().data() + asset->bytes().size()));
  ASSERT_EQ(model.surfaces().size(), 2u);
  EXPECT_STREQ(model.surfaces()[0].name, "body");
  EXPECT_STREQ(model.surfaces()[1].name, "head");
  EXPECT_EQ(model.surfaces()[1].first_vertex, 4u);
  EXPECT_EQ(model.surfaces()[1].first_triangle, 2u);
  EXPECT_EQ(model.surfaces()[1].first_shader, 1u);
  EXPECT_EQ(model.surfaces()[1].shaders, 2u);
  ASSERT_EQ(model.shaders().size(), 3u);
  EXPECT_STREQ(model.shaders()[0].name, "models/skin");
  EXPECT_STREQ(model.shaders()[2].name, "b");
  ASSERT_EQ(model.frames().size(), 2u);
  expect_vector(model.frames()[1].lower, 100, 101, 102);
  expect_vector(model.frames()[1].upper, 103, 104, 105);
  expect_vector(model.frames()[1].origin, 106, 107, 108);
  EXPECT_EQ(model.frames()[1].radius, 109);
  ASSERT_EQ(model.tags().size(), 4u);
  EXPECT_STREQ(model.tags()[3].name, "tag_hand");
  expect_vector(model.tags()[3].origin, 100, 101, 102);
  expect_vector(model.tags()[3].axes[2], 109, 110, 111);
  EXPECT_EQ(model.texture_coordinates()[6].t, 1.0f);
  EXPECT_EQ(std::vector<std::uint32_t>(model.indices().begin(), model.indices().end()),
            (std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7}));
  expect_vector(model.vertices(0)[2].position, 1, 1, 0);
  expect_vector(model.vertices(1)[4].position, 100, -1, 0.5f);
}

TEST(md3_decoder, cuts_a_name_without_a_terminator) {
  surface_wish long_name = square();
  long_name.name = std::string(64, 'x');
  const result<decoded_asset> asset = decode(make_md3({long_name}));
  ASSERT_TRUE(asset);
  EXPECT_EQ(model_view(*asset).surfaces()[0].name, std::string(63, 'x'));
}

TEST(md3_decoder, unpacks_normals_from_their_angles) {
  surface_wish surface = square();
  // The low byte is the angle from z, the high byte the angle around z, from x; 64 is 90 degrees.
  const unsigned normals[] = {0x0000, 0x0040, 0x4040, 0x0080};
  for (std::size_t v = 0; v < 4; ++v) surface.poses[0][v].normal = normals[v];
  const result<decoded_asset> asset = decode(make_md3({surface}));
  ASSERT_TRUE(asset);
  const auto vertices = model_view(*asset).vertices();
  expect_vector(vertices[0].normal, 0, 0, 1);
  expect_vector(vertices[1].normal, 1, 0, 0);
  expect_vector(vertices[2].normal, 0, 1, 0);
  expect_vector(vertices[3].normal, 0, 0, -1);
}

TEST(md3_decoder, computes_tangents_along_the_texture_with_their_handedness) {
  const auto tangent_of = [](auto change) {
    surface_wish surface = square();
    for (auto& [s, t] : surface.coordinates) change(s, t);
    const result<decoded_asset> asset = decode(make_md3({surface}));
    EXPECT_TRUE(asset);
    const model_vertex vertex = model_view(*asset).vertices()[0];
    return std::vector<float>(vertex.tangent, vertex.tangent + 4);
  };
  const auto is = [](const std::vector<float>& found, float x, float y, float z, float side) {
    expect_vector(found.data(), x, y, z);
    EXPECT_EQ(found[3], side);
  };
  is(tangent_of([](float&, float&) {}), 1, 0, 0, 1);
  is(tangent_of([](float& s, float&) { s = -s; }), -1, 0, 0, -1);
  is(tangent_of([](float&, float& t) { t = -t; }), 1, 0, 0, -1);
  is(tangent_of([](float& s, float& t) { std::swap(s, t); }), 0, 1, 0, -1);
  is(tangent_of([](float& s, float& t) { s *= 100, t *= 0.01f; }), 1, 0, 0, 1);
}

TEST(md3_decoder, keeps_tangents_unit_and_perpendicular_for_any_texture) {
  surface_wish odd = crowd(300, 400, 2);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  odd.coordinates[0] = {infinity, -infinity};
  odd.coordinates[1] = {std::numeric_limits<float>::quiet_NaN(), 0.0f};
  odd.coordinates[2] = {1e30f, 1e-30f};
  surface_wish flat = square();  // without any area in the texture
  for (auto& [s, t] : flat.coordinates) s = t = 0.5f;
  flat.poses.push_back(flat.poses[0]);
  const result<decoded_asset> asset = decode(make_md3({odd, flat}, 2));
  ASSERT_TRUE(asset);
  for (const model_vertex& v : model_view(*asset).vertices()) {
    const auto dot = [](const float* a, const float* b) {
      return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    };
    ASSERT_NEAR(dot(v.normal, v.normal), 1, 1e-4f);
    ASSERT_NEAR(dot(v.tangent, v.tangent), 1, 1e-4f);
    ASSERT_NEAR(dot(v.tangent, v.normal), 0, 1e-2f);
    ASSERT_EQ(std::fabs(v.tangent[3]), 1.0f);
  }
}

// Runs the pieces in reverse order on its own threads.
class backward_runner final : public parallel_runner {
 public:
  void run(std::size_t count, function_ref<void(std::size_t) noexcept> body) noexcept override {
    pieces += count;
    std::vector<std::thread> threads;
    for (std::size_t i = count; i-- > 0;) threads.emplace_back([body, i] { body(i); });
    for (std::thread& each : threads) each.join();
  }
  std::size_t pieces = 0;
};

TEST(md3_decoder, makes_the_same_bytes_however_the_work_is_split) {
  const bytes file = make_md3({crowd(500, 900, 60), crowd(1000, 700, 60), crowd(3, 1, 60)}, 60);
  backward_runner backward;
  const result<decoded_asset> whole = decode(file);
  const result<decoded_asset> split = md3_decoder().decode(file, default_allocator(), backward);
  ASSERT_TRUE(whole && split);
  EXPECT_GT(backward.pieces, 4u);
  EXPECT_TRUE(std::ranges::equal(whole->bytes(), split->bytes()));
}

TEST(md3_decoder, does_not_split_small_models) {
  backward_runner backward;
  const bytes file = make_md3({crowd(100, 100, 10)}, 10);
  ASSERT_TRUE(md3_decoder().decode(file, default_allocator(), backward));
  EXPECT_EQ(backward.pieces, 0u);
}

TEST(md3_decoder, accepts_a_model_of_tags_only) {
  const result<decoded_asset> asset = decode(make_md3({}, 3, {"tag"}));
  ASSERT_TRUE(asset) << asset.error().reason;
  EXPECT_EQ(asset->vertices, 0u);
  EXPECT_EQ(model_view(*asset).tags().size(), 3u);
}

// All offsets and counts of the file and of its first surface, which follows one frame.
TEST(md3_decoder, rejects_false_numbers_without_allocating) {
  const bytes file = make_md3({square()}, 1);
  const std::size_t surface = 108 + 56;
  std::vector<std::size_t> fields = {76, 80, 84, 92, 96, 100};
  for (std::size_t field = 72; field <= 104; field += 4) fields.push_back(surface + field);
  for (const std::size_t field : fields) {
    for (const std::uint64_t lie :
         {0x7FFF'FFFFu, 0x8000'0000u, 0xFFFF'FFFFu, 0xFFFF'FFF0u, 100'000u}) {
      bytes damaged = file;
      put_u32(damaged, field, lie);
      tracking_allocator memory;
      const result<decoded_asset> made = md3_decoder().decode(damaged, memory);
      // The offset of zero tags may be anything, and a surface may have surplus frames.
      if (field == 96 || field == surface + 72) continue;
      ASSERT_FALSE(made) << field << " " << lie;
      ASSERT_TRUE(made.error().code == errc::corrupt || made.error().code == errc::limit) << field;
      ASSERT_EQ(memory.total().peak_bytes, 0u) << field;
    }
  }
}

TEST(md3_decoder, rejects_invalid_vertex_indices) {
  surface_wish surface = square();
  surface.indices[4] = 4;
  EXPECT_EQ(outcome(decode(make_md3({surface}))), "corrupt");
}

TEST(md3_decoder, rejects_surfaces_that_share_bytes) {
  // The second surface would start where the first does.
  bytes file = make_md3({square(), square()});
  put_u32(file, 108 + 56 + 104, 0);
  EXPECT_EQ(outcome(decode(file)), "corrupt");
  put_u32(file, 108 + 56 + 104, 107);
  EXPECT_EQ(outcome(decode(file)), "corrupt");
}

TEST(md3_decoder, rejects_other_versions_and_empty_models) {
  bytes file = make_md3({square()});
  put_u32(file, 4, 16);
  EXPECT_EQ(outcome(decode(file)), "unsupported");
  put_u32(file, 4, 15);
  put_u32(file, 76, 0);
  EXPECT_EQ(outcome(decode(file)), "corrupt");
  const std::vector<surface_wish> many(limits::model_surfaces_max + 1, square());
  EXPECT_EQ(outcome(decode(make_md3(many))), "limit");
}

TEST(md3_decoder, says_by_the_header_what_it_takes) {
  expect_memory_needed(md3_decoder(), make_md3({square(), square()}, 1, {"tag_head"}));
  expect_memory_needed(md3_decoder(), make_md3({crowd(10, 4, 5)}, 5));
  expect_memory_needed(md3_decoder(), make_md3({}, 3, {"tag_head"}));
  EXPECT_EQ(md3_decoder().memory_needed(make_md3({}, 0)), 0u);
}

TEST(md3_decoder, reports_a_file_cut_anywhere) {
  decode_each_cut(md3_decoder(), make_md3({crowd(20, 30, 4), crowd(10, 5, 4)}, 4, {"tag"}),
                  [](std::size_t size, const result<decoded_asset>& made) {
                    EXPECT_EQ(outcome(made), "corrupt") << size;
                  });
}

TEST(md3_decoder, survives_flipped_bits) {
  decode_flipped(md3_decoder(), make_md3({square(), square()}, 1, {"tag"}), 10'000);
}

TEST(md3_decoder, reports_refused_memory) {
  expect_refusals(md3_decoder(), make_md3({square()}));
}

}  // namespace
}  // namespace overture::md3_test

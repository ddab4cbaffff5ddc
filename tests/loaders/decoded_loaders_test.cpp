// SPDX-License-Identifier: Zlib
#include "overture/loaders/decoded_loaders.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decoders/damage.hpp"
#include "loaders/loader_rig.hpp"

namespace overture::decoded_loaders_test {
namespace {

using namespace test;
using loaders::model;
using loaders::model_loader;
using loaders::sound;
using loaders::sound_loader;

bytes make_wav(const std::vector<std::int16_t>& samples) {
  byte_writer file;
  file.text("RIFF").u32(36 + samples.size() * 2).text("WAVE").text("fmt ").u32(16).u16(1).u16(2);
  file.u32(22050).u32(22050 * 4).u16(4).u16(16).text("data").u32(samples.size() * 2);
  for (const std::int16_t each : samples) file.u16(static_cast<std::uint16_t>(each));
  return file.content;
}

// One triangle.
bytes make_md2() {
  constexpr std::uint32_t coordinates_at = 68;
  constexpr std::uint32_t triangles_at = coordinates_at + 3 * 4;
  constexpr std::uint32_t frames_at = triangles_at + 12;
  constexpr std::uint32_t frame_bytes = 40 + 3 * 4;
  byte_writer file;
  file.text("IDP2").u32(8).u32(64).u32(64).u32(frame_bytes).u32(0).u32(3).u32(3).u32(1).u32(0);
  file.u32(1).u32(68).u32(coordinates_at).u32(triangles_at).u32(frames_at);
  file.u32(frames_at + frame_bytes).u32(frames_at + frame_bytes);
  for (const unsigned each : {0u, 0u, 64u, 0u, 0u, 64u}) file.u16(each);
  for (const unsigned each : {0u, 2u, 1u, 0u, 2u, 1u}) file.u16(each);
  for (int i = 0; i < 3; ++i) file.f32(1);
  for (int i = 0; i < 3; ++i) file.f32(0);
  file.text("frame", 16);
  for (const unsigned each : {0u, 0u, 0u, 5u, 9u, 0u, 0u, 5u, 0u, 9u, 0u, 5u}) file.u8(each);
  return file.content;
}

TEST(sound_loader, decodes_a_sound_whole) {
  tracking_allocator memory;
  {
    sound_loader sounds(memory);
    loader_rig rig;
    rig.file("a.wav", make_wav({1, -1, 300, -300}));
    const asset<sound> made = rig.load(sounds, "a.wav");
    ASSERT_EQ(outcome(made), "ready");
    EXPECT_EQ(made->sample_rate(), 22050u);
    EXPECT_EQ(made->channels(), 2u);
    EXPECT_EQ(made->frames(), 2u);
    const std::vector<std::int16_t> samples(made->samples().begin(), made->samples().end());
    EXPECT_EQ(samples, (std::vector<std::int16_t>{1, -1, 300, -300}));
    EXPECT_EQ(memory.total().bytes, 8u);
    EXPECT_EQ(sounds.bytes_of(*made), sizeof(sound) + 8);
  }
  EXPECT_EQ(memory.total().bytes, 0u);
}

TEST(sound_loader, refuses_what_is_no_sound) {
  sound_loader sounds;
  loader_rig rig;
  rig.file("a.md2", make_md2());
  rig.file("a.wav", "RIFF");
  EXPECT_EQ(outcome(rig.load(sounds, "a.md2")),
            "unsupported: not a sound, or in a format that is not decoded");
  EXPECT_EQ(outcome(rig.load(sounds, "a.wav")).substr(0, 7), "corrupt");
}

TEST(model_loader, decodes_a_model) {
  tracking_allocator memory;
  {
    model_loader models(memory);
    loader_rig rig;
    rig.file("a.md2", make_md2());
    const asset<model> made = rig.load(models, "a.md2");
    ASSERT_EQ(outcome(made), "ready");
    EXPECT_EQ(made->view().counts().triangles, 1u);
    EXPECT_EQ(made->view().vertices(0)[2].position[1] + made->view().vertices(0)[1].position[1],
              9.0F);
    EXPECT_EQ(models.bytes_of(*made), sizeof(model) + memory.total().bytes);
    const std::uint64_t said = models.memory_needed({}, make_md2());
    EXPECT_GE(said, sizeof(model) + memory.total().peak_bytes);
    EXPECT_LE(said, sizeof(model) + memory.total().peak_bytes + 1000);
  }
  EXPECT_EQ(memory.total().bytes, 0u);
}

TEST(model_loader, refuses_what_is_no_model_and_gltf) {
  model_loader models;
  loader_rig rig;
  rig.file("a.wav", make_wav({1, 2}));
  rig.file("a.gltf", "{\"buffers\":[{\"uri\":\"a.gltf\"}]}");
  rig.file("a.glb", byte_writer{}.text("glTF").u32(2).u32(24).u32(4).text("JSON{}  ").content);
  for (const char* path : {"a.wav", "a.gltf", "a.glb"}) {
    EXPECT_EQ(outcome(rig.load(models, path)),
              "unsupported: not a model, or in a format that is not decoded");
  }
}

}  // namespace
}  // namespace overture::decoded_loaders_test

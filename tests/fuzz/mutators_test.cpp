// SPDX-License-Identifier: Zlib
//
// A mutator by structure must leave most files readable, or it finds no more than flipped bits do.
#include "mutators/mutators.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "overture/decoders/decoder.hpp"
#include "overture/vfs/file_system.hpp"
#include "support/memory_file_os.hpp"

#include <gtest/gtest.h>

namespace overture::fuzz::mutators_test {
namespace {

constexpr std::size_t size_max = 1u << 16;

// Stands in for LLVMFuzzerMutate: changes, inserts or removes one byte.
std::size_t mutate_one_byte(std::uint8_t* bytes, std::size_t size, std::size_t most) {
  static chance random(1);
  const std::size_t at = size == 0 ? 0 : random.below(size);
  const auto value = static_cast<std::uint8_t>(random.bits());
  if (random.one_in(3) && size > 1) {
    std::copy(bytes + at + 1, bytes + size, bytes + at);
    return size - 1;
  }
  if ((random.one_in(2) && size < most) || size == 0) {
    if (most == 0) return 0;
    std::copy_backward(bytes + at, bytes + size, bytes + size + 1);
    ++size;
  }
  bytes[at] = value;
  return size;
}

std::vector<std::string> seeds(const char* fuzzer, std::string_view extension) {
  std::vector<std::string> all;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(OVERTURE_SEEDS) / fuzzer)) {
    if (file.path().extension() != extension) continue;
    std::ifstream in(file.path(), std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  EXPECT_FALSE(all.empty());
  return all;
}

// How many of a hundred mutated files are accepted, and nearly all must differ from their seed.
double percent_accepted(structure_mutator& mutate, const std::vector<std::string>& seeds,
                        bool (*accepts)(const std::string&)) {
  static constexpr unsigned times = 500;
  double tried = 0;
  double accepted = 0;
  double same = 0;
  for (const std::string& seed : seeds) {
    if (!accepts(seed)) continue;
    for (unsigned i = 0; i < times; ++i) {
      const std::string mutated = mutate(seed, size_max, i, mutate_one_byte);
      EXPECT_FALSE(mutated.empty());
      tried += 1;
      accepted += accepts(mutated) ? 1 : 0;
      same += mutated == seed ? 1 : 0;
    }
  }
  EXPECT_LT(same / tried, 0.2);
  return 100 * accepted / tried;
}

bool mounts(const std::string& bytes, const char* name, mount_format format) {
  memory_file_os os(bytes);
  file_system files({.os = &os});
  const result<mount_id> mount = files.mount(name, {.password = "password"});
  return mount && files.mount_of(*mount).format == format;
}

bool decodes(const std::string& bytes, std::string_view decoder_name) {
  for (const decoder* each : all_decoders()) {
    if (each->name() != decoder_name) continue;
    return each->decode(std::as_bytes(std::span(bytes)), default_allocator()).has_value();
  }
  return false;
}

bool mounts_as_zip(const std::string& bytes) {
  return mounts(bytes, "a.zip", mount_format::zip);
}
bool mounts_as_seven_zip(const std::string& bytes) {
  return mounts(bytes, "a.7z", mount_format::seven_zip);
}
bool decodes_as_png(const std::string& bytes) {
  return decodes(bytes, "png");
}
bool decodes_as_ogg(const std::string& bytes) {
  return decodes(bytes, "vorbis") || decodes(bytes, "opus");
}

}  // namespace

TEST(mutators, most_mutated_zips_can_be_mounted) {
  EXPECT_GT(percent_accepted(mutate_zip, seeds("zip", ".zip"), mounts_as_zip), 85);
}

TEST(mutators, most_mutated_7z_archives_can_be_mounted) {
  EXPECT_GT(percent_accepted(mutate_seven_zip, seeds("seven_zip", ".7z"), mounts_as_seven_zip), 70);
}

TEST(mutators, most_mutated_png_images_can_be_decoded) {
  EXPECT_GT(percent_accepted(mutate_png, seeds("decoders", ".png"), decodes_as_png), 50);
}

TEST(mutators, most_mutated_ogg_sounds_can_be_decoded) {
  std::vector<std::string> files = seeds("decoders", ".ogg");
  for (std::string& opus : seeds("decoders", ".opus")) files.push_back(std::move(opus));
  EXPECT_GT(percent_accepted(mutate_ogg, files, decodes_as_ogg), 50);
}

}  // namespace overture::fuzz::mutators_test

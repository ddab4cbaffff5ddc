// SPDX-License-Identifier: Zlib
//
// Cut and damaged files, for the tests of decoders.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "overture/decoders/decoder.hpp"
#include "support/failing_allocator.hpp"

namespace overture::test {

using bytes = std::vector<std::byte>;

// Appends little-endian numbers.
class byte_writer {
 public:
  byte_writer& u8(std::uint64_t value) { return little(value, 1); }
  byte_writer& u16(std::uint64_t value) { return little(value, 2); }
  byte_writer& u32(std::uint64_t value) { return little(value, 4); }
  byte_writer& f32(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return u32(bits);
  }
  // Cut or zero-padded to `size` bytes unless that is 0.
  byte_writer& text(const std::string& characters, std::size_t size = 0) {
    for (std::size_t i = 0; i < (size == 0 ? characters.size() : size); ++i) {
      u8(i < characters.size() ? static_cast<unsigned char>(characters[i]) : 0);
    }
    return *this;
  }
  byte_writer& append(const bytes& more) {
    content.insert(content.end(), more.begin(), more.end());
    return *this;
  }

  bytes content;

 private:
  byte_writer& little(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) content.push_back(static_cast<std::byte>(value >> 8 * i));
    return *this;
  }
};

inline void put_u16(bytes& file, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 2; ++i) file.at(at + i) = static_cast<std::byte>(value >> 8 * i);
}
inline void put_u32(bytes& file, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 4; ++i) file.at(at + i) = static_cast<std::byte>(value >> 8 * i);
}

// Pseudo-random bytes, the same on every run.
inline std::vector<unsigned char> noise(std::size_t count, unsigned seed = 1) {
  std::vector<unsigned char> made(count);
  for (unsigned char& each : made) {
    seed = seed * 1103515245 + 12345;
    each = static_cast<unsigned char>(seed >> 16);
  }
  return made;
}

// Decodes from a block of exactly the file's size, so that a sanitizer catches any read past it.
inline result<decoded_asset> decode_exactly(const decoder& by, const bytes& file, std::size_t size,
                                            allocator& memory = default_allocator()) {
  const bytes exact(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
  return by.decode(exact, memory);
}

// Calls visit(size, result) for the file cut short at each 1/50th of its length.
template <class Visit>
void decode_each_cut(const decoder& by, const bytes& file, Visit&& visit) {
  for (std::size_t part = 0; part < 50; ++part) {
    const std::size_t size = file.size() * part / 50;
    visit(size, decode_exactly(by, file, size));
  }
}

// Flips up to `tries` bits, one at a time, spread over the first `size` bytes (0: all). The decoder
// may return anything, but must not crash or leak.
inline void decode_flipped(const decoder& by, const bytes& file, std::size_t tries,
                           std::size_t size = 0) {
  const std::size_t bits = (size == 0 ? file.size() : size) * 8;
  const std::size_t step = bits / tries + 1;
  for (std::size_t bit = 0; bit < bits; bit += step) {
    bytes damaged = file;
    damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    tracking_allocator memory;
    {
      (void)decode_exactly(by, damaged, damaged.size(), memory);
    }
    ASSERT_EQ(memory.total().bytes, 0u) << "bit " << bit;
  }
}

// Whether memory_needed() says what decode() takes, and up to `surplus` more; of damaged files at
// least what it takes. It must survive each of them.
inline void expect_memory_needed(const decoder& by, const bytes& file, std::uint64_t surplus = 0) {
  const auto taken = [&by](const bytes& from, bool& is_decoded) {
    tracking_allocator memory;
    is_decoded = by.decode(from, memory).has_value();
    return memory.total().peak_bytes;
  };
  bool is_decoded = false;
  const std::uint64_t whole = taken(file, is_decoded);
  ASSERT_TRUE(is_decoded);
  EXPECT_GE(by.memory_needed(file), whole);
  EXPECT_LE(by.memory_needed(file), whole + surplus);
  for (std::size_t part = 0; part < 50; ++part) {
    const auto size = static_cast<std::ptrdiff_t>(file.size() * part / 50);
    const bytes cut(file.begin(), file.begin() + size);
    EXPECT_GE(by.memory_needed(cut), taken(cut, is_decoded)) << size;
  }
  for (std::size_t bit = 0; bit < std::min<std::size_t>(file.size() * 8, 2000); ++bit) {
    bytes damaged = file;
    damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    EXPECT_GE(by.memory_needed(damaged), taken(damaged, is_decoded)) << bit;
  }
}

// Refuses each allocation in turn until the file decodes. Every refusal must be reported.
inline void expect_refusals(const decoder& by, const bytes& file) {
  for (std::uint64_t call = 0;; ++call) {
    ASSERT_LT(call, 100u);
    failing_allocator memory(call, true);
    const result<decoded_asset> made = by.decode(file, memory);
    if (made) {
      EXPECT_GT(call, 0u) << "the decoder allocated nothing";
      return;
    }
    EXPECT_EQ(made.error().code, errc::out_of_memory);
  }
}

// The name of the error, or "ok".
inline std::string outcome(const result<decoded_asset>& made) {
  return made ? "ok" : to_string(made.error().code);
}

template <class T>
std::vector<T> content(const decoded_asset& asset) {
  std::vector<T> values(asset.bytes().size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), asset.bytes().data(), values.size() * sizeof(T));
  return values;
}

// Red, green, blue and alpha of each pixel; none of an image that failed, which the test then does.
using pixel_values = std::vector<unsigned>;
inline pixel_values values_of(const result<decoded_asset>& image) {
  if (!image) {
    ADD_FAILURE() << image.error().reason;
    return {};
  }
  const auto all = content<unsigned char>(*image);
  return {all.begin(), all.end()};
}

}  // namespace overture::test

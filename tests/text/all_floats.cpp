// SPDX-License-Identifier: Zlib
//
// Compares two decimals of every float with std::to_chars. Takes minutes, so it is not a test:
// text_all_floats [FIRST END] checks these of the 256 ranges of 2^24 floats.
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "overture/text/number.hpp"

int main(int count, char** arguments) {
  constexpr std::uint64_t piece = std::uint64_t{1} << 24;
  const bool some = count == 3;
  const std::uint64_t begin = some ? std::strtoull(arguments[1], nullptr, 10) * piece : 0;
  const std::uint64_t end = some ? std::strtoull(arguments[2], nullptr, 10) * piece : 256 * piece;
  std::atomic<std::uint64_t> next{begin};
  std::atomic<std::uint64_t> wrong{0};
  const auto work = [&] {
    for (std::uint64_t first = next.fetch_add(piece); first < end; first = next.fetch_add(piece)) {
      for (std::uint64_t bits = first; bits < first + piece; ++bits) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        char ours[overture::text::fixed_room<float>(2)];
        char theirs[64];
        const char* const ours_end = overture::text::write_fixed<2>(ours, value);
        const char* const wanted_end =
            std::to_chars(theirs, theirs + sizeof theirs, value, std::chars_format::fixed, 2).ptr;
        const auto bytes = static_cast<std::size_t>(wanted_end - theirs);
        if (static_cast<std::size_t>(ours_end - ours) != bytes ||
            std::memcmp(ours, theirs, bytes) != 0) {
          wrong.fetch_add(1);
        }
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  std::printf("%llu floats, %llu differ\n", static_cast<unsigned long long>(end - begin),
              static_cast<unsigned long long>(wrong.load()));
  return wrong.load() == 0 ? 0 : 1;
}

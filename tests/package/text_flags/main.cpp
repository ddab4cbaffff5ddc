// SPDX-License-Identifier: Zlib
//
// Writes objects with all kinds of numbers as text, reads them back, and prints hashes of both.
// With VARIANTS it runs the programs of these names in its own folder, and fails unless they print
// the same.
#include <overture/text/read.hpp>
#include <overture/text/write.hpp>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace text = overture::text;

struct sample {
  bool enabled;
  float speed;
  float any;
  double exact;
  double decimals;
  std::int64_t count;
};
constexpr auto fields(text::of<sample> /*type*/) {
  return text::field_list(
      text::field("enabled", &sample::enabled), text::field("speed", &sample::speed),
      text::field("any", &sample::any, text::fixed<2>{}), text::field("exact", &sample::exact),
      text::field("decimals", &sample::decimals, text::fixed<9>{}),
      text::field("count", &sample::count));
}
using style = text::script<"sample">;

std::uint64_t hash_of(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// Made from bits, because results of arithmetic may depend on the flags.
overture::paged<sample> samples() {
  overture::paged<sample> made;
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    // Half of them from 0.25 to 64, the range of most numbers.
    const std::uint32_t ordinary = (bits & 0x3FFFFFFu) + 0x3E800000u;
    (void)made.add(sample{i % 2 == 0, std::bit_cast<float>(ordinary), std::bit_cast<float>(bits),
                          std::bit_cast<double>(random() >> 2),
                          static_cast<double>(random() >> 40) / 1024,
                          static_cast<std::int64_t>(random())});
  }
  return made;
}

std::string hashes() {
  const overture::paged<sample> written = samples();
  std::vector<char> room(text::bytes_max<style>(written));
  const auto done = text::write<style>(written, std::span(room));
  if (!done) return "not written";
  const std::string_view all(room.data(), done->bytes);
  overture::paged<sample> back;
  const auto read = text::read<style>(all, back);
  if (!read || *read != written.size()) return "not read";
  std::uint64_t hash = 0xcbf29ce484222325u;
  back.for_each([&hash](const sample& each) {
    const std::uint64_t bits[] = {
        std::bit_cast<std::uint32_t>(each.speed), std::bit_cast<std::uint32_t>(each.any),
        std::bit_cast<std::uint64_t>(each.exact), std::bit_cast<std::uint64_t>(each.decimals),
        static_cast<std::uint64_t>(each.count)};
    hash = hash_of(hash, {reinterpret_cast<const char*>(bits), sizeof bits});
  });
  return std::to_string(hash_of(0xcbf29ce484222325u, all)) + " " + std::to_string(hash);
}

#ifdef VARIANTS
std::string printed_by(const std::string& program) {
  std::string said;
  std::FILE* const output = popen(("'" + program + "'").c_str(), "r");
  if (!output) return said;
  for (int c = 0; (c = std::fgetc(output)) != EOF;) said += static_cast<char>(c);
  return pclose(output) == 0 ? said : "failed: " + said;
}
#endif

}  // namespace

int main([[maybe_unused]] int count, [[maybe_unused]] char** arguments) {
  const std::string ours = hashes();
  if (ours.find("not") != std::string::npos) {
    std::puts(ours.c_str());
    return 1;
  }
#ifdef VARIANTS
  const std::string self = arguments[0];
  const std::string folder = self.substr(0, self.find_last_of('/') + 1);
  std::string_view names = VARIANTS;
  int failures = 0;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(name.size() < names.size() ? name.size() + 1 : names.size());
    const std::string said = printed_by(folder + std::string(name));
    if (said == ours + "\n") continue;
    std::printf("%.*s: %s", static_cast<int>(name.size()), name.data(), said.c_str());
    ++failures;
  }
  std::printf("wanted: %s\n", ours.c_str());
  return failures == 0 ? 0 : 1;
#else
  std::puts(ours.c_str());
  return 0;
#endif
}

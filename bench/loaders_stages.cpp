// SPDX-License-Identifier: Zlib
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <overture/assets/asset_store.hpp>
#include <overture/io/read_queue.hpp>
#include <overture/jobs/thread_pool.hpp>
#include <overture/loaders/texture_loader.hpp>
#include <overture/vfs/file_system.hpp>

#include "harness.hpp"
#include "loaders_parts.hpp"
#include "vfs_tools.hpp"

namespace bench {
namespace {

using namespace overture;
using namespace std::chrono_literals;

constexpr int textures = 500;
constexpr std::uint32_t texture_side = 512;
constexpr std::uint32_t levels = 10;

void put(std::string& to, std::size_t at, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) to[at + i] = static_cast<char>(value >> 8 * i);
}

// BC7 with all levels, the smallest first.
std::string ktx2_file() {
  constexpr std::size_t index = 80;
  std::string made("\xABKTX 20\xBB\r\n\x1A\n", 12);
  made.resize(index + levels * 24 + 32);
  const std::uint32_t header[] = {145, 1, texture_side, texture_side, 0, 0, 1, levels, 0};
  for (std::size_t i = 0; i < std::size(header); ++i) put(made, 12 + 4 * i, header[i], 4);
  put(made, 48, index + levels * 24, 4);
  put(made, 52, 28, 4);
  for (std::uint32_t level = levels; level-- > 0;) {
    const std::uint64_t blocks = std::max(texture_side >> level >> 2, 1u);
    made.resize((made.size() + 15) / 16 * 16);
    const std::size_t entry = index + level * 24;
    put(made, entry, made.size(), 8);
    put(made, entry + 8, blocks * blocks * 16, 8);
    put(made, entry + 16, blocks * blocks * 16, 8);
    made.append(blocks * blocks * 16, static_cast<char>('a' + level));
  }
  return made;
}

// Uploads on the main thread, as far as the store is concerned.
class uploading_loader final : public loaders::texture_loader {
 public:
  using texture_loader::texture_loader;
  [[nodiscard]] bool free_threaded() const noexcept override { return false; }
};

struct times {
  double first_s = 0;  // all have a value
  double all_s = 0;    // of their whole file
};

times load(file_system& files, std::uint64_t first_bytes) {
  thread_pool jobs = thread_pool::for_this_machine();
  read_queue reads(files);
  uploading_loader by(default_allocator(), first_bytes);
  asset_store store(files, reads, jobs);
  if (!store.add(by)) throw std::runtime_error("no loader");
  std::vector<asset<loaders::texture>> held;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (int i = 0; i < textures; ++i) {
    held.push_back(store.get<loaders::texture>(fmt::format("{}.ktx2", i)));
  }
  times took;
  std::size_t ready = 0;
  std::size_t whole = 0;
  while (whole < held.size()) {
    (void)store.pump(1ms);
    while (ready < held.size() && held[ready].is_ready()) ++ready;
    if (ready == held.size() && took.first_s == 0) took.first_s = seconds();
    while (whole < ready && held[whole]->levels == levels) ++whole;
    if (ready < held.size() && held[ready].state() == asset_state::failed) {
      throw std::runtime_error(held[ready].status().error().reason);
    }
  }
  took.all_s = seconds();
  return took;
}

}  // namespace

void measure_stages(results& out, int rounds) {
  constexpr std::uint64_t first_bytes = 16u << 10;
  const folder_of_its_own folder;
  const std::string content = ktx2_file();
  for (int i = 0; i < textures; ++i) {
    (void)folder.write(fmt::format("{}.ktx2", i), content);
  }
  file_system files;
  if (!files.mount((folder / "").c_str()) || !files.freeze()) throw std::runtime_error("no files");
  std::vector<double> first;
  std::vector<double> staged;
  std::vector<double> plain;
  for (int round = 0; round <= rounds; ++round) {
    const times in_stages = load(files, first_bytes);
    const times at_once = load(files, 0);
    if (round == 0) continue;
    first.push_back(in_stages.first_s);
    staged.push_back(in_stages.all_s);
    plain.push_back(at_once.all_s);
  }
  const std::string name = fmt::format("{} textures", textures);
  out.metric(name + ", read whole, ms", spread_of(plain).median * 1e3);
  out.goal(name + " in stages, to the first levels / to all", ratio(first, staged), 0.25);
  out.metric(name + " in stages / read whole", ratio(staged, plain).median);
}

}  // namespace bench

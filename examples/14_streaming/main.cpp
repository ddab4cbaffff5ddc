// SPDX-License-Identifier: Zlib
//
// Walks through a world whose tiles load as they come near, the nearest first, and leave behind.
// Each frame the distance of a tile becomes its priority. What is out of view is dropped, and never
// loads if it has not begun to.
// With --map it draws what is loaded ('#') and what comes ('.') on the console.
#include <cmath>
#include <cstdio>
#include <map>
#include <thread>
#include <vector>

#include "overture/overture.hpp"
#include "world.hpp"

using namespace overture;
using namespace std::chrono_literals;

namespace {

struct ground {
  std::size_t bytes = 0;
};
class ground_loader final : public loader<ground> {
 public:
  result<ground> decode(std::span<const std::byte> bytes, load_context&) override {
    return ground{bytes.size()};  // a game decodes an image here, and uploads it in finalize()
  }
};

struct tile {
  asset<ground> on;
};
class tile_loader final : public loader<tile> {
 public:
  result<tile> decode(std::span<const std::byte> bytes, load_context& context) override {
    const char* const text = reinterpret_cast<const char*>(bytes.data());
    return tile{context.need<ground>(std::string_view(text, bytes.size()))};
  }
  bool free_threaded() const noexcept override { return true; }  // nothing to upload
};

using place = std::pair<int, int>;
constexpr float view = 12;  // tiles

// What is in view is held, with the priority of its distance.
void follow(asset_store& store, std::map<place, asset<tile>>& held, float x, float y) {
  const auto distance = [&](place of) {
    return std::hypot(static_cast<float>(of.first) - x, static_cast<float>(of.second) - y);
  };
  std::erase_if(held, [&](const auto& each) { return distance(each.first) > view; });
  std::vector<priority_change> changes;
  for (int i = 0; i < world::side * world::side; ++i) {
    const place at{i % world::side, i / world::side};
    if (distance(at) > view) continue;
    const asset_priority urgency = within(asset_priority::normal, 1 - distance(at) / view);
    asset<tile>& here = held[at];
    if (!here.valid()) here = store.get<tile>(world::path_of_tile(at.first, at.second), urgency);
    if (!here.is_ready()) changes.emplace_back(here, urgency);
  }
  store.set_priorities(changes);
}

}  // namespace

int main(int argc, char** /*argv*/) {
  const world::folder folder;
  file_system files;
  if (auto mounted = files.mount(folder.path()); !mounted) return 1;
  thread_pool jobs = thread_pool::for_this_machine();
  read_queue reads{files};
  ground_loader grounds;
  tile_loader tiles;
  asset_store store{files, reads, jobs, {.keep_bytes = 0}};
  if (!store.add(grounds) || !store.add(tiles)) return 1;

  std::map<place, asset<tile>> held;
  std::map<asset_event_kind, int> counts;
  const auto count = [&](const asset_event& event) { ++counts[event.kind]; };
  for (int frame = 0; frame < 60; ++frame) {
    const auto begin = std::chrono::steady_clock::now();
    const float x = 6 + 0.6f * static_cast<float>(frame);
    follow(store, held, x, 24 + 14 * std::sin(x / 6));
    store.pump(2ms);
    (void)store.take_events(count);
    if (argc > 1 && frame % 15 == 0) {
      world::draw([&](int column, int row) {
        const auto found = held.find({column, row});
        return found == held.end() ? ' ' : found->second.is_ready() ? '#' : '.';
      });
    }
    std::this_thread::sleep_until(begin + 16ms);  // what a game draws meanwhile
  }
  for (const auto& [where, each] : held) store.wait_for(each, 10s);
  (void)store.take_events(count);
  std::printf("%zu tiles in view; loaded %d, left %d, failed %d\n", held.size(),
              counts[asset_event_kind::loaded], counts[asset_event_kind::unloaded],
              counts[asset_event_kind::failed]);
  return counts[asset_event_kind::failed] == 0 ? 0 : 1;
}

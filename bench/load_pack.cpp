// SPDX-License-Identifier: Zlib
//
// A game packed into one ZIP (`overture pack`), against the archives as delivered; and how long a
// disk takes for what a player needs first, in each order.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string_view>

#include "load_parts.hpp"
#include "overture/io/simulated_disk.hpp"
#include "overture/load/load_record.hpp"
#include "overture_load.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;
using overture::entry_index;

// --- Packs ---------------------------------------------------------------------------------------

class packed_game {
 public:
  packed_game(const data_set& data, const char* name, const std::string& options)
      : path_(fs::temp_directory_path() / fmt::format("overture-{}-{}.zip", getpid(), name)) {
    const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
    std::string command = fmt::format("'{}' pack --quiet {} '{}'", (bin / "overture").string(),
                                      options, path_.string());
    for (const fs::path& mount : data.mounts) command += " '" + mount.string() + "'";
    if (std::system(command.c_str()) != 0) {
      throw std::runtime_error("cannot pack; run ./dev build bin/overture first");
    }
  }
  ~packed_game() { fs::remove(path_); }
  packed_game(const packed_game&) = delete;
  packed_game& operator=(const packed_game&) = delete;

  [[nodiscard]] std::vector<fs::path> mounts() const { return {path_}; }
  [[nodiscard]] double bytes() const { return static_cast<double>(fs::file_size(path_)); }

 private:
  fs::path path_;
};

// --- Layout --------------------------------------------------------------------------------------

// Where a file's packed bytes are.
struct placed {
  std::size_t archive = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool first_need = false;
};

struct layout {
  std::vector<std::uint64_t> archives;  // their sizes
  std::vector<placed> files;            // in the order of the tree
};

// The menu, its sounds and shaders, and the main theme.
bool is_first_need(std::string_view path) {
  for (const std::string_view begin : {"menu/", "gfx/2d/", "scripts/", "sound/misc/"}) {
    if (path.starts_with(begin)) return true;
  }
  return path == "music/OA01.ogg";
}

layout as_delivered(const data_set& data) {
  layout found;
  overture::file_system files;
  std::vector<overture::mount_id> mounts;
  mounts.reserve(data.mounts.size());
  found.archives.reserve(data.mounts.size());
  for (const fs::path& mount : data.mounts) {
    const auto mounted = files.mount(mount.c_str());
    if (!mounted) throw std::runtime_error(mounted.error().reason);
    mounts.push_back(*mounted);
    found.archives.push_back(fs::file_size(mount));
  }
  if (!files.freeze()) throw std::runtime_error("cannot merge the mounts");
  for (entry_index i = 0; i < files.entry_count(); ++i) {
    const overture::entry_info info = files.entry(i);
    const auto opened = files.open(i);
    if (!opened) throw std::runtime_error(opened.error().reason);
    const auto archive = std::find(mounts.begin(), mounts.end(), info.mount) - mounts.begin();
    found.files.push_back({static_cast<std::size_t>(archive), opened->place().offset,
                           opened->place().read_bytes, is_first_need(info.path)});
  }
  return found;
}

// One archive with the files in this order.
layout as_packed(const layout& from, const std::vector<std::size_t>& order) {
  layout packed = from;
  packed.archives = {0};
  for (const std::size_t file : order) {
    packed.files[file].archive = 0;
    packed.files[file].offset = packed.archives[0];
    packed.archives[0] += packed.files[file].bytes;
  }
  return packed;
}

struct reading {
  const overture::simulated_disk* disk;
  std::size_t left = 0;       // of the first need
  std::size_t in_flight = 0;  // of all
  std::uint64_t done_ns = 0;
};
void ended(void* to) {
  --static_cast<reading*>(to)->in_flight;
}
void ended_first_need(void* to) {
  auto& now = *static_cast<reading*>(to);
  --now.in_flight;
  if (--now.left == 0) now.done_ns = now.disk->now_ns();
}

// In how much of the disk's time all of the first need has been read, if the files are asked for in
// this order, `at_once` at a time.
double seconds_to_first_need(const layout& from, const std::vector<std::size_t>& order,
                             std::size_t at_once, bool recorded,
                             const overture::disk_model& model) {
  overture::simulated_disk disk(model);
  std::vector<overture::source_id> archives;
  archives.reserve(from.archives.size());
  for (const std::uint64_t bytes : from.archives) archives.push_back(*disk.add_file(bytes));
  overture::read_queue reads(disk, {.disk = &disk});
  std::uint64_t largest = 0;
  for (const placed& file : from.files) largest = std::max(largest, file.bytes);
  std::vector<std::byte> room(largest);  // shared by all reads, whose bytes do not matter
  std::vector<overture::read_request> requests(order.size());
  reading now{&disk};
  for (const placed& file : from.files) now.left += file.first_need ? 1 : 0;
  for (std::size_t next = 0; now.left > 0; (void)reads.poll()) {
    for (; next < order.size() && now.in_flight < at_once; ++next, ++now.in_flight) {
      const placed& file = from.files[order[next]];
      overture::read_request& request = requests[next];
      request.source = archives[file.archive];
      request.offset = file.offset;
      request.destination = std::span(room).first(file.bytes);
      if (recorded) {
        request.sort_key = static_cast<std::uint32_t>(next) / overture::recorded_files_together;
      }
      request.done = {file.first_need ? ended_first_need : ended, &now};
      reads.submit({&request, 1});
    }
  }
  reads.drain();
  return static_cast<double>(now.done_ns) * 1e-9;
}

}  // namespace

void measure_pack(const data_set& data, unsigned threads, int rounds, results& into) {
  const packed_game deflate(data, "deflate", "");
  const packed_game zstd(data, "zstd", "--zstd");
  double delivered_bytes = 0;
  for (const fs::path& mount : data.mounts) {
    delivered_bytes += static_cast<double>(fs::file_size(mount));
  }
  overture_load delivered(data.mounts, {.threads = threads});
  overture_load from_deflate(deflate.mounts(), {.threads = threads});
  overture_load from_zstd(zstd.mounts(), {.threads = threads});
  std::vector<variant> variants = {
      {"as delivered", [&] { delivered.run(); }},
      {"deflate", [&] { from_deflate.run(); }},
      {"zstd", [&] { from_zstd.run(); }},
  };
  const std::string prefix = fmt::format("{}, {} threads, packed: ", data.name, threads);
  interleave(variants, rounds, prefix);
  for (const variant& each : variants) {
    into.metric(prefix + each.name + " wall ms", time_of(each, clock::wall).median * 1e3);
  }
  into.goal(prefix + "zstd, x faster than as delivered",
            ratio(variants[0], variants[2], clock::wall), 1.3, false);
  into.goal(prefix + "deflate, x the time as delivered",
            ratio(variants[1], variants[0], clock::wall), 1.02);
  into.goal(prefix + "deflate, x the size", spread_of({deflate.bytes() / delivered_bytes}), 1.03);
  into.goal(prefix + "zstd, x the size", spread_of({zstd.bytes() / delivered_bytes}), 1);
}

void measure_layout(const data_set& data, unsigned, int, results& into) {
  if (data.name != "openarena") return;  // whose menu is known
  const layout delivered = as_delivered(data);
  std::vector<std::size_t> by_path(delivered.files.size());
  std::iota(by_path.begin(), by_path.end(), std::size_t{0});
  // A game asks in an order of its own, which a record has.
  std::vector<std::size_t> recorded;
  for (const std::size_t file : by_path) {
    if (delivered.files[file].first_need) recorded.push_back(file);
  }
  std::shuffle(recorded.begin(), recorded.end(), std::mt19937(7));
  std::vector<std::size_t> led = recorded;
  for (const std::size_t file : by_path) {
    if (!delivered.files[file].first_need) led.push_back(file);
  }
  const layout packed = as_packed(delivered, led);
  into.metric(data.name + ", first need: files", static_cast<double>(recorded.size()));
  const struct {
    const char* name;
    overture::disk_model model;
    double goal;
  } disks[] = {
      {"spinning disk", {}, 2},
      {"SSD",
       {.seek_ns = 0, .latency_ns = 80'000, .bytes_per_second = 2'000'000'000, .depth = 32},
       0.98},
  };
  for (const auto& disk : disks) {
    const auto seconds = [&](const layout& from, const std::vector<std::size_t>& order,
                             std::size_t at_once, bool by_record) {
      return seconds_to_first_need(from, order, at_once, by_record, disk.model);
    };
    constexpr std::size_t in_flight = 256;  // as in a load
    const double neither = seconds(delivered, by_path, in_flight, false);
    const double alone = seconds(delivered, recorded, 1, false);
    const std::string prefix = fmt::format("{}, first need, simulated {}: ", data.name, disk.name);
    into.metric(prefix + "in a load ms", neither * 1e3);
    into.metric(prefix + "one file after another ms", alone * 1e3);
    into.goal(prefix + "in a load, x faster by a record",
              spread_of({neither / seconds(delivered, led, in_flight, true)}), disk.goal, false);
    into.goal(prefix + "in a load, x faster by a record and a pack",
              spread_of({neither / seconds(packed, led, in_flight, true)}), disk.goal, false);
    into.goal(prefix + "one file after another, x faster by a pack",
              spread_of({alone / seconds(packed, recorded, 1, false)}), disk.goal, false);
  }
}

}  // namespace bench

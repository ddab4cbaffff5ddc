// SPDX-License-Identifier: Zlib
//
// Assets through handles: what they cost beside a load_scope, and what a frame notices of a load.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "load_parts.hpp"
#include "overture/archives/zip_builder.hpp"
#include "overture/overture.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;
using overture::asset;
using overture::asset_priority;
using overture::now_ns;

template <class Result>
void check(const Result& outcome) {
  if (!outcome) throw std::runtime_error(outcome.error().reason);
}

// --- Ten thousand small files -------------------------------------------------------------------

constexpr int small_files = 10'000;

std::string write_small_files() {
  const std::string path = std::filesystem::temp_directory_path() / "overture_bench_assets.zip";
  overture::operating_system& os = overture::system_os();
  check(overture::replace_file(os, path.c_str(), [&](overture::os_handle file) {
    overture::zip_builder zip(os, file);
    const std::string content(200, 'x');
    const auto bytes = std::as_bytes(std::span(content));
    for (int i = 0; i < small_files; ++i) {
      const std::string name = fmt::format("{:02}/{:05}.txt", i % 100, i);
      check(zip.begin({.name = name, .bytes = content.size()}));
      check(zip.write(bytes));
      check(zip.end(overture::crc32(bytes)));
    }
    return zip.finish();
  }));
  return path;
}

struct small {
  std::size_t bytes = 0;
};

class small_loader final : public overture::loader<small> {
 public:
  overture::result<small> decode(std::span<const std::byte> bytes,
                                 overture::load_context&) override {
    return small{bytes.size()};
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }
};

// What a game does with an asset, with the least of everything.
class nothing_sink final : public overture::asset_sink {
 public:
  overture::result<void> finalize(overture::entry_index, overture::decoded_asset&,
                                  std::span<const std::byte>) override {
    return {};
  }
};

void measure_small(unsigned threads, int rounds, results& into) {
  const std::string archive = write_small_files();
  overture::tracking_allocator memory;
  overture::file_system files({.memory = &memory});
  check(files.mount(archive.c_str()));
  check(files.freeze());
  std::vector<overture::asset_path> paths;
  for (overture::entry_index i = 0; i < files.entry_count(); ++i) {
    const overture::entry_info entry = files.entry(i);
    paths.push_back({entry.path, entry.id});
  }
  overture::thread_pool jobs({.workers = threads, .memory = &memory});
  overture::read_queue reads(files, {.memory = &memory});
  small_loader loader;
  overture::asset_store store(files, reads, jobs, {.keep_bytes = 0, .memory = &memory});
  check(store.add(loader));
  std::vector<asset<small>> held(paths.size());
  nothing_sink sink;
  overture::buffer_pool buffers({.memory = &memory});

  const auto by_handles = [&] {
    for (std::size_t i = 0; i < paths.size(); ++i) held[i] = store.get<small>(paths[i]);
    for (const asset<small>& each : held) each.settled().wait();
  };
  const auto give_up = [&] {
    for (asset<small>& each : held) each = {};
    while (store.progress().asked > 0) store.pump(1ms);
  };
  const auto by_scope = [&] {
    overture::load_scope load(
        files, reads, jobs,
        {.decode = false, .sink = &sink, .buffers = &buffers, .memory = &memory});
    check(load.start());
    while (!load.wait_for(10s)) {
    }
  };
  std::vector<variant> variants = {{"handles", by_handles, give_up}, {"scope", by_scope}};
  const std::string prefix = fmt::format("10,000 files of 200 bytes, {} workers: ", threads);
  interleave(variants, rounds, prefix);
  std::vector<double> extra_us;
  for (std::size_t i = 0; i < variants[0].samples.size(); ++i) {
    const double seconds = variants[0].samples[i].wall_s - variants[1].samples[i].wall_s;
    extra_us.push_back(seconds / small_files * 1e6);
  }
  for (const variant& each : variants) {
    into.metric(prefix + each.name + " us each",
                time_of(each, clock::wall).median / small_files * 1e6);
    into.metric(prefix + each.name + " cpu us each",
                time_of(each, clock::cpu).median / small_files * 1e6);
  }
  into.goal(prefix + "handles - scope us each", spread_of(extra_us), 2);

  const std::uint64_t before = memory.total().allocations;
  by_handles();
  const double allocations = static_cast<double>(memory.total().allocations - before);
  give_up();
  into.goal(prefix + "allocations in a later round / assets",
            spread_of({allocations / small_files}), 0.01);
  std::filesystem::remove(archive);
}

// --- Priorities by distance ----------------------------------------------------------------------

// What a frame pays for new priorities of much that waits: nothing loads meanwhile.
void measure_priorities(int rounds, results& into) {
  constexpr std::size_t waiting = 2000;
  constexpr std::size_t changed = 5000;
  overture::file_system files;
  overture::thread_pool jobs({.workers = 0});
  overture::read_queue reads(files);
  small_loader loader;
  overture::asset_store store(files, reads, jobs, {.background_threads = 0});
  check(store.add(loader));
  std::vector<asset<small>> held;
  held.reserve(waiting);
  for (std::size_t i = 0; i < waiting; ++i) held.push_back(store.get<small>(std::to_string(i)));
  std::mt19937 random(1);
  std::vector<double> ms;
  for (int frame = 0; frame < 20 * rounds; ++frame) {
    std::vector<overture::priority_change> changes;
    changes.reserve(changed);
    for (std::size_t i = 0; i < changed; ++i) {
      changes.emplace_back(held[random() % waiting], static_cast<asset_priority>(random() % 256));
    }
    const std::uint64_t begin = now_ns();
    store.set_priorities(changes);
    ms.push_back(static_cast<double>(now_ns() - begin) / 1e6);
  }
  into.goal("5,000 new priorities of 2,000 waiting assets, ms", spread_of(ms), 0.5);
}

// --- A frame beside a load ----------------------------------------------------------------------

// Whatever a file holds, decoded.
struct content {
  overture::decoded_asset decoded;
};

class content_loader final : public overture::loader<content> {
 public:
  overture::result<content> decode(std::span<const std::byte> bytes,
                                   overture::load_context& context) override {
    content made;
    for (const overture::decoder* each : overture::all_decoders()) {
      if (!each->accepts(context.path().text, bytes)) continue;
      auto decoded = each->decode(bytes, overture::default_allocator());
      if (!decoded) return tl::unexpected(decoded.error());
      made.decoded = *std::move(decoded);
      break;
    }
    return made;
  }
  // Stands for an upload: 4 MiB of it each millisecond.
  overture::result<overture::finalize_step> finalize(content& value,
                                                     std::chrono::nanoseconds) override {
    const std::uint64_t until = now_ns() + value.decoded.bytes().size() / 4;
    while (now_ns() < until) {
    }
    return overture::finalize_step::done;
  }
};

std::uint64_t spin_for(std::uint64_t ns) {
  const std::uint64_t until = now_ns() + ns;
  while (now_ns() < until) {
  }
  return until;
}

// 8 jobs of 200 us, at 60 Hz. Returns how long each frame's jobs took, in ms.
template <class Between>
std::vector<double> frames(overture::thread_pool& jobs, int count, Between between) {
  std::vector<double> took;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t begin = now_ns();
    {
      overture::job_group frame{jobs};
      for (int j = 0; j < 8; ++j) {
        frame.run([] { (void)spin_for(200'000); }, {.priority = overture::job_priority::high});
      }
    }
    took.push_back(static_cast<double>(now_ns() - begin) / 1e6);
    if (!between()) break;
    const std::uint64_t end = begin + 16'666'667;
    const std::uint64_t now = now_ns();
    if (now < end) std::this_thread::sleep_for(std::chrono::nanoseconds(end - now));
  }
  return took;
}

struct frame_times {
  double p50 = 0;
  double p99 = 0;
};

}  // namespace

void measure_assets(const data_set& data, unsigned threads, int rounds, results& into) {
  static bool small_done = false;
  if (!std::exchange(small_done, true)) {
    measure_small(std::max(threads, 2u) - 1, rounds, into);
    measure_priorities(rounds, into);
  }

  overture::file_system files;
  for (const std::filesystem::path& mount : data.mounts) check(files.mount(mount.c_str()));
  check(files.freeze());
  overture::thread_pool jobs({.workers = std::max(threads, 2u) - 1});
  overture::read_queue reads(files);
  std::vector<overture::asset_path> paths;
  for (overture::entry_index i = 0; i < files.entry_count(); ++i) {
    const overture::entry_info entry = files.entry(i);
    paths.push_back({entry.path, entry.id});
  }
  content_loader contents;
  const std::string prefix = fmt::format("{}, {} threads: ", data.name, threads);
  std::vector<double> p50;
  std::vector<double> p99;
  std::vector<double> pump_p99;
  std::vector<double> first_need;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> alone = frames(jobs, 120, [] { return true; });
    {
      overture::asset_store store(files, reads, jobs, {.keep_bytes = 0});
      check(store.add(contents));
      std::vector<asset<content>> held;
      held.reserve(paths.size());
      for (const overture::asset_path& path : paths) {
        held.push_back(store.get<content>(path, asset_priority::background));
      }
      std::vector<double> pumps;
      const std::vector<double> beside = frames(jobs, 120, [&] {
        const std::uint64_t begin = now_ns();
        store.pump(4ms);
        pumps.push_back(static_cast<double>(now_ns() - begin) / 1e6);
        return store.progress().ready + store.progress().failed < store.progress().asked;
      });
      p50.push_back(percentile(beside, 0.5) / percentile(alone, 0.5));
      p99.push_back(percentile(beside, 0.99) / percentile(alone, 0.99));
      pump_p99.push_back(percentile(pumps, 0.99));
    }
    // What the menu needs: every twentieth file, alone and among everything.
    double seconds[2] = {};
    for (const bool among : {false, true}) {
      overture::asset_store store(files, reads, jobs, {.keep_bytes = 0});
      check(store.add(contents));
      std::vector<asset<content>> held;
      std::vector<asset<content>> menu;
      const std::uint64_t begin = now_ns();
      if (among) {
        for (const overture::asset_path& path : paths) held.push_back(store.get<content>(path));
      }
      for (std::size_t i = 0; i < paths.size(); i += 20) {
        menu.push_back(store.get<content>(paths[i], asset_priority::high));
      }
      for (const asset<content>& each : menu) store.wait_for(each, 60s);
      seconds[among ? 1 : 0] = static_cast<double>(now_ns() - begin) / 1e9;
    }
    first_need.push_back(seconds[1] / seconds[0]);
  }
  into.goal(prefix + "frame beside a background load / alone, p50", spread_of(p50), 1.15);
  into.goal(prefix + "frame beside a background load / alone, p99", spread_of(p99), 1.5);
  into.goal(prefix + "pump(4 ms), p99 ms", spread_of(pump_p99), 6);
  into.goal(prefix + "first need among everything / alone", spread_of(first_need), 1.2);
}

}  // namespace bench

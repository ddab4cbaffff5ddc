// SPDX-License-Identifier: Zlib
//
// For tests of asset_store: assets that count what of them is in memory, in MiB that they only
// claim.
#pragma once

#include <atomic>
#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "assets/store_rig.hpp"

namespace overture::test {

inline constexpr std::uint64_t mib = 1u << 20;

// Of all that is alive.
struct tally {
  std::atomic<std::uint64_t> now{0};
  std::atomic<std::uint64_t> peak{0};
  std::atomic<int> decodes{0};

  void add(std::uint64_t size) {
    const std::uint64_t sum = now += size;
    std::uint64_t most = peak;
    while (sum > most && !peak.compare_exchange_weak(most, sum)) {
    }
  }
};

class claim {
 public:
  claim(tally& of, std::uint64_t size) : of_(&of), size_(size) { of.add(size); }
  claim(claim&& other) noexcept : of_(std::exchange(other.of_, nullptr)), size_(other.size_) {}
  claim& operator=(claim&&) = delete;
  claim(const claim&) = delete;
  claim& operator=(const claim&) = delete;
  ~claim() {
    if (of_ != nullptr) of_->now -= size_;
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  tally* of_;
  std::uint64_t size_;
};

// A file has a number, which is the size of its part in MiB.
struct part {
  claim memory;
};

class part_loader final : public loader<part> {
 public:
  explicit part_loader(tally& to) : tally_(to) {}

  result<part> decode(std::span<const std::byte> bytes, load_context&) override {
    ++tally_.decodes;
    return part{claim(tally_, size_in(bytes))};
  }
  std::uint64_t memory_needed(const asset_path&,
                              std::span<const std::byte> bytes) const noexcept override {
    ++reads;
    return states ? size_in(bytes) * mib : 0;
  }
  bool free_threaded() const noexcept override { return is_free; }
  std::uint64_t bytes_of(const part& one) const noexcept override {
    return one.memory.size() * mib;
  }

  bool is_free = false;
  bool states = true;
  mutable std::atomic<int> reads{0};

 private:
  static std::uint64_t size_in(std::span<const std::byte> bytes) noexcept {
    std::uint64_t size = 0;
    for (const std::byte each : bytes) size = size * 10 + (std::to_integer<unsigned>(each) - '0');
    return size;
  }

  tally& tally_;
};

// A file has a line for each asset that a level needs: a part, or another level with '@' before it,
// or with '~' if the level keeps no handle on that, or a size of its own with '='.
struct level {
  claim memory;
  std::vector<asset<part>> parts;
  std::vector<asset<level>> levels;
};

class level_loader final : public loader<level> {
 public:
  explicit level_loader(tally& to) : tally_(to) {}

  result<level> decode(std::span<const std::byte> bytes, load_context& context) override {
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::uint64_t own = 0;
    std::vector<asset<part>> parts;
    std::vector<asset<level>> levels;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('=')) {
        own = std::stoul(line.substr(1));
      } else if (line.starts_with('@')) {
        levels.push_back(context.need<level>(line.substr(1)));
      } else if (line.starts_with('~')) {
        (void)context.need<level>(line.substr(1));
      } else {
        parts.push_back(context.need<part>(line));
      }
    }
    return level{claim(tally_, own), std::move(parts), std::move(levels)};
  }
  bool free_threaded() const noexcept override { return is_free; }
  std::uint64_t bytes_of(const level& one) const noexcept override {
    return one.memory.size() * mib;
  }

  bool is_free = false;

 private:
  tally& tally_;
};

struct memory_rig : store_rig {
  tally sum;
  part_loader parts{sum};
  level_loader levels{sum};

  explicit memory_rig(const rig_options& options = {}) : store_rig(options) {}

  // A level of so many parts of this size.
  void add_level(const std::string& name, int count, int size = 1) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
      const std::string path = name + ".d/" + std::to_string(i);
      add(path, std::to_string(size));
      lines += path + "\n";
    }
    add(name, lines);
  }
};

struct memory_store : asset_store {
  memory_store(memory_rig& with, const asset_store_config& config)
      : asset_store(with.engine.files, with.engine.reads, with.engine.jobs, config), rig(with) {
    if (!add(rig.parts) || !add(rig.levels)) throw std::runtime_error("a loader was not added");
  }
  template <class T>
  bool is_ready(const asset<T>& one) {
    return wait_for(one, hang) && one.is_ready();
  }
  // Runs all that can run without pump(), for a pool without workers.
  void run_jobs() {
    for (bool moves = true; moves;) {
      while (rig.engine.jobs.try_help()) {
      }
      moves = false;
      (void)for_each_unsettled([&](const unsettled_asset& one) {
        const bool stands = std::string_view(one.what) == "room in the budget";
        moves |=
            one.state == asset_state::reading || (one.state == asset_state::decoding && !stands);
      });
      std::this_thread::yield();
    }
  }

  memory_rig& rig;
};

}  // namespace overture::test

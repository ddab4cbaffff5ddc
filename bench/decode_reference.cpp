// SPDX-License-Identifier: Zlib
#include "decode_reference.hpp"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "harness.hpp"

namespace bench {
namespace {

class stop_watch {
 public:
  // Seconds since the last lap.
  double lap() {
    const auto before = std::exchange(last_, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(last_ - before).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

kept_outputs count(const std::vector<plain_output>& outputs) {
  kept_outputs sum;
  for (const plain_output& each : outputs) {
    if (!each.made) continue;
    ++sum.made;
    sum.bytes += each.bytes;
  }
  return sum;
}

plain_loop::plain_loop(const std::vector<std::filesystem::path>& mounts)
    : files_(mounts),
      everything_(files_.all().size()),
      outputs_(everything_.size()),
      seconds_(everything_.size()) {
  std::iota(everything_.begin(), everything_.end(), std::size_t{0});
}

void plain_loop::run(unsigned threads, const std::vector<std::size_t>& which) {
  while (rooms_.size() < threads) rooms_.push_back(std::make_unique<file_loader>());
  on_threads(threads, which.size(), [&](unsigned thread, std::size_t turn) {
    const std::size_t i = which[turn];
    const raw_file& file = files_.all()[i];
    file_loader& room = *rooms_[thread];
    stop_watch watch;
    room.read(file);
    seconds_[i].read = watch.lap();
    const std::span<const std::byte> content = room.unpack(file);
    seconds_[i].unpack = watch.lap();
    outputs_[i] = plain_decode(file.name, content);
    seconds_[i].decode = watch.lap();
  });
}

void plain_loop::clear() {
  for (plain_output& each : outputs_) each = {};
}

stage_seconds plain_loop::seconds() const {
  stage_seconds sum;
  for (const stage_seconds& each : seconds_) {
    sum.read += each.read;
    sum.unpack += each.unpack;
    sum.decode += each.decode;
  }
  return sum;
}

std::vector<std::vector<std::size_t>> plain_loop::split(unsigned parts) const {
  std::vector<std::size_t> longest_first = everything_;
  std::sort(longest_first.begin(), longest_first.end(),
            [&](std::size_t a, std::size_t b) { return seconds_[a].sum() > seconds_[b].sum(); });
  std::vector<std::vector<std::size_t>> shares(parts);
  std::vector<double> work(parts);
  for (const std::size_t file : longest_first) {
    const auto least = std::min_element(work.begin(), work.end()) - work.begin();
    shares[static_cast<std::size_t>(least)].push_back(file);
    work[static_cast<std::size_t>(least)] += seconds_[file].sum();
  }
  // In the order in which one process would take them.
  for (std::vector<std::size_t>& share : shares) std::sort(share.begin(), share.end());
  return shares;
}

void game_loop::run() {
  seconds_ = {};
  stop_watch watch;
  (void)source_.run(
      1, [&](std::size_t i, const std::string& name, std::span<const std::byte> content) {
        seconds_.read += watch.lap();
        outputs_[i] = plain_decode(name, content);
        seconds_.decode += watch.lap();
      });
}

void game_loop::clear() {
  for (plain_output& each : outputs_) each = {};
}

void return_free_memory() {
  (void)malloc_trim(0);
}

}  // namespace bench

// SPDX-License-Identifier: Zlib
#include "load/recorded_order.hpp"

#include <algorithm>
#include <tuple>

#include "load/choice.hpp"
#include "overture/load/load_record.hpp"

namespace overture::load_detail {
using namespace base_detail;

namespace {

// A microsecond of work counts like so many bytes: work at 1 GB/s, which is about what a file
// without a record is taken for.
constexpr std::uint64_t bytes_per_us = 1000;
constexpr std::uint64_t cost_us_max = 3'600'000'000;  // an hour: a record may say anything

constexpr std::uint32_t unranked = UINT32_MAX;

void weigh(load_state& load, std::uint32_t number, std::uint64_t cost_us) noexcept {
  std::uint64_t& weight = load.records[number].listed_bytes;
  load.listed_bytes -= weight;
  weight = std::min(cost_us, cost_us_max) * bytes_per_us;
  load.listed_bytes += weight;
}

// The place of each file in the record, and its weight.
bool rank_files(load_state& load, const load_record& record, vec<std::uint32_t>& ranks) noexcept {
  if (!ranks.resize(load.records.size())) return false;
  std::fill(ranks.begin(), ranks.end(), unranked);
  for (std::uint32_t i = 0; i < record.size(); ++i) {
    const recorded_file known = record[i];
    const result<entry_index> entry = load.files.find({known.path, {hash64(known.path)}});
    const std::uint32_t number = entry ? number_of(load, *entry) : index_stack::none;
    if (number == index_stack::none || ranks[number] != unranked) continue;
    ranks[number] = i;
    weigh(load, number, known.cost_us);
  }
  return true;
}

}  // namespace

bool follow_record(load_state& load) noexcept {
  if (!load.options.recorded) return true;
  struct ranked {
    load_priority priority = load_priority::none;
    std::uint32_t rank = unranked;
    std::uint32_t position = 0;  // in the order so far
    std::uint32_t number = 0;
  };
  vec<std::uint32_t> ranks(load.memory, memory_tag::load);
  vec<ranked> files(load.memory, memory_tag::load);
  if (!rank_files(load, *load.options.recorded, ranks) || !files.reserve(load.order.size())) {
    return false;
  }
  for (std::uint32_t i = 0; i < load.order.size(); ++i) {
    const std::uint32_t number = load.order[i];
    (void)files.push_back({load.priority_of(number), ranks[number], i, number});  // has room
  }
  std::sort(files.begin(), files.end(), [](const ranked& a, const ranked& b) {
    return std::tuple(b.priority, a.rank, a.position) < std::tuple(a.priority, b.rank, b.position);
  });
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    load.order[i] = files[i].number;
    load.records[files[i].number].sort_key = i / recorded_files_together;
  }
  return true;
}

}  // namespace overture::load_detail

// SPDX-License-Identifier: Zlib
#include "report/over_budget.hpp"

#include <fmt/core.h>

#include "terminal/display.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

std::uint64_t in_flight(const report& what, memory_tag module) {
  return what.summary.in_flight_by_module[static_cast<std::size_t>(module)];
}

std::string size(std::uint64_t bytes) {
  return human_bytes(static_cast<double>(bytes));
}

// Some codecs need more than what they make.
std::string codec_memory(const report& what) {
  const std::uint64_t peak = in_flight(what, memory_tag::decode);
  const std::uint64_t made = what.largest.decoded_bytes;
  return peak > made + made / 4 ? fmt::format(", for which decoders took up to {}", size(peak))
                                : "";
}

}  // namespace

// One file that does not fit is loaded all the same, alone.
std::string over_budget(const report& what, std::size_t columns) {
  const std::uint64_t peak = what.summary.in_flight_bytes_max;
  if (what.budget_bytes == 0 || peak <= what.budget_bytes) return {};
  std::string text =
      fmt::format("{} in flight, over the budget of {}: ", size(peak), size(what.budget_bytes));
  const report_need& largest = what.largest;
  if (const std::uint64_t blocks = in_flight(what, memory_tag::vfs); blocks > largest.total()) {
    text += fmt::format("a solid block takes up to {}; repack with smaller ones", size(blocks));
  } else if (!largest.path.empty()) {
    text += fmt::format("{} has {} to be decoded to {}{}, and what does not fit is loaded alone",
                        printable(largest.path), size(largest.packed_bytes + largest.bytes),
                        size(largest.decoded_bytes), codec_memory(what));
  } else {
    return {};
  }
  return wrapped(text, columns, "  ", "    ");
}

}  // namespace overture::cli

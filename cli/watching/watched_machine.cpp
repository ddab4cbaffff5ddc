// SPDX-License-Identifier: Zlib
#include "watching/watched_machine.hpp"

#include <fmt/core.h>

#include "terminal/display.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

std::uint64_t bytes_read(const watch::load_view& view) {
  std::uint64_t sum = 0;
  for (const watch::file_use& each : view.files) sum += each.bytes;
  return sum;
}

std::string size_of(std::uint64_t bytes) {
  return human_bytes(static_cast<double>(bytes));
}

}  // namespace

std::optional<std::uint64_t> device_bytes(const watch::watched_process& process) {
  std::optional<std::uint64_t> sum;
  for (const watch::watched_thread& each : process.threads) {
    if (each.kernel) sum = sum.value_or(0) + each.kernel->read_bytes;
  }
  return sum;
}

std::string machine_sentence(const watched_machine& of) {
  std::string text = counted(of.processors, "processor", "processors");
  if (!of.processor.empty()) text += fmt::format(" ({})", printable(of.processor));
  for (const std::string& each : {of.system, of.date}) {
    if (!each.empty()) text += ", " + printable(each);
  }
  return text + '.';
}

std::string cache_sentence(const watch::load_view& view) {
  constexpr std::uint64_t share_of_warm = 20;  // at most one part in so many came from a device
  const std::optional<std::uint64_t> device = device_bytes(view.process);
  const std::uint64_t read = bytes_read(view);
  if (!device || read == 0) return {};
  if (*device == 0) {
    return fmt::format("Warm: the page cache had all of the {} that it read.", size_of(read));
  }
  if (*device * share_of_warm <= read) {
    return fmt::format("Warm: the page cache had what it read, but for {} of {}.", size_of(*device),
                       size_of(read));
  }
  return fmt::format(
      "Cold in part: a device gave {}, files and code of the whole run; the program read {}.",
      size_of(*device), size_of(read));
}

}  // namespace overture::cli

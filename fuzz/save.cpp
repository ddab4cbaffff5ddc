// SPDX-License-Identifier: Zlib
//
// Loads the input as a save. If the first byte says so, the hashes of its lines and pages are
// corrected first, to reach the checks after them. The save must be refused, or read and salvaged
// to the same objects.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "overture/base/hash.hpp"
#include "overture/text/save.hpp"
#include "support/failing_allocator.hpp"
#include "support/memory_file_os.hpp"
#include "text/sample.hpp"
#include "text/save_lines.hpp"

namespace {

using namespace overture;
using units = paged<sample::unit, 64>;
using style = text::script<"unit">;

// A broken guarantee of the interface stops the fuzzer like a crash.
void require(bool kept) {
  if (!kept) std::abort();
}

// Rewrites the line with the same values and a correct hash.
template <class Line>
bool mend(std::string& text, std::size_t at, Line& line) {
  if (at > text.size() || text.size() - at < text::save_lines::bytes_of<Line>) return false;
  (void)text::save_lines::get(text.data() + at, line);
  text::save_lines::put(text.data() + at, line);
  return true;
}

void mend_all(std::string& text) {
  using namespace text::save_lines;
  head top;
  if (!mend(text, 0, top)) return;
  std::size_t at = bytes_of<head>;
  section each;
  for (std::uint64_t i = 0; i < top.sections && mend(text, at, each); ++i) at += bytes_of<section>;
  page line;
  for (std::uint64_t i = 0; i < top.pages && mend(text, at, line); ++i, at += bytes_of<page>) {
    if (line.offset > text.size() || line.bytes > text.size() - line.offset) continue;
    line.hash = hash64({text.data() + line.offset, line.bytes});
    put(text.data() + at, line);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) mend_all(text);
  const std::uint64_t choice = hash64(text);
  // Some inputs are read from a file, and of these some with one allocation refused or one call of
  // the system failed.
  memory_file_os os(text);
  failing_allocator memory(choice % 8 == 1 ? choice / 8 % 4 : UINT64_MAX);
  if (choice % 8 == 2) os.fail_call(static_cast<int>(choice / 8 % 4), EIO);
  text::save_file save(memory);
  const text::save_options options{.version = 3};
  const auto used =
      choice % 8 < 4 ? save.load(os, "fuzzed.save", options) : save.load_bytes(text, options);
  require(os.open_handles() == 0);
  if (!used) require(used.error().reason[0] != '\0');
  bool any_damage = false;
  save.for_each_damage([&](const text::save_damage& each) {
    any_damage = true;
    require(each.problem.reason[0] != '\0');
  });
  require(!used || !any_damage);
  for (std::size_t i = 0; i < save.section_count(); ++i) {
    const std::string_view name = save.section(i).name;
    units whole;
    const auto read = save.read<style>(name, whole);
    if (!read) require(whole.page_count() == 0);
    units rest;
    const auto salvaged = save.salvage<style>(name, rest);
    require(!salvaged || rest.size() == salvaged->objects);
    if (read) require(salvaged && salvaged->objects == *read && salvaged->pages_lost == 0);
  }
  return 0;
}

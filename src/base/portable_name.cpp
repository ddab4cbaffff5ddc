// SPDX-License-Identifier: Zlib
#include "overture/base/portable_name.hpp"

#include <algorithm>

// Rules from Microsoft's "Naming Files, Paths, and Namespaces".
namespace overture {
namespace {

// Devices are in every folder and have any extension: opening nul.txt of a mod reads no file, and
// con waits for a key. ':' ends the name as '.' does, and spaces before either are ignored.
bool is_device(std::string_view element) noexcept {
  std::string_view stem = element.substr(0, element.find_first_of(".:"));
  while (stem.ends_with(' ')) stem.remove_suffix(1);
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto same = [small](std::string_view name, std::string_view device) {
    return std::ranges::equal(name, device, {}, small);
  };
  for (const std::string_view device : {"con", "prn", "aux", "nul", "conin$", "conout$"}) {
    if (same(stem, device)) return true;
  }
  const std::string_view kind = stem.substr(0, 3);
  if (!same(kind, "com") && !same(kind, "lpt")) return false;
  const std::string_view port = stem.substr(kind.size());
  // Superscript digits count too.
  return (port.size() == 1 && port[0] >= '0' && port[0] <= '9') || port == "\xC2\xB9" ||
         port == "\xC2\xB2" || port == "\xC2\xB3";
}

const char* flaw_of_element(std::string_view element) noexcept {
  for (const char c : element) {
    if (static_cast<unsigned char>(c) < 0x20) {
      return "a control character in the name, which Windows does not allow";
    }
    if (c == ':') return "a colon in the name, which Windows takes for a stream or a drive";
    if (std::string_view("<>\"|?*").find(c) != std::string_view::npos) {
      return "a character in the name that Windows does not allow";
    }
  }
  if (is_device(element)) return "the name of a device on Windows";
  if (element.ends_with('.')) return "the name ends with a dot, which Windows removes";
  if (element.ends_with(' ')) return "the name ends with a space, which Windows removes";
  return nullptr;
}

}  // namespace

const char* portable_name_flaw(std::string_view path) noexcept {
  for (;;) {
    const std::size_t slash = path.find('/');
    if (const char* const flaw = flaw_of_element(path.substr(0, slash))) return flaw;
    if (slash == std::string_view::npos) return nullptr;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace overture

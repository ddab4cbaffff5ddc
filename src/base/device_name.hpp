// Device names of Windows. They name a device in every folder and with any extension: opening
// nul.txt of a mod reads no file, and con waits for a key. Rules from Microsoft's "Naming Files,
// Paths, and Namespaces"; ':' ends the name as '.' does, and spaces before either are ignored.
#pragma once

#include <algorithm>
#include <string_view>

namespace overture::base_detail {

constexpr bool is_device(std::string_view element) noexcept {
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

// True if any element of a '/'-separated path is a device name.
constexpr bool names_a_device(std::string_view path) noexcept {
  for (;;) {
    const std::size_t slash = path.find('/');
    if (is_device(path.substr(0, slash))) return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace overture::base_detail

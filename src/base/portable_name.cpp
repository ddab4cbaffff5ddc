#include "overture/base/portable_name.hpp"

#include "base/device_name.hpp"

namespace overture {
namespace {

// Rules from Microsoft's "Naming Files, Paths, and Namespaces".
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
  if (base_detail::is_device(element)) return "the name of a device on Windows";
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

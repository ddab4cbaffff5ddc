// Text: checks that it is UTF-8 and counts the lines.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/ascii.hpp"
#include "decoders/table.hpp"
#include "overture/base/path.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

// Formats that are UTF-8 by specification or convention. Formats that declare their encoding
// somewhere inside (.po, .html) are left out; XML declares it up front.
constexpr std::array<std::string_view, 25> text_extensions = {
    "txt",  "md",  "cfg",    "ini",   "conf",   "json", "yaml", "yml",  "toml",
    "csv",  "lua", "js",     "py",    "stl",    "nfo",  "stwm", "glsl", "frag",
    "vert", "lst", "shader", "arena", "script", "menu", "info"};

// Whether an XML file is in another encoding, by its byte order mark, a first character of two or
// four bytes, or its declaration (XML 1.0, appendix F).
bool is_xml_in_other_encoding(std::string_view content) noexcept {
  if (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF")) return true;
  if (content.substr(0, 4).find('\0') != std::string_view::npos) return true;
  if (!content.starts_with("<?xml")) return false;
  constexpr std::size_t declaration_bytes_max = 256;
  std::string_view rest = content.substr(0, declaration_bytes_max);
  rest = rest.substr(0, rest.find("?>"));
  constexpr std::string_view key = "encoding";
  const std::size_t at = rest.find(key);
  if (at == std::string_view::npos) return false;
  rest.remove_prefix(at + key.size());
  const std::size_t begin = rest.find_first_of("\"'");
  if (begin == std::string_view::npos) return false;
  const std::string_view name =
      rest.substr(begin + 1, rest.find(rest[begin], begin + 1) - begin - 1);
  return !equals_ignoring_case(name, "utf-8") && !equals_ignoring_case(name, "us-ascii");
}

class text final : public decoder {
 public:
  const char* name() const noexcept override { return "text"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    const std::string_view ending = extension(path);
    if (equals_ignoring_case(ending, "xml")) {
      return !is_xml_in_other_encoding({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return std::any_of(text_extensions.begin(), text_extensions.end(),
                       [&](std::string_view known) { return equals_ignoring_case(ending, known); });
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
    if (const std::size_t flaw = first_ill_formed(content); flaw != content.size()) {
      return fail(errc::corrupt, "text is not valid UTF-8", {},
                  flaw + (bytes.size() - content.size()));
    }
    result<decoded_asset> made = decoded_asset::make(asset_kind::text, content.size(), memory);
    if (!made) return made;
    if (!content.empty()) std::memcpy(made->bytes().data(), content.data(), content.size());
    made->lines = static_cast<std::uint64_t>(std::count(content.begin(), content.end(), '\n'));
    if (!content.empty() && content.back() != '\n') ++made->lines;
    return made;
  }

 private:
  // The offset of the first byte that is not valid UTF-8, or the size.
  static std::size_t first_ill_formed(std::string_view content) noexcept {
    std::size_t i = 0;
    while (i < content.size()) {
      std::uint64_t eight = 0;
      if (content.size() - i >= sizeof eight) {
        std::memcpy(&eight, content.data() + i, sizeof eight);
        if ((eight & 0x8080808080808080u) == 0) {
          i += sizeof eight;
          continue;
        }
      }
      const std::size_t length = detail::utf8_length(content.substr(i));
      if (length == 0) return i;
      i += length;
    }
    return i;
  }
};

}  // namespace

const decoder& text_decoder() noexcept {
  static const text instance;
  return instance;
}

}  // namespace overture::decoders_detail

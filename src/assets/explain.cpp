// SPDX-License-Identifier: Zlib
#include "assets/explain.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "overture/base/case_fold.hpp"
#include "overture/base/limits.hpp"

namespace overture::assets_detail {

namespace {

// Appends text as far as it fits.
class reason_text {
 public:
  explicit reason_text(std::span<char> room) noexcept : room_(room) { room_[0] = '\0'; }

  void add(std::string_view part) noexcept {
    const std::size_t fitting = std::min(part.size(), room_.size() - 1 - length_);
    if (fitting > 0) std::memcpy(room_.data() + length_, part.data(), fitting);
    length_ += fitting;
    room_[length_] = '\0';
  }
  void add(std::size_t number) noexcept {
    char digits[20];
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    add(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }
  // Paths may come from files, where a line can end with "\r".
  void add_path(std::string_view path) noexcept {
    if (path.empty()) add("(no name)");
    for (const char& each : path) {
      const bool is_control = static_cast<unsigned char>(each) < ' ' || each == '\x7F';
      add(is_control ? std::string_view("?") : std::string_view(&each, 1));
    }
  }
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

 private:
  std::span<char> room_;
  std::size_t length_ = 0;
};

bool same_name(std::string_view a, std::string_view b) noexcept {
  char folded_a[limits::path_element_bytes_max * 2];
  char folded_b[limits::path_element_bytes_max * 2];
  const std::size_t a_size = fold_case(a, folded_a);
  const std::size_t b_size = fold_case(b, folded_b);
  return a_size != folded_text_too_long &&
         std::string_view(folded_a, a_size) == std::string_view(folded_b, b_size);
}

void add_missing(reason_text& out, file_system& files, const failure_chain& chain) noexcept {
  out.add(chain.why.reason);
  char room[limits::path_bytes_max];
  const std::string_view path = chain.links[chain.length - 1]->path.text;
  const result<std::string_view> other = spelled_otherwise(files, path, room);
  if (!other || *other == path) return;  // it has come since
  out.add("; did you mean ");
  out.add_path(*other);
  out.add("?");
}

// "w.scn#wheel (game::mesh, settings 0x01)"
void add_link(reason_text& out, const failure_chain& chain, std::size_t i) noexcept {
  out.add_path(chain.links[i]->path.text);
  if (!chain.links[i]->part.empty()) {
    out.add("#");
    out.add_path(chain.links[i]->part);
  }
  const std::string_view type = chain.types[i];
  const std::string_view settings = chain.settings[i];
  if (type.empty() && settings.empty()) return;
  out.add(" (");
  out.add(type);
  if (!settings.empty()) {
    char room[2 * overture::detail::settings_bytes_max + 2];
    out.add(type.empty() ? "settings " : ", settings ");
    out.add({room, settings_text(settings, room)});
  }
  out.add(")");
}

// "; game::wall has 24 bytes where its loader is, and 32 here"
void add_types(reason_text& out, const failure_chain& chain) noexcept {
  const type_key& loaded = chain.namesake->type;
  const type_key& asked = chain.links[chain.length - 1]->type;
  const bool same_bytes = loaded.bytes == asked.bytes;
  out.add("; ");
  out.add(chain.namesake->type_name);
  out.add(same_bytes ? " is aligned to " : " has ");
  out.add(same_bytes ? loaded.alignment : loaded.bytes);
  out.add(" bytes where its loader is, and ");
  out.add(same_bytes ? asked.alignment : asked.bytes);
  out.add(" where it was asked for");
}

}  // namespace

result<std::string_view> spelled_otherwise(file_system& files, std::string_view path,
                                           std::span<char> room) noexcept {
  std::size_t length = 0;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    const std::string_view folder(room.data(), length);
    bool found = false;
    bool is_exact = false;
    bool fits = true;
    const std::size_t at = length + (length > 0 ? 1 : 0);
    const auto take = [&](std::string_view as) noexcept {
      fits = at + as.size() <= room.size();
      if (!fits) return;
      if (length > 0) room[length] = '/';
      std::memcpy(room.data() + at, as.data(), as.size());
    };
    const asset_path below = folder.empty() ? asset_path{} : asset_path{folder, {hash64(folder)}};
    std::size_t size = 0;
    (void)files.enumerate(below, [&](const folder_item& item) {
      is_exact = item.name == name;
      if (!is_exact && (found || !same_name(item.name, name))) return true;
      found = true;
      size = item.name.size();
      take(item.name);
      return !is_exact;
    });
    if (!found) return fail(errc::not_found, "no path differs from this one only by case");
    if (!fits) return fail(errc::limit, "the path does not fit");
    length = at + size;
  }
  return std::string_view(room.data(), length);
}

std::size_t explain(file_system& files, const failure_chain& chain, std::span<char> text) noexcept {
  reason_text out(text);
  for (std::size_t i = 0; i < chain.length; ++i) {
    if (i > 0) out.add(" needs ");
    if (chain.left_out > 0 && i == chain.links.size() / 2) {
      out.add("... (");
      out.add(chain.left_out);
      out.add(" more) needs ");
    }
    add_link(out, chain, i);
  }
  if (chain.length == 0) return 0;
  out.add(": ");
  if (chain.why.code == errc::not_found) {
    add_missing(out, files, chain);
  } else if (chain.at.line != 0) {
    out.add("line ");
    out.add(chain.at.line);
    out.add(", column ");
    out.add(chain.at.column);
    out.add(": ");
    out.add(chain.why.reason);
  } else {
    error why = chain.why;
    why.path = {};  // it is in the chain
    char room[2 * limits::path_bytes_max];
    (void)files.explain(why, room);
    out.add(std::string_view(room));
  }
  if (chain.namesake != nullptr) add_types(out, chain);
  if (chain.has_come) out.add("; that has loaded since: retry()");
  return out.length();
}

std::size_t explain(std::string_view reason, std::span<char> text) noexcept {
  reason_text out(text);
  out.add(reason);
  return out.length();
}

}  // namespace overture::assets_detail

namespace overture {

std::size_t settings_text(std::string_view settings, std::span<char> text) noexcept {
  const std::size_t last = settings.find_last_not_of('\0');
  const std::string_view rest = settings.substr(0, last + 1);  // empty if there is none
  const auto is_printable = [](char each) { return each >= ' ' && each <= '~'; };
  std::size_t length = 0;
  const auto add = [&](std::string_view what) {
    length += what.copy(text.data() + length, text.size() - length);
  };
  if (rest.size() > 1 && std::all_of(rest.begin(), rest.end(), is_printable)) {
    add("\"");
    add(rest);
    add("\"");
    return length;
  }
  add(settings.empty() ? "" : "0x");
  for (const char each : rest.empty() ? settings.substr(0, 1) : rest) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(each);
    add(digits.substr(byte >> 4, 1));
    add(digits.substr(byte & 15, 1));
  }
  return length;
}

}  // namespace overture

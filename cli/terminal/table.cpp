// SPDX-License-Identifier: Zlib
#include "terminal/table.hpp"

#include <algorithm>

#include "terminal/display.hpp"

namespace overture::cli {

namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t gap = 2;
constexpr std::size_t last_column_min = 12;  // shorter text would say nothing

}  // namespace

std::string table::render(const text_style& style) const {
  const std::size_t last = columns_.size() - 1;
  std::vector<std::size_t> widths;
  std::size_t before_last = indent;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
    if (i < last) before_last += width + gap;
  }
  std::size_t last_max = SIZE_MAX;
  if (style.width > 0 && before_last + last_column_min > style.width) return render_stacked(style);
  if (style.width > 0) {
    last_max = style.width - before_last;
    widths[last] = std::min(widths[last], last_max);
  }

  std::string lines;
  const auto add_line = [&](const auto& shown, const auto& dressed) {
    lines.append(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string shown_text =
          i == last ? shorten(shown(i), last_max, style.unicode) : shown(i);
      const std::size_t padding = widths[i] - std::min(widths[i], display_width(shown_text));
      const bool right = columns_[i].side == align::right;
      if (right) lines.append(padding, ' ');
      lines += dressed(i, shown_text);
      if (!right && i != last) lines.append(padding, ' ');
      if (i != last) lines.append(gap, ' ');
    }
    lines.erase(lines.find_last_not_of(' ') + 1);
    lines += '\n';
  };
  const bool titled = std::any_of(columns_.begin(), columns_.end(),
                                  [](const column& c) { return !c.title.empty(); });
  if (titled) {
    add_line([&](std::size_t i) { return columns_[i].title; },
             [&](std::size_t, const std::string& text) { return style.dim(text); });
  }
  for (const auto& row : rows_) {
    add_line([&](std::size_t i) { return row[i].text; },
             [&](std::size_t i, const std::string& text) {
               return row[i].look ? (style.*row[i].look)(text) : text;
             });
  }
  return lines;
}

std::string table::render_stacked(const text_style& style) const {
  constexpr std::size_t inner_indent = 2 * indent;
  const std::size_t last = columns_.size() - 1;
  const auto room = [&](std::size_t used) {
    return style.width - std::min<std::size_t>(style.width, used);
  };
  const auto dressed = [&](const cell& of, const std::string& text) {
    return of.look ? (style.*of.look)(text) : text;
  };
  std::string lines;
  for (const std::vector<cell>& row : rows_) {
    lines.append(indent, ' ');
    lines += dressed(row[last], shorten(row[last].text, room(indent), style.unicode)) + '\n';
    std::size_t used = 0;
    for (std::size_t i = 0; i < last; ++i) {
      if (row[i].text.empty()) continue;
      const std::string& title = columns_[i].title;
      const std::size_t title_width = title.empty() ? 0 : display_width(title) + 1;
      const std::string text = shorten(
          row[i].text, std::max<std::size_t>(room(inner_indent + title_width), 1), style.unicode);
      const std::size_t width = title_width + display_width(text);
      if (used != 0 && used + gap + width > style.width) {
        lines += '\n';
        used = 0;
      }
      lines.append(used == 0 ? inner_indent : gap, ' ');
      used += (used == 0 ? inner_indent : gap) + width;
      if (!title.empty()) lines += style.dim(title) + ' ';
      lines += dressed(row[i], text);
    }
    if (used != 0) lines += '\n';
  }
  return lines;
}

}  // namespace overture::cli

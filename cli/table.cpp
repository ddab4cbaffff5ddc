#include "table.hpp"

#include <algorithm>

#include "display.hpp"

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
  if (style.width > 0) {
    last_max = std::max<std::size_t>(style.width - std::min<std::size_t>(style.width, before_last),
                                     last_column_min);
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

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
//
// A table with columns aligned by display width.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "terminal/style.hpp"

namespace overture::cli {

class table {
 public:
  enum class align : unsigned char { left, right };
  struct column {
    std::string title;
    align side = align::right;
  };
  // A printable cell. `look` styles it after padding.
  struct cell {
    cell(std::string shown) : text(std::move(shown)) {}  // NOLINT(google-explicit-constructor)
    cell(std::string shown, std::string (text_style::*dress)(std::string_view) const)
        : text(std::move(shown)), look(dress) {}

    std::string text;
    std::string (text_style::*look)(std::string_view) const = nullptr;
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<cell> cells) { rows_.push_back(std::move(cells)); }

  // Lines are indented by two columns. The last column is cut to the style's width. Where that
  // leaves nothing of it, each row becomes a few lines: the last cell, and below it the others with
  // their titles.
  [[nodiscard]] std::string render(const text_style& style) const;

 private:
  [[nodiscard]] std::string render_stacked(const text_style& style) const;

  std::vector<column> columns_;
  std::vector<std::vector<cell>> rows_;
};

using align = table::align;

}  // namespace overture::cli

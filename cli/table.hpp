// A table of aligned columns, by what a terminal shows of each cell.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "style.hpp"

namespace overture::cli {

class table {
 public:
  enum class align : unsigned char { left, right };
  struct column {
    std::string title;
    align side = align::right;
  };
  // A cell, already printable. `look` dresses it after it was padded.
  struct cell {
    cell(std::string shown) : text(std::move(shown)) {}  // NOLINT(google-explicit-constructor)
    cell(std::string shown, std::string (text_style::*dress)(std::string_view) const)
        : text(std::move(shown)), look(dress) {}

    std::string text;
    std::string (text_style::*look)(std::string_view) const = nullptr;
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<cell> cells) { rows_.push_back(std::move(cells)); }

  // Each line indented by two columns. The last column is cut where the style has a width.
  [[nodiscard]] std::string render(const text_style& style) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<cell>> rows_;
};

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
//
// A table of a page that its reader can sort.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace overture::report_detail {

struct page_cell {
  // NOLINTBEGIN(google-explicit-constructor): a cell is its text
  page_cell(std::string of) : text(std::move(of)) {}
  page_cell(const char* of) : text(of) {}
  // NOLINTEND(google-explicit-constructor)
  page_cell(std::string of, std::uint64_t number) : text(std::move(of)), value(number) {}

  std::string text;
  std::optional<std::uint64_t> value;  // what it is sorted by
};

class page_table {
 public:
  // Heads that begin with "n:" are of numbers.
  page_table(std::string caption, std::vector<std::string> heads)
      : caption_(std::move(caption)), heads_(std::move(heads)) {}

  // A sentence more in its caption.
  void say(const std::string& sentence) {
    caption_ += caption_.empty() ? sentence : ' ' + sentence;
  }
  void row(std::vector<page_cell> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] std::string html() const;

 private:
  [[nodiscard]] bool is_number(std::size_t column) const {
    return heads_[column].starts_with("n:");
  }

  std::string caption_;
  std::vector<std::string> heads_;
  std::vector<std::vector<page_cell>> rows_;
};

}  // namespace overture::report_detail

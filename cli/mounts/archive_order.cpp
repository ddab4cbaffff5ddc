// SPDX-License-Identifier: Zlib
#include "mounts/archive_order.hpp"

#include <algorithm>
#include <string_view>

namespace overture::cli {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Takes the digits at the front of the text, without leading zeros.
std::string_view take_number(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

// Below 0, 0 or above 0.
int compare(std::string_view a, std::string_view b, bool numbers) {
  while (!a.empty() && !b.empty()) {
    if (numbers && is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view one = take_number(a);
      const std::string_view other = take_number(b);
      if (one.size() != other.size()) return one.size() < other.size() ? -1 : 1;
      if (const int by_digits = one.compare(other); by_digits != 0) return by_digits;
      continue;
    }
    const auto one = static_cast<unsigned char>(lower(a.front()));
    const auto other = static_cast<unsigned char>(lower(b.front()));
    if (one != other) return one < other ? -1 : 1;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() ? (b.empty() ? 0 : -1) : 1;
}

}  // namespace

void sort_archives(std::vector<std::string>& paths, archive_order order) {
  std::sort(paths.begin(), paths.end(), [order](const std::string& a, const std::string& b) {
    const int found =
        order == archive_order::bytes ? 0 : compare(a, b, order == archive_order::natural);
    return found != 0 ? found < 0 : a < b;
  });
}

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
//
// Capital letters and digits of 3 x 5 pixels.
#pragma once

#include <cstdint>

inline constexpr int letter_columns = 3;
inline constexpr int letter_rows = 5;

// An octal digit is a row, the first the top one.
constexpr std::uint16_t pixels_of(char letter) {
  constexpr std::uint16_t capitals[] = {025755, 065656, 034443, 065556, 074647, 074644, 034553,
                                        055755, 072227, 011152, 055655, 044447, 057755, 065555,
                                        025552, 065644, 025563, 065655, 034216, 072222, 055557,
                                        055552, 055775, 055255, 055222, 071247};
  constexpr std::uint16_t digits[] = {075557, 026227, 061247, 061216, 055711,
                                      074616, 034757, 071244, 075757, 075716};
  if (letter >= 'A' && letter <= 'Z') return capitals[letter - 'A'];
  if (letter >= '0' && letter <= '9') return digits[letter - '0'];
  return 0;
}

// visit(column, row) for each pixel that is set.
template <class Visit>
void for_each_pixel_of(char letter, const Visit& visit) {
  for (int place = letter_columns * letter_rows; place-- > 0;) {
    if ((pixels_of(letter) >> place & 1) == 0) continue;
    const int from_top_left = letter_columns * letter_rows - 1 - place;
    visit(from_top_left % letter_columns, from_top_left / letter_columns);
  }
}

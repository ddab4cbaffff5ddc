// SPDX-License-Identifier: Zlib
#include "base/system/cp932.hpp"
#include "base/system/paths_windows.hpp"

namespace overture {

bool base_detail::decode_cp932(std::string_view text, std::span<char> room,
                               std::size_t& length) noexcept {
  constexpr UINT shift_jis = 932;
  wchar_t wide[limits::path_bytes_max];
  length = 0;
  if (text.empty()) return true;
  if (text.size() > limits::path_bytes_max) return false;
  const int units = MultiByteToWideChar(shift_jis, MB_ERR_INVALID_CHARS, text.data(),
                                        static_cast<int>(text.size()), wide,
                                        static_cast<int>(limits::path_bytes_max));
  return units > 0 && to_utf8({wide, static_cast<std::size_t>(units)}, room, length);
}

}  // namespace overture

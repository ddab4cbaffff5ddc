// SPDX-License-Identifier: Zlib
//
// Reads the bytes as a program or a library whose functions `overture watch` names.
#include <cstdint>
#include <string>
#include <string_view>

#include "watch/model/symbols.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace overture::watch;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const symbol_table table = symbol_table::of_file(bytes);
  for (std::uint64_t i = 0; i < 64; ++i) {
    (void)readable_name(table.name_at(table.base() + i * 0x10));
  }
  (void)table.name_at(UINT64_MAX);
  (void)readable_name(bytes.substr(0, 200));
  return 0;
}

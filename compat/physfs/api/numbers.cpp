// SPDX-License-Identifier: Zlib
//
// Numbers of a given byte order.
#include <bit>
#include <cstdint>

#include "errors.hpp"
#include "physfs.h"

namespace {

template <class T>
constexpr T swapped(T value) {
  auto rest = static_cast<std::uint64_t>(value);
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i, rest >>= 8) result = result << 8 | (rest & 0xFF);
  return static_cast<T>(result);
}

template <std::endian Order, class T>
constexpr T ordered(T value) {
  return Order == std::endian::native ? value : swapped(value);
}

template <std::endian Order, class T>
int read_number(PHYSFS_File* file, T* value) {
  if (!value) return physfs::refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  T read{};
  if (PHYSFS_readBytes(file, &read, sizeof read) != sizeof read) return 0;
  *value = ordered<Order>(read);
  return 1;
}

template <std::endian Order, class T>
int write_number(PHYSFS_File* file, T value) {
  const T stored = ordered<Order>(value);
  return PHYSFS_writeBytes(file, &stored, sizeof stored) == sizeof stored ? 1 : 0;
}

}  // namespace

#define OVERTURE_PHYSFS_NUMBER(KIND, TYPE, ORDER)                  \
  PHYSFS_##TYPE PHYSFS_swap##KIND(PHYSFS_##TYPE value) {           \
    return ordered<std::endian::ORDER>(value);                     \
  }                                                                \
  int PHYSFS_read##KIND(PHYSFS_File* file, PHYSFS_##TYPE* value) { \
    return read_number<std::endian::ORDER>(file, value);           \
  }                                                                \
  int PHYSFS_write##KIND(PHYSFS_File* file, PHYSFS_##TYPE value) { \
    return write_number<std::endian::ORDER>(file, value);          \
  }
OVERTURE_PHYSFS_NUMBER(SLE16, sint16, little)
OVERTURE_PHYSFS_NUMBER(ULE16, uint16, little)
OVERTURE_PHYSFS_NUMBER(SLE32, sint32, little)
OVERTURE_PHYSFS_NUMBER(ULE32, uint32, little)
OVERTURE_PHYSFS_NUMBER(SLE64, sint64, little)
OVERTURE_PHYSFS_NUMBER(ULE64, uint64, little)
OVERTURE_PHYSFS_NUMBER(SBE16, sint16, big)
OVERTURE_PHYSFS_NUMBER(UBE16, uint16, big)
OVERTURE_PHYSFS_NUMBER(SBE32, sint32, big)
OVERTURE_PHYSFS_NUMBER(UBE32, uint32, big)
OVERTURE_PHYSFS_NUMBER(SBE64, sint64, big)
OVERTURE_PHYSFS_NUMBER(UBE64, uint64, big)

// SPDX-License-Identifier: Zlib
//
// What all functions of the C interface need: memory for handles, errors as C has them, options of
// any version.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "c/given_allocator.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/blob.hpp"
#include "overture/base/error.hpp"
#include "overture/base/path.hpp"
#include "overture/c/base.h"
#include "overture/vfs/file_system.hpp"

namespace overture::c {

inline constexpr const char* no_memory = "out of memory";

template <class T, class... Arguments>
[[nodiscard]] T* make(Arguments&&... arguments) noexcept {
  void* const memory = default_allocator().allocate(sizeof(T), alignof(T), memory_tag::host);
  return memory == nullptr ? nullptr : ::new (memory) T(std::forward<Arguments>(arguments)...);
}

template <class T>
void destroy(T* made) noexcept {
  made->~T();
  default_allocator().deallocate(made, sizeof(T), alignof(T), memory_tag::host);
}

// --- Errors
// ---------------------------------------------------------------------------------------

constexpr overture_code code_of(errc code) noexcept {
  return static_cast<overture_code>(code) + 1;
}
static_assert(code_of(errc::not_found) == OVERTURE_NOT_FOUND);
static_assert(code_of(errc::cancelled) == OVERTURE_CANCELLED);
static_assert(code_of(errc::threw) == OVERTURE_THREW);

// What a callback returned; anything but a code of an error counts as invalid.
constexpr errc errc_of(overture_code code) noexcept {
  return code > OVERTURE_OK && code <= OVERTURE_THREW ? static_cast<errc>(code - 1) : errc::invalid;
}

// At most so many bytes, without a part of a character.
inline std::string_view front_of(std::string_view text, std::size_t bytes) noexcept {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0u) == 0x80u) --bytes;
  return text.substr(0, bytes);
}

// The functions below fill in the error, unless it is null, and return its code.
overture_code fine(overture_error* error) noexcept;
// The texts are joined.
overture_code failed(overture_error* error, errc code, std::string_view text,
                     std::string_view more = {}) noexcept;
// `subject` is what the error is about, or empty.
overture_code failed(overture_error* error, const overture::error& why,
                     std::string_view subject = {}) noexcept;
// An error of these files, which know the paths.
overture_code failed(overture_error* error, const overture::error& why,
                     const file_system& files) noexcept;
// The same about a path, which the files may not have.
overture_code failed(overture_error* error, const overture::error& why, std::string_view path,
                     const file_system& files) noexcept;

inline overture_code invalid(overture_error* error, const char* text) noexcept {
  return failed(error, errc::invalid, text);
}
inline overture_code out_of_memory(overture_error* error) noexcept {
  return failed(error, errc::out_of_memory, no_memory);
}

// --- Structures that grow
// -------------------------------------------------------------------------

inline constexpr std::size_t structure_bytes_max = 4096;  // more is no size

// The size that a structure had in the first version with this interface.
template <class T>
inline constexpr std::size_t first_size = sizeof(T);

inline const char* wrong_size(std::size_t size) noexcept {
  return size == 0 ? "the size of the structure is not set: set it to sizeof the structure"
                   : "the size of the structure is wrong: set it to sizeof the structure";
}

// Why the options cannot be used, or null. `known` is what this version knows of them.
template <class T>
[[nodiscard]] overture_code read_options(const T* given, T& known, overture_error* error) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  known = {};
  if (given == nullptr) return OVERTURE_OK;
  if (given->size < first_size<T> || given->size > structure_bytes_max) {
    return invalid(error, wrong_size(given->size));
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(T); i < given->size; ++i) {
    if (bytes[i] != 0) {
      return failed(error, errc::unsupported, "an option that this version does not know");
    }
  }
  std::memcpy(&known, given, given->size < sizeof(T) ? given->size : sizeof(T));
  return OVERTURE_OK;
}

// Fills in as much as the caller knows of a structure.
template <class T>
[[nodiscard]] overture_code write_result(T* to, T value, overture_error* error) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  if (to == nullptr) return invalid(error, "there is no structure to fill in");
  const std::size_t size = to->size;
  if (size < first_size<T> || size > structure_bytes_max) {
    return invalid(error, wrong_size(size));
  }
  value.size = size;
  std::memset(static_cast<void*>(to), 0, size);
  std::memcpy(static_cast<void*>(to), &value, size < sizeof(T) ? size : sizeof(T));
  return fine(error);
}

// --- Paths and texts
// ------------------------------------------------------------------------------

// A path of the tree from outside, made normal.
class given_path {
 public:
  // `text` may be null, which is an error.
  [[nodiscard]] result<asset_path> read(const char* text) noexcept {
    if (text == nullptr) return fail(errc::invalid, "the path is NULL");
    return normalise(text, room_);
  }

 private:
  path_buffer room_;
};

// A text with a NUL at its end.
class c_path {
 public:
  explicit c_path(std::string_view text) noexcept
      : length_(text.size() < limits::path_bytes_max ? text.size() : limits::path_bytes_max) {
    (void)text.copy(room_.data(), length_);
    room_[length_] = '\0';
  }
  [[nodiscard]] const char* text() const noexcept { return room_.data(); }
  // Its last part.
  [[nodiscard]] const char* end(std::size_t bytes) const noexcept {
    return room_.data() + (length_ - (bytes < length_ ? bytes : length_));
  }

 private:
  std::size_t length_;
  std::array<char, limits::path_bytes_max + 1> room_;
};

// Cut to fit; ends with NUL.
template <std::size_t Size>
void copy_text(char (&to)[Size], std::string_view text) noexcept {
  to[text.copy(to, Size - 1)] = '\0';
}

// --- Bytes
// ----------------------------------------------------------------------------------------

// Buffers that live as long as what uses them.
class shared_buffers {
 public:
  explicit shared_buffers(const given_allocator& from = {}) noexcept : memory_(from) {}

  [[nodiscard]] given_allocator& memory() noexcept { return memory_; }
  [[nodiscard]] buffer_pool& pool() noexcept { return pool_; }
  void hold() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(this);
  }

 private:
  given_allocator memory_;
  buffer_pool pool_{{.memory = memory_.get()}};
  atomic<std::uint32_t> holders_{1};
};

// Takes over the blob. Null without memory.
[[nodiscard]] overture_bytes* make_bytes(blob bytes, shared_buffers& from) noexcept;

}  // namespace overture::c

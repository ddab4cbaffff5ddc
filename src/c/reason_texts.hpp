// SPDX-License-Identifier: Zlib
//
// Reasons that loaders of the program gave, as the library needs them: texts that stay.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/allocator.hpp"
#include "sync/mutex.hpp"

namespace overture::c {

class reason_texts {
 public:
  static constexpr std::size_t text_bytes_max = 240;  // the rest of a longer one is left out
  static constexpr std::size_t texts_max = 4096;      // different ones

  explicit reason_texts(allocator& memory) noexcept : memory_(memory) {}
  ~reason_texts();
  reason_texts(const reason_texts&) = delete;
  reason_texts& operator=(const reason_texts&) = delete;

  // This text, which stays as long as this; `instead`, a literal, if there is no room. Any thread.
  [[nodiscard]] const char* keep(const char* text, const char* instead) noexcept;

 private:
  struct kept;

  allocator& memory_;
  sync_detail::mutex lock_;
  kept* first_ GUARDED_BY(lock_) = nullptr;
  std::size_t count_ GUARDED_BY(lock_) = 0;
};

}  // namespace overture::c

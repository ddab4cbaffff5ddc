// SPDX-License-Identifier: Zlib
#include "c/reason_texts.hpp"

#include <cstring>
#include <new>
#include <string_view>

#include "c/handle.hpp"
#include "overture/base/hash.hpp"

namespace overture::c {

struct reason_texts::kept {
  kept* next;
  std::uint64_t hash;
  std::size_t length;

  [[nodiscard]] char* text() noexcept { return reinterpret_cast<char*>(this + 1); }
};

reason_texts::~reason_texts() {
  while (kept* const one = first_) {
    first_ = one->next;
    memory_.deallocate(one, sizeof(kept) + one->length + 1, alignof(kept), memory_tag::load);
  }
}

const char* reason_texts::keep(const char* text, const char* instead) noexcept {
  if (text == nullptr || *text == '\0') return instead;
  const std::string_view front = front_of(text, text_bytes_max);
  const std::uint64_t hash = hash64(front);
  const sync_detail::scoped_lock hold(lock_);
  for (kept* each = first_; each != nullptr; each = each->next) {
    const std::string_view known(each->text(), each->length);
    if (each->hash == hash && known == front) return each->text();
  }
  if (count_ == texts_max) return instead;
  const std::size_t bytes = sizeof(kept) + front.size() + 1;
  void* const room = memory_.allocate(bytes, alignof(kept), memory_tag::load);
  if (room == nullptr) return instead;
  ++count_;
  first_ = ::new (room) kept{first_, hash, front.size()};
  std::memcpy(first_->text(), front.data(), front.size());
  first_->text()[front.size()] = '\0';
  return first_->text();
}

}  // namespace overture::c

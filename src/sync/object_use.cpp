// SPDX-License-Identifier: Zlib
#include "sync/object_use.hpp"

#include "sync/mutex.hpp"

namespace overture::sync_detail {
namespace {

constinit mutex lock;
constinit use_link* first GUARDED_BY(lock) = nullptr;

}  // namespace

void use_link::enter(const object_use* uses, std::size_t count) noexcept {
  uses_ = uses;
  count_ = count;
  const scoped_lock hold(lock);
  next_ = first;
  if (first != nullptr) first->previous_ = this;
  first = this;
}

void use_link::leave() noexcept {
  const scoped_lock hold(lock);
  if (next_ != nullptr) next_->previous_ = previous_;
  (previous_ != nullptr ? previous_->next_ : first) = next_;
}

void expects_unused(const void* used, use_of what) noexcept {
  const char* sentence = nullptr;
  {
    const scoped_lock hold(lock);
    for (const use_link* each = first; each != nullptr && sentence == nullptr; each = each->next_) {
      for (std::size_t i = 0; i < each->count_; ++i) {
        const object_use& one = each->uses_[i];
        if (one.used == used && one.what == what) sentence = one.sentence;
      }
    }
  }
  // Without the lock: the handler may do anything.
  if (sentence != nullptr) detail::contract_broken(sentence);
}

}  // namespace overture::sync_detail

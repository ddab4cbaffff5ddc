// SPDX-License-Identifier: Zlib
#include "overture/sync/wait_observer.hpp"

#include "sync/this_thread_observer.hpp"

namespace overture {

using sync_detail::this_thread_observer;

wait_observer* set_wait_observer(wait_observer* observer) noexcept {
  return std::exchange(this_thread_observer, observer);
}

wait_observer* current_wait_observer() noexcept {
  return this_thread_observer;
}

void remove_wait_observer(wait_observer& gone) noexcept {
  wait_observer** link = &this_thread_observer;
  while (*link != nullptr && *link != &gone) link = &(*link)->next;
  if (*link != nullptr) *link = gone.next;
}

}  // namespace overture

// SPDX-License-Identifier: Zlib
#include "overture/sync/wait_observer.hpp"

namespace overture {
namespace {

thread_local wait_observer* this_thread_observer = nullptr;

}  // namespace

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

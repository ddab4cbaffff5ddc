// SPDX-License-Identifier: Zlib
#include "overture/jobs/blocking_scope.hpp"

#include "jobs/pool/pool_state.hpp"

namespace overture {
namespace {

using namespace jobs_detail;

}  // namespace

blocking_scope::blocking_scope() noexcept {
  pool_slot* slot = this_thread_jobs().slot;
  // Inside a parallel call on another pool the worker's own slot is below the borrowed one.
  while (slot != nullptr && slot->pool->slots.is_guest(*slot)) slot = slot->lender;
  if (slot == nullptr || slot->is_blocked) return;
  blocked_ = slot;
  slot->is_blocked = true;
  slot->pool->spares.begin_block();
}

blocking_scope::~blocking_scope() {
  if (blocked_ == nullptr) return;
  blocked_->is_blocked = false;
  blocked_->pool->spares.end_block();
}

}  // namespace overture

// SPDX-License-Identifier: Zlib
#include "io/schedule/reads_in_flight.hpp"

#include <utility>

namespace overture::io_detail {

void reads_in_flight::add(read_operation& op) noexcept {
  op.in_flight_ = true;
  op.before_ = nullptr;
  op.after_ = first_;
  if (first_) first_->before_ = &op;
  first_ = &op;
  ++reads_of_[slot_of(op.source())];
  bytes_ += op.bytes();
}

void reads_in_flight::remove(read_operation& op) noexcept {
  op.in_flight_ = false;
  (op.before_ ? op.before_->after_ : first_) = op.after_;
  if (op.after_) op.after_->before_ = op.before_;
  --reads_of_[slot_of(op.source())];
  bytes_ -= op.bytes();
}

read_operation* reads_in_flight::find_twin(const read_request& request) const noexcept {
  if (reads_of_[slot_of(request.source)] == 0) return nullptr;
  read_operation* op = first_;
  while (op && op->twin_of(request) == read_operation::no_member) op = op->after_;
  return op;
}

bool reads_in_flight::ask_for(source_id id) noexcept {
  bool found = false;
  for (read_operation* op = first_; op; op = op->after_) {
    if (op->source() != id) continue;
    op->asked_for_ = true;
    found = true;
  }
  return found;
}

bool reads_in_flight::was_asked_for(read_operation& op) noexcept {
  return std::exchange(op.asked_for_, false);
}

bool reads_in_flight::any_owns_file() const noexcept {
  const read_operation* op = first_;
  while (op && !op->owns_file.load(std::memory_order_relaxed)) op = op->after_;
  return op != nullptr;
}

}  // namespace overture::io_detail

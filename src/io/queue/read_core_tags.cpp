// SPDX-License-Identifier: Zlib
//
// Changes to all requests of a tag or a source.
#include "io/queue/read_core.hpp"

namespace overture::io_detail {

namespace {

// Puts requests in front of a list.
struct into_list {
  read_request*& first;
  void operator()(read_request& request) const noexcept {
    request.next = first;
    first = &request;
  }
};

}  // namespace

std::size_t read_core::cancel_tag(std::uint64_t mask, std::uint64_t value) noexcept {
  read_request* cancelled = nullptr;
  const into_list keep{cancelled};
  {
    const sync_detail::scoped_lock hold(lock_);
    sort_in();
    schedule_.remove_tagged(mask, value, keep);
    gates_.remove_if([&](const read_request& each) { return (each.tag & mask) == value; }, keep);
  }
  return end_cancelled(cancelled);
}

std::size_t read_core::set_tag_priority(std::uint64_t mask, std::uint64_t value,
                                        read_priority priority) noexcept {
  const std::uint64_t now_ns = clock_.now();
  const sync_detail::scoped_lock hold(lock_);
  sort_in();
  std::size_t count = schedule_.set_tag_priority(mask, value, priority, now_ns);
  gates_.visit_all([&](read_request& each) {
    if ((each.tag & mask) != value) return;
    each.priority = priority;
    ++count;
  });
  return count;
}

std::size_t read_core::close_source(source_id id, bool on_this_thread) noexcept {
  read_request* cancelled = nullptr;
  const into_list keep{cancelled};
  {
    const sync_detail::scoped_lock hold(lock_);
    sort_in();
    schedule_.remove_source(id, keep);
    gates_.remove_if([&](const read_request& each) { return each.source == id; }, keep);
  }
  const std::size_t count = end_cancelled(cancelled);
  if (!on_this_thread) {
    // Closing can be slow, so a thread of the queue does it.
    section hold(*this);
    if (errands_.add_close(id)) {
      schedule_.counters().add_outstanding();
      claim_reader(hold.due);
      return count;
    }
  }
  files_.close_source(id);
  return count;
}

}  // namespace overture::io_detail

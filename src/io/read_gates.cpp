// Requests that wait for a barricade: registered there, and queued by whoever lowers it.
#include "base/vec.hpp"
#include "io/read_core.hpp"

namespace overture::io_detail {
namespace {

// Runs a task at once: taking a lock and storing a request is all that these do, and whoever lowers
// a barricade calls it outside of all locks.
class at_once final : public executor {
 public:
  void execute(task work) override { work.run(work.context); }
};

executor& run_at_once() noexcept {
  static at_once instance;
  return instance;
}

}  // namespace

void read_core::hold_back(read_request& request, std::uint64_t now_at, barricade& after,
                          gate*& fresh) noexcept {
  request.queued_ns = now_at;
  gate* const made = make_gate(request, after);
  if (!made) {
    request.outcome = fail(errc::out_of_memory, "no memory to queue a read");
    return refuse(request);
  }
  made->next_fresh = fresh;
  fresh = made;
  // Its file can be opened while it waits.
  if (request.source.valid()) leave_to_open(request.source);
}

read_core::gate* read_core::make_gate(read_request& request, barricade& after) noexcept {
  gate* const made = desk_ ? make_object<gate>(*config_.memory, memory_tag::io) : nullptr;
  if (!made) return nullptr;
  desk_->add_reference();
  made->registered.work = {open_gate, made};
  made->registered.where = &run_at_once();
  made->core = this;
  made->desk = desk_;
  made->request = &request;
  made->after = &after;
  made->behind = gated_;
  if (gated_) gated_->before = made;
  gated_ = made;
  ++gated_count_;
  request.gate = made;
  return made;
}

void read_core::unlink(gate& left) noexcept {
  (left.before ? left.before->behind : gated_) = left.behind;
  if (left.behind) left.behind->before = left.before;
  --gated_count_;
  left.request->gate = nullptr;
  left.request = nullptr;
}

// Outside of the lock, which the gate takes when it opens, and that may be now. It may be gone
// behind its registration.
void read_core::register_gates(gate* fresh) noexcept {
  while (fresh) {
    gate& next = *fresh;
    fresh = next.next_fresh;
    if (!next.after->on_lowered(next.registered)) open_gate(&next);
  }
}

// Once for each gate, on the thread that lowers its barricade or finds it lowered.
void read_core::open_gate(void* raw) noexcept {
  gate& opened = *static_cast<gate*>(raw);
  unpack_queue& desk = *opened.desk;
  if (desk.enter()) {
    opened.core->let_through(opened);
    desk.leave();
  }
  destroy_object(desk.memory(), memory_tag::io, &opened);
  desk.drop_reference();
}

void read_core::let_through(gate& opened) noexcept {
  const std::uint64_t now_at = now();
  read_request* refused = nullptr;
  wakes due;
  {
    const scoped_lock hold(lock_);
    read_request* const request = opened.request;
    if (!request) return;
    unlink(opened);
    request->queued_ns = now_at;
    if (enqueue(*request, now_at)) {
      call_for_queued(due);
    } else {
      request->next = nullptr;
      refused = request;
    }
  }
  send(due);
  end_refused(refused, now_at);
}

}  // namespace overture::io_detail

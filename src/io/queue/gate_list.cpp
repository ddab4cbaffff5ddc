// SPDX-License-Identifier: Zlib
#include "io/queue/gate_list.hpp"

#include "base/vec.hpp"

namespace overture::io_detail {
using namespace base_detail;

namespace {

// Runs a task at once: these only take a lock and store a request, and the thread that lowers a
// barricade calls them outside of all locks.
class at_once final : public executor {
 public:
  void execute(task work) noexcept override { work.run(work.context); }
};

executor& run_at_once() noexcept {
  static at_once instance;
  return instance;
}

}  // namespace

bool gate_list::add(read_request& request, barricade& after, read_gate*& fresh) noexcept {
  read_gate* const made = lifetime_ ? make_object<read_gate>(memory_, memory_tag::io) : nullptr;
  if (!made) return false;
  lifetime_->add_reference();
  made->registered.work = {open, made};
  made->registered.where = &run_at_once();
  made->owner = &owner_;
  made->lifetime = lifetime_;
  made->request = &request;
  made->after = &after;
  made->next = first_;
  if (first_) first_->previous = made;
  first_ = made;
  ++size_;
  request.gate = made;
  made->next_fresh = fresh;
  fresh = made;
  return true;
}

void gate_list::remove(read_gate& gate) noexcept {
  (gate.previous ? gate.previous->next : first_) = gate.next;
  if (gate.next) gate.next->previous = gate.previous;
  --size_;
  gate.request->gate = nullptr;
  gate.request = nullptr;
}

void gate_list::register_all(read_gate* fresh) noexcept {
  while (fresh) {
    read_gate& first = *fresh;
    fresh = first.next_fresh;
    if (!first.after->on_lowered(first.registered)) open(&first);
  }
}

// Once for each gate, on the thread that lowers its barricade or finds it lowered.
void gate_list::open(void* gate) noexcept {
  read_gate& opened = *static_cast<read_gate*>(gate);
  unpack_queue& lifetime = *opened.lifetime;
  if (lifetime.enter()) {
    opened.owner->let_through(opened);
    lifetime.leave();
  }
  destroy_object(lifetime.memory(), memory_tag::io, &opened);
  lifetime.drop_reference();
}

}  // namespace overture::io_detail

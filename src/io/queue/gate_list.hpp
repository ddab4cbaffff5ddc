// SPDX-License-Identifier: Zlib
//
// Requests that wait for a barricade: registered there, and queued by the thread that lowers it.
//
// A registration lasts until the barricade is lowered, even if the request is cancelled or the
// queue ends first. So each gate holds a reference to the unpack queue, which outlives the read
// queue and knows whether that still exists.
//
// One thread at a time, but for register_all().
#pragma once

#include <cstdint>

#include "io/queue/unpack_queue.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::io_detail {

struct read_gate;

// The queue that owns the requests.
class gate_owner {
 public:
  // The barricade was lowered: removes the gate from the list and queues its request, unless that
  // was given up. Runs on the thread that lowers it, or in register_all().
  virtual void let_through(read_gate& opened) noexcept = 0;

 protected:
  ~gate_owner() = default;
};

struct read_gate {
  barricade_continuation registered;
  gate_owner* owner = nullptr;
  unpack_queue* lifetime = nullptr;  // holds a reference
  read_request* request = nullptr;   // null once it was given up
  barricade* after = nullptr;
  read_gate* next_fresh = nullptr;
  read_gate* previous = nullptr;
  read_gate* next = nullptr;
};

class gate_list {
 public:
  // `lifetime`: null if memory for it was refused; then add() refuses too.
  gate_list(gate_owner& owner, allocator& memory, unpack_queue* lifetime) noexcept
      : owner_(owner), memory_(memory), lifetime_(lifetime) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // Prepends the request to the list for register_all(). False: memory was refused.
  [[nodiscard]] bool add(read_request& request, barricade& after, read_gate*& fresh) noexcept;
  void remove(read_gate& gate) noexcept;
  // False if the request is not in the list.
  [[nodiscard]] bool remove(read_request& request) noexcept {
    if (!request.gate) return false;
    remove(*static_cast<read_gate*>(request.gate));
    return true;
  }
  template <class Visit>
  void visit_all(Visit visit) noexcept {
    for (read_gate* each = first_; each; each = each->next) visit(*each->request);
  }
  // Removes those that match, and calls visit(request) for each.
  template <class Matches, class Visit>
  void remove_if(Matches matches, Visit visit) noexcept {
    for (read_gate* each = first_; each;) {
      read_gate& now = *each;
      each = now.next;
      read_request& request = *now.request;
      if (!matches(request)) continue;
      remove(now);
      visit(request);
    }
  }
  // May call let_through(), so no lock of the owner is held. A gate may be gone after this.
  static void register_all(read_gate* fresh) noexcept;

 private:
  static void open(void* gate) noexcept;

  gate_owner& owner_;
  allocator& memory_;
  unpack_queue* lifetime_;
  read_gate* first_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace overture::io_detail

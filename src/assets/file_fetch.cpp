// SPDX-License-Identifier: Zlib
#include "assets/file_fetch.hpp"

#include <new>
#include <utility>

#include "load/file_read.hpp"
#include "overture/base/spin.hpp"
#include "overture/base/thread.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::assets_detail {

// One file, from begin() to done_with().
class file_in_memory final : load_detail::file_read, public held_file {
 public:
  file_in_memory(file_fetcher& fetcher, const load_detail::read_means& with, load_priority priority,
                 fetch_request& wanted, fetch_listener& listener) noexcept
      : file_read(with,
                  {.priority = priority, .subject = wanted.subject, .bytes_max = wanted.bytes_max}),
        fetcher_(fetcher),
        wanted_(wanted),
        listener_(listener) {}
  ~file_in_memory() override {
    content_.reset();
    give_room_back();
  }
  void begin() noexcept { start(wanted_.path); }

 private:
  void run_later(task step) noexcept override { fetcher_.add_step(wanted_, step, listener_); }
  [[nodiscard]] bool may_read(std::uint64_t bytes) noexcept override {
    wanted_.was_refused = !listener_.may_read(wanted_, bytes);
    return !wanted_.was_refused;
  }
  // What is given up waits no longer. Looked at after the ledger has noted that it refused room:
  // give_up_waits() wakes for that.
  [[nodiscard]] bool try_room() noexcept override {
    bool goes_on = file_read::try_room();
    if (!goes_on && fetcher_.gives_up()) goes_on = is_given_up_ = true;
    if (waits_ == goes_on) {
      waits_ = !goes_on;
      listener_.read_waits(wanted_, waits_);
    }
    return goes_on;
  }
  void has_room() noexcept override {
    if (!is_given_up_) return file_read::has_room();
    end(fail(errc::cancelled, "the store ends"));
  }
  void ended(result<blob> outcome) noexcept override {
    wanted_.work_ns = now_ns() - wanted_.step_began_ns;
    if (outcome) {
      content_ = *std::move(outcome);
      wanted_.outcome = {};
      wanted_.content = content_.span();
      wanted_.file_bytes = whole_bytes();
      wanted_.has_parts = has_parts();
    } else {
      wanted_.outcome = tl::unexpected<error>(outcome.error());
      if (outcome.error().code == errc::not_found && with().files.mount_count() == 0) {
        wanted_.outcome =
            fail(errc::not_found, "nothing is mounted: mount() files first", wanted_.path.id);
      }
      wanted_.content = {};
    }
    listener_.fetched(wanted_);
  }

  file_fetcher& fetcher_;
  fetch_request& wanted_;
  fetch_listener& listener_;
  blob content_;
  bool waits_ = false;
  bool is_given_up_ = false;
};

namespace {

load_priority of(asset_priority priority) noexcept {
  const std::size_t which = class_of(priority);
  if (which == class_of(asset_priority::high)) return load_priority::high;
  return which == class_of(asset_priority::normal) ? load_priority::normal : load_priority::low;
}

}  // namespace

file_fetcher::~file_fetcher() {
  const sync_detail::scoped_lock hold(lock_);
  while (free_place* const place = free_places_) {
    free_places_ = place->next;
    memory_.deallocate(place, sizeof(file_in_memory), alignof(file_in_memory), memory_tag::load);
  }
}

void* file_fetcher::take_place() noexcept {
  {
    const sync_detail::scoped_lock hold(lock_);
    if (free_place* const place = free_places_) {
      free_places_ = place->next;
      return place;
    }
  }
  return memory_.allocate(sizeof(file_in_memory), alignof(file_in_memory), memory_tag::load);
}

load_priority file_fetcher::priority_of(const fetch_request& begun) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  return of(begun.priority);
}

void file_fetcher::begin(fetch_request& wanted, fetch_listener& listener) noexcept {
  void* const place = take_place();
  if (place == nullptr) {
    wanted.file = nullptr;
    wanted.outcome = fail(errc::out_of_memory, "out of memory for reading a file", wanted.path.id);
    listener.fetched(wanted);
    return;
  }
  const load_priority priority = priority_of(wanted);
  auto* const file = ::new (place)
      file_in_memory(*this, {files_, reads_, jobs_, buffers_}, priority, wanted, listener);
  wanted.file = file;
  file->begin();
}

void file_fetcher::add_step(fetch_request& of_file, task step, fetch_listener& listener) noexcept {
  calls_.fetch_add(1, std::memory_order_relaxed);
  asset_priority priority{};
  {
    const sync_detail::scoped_lock hold(lock_);
    of_file.step = step;
    steps_.insert_in_order(of_file);
    waiting_steps_.fetch_add(1, std::memory_order_relaxed);
    priority = of_file.priority;
  }
  listener.step_waits(priority);
  calls_.fetch_sub(1, std::memory_order_release);
}

void file_fetcher::give_up_waits() noexcept {
  gives_up_.store(true, std::memory_order_seq_cst);
  // Wakes all that wait for room. Without memory for the tree none does.
  if (memory_ledger* const room = files_.ledger()) room->give_back(0, memory_tag::load);
}

// What is left of such a call are a few instructions.
void file_fetcher::wait_for_calls() noexcept {
  while (calls_.load(std::memory_order_acquire) != 0) yield_thread();
}

bool file_fetcher::help() noexcept {
  if (!reads_.is_run_by_host()) return false;
  constexpr std::size_t some = 16;
  (void)reads_.poll(some);
  return true;
}

bool file_fetcher::set_priority(fetch_request& begun, asset_priority to,
                                std::uint64_t number) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  const bool waits = steps_.has(begun);
  if (waits) steps_.move(begun, to, number);
  begun.priority = to;
  begun.number = number;
  return waits;
}

// A job whose item another took sees all steps that were there by then: the store's lock orders
// them.
fetch_request* file_fetcher::take_step(priority_classes of_these, asset_priority least) noexcept {
  if (waiting_steps_.load(std::memory_order_relaxed) == 0) return nullptr;
  const sync_detail::scoped_lock hold(lock_);
  fetch_request* const first = steps_.first(of_these);
  if (first == nullptr || first->priority < least) return nullptr;
  waiting_steps_.fetch_sub(1, std::memory_order_relaxed);
  first->in->remove(*first);
  return first;
}

void file_fetcher::do_step(fetch_request& of) noexcept {
  of.step_began_ns = now_ns();
  const zone work("read", {.subject = of.subject});
  of.step.run(of.step.context);  // which may end the request
}

void file_fetcher::done_with(held_file* file) noexcept {
  if (file == nullptr) return;
  auto* const place = static_cast<file_in_memory*>(file);
  place->~file_in_memory();
  const sync_detail::scoped_lock hold(lock_);
  free_places_ = ::new (static_cast<void*>(place)) free_place{free_places_};
}

}  // namespace overture::assets_detail

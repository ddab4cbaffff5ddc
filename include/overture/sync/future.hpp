// SPDX-License-Identifier: Zlib
//
// A value that arrives later: one promise sets it, any number of shared futures read it.
//
//   auto made = promise<texture>::make(memory);            // one allocation, or out_of_memory
//   if (!made) return tl::unexpected(made.error());
//   shared_future<texture> title = made->future();
//   jobs.submit([p = std::move(*made)]() mutable { p.set_value(load_title()); });
//
//   if (title.is_ready()) ...                              // one load
//   const result<texture>& there = title.get();            // waits; a value or an error
//   auto size = title.then(jobs, [](const result<texture>& t) { return measure(t); });
//
//   future_storage<int> storage;                           // or without allocation
//   promise<int> p(storage);
//
// Futures are handles: copy them and pass them to other threads. The last handle may take() the
// value out. A promise destroyed unfulfilled sets errc::cancelled.
//
// then() runs a function on an executor once the value is there and returns a future of its result
// (a result<U> gives a future of U, void works too). It allocates once. If the function throws, its
// future gets errc::threw and the exception propagates to the executor (a job system reports it).
// on_ready() takes a list node from the caller and allocates nothing. Functions run on the executor
// in registration order, under no lock, and see is_ready() true.
//
// A wait runs other work only if the value comes from an executor without threads of its own, such
// as a thread_pool with no workers: then it runs tasks of that executor until the value is there.
// then(), when_all(), spawn(), read_file() and decode_file() know where their work lies; a promise
// is told by comes_from(). A wait for anything else that only such a task changes (a barricade, a
// countdown) never ends: wait for the job_group.
//
// On a pool with workers, a job that waits for a future keeps its worker and runs nothing until the
// value is there, even if the work lies in a queue of that pool. If the jobs of all workers wait
// like that for jobs that are still queued, none of them ever ends. In a job use then() or
// co_await, or wait for a job_group, which runs the jobs of that group.
//
// Cost: is_ready() and get() with the value there are one load. Setting the value is two
// read-modify-writes, plus one system call if a thread sleeps. Copying a handle is one
// read-modify-write, or none with future_storage.
//
// How it works: the state is the value, a barricade for waiting threads, and a list of
// continuations that one exchange closes. A continuation pushed before the exchange is run by it;
// one that comes later runs at once. There is no mutex, so waiters never queue for one.
//
// Lifetime: allocated state lives until its last handle is gone. The thread that drops the last
// handle of a ready future destroys the value, even if the call that set it has not returned.
// future_storage must outlive its futures and the work registered by on_ready() and then(). It may
// be destroyed once one of the futures is ready: the promise does not touch it after that, even if
// its call has not returned. fork() as for barricade.
#pragma once

#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/error.hpp"
#include "overture/base/exceptions.hpp"
#include "overture/base/executor.hpp"
#include "overture/sync/barricade.hpp"

namespace overture {

// A task that waits for a future, see on_ready(). Must stay alive and in place until `work` has
// begun.
struct continuation {
  task work;
  executor* where = nullptr;
  continuation* next = nullptr;  // private to the future
};

namespace sync_detail {

// The part of a state that does not depend on T.
class OVERTURE_API future_core {
 public:
  // What is destroyed: the value, or the state with all that is in it.
  enum class ending : std::uint8_t { value, state };

  future_core(const future_core&) = delete;
  future_core& operator=(const future_core&) = delete;

  [[nodiscard]] bool is_ready() const noexcept { return ready_.is_lowered(); }
  void wait(const wait_options& options) noexcept {
    if (!ready_.is_lowered() && !help(0)) ready_.wait(named(options));
  }
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds duration,
                              const wait_options& options) noexcept {
    if (helper_ != nullptr) return help_for(duration, options);
    return ready_.wait_for(duration, named(options));
  }

  // Where the work lies. Before anything may wait; ignored unless `of` runs its tasks in waits.
  void set_helper(executor& of) noexcept {
    if (of.runs_in_waits()) helper_ = &of;
  }
  // The same for work that comes before this one's, which may itself lie elsewhere.
  void set_helper_of(const future_core& before) noexcept {
    if (helper_ == nullptr) helper_ = before.helper_;
  }

  // Call once, after storing the outcome. Releases the promise's hold.
  void complete() noexcept;
  void add(continuation& added) noexcept;

  void hold() noexcept {
    if (end_ != nullptr) holders_.fetch_add(1, std::memory_order_relaxed);
  }
  // The last handle of a ready state destroys the value itself. The promise may still be in
  // complete(), and by the time it lets go, what the value refers to may be gone.
  void release() noexcept {
    if (end_ == nullptr) return;
    std::uint32_t held = holders_.load(std::memory_order_acquire);
    do {
      if (held == promise_hold + 1 && is_ready()) {
        end_(*this, ending::value);
        return give_up(1);
      }
    } while (!holders_.compare_exchange_weak(held, held - 1, std::memory_order_acq_rel,
                                             std::memory_order_acquire));
    if (held == 1) end_(*this, ending::state);
  }
  // Whether the caller has the only handle. The promise may still be at its end: it does not touch
  // the value.
  [[nodiscard]] bool has_one_handle() const noexcept {
    return end_ != nullptr && (holders_.load(std::memory_order_acquire) & ~promise_hold) == 1;
  }
  [[nodiscard]] allocator& memory() const noexcept { return *memory_; }
  [[nodiscard]] memory_tag tag() const noexcept { return tag_; }

 protected:
  using end_function = void (*)(future_core&, ending) noexcept;
  static constexpr std::uint32_t promise_hold = 1u << 31;

  // In the caller's storage.
  future_core() noexcept : memory_(&default_allocator()) {}
  // Allocated: end() destroys the value, or destroys and frees all of it. Starts out held by the
  // promise.
  future_core(allocator& memory, memory_tag tag, end_function end) noexcept
      : end_(end), memory_(&memory), tag_(tag) {}
  ~future_core() = default;

 private:
  void give_up(std::uint32_t held) noexcept {
    if (holders_.fetch_sub(held, std::memory_order_acq_rel) == held) end_(*this, ending::state);
  }
  // True once it is ready. Without a helper, or without its help, it returns at once.
  bool help(std::uint64_t deadline_ns) noexcept;
  bool help_for(std::chrono::nanoseconds duration, const wait_options& options) noexcept;
  static wait_options named(const wait_options& options) noexcept {
    return {options.reason ? options.reason : wait_reasons::future, options.spin};
  }

  atomic<continuation*> continuations_{nullptr};
  barricade ready_;
  atomic<std::uint32_t> holders_{promise_hold};
  end_function end_ = nullptr;
  allocator* memory_;
  executor* helper_ = nullptr;  // runs_in_waits(), or null
  memory_tag tag_ = memory_tag::host;
};

template <class T>
class future_state : public future_core {
 public:
  static_assert(std::is_void_v<T> || std::is_nothrow_move_constructible_v<T>,
                "the value of a future must move without exceptions");

  future_state() noexcept {}
  future_state(allocator& memory, memory_tag tag, end_function end) noexcept
      : future_core(memory, tag, end) {}
  ~future_state() {
    if (is_ready()) drop_outcome();
  }
  future_state(const future_state&) = delete;
  future_state& operator=(const future_state&) = delete;

  template <class... Args>
  void set(Args&&... args) {
    new (&outcome_) outcome_type(std::forward<Args>(args)...);
    complete();
  }
  [[nodiscard]] const result<T>& outcome() const noexcept { return outcome_; }
  [[nodiscard]] result<T>& outcome() noexcept { return outcome_; }
  // Once it is there. A second call does nothing.
  void drop_outcome() noexcept {
    if (!std::exchange(dropped_, true)) outcome_.~outcome_type();
  }

 private:
  using outcome_type = result<T>;
  union {
    outcome_type outcome_;  // constructed before is_ready()
  };
  bool dropped_ = false;
};

// Allocates and constructs a state; null if memory is refused.
template <class State, class... Args>
State* make_state(allocator& memory, memory_tag tag, Args&&... args) {
  void* const place = memory.allocate(sizeof(State), alignof(State), tag);
  if (place == nullptr) return nullptr;
  constexpr auto end = [](future_core& core, typename State::ending what) noexcept {
    auto& state = static_cast<State&>(core);
    if (what == State::ending::value) return state.drop_outcome();
    allocator& from = state.memory();
    const memory_tag with = state.tag();
    state.~State();
    from.deallocate(&state, sizeof(State), alignof(State), with);
  };
  return new (place) State(memory, tag, end, std::forward<Args>(args)...);
}

// The T of a result<T>, or T.
template <class T>
struct value_of {
  using type = T;
};
template <class T>
struct value_of<result<T>> {
  using type = T;
};

}  // namespace sync_detail

template <class T>
class promise;
template <class T>
class shared_future;

namespace sync_detail {
// A further handle on the state, for what keeps its promise itself.
template <class T>
shared_future<T> future_of(future_state<T>& state) noexcept {
  state.hold();
  return shared_future<T>(&state);
}
template <class T>
const future_core& core_of(const shared_future<T>& future) noexcept {
  return *future.state_;
}
}  // namespace sync_detail

template <class T>
class shared_future {
 public:
  // An invalid future: only copy, assign and valid() are allowed.
  shared_future() noexcept = default;
  shared_future(const shared_future& other) noexcept : state_(other.state_) {
    if (state_) state_->hold();
  }
  shared_future(shared_future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  shared_future& operator=(shared_future other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~shared_future() {
    if (state_) state_->release();
  }

  // False for default-constructed and moved-from futures.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  // True once the value or error is there. Any thread.
  template <bool Contracts = detail::contracts>
  [[nodiscard]] bool is_ready() const noexcept {
    return state<Contracts>().is_ready();
  }
  // Waits for the value or error. The reference is valid while the state lives. Any thread.
  template <bool Contracts = detail::contracts>
  const result<T>& get(const wait_options& options = {}) const noexcept {
    state<Contracts>().wait(options);
    return state_->outcome();
  }
  template <bool Contracts = detail::contracts>
  void wait(const wait_options& options = {}) const noexcept {
    state<Contracts>().wait(options);
  }
  // Moves the value out; the future is invalid afterwards. Errors: that of the future; busy, and
  // the future stays as it is: the value is not there yet, there are other handles, or the state is
  // in a future_storage.
  template <bool Contracts = detail::contracts>
  [[nodiscard]] result<T> take() noexcept {
    if (!state<Contracts>().is_ready()) return fail(errc::busy, "the value is not there yet");
    if (state_->outcome() && !state_->has_one_handle()) {
      return fail(errc::busy, "another handle may use the value");
    }
    result<T> taken = std::move(state_->outcome());  // of an error: a copy
    *this = {};
    return taken;
  }
  // Returns false if the time runs out first. Any thread.
  template <bool Contracts = detail::contracts>
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds duration,
                              const wait_options& options = {}) const noexcept {
    return state<Contracts>().wait_for(duration, options);
  }

  // Runs registered.work on registered.where once the value is there. Any thread.
  template <bool Contracts = detail::contracts>
  void on_ready(continuation& registered) const noexcept {
    state<Contracts>().add(registered);
  }

  // Runs function(const result<T>&) on `where` once the value is there; returns the future of its
  // result, allocated from the allocator of this state. Error: out_of_memory. Any thread.
  template <class F, bool Exceptions = detail::exceptions, bool Contracts = detail::contracts>
  auto then(executor& where, F function) const {
    static_assert(std::is_nothrow_move_constructible_v<F>,
                  "the function is moved to where it runs: what it captures must move without "
                  "exceptions");
    using returned = std::invoke_result_t<F&, const result<T>&>;
    (void)state<Contracts>();
    return then_as<typename sync_detail::value_of<returned>::type, Exceptions>(where,
                                                                               std::move(function));
  }

 private:
  template <class>
  friend class promise;
  template <class>
  friend class shared_future;
  friend shared_future sync_detail::future_of<T>(sync_detail::future_state<T>& state) noexcept;
  friend const sync_detail::future_core& sync_detail::core_of<T>(
      const shared_future& future) noexcept;

  template <bool Contracts>
  [[nodiscard]] sync_detail::future_state<T>& state() const noexcept {
    if constexpr (Contracts) {
      detail::expects(state_ != nullptr,
                      "a shared_future without a value was used: it was default-constructed, moved "
                      "from or taken from, so ask valid() first");
    }
    return *state_;
  }
  // Takes over one hold on the state.
  explicit shared_future(sync_detail::future_state<T>* held) noexcept : state_(held) {}

  // The state of the future that then() returns, and the function that produces its value.
  template <class U, bool Exceptions, class F>
  class continued : public sync_detail::future_state<U> {
   public:
    template <class End>
    continued(allocator& memory, memory_tag tag, End end, const shared_future& source,
              executor& where, F&& function) noexcept
        : sync_detail::future_state<U>(memory, tag, end),
          source_(source),
          function_(std::move(function)) {
      link_.work = {&continued::run, this};
      link_.where = &where;
      this->set_helper(where);
      this->set_helper_of(*source_.state_);
    }
    continuation& link() noexcept { return link_; }

   private:
    static void run(void* context) {
      auto& self = *static_cast<continued*>(context);
      auto call = [&self] { self.call(); };
      detail::call_guard<Exceptions>::call_and_rethrow(call, [&self]() noexcept {
        self.let_go();
        self.set(fail(errc::threw, "the function passed to then() threw an exception"));
      });
    }
    void call() {
      using returned = std::invoke_result_t<F&, const result<T>&>;
      const result<T>& outcome = source_.state_->outcome();
      if constexpr (std::is_void_v<returned>) {
        (*function_)(outcome);
        let_go();
        this->set();
      } else {
        returned value = (*function_)(outcome);
        let_go();
        this->set(std::move(value));
      }
    }
    // Destroys what the function owns as soon as it has run, not with the last future.
    void let_go() {
      function_.reset();
      source_ = {};
    }

    shared_future source_;
    std::optional<F> function_;
    continuation link_;
  };

  template <class U, bool Exceptions, class F>
  result<shared_future<U>> then_as(executor& where, F&& function) const {
    using state_type = continued<U, Exceptions, F>;
    auto* const state = sync_detail::make_state<state_type>(state_->memory(), state_->tag(), *this,
                                                            where, std::forward<F>(function));
    if (state == nullptr) return fail(errc::out_of_memory, "out of memory for a continuation");
    state->hold();
    shared_future<U> future(state);
    state_->add(state->link());
    return future;
  }

  sync_detail::future_state<T>* state_ = nullptr;
};

// Storage for one value and its futures, without allocation. See "Lifetime" above.
template <class T>
class future_storage {
 public:
  future_storage() noexcept = default;
  future_storage(const future_storage&) = delete;
  future_storage& operator=(const future_storage&) = delete;

 private:
  friend class promise<T>;
  sync_detail::future_state<T> state_;
};

// Sets the value. One thread at a time.
template <class T>
class promise {
 public:
  // A promise with allocated state. Error: out_of_memory. Any thread.
  [[nodiscard]] static result<promise> make(allocator& memory = default_allocator(),
                                            memory_tag tag = memory_tag::host) {
    auto* const state = sync_detail::make_state<sync_detail::future_state<T>>(memory, tag);
    if (state == nullptr) return fail(errc::out_of_memory, "out of memory for a promise");
    return promise(state);
  }
  // A promise with its state in `storage`; one promise per storage.
  explicit promise(future_storage<T>& storage) noexcept : state_(&storage.state_) {}

  promise(promise&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  promise& operator=(promise&& other) noexcept {
    if (this != &other) {
      drop();
      state_ = std::exchange(other.state_, nullptr);
    }
    return *this;
  }
  promise(const promise&) = delete;
  promise& operator=(const promise&) = delete;
  ~promise() { drop(); }

  // True until the value is set.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  // Where the work lies that sets the value, see above. Before any wait, which it must outlive.
  void comes_from(executor& where) noexcept {
    if (state_) state_->set_helper(where);
  }
  // A future of the value. Only while valid().
  template <bool Contracts = detail::contracts>
  [[nodiscard]] shared_future<T> future() const noexcept {
    if constexpr (Contracts) {
      detail::expects(state_ != nullptr,
                      "promise::future() was called after the value was set, or after a move: get "
                      "all futures before");
    }
    state_->hold();
    return shared_future<T>(state_);
  }

  // Call one of these, once. Never blocks.
  template <bool Contracts = detail::contracts>
  void set(result<T> outcome) {
    if constexpr (Contracts) {
      detail::expects(state_ != nullptr,
                      "a promise was kept twice, or after a move: set its value or error once");
    }
    std::exchange(state_, nullptr)->set(std::move(outcome));
  }
  template <bool Contracts = detail::contracts>
  void set_error(const error& why) {
    set<Contracts>(tl::unexpected<error>(why));
  }
  template <bool Contracts = detail::contracts, class... Args>
  void set_value(Args&&... args) {
    if constexpr (std::is_void_v<T>) {
      static_assert(sizeof...(args) == 0);
      set<Contracts>({});
    } else {
      set<Contracts>(result<T>(tl::in_place, std::forward<Args>(args)...));
    }
  }

 private:
  explicit promise(sync_detail::future_state<T>* held) noexcept : state_(held) {}
  void drop() {
    if (!state_) return;
    constexpr error unfulfilled{errc::cancelled, 0, "the promise was destroyed unfulfilled"};
    std::exchange(state_, nullptr)->set(tl::unexpected<error>(unfulfilled));
  }

  sync_detail::future_state<T>* state_ = nullptr;
};

}  // namespace overture

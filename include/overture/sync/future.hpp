// A value that will be there later: one promise, any number of futures that share it.
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
//   future_storage<int> place;                             // or none: in storage of one's own
//   promise<int> p(place);
//
// Futures are handles: copy them, pass them to other threads. A promise that goes without having
// been kept leaves errc::cancelled. then() runs a function on an executor when the value is there
// and gives the future of what it returns (a result<U> is passed through, void is fine); it costs
// the one allocation of that future. If the function throws that future has errc::cancelled, and
// the exception goes on to the executor (a job system reports it). on_ready() does the same with a
// place for the list that is the caller's, and allocates nothing. Functions run in the order in
// which they were registered, on the executor, never under a lock, and find is_ready() true.
//
// What it costs: is_ready() and get() on a value that is there are one load. Setting the value is
// two read-modify-writes, and one system call if somebody sleeps. Copying a handle is one
// read-modify-write, unless the storage is the caller's.
//
// How it works: the state is the value, a barricade for those who wait, and a list of functions
// that is closed by an exchange. A function is pushed before the exchange, which then finds it, or
// behind it and runs at once. No mutex, so nothing that a waiter has to queue for.
//
// Lifetime: an allocated state ends with its last handle. Storage of the caller's must outlive its
// futures and what on_ready() and then() have registered, and may go as soon as one of the futures
// has been ready: the promise is behind its last access then, though its call may not have
// returned. fork() as for barricade.
#pragma once

#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/base/executor.hpp"
#include "overture/sync/barricade.hpp"

namespace overture {

// A place in a future's list of what to run. Stays where it is until its work has begun.
struct continuation {
  task work;
  executor* where = nullptr;
  continuation* next = nullptr;  // the list's
};

namespace detail {

// What a state is whatever its type.
class future_core {
 public:
  future_core(const future_core&) = delete;
  future_core& operator=(const future_core&) = delete;

  [[nodiscard]] bool is_ready() const noexcept { return ready_.is_lowered(); }
  void wait(const wait_options& options) noexcept {
    if (!ready_.is_lowered()) ready_.wait(named(options));
  }
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds duration,
                              const wait_options& options) noexcept {
    return ready_.wait_for(duration, named(options));
  }

  // Once, when the outcome is in its place. Gives up the promise's hold.
  void complete() noexcept;
  void add(continuation& added) noexcept;

  void hold() noexcept {
    if (end_ != nullptr) holders_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    if (end_ != nullptr && holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) end_(*this);
  }
  [[nodiscard]] allocator& memory() const noexcept { return *memory_; }
  [[nodiscard]] memory_tag tag() const noexcept { return tag_; }

 protected:
  using end_function = void (*)(future_core&) noexcept;

  // In storage that somebody else watches over.
  future_core() noexcept : memory_(&default_allocator()) {}
  // Allocated: end() destroys and frees it. Held by the promise.
  future_core(allocator& memory, memory_tag tag, end_function end) noexcept
      : end_(end), memory_(&memory), tag_(tag) {}
  ~future_core() = default;

 private:
  static wait_options named(const wait_options& options) noexcept {
    return {options.reason ? options.reason : wait_reasons::future, options.spin};
  }

  atomic<continuation*> continuations_{nullptr};
  barricade ready_;
  atomic<std::uint32_t> holders_{1};
  end_function end_ = nullptr;
  allocator* memory_;
  memory_tag tag_ = memory_tag::host;
};

template <class T>
class future_state : public future_core {
 public:
  future_state() noexcept {}
  future_state(allocator& memory, memory_tag tag, end_function end) noexcept
      : future_core(memory, tag, end) {}
  ~future_state() {
    if (is_ready()) outcome_.~outcome_type();
  }
  future_state(const future_state&) = delete;
  future_state& operator=(const future_state&) = delete;

  template <class... Args>
  void set(Args&&... args) {
    new (&outcome_) outcome_type(std::forward<Args>(args)...);
    complete();
  }
  [[nodiscard]] const result<T>& outcome() const noexcept { return outcome_; }

 private:
  using outcome_type = result<T>;
  union {
    outcome_type outcome_;  // there as soon as it is ready
  };
};

// Memory for a state and the state in it, or null.
template <class State, class... Args>
State* make_state(allocator& memory, memory_tag tag, Args&&... args) {
  void* const place = memory.allocate(sizeof(State), alignof(State), tag);
  if (place == nullptr) return nullptr;
  constexpr auto end = [](future_core& core) noexcept {
    auto& state = static_cast<State&>(core);
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

}  // namespace detail

template <class T>
class promise;

template <class T>
class shared_future {
 public:
  // Of nothing; only assignment, copies and valid() make sense.
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

  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  // Any thread.
  [[nodiscard]] bool is_ready() const noexcept { return state_->is_ready(); }
  // Waits until it is there. The reference is good as long as the state lives. Any thread.
  const result<T>& get(const wait_options& options = {}) const noexcept {
    state_->wait(options);
    return state_->outcome();
  }
  void wait(const wait_options& options = {}) const noexcept { state_->wait(options); }
  // False if time ran out first. Any thread.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds duration,
                              const wait_options& options = {}) const noexcept {
    return state_->wait_for(duration, options);
  }

  // Runs registered.work on registered.where when the value is there. Any thread.
  void on_ready(continuation& registered) const noexcept { state_->add(registered); }

  // Runs function(const result<T>&) on `where` when the value is there, and gives the future of
  // what it returns. The memory is the allocator's that made this state. Any thread.
  template <class F>
  auto then(executor& where, F function) const {
    using returned = std::invoke_result_t<F&, const result<T>&>;
    return then_as<typename detail::value_of<returned>::type>(where, std::move(function));
  }

 private:
  template <class>
  friend class promise;
  template <class>
  friend class shared_future;

  // Shares in a state that has been held for it.
  explicit shared_future(detail::future_state<T>* held) noexcept : state_(held) {}

  // The state of the future that then() returns, and what is to be run before it is there.
  template <class U, class F>
  class continued : public detail::future_state<U> {
   public:
    template <class End>
    continued(allocator& memory, memory_tag tag, End end, const shared_future& source,
              executor& where, F&& function) noexcept
        : detail::future_state<U>(memory, tag, end),
          source_(source),
          function_(std::move(function)) {
      link_.work = {&continued::run, this};
      link_.where = &where;
    }
    continuation& link() noexcept { return link_; }

   private:
    static void run(void* context) {
      auto& self = *static_cast<continued*>(context);
#if defined(__cpp_exceptions)
      try {
        self.call();
      } catch (...) {
        self.let_go();
        self.set(fail(errc::cancelled, "the function has thrown"));
        throw;  // to the executor, which says what becomes of it
      }
#else
      self.call();
#endif
    }
    void call() {
      using returned = std::invoke_result_t<F&, const result<T>&>;
      if constexpr (std::is_void_v<returned>) {
        (*function_)(source_.get());
        let_go();
        this->set();
      } else {
        returned value = (*function_)(source_.get());
        let_go();
        this->set(std::move(value));
      }
    }
    // What the function owns goes when it has run, not with the last future.
    void let_go() {
      function_.reset();
      source_ = {};
    }

    shared_future source_;
    std::optional<F> function_;
    continuation link_;
  };

  template <class U, class F>
  result<shared_future<U>> then_as(executor& where, F&& function) const {
    using state_type = continued<U, F>;
    auto* const state = detail::make_state<state_type>(state_->memory(), state_->tag(), *this,
                                                       where, std::forward<F>(function));
    if (state == nullptr) return fail(errc::out_of_memory, "no memory for a continuation");
    state->hold();
    shared_future<U> future(state);
    state_->add(state->link());
    return future;
  }

  detail::future_state<T>* state_ = nullptr;
};

// Storage for one value and its futures, without any allocation. See "Lifetime" above.
template <class T>
class future_storage {
 public:
  future_storage() noexcept = default;
  future_storage(const future_storage&) = delete;
  future_storage& operator=(const future_storage&) = delete;

 private:
  friend class promise<T>;
  detail::future_state<T> state_;
};

// The one who sets the value. Belongs to one thread at a time.
template <class T>
class promise {
 public:
  // errc::out_of_memory if the allocator refuses.
  [[nodiscard]] static result<promise> make(allocator& memory = default_allocator(),
                                            memory_tag tag = memory_tag::host) {
    auto* const state = detail::make_state<detail::future_state<T>>(memory, tag);
    if (state == nullptr) return fail(errc::out_of_memory, "no memory for a promise");
    return promise(state);
  }
  // One promise for each storage.
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
  // While it is valid.
  [[nodiscard]] shared_future<T> future() const noexcept {
    state_->hold();
    return shared_future<T>(state_);
  }

  // One of these, once; never blocks.
  void set(result<T> outcome) { std::exchange(state_, nullptr)->set(std::move(outcome)); }
  void set_error(const error& why) { set(tl::unexpected<error>(why)); }
  template <class... Args>
  void set_value(Args&&... args) {
    if constexpr (std::is_void_v<T>) {
      static_assert(sizeof...(args) == 0);
      set({});
    } else {
      set(result<T>(tl::in_place, std::forward<Args>(args)...));
    }
  }

 private:
  explicit promise(detail::future_state<T>* held) noexcept : state_(held) {}
  void drop() {
    if (state_) set_error({errc::cancelled, 0, "the promise was dropped"});
  }

  detail::future_state<T>* state_ = nullptr;
};

}  // namespace overture

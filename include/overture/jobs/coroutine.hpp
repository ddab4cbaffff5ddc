// SPDX-License-Identifier: Zlib
//
// Coroutines that run on a job system: code that waits without occupying a thread.
//
//   co_task<texture> load(job_system& jobs, read_queue& reads, asset_path which) {
//     shared_future<blob> reading = read(reads, which);
//     const result<blob>& packed = co_await reading;
//     if (!packed) co_return tl::unexpected(packed.error());
//     co_await door;                                                 // a barricade
//     auto pixels = co_await run_job(jobs, [&] { return decode(*packed); });  // a job
//     auto small = co_await shrink(*pixels);                         // another co_task
//     co_return std::move(*small);
//   }
//
//   result<shared_future<texture>> title = spawn(jobs, load(jobs, reads, "gfx/title.png"_path));
//
// A co_task<T> does nothing until another one awaits it or it is given to spawn(). Awaiting one
// gives a result<T>; awaiting a shared_future gives the const result<T>& of its get(), or a copy if
// the future is a temporary; awaiting a handle with settled() and status(), as asset<T> is, gives
// its status(). co_return takes a T or a result<T>. A co_task<void> returns nothing;
// use co_task<result<void>> for one that may fail. If what it awaits is ready the coroutine goes on
// at once. Otherwise it is suspended and goes on as a job of the system that it was spawned on, on
// any of its threads. No thread sleeps meanwhile.
//
// The jobs in which coroutines go on belong to no group, and a system that ends with at_end::cancel
// runs them all the same, so a coroutine always comes to its end. It must have ended, or must wait
// for nothing any more, before the system is destroyed.
//
// Cancelling: a coroutine that was spawned with a cancellation, and those that it awaits, begin
// nothing more once it is cancelled. co_await of another co_task, of run_job() and of a future that
// is not ready then gives errc::cancelled at once. One that is suspended already waits for what it
// waits for: cancel that too (read_cancellation, for example). Barricades are awaited all the same.
//
// Cost: the frame is one allocation, from the allocator& that is the first of at most nine
// parameters (members and lambdas have one more, in front), otherwise from default_allocator().
// co_await of another co_task switches to its frame and back without a job, except for one switch
// in 256, so that no compiler lets the stack of a long loop or a deep recursion grow. If memory is
// refused, the awaiting side or spawn() gets errc::out_of_memory and nothing has run. If the
// program that compiles the coroutine has exceptions, one that leaves it is reported (job_hooks)
// and becomes errc::threw.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/jobs/detail/coroutine_memory.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/sync/barricade.hpp"
#include "overture/sync/future.hpp"

namespace overture {

template <class T = void>
class co_task;

namespace detail {

using sync_detail::value_of;

// Resumes the coroutine.
inline task resumption(std::coroutine_handle<> waiting) noexcept {
  return {[](void* frame) { std::coroutine_handle<>::from_address(frame).resume(); },
          waiting.address()};
}

inline constexpr const char* coroutine_cancelled = "the coroutine was cancelled";

// A temporary future gives a copy: its state may go with the awaiter.
template <class T, bool Temporary>
class future_awaiter {
 public:
  future_awaiter(shared_future<T> awaited, job_system& where, bool cancelled) noexcept
      : awaited_(std::move(awaited)), cancelled_(cancelled) {
    link_.where = &where;
  }
  [[nodiscard]] bool await_ready() const noexcept { return cancelled_ || awaited_.is_ready(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    link_.work = resumption(waiting);
    awaited_.on_ready(link_);
  }
  std::conditional_t<Temporary, result<T>, const result<T>&> await_resume() const {
    static const result<T> cancelled = fail(errc::cancelled, coroutine_cancelled);
    if (!awaited_.is_ready()) return cancelled;
    return awaited_.get();
  }

 private:
  const shared_future<T> awaited_;
  const bool cancelled_;
  continuation link_;
};

class barricade_awaiter {
 public:
  barricade_awaiter(barricade& awaited, job_system& where) noexcept : awaited_(awaited) {
    link_.where = &where;
  }
  [[nodiscard]] bool await_ready() const noexcept { return awaited_.is_lowered(); }
  bool await_suspend(std::coroutine_handle<> waiting) noexcept {
    link_.work = resumption(waiting);
    return awaited_.on_lowered(link_);
  }
  void await_resume() const noexcept {}

 private:
  barricade& awaited_;
  barricade_continuation link_;
};

// A handle on something with an outcome, and a barricade that is lowered once it is known.
template <class Handle>
concept settles = requires(const Handle& handle) {
  { handle.settled() } -> std::convertible_to<barricade&>;
  handle.status();
};

template <settles Handle>
class settled_awaiter : public barricade_awaiter {
 public:
  settled_awaiter(const Handle& awaited, job_system& where) noexcept
      : barricade_awaiter(awaited.settled(), where), handle_(awaited) {}
  auto await_resume() const { return handle_.status(); }

 private:
  const Handle handle_;
};

// The state that does not depend on the coroutine's type.
class coroutine_state : public coroutine_memory {
 public:
  job_system* where = nullptr;
  std::coroutine_handle<> awaiting;  // resumed when this one has ended; none if it was spawned
  coroutine_state* awaiting_state = nullptr;
  const cancellation* cancel = nullptr;

  [[nodiscard]] bool is_cancelled() const noexcept {
    return cancel != nullptr && cancel->is_cancelled();
  }

  static std::suspend_always initial_suspend() noexcept { return {}; }

  // For await_suspend(): goes on with another coroutine on the stack of this one. GCC without -O2,
  // or with a sanitizer, calls it where it should jump to it, so now and then a job on a fresh
  // stack goes on instead. All compilers do so, which keeps the order of jobs the same.
  std::coroutine_handle<> move_to(std::coroutine_handle<> next, coroutine_state& its) noexcept {
    its.moves_ = moves_ + 1;
    if (its.moves_ < moves_max) return next;
    its.moves_ = 0;
    bool ran_inside = false;
    where->submit(move{next, &ran_inside}, nullptr, {.always = true});
    if (ran_inside) return next;  // no room for a job
    return std::noop_coroutine();
  }

  template <class T>
  future_awaiter<T, false> await_transform(const shared_future<T>& awaited) const noexcept {
    return {awaited, *where, is_cancelled()};
  }
  template <class T>
  future_awaiter<T, false> await_transform(shared_future<T>& awaited) const noexcept {
    return {awaited, *where, is_cancelled()};
  }
  template <class T>
  future_awaiter<T, true> await_transform(shared_future<T>&& awaited) const noexcept {
    static_assert(std::is_copy_constructible_v<result<T>>,
                  "keep the future in a variable: what it gives cannot be copied");
    return {std::move(awaited), *where, is_cancelled()};
  }
  barricade_awaiter await_transform(barricade& awaited) const noexcept { return {awaited, *where}; }
  template <settles Handle>
  settled_awaiter<Handle> await_transform(const Handle& awaited) const noexcept {
    return {awaited, *where};
  }
  template <class Awaitable>
    requires(!settles<std::remove_cvref_t<Awaitable>>)
  Awaitable&& await_transform(Awaitable&& awaited) const noexcept {
    if constexpr (requires { awaited.cancelled_unbegun = true; }) {  // run_job()
      if (is_cancelled()) awaited.cancelled_unbegun = true;
    }
    return std::forward<Awaitable>(awaited);
  }

 private:
  // Resumes the coroutine in a job, but not if that runs inside its own submit(): then the stack
  // would grow.
  struct move {
    std::coroutine_handle<> next;
    bool* ran_inside;  // valid until submit() returns

    void operator()() const noexcept {
      if (runs_inside_submit(this)) {
        *ran_inside = true;
      } else {
        next.resume();
      }
    }
  };
  static constexpr unsigned moves_max = 256;

  unsigned moves_ = 0;  // since the last such job
};

template <class T>
class coroutine_promise;

// The outcome, and where it goes.
template <class T>
class coroutine_outcome : public coroutine_state {
 public:
  using value_type = typename value_of<T>::type;

  // Takes the outcome of a spawned one.
  std::optional<promise<value_type>> kept;

  [[nodiscard]] result<value_type> take() noexcept { return std::move(*outcome_); }

  template <bool Exceptions = exceptions>
  void unhandled_exception() noexcept {
    auto again = [] { std::rethrow_exception(std::current_exception()); };
    call_reporting<Exceptions>(again);
    outcome_.emplace(fail(errc::threw, "an exception left the coroutine"));
  }
  static auto final_suspend() noexcept {
    struct to_who_awaits {
      static bool await_ready() noexcept { return false; }
      static std::coroutine_handle<> await_suspend(
          std::coroutine_handle<coroutine_promise<T>> ended) noexcept {
        coroutine_promise<T>& self = ended.promise();
        if (self.awaiting) return self.move_to(self.awaiting, *self.awaiting_state);
        promise<value_type> to = std::move(*self.kept);
        result<value_type> outcome = self.take();
        ended.destroy();
        to.set(std::move(outcome));
        return std::noop_coroutine();
      }
      static void await_resume() noexcept {}
    };
    return to_who_awaits();
  }

 protected:
  std::optional<result<value_type>> outcome_;
};

template <class T>
class coroutine_promise final : public coroutine_outcome<T> {
 public:
  co_task<T> get_return_object() noexcept;
  static co_task<T> get_return_object_on_allocation_failure() noexcept;
  void return_value(result<typename value_of<T>::type> value) noexcept {
    this->outcome_.emplace(std::move(value));
  }
};

template <>
class coroutine_promise<void> final : public coroutine_outcome<void> {
 public:
  co_task<void> get_return_object() noexcept;
  static co_task<void> get_return_object_on_allocation_failure() noexcept;
  void return_void() noexcept { outcome_.emplace(); }
};

}  // namespace detail

// Starts the coroutine as a job of the system and gives a future of its outcome, whose state is in
// `memory`. Errors: out_of_memory, also if the coroutine itself could not be made; invalid (it was
// moved from, or awaited before); unsupported (a job system of another version of Overture).
// `cancel` must outlive the coroutine. Any thread.
template <class T>
[[nodiscard]] result<shared_future<typename detail::value_of<T>::type>> spawn(
    job_system& where, co_task<T> begun, allocator& memory = default_allocator(),
    const cancellation* cancel = nullptr);

// A coroutine that has not started, or is being awaited. Used by one thread at a time. One that is
// never awaited does not run.
template <class T>
class [[nodiscard]] co_task {
 public:
  using promise_type = detail::coroutine_promise<T>;
  using value_type = typename detail::value_of<T>::type;

  co_task(co_task&& other) noexcept : left_(other.left_ && !other.frame_), frame_(other.leave()) {}
  co_task& operator=(co_task&& other) noexcept {
    std::swap(frame_, other.frame_);
    std::swap(left_, other.left_);
    return *this;
  }
  co_task(const co_task&) = delete;
  co_task& operator=(const co_task&) = delete;
  ~co_task() {
    if (frame_) frame_.destroy();
  }

  // False if memory for it was refused, or it was moved from or awaited.
  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(frame_); }

  // In another coroutine: runs this one to its end, once. Gives a result<value_type>. Errors: those
  // of the coroutine; out_of_memory (it could not be made); invalid (moved from, or awaited
  // before).
  auto operator co_await() && noexcept {
    const error none = why_none();
    return awaiter(leave(), none);
  }

 private:
  friend promise_type;
  template <class U>
  friend result<shared_future<typename detail::value_of<U>::type>> spawn(job_system&, co_task<U>,
                                                                         allocator&,
                                                                         const cancellation*);

  class awaiter {
   public:
    awaiter(std::coroutine_handle<promise_type> awaited, const error& none) noexcept
        : frame_(awaited), why_none_(none) {}
    awaiter(const awaiter&) = delete;
    awaiter& operator=(const awaiter&) = delete;
    ~awaiter() {
      if (frame_) frame_.destroy();
    }
    [[nodiscard]] bool await_ready() const noexcept { return !frame_; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> waiting) noexcept {
      if (waiting.promise().is_cancelled()) {
        std::exchange(frame_, nullptr).destroy();
        why_none_ = {.code = errc::cancelled, .reason = detail::coroutine_cancelled};
        return waiting;
      }
      promise_type& begun = frame_.promise();
      begun.where = waiting.promise().where;
      begun.cancel = waiting.promise().cancel;
      begun.awaiting = waiting;
      begun.awaiting_state = &waiting.promise();
      return waiting.promise().move_to(frame_, begun);
    }
    result<value_type> await_resume() noexcept {
      if (!frame_) return tl::unexpected<error>(why_none_);
      return frame_.promise().take();
    }

   private:
    std::coroutine_handle<promise_type> frame_;
    error why_none_;
  };

  explicit co_task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

  std::coroutine_handle<promise_type> leave() noexcept {
    if (frame_) left_ = true;
    return std::exchange(frame_, nullptr);
  }
  [[nodiscard]] error why_none() const noexcept {
    if (left_)
      return {.code = errc::invalid, .reason = "the task was moved from, or awaited before"};
    return {.code = errc::out_of_memory, .reason = "out of memory for a coroutine"};
  }

  bool left_ = false;  // its frame: it was moved from or awaited
  std::coroutine_handle<promise_type> frame_;
};

template <class T>
co_task<T> detail::coroutine_promise<T>::get_return_object() noexcept {
  return co_task<T>(std::coroutine_handle<coroutine_promise>::from_promise(*this));
}
template <class T>
co_task<T> detail::coroutine_promise<T>::get_return_object_on_allocation_failure() noexcept {
  return co_task<T>(nullptr);
}
inline co_task<void> detail::coroutine_promise<void>::get_return_object() noexcept {
  return co_task<void>(std::coroutine_handle<coroutine_promise>::from_promise(*this));
}
inline co_task<void>
detail::coroutine_promise<void>::get_return_object_on_allocation_failure() noexcept {
  return co_task<void>(nullptr);
}

template <class T>
result<shared_future<typename detail::value_of<T>::type>> spawn(job_system& where, co_task<T> begun,
                                                                allocator& memory,
                                                                const cancellation* cancel) {
  using value_type = typename detail::value_of<T>::type;
  if (!where.is_of_this_version()) return fail(errc::unsupported, other_version);
  if (!begun.valid()) return tl::unexpected<error>(begun.why_none());
  auto kept = promise<value_type>::make(memory, memory_tag::jobs);
  if (!kept) return tl::unexpected<error>(kept.error());
  kept->comes_from(where);
  shared_future<value_type> future = kept->future();
  const auto frame = begun.leave();
  frame.promise().where = &where;
  frame.promise().cancel = cancel;
  frame.promise().kept.emplace(std::move(*kept));
  where.execute(detail::resumption(frame));
  return future;
}

// co_await run_job(jobs, function): runs the function as a job of that system and goes on in the
// same job. Gives a result of what the function returns, errc::cancelled if the job was dropped
// (options.token), or errc::threw if the function threw, which is reported (job_hooks).
template <class F, bool Exceptions = detail::exceptions>
[[nodiscard]] auto run_job(job_system& system, F function, const job_options& options = {}) {
  using returned = std::invoke_result_t<F&>;
  using value_type = typename detail::value_of<returned>::type;
  class awaiter {
   public:
    awaiter(job_system& on, F&& wanted, const job_options& with) noexcept
        : system_(on), function_(std::move(wanted)), options_(with) {}
    bool cancelled_unbegun = false;  // by the coroutine that awaits this
    [[nodiscard]] bool await_ready() const noexcept { return cancelled_unbegun; }
    // False if the job has run inside submit() for lack of room. Then the coroutine goes on here,
    // or many such awaits in a row would nest on the stack.
    bool await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      // The job may end the life of this awaiter before submit() returns.
      const job_options options = options_;
      bool ended_inside = false;
      system_.submit(turn(*this, ended_inside), nullptr, options);
      return !ended_inside;
    }
    result<value_type> await_resume() noexcept { return std::move(outcome_); }

   private:
    // Resumes the coroutine; if this job is dropped, in one of its own.
    class turn {
     public:
      turn(awaiter& of, bool& ended_inside) noexcept : of_(&of), ended_inside_(&ended_inside) {}
      turn(turn&& other) noexcept
          : of_(std::exchange(other.of_, nullptr)), ended_inside_(other.ended_inside_) {}
      turn& operator=(turn&&) = delete;
      turn(const turn&) = delete;
      turn& operator=(const turn&) = delete;
      ~turn() {
        if (of_ != nullptr) of_->system_.execute(detail::resumption(of_->waiting_));
      }
      void operator()() {
        awaiter& owner = *std::exchange(of_, nullptr);
        auto body = [&owner] { owner.call(); };
        detail::call_guard<Exceptions>::call(body, [&owner](const char* what) noexcept {
          owner.outcome_ = fail(errc::threw, "the function passed to run_job() threw an exception");
          (void)detail::job_threw(what);
        });
        if (detail::runs_inside_submit(this)) {
          *ended_inside_ = true;
        } else {
          owner.waiting_.resume();
        }
      }

     private:
      awaiter* of_;
      bool* ended_inside_;  // valid until submit() returns
    };

    void call() {
      if constexpr (std::is_void_v<returned>) {
        function_();
        outcome_ = result<value_type>();
      } else {
        outcome_ = function_();
      }
    }

    job_system& system_;
    F function_;
    const job_options options_;
    std::coroutine_handle<> waiting_;
    result<value_type> outcome_ = fail(errc::cancelled, "the job was dropped");
  };
  return awaiter(system, std::move(function), options);
}

}  // namespace overture

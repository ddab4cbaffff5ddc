// SPDX-License-Identifier: Zlib
//
// A job: a callable stored inline, and what a job system is told about it.
//
//   job work = [&chunk] { build(chunk); };         // at most 48 bytes, else it does not compile
//   auto large = job::allocated(memory, [big] { use(big); });   // result<job>: takes memory
//
// Making, moving and running a job allocates nothing; moving one whose callable is trivially
// copyable copies its bytes. If the program is compiled with exceptions, one that leaves the
// callable is caught and reported to the job system (job_hooks); the library itself uses none. A
// job without a callable (default-made, moved from, or made of a null function pointer) does
// nothing and is reported too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/base/exceptions.hpp"
#include "overture/base/limits.hpp"
#include "overture/trace/timeline.hpp"

namespace overture {

// Which jobs start first. Jobs of low priority run in the background, on all workers but one at
// most (on the only one if there is just one). A running job is never interrupted.
enum class job_priority : std::uint8_t { high, normal, low };

// Cancels the jobs that carry it and have not begun: when their turn comes, what they captured is
// destroyed and their group counted down. Must outlive them.
class cancellation {
 public:
  // Any thread.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_seq_cst); }
  [[nodiscard]] bool is_cancelled() const noexcept {
    return cancelled_.load(std::memory_order_relaxed);
  }
  // Only while no job carries it.
  void reset() noexcept { cancelled_.store(false, std::memory_order_seq_cst); }

 private:
  atomic<bool> cancelled_{false};
};

struct job_options {
  job_priority priority = job_priority::normal;
  const char* name = nullptr;  // a literal: the job's zone in the timeline; null records none
  zone_colour colour = zone_colour::by_name;  // of that zone
  const cancellation* token = nullptr;
  bool always = false;  // runs even if its pool ends with at_end::cancel

  friend bool operator==(const job_options& left, const job_options& right) noexcept = default;
};

namespace detail {
// Reports an exception to the job system whose job runs on this thread; false if there is none.
// `what` may be null.
OVERTURE_API bool job_threw(const char* what) noexcept;
// True inside a job that runs within its own submit(), for lack of room. `callable` is the job's.
[[nodiscard]] OVERTURE_API bool runs_inside_submit(const void* callable) noexcept;

// Calls the function and reports an exception as job_threw() does.
template <bool Exceptions, class F>
void call_reporting(F& function) {
  call_guard<Exceptions>::call(function, [](const char* what) noexcept { (void)job_threw(what); });
}
}  // namespace detail

// A move-only callable without parameters.
class job {
 public:
  // NOLINTNEXTLINE(modernize-use-equals-default): job() would fill the storage with zeros
  job() noexcept {}

  template <class F, bool Exceptions = detail::exceptions>
    requires(!std::is_same_v<std::remove_cvref_t<F>, job> && std::is_invocable_v<std::decay_t<F>&>)
  // NOLINTNEXTLINE(google-explicit-constructor): a lambda is a job wherever one is asked for
  job(F&& callable) noexcept(std::is_nothrow_constructible_v<std::decay_t<F>, F>)
      : how_(&operations_of<std::decay_t<F>, Exceptions>) {
    using function = std::decay_t<F>;
    static_assert(sizeof(function) <= limits::job_bytes_max,
                  "the callable captures too much for a job: capture a pointer instead, or ask for "
                  "memory with job::allocated()");
    static_assert(alignof(function) <= alignof(std::max_align_t),
                  "the callable captures what is aligned too widely for a job: capture a pointer "
                  "instead, or ask for memory with job::allocated()");
    static_assert(std::is_nothrow_move_constructible_v<function>,
                  "a job is moved between queues: what its callable captures must move without "
                  "exceptions");
    // Moves copy these bytes as a whole, so none may be left without a value.
    constexpr std::size_t used = std::is_empty_v<function> ? 0 : sizeof(function);
    constexpr std::size_t copied =
        operations_of<function, Exceptions>.is_small ? small_bytes : sizeof storage_;
    if constexpr (used < copied) std::memset(storage_ + used, 0, copied - used);
    if constexpr (std::is_pointer_v<std::remove_cvref_t<F>>) {
      if (callable == nullptr) how_ = nullptr;
    }
    ::new (static_cast<void*>(storage_)) function(std::forward<F>(callable));
  }
  job(job&& other) noexcept : how_(std::exchange(other.how_, nullptr)) { take_callable(other); }
  job& operator=(job&& other) noexcept {
    if (this != &other) {
      reset();
      how_ = std::exchange(other.how_, nullptr);
      take_callable(other);
    }
    return *this;
  }
  job(const job&) = delete;
  job& operator=(const job&) = delete;
  ~job() { reset(); }

  // A job of any size in the allocator's memory; the allocator must outlive it. Errors:
  // out_of_memory.
  template <class F, bool Exceptions = detail::exceptions>
  [[nodiscard]] static result<job> allocated(allocator& memory, F&& callable) {
    using function = std::decay_t<F>;
    if constexpr (std::is_pointer_v<std::remove_cvref_t<F>>) {
      if (callable == nullptr) return job();
    }
    void* const place = memory.allocate(sizeof(function), alignof(function), memory_tag::jobs);
    if (place == nullptr) return fail(errc::out_of_memory, "out of memory for a large job");
    // Frees the memory if the copy throws.
    struct unused {
      allocator& memory;
      void* place;
      ~unused() {
        if (place == nullptr) return;
        memory.deallocate(place, sizeof(function), alignof(function), memory_tag::jobs);
      }
    } room{memory, place};
    auto* const made = ::new (place) function(std::forward<F>(callable));
    room.place = nullptr;
    return job(elsewhere<function, Exceptions>(memory, made));
  }

  [[nodiscard]] explicit operator bool() const noexcept { return how_ != nullptr; }
  void operator()() {
    if (how_ != nullptr) return how_->run(storage_);
    (void)detail::job_threw("a job without a callable");
  }

 private:
  struct operations {
    void (*run)(void* self);
    void (*move)(void* self, void* to) noexcept;  // null: copy the bytes
    void (*destroy)(void* self) noexcept;         // null: nothing to do
    bool is_small;                                // it fits in small_bytes
  };
  // This much is in the first cache line of a queued job; most captures need no more.
  static constexpr std::size_t small_bytes = 16;

  // Only the first depends on the setting of exceptions; see base/exceptions.hpp.
  template <class Function, bool Exceptions>
  static void run_function(void* self) {
    detail::call_reporting<Exceptions>(*static_cast<Function*>(self));
  }
  template <class Function>
  static void move_function(void* self, void* to) noexcept {
    auto& from = *static_cast<Function*>(self);
    ::new (to) Function(std::move(from));
    static_cast<Function*>(self)->~Function();
  }
  template <class Function>
  static void destroy_function(void* self) noexcept {
    static_cast<Function*>(self)->~Function();
  }
  template <class Function, bool Exceptions>
  static constexpr operations operations_of = {
      &run_function<Function, Exceptions>,
      std::is_trivially_copyable_v<Function> ? nullptr : &move_function<Function>,
      std::is_trivially_destructible_v<Function> ? nullptr : &destroy_function<Function>,
      sizeof(Function) <= small_bytes};

  template <class Function, bool Exceptions>
  class elsewhere {
   public:
    elsewhere(allocator& memory, Function* function) noexcept
        : memory_(&memory), function_(function) {}
    elsewhere(elsewhere&& other) noexcept
        : memory_(other.memory_), function_(std::exchange(other.function_, nullptr)) {}
    elsewhere& operator=(elsewhere&&) = delete;
    elsewhere(const elsewhere&) = delete;
    elsewhere& operator=(const elsewhere&) = delete;
    ~elsewhere() {
      if (function_ == nullptr) return;
      function_->~Function();
      memory_->deallocate(function_, sizeof(Function), alignof(Function), memory_tag::jobs);
    }
    void operator()() { (*function_)(); }

   private:
    allocator* memory_;
    Function* function_;
  };

  void take_callable(job& other) noexcept {
    if (how_ == nullptr) return;
    if (how_->move != nullptr) {
      how_->move(other.storage_, storage_);
    } else if (how_->is_small) {
      std::memcpy(storage_, other.storage_, small_bytes);
    } else {
      std::memcpy(storage_, other.storage_, sizeof storage_);
    }
  }
  void reset() noexcept {
    if (how_ != nullptr && how_->destroy != nullptr) how_->destroy(storage_);
    how_ = nullptr;
  }

  const operations* how_ = nullptr;
  alignas(std::max_align_t) std::byte storage_[limits::job_bytes_max];
};

}  // namespace overture

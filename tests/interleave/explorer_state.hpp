// SPDX-License-Identifier: Zlib
//
// The internals of the explorer. explorer.cpp decides which thread runs; memory.cpp models what
// loads may return and which threads sleep; steps.cpp is the interface to both.
#pragma once

#include <ucontext.h>

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "interleave/explorer.hpp"
#include "interleave/steps.hpp"

namespace interleave {

inline constexpr std::size_t threads_max = 6;
inline constexpr std::size_t objects_max = 256;
inline constexpr std::size_t steps_max = 4000;  // a program with more runs for ever
inline constexpr std::size_t stack_bytes = 128 * 1024;
inline constexpr std::size_t program_stack_bytes = 1024 * 1024;

// What a thread knows: for each object the oldest store that it may still see, for each thread the
// last step that happened before its own.
struct knowledge {
  std::array<std::int16_t, objects_max> seen{};
  std::array<std::uint32_t, threads_max> clock{};

  void join(const knowledge& other) {
    // Who knows of a thread's step knows all that the thread knew.
    bool known = true;
    for (std::size_t i = 0; i < threads_max; ++i) known = known && clock[i] >= other.clock[i];
    if (known) return;
    for (std::size_t i = 0; i < objects_max; ++i) seen[i] = std::max(seen[i], other.seen[i]);
    for (std::size_t i = 0; i < threads_max; ++i) clock[i] = std::max(clock[i], other.clock[i]);
  }
};

struct stored {
  std::uint64_t value = 0;
  knowledge released;  // what a thread learns by acquiring this store
};

struct object {
  std::vector<stored> stores;
  std::size_t last_sequential = 0;  // the last sequentially consistent store
  bool alive = true;
  // Plain data only: when each thread last read it, and which one last wrote it.
  std::array<std::uint32_t, threads_max> read_at{};
  std::uint32_t written_at = 0;
  std::size_t writer = 0;
};

enum class state { unused, ready, asleep, relayed, finished };

struct fibre {
  state now = state::unused;
  const void* key = nullptr;
  bool has_deadline = false;
  bool timed_out = false;
  knowledge knows;
  ucontext_t context{};
  std::unique_ptr<char[]> stack;
  const std::function<void()>* work = nullptr;
};

struct choice {
  std::uint16_t taken;
  std::uint16_t count;
};

struct traced {
  std::size_t thread;
  const char* what;
  std::size_t object;
  std::uint64_t value;
};

inline bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
inline bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

class explorer {
 public:
  outcome explore(const bounds& limits, const std::function<void()>& program);

  void run(std::initializer_list<std::function<void()>> threads);
  void fail(const std::string& text);
  // Before and after run() the program's own thread is alone, and its steps are none.
  [[nodiscard]] bool threads_run() const { return active_ && !ran_ && thread_count_ != 0; }
  [[nodiscard]] std::size_t current() const { return current_; }
  [[nodiscard]] bool asleep(std::size_t thread) const {
    return fibres_[thread].now == state::asleep || fibres_[thread].now == state::relayed;
  }

  void begin_life(const void* at);
  void begin_plain_life(const void* at);
  void end_life(const void* at);
  void step(const void* at, std::uint64_t value, const char* what);
  std::uint64_t load(const void* at, std::memory_order order);
  void store(const void* at, std::uint64_t value, std::memory_order order, bool reads);
  void acquire_latest(const void* at, std::memory_order order);
  exchanged compare_exchange(const void* at, std::uint64_t expected, std::uint64_t fresh,
                             std::memory_order success, std::memory_order failure, bool weak);
  void fence_all_threads();
  void read_plain(const void* at);
  void write_plain(const void* at);

  // All other memory, from the calls that the compiler puts before each access (watch.cpp).
  void watch(const void* at, std::size_t bytes, bool writes, const void* code);
  void begin_memory(const void* at, std::size_t bytes);
  void end_memory(const void* at, std::size_t bytes);
  void free_memory(void* memory);
  // The number of the execution, 0 outside.
  std::size_t count_taken() {
    if (!active_) return 0;
    ++taken_;
    return execution_stamp_;
  }
  void order_after_all();
  void join(std::size_t thread);

  slept sleep(const void* at, bool same, bool has_deadline);
  void wake(const void* key, state where, unsigned how_many);
  unsigned move_sleepers(const void* key);
  void schedule(bool yielding);

 private:
  enum class kind { thread, rare };

  [[nodiscard]] bool may_deviate(unsigned left) const { return left != 0 && deviations_left_ != 0; }
  void deviate(unsigned& left) {
    --left;
    --deviations_left_;
  }
  unsigned choose(std::size_t count, kind what);
  bool next_trail();
  void begin_execution(const std::function<void()>& program);
  void prepare(std::size_t number, const std::function<void()>& work);
  void switch_to(std::size_t next);
  void finish_thread();
  [[nodiscard]] bool can_run(std::size_t thread) const;
  std::size_t list_able(std::array<std::size_t, threads_max>& able, bool may_go_on) const;
  [[nodiscard]] std::size_t oldest_visible(std::size_t index, std::memory_order order);
  void see(std::size_t index, std::size_t store, std::memory_order order);
  std::size_t find(const void* at, std::uint64_t value);
  [[nodiscard]] std::size_t index_of(const void* address) const {
    return address == stepped_at_ ? stepped_index_ : known_.at(address);
  }
  knowledge& mine() { return fibres_[current_].knows; }
  void trace(const char* what, std::size_t object, std::uint64_t value) {
    trace_.push_back({current_, what, object, value});
  }
  [[nodiscard]] std::string story() const;
  [[nodiscard]] static std::string place_of(const void* code);
  static void give_back(void* memory);
  static void make_context(fibre& of, std::size_t bytes, void (*entry)());
  static void enter();
  static void enter_program();

  bounds limits_;
  std::mt19937_64 random_;
  std::uint64_t executions_ = 0;
  std::vector<choice> trail_;
  std::size_t position_ = 0;
  unsigned preemptions_left_ = 0;
  unsigned stale_left_ = 0;
  unsigned early_left_ = 0;
  unsigned spurious_left_ = 0;
  unsigned deviations_left_ = 0;
  // By chance: one choice in so many is another than the plain one.
  unsigned switch_once_in_ = 0;
  unsigned deviate_once_in_ = 0;

  bool active_ = false;
  std::string failure_;
  std::size_t current_ = 0;
  std::size_t thread_count_ = 0;
  std::array<fibre, threads_max> fibres_;  // the first is the program's own thread
  ucontext_t outside_{};
  const std::function<void()>* program_ = nullptr;
  std::vector<object> objects_;
  std::size_t object_count_ = 0;
  std::unordered_map<const void*, std::size_t> known_;
  const void* stepped_at_ = nullptr;  // by the last step
  std::size_t stepped_index_ = 0;
  std::unordered_set<const void*> gone_;  // before any step on them
  bool ran_ = false;
  std::uint32_t execution_stamp_ = 0;  // of all searches
  std::vector<void*> freed_;
  std::size_t taken_ = 0;  // in this execution and not freed
  std::vector<traced> trace_;
};

extern explorer the;

}  // namespace interleave

// SPDX-License-Identifier: Zlib
#include "interleave/explorer.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "interleave/explorer_state.hpp"

namespace interleave {

explorer the;

// -- decisions --

unsigned explorer::choose(std::size_t count, kind what) {
  if (count <= 1) return 0;
  if (position_ < trail_.size()) {
    const choice& before = trail_[position_++];
    if (before.count == count) return before.taken;
    fail("the program is not deterministic: it depends on something besides its steps");
    return 0;
  }
  std::size_t taken = 0;
  if (limits_.random != 0) {
    // Mostly the first choice, so that an execution differs from the plain one in a few places.
    const bool plain = random_() % (what == kind::thread ? switch_once_in_ : deviate_once_in_) != 0;
    taken = plain ? 0 : random_() % count;
  }
  trail_.push_back({static_cast<std::uint16_t>(taken), static_cast<std::uint16_t>(count)});
  ++position_;
  return static_cast<unsigned>(taken);
}

bool explorer::next_trail() {
  if (limits_.random != 0) {
    trail_.clear();
    return executions_ < limits_.random;
  }
  while (!trail_.empty() && trail_.back().taken + 1 == trail_.back().count) trail_.pop_back();
  if (trail_.empty()) return false;
  ++trail_.back().taken;
  return executions_ < limits_.executions_max;
}

outcome explorer::explore(const bounds& limits, const std::function<void()>& program) {
  limits_ = limits;
  if (const char* const seed = std::getenv("OVERTURE_INTERLEAVE_SEED")) {
    limits_.seed = std::strtoull(seed, nullptr, 10);
  }
  if (std::getenv("OVERTURE_LONG_TESTS")) {
    limits_.random *= 10;
    limits_.executions_max *= 10;
  }
  if (const char* const divisor = std::getenv("OVERTURE_INTERLEAVE_DIVISOR")) {
    const std::uint64_t by = std::max<std::uint64_t>(std::strtoull(divisor, nullptr, 10), 1);
    limits_.random = (limits_.random + by - 1) / by;
    limits_.executions_max /= by;
  }
  random_.seed(limits_.seed);
  executions_ = 0;
  trail_.clear();
  failure_.clear();
  bool more = true;
  while (more && failure_.empty()) {
    begin_execution(program);
    ++executions_;
    more = next_trail();
  }
  const bool complete = failure_.empty() && limits_.random == 0 && trail_.empty();
  return {failure_, complete, executions_};
}

void explorer::begin_execution(const std::function<void()>& program) {
  position_ = 0;
  const bool by_chance = limits_.random != 0;
  preemptions_left_ = by_chance ? ~0u : limits_.preemptions;
  stale_left_ = limits_.stale_loads;
  early_left_ = limits_.early_returns;
  spurious_left_ = limits_.spurious_failures;
  deviations_left_ = by_chance ? ~0u : limits_.deviations;
  if (by_chance) {
    switch_once_in_ = 2u << random_() % 5;
    deviate_once_in_ = 4u << random_() % 4;
  }
  current_ = 0;
  thread_count_ = 0;
  object_count_ = 0;
  known_.clear();
  stepped_at_ = nullptr;
  gone_.clear();
  taken_ = 0;
  ran_ = false;
  trace_.clear();
  fibres_[0].knows = {};
  fibres_[0].knows.clock[0] = 1;
  ++execution_stamp_;
  begin_threads_anew();
  active_ = true;
  // In a fibre of its own, which is abandoned where it is after a failure.
  program_ = &program;
  make_context(fibres_[0], program_stack_bytes, &explorer::enter_program);
  swapcontext(&outside_, &fibres_[0].context);
  active_ = false;
  for (void* const memory : freed_) give_back(memory);
  freed_.clear();
}

// -- threads --

void explorer::enter() {
  (*the.fibres_[the.current_].work)();
  the.finish_thread();
}

void explorer::enter_program() {
  (*the.program_)();
  if (the.taken_ != 0) the.fail("memory of the library is not freed");
  setcontext(&the.outside_);
}

void explorer::run(std::initializer_list<std::function<void()>> threads) {
  if (!active_) return;
  thread_count_ = threads.size();
  if (thread_count_ >= threads_max) std::abort();
  for (std::size_t i = 0; i < thread_count_; ++i) prepare(i + 1, threads.begin()[i]);
  schedule(true);
  current_ = 0;
  ran_ = true;
  for (std::size_t i = 1; i <= thread_count_; ++i) fibres_[0].knows.join(fibres_[i].knows);
}

void explorer::prepare(std::size_t number, const std::function<void()>& work) {
  fibre& each = fibres_[number];
  each.now = state::ready;
  each.work = &work;
  each.knows = fibres_[0].knows;
  each.knows.clock[number] = 1;
  make_context(each, stack_bytes, &explorer::enter);
}

void explorer::make_context(fibre& of, std::size_t bytes, void (*entry)()) {
  if (!of.stack) of.stack = std::make_unique<char[]>(bytes);
  getcontext(&of.context);
  of.context.uc_stack.ss_sp = of.stack.get();
  of.context.uc_stack.ss_size = bytes;
  of.context.uc_link = nullptr;
  makecontext(&of.context, entry, 0);
}

bool explorer::can_run(std::size_t thread) const {
  const fibre& each = fibres_[thread];
  const bool sleeps = each.now == state::asleep || each.now == state::relayed;
  return each.now == state::ready || (sleeps && each.has_deadline);
}

// Lists the threads that may run next. The first is the one that does unless something deviates:
// the current thread, or the next one in turn. Choosing a sleeping thread lets its deadline pass.
std::size_t explorer::list_able(std::array<std::size_t, threads_max>& able, bool may_go_on) const {
  std::size_t count = 0;
  if (may_go_on) able[count++] = current_;
  if (may_go_on && !may_deviate(preemptions_left_)) return count;
  for (const bool asleep : {false, true}) {
    for (std::size_t after = 1; after <= thread_count_; ++after) {
      const std::size_t i = (current_ + after - 1) % thread_count_ + 1;
      const bool is_ready = fibres_[i].now == state::ready;
      if (i != current_ && can_run(i) && is_ready != asleep) able[count++] = i;
    }
  }
  return count;
}

// Decides which thread runs next.
void explorer::schedule(bool yielding) {
  if (!active_) return;
  std::array<std::size_t, threads_max> able{};
  const bool may_stay = current_ != 0 && can_run(current_) && fibres_[current_].now == state::ready;
  std::size_t count = list_able(able, may_stay && !yielding);
  // If the current thread sleeps, its own deadline may pass.
  if (current_ != 0 && !may_stay && can_run(current_)) able[count++] = current_;
  if (count == 0 && may_stay) return;
  if (count == 0) {
    const bool over = std::all_of(&fibres_[1], &fibres_[1] + thread_count_,
                                  [](const fibre& each) { return each.now == state::finished; });
    if (!over) fail("all remaining threads sleep");
    if (current_ != 0) switch_to(0);
    return;
  }
  const std::size_t next = able[choose(deviations_left_ != 0 ? count : 1, kind::thread)];
  if (next != able[0]) {
    if (may_stay && !yielding) --preemptions_left_;
    --deviations_left_;
  }
  fibre& chosen = fibres_[next];
  if (chosen.now != state::ready) {
    chosen.now = state::ready;
    chosen.timed_out = true;
    trace_.push_back({next, "its deadline passes", objects_max, 0});
  }
  if (next != current_) switch_to(next);
}

void explorer::switch_to(std::size_t next) {
  const std::size_t before = current_;
  current_ = next;
  swapcontext(&fibres_[before].context, &fibres_[next].context);
}

void explorer::finish_thread() {
  fibres_[current_].now = state::finished;
  schedule(true);
}

void explorer::fail(const std::string& text) {
  if (!active_) return;
  failure_ = text + story();
  active_ = false;
  setcontext(&outside_);
}

// For addr2line: the file and the position in it.
std::string explorer::place_of(const void* code) {
  Dl_info found{};
  std::ostringstream text;
  if (dladdr(code, &found) == 0) return "an unknown place";
  text << found.dli_fname << "+0x" << std::hex
       << static_cast<const char*>(code) - static_cast<const char*>(found.dli_fbase);
  return text.str();
}

std::string explorer::story() const {
  std::ostringstream out;
  out << "\nin execution " << executions_;
  if (limits_.random != 0) out << " by seed " << limits_.seed;
  out << ", step by step:\n";
  constexpr std::size_t shown_max = 200;
  if (trace_.size() > shown_max) out << "  ... " << trace_.size() - shown_max << " earlier steps\n";
  const std::size_t first = trace_.size() - std::min(trace_.size(), shown_max);
  for (std::size_t i = first; i < trace_.size(); ++i) {
    const traced& each = trace_[i];
    out << "  thread " << each.thread << ": " << each.what;
    if (each.object != objects_max) out << " #" << each.object << " = " << each.value;
    out << '\n';
  }
  return out.str();
}

}  // namespace interleave

#include "interleave/explorer.hpp"

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <random>
#include <sstream>
#include <unordered_map>
#include <vector>

#include "interleave/steps.hpp"

namespace interleave {
namespace {

constexpr std::size_t threads_max = 6;
constexpr std::size_t objects_max = 64;
constexpr std::size_t steps_max = 4000;  // a program that makes more runs for ever
constexpr std::size_t stack_bytes = 128 * 1024;

// What a thread knows: of each object the oldest store that it may still see, of each thread how
// far it is ordered behind it.
struct knowledge {
  std::array<std::uint16_t, objects_max> seen{};
  std::array<std::uint32_t, threads_max> clock{};

  void join(const knowledge& other) {
    for (std::size_t i = 0; i < objects_max; ++i) seen[i] = std::max(seen[i], other.seen[i]);
    for (std::size_t i = 0; i < threads_max; ++i) clock[i] = std::max(clock[i], other.clock[i]);
  }
};

struct stored {
  std::uint64_t value = 0;
  knowledge released;  // what who acquires this store learns
};

struct object {
  std::vector<stored> stores;
  std::size_t last_sequential = 0;  // the last store that was sequentially consistent
  bool alive = true;
  // Plain data only: when each thread has read it last, and who wrote last.
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

bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

class explorer {
 public:
  outcome explore(const bounds& limits, const std::function<void()>& program);

  void run(std::initializer_list<std::function<void()>> threads);
  void fail(const std::string& text);
  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] std::size_t current() const { return current_; }
  [[nodiscard]] bool asleep(std::size_t thread) const {
    return fibres_[thread].now == state::asleep || fibres_[thread].now == state::relayed;
  }

  void begin_life(const void* at, std::uint64_t value);
  void end_life(const void* at);
  void step(const void* at, std::uint64_t value, const char* what);
  std::uint64_t load(const void* at, std::memory_order order);
  void store(const void* at, std::uint64_t value, std::memory_order order, bool reads);
  void acquire_latest(const void* at, std::memory_order order);
  void read_plain(const void* at);
  void write_plain(const void* at);

  bool sleep(const void* at, bool same, bool has_deadline);
  void wake(const void* key, state where, unsigned how_many);
  void wake_relayed(const void* key);
  void schedule(bool yielding);

 private:
  enum class kind { who, rare };

  unsigned choose(std::size_t count, kind what);
  bool next_trail();
  void begin_execution(const std::function<void()>& program);
  void prepare(std::size_t number, const std::function<void()>& work);
  void switch_to(std::size_t next);
  void finish_thread();
  [[nodiscard]] bool can_run(std::size_t thread) const;
  std::size_t find(const void* at, std::uint64_t value);
  object& at(const void* address) { return objects_[known_.at(address)]; }
  knowledge& mine() { return fibres_[current_].knows; }
  void trace(const char* what, std::size_t object, std::uint64_t value) {
    trace_.push_back({current_, what, object, value});
  }
  [[nodiscard]] std::string story() const;
  static void enter();

  bounds limits_;
  std::mt19937_64 random_;
  std::uint64_t executions_ = 0;
  std::vector<choice> trail_;
  std::size_t position_ = 0;
  unsigned preemptions_left_ = 0;
  unsigned stale_left_ = 0;
  unsigned early_left_ = 0;

  bool active_ = false;
  std::string failure_;
  std::size_t current_ = 0;
  std::size_t thread_count_ = 0;
  std::array<fibre, threads_max> fibres_;
  std::vector<object> objects_;
  std::size_t object_count_ = 0;
  std::unordered_map<const void*, std::size_t> known_;
  std::vector<traced> trace_;
};

explorer the;

// -- decisions --

unsigned explorer::choose(std::size_t count, kind what) {
  if (count <= 1) return 0;
  if (position_ < trail_.size()) return trail_[position_++].taken;
  std::size_t taken = 0;
  if (limits_.random != 0) {
    // Mostly the plain way on, so that what is drawn differs from it in a few places.
    const bool plain = random_() % (what == kind::who ? 3 : 8) != 0;
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
  preemptions_left_ = limits_.random != 0 ? ~0u : limits_.preemptions;
  stale_left_ = limits_.stale_loads;
  early_left_ = limits_.early_returns;
  current_ = 0;
  thread_count_ = 0;
  object_count_ = 0;
  known_.clear();
  trace_.clear();
  fibres_[0].knows = {};
  fibres_[0].knows.clock[0] = 1;
  active_ = true;
  program();
  active_ = false;
}

// -- threads --

void explorer::enter() {
  (*the.fibres_[the.current_].work)();
  the.finish_thread();
}

void explorer::run(std::initializer_list<std::function<void()>> threads) {
  if (!active_) return;
  thread_count_ = threads.size();
  if (thread_count_ >= threads_max) std::abort();
  for (std::size_t i = 0; i < thread_count_; ++i) prepare(i + 1, threads.begin()[i]);
  schedule(true);
  current_ = 0;
  for (std::size_t i = 1; i <= thread_count_; ++i) fibres_[0].knows.join(fibres_[i].knows);
}

void explorer::prepare(std::size_t number, const std::function<void()>& work) {
  fibre& each = fibres_[number];
  each.now = state::ready;
  each.work = &work;
  each.knows = fibres_[0].knows;
  each.knows.clock[number] = 1;
  if (!each.stack) each.stack = std::make_unique<char[]>(stack_bytes);
  getcontext(&each.context);
  each.context.uc_stack.ss_sp = each.stack.get();
  each.context.uc_stack.ss_size = stack_bytes;
  each.context.uc_link = nullptr;
  makecontext(&each.context, &explorer::enter, 0);
}

bool explorer::can_run(std::size_t thread) const {
  const fibre& each = fibres_[thread];
  const bool sleeps = each.now == state::asleep || each.now == state::relayed;
  return each.now == state::ready || (sleeps && each.has_deadline);
}

// Decides who goes on. To choose a thread that sleeps is to let its time run out.
void explorer::schedule(bool yielding) {
  if (!active_) return;
  std::array<std::size_t, threads_max> able{};
  std::size_t count = 0;
  const bool may_stay = current_ != 0 && can_run(current_) && fibres_[current_].now == state::ready;
  if (may_stay && !yielding) able[count++] = current_;
  if (count == 0 || preemptions_left_ != 0) {
    for (std::size_t i = 1; i <= thread_count_; ++i) {
      if (i != current_ && can_run(i)) able[count++] = i;
    }
    // A sleeper alone may find its own time run out.
    if (current_ != 0 && !may_stay && can_run(current_)) able[count++] = current_;
  }
  if (count == 0 && may_stay) return;
  if (count == 0) {
    const bool over = std::all_of(&fibres_[1], &fibres_[1] + thread_count_,
                                  [](const fibre& each) { return each.now == state::finished; });
    if (!over) fail("everybody who is left sleeps");
    if (current_ != 0) switch_to(0);
    return;
  }
  const std::size_t next = able[choose(count, kind::who)];
  if (may_stay && !yielding && next != current_) --preemptions_left_;
  fibre& chosen = fibres_[next];
  if (chosen.now != state::ready) {
    chosen.now = state::ready;
    chosen.timed_out = true;
    trace_.push_back({next, "time runs out", objects_max, 0});
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
  // The fibres are left where they are, for ever.
  if (current_ != 0) switch_to(0);
}

std::string explorer::story() const {
  std::ostringstream out;
  out << "\nin execution " << executions_;
  if (limits_.random != 0) out << " by seed " << limits_.seed;
  out << ", step by step:\n";
  for (const traced& each : trace_) {
    out << "  thread " << each.thread << ": " << each.what;
    if (each.object != objects_max) out << " #" << each.object << " = " << each.value;
    out << '\n';
  }
  return out.str();
}

// -- memory --

std::size_t explorer::find(const void* address, std::uint64_t value) {
  const auto found = known_.find(address);
  if (found != known_.end()) return found->second;
  if (object_count_ == objects_max) std::abort();
  const std::size_t index = object_count_++;
  if (objects_.size() < object_count_) objects_.emplace_back();
  object& fresh = objects_[index];
  fresh.stores.clear();
  fresh.last_sequential = 0;
  fresh.alive = true;
  fresh.read_at = {};
  fresh.written_at = 0;
  stored first;
  first.value = value;
  fresh.stores.push_back(first);
  known_.emplace(address, index);
  return index;
}

void explorer::begin_life(const void* address, std::uint64_t value) {
  if (!active_) return;
  known_.erase(address);
  object& fresh = objects_[find(address, value)];
  fresh.writer = current_;
  fresh.written_at = mine().clock[current_];
}

void explorer::end_life(const void* address) {
  if (!active_) return;
  const auto found = known_.find(address);
  if (found != known_.end()) objects_[found->second].alive = false;
}

void explorer::step(const void* address, std::uint64_t value, const char* what) {
  if (!active_) return;
  const std::size_t index = find(address, value);
  if (current_ != 0) schedule(false);
  if (trace_.size() > steps_max) fail("it runs for ever");
  if (!active_) return;
  trace(what, index, objects_[index].stores.back().value);
  // The address may stand for another object by now.
  if (!objects_[index].alive || known_.at(address) != index) fail("use after the end of its life");
}

std::uint64_t explorer::load(const void* address, std::memory_order order) {
  object& from = at(address);
  const std::size_t index = known_.at(address);
  const std::size_t latest = from.stores.size() - 1;
  std::size_t oldest = mine().seen[index];
  if (order == std::memory_order_seq_cst) oldest = std::max(oldest, from.last_sequential);
  const std::size_t back = choose(stale_left_ != 0 ? latest - oldest + 1 : 1, kind::rare);
  if (back != 0) {
    --stale_left_;
    trace("...which sees an old value", index, from.stores[latest - back].value);
  }
  const stored& seen = from.stores[latest - back];
  mine().seen[index] = static_cast<std::uint16_t>(latest - back);
  if (acquires(order)) mine().join(seen.released);
  return seen.value;
}

void explorer::acquire_latest(const void* address, std::memory_order order) {
  object& from = at(address);
  mine().seen[known_.at(address)] = static_cast<std::uint16_t>(from.stores.size() - 1);
  if (acquires(order)) mine().join(from.stores.back().released);
}

void explorer::store(const void* address, std::uint64_t value, std::memory_order order,
                     bool reads) {
  if (reads) acquire_latest(address, order);
  object& into = at(address);
  const std::size_t index = known_.at(address);
  stored fresh;
  fresh.value = value;
  mine().seen[index] = static_cast<std::uint16_t>(into.stores.size());
  if (releases(order)) {
    fresh.released = mine();
  } else {
    fresh.released.seen[index] = mine().seen[index];
  }
  if (reads) fresh.released.join(into.stores.back().released);  // a release sequence goes on
  if (order == std::memory_order_seq_cst) into.last_sequential = into.stores.size();
  into.stores.push_back(fresh);
  ++mine().clock[current_];
  trace("...makes it", index, value);
}

void explorer::read_plain(const void* address) {
  if (!active_) return;
  const std::size_t index = find(address, 0);
  object& data = objects_[index];
  trace("reads", index, 0);
  if (!data.alive) return fail("use after the end of its life");
  if (mine().clock[data.writer] < data.written_at) return fail("a race: reads what is written");
  data.read_at[current_] = mine().clock[current_];
}

void explorer::write_plain(const void* address) {
  if (!active_) return;
  const std::size_t index = find(address, 0);
  object& data = objects_[index];
  trace("writes", index, 0);
  if (!data.alive) return fail("use after the end of its life");
  bool ordered = mine().clock[data.writer] >= data.written_at;
  for (std::size_t i = 0; i < threads_max; ++i) {
    ordered = ordered && mine().clock[i] >= data.read_at[i];
  }
  if (!ordered) return fail("a race: writes what another one uses");
  data.writer = current_;
  data.written_at = mine().clock[current_];
}

// -- the wait layer --

bool explorer::sleep(const void* address, bool same, bool has_deadline) {
  if (!active_ || !same) return true;
  if (early_left_ != 0 && choose(2, kind::rare) != 0) {
    --early_left_;
    trace("...returns for no reason", objects_max, 0);
    return true;
  }
  fibre& self = fibres_[current_];
  self.now = state::asleep;
  self.key = address;
  self.has_deadline = has_deadline;
  self.timed_out = false;
  trace("...sleeps", known_.at(address), 0);
  schedule(false);
  return !self.timed_out;
}

// The system promises no order among sleepers.
void explorer::wake(const void* key, state where, unsigned how_many) {
  if (!active_) return;
  for (; how_many != 0; --how_many) {
    std::array<std::size_t, threads_max> sleepers{};
    std::size_t count = 0;
    for (std::size_t i = 1; i <= thread_count_; ++i) {
      const fibre& each = fibres_[i];
      if (each.now == where && (where == state::relayed || each.key == key)) sleepers[count++] = i;
    }
    if (count == 0) return;
    fibre& woken = fibres_[sleepers[how_many >= count ? 0 : choose(count, kind::rare)]];
    woken.now = state::ready;
    trace("wakes thread", objects_max, 0);
  }
}

void explorer::wake_relayed(const void* key) {
  wake(key, state::asleep, 1);
  for (std::size_t i = 1; i <= thread_count_; ++i) {
    fibre& each = fibres_[i];
    if (each.now == state::asleep && each.key == key) each.now = state::relayed;
  }
}

}  // namespace

// -- what others call --

outcome explore(const bounds& limits, const std::function<void()>& program) {
  return the.explore(limits, program);
}
void run(std::initializer_list<std::function<void()>> threads) {
  the.run(threads);
}
void check(bool truth, const char* text) {
  if (!truth) the.fail(text);
}
unsigned this_thread() {
  return static_cast<unsigned>(the.current());
}
bool asleep(unsigned thread) {
  return the.asleep(thread);
}
void let_others_run() {
  yield();
}

plain_access::plain_access() noexcept {
  the.begin_life(this, 0);
}
plain_access::~plain_access() {
  the.end_life(this);
}
void plain_access::read() const {
  the.read_plain(this);
}
void plain_access::write() {
  the.write_plain(this);
}

bool exploring() noexcept {
  return the.active();
}
void begin_life(const void* object, std::uint64_t value) noexcept {
  the.begin_life(object, value);
}
void end_life(const void* object) noexcept {
  the.end_life(object);
}
void step(const void* object, std::uint64_t value, const char* what) noexcept {
  the.step(object, value, what);
}
std::uint64_t load(const void* object, std::memory_order order) noexcept {
  return the.load(object, order);
}
void store(const void* object, std::uint64_t value, std::memory_order order) noexcept {
  the.store(object, value, order, false);
}
void read_modify_write(const void* object, std::uint64_t value, std::memory_order order) noexcept {
  the.store(object, value, order, true);
}
void failed_exchange(const void* object, std::memory_order order) noexcept {
  the.acquire_latest(object, order);
}
bool sleep(const void* object, bool same, bool has_deadline) noexcept {
  return the.sleep(object, same, has_deadline);
}
void wake(const void* key, bool all) noexcept {
  if (the.current() != 0) the.schedule(false);
  the.wake(key, state::asleep, all ? static_cast<unsigned>(threads_max) : 1);
}
void wake_relayed(const void* key) noexcept {
  if (the.current() != 0) the.schedule(false);
  the.wake_relayed(key);
}
void pass_on() noexcept {
  if (the.current() != 0) the.schedule(false);
  the.wake(nullptr, state::relayed, 2);
}
void yield() noexcept {
  if (the.current() != 0) the.schedule(true);
}

}  // namespace interleave

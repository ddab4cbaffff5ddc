// SPDX-License-Identifier: Zlib
//
// Memory that is allocated and freed: all calls are counted, and one of many is timed. Large blocks
// are timed always, since the system is called for them.
//
// These are called by everything: by the loader before this library is ready, while it holds its
// locks, by what looks for the next function, and by threads that end. So nothing begins here, and
// what is called while a next function is looked for gets memory of a small store, for ever.
#include <cstddef>
#include <cstring>

#include "watch/recorder/next_function.hpp"
#include "watch/recorder/recording.hpp"

namespace overture::watch {
namespace {

constexpr std::uint32_t calls_in_a_sample = 61;  // no loop has a period like it
constexpr std::uint32_t samples_in_an_event = 32;
constexpr std::size_t large_bytes = std::size_t{128} << 10;
// What takes longer had no core, or called the system: it does not stand for others.
constexpr std::uint64_t common_ns = 20'000;

struct allocation_counts {
  std::uint32_t until_sample = calls_in_a_sample;
  std::uint32_t samples = 0;
  std::uint32_t calls = 0;
  std::uint64_t ns = 0;
  std::uintptr_t caller = 0;  // of operator new, while it is called
  bool is_finding = false;
};
__attribute__((tls_model("initial-exec"))) thread_local constinit allocation_counts counts;

// --- Before the next functions are known ---------------------------------------------------------

alignas(16) constinit char store[16 << 10];
constinit atomic<std::size_t> store_used{0};

bool is_of_store(const void* block) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(block);
  const auto begin = reinterpret_cast<std::uintptr_t>(store);
  return at >= begin && at < begin + sizeof store;
}
// In front of each block is its size.
void* from_store(std::size_t bytes) noexcept {
  constexpr std::size_t head = 16;
  if (bytes > sizeof store) return nullptr;
  const std::size_t taken = head + (bytes + 15) / 16 * 16;
  const std::size_t at = store_used.fetch_add(taken, std::memory_order_relaxed);
  if (at + taken > sizeof store) return nullptr;
  std::memcpy(store + at, &bytes, sizeof bytes);
  return store + at + head;
}
std::size_t bytes_of_store(const void* block) noexcept {
  std::size_t bytes = 0;
  std::memcpy(&bytes, static_cast<const char*>(block) - 16, sizeof bytes);
  return bytes;
}

// Null while it is looked for by this thread.
template <class Function>
typename next_function<Function>::pointer found(next_function<Function>& next) noexcept {
  if (const auto known = next.known()) [[likely]]
    return known;
  if (counts.is_finding) return nullptr;
  counts.is_finding = true;
  const auto made = next.get();
  counts.is_finding = false;
  return made;
}

// --- Counting ------------------------------------------------------------------------------------

void note_call(std::uint64_t took_ns, std::uint32_t stands_for, std::uintptr_t caller) noexcept {
  counts.calls += stands_for;
  counts.ns += took_ns > common_ns ? took_ns : took_ns * stands_for;
  if (++counts.samples < samples_in_an_event) return;
  // The call stands for many, and that is how often it is likely to be the last.
  record({.kind = event_kind::allocate,
          .begin_ns = clock_ns(),
          .caller = counts.caller != 0 ? counts.caller : caller,
          .detail = static_cast<std::uint16_t>(counts.calls),
          .value = counts.ns});
  counts.samples = counts.calls = 0;
  counts.ns = 0;
}

template <class Call>
__attribute__((noinline)) void* timed(std::uint32_t stands_for, std::uintptr_t caller, Call call) {
  if (!recorded_thread_if_begun()) return call();
  const std::uint64_t begin_ns = clock_ns();
  void* const block = call();
  const std::uint64_t took_ns = clock_ns() - begin_ns;
  note_call(took_ns < clock_cost_ns ? 0 : took_ns - clock_cost_ns, stands_for, caller);
  return block;
}

// Most calls end here, with a jump to the next function.
bool is_plain(bool is_known, std::size_t bytes) noexcept {
  return is_known && bytes < large_bytes && --counts.until_sample != 0;
}

template <class Call>
void* counted(std::size_t bytes, std::uintptr_t caller, Call call) {
  if (bytes >= large_bytes) return timed(1, caller, call);
  if (counts.until_sample != 0) return call();  // the first one
  counts.until_sample = calls_in_a_sample;
  return timed(calls_in_a_sample, caller, call);
}

constinit next_function<void*(std::size_t)> next_malloc("malloc");
constinit next_function<void*(std::size_t, std::size_t)> next_calloc("calloc");
constinit next_function<void*(void*, std::size_t)> next_realloc("realloc");
constinit next_function<void(void*)> next_free("free");

__attribute__((noinline)) void* make_block(std::size_t bytes, std::uintptr_t caller) {
  const auto next = found(next_malloc);
  if (!next) return from_store(bytes);
  return counted(bytes, caller, [&] { return next(bytes); });
}

__attribute__((noinline)) void* make_zeros(std::size_t count, std::size_t each,
                                           std::uintptr_t caller) {
  const auto next = found(next_calloc);
  // The store is zeros, and no block of it is used twice.
  if (!next) return each != 0 && count > sizeof store / each ? nullptr : from_store(count * each);
  return counted(count * each, caller, [&] { return next(count, each); });
}

__attribute__((noinline)) void* change_block(void* block, std::size_t bytes,
                                             std::uintptr_t caller) {
  if (is_of_store(block)) {
    void* const made = make_block(bytes, caller);
    const std::size_t before = bytes_of_store(block);
    if (made) std::memcpy(made, block, before < bytes ? before : bytes);
    return made;
  }
  const auto next = found(next_realloc);
  if (!next) return block ? nullptr : from_store(bytes);
  return counted(bytes, caller, [&] { return next(block, bytes); });
}

__attribute__((noinline)) void free_block(void* block, std::uintptr_t caller) {
  const auto next = found(next_free);
  if (!next || is_of_store(block)) return;
  (void)counted(0, caller, [&]() -> void* {
    next(block);
    return nullptr;
  });
}

}  // namespace

OVERTURE_WATCH_TAKES(void*, malloc, (std::size_t bytes)) {
  const auto next = next_malloc.known();
  if (is_plain(next != nullptr, bytes)) [[likely]]
    return next(bytes);
  return make_block(bytes, OVERTURE_WATCH_CALLER);
}
OVERTURE_WATCH_TAKES(void*, calloc, (std::size_t count, std::size_t each)) {
  const auto next = next_calloc.known();
  if (is_plain(next != nullptr, count * each)) [[likely]]
    return next(count, each);
  return make_zeros(count, each, OVERTURE_WATCH_CALLER);
}
OVERTURE_WATCH_TAKES(void*, realloc, (void* block, std::size_t bytes)) {
  const auto next = next_realloc.known();
  if (!is_of_store(block) && is_plain(next != nullptr, bytes)) [[likely]]
    return next(block, bytes);
  return change_block(block, bytes, OVERTURE_WATCH_CALLER);
}
OVERTURE_WATCH_TAKES(void, free, (void* block)) {
  const auto next = next_free.known();
  if (!is_of_store(block) && is_plain(next != nullptr, 0)) [[likely]]
    return next(block);
  free_block(block, OVERTURE_WATCH_CALLER);
}

bool allocates_here() noexcept {
  // The address of what is defined here would be that of the program's, too.
  void* const used = dlsym(RTLD_DEFAULT, "malloc");
  dl_find_object its{};
  dl_find_object own{};
  if (!used || _dl_find_object(used, &its) != 0 || _dl_find_object(store, &own) != 0) return true;
  return its.dlfo_map_start == own.dlfo_map_start;
}

// operator new allocates by malloc(), and who calls it is of more interest. operator new[] jumps to
// it, so that its caller is seen here, too.
constinit next_function<void*(std::size_t)> next__Znwm("_Znwm");
OVERTURE_WATCH_TAKES(void*, _Znwm, (std::size_t bytes)) {
  const auto next = found(next__Znwm);
  counts.caller = OVERTURE_WATCH_CALLER;
  void* const block = next ? next(bytes) : make_block(bytes, counts.caller);
  counts.caller = 0;
  return block;
}

}  // namespace overture::watch

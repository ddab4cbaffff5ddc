// SPDX-License-Identifier: Zlib
//
// Races on all memory that is not an atomic. The shipped sources and the tests are compiled with
// -fsanitize=thread, so the compiler puts a call before each access; these are the explorer's, in
// place of ThreadSanitizer's, and know the order of its threads by the same vector clocks as the
// atomics.
//
// Each eight bytes remember their last accesses: which thread, when, which of the bytes, and
// whether it wrote. What a later access orders and covers is forgotten, so few are ever kept; if
// there are more, the oldest goes, and a race with it is not seen.
#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <sstream>

#include "interleave/explorer_state.hpp"

#ifndef __SANITIZE_ADDRESS__
#define WATCHES 1
#endif

namespace interleave {
namespace {

struct access {
  std::uint32_t at;
  std::uint8_t thread;
  std::uint8_t bytes;  // a bit for each
  bool writes;
  bool ends;  // the memory was freed
};

constexpr unsigned kept_max = 7;

struct cell {
  std::uint32_t execution;
  std::uint32_t count;
  access kept[kept_max];
};

constexpr std::uintptr_t page_bytes = 1024;
constexpr std::size_t pages_max = 1 << 14;

struct page {
  std::uintptr_t number;
  cell* cells;
};

// By number; open addressing. Pages are kept for later executions.
page pages[pages_max];
std::size_t page_count = 0;
bool inside = false;

page* find_page(std::uintptr_t number, bool add) {
  std::size_t at = (number * 0x9E3779B97F4A7C15u) >> 50;
  while (pages[at].cells != nullptr && pages[at].number != number) at = (at + 1) % pages_max;
  if (pages[at].cells != nullptr) return &pages[at];
  if (!add || page_count == pages_max / 2) return nullptr;
  ++page_count;
  pages[at].number = number;
  pages[at].cells = static_cast<cell*>(std::calloc(page_bytes / 8, sizeof(cell)));
  return &pages[at];
}

std::uint8_t bytes_of(std::uintptr_t first, std::uintptr_t end, std::uintptr_t base) {
  const unsigned from = first > base ? static_cast<unsigned>(first - base) : 0;
  const unsigned to = end < base + 8 ? static_cast<unsigned>(end - base) : 8;
  return static_cast<std::uint8_t>((0xFFu >> (8 - to)) & (0xFFu << from));
}

// Calls use(cell, bytes) for each eight bytes of the range.
template <class Use>
void each_cell(const void* at, std::size_t bytes, bool add, Use use) {
  const auto first = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t end = first + bytes;
  for (std::uintptr_t base = first & ~std::uintptr_t{7}; base < end;) {
    const page* const found = find_page(base / page_bytes, add);
    const std::uintptr_t next = (base / page_bytes + 1) * page_bytes;
    for (; base < end && base < next; base += 8) {
      if (found == nullptr) continue;
      use(found->cells[base % page_bytes / 8], bytes_of(first, end, base));
    }
  }
}

}  // namespace

void explorer::watch(const void* address, std::size_t bytes, bool writes, const void* code) {
  if (!threads_run() || inside || bytes == 0 || !limits_.watches) return;
  inside = true;
  const char* wrong = nullptr;
  const knowledge& here = mine();
  const access now{here.clock[current_], static_cast<std::uint8_t>(current_), 0, writes, false};
  each_cell(address, bytes, true, [&](cell& in, std::uint8_t of) {
    if (in.execution != execution_stamp_) {
      in.execution = execution_stamp_;
      in.count = 0;
    }
    unsigned kept = 0;
    for (unsigned i = 0; i < in.count; ++i) {
      const access before = in.kept[i];
      const bool ordered = here.clock[before.thread] >= before.at;
      if ((before.bytes & of) != 0) {
        if (before.ends) wrong = "use of memory that has been freed";
        if (!ordered && (before.writes || writes)) wrong = "a race on plain memory";
      }
      const bool covered = ordered && (before.bytes & ~of) == 0 && (writes || !before.writes);
      if (!covered) in.kept[kept++] = before;
    }
    if (kept == kept_max) {
      std::memmove(in.kept, in.kept + 1, sizeof(access) * (kept_max - 1));
      --kept;
    }
    in.kept[kept] = now;
    in.kept[kept].bytes = of;
    in.count = kept + 1;
  });
  inside = false;
  if (wrong == nullptr) return;
  std::ostringstream text;
  text << wrong << ": " << bytes << " bytes " << (writes ? "written" : "read") << " at "
       << place_of(code);
  fail(text.str());
}

void explorer::begin_memory(const void* address, std::size_t bytes) {
  if (!threads_run() || inside) return;
  inside = true;
  each_cell(address, bytes, false, [](cell& in, std::uint8_t of) {
    unsigned kept = 0;
    for (unsigned i = 0; i < in.count; ++i) {
      in.kept[kept] = in.kept[i];
      in.kept[kept].bytes &= static_cast<std::uint8_t>(~of);
      if (in.kept[kept].bytes != 0) ++kept;
    }
    in.count = kept;
  });
  inside = false;
}

// To free memory is to write to it.
void explorer::end_memory(const void* address, std::size_t bytes) {
  if (!threads_run() || inside || bytes == 0) return;
  watch(address, bytes, true, __builtin_return_address(0));
  if (!active_) return;
  each_cell(address, bytes, false, [](cell& in, std::uint8_t) {
    if (in.count != 0) in.kept[in.count - 1].ends = true;
  });
}

// Something that orders threads and is not modelled, such as an atomic of the standard library.
void explorer::order_after_all() {
  if (!active_) return;
  for (std::size_t i = 0; i <= thread_count_; ++i) {
    if (i != current_) mine().join(fibres_[i].knows);
  }
  ++mine().clock[current_];
}

void explorer::join(std::size_t thread) {
  while (active_ && fibres_[thread].now != state::finished) schedule(true);
  mine().join(fibres_[thread].knows);
}

// In front of it are its size, that of the front, and the execution that took it.
void* take_memory(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t front = std::max<std::size_t>(alignment, 32);
  const std::size_t whole = (front + bytes + front - 1) / front * front;
  auto* const memory = static_cast<char*>(std::aligned_alloc(front, whole));
  if (memory == nullptr) return nullptr;
  the.begin_memory(memory, whole);
  char* const used = memory + front;
  reinterpret_cast<std::size_t*>(used)[-1] = bytes;
  reinterpret_cast<std::size_t*>(used)[-2] = front;
  reinterpret_cast<std::size_t*>(used)[-3] = the.count_taken();
  return used;
}
void free_memory(void* memory) noexcept {
  if (memory != nullptr) the.free_memory(memory);
}

void explorer::free_memory(void* memory) {
  end_memory(memory, static_cast<std::size_t*>(memory)[-1]);
  if (active_) {
    if (static_cast<std::size_t*>(memory)[-3] == execution_stamp_) --taken_;
    freed_.push_back(memory);
  } else {
    give_back(memory);
  }
}

void explorer::give_back(void* memory) {
  std::free(static_cast<char*>(memory) - static_cast<std::size_t*>(memory)[-2]);
}

}  // namespace interleave

#if WATCHES

using interleave::the;

#define CODE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void** at) {
  the.watch(at, sizeof *at, false, CODE);
}
void __tsan_vptr_update(void** at, void* fresh) {
  if (*at != fresh) the.watch(at, sizeof *at, true, CODE);
}
void __tsan_read_range(void* at, std::size_t bytes) {
  the.watch(at, bytes, false, CODE);
}
void __tsan_write_range(void* at, std::size_t bytes) {
  the.watch(at, bytes, true, CODE);
}
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  the.watch(from, bytes, false, CODE);
  the.watch(to, bytes, true, CODE);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  the.watch(from, bytes, false, CODE);
  the.watch(to, bytes, true, CODE);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  the.watch(to, bytes, true, CODE);
  return std::memset(to, value, bytes);
}

#define OF_SIZE(BYTES)                           \
  void __tsan_read##BYTES(void* at) {            \
    the.watch(at, BYTES, false, CODE);           \
  }                                              \
  void __tsan_write##BYTES(void* at) {           \
    the.watch(at, BYTES, true, CODE);            \
  }                                              \
  void __tsan_unaligned_read##BYTES(void* at) {  \
    the.watch(at, BYTES, false, CODE);           \
  }                                              \
  void __tsan_unaligned_write##BYTES(void* at) { \
    the.watch(at, BYTES, true, CODE);            \
  }                                              \
  void __tsan_volatile_read##BYTES(void*) {}     \
  void __tsan_volatile_write##BYTES(void*) {}
OF_SIZE(1)
OF_SIZE(2)
OF_SIZE(4)
OF_SIZE(8)
OF_SIZE(16)

// Atomics that are not overture::atomic: those of the standard library, and guards of static
// objects.
#define ATOMIC(BITS, TYPE)                                                                         \
  TYPE __tsan_atomic##BITS##_load(const volatile TYPE* at, int) {                                  \
    the.order_after_all();                                                                         \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  void __tsan_atomic##BITS##_store(volatile TYPE* at, TYPE value, int) {                           \
    the.order_after_all();                                                                         \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                                \
  TYPE __tsan_atomic##BITS##_exchange(volatile TYPE* at, TYPE value, int) {                        \
    the.order_after_all();                                                                         \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                                \
  TYPE __tsan_atomic##BITS##_fetch_add(volatile TYPE* at, TYPE value, int) {                       \
    the.order_after_all();                                                                         \
    return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  TYPE __tsan_atomic##BITS##_fetch_and(volatile TYPE* at, TYPE value, int) {                       \
    the.order_after_all();                                                                         \
    return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  TYPE __tsan_atomic##BITS##_fetch_or(volatile TYPE* at, TYPE value, int) {                        \
    the.order_after_all();                                                                         \
    return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);                                         \
  }                                                                                                \
  TYPE __tsan_atomic##BITS##_fetch_sub(volatile TYPE* at, TYPE value, int) {                       \
    the.order_after_all();                                                                         \
    return __atomic_fetch_sub(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile TYPE* at, TYPE* expected, TYPE value, \
                                                    int, int) {                                    \
    the.order_after_all();                                                                         \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,               \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile TYPE* at, TYPE* expected, TYPE value,   \
                                                  int, int) {                                      \
    the.order_after_all();                                                                         \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,               \
                                       __ATOMIC_SEQ_CST);                                          \
  }
void __tsan_atomic_signal_fence(int) {}
void __tsan_atomic_thread_fence(int) {
  the.order_after_all();
}
ATOMIC(8, unsigned char)
ATOMIC(16, unsigned short)
ATOMIC(32, unsigned)
ATOMIC(64, unsigned long)

}  // extern "C"

// Memory that is taken again is new.
void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes != 0 ? bytes : 1);
  if (memory == nullptr) std::abort();
  the.begin_memory(memory, malloc_usable_size(memory));
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  the.end_memory(memory, malloc_usable_size(memory));
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

#endif

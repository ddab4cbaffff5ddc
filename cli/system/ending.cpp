// SPDX-License-Identifier: Zlib
#include "system/ending.hpp"

#include <cstdlib>
#include <iterator>
#include <new>

#include "overture/base/atomic.hpp"
#include "system/exit_code.hpp"
#include "system/system.hpp"

namespace overture::cli {

namespace {

atomic<const char*> removed[4]{};
atomic<int> interrupts{0};
static_assert(atomic<int>::is_always_lock_free, "a signal handler writes it");

void (*finish_writes)() = nullptr;

void remove_all_unfinished() {
  for (std::size_t i = std::size(removed); i-- > 0;) {
    if (const char* const path = removed[i].load()) remove_unfinished(path);
  }
}

[[noreturn]] void exit_without_memory() {
  finish_writes();
  remove_all_unfinished();
  print_out_of_memory();
  std::_Exit(exit_output_failed);
}

}  // namespace

removed_at_exit::removed_at_exit(const char* path) : slot_(0) {
  if (path == nullptr) path = "";
  for (slot_ = 0; slot_ < std::size(removed); ++slot_) {
    const char* none = nullptr;
    if (removed[slot_].compare_exchange_strong(none, path)) return;
  }
}

removed_at_exit::~removed_at_exit() {
  if (slot_ < std::size(removed)) removed[slot_].store(nullptr);
}

void exit_when_out_of_memory(void (*finish)()) {
  finish_writes = finish;
  std::set_new_handler(exit_without_memory);
}

void print_out_of_memory() {
  (void)write_all(stream::err, "error: out of memory; close other programs and try again\n");
}

void note_interrupt() {
  if (interrupts.fetch_add(1) == 0) return;
  remove_all_unfinished();
  std::_Exit(exit_interrupted);
}

bool interrupted() {
  return interrupts.load() > 0;
}

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
#include "watch/recorder/recording.hpp"

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "watch/recorder/kernel_counts.hpp"
#include "watch/recorder/next_function.hpp"
#include "watch/recorder/open_files.hpp"
#include "watch/recorder/process_file.hpp"
#include "watch/recorder/system_calls.hpp"

namespace overture::watch {

__attribute__((tls_model("initial-exec"))) thread_local constinit thread_log this_log;
constinit atomic<std::uint32_t> waiters[waiter_places] = {};
constinit std::uint64_t clock_cost_ns = 0;

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

// All that a child of fork() must not share: the kernel fills its page with zeros there.
struct anchor {
  enum : std::uint32_t { unset, being_made, active, inactive };
  atomic<std::uint32_t> state{unset};
  atomic<std::uint64_t> generation{0};
  std::uint64_t begin_ns = 0;
  atomic<std::uint32_t> folder{0};       // the current one
  counter opened[name_slots / 64] = {};  // a bit for each name
  process_file file;
};

constinit atomic<anchor*> the_anchor{nullptr};
constinit atomic<bool> has_key{false};
pthread_key_t thread_end;

anchor* make_anchor() noexcept {
  const kept_errno keep;
  void* const room = mmap(nullptr, to_page(sizeof(anchor)), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  (void)madvise(room, to_page(sizeof(anchor)), MADV_WIPEONFORK);
  auto* const made = static_cast<anchor*>(room);  // zeros are what it begins with
  anchor* none = nullptr;
  if (the_anchor.compare_exchange_strong(none, made)) return made;
  (void)munmap(room, to_page(sizeof(anchor)));
  return none;
}

std::uint64_t number_in(const char* variable) noexcept {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

extern "C" void overture_watch_thread_ended(void* entry) {
  const kept_errno keep;
  const process_file* const process = recorded_process();
  if (!process || this_log.entry != entry) return;  // the entry is of a process before a fork
  auto& own = *static_cast<thread_entry*>(entry);
  read_kernel_counts(own, process->time_of(clock_ns()));
  own.end_ns.store(process->time_of(clock_ns()), relaxed);
}

void note_standard_descriptors(process_file& file) noexcept {
  const auto note = [&](int descriptor, const char* name) {
    note_descriptor(descriptor, file.name(name, std::strlen(name)), descriptor_kind::file);
  };
  note(STDOUT_FILENO, output_name);
  note(STDERR_FILENO, error_name);
}

void note_program(process_file& file) noexcept {
  char path[4096];
  const long bytes = system_call(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>("/proc/self/exe"),
                                 reinterpret_cast<long>(path), sizeof path);
  if (bytes > 0) file.head().program.store(file.name(path, static_cast<std::size_t>(bytes)));
}

std::uint64_t measured_clock_cost() noexcept {
  std::uint64_t least = UINT64_MAX;
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t begin = clock_ns();
    least = std::min(least, clock_ns() - begin);
  }
  return least;
}

void note_other(const char* folder) noexcept {
  char path[512];
  const int bytes = std::snprintf(path, sizeof path, "%s/%s", folder, others_file);
  if (bytes <= 0 || static_cast<std::size_t>(bytes) >= sizeof path) return;
  const int file = system_open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0600);
  if (file >= 0) system_close(file);
}

bool begin(anchor& own) noexcept {
  const char* const folder = std::getenv(folder_variable);
  if (!folder) return false;
  const std::uint64_t parent = number_in(parent_variable);
  const bool is_first = static_cast<std::uint64_t>(system_call(SYS_getppid)) == parent;
  if (!is_first && number_in(follow_variable) == 0) {
    note_other(folder);
    return false;
  }
  std::uint64_t chunks = number_in(chunks_variable);
  if (chunks == 0) chunks = chunks_max_default;
  clock_cost_ns = measured_clock_cost();
  own.begin_ns = clock_ns();
  auto* const room = new (&own.file) process_file;
  if (!process_file::make(folder, chunks, *room)) return false;
  forget_descriptors();
  note_standard_descriptors(own.file);
  process_head& head = own.file.head();
  head.begin_ns.store(own.begin_ns, relaxed);
  if (is_first) head.started_ns.store(number_in(started_variable), relaxed);
  note_program(own.file);
  if (!has_key.exchange(true)) (void)pthread_key_create(&thread_end, overture_watch_thread_ended);
  own.generation.store(own.begin_ns);
  return true;
}

__attribute__((noinline, cold)) process_file* begin_process() noexcept {
  anchor* own = the_anchor.load();
  if (!own) own = make_anchor();
  if (!own) return nullptr;
  std::uint32_t state = anchor::unset;
  if (own->state.compare_exchange_strong(state, anchor::being_made)) {
    const kept_errno keep;
    const bool has_begun = begin(*own);
    own->state.store(has_begun ? anchor::active : anchor::inactive, std::memory_order_release);
    if (!has_begun) return nullptr;
    note_current_folder();
    return &own->file;
  }
  return state == anchor::active ? &own->file : nullptr;
}

__attribute__((noinline, cold)) thread_log* begin_thread() noexcept {
  process_file* const process = recorded_process();
  if (!process) return nullptr;
  const std::uint64_t generation = the_anchor.load(relaxed)->generation.load(relaxed);
  if (this_log.of == generation) return nullptr;  // it has no place
  const kept_errno keep;
  this_log = {};
  this_log.of = generation;
  thread_entry* const entry = process->claim_thread();
  if (!entry) return nullptr;
  adopt(*entry);
  return &this_log;
}

// Only a thread that has called dlopen() looks, so that no other one waits for the loader.
int note_module(dl_phdr_info* info, std::size_t, void* of) {
  auto& file = *static_cast<process_file*>(of);
  process_head& head = file.head();
  std::uint64_t begin = UINT64_MAX;
  std::uint64_t end = 0;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const auto& each = info->dlpi_phdr[i];
    if (each.p_type != PT_LOAD) continue;
    begin = std::min<std::uint64_t>(begin, info->dlpi_addr + each.p_vaddr);
    end = std::max<std::uint64_t>(end, info->dlpi_addr + each.p_vaddr + each.p_memsz);
  }
  const std::size_t known = std::min<std::size_t>(head.module_count.load(relaxed), modules_max);
  for (std::size_t i = 0; i < known; ++i) {
    if (head.modules[i].begin.load(relaxed) == begin) return 0;
  }
  const std::uint64_t place = head.module_count.fetch_add(1, relaxed);
  if (place >= modules_max) return 1;
  code_module& module = head.modules[place];
  module.begin.store(begin, relaxed);
  module.end.store(end, relaxed);
  const bool is_program = !info->dlpi_name || *info->dlpi_name == '\0';
  module.name.store(is_program ? head.program.load(relaxed)
                               : file.name(info->dlpi_name, std::strlen(info->dlpi_name)),
                    std::memory_order_release);
  return 0;
}

void note_modules(process_file& file) noexcept {
  this_log.code_changed = false;
  (void)dl_iterate_phdr(note_module, &file);
}

// Whether a call is the last one again, right after it: it is added there.
bool repeats_last(repeated_call& last, const plain_event& event, std::uint64_t begin_ns) noexcept {
  constexpr std::uint64_t gap_ns_max = 10'000;
  constexpr std::uint16_t more_max = UINT16_MAX;
  plain_event& known = last.event;
  const bool is_same = last.written && event.kind == known.kind && event.id == known.id &&
                       event.caller == known.caller && event.flags == known.flags &&
                       event.detail == 0 && known.detail < more_max &&
                       event.begin_ns - last.end_ns < gap_ns_max;
  if (!is_same) return false;
  if (event.kind == event_kind::read) {
    const std::uint64_t bytes = bytes_in(known.value);
    const std::uint64_t place = place_in(known.value);
    if (place_in(event.value) != place + bytes) return false;
    if (bytes + tiny_bytes_max > piece_bytes_max) return false;
    known.value = at_place(place, bytes + bytes_in(event.value));
  } else if (event.value != known.value) {
    return false;
  }
  ++known.detail;
  known.took_ns += event.took_ns;
  last.end_ns = event.begin_ns + event.took_ns;
  plain_event written = known;
  written.begin_ns = known.begin_ns - begin_ns;
  pack(written, *last.written);
  return true;
}

bool may_be_repeated(const plain_event& event) noexcept {
  constexpr std::uint64_t short_ns = 10'000;
  if (!may_repeat(event.kind) || event.detail != 0 || event.took_ns > short_ns) return false;
  if (event.kind == event_kind::release) return event.id == 0;
  return event.kind != event_kind::read || bytes_in(event.value) <= tiny_bytes_max;
}

__attribute__((noinline, cold)) bool has_more_room(thread_log& log,
                                                   process_file& process) noexcept {
  packed_event* const chunk = process.claim_chunk(*log.entry);
  if (!chunk) {
    log.entry->lost_events.fetch_add(1, relaxed);
    return false;
  }
  log.next = chunk;
  log.end = chunk + chunk_events;
  return true;
}

}  // namespace

process_file* recorded_process() noexcept {
  anchor* const own = the_anchor.load(relaxed);
  const std::uint32_t state = own ? own->state.load(std::memory_order_acquire) : anchor::unset;
  if (state == anchor::active) return &own->file;
  return state == anchor::unset ? begin_process() : nullptr;
}

thread_log* recorded_thread() noexcept {
  const anchor* const own = the_anchor.load(relaxed);
  if (own && this_log.entry && this_log.of == own->generation.load(relaxed)) return &this_log;
  return begin_thread();
}

thread_log* recorded_thread_if_begun() noexcept {
  const anchor* const own = the_anchor.load(relaxed);
  if (!own || own->state.load(std::memory_order_acquire) != anchor::active) return nullptr;
  return this_log.entry && this_log.of == own->generation.load(relaxed) ? &this_log : nullptr;
}

bool repeats(plain_event event) noexcept {
  repeated_call& last = this_log.last;
  if (!last.written || this_log.of != the_anchor.load(relaxed)->generation.load(relaxed)) {
    return false;
  }
  event.begin_ns = last.end_ns;
  return repeats_last(last, event, the_anchor.load(relaxed)->begin_ns);
}

void record(plain_event event) noexcept {
  thread_log* const log = recorded_thread();
  if (!log) return;
  anchor& own = *the_anchor.load(relaxed);
  // The loader allocates while its lists of code are not whole.
  if (log->code_changed && event.kind != event_kind::allocate) [[unlikely]]
    note_modules(own.file);
  const bool is_repeatable = may_be_repeated(event);
  if (is_repeatable && repeats_last(log->last, event, own.begin_ns)) return;
  log->last.written = nullptr;
  log->last_written = nullptr;
  if (log->next >= log->end && !has_more_room(*log, own.file)) return;
  // Of threads that have one memory, made past this library, none goes beyond the end.
  packed_event& to = *log->next;
  log->next = &to + 1;
  log->last_written = &to;
  if (is_repeatable) log->last = {&to, event, event.begin_ns + event.took_ns};
  write_again(event, to);
}

void write_again(plain_event event, packed_event& to) noexcept {
  const std::uint64_t begin_ns = the_anchor.load(relaxed)->begin_ns;
  event.begin_ns = event.begin_ns > begin_ns ? event.begin_ns - begin_ns : 0;
  pack(event, to);
}

// --- Names ---------------------------------------------------------------------------------------

std::uint32_t name_number(const char* text, std::size_t bytes) noexcept {
  process_file* const process = recorded_process();
  return process && text ? process->name(text, bytes) : 0;
}

std::uint32_t path_number(const char* path, std::uint32_t folder) noexcept {
  process_file* const process = recorded_process();
  if (!process || !path) return 0;
  if (*path == '/') return process->name(path, std::strlen(path));
  if (folder == 0) folder = the_anchor.load(relaxed)->folder.load(relaxed);
  char whole[name_bytes_max];
  std::size_t bytes = 0;
  const char* const above = process->text_of(folder, bytes);
  bytes = std::min(bytes, sizeof whole - 1);
  std::memcpy(whole, above, bytes);
  if (bytes > 0 && whole[bytes - 1] != '/') whole[bytes++] = '/';
  const std::size_t more = std::min(std::strlen(path), sizeof whole - bytes);
  std::memcpy(whole + bytes, path, more);  // NOLINT(bugprone-not-null-terminated-result)
  return process->name(whole, bytes + more);
}

void note_current_folder() noexcept {
  process_file* const process = recorded_process();
  if (!process) return;
  const kept_errno keep;
  char path[name_bytes_max];
  const long bytes = system_call(SYS_getcwd, reinterpret_cast<long>(path), sizeof path);
  if (bytes <= 1) return;
  the_anchor.load(relaxed)->folder.store(process->name(path, static_cast<std::size_t>(bytes) - 1),
                                         relaxed);
}

// --- Waits ---------------------------------------------------------------------------------------

wait_note::wait_note(event_kind kind, const volatile void* address, std::uintptr_t caller) noexcept
    : kind_(kind), address_(address), caller_(caller), begin_ns_(clock_ns()) {
  waiters_of(address_).fetch_add(1);
  const thread_log* const log = recorded_thread();
  if (!log) return;
  log->entry->waits_kind.store(static_cast<std::uint64_t>(kind), relaxed);
  log->entry->waits_for.store(reinterpret_cast<std::uintptr_t>(address), relaxed);
  log->entry->waits_at.store(caller, relaxed);
  log->entry->waits_since_ns.store(recorded_process()->time_of(begin_ns_) + 1, relaxed);
}

void wait_note::end(std::uint8_t flags) noexcept {
  const kept_errno keep;
  waiters_of(address_).fetch_sub(1);
  const thread_log* const log = recorded_thread();
  if (!log) return;
  log->entry->waits_since_ns.store(0, relaxed);
  record({.kind = kind_,
          .flags = flags,
          .begin_ns = begin_ns_,
          .took_ns = clock_ns() - begin_ns_,
          .caller = caller_,
          .value = reinterpret_cast<std::uintptr_t>(address_)});
}

void note_release(const volatile void* address, std::uintptr_t caller) noexcept {
  // One that wakes a thread is no repetition of the one before, even if the waiter is gone by now.
  const std::uint32_t sleepers = waiters_of(address).load(relaxed);
  record({.kind = event_kind::release,
          .begin_ns = clock_ns(),
          .id = std::max(sleepers, 1U),
          .caller = caller,
          .value = reinterpret_cast<std::uintptr_t>(address)});
}

// --- The process ---------------------------------------------------------------------------------

thread_entry* claim_thread() noexcept {
  const thread_log* const log = recorded_thread();
  process_file* const process = log ? recorded_process() : nullptr;
  thread_entry* const entry = process ? process->claim_thread() : nullptr;
  if (!entry) return nullptr;
  entry->maker.store(process->place_of(*log->entry) + 1, relaxed);
  entry->made_ns.store(process->time_of(clock_ns()), relaxed);
  return entry;
}

void adopt(thread_entry& entry) noexcept {
  const process_file* const process = recorded_process();
  if (!process) return;
  this_log = {};
  this_log.of = the_anchor.load(relaxed)->generation.load(relaxed);
  this_log.entry = &entry;
  entry.begin_ns.store(process->time_of(clock_ns()), relaxed);
  entry.number.store(static_cast<std::uint64_t>(thread_number()), relaxed);
  if (has_key.load()) (void)pthread_setspecific(thread_end, &entry);
}

void note_main() noexcept {
  process_file* const process = recorded_process();
  if (!process) return;
  (void)recorded_thread();
  note_modules(*process);
  if (!allocates_here()) note_unknown(has_own_allocator);
  process->head().main_ns.store(process->time_of(clock_ns()), relaxed);
}

void note_content(std::uint32_t name, std::uint64_t clock) noexcept {
  process_file* const process = recorded_process();
  if (!process || name == 0 || name > name_slots) return;
  const std::uint64_t bit = std::uint64_t{1} << (name % 64);
  counter& bits = the_anchor.load(relaxed)->opened[(name - 1) / 64];
  if ((bits.load(relaxed) & bit) != 0) return;
  std::size_t bytes = 0;
  const char* const path = process->text_of(name, bytes);
  for (const std::string_view kernels : {"/dev/", "/proc/", "/sys/"}) {
    if (std::string_view(path, bytes).starts_with(kernels)) return;
  }
  bits.fetch_or(bit, relaxed);
  process->head().last_new_ns.store(process->time_of(clock), relaxed);
}

void note_unknown(std::uint64_t bit) noexcept {
  const process_file* const process = recorded_process();
  if (process) process->head().unknown.fetch_or(bit, relaxed);
}

void give_up_thread() noexcept {
  if (!recorded_thread()) return;
  const std::uint64_t of = this_log.of;
  this_log = {};
  this_log.of = of;
}

void note_frame(std::uint64_t clock) noexcept {
  process_file* const process = recorded_process();
  if (!process || process->head().first_frame_ns.load(relaxed) != 0) return;
  process->head().first_frame_ns.store(process->time_of(clock), relaxed);
}

void note_end() noexcept {
  process_file* const process = recorded_process();
  if (!process) return;
  const kept_errno keep;
  process_head& head = process->head();
  // A child of vfork() has this memory too.
  if (head.pid.load(relaxed) != static_cast<std::uint64_t>(system_call(SYS_getpid))) return;
  const std::size_t threads = std::min<std::size_t>(head.thread_count.load(relaxed), threads_max);
  for (std::size_t i = 0; i < threads; ++i) {
    thread_entry& each = process->thread(i);
    if (each.number.load(relaxed) != 0 && each.end_ns.load(relaxed) == 0) {
      read_kernel_counts(each, process->time_of(clock_ns()));
    }
  }
  note_modules(*process);
  head.end_ns.store(process->time_of(clock_ns()), relaxed);
}

void code_has_changed() noexcept {
  this_log.code_changed = true;
}

}  // namespace overture::watch

// Before the program's own code, after that of most libraries.
__attribute__((constructor)) static void overture_watch_begins() {
  (void)overture::watch::recorded_thread();
}

__attribute__((destructor)) static void overture_watch_ends() {
  overture::watch::note_end();
}

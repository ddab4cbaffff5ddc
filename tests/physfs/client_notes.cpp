// SPDX-License-Identifier: Zlib
#include "client_notes.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace {

std::uint64_t now_ns() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

bool is_main_thread() {
  static thread_local const bool is_main = syscall(SYS_gettid) == getpid();
  return is_main;
}

struct open_file {
  std::string name;
  const char* how = "";
  digest seen = {};
  std::uint64_t bytes = 0;
};

struct notes {
  const char* const report = std::getenv("OVERTURE_PROBE_REPORT");
  const bool wants_facts = std::getenv("OVERTURE_PROBE_FACTS") != nullptr;
  std::uint64_t quiet_ns = 2'000'000'000;
  std::mutex guard;
  std::set<std::string> opened;
  std::set<std::string> facts;
  std::map<PHYSFS_File*, open_file> files;
  std::string library;
  bool is_written = false;
  std::atomic<std::uint64_t> calls{0}, main_ns{0}, other_ns{0}, last_new_ns{0}, frames{0};
  // At the first frame after the last new file.
  std::atomic<std::uint64_t> menu_main_ns{0}, menu_other_ns{0}, menu_calls{0}, menu_ns{0};
};
// Lives as long as the process, because other threads run on during exit.
notes& all() {
  static notes* const created = [] {
    auto* const fresh = new notes;
    if (const char* const quiet = std::getenv("OVERTURE_PROBE_QUIET_MS")) {
      fresh->quiet_ns = std::strtoull(quiet, nullptr, 10) * 1'000'000;
    }
    return fresh;
  }();
  return *created;
}

thread_local int depth = 0;
thread_local std::string last_failed;

void write_report() {
  notes& of = all();
  const std::lock_guard lock(of.guard);
  if (of.is_written || !of.report || of.library.empty()) return;
  of.is_written = true;
  const std::string partial = std::string(of.report) + ".partial";
  std::FILE* const file = std::fopen(partial.c_str(), "w");
  if (!file) return;
  const bool reached = of.menu_ns != 0;
  const auto number = [file](const char* name, std::uint64_t value) {
    std::fprintf(file, "%s %llu\n", name, static_cast<unsigned long long>(value));
  };
  std::fprintf(file, "library %s\n", of.library.c_str());
  number("menu_ns", reached ? of.menu_ns.load() : now_ns());
  number("main_ns", reached ? of.menu_main_ns : of.main_ns);
  number("other_ns", reached ? of.menu_other_ns : of.other_ns);
  number("calls", reached ? of.menu_calls : of.calls);
  number("frames", of.frames);
  number("opened", of.opened.size());
  for (const std::string& fact : of.facts) std::fprintf(file, "fact %s\n", fact.c_str());
  (void)std::fclose(file);
  (void)std::rename(partial.c_str(), of.report);
}

struct writer_at_exit {
  ~writer_at_exit() { write_report(); }
};
[[maybe_unused]] const writer_at_exit at_exit;

// Whether the game has shown its menu and opened nothing new for a while.
bool is_at_menu() {
  const notes& of = all();
  const std::uint64_t menu = of.menu_ns, last_new = of.last_new_ns;
  return menu != 0 && menu >= last_new && now_ns() - last_new > of.quiet_ns;
}

template <class Change>
void change_file(const call& made, PHYSFS_File* file, Change change) {
  if (!made.wants_facts()) return;
  const std::lock_guard lock(all().guard);
  const auto found = all().files.find(file);
  if (found != all().files.end()) change(found);
}

}  // namespace

void digest::add(std::int64_t value) {
  state_ = (state_ ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
  state_ ^= state_ >> 29;
}

void digest::add(const void* bytes, std::size_t count) {
  const char* at = static_cast<const char*>(bytes);
  for (; count >= 8; count -= 8, at += 8) {
    std::int64_t word = 0;
    std::memcpy(&word, at, 8);
    add(word);
  }
  for (; count > 0; --count, ++at) add(std::int64_t{*at});
}

std::string digest::text() const {
  char room[20];
  (void)std::snprintf(room, sizeof room, "%016llx", static_cast<unsigned long long>(state_));
  return room;
}

call::call() : is_outermost_(depth++ == 0), begin_ns_(is_outermost_ ? now_ns() : 0) {}
call::~call() {
  --depth;
}
void call::answered() const {
  if (!is_outermost_) return;
  const std::uint64_t took = now_ns() - begin_ns_;
  all().calls.fetch_add(1, std::memory_order_relaxed);
  (is_main_thread() ? all().main_ns : all().other_ns).fetch_add(took, std::memory_order_relaxed);
}
bool call::wants_facts() const {
  return is_outermost_ && all().wants_facts;
}

in_callback::in_callback() : outer_(depth) {
  depth = 0;
}
in_callback::~in_callback() {
  depth = outer_;
}

std::string text_of(const char* text) {
  return text ? text : "(null)";
}
std::string text_of(char** list) {
  if (!list) return "(null)";
  std::string text;
  for (char** each = list; *each; ++each) text += std::string(text.empty() ? "" : " | ") + *each;
  return text;
}

void note(std::string fact) {
  const std::lock_guard lock(all().guard);
  all().facts.insert(std::move(fact));
}

void note_answer(const std::string& question, std::int64_t answer, bool failed) {
  note(question + " = " + std::to_string(answer));
  if (failed) last_failed = question;
}

void note_error(const call& made, const std::string& error) {
  if (made.wants_facts()) note("error after " + last_failed + " = " + error);
  if (made.is_outermost()) last_failed.clear();
}

void note_library(const char* path) {
  {
    const std::lock_guard lock(all().guard);
    all().library = text_of(path);
  }
  // A game may show no more frames until something changes.
  static std::once_flag once;
  if (!all().report) return;
  std::call_once(once, [] {
    std::thread([] {
      while (!is_at_menu()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      write_report();
    }).detach();
  });
}

void note_open(const call& made, PHYSFS_File* file, const char* name, const char* how) {
  notes& of = all();
  if (!made.is_outermost()) return;
  const std::string text = text_of(name);
  {
    const std::lock_guard lock(of.guard);
    if (of.opened.insert(text).second) of.last_new_ns = now_ns();
    if (of.wants_facts && file) of.files[file] = {.name = text, .how = how};
  }
  if (of.wants_facts) note_answer(std::string(how) + " " + text, file ? 1 : 0, !file);
}

void note_close(const call& made, PHYSFS_File* file) {
  change_file(made, file, [](auto found) {
    const open_file& of = found->second;
    all().facts.insert(std::string("content of ") + of.how + " " + of.name + " = " +
                       std::to_string(of.bytes) + " bytes " + of.seen.text());
    all().files.erase(found);
  });
}

void note_result(const call& made, PHYSFS_File* file, std::int64_t result) {
  change_file(made, file, [&](auto found) { found->second.seen.add(result); });
}

void note_bytes(const call& made, PHYSFS_File* file, std::int64_t result, const void* bytes,
                std::size_t count) {
  change_file(made, file, [&](auto found) {
    found->second.seen.add(result);
    found->second.seen.add(bytes, count);
    found->second.bytes += count;
  });
}

void note_frame() {
  notes& of = all();
  of.frames.fetch_add(1);
  if (of.last_new_ns == 0 || !of.report) return;
  if (of.menu_ns < of.last_new_ns) {
    of.menu_main_ns = of.main_ns.load();
    of.menu_other_ns = of.other_ns.load();
    of.menu_calls = of.calls.load();
    of.menu_ns = now_ns();
  } else if (is_at_menu()) {
    for (;;) pause();
  }
}

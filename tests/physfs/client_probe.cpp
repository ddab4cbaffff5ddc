// Preloaded into a game that uses PhysicsFS: notes what the library answers, how long the game is
// inside it, and when the game has reached its menu.
//
// The menu is reached when no file has been opened for the first time for OVERTURE_PROBE_QUIET_MS.
// The report goes to the file OVERTURE_PROBE_REPORT; the game then stops at that frame, so that the
// picture stays, and waits to be killed. A game that ends by itself writes its report at exit.
// With OVERTURE_PROBE_FACTS it has one line for each different question and answer.
#define PHYSFS_DEPRECATED
#include <dlfcn.h>
#include <physfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <string>
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

// The next definition of a function that this library defines too.
template <class F>
F next(const char* name) {
  auto* const found = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
  if (found) return found;
  std::fprintf(stderr, "client_probe: no %s\n", name);
  std::abort();
}

// A hash of results and bytes in the order of the calls.
class digest {
 public:
  void add(std::int64_t value) {
    state_ = (state_ ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
    state_ ^= state_ >> 29;
  }
  void add(const void* bytes, std::size_t count) {
    const char* at = static_cast<const char*>(bytes);
    for (; count >= 8; count -= 8, at += 8) {
      std::int64_t word = 0;
      std::memcpy(&word, at, 8);
      add(word);
    }
    for (; count > 0; --count, ++at) add(std::int64_t{*at});
  }
  [[nodiscard]] std::string text() const {
    char room[20];
    (void)std::snprintf(room, sizeof room, "%016llx", static_cast<unsigned long long>(state_));
    return room;
  }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325u;
};

struct open_file {
  std::string name;
  const char* how = "";
  digest seen = {};
  std::uint64_t bytes = 0;
};

// What was noted. Lives as long as the process, because other threads run on during exit.
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
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> main_ns{0};
  std::atomic<std::uint64_t> other_ns{0};
  std::atomic<std::uint64_t> last_new_ns{0};
  std::atomic<std::uint64_t> frames{0};
  // At the first frame after the last new file.
  std::uint64_t menu_main_ns = 0, menu_other_ns = 0, menu_calls = 0;
  std::atomic<std::uint64_t> menu_ns{0};
};
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

// The library calls its own exported functions, and those calls are not the game's.
thread_local int depth = 0;
thread_local std::string last_failed;

// One call of the game.
class call {
 public:
  call() : is_outermost_(depth++ == 0), begin_ns_(is_outermost_ ? now_ns() : 0) {}
  ~call() { --depth; }
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  // The library has answered; what follows is the probe's own work.
  void answered() {
    if (!is_outermost_) return;
    const std::uint64_t took = now_ns() - begin_ns_;
    all().calls.fetch_add(1, std::memory_order_relaxed);
    (is_main_thread() ? all().main_ns : all().other_ns).fetch_add(took, std::memory_order_relaxed);
  }
  [[nodiscard]] bool wants_facts() const { return is_outermost_ && all().wants_facts; }
  [[nodiscard]] bool is_outermost() const { return is_outermost_; }

 private:
  bool is_outermost_;
  std::uint64_t begin_ns_;
};

std::string text_of(const char* text) {
  return text ? text : "(null)";
}
void note(std::string fact) {
  const std::lock_guard lock(all().guard);
  all().facts.insert(std::move(fact));
}
void note_answer(const std::string& question, std::int64_t answer, bool failed) {
  note(question + " = " + std::to_string(answer));
  if (failed) last_failed = question;
}

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
  number("main_ns", reached ? of.menu_main_ns : of.main_ns.load());
  number("other_ns", reached ? of.menu_other_ns : of.other_ns.load());
  number("calls", reached ? of.menu_calls : of.calls.load());
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

// Notices the menu of a game that shows no more frames until something changes.
void watch() {
  std::thread([] {
    while (!is_at_menu()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    write_report();
  }).detach();
}

// After each frame that the game shows.
void after_frame() {
  notes& of = all();
  of.frames.fetch_add(1);
  if (of.last_new_ns == 0 || !of.report) return;
  if (of.menu_ns < of.last_new_ns) {
    of.menu_main_ns = of.main_ns;
    of.menu_other_ns = of.other_ns;
    of.menu_calls = of.calls;
    of.menu_ns = now_ns();
  } else if (is_at_menu()) {
    for (;;) pause();
  }
}

// --- Files ---------------------------------------------------------------------------------------

PHYSFS_File* note_open(const call& made, PHYSFS_File* file, const char* name, const char* how) {
  notes& of = all();
  if (!made.is_outermost()) return file;
  const std::string text = text_of(name);
  {
    const std::lock_guard lock(of.guard);
    if (of.opened.insert(text).second) of.last_new_ns = now_ns();
    if (of.wants_facts && file) of.files[file] = {.name = text, .how = how};
  }
  if (of.wants_facts) note_answer(std::string(how) + " " + text, file ? 1 : 0, !file);
  return file;
}

// Adds the result of a call to the digest of its file.
template <class Change>
void note_file(const call& made, PHYSFS_File* file, Change change) {
  if (!made.wants_facts()) return;
  const std::lock_guard lock(all().guard);
  const auto found = all().files.find(file);
  if (found != all().files.end()) change(found->second);
}

void note_bytes(const call& made, PHYSFS_File* file, std::int64_t result, const void* bytes,
                std::size_t count) {
  note_file(made, file, [&](open_file& of) {
    of.seen.add(result);
    of.seen.add(bytes, count);
    of.bytes += count;
  });
}

}  // namespace

#define REAL(name) static const auto real = next<decltype(&PHYSFS_##name)>("PHYSFS_" #name)

// A function whose answer is no fact.
#define COUNTED(result, name, parameters, arguments) \
  extern "C" result PHYSFS_##name parameters {       \
    REAL(name);                                      \
    call made;                                       \
    result const answer = real arguments;            \
    made.answered();                                 \
    return answer;                                   \
  }
// A question about a name, answered by a number.
#define ASKED(result, name, parameters, arguments, question, failed)             \
  extern "C" result PHYSFS_##name parameters {                                   \
    REAL(name);                                                                  \
    call made;                                                                   \
    result const answer = real arguments;                                        \
    made.answered();                                                             \
    if (made.wants_facts()) note_answer(#name " " + (question), answer, failed); \
    return answer;                                                               \
  }
// A question answered by a text.
#define TOLD(name, parameters, arguments, question)                                 \
  extern "C" const char* PHYSFS_##name parameters {                                 \
    REAL(name);                                                                     \
    call made;                                                                      \
    const char* const answer = real arguments;                                      \
    made.answered();                                                                \
    if (made.wants_facts()) note(#name " " + (question) + " = " + text_of(answer)); \
    return answer;                                                                  \
  }
// What the game reads or is told about an open file, which goes into the file's digest.
#define OF_FILE(result, name, parameters, arguments)                                  \
  extern "C" result PHYSFS_##name parameters {                                        \
    REAL(name);                                                                       \
    call made;                                                                        \
    result const answer = real arguments;                                             \
    made.answered();                                                                  \
    note_file(made, file, [&](open_file& of) { of.seen.add(std::int64_t{answer}); }); \
    return answer;                                                                    \
  }
#define READ_NUMBER(name, type)                                        \
  extern "C" int PHYSFS_##name(PHYSFS_File* file, type* value) {       \
    REAL(name);                                                        \
    call made;                                                         \
    const int answer = real(file, value);                              \
    made.answered();                                                   \
    note_bytes(made, file, answer, value, answer ? sizeof *value : 0); \
    return answer;                                                     \
  }
#define WRITE_NUMBER(name, type)                                \
  extern "C" int PHYSFS_##name(PHYSFS_File* file, type value) { \
    REAL(name);                                                 \
    call made;                                                  \
    const int answer = real(file, value);                       \
    made.answered();                                            \
    note_bytes(made, file, answer, &value, sizeof value);       \
    return answer;                                              \
  }
#define EACH_ORDER(F, name, letter, type)    \
  F(name##letter##LE##16, PHYSFS_##type##16) \
  F(name##letter##BE##16, PHYSFS_##type##16) \
  F(name##letter##LE##32, PHYSFS_##type##32) \
  F(name##letter##BE##32, PHYSFS_##type##32) \
  F(name##letter##LE##64, PHYSFS_##type##64) \
  F(name##letter##BE##64, PHYSFS_##type##64)

EACH_ORDER(READ_NUMBER, read, S, sint)
EACH_ORDER(READ_NUMBER, read, U, uint)
EACH_ORDER(WRITE_NUMBER, write, S, sint)
EACH_ORDER(WRITE_NUMBER, write, U, uint)

OF_FILE(int, eof, (PHYSFS_File * file), (file))
OF_FILE(int, flush, (PHYSFS_File * file), (file))
OF_FILE(int, setBuffer, (PHYSFS_File * file, PHYSFS_uint64 bytes), (file, bytes))
OF_FILE(int, seek, (PHYSFS_File * file, PHYSFS_uint64 to), (file, to))
OF_FILE(PHYSFS_sint64, tell, (PHYSFS_File * file), (file))
OF_FILE(PHYSFS_sint64, fileLength, (PHYSFS_File * file), (file))

extern "C" PHYSFS_File* PHYSFS_openRead(const char* name) {
  REAL(openRead);
  call made;
  PHYSFS_File* const file = real(name);
  made.answered();
  return note_open(made, file, name, "openRead");
}
extern "C" PHYSFS_File* PHYSFS_openWrite(const char* name) {
  REAL(openWrite);
  call made;
  PHYSFS_File* const file = real(name);
  made.answered();
  return note_open(made, file, name, "openWrite");
}
extern "C" PHYSFS_File* PHYSFS_openAppend(const char* name) {
  REAL(openAppend);
  call made;
  PHYSFS_File* const file = real(name);
  made.answered();
  return note_open(made, file, name, "openAppend");
}
extern "C" int PHYSFS_close(PHYSFS_File* file) {
  REAL(close);
  call made;
  if (made.wants_facts()) {
    const std::lock_guard lock(all().guard);
    const auto found = all().files.find(file);
    if (found != all().files.end()) {
      const open_file& of = found->second;
      all().facts.insert(std::string("content of ") + of.how + " " + of.name + " = " +
                         std::to_string(of.bytes) + " bytes " + of.seen.text());
      all().files.erase(found);
    }
  }
  const int answer = real(file);
  made.answered();
  return answer;
}
extern "C" PHYSFS_sint64 PHYSFS_readBytes(PHYSFS_File* file, void* to, PHYSFS_uint64 bytes) {
  REAL(readBytes);
  call made;
  const PHYSFS_sint64 got = real(file, to, bytes);
  made.answered();
  note_bytes(made, file, got, to, got > 0 ? static_cast<std::size_t>(got) : 0);
  return got;
}
extern "C" PHYSFS_sint64 PHYSFS_read(PHYSFS_File* file, void* to, PHYSFS_uint32 size,
                                     PHYSFS_uint32 count) {
  REAL(read);
  call made;
  const PHYSFS_sint64 got = real(file, to, size, count);
  made.answered();
  note_bytes(made, file, got, to, got > 0 ? static_cast<std::size_t>(got) * size : 0);
  return got;
}
extern "C" PHYSFS_sint64 PHYSFS_writeBytes(PHYSFS_File* file, const void* from,
                                           PHYSFS_uint64 bytes) {
  REAL(writeBytes);
  call made;
  const PHYSFS_sint64 put = real(file, from, bytes);
  made.answered();
  note_bytes(made, file, put, from, bytes);
  return put;
}
extern "C" PHYSFS_sint64 PHYSFS_write(PHYSFS_File* file, const void* from, PHYSFS_uint32 size,
                                      PHYSFS_uint32 count) {
  REAL(write);
  call made;
  const PHYSFS_sint64 put = real(file, from, size, count);
  made.answered();
  note_bytes(made, file, put, from, std::size_t{size} * count);
  return put;
}

// --- Names ---------------------------------------------------------------------------------------

ASKED(int, exists, (const char* name), (name), text_of(name), false)
ASKED(int, isDirectory, (const char* name), (name), text_of(name), false)
ASKED(int, isSymbolicLink, (const char* name), (name), text_of(name), false)
ASKED(int, mkdir, (const char* name), (name), text_of(name), !answer)
ASKED(int, delete, (const char* name), (name), text_of(name), !answer)
ASKED(int, setWriteDir, (const char* name), (name), text_of(name), !answer)
ASKED(int, unmount, (const char* name), (name), text_of(name), !answer)
ASKED(int, removeFromSearchPath, (const char* name), (name), text_of(name), !answer)
ASKED(int, addToSearchPath, (const char* name, int append), (name, append),
      text_of(name) + " " + std::to_string(append), !answer)
ASKED(int, mount, (const char* name, const char* point, int append), (name, point, append),
      text_of(name) + " at " + text_of(point) + " " + std::to_string(append), !answer)
ASKED(int, mountIo, (PHYSFS_Io * io, const char* name, const char* point, int append),
      (io, name, point, append),
      text_of(name) + " at " + text_of(point) + " " + std::to_string(append), !answer)
ASKED(int, mountMemory,
      (const void* bytes, PHYSFS_uint64 count, void (*release)(void*), const char* name,
       const char* point, int append),
      (bytes, count, release, name, point, append),
      text_of(name) + " at " + text_of(point) + " " + std::to_string(append), !answer)
ASKED(int, mountHandle, (PHYSFS_File * file, const char* name, const char* point, int append),
      (file, name, point, append),
      text_of(name) + " at " + text_of(point) + " " + std::to_string(append), !answer)
ASKED(int, isInit, (), (), std::string{}, false)
ASKED(int, deinit, (), (), std::string{}, !answer)
TOLD(getRealDir, (const char* name), (name), text_of(name))
TOLD(getMountPoint, (const char* name), (name), text_of(name))
TOLD(getWriteDir, (), (), std::string{})
TOLD(getBaseDir, (), (), std::string{})
TOLD(getUserDir, (), (), std::string{})
TOLD(getPrefDir, (const char* organisation, const char* application), (organisation, application),
     text_of(application))
TOLD(getDirSeparator, (), (), std::string{})

extern "C" int PHYSFS_init(const char* program) {
  REAL(init);
  Dl_info where = {};
  (void)dladdr(reinterpret_cast<void*>(real), &where);
  {
    const std::lock_guard lock(all().guard);
    all().library = text_of(where.dli_fname);
  }
  call made;
  const int answer = real(program);
  made.answered();
  if (made.wants_facts()) note_answer("init", answer, !answer);
  static std::once_flag once;
  if (all().report) std::call_once(once, watch);
  return answer;
}
extern "C" PHYSFS_sint64 PHYSFS_getLastModTime(const char* name) {
  REAL(getLastModTime);
  call made;
  const PHYSFS_sint64 answer = real(name);
  made.answered();
  // What this run wrote has a time that no other run has.
  if (made.wants_facts()) {
    static const std::int64_t begin = std::time(nullptr);
    note_answer("getLastModTime " + text_of(name), answer >= begin - 600 ? 0 : answer, answer < 0);
  }
  return answer;
}
extern "C" int PHYSFS_stat(const char* name, PHYSFS_Stat* status) {
  REAL(stat);
  call made;
  const int answer = real(name, status);
  made.answered();
  if (made.wants_facts()) {
    std::string fact = "stat " + text_of(name) + ", " + std::to_string(answer);
    if (answer) {
      fact += " type " + std::to_string(status->filetype);
      if (status->filetype == PHYSFS_FILETYPE_REGULAR)
        fact += " " + std::to_string(status->filesize);
      fact += status->readonly ? " read-only" : "";
    }
    note_answer(fact, answer, !answer);
  }
  return answer;
}

namespace {

std::string text_of(char** list) {
  if (!list) return "(null)";
  std::string text;
  for (char** each = list; *each; ++each) text += std::string(text.empty() ? "" : " | ") + *each;
  return text;
}

struct visit {
  PHYSFS_EnumerateCallback callback;
  void* data;
  std::set<std::string> names = {};
};
PHYSFS_EnumerateCallbackResult visited(void* data, const char* folder, const char* name) {
  auto& of = *static_cast<visit*>(data);
  of.names.insert(text_of(name));
  const int outer = depth;
  depth = 0;  // what the game calls here are calls of the game
  const PHYSFS_EnumerateCallbackResult result = of.callback(of.data, folder, name);
  depth = outer;
  return result;
}

}  // namespace

extern "C" char** PHYSFS_enumerateFiles(const char* folder) {
  REAL(enumerateFiles);
  call made;
  char** const list = real(folder);
  made.answered();
  if (made.wants_facts()) note("enumerateFiles " + text_of(folder) + " = " + text_of(list));
  return list;
}
extern "C" int PHYSFS_enumerate(const char* folder, PHYSFS_EnumerateCallback callback, void* data) {
  REAL(enumerate);
  call made;
  if (!made.wants_facts()) {
    const int answer = real(folder, callback, data);
    made.answered();
    return answer;
  }
  visit seen{callback, data};
  const int answer = real(folder, visited, &seen);
  made.answered();
  std::string names;
  for (const std::string& name : seen.names) names += " | " + name;
  note("enumerate " + text_of(folder) + " = " + std::to_string(answer) + names);
  return answer;
}
extern "C" char** PHYSFS_getSearchPath() {
  REAL(getSearchPath);
  call made;
  char** const list = real();
  made.answered();
  if (made.wants_facts()) note("getSearchPath = " + text_of(list));
  return list;
}
extern "C" void PHYSFS_freeList(void* list) {
  REAL(freeList);
  call made;
  real(list);
  made.answered();
}

// --- Errors --------------------------------------------------------------------------------------

extern "C" PHYSFS_ErrorCode PHYSFS_getLastErrorCode() {
  REAL(getLastErrorCode);
  call made;
  const PHYSFS_ErrorCode code = real();
  made.answered();
  if (made.wants_facts()) note("error after " + last_failed + " = " + std::to_string(code));
  if (made.is_outermost()) last_failed.clear();
  return code;
}
extern "C" const char* PHYSFS_getLastError() {
  REAL(getLastError);
  call made;
  const char* const text = real();
  made.answered();
  if (made.wants_facts()) note("error after " + last_failed + " = " + text_of(text));
  if (made.is_outermost()) last_failed.clear();
  return text;
}

// --- Frames --------------------------------------------------------------------------------------

// Functions that show a frame; `real` calls the next definition.
#define SHOWS(result, name, parameters, arguments)         \
  extern "C" result name parameters;                       \
  extern "C" result name parameters {                      \
    static const auto real = next<decltype(&name)>(#name); \
    const frame shown;                                     \
    return real arguments;                                 \
  }
namespace {
struct frame {
  ~frame() { after_frame(); }
};
}  // namespace
SHOWS(void, SDL_GL_SwapWindow, (void* window), (window))
SHOWS(void, SDL_RenderPresent, (void* renderer), (renderer))
SHOWS(int, SDL_UpdateWindowSurface, (void* window), (window))
// SDL 1.2
SHOWS(int, SDL_Flip, (void* screen), (screen))
SHOWS(void, SDL_GL_SwapBuffers, (), ())
SHOWS(void, SDL_UpdateRect,
      (void* screen, std::int32_t x, std::int32_t y, std::uint32_t width, std::uint32_t height),
      (screen, x, y, width, height))
// What Mesa's software renderer calls for each frame: a game with a copy of SDL in itself cannot be
// met anywhere else.
SHOWS(int, XPutImage,
      (void* display, unsigned long drawable, void* context, void* image, int from_x, int from_y,
       int x, int y, unsigned width, unsigned height),
      (display, drawable, context, image, from_x, from_y, x, y, width, height))
SHOWS(int, XShmPutImage,
      (void* display, unsigned long drawable, void* context, void* image, int from_x, int from_y,
       int x, int y, unsigned width, unsigned height, int tells),
      (display, drawable, context, image, from_x, from_y, x, y, width, height, tells))

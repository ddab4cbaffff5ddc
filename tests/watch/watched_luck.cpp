// SPDX-License-Identifier: Zlib
//
// What may happen to a program that is watched, and what it calls of libraries.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "watched_game.hpp"

namespace {

// --- Libraries -----------------------------------------------------------------------------------

extern "C" {
struct four_words {
  long a, b, c, d;
};
long ov_read(void* file, char* to, int bytes, int big, int word, int is_signed, int* stream);
int ov_open_callbacks(void* source, void* file, const char* first, long bytes, four_words calls);
int tjDecompress2(void* handle, const unsigned char* from, unsigned long bytes, unsigned char* to,
                  int width, int pitch, int height, int format, int flags);
}

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  std::exit(1);
}

void libraries() {
  char here[10] = {};
  auto* const bytes = reinterpret_cast<unsigned char*>(here);
  int stream = 0;
  expect(ov_read(here, here, 1, 2, 3, 4, &stream) == 1 && stream == 10, "seven arguments");
  expect(ov_open_callbacks(here, here, "", 5, {6, 7, 8, 9}) == 1, "a structure");
  expect(tjDecompress2(here, bytes, 3, bytes, 5, -6, 7, 8, 9) == 1, "nine arguments");
  void* const plugin = dlopen("libwatched_plugin.so", RTLD_NOW | RTLD_LOCAL);
  expect(plugin, "a plug-in in the program's own folder");
  const auto version = reinterpret_cast<int (*)()>(dlsym(plugin, "version_in_plugin"));
  expect(version() == 2, "a plug-in gets the version that it was linked with");
  expect(version() == 2, "again");
  expect(ov_open_callbacks(here, here, "", 5, {6, 7, 8, 9}) == 1, "and the program its own");
}

// As SDL does where it is linked statically.
void frames() {
  void* const driver = dlopen("libwatched_plugin.so", RTLD_NOW | RTLD_LOCAL);
  const auto find = reinterpret_cast<void* (*)(const char*)>(dlsym(driver, "glXGetProcAddressARB"));
  expect(!find("glXNothing"), "what is not there is not found");
  long shown = 0;
  for (void* const each : {find("glXSwapBuffers"), dlsym(driver, "glXSwapBuffers")}) {
    reinterpret_cast<void (*)(long*, long)>(each)(&shown, 21);
  }
  expect(shown == 42, "both are the driver's");
  expect(dlsym(RTLD_DEFAULT, "main_of_nothing") == nullptr, "and others as ever");
  expect(dlsym(RTLD_NEXT, "malloc") != nullptr, "also from where the call comes");
}

// --- Bad luck ------------------------------------------------------------------------------------

void many_threads() {
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  for (int i = 0; i < 1000; ++i) {
    std::thread([] {
      prctl(PR_SET_NAME, "short");
      usleep(1);
      for (int left = 200'000; left > 0; --left) asm volatile("" : : "r"(left));
    }).join();
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  std::printf("%ld\n",
              (after.tv_sec - before.tv_sec) * 1'000'000'000 + after.tv_nsec - before.tv_nsec);
}

void closes_everything() {
  one_read("before");
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  for (int i = 3; i < static_cast<int>(limit.rlim_cur); ++i) close(i);
  for (int i = 0; i < 40'000; ++i) access(path_of("before").c_str(), R_OK);
  one_read("after");
}

void forks() {
  one_read("before");
  if (fork() == 0) {
    one_read("child");
    _exit(0);
  }
  if (vfork() == 0) {
    execlp("true", "true", static_cast<char*>(nullptr));
    _exit(1);
  }
  while (wait(nullptr) > 0) {
  }
  one_read("after");
}

// By functions that are not watched.
void streams() {
  std::FILE* file = std::fopen(path_of("text").c_str(), "w");
  std::fprintf(file, "%s", "twenty characters...");
  std::fclose(file);
  file = std::fopen(path_of("text").c_str(), "r");
  while (std::getc(file) != EOF) {
  }
  std::fclose(file);
}

void changes_folder() {
  std::filesystem::create_directory(path_of("inner"));
  if (chdir(path_of("inner").c_str()) != 0) std::abort();
  std::fclose(std::fopen("relative\nname", "w"));
  close(open("relative\nname", O_RDONLY));
  const int above = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  close(openat(above, "inner/relative\nname", O_RDONLY));
}

// A compiler leaves out a block that is not used.
void* keep(void* block) {
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}

// In a handler of signals, in a child, and when threads end.
void allocates_anywhere() {
  one_read("before");
  const auto some = [](int count) {
    for (int i = 0; i < count; ++i) {
      const std::unique_ptr<char[]> block(new char[static_cast<std::size_t>(i) * 100 + 1]);
      keep(block.get());
      std::free(std::realloc(keep(std::malloc(55)), static_cast<std::size_t>(i) + 1));
    }
  };
  struct ends {
    std::function<void()> what;
    ~ends() { what(); }
  };
  static thread_local ends at_end;
  std::thread([&] {
    at_end.what = [&] { some(1'000); };
    some(1'000);
  }).join();
  std::signal(SIGUSR1, [](int) { std::free(keep(std::malloc(55))); });
  for (int i = 0; i < 10'000; ++i) raise(SIGUSR1);
  if (fork() == 0) {
    some(2'000);
    _exit(0);
  }
  int status = 1;
  if (wait(&status) < 0 || status != 0) std::abort();
  at_end.what = [] {};
  for (int i = 0; i < 100; ++i) dlclose(dlopen("libwatched_plugin.so", RTLD_NOW | RTLD_LOCAL));
  some(10'000);
  one_read("after");
}

// What it reads is not seen.
void binds_deep() {
  one_read("before");
  void* const plugin = dlopen("libwatched_plugin.so", RTLD_NOW | RTLD_DEEPBIND);
  expect(plugin, "the plug-in");
  const auto read = reinterpret_cast<long (*)(const char*)>(dlsym(plugin, "bytes_by_plugin"));
  write_file(path_of("by-plugin"), 55);
  expect(read(path_of("by-plugin").c_str()) == 55, "bytes");
  expect(read(path_of("missing").c_str()) == -1, "no file");
  one_read("after");
}

// A thread that has the thread memory of its maker.
std::atomic<int> raw_thread_ended{0};
int in_raw_thread(void* path) {
  std::vector<char> room(100);
  const int file = open(static_cast<const char*>(path), O_RDONLY);
  for (int i = 0; i < 20'000; ++i) {
    if (pread(file, room.data(), room.size(), i % 5) != 10 - i % 5) return 1;
  }
  close(file);
  raw_thread_ended = 1;
  return 0;
}
void makes_raw_threads() {
  one_read("before");
  std::string path = path_of("before");
  std::vector<char> stack(1 << 20);
  constexpr int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD;
  const int child = clone(in_raw_thread, stack.data() + stack.size() - 64, flags, path.data());
  char room[10];
  const int file = open(path.c_str(), O_RDONLY);
  for (int i = 0; i < 20'000; ++i) {
    if (pread(file, room, sizeof room, i % 7) != 10 - i % 7) std::abort();
  }
  int status = 1;
  if (waitpid(child, &status, 0) != child || status != 0) std::abort();
  expect(raw_thread_ended == 1, "it has ended");
  std::thread([] { one_read("after"); }).join();
}

// In a folder that lacks all that a system has.
void changes_root() {
  one_read("before");
  if (geteuid() != 0 && unshare(CLONE_NEWUSER) != 0) std::exit(77);
  if (chroot(folder.c_str()) != 0) std::exit(77);
  if (chdir("/") != 0) std::abort();
  folder = "";
  std::thread([] { one_read("after"); }).join();
  for (int i = 0; i < 40'000; ++i) access("/before", R_OK);
}

// Of a thread that still waits, a lock that it waits for, and what it had read.
void is_killed() {
  one_read("before");
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  std::thread([] {
    pthread_setname_np(pthread_self(), "waiter");
    pthread_mutex_lock(&lock);
  }).detach();
  usleep(200'000);
  kill(getpid(), SIGKILL);
}

}  // namespace

const named_functions& luck() {
  static const named_functions all = {
      {"libraries", libraries},
      {"frames", frames},
      {"abort", [] { one_read("before"), std::abort(); }},
      {"crash", [] { one_read("before"), raise(SIGSEGV); }},
      {"_exit", [] { one_read("before"), _exit(9); }},
      {"exit", [] { one_read("before"), std::exit(7); }},
      {"killed", is_killed},
      {"many-threads", many_threads},
      {"closes-everything", closes_everything},
      {"forks", forks},
      {"allocates-anywhere", allocates_anywhere},
      {"changes-folder", changes_folder},
      {"binds-deep", binds_deep},
      {"raw-threads", makes_raw_threads},
      {"changes-root", changes_root},
      {"streams", streams},
  };
  return all;
}

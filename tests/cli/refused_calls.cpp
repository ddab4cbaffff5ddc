// SPDX-License-Identifier: Zlib
//
// Preloaded into the command by its end-to-end tests: makes a call of the C library fail.
//
//   LD_PRELOAD=./refused_calls.so REFUSE=readdir:3:5      the third readdir() fails with errno 5
//   LD_PRELOAD=./refused_calls.so REFUSE=malloc:100:12+   and so do all after the hundredth
//   malloc()
//   LD_PRELOAD=./refused_calls.so REFUSE=touch:2:0        the second pread() of a file succeeds,
//   but another program has changed the file's time by then
//
//   LD_PRELOAD=./refused_calls.so REFUSE=sync:1:0 REFUSE_SCRIPT='echo text > file'
//   before the first fsync() or syncfs(), another program runs; no call fails
//
// Calls: opendir, readdir, openat2, write (to files), disk (each that changes a disk: write,
// pwrite, fsync, syncfs, rename and its relatives), sync (of those the syncs), exchange (of two
// names), flock, read (pread and its relatives), malloc (and its relatives), all from main() on.
// Writes "refused" to the file that REFUSE_TOLD names when a call was refused.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

enum class call {
  none,
  opendir,
  readdir,
  openat2,
  write,
  disk,
  exchange,
  thread,
  malloc,
  touch,
  sync,
  flock,
  read
};

call refused = call::none;
long first = 0;
int with_errno = 0;
bool all_after = false;
long calls = 0;
bool in_main = false;
DIR* uncounted = nullptr;  // below /proc, which the library lists to count its descriptors
const char* told = nullptr;

__attribute__((constructor)) void read_environment() {
  const char* text = getenv("REFUSE");
  told = getenv("REFUSE_TOLD");
  if (!text) return;
  const char* const names[] = {"none", "opendir",  "readdir", "openat2", "write",
                               "disk", "exchange", "thread",  "malloc",  "touch",
                               "sync", "flock",    "read"};
  call found = call::none;
  for (int i = 1; i < 13; ++i) {
    const size_t length = strlen(names[i]);
    if (strncmp(text, names[i], length) == 0 && text[length] == ':') found = static_cast<call>(i);
  }
  char* end = const_cast<char*>(strchr(text, ':'));
  if (!end) return;
  first = strtol(end + 1, &end, 10);
  with_errno = static_cast<int>(strtol(end + 1, &end, 10));
  all_after = *end == '+';
  refused = found;
}

// For another program that comes between two calls. Whether there is one, and it succeeded.
bool run_script() {
  const char* const script = getenv("REFUSE_SCRIPT");
  if (!script) return false;
  char* const words[] = {const_cast<char*>("sh"), const_cast<char*>("-c"),
                         const_cast<char*>(script), nullptr};
  char* const none[] = {const_cast<char*>("PATH=/usr/bin:/bin"), nullptr};
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, "/bin/sh", nullptr, nullptr, words, none) == 0) {
    (void)waitpid(child, &status, 0);
  }
  return status == 0;
}

bool refuse(call which) {
  if (which != refused || !in_main) return false;
  const long number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (number < first || (number > first && !all_after)) return false;
  if (told && number == first) {
    const int file = ::open(told, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file >= 0) {
      (void)!::syscall(SYS_write, file, "refused", 7);
      ::close(file);
    }
  }
  errno = with_errno;
  return !run_script();
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

using main_type = int (*)(int, char**, char**);
main_type program = nullptr;

int counted_main(int count, char** words, char** environment) {
  in_main = true;
  return program(count, words, environment);
}

}  // namespace

extern "C" {

int __libc_start_main(main_type main, int count, char** words, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  program = main;
  using start_type = int (*)(main_type, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<start_type>("__libc_start_main")(counted_main, count, words, init, fini, rtld_fini,
                                               stack_end);
}

DIR* opendir(const char* path) {
  const bool of_system = strncmp(path, "/proc/", 6) == 0;
  if (!of_system && refuse(call::opendir)) return nullptr;
  static const auto real = next<DIR* (*)(const char*)>("opendir");
  DIR* const folder = real(path);
  if (of_system) {
    uncounted = folder;
  } else if (folder == uncounted) {
    uncounted = nullptr;
  }
  return folder;
}

dirent* readdir(DIR* folder) {
  if (folder != uncounted && refuse(call::readdir)) return nullptr;
  static const auto real = next<dirent* (*)(DIR*)>("readdir");
  return real(folder);
}

long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long given[6];
  for (long& each : given) each = va_arg(list, long);
  va_end(list);
  if (number == SYS_openat2 && refuse(call::openat2)) return -1;
  if (number == SYS_preadv2 && refuse(call::read)) return -1;
  static const auto real = next<long (*)(long, ...)>("syscall");
  return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

ssize_t write(int file, const void* bytes, size_t size) {
  struct stat what{};
  const bool is_file = fstat(file, &what) == 0 && S_ISREG(what.st_mode);
  if (is_file && (refuse(call::write) || refuse(call::disk))) return -1;
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return real(file, bytes, size);
}

ssize_t pread(int file, void* bytes, size_t size, off_t at) {
  if (refuse(call::touch)) {
    const timespec times[2] = {{1, 0}, {1, 0}};
    (void)futimens(file, times);
  }
  if (refuse(call::read)) return -1;
  static const auto real = next<ssize_t (*)(int, void*, size_t, off_t)>("pread");
  return real(file, bytes, size, at);
}
ssize_t preadv(int file, const iovec* parts, int count, off_t at) {
  if (refuse(call::read)) return -1;
  static const auto real = next<ssize_t (*)(int, const iovec*, int, off_t)>("preadv");
  return real(file, parts, count, at);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  if (refuse(call::disk)) return -1;
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  return real(file, bytes, size, at);
}
int fsync(int file) {
  if (refuse(call::disk) || refuse(call::sync)) return -1;
  static const auto real = next<int (*)(int)>("fsync");
  return real(file);
}
int syncfs(int file) noexcept {
  if (refuse(call::disk) || refuse(call::sync)) return -1;
  static const auto real = next<int (*)(int)>("syncfs");
  return real(file);
}
int flock(int file, int how) noexcept {
  if (refuse(call::flock)) return -1;
  static const auto real = next<int (*)(int, int)>("flock");
  return real(file, how);
}
int rename(const char* from, const char* to) noexcept {
  if (refuse(call::disk)) return -1;
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return real(from, to);
}
int renameat(int from, const char* old_name, int to, const char* new_name) noexcept {
  if (refuse(call::disk)) return -1;
  static const auto real = next<int (*)(int, const char*, int, const char*)>("renameat");
  return real(from, old_name, to, new_name);
}
int renameat2(int from, const char* old_name, int to, const char* new_name,
              unsigned flags) noexcept {
  constexpr unsigned exchange = 2;  // RENAME_EXCHANGE
  if (refuse(call::disk) || (flags == exchange && refuse(call::exchange))) return -1;
  static const auto real = next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2");
  return real(from, old_name, to, new_name, flags);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  if (refuse(call::thread)) return errno;
  using create_type = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = next<create_type>("pthread_create");
  return real(thread, attributes, start, argument);
}

void* malloc(size_t size) noexcept {
  return refuse(call::malloc) ? nullptr : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) noexcept {
  return refuse(call::malloc) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) noexcept {
  return refuse(call::malloc) ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return refuse(call::malloc) ? nullptr : __libc_memalign(alignment, size);
}
void* memalign(size_t alignment, size_t size) noexcept {
  return aligned_alloc(alignment, size);
}
int posix_memalign(void** into, size_t alignment, size_t size) noexcept {
  *into = aligned_alloc(alignment, size);
  return *into ? 0 : ENOMEM;
}

}  // extern "C"

// SPDX-License-Identifier: Zlib
//
// A program with one flaw, or with bad luck:
//
//   watched_game WHAT FOLDER
//
// prints how long the flaw took by its own clock, in nanoseconds.
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "watched_game.hpp"

namespace {

// Reads a file over and over for a while.
void read_for_a_while(const std::string& path) {
  std::vector<char> room(1 << 20);
  for (const std::uint64_t begin = now_ns(); now_ns() - begin < a_while_ns;) {
    const int file = open(path.c_str(), O_RDONLY);
    while (read(file, room.data(), room.size()) > 0) {
    }
    close(file);
  }
}

void unpack_for_a_while() {
  std::vector<Bytef> plain(1 << 20);
  for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<Bytef>(i * i >> 3);
  uLongf packed_bytes = compressBound(plain.size());
  std::vector<Bytef> packed(packed_bytes);
  compress(packed.data(), &packed_bytes, plain.data(), plain.size());
  std::uint64_t took = 0;
  while (took < a_while_ns) {
    uLongf bytes = plain.size();
    const std::uint64_t begin = now_ns();
    uncompress(plain.data(), &bytes, packed.data(), packed_bytes);
    took += now_ns() - begin;
  }
  print_time(took);
}

void lock_over_files() {
  write_file(path_of("big.pak"), 1 << 20);
  std::mutex lock;
  std::uint64_t waited = 0;
  lock.lock();
  std::thread waiter([&] {
    const std::uint64_t begin = now_ns();
    const std::lock_guard held(lock);
    waited = now_ns() - begin;
  });
  read_for_a_while(path_of("big.pak"));
  lock.unlock();
  waiter.join();
  print_time(waited);
}

void sleeps() {
  const std::uint64_t begin = now_ns();
  for (int i = 0; i < 20; ++i) usleep(10'000);
  print_time(now_ns() - begin);
}

void polls() {
  const std::uint64_t begin = now_ns();
  for (int i = 0; i < 10; ++i) poll(nullptr, 0, 20);
  print_time(now_ns() - begin);
}

// In code that no library has.
__attribute__((noinline)) void spins_for_a_while() {
  const auto on_core_ns = [] {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(used.tv_nsec);
  };
  volatile unsigned number = 0;
  while (on_core_ns() < 2 * a_while_ns) {
    for (unsigned i = 0; i < 1'000'000; ++i) number = number * 31 + i;
  }
}

// All workers sleep again before each time they are woken.
void wakes_many() {
  constexpr int workers = 16;
  std::mutex lock;
  std::condition_variable next;
  int round = 0;
  int asleep = 0;
  sem_t all_asleep;
  sem_init(&all_asleep, 0, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) {
    threads.emplace_back([&] {
      std::unique_lock held(lock);
      for (int seen = 0; seen >= 0; seen = round) {
        if (++asleep == workers) sem_post(&all_asleep);
        next.wait(held, [&] { return round != seen; });
      }
    });
  }
  std::uint64_t took = 0;
  while (took < a_while_ns) {
    sem_wait(&all_asleep);
    {
      const std::lock_guard held(lock);
      asleep = 0;
      ++round;
    }
    const std::uint64_t begin = now_ns();
    next.notify_all();
    took += now_ns() - begin;
  }
  sem_wait(&all_asleep);
  {
    const std::lock_guard held(lock);
    round = -1;
  }
  next.notify_all();
  for (std::thread& each : threads) each.join();
  print_time(took);
}

// Through the library of C++.
__attribute__((noinline)) void searches_by_streams() {
  for (int i = 0; i < 20'000; ++i) {
    const std::string path = path_of("mods/") + std::to_string(i % 50) + ".png";
    std::ifstream file(path);
    if (file || std::filesystem::exists(path)) std::abort();
  }
}

// In a function that is inlined into another one, through a header of the system.
__attribute__((always_inline)) inline void opens_inlined(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "r"),
                                                             std::fclose);
}
__attribute__((noinline)) void opens_by_inlined_code() {
  one_read("before");
  opens_inlined(path_of("before"));
}

// Until another thread has worked for a while. `look`: what it does over and over.
template <class Look>
void spins_until_worked(Look look) {
  std::atomic<bool> is_over{false};
  std::thread worker([&] {
    spins_for_a_while();
    is_over = true;
  });
  const std::uint64_t begin = now_ns();
  while (!is_over) look();
  print_time(now_ns() - begin);
  worker.join();
}

// Without a call.
__attribute__((noinline)) void looks_at(const std::atomic<bool>& flag) {
  while (!flag.load(std::memory_order_acquire)) {
  }
}
void spins_on_a_flag() {
  std::atomic<bool> is_over{false};
  std::thread worker([&] {
    spins_for_a_while();
    is_over = true;
  });
  const std::uint64_t begin = now_ns();
  looks_at(is_over);
  print_time(now_ns() - begin);
  worker.join();
}

void spins_by_trylock() {
  std::mutex lock;
  std::atomic<bool> has_begun{false};
  std::thread worker([&] {
    const std::lock_guard held(lock);
    has_begun = true;
    spins_for_a_while();
  });
  while (!has_begun) usleep(1000);
  const std::uint64_t begin = now_ns();
  while (!lock.try_lock()) {
  }
  print_time(now_ns() - begin);
  lock.unlock();
  worker.join();
}

// Until the kernel says so.
void wait_until_asleep(const std::atomic<pid_t>& thread) {
  for (char state = 0; state != 'S'; usleep(1'000)) {
    const pid_t number = thread;
    std::FILE* const file =
        std::fopen(("/proc/self/task/" + std::to_string(number) + "/stat").c_str(), "r");
    if (!file) continue;
    if (number == 0 || std::fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 0;
    std::fclose(file);
  }
}

// A thread sleeps in each way, and is woken.
void wakes_in_each_way() {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::atomic<int> word{0};
  const int event = eventfd(0, 0);
  std::atomic<pid_t> numbers[3] = {};
  std::thread waiter([&] {
    numbers[0] = gettid();
    sem_wait(&semaphore);
  });
  std::thread sleeper([&] {
    numbers[1] = gettid();
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr, nullptr, 0);
  });
  std::thread reader([&] {
    std::uint64_t count = 0;
    numbers[2] = gettid();
    if (read(event, &count, sizeof count) != sizeof count || count != 7) std::abort();
  });
  for (const std::atomic<pid_t>& each : numbers) wait_until_asleep(each);
  word = 1;
  sem_post(&semaphore);
  for (int i = 0; i < 3; ++i) syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  eventfd_write(event, 7);
  for (std::thread* const each : {&waiter, &sleeper, &reader}) each->join();
  sem_post(&semaphore);  // no thread sleeps
}

void decodes_alone() {
  std::mutex lock;
  std::condition_variable changed;
  bool is_over = false;
  std::thread idle([&] {
    std::unique_lock held(lock);
    changed.wait(held, [&] { return is_over; });
  });
  std::thread worker(unpack_for_a_while);
  worker.join();
  {
    const std::lock_guard held(lock);
    is_over = true;
  }
  changed.notify_all();
  idle.join();
}

void tiny_reads() {
  write_file(path_of("level.xml"), 40'000);
  const int file = open(path_of("level.xml").c_str(), O_RDONLY);
  char room[4];
  const std::uint64_t begin = now_ns();
  for (int round = 0; round < 20; ++round) {
    lseek(file, 0, SEEK_SET);
    while (read(file, room, sizeof room) > 0) {
    }
  }
  print_time(now_ns() - begin);
}

// By each way to do it.
void prints() {
  const std::uint64_t begin = now_ns();
  for (int i = 0; i < 10'000; ++i) {
    std::fprintf(stderr, "error %d of %s\n", i, "sound");
    std::fputs("the same error again\n", stderr);
    std::cerr << "and again\n";
    if (write(STDERR_FILENO, "!\n", 2) != 2) std::abort();
  }
  print_time(now_ns() - begin);
}

// As a large game did for years: each call looks first how long all of the rest is.
void parses_by_sscanf() {
  std::string list;
  for (int i = 0; i < 200'000; ++i) list += "12345678,";
  long sum = 0;
  const std::uint64_t begin = now_ns();
  for (const char* at = list.c_str(); *at != '\0' && now_ns() - begin < 2 * a_while_ns; at += 9) {
    int number = 0;
    if (std::sscanf(at, "%d", &number) == 1) sum += number;
  }
  if (sum == 0) std::abort();
  print_time(now_ns() - begin);
}

int number_in(const std::string& text) {
  if (text[0] != '#') throw std::invalid_argument("not a number");
  return 1;
}

void throws() {
  const std::string text = "text";
  std::uint64_t sum = 0;
  const std::uint64_t begin = now_ns();
  while (now_ns() - begin < 2 * a_while_ns) {
    for (int i = 0; i < 100; ++i) {
      try {
        sum += static_cast<std::uint64_t>(number_in(text));
      } catch (const std::exception&) {
        ++sum;
      }
    }
  }
  if (sum == 0) std::abort();
  print_time(now_ns() - begin);
}

// Blocks that are written whole, so that a clock around one matters little.
void allocates() {
  std::uint64_t took = 0;
  while (took < a_while_ns) {
    const std::uint64_t begin = now_ns();
    for (int i = 0; i < 100; ++i) {
      auto* const block = static_cast<volatile char*>(std::calloc(1, 60'000));
      block[55] = 1;
      std::free(const_cast<char*>(block));
    }
    took += now_ns() - begin;
  }
  print_time(took);
}

// By its name for each piece, while it is open.
void opens_again() {
  write_file(path_of("big.pak"), 1 << 20);
  const int file = open(path_of("big.pak").c_str(), O_RDONLY);
  const std::string path = path_of("big.pak");
  for (int i = 0; i < 40'000; ++i) close(open(path.c_str(), O_RDONLY));
  close(file);
  for (int i = 0; i < 1'000; ++i) close(open(path.c_str(), O_RDONLY));
}

void misses() {
  const std::uint64_t begin = now_ns();
  for (int i = 0; i < 20'000; ++i) {
    const std::string path = path_of("mods/") + std::to_string(i % 50) + ".png";
    if (open(path.c_str(), O_RDONLY) >= 0) std::abort();
  }
  print_time(now_ns() - begin);
}

void look_ups() {
  const std::uint64_t begin = now_ns();
  struct stat status{};
  for (int i = 0; i < 30'000; ++i) stat(folder.c_str(), &status);
  print_time(now_ns() - begin);
}

void listing() {
  const std::uint64_t begin = now_ns();
  std::size_t count = 0;
  for (int round = 0; round < 200; ++round) {
    for (const auto& each : std::filesystem::directory_iterator(path_of("tiles"))) {
      count += each.path().empty() ? 0 : 1;
    }
  }
  if (count != std::size_t{200} * 600) std::abort();
  print_time(now_ns() - begin);
}

void waits_for_a_server() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path_of("server").c_str(), sizeof address.sun_path - 1);
  const auto* const known = reinterpret_cast<const sockaddr*>(&address);
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(server, known, sizeof address) != 0 || listen(server, 1) != 0) std::abort();
  std::thread answers([&] {
    const int client = accept(server, nullptr, nullptr);
    poll(nullptr, 0, 300);
    if (write(client, "x", 1) != 1) std::abort();
    close(client);
  });
  const int client = socket(AF_UNIX, SOCK_STREAM, 0);
  char answer = 0;
  const std::uint64_t begin = now_ns();
  if (connect(client, known, sizeof address) != 0) std::abort();
  if (recv(client, &answer, 1, 0) != 1) std::abort();
  print_time(now_ns() - begin);
  answers.join();
}

void waits_for_a_program() {
  const std::uint64_t begin = now_ns();
  if (std::system("sleep 0.3") != 0) std::abort();
  print_time(now_ns() - begin);
}

// By a call of the system that is not watched.
void waits_unseen() {
  sigset_t none;
  sigemptyset(&none);
  const timespec a_while{.tv_sec = 0, .tv_nsec = 300'000'000};
  const std::uint64_t begin = now_ns();
  syscall(SYS_rt_sigtimedwait, &none, nullptr, &a_while, sizeof(std::uint64_t));
  print_time(now_ns() - begin);
}

// Each block comes from the system, and goes back to it.
void touches_new_memory() {
  constexpr std::size_t block_bytes = std::size_t{64} << 20;
  const std::uint64_t begin = now_ns();
  while (now_ns() - begin < 2 * a_while_ns) {
    auto* const block = static_cast<volatile char*>(std::malloc(block_bytes));
    for (std::size_t i = 0; i < block_bytes; i += 4096) block[i] = 1;
    std::free(const_cast<char*>(block));
  }
  print_time(now_ns() - begin);
}

const named_functions flaws = {
    {"lock-over-files", lock_over_files},
    {"sleeping", sleeps},
    {"polling", polls},
    {"waking", wakes_many},
    {"wakes", wakes_in_each_way},
    {"opens-again", opens_again},
    {"searches-by-streams", searches_by_streams},
    {"inlined", opens_by_inlined_code},
    {"allocating", allocates},
    {"spins-by-yield", [] { spins_until_worked([] { std::this_thread::yield(); }); }},
    {"spins-by-clock", [] { spins_until_worked([] { now_ns(); }); }},
    {"spins-by-poll", [] { spins_until_worked([] { poll(nullptr, 0, 0); }); }},
    {"spins-by-trylock", spins_by_trylock},
    {"spins-on-a-flag", spins_on_a_flag},
    {"decodes-alone", decodes_alone},
    {"decodes-on-main", unpack_for_a_while},
    {"tiny-reads", tiny_reads},
    {"printing", prints},
    {"parses-by-sscanf", parses_by_sscanf},
    {"throws", throws},
    {"misses", misses},
    {"look-ups", look_ups},
    {"listing", listing},
    {"servers", waits_for_a_server},
    {"programs", waits_for_a_program},
    {"unseen", waits_unseen},
    {"new-memory", touches_new_memory},
    {"own-code", spins_for_a_while},
};

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  folder = words[2];
  const std::string what = words[1];
  (flaws.contains(what) ? flaws : luck()).at(what)();
  return 0;
}

// SPDX-License-Identifier: Zlib
#include "process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "harness.hpp"

namespace bench {
namespace {

constexpr char word_work = 'w';
constexpr char word_end = 'e';
constexpr char word_done = 'd';

struct pipe_ends {
  int read = -1;
  int write = -1;
};

pipe_ends make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
  return {ends[0], ends[1]};
}

void send(int pipe, const void* bytes, std::size_t size) {
  if (write(pipe, bytes, size) != static_cast<ssize_t>(size)) {
    throw std::runtime_error("a child process of the benchmark has died");
  }
}

void receive(int pipe, void* bytes, std::size_t size) {
  auto* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = read(pipe, at, size);
    if (got <= 0) throw std::runtime_error("a child process of the benchmark has died");
    at += got;
    size -= static_cast<std::size_t>(got);
  }
}

// The child runs body() and exits, without any of what its parent does afterwards.
template <class Body>
int fork_into(Body body) {
  (void)std::fflush(nullptr);
  const int id = fork();
  if (id < 0) throw std::runtime_error("cannot fork");
  if (id > 0) return id;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    body();
  } catch (const std::exception& failure) {
    (void)std::fprintf(stderr, "error in a child process: %s\n", failure.what());
    _exit(1);
  }
  _exit(0);
}

}  // namespace

process::process(const std::function<repeated_work()>& prepare) {
  const pipe_ends orders = make_pipe();
  const pipe_ends answers = make_pipe();
  id_ = fork_into([&] {
    close(orders.write);
    close(answers.read);
    const repeated_work work = prepare();
    for (;;) {
      char word = 0;
      receive(orders.read, &word, 1);
      if (word == word_end) return;
      const double cpu_before = cpu_seconds();
      work.run();
      const double cpu_s = cpu_seconds() - cpu_before;
      send(answers.write, &cpu_s, sizeof cpu_s);
      work.after();
      send(answers.write, &word_done, 1);
    }
  });
  close(orders.read);
  close(answers.write);
  to_ = orders.write;
  from_ = answers.read;
}

process::~process() {
  if (write(to_, &word_end, 1) != 1) (void)kill(id_, SIGKILL);
  close(to_);
  close(from_);
  (void)waitpid(id_, nullptr, 0);
}

void process::begin() {
  send(to_, &word_work, 1);
}

void process::finish() {
  double cpu_s = 0;
  receive(from_, &cpu_s, sizeof cpu_s);
  count_cpu_elsewhere(cpu_s);
}

void process::settle() {
  char word = 0;
  receive(from_, &word, 1);
}

std::vector<double> in_process(const std::function<std::vector<double>()>& work) {
  const pipe_ends answers = make_pipe();
  const int id = fork_into([&] {
    close(answers.read);
    const std::vector<double> numbers = work();
    const std::uint64_t count = numbers.size();
    send(answers.write, &count, sizeof count);
    send(answers.write, numbers.data(), sizeof(double) * numbers.size());
  });
  close(answers.write);
  std::vector<double> numbers;
  try {
    std::uint64_t count = 0;
    receive(answers.read, &count, sizeof count);
    numbers.resize(count);
    receive(answers.read, numbers.data(), sizeof(double) * numbers.size());
  } catch (...) {
    close(answers.read);
    (void)waitpid(id, nullptr, 0);
    throw;
  }
  close(answers.read);
  (void)waitpid(id, nullptr, 0);
  return numbers;
}

}  // namespace bench

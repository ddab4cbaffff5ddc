// SPDX-License-Identifier: Zlib
//
// Loops and calls spread over all cores. A call that no other thread helps with costs next to
// nothing: a fork is a push on the caller's own queue and a pop, without a job.
//
//   parallel_for(jobs, 0, n, [&](std::size_t i) { ... });
//   const auto sum = parallel_reduce(jobs, 0, n, 0.0, [&](std::size_t i) { return f(i); },
//                                    [](double a, double b) { return a + b; });
//   parallel_invoke(jobs, [&] { left(); }, [&] { right(); });     // for recursion
//
// All of them return when everything is done. Bodies may run on any thread, the caller's included.
// A thread that waits for a stolen half helps only with what that half forks. All bodies may run
// one after the other on one thread, so they must not wait for each other. Any thread may call
// them, inside jobs too. An exception that leaves a body ends there and is reported (job.hpp), so a
// body that can fail stores its error itself.
//
// The grain is the number of calls run in one go. With 0 the range is halved until there are about
// eight pieces for each thread.
//
// Cost: a fork that is not stolen takes one read-modify-write, about ten nanoseconds. A host thread
// borrows a guest slot of a thread_pool for the outermost call; if none is free, that call runs on
// the calling thread alone.
//
// Sources: forks on the stack that the owner takes back are Cilk's and rayon's (child stealing).
// Helping only with the thief's descendants is leapfrogging (Wagner and Calder, 1993).
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "overture/jobs/job_system.hpp"

namespace overture {

namespace detail {

// Calls a body. Reports an exception to the system whose job this thread runs, or to this one.
template <bool Exceptions, class F>
void call_body(job_system& system, F& body) noexcept {
  call_guard<Exceptions>::call(body, [&system](const char* what) noexcept {
    if (!job_threw(what)) system.body_threw(what);
  });
}

}  // namespace detail

// Calls both, the second possibly on another thread at the same time.
template <class First, class Second, bool Exceptions = detail::exceptions>
void parallel_invoke(job_system& system, First&& first, Second&& second) {
  struct half final : fork_half {
    std::remove_reference_t<Second>* body = nullptr;
    job_system* system = nullptr;
  } forked;
  forked.body = &second;
  forked.system = &system;
  forked.run = [](fork_half& self) noexcept {
    auto& mine = static_cast<half&>(self);
    detail::call_body<Exceptions>(*mine.system, *mine.body);
  };
  system.fork(forked);
  detail::call_body<Exceptions>(system, first);
  system.join(forked);
}

template <class First, class Second, class... More, bool Exceptions = detail::exceptions>
  requires(sizeof...(More) > 0)
void parallel_invoke(job_system& system, First&& first, Second&& second, More&&... more) {
  auto rest = [&] { parallel_invoke(system, second, more...); };
  parallel_invoke(system, first, rest);
}

namespace detail {

[[nodiscard]] inline std::size_t grain_of(const job_system& system, std::size_t count,
                                          std::size_t grain) noexcept {
  return grain != 0 ? grain : count / (std::size_t{system.concurrency()} * 8) + 1;
}

template <bool Exceptions, class Body>
void halve(job_system& system, std::size_t first, std::size_t count, std::size_t grain,
           Body& body) {
  if (count <= grain) {
    auto piece = [&] {
      for (std::size_t i = 0; i < count; ++i) body(first + i);
    };
    return call_body<Exceptions>(system, piece);
  }
  const std::size_t half = count / 2;
  parallel_invoke(
      system, [&] { halve<Exceptions>(system, first, half, grain, body); },
      [&] { halve<Exceptions>(system, first + half, count - half, grain, body); });
}

template <bool Exceptions, class T, class Map, class Combine>
T halve_and_combine(job_system& system, std::size_t first, std::size_t count, std::size_t grain,
                    const T& identity, Map& map, Combine& combine) {
  T sum = identity;
  if (count <= grain) {
    auto piece = [&] {
      T of_piece = identity;
      for (std::size_t i = 0; i < count; ++i) {
        of_piece = combine(std::move(of_piece), map(first + i));
      }
      sum = std::move(of_piece);
    };
    call_body<Exceptions>(system, piece);
    return sum;
  }
  const std::size_t half = count / 2;
  T left = identity;
  T right = identity;
  parallel_invoke(
      system,
      [&] {
        left = halve_and_combine<Exceptions>(system, first, half, grain, identity, map, combine);
      },
      [&] {
        right = halve_and_combine<Exceptions>(system, first + half, count - half, grain, identity,
                                              map, combine);
      });
  auto both = [&] { sum = combine(std::move(left), std::move(right)); };
  call_body<Exceptions>(system, both);
  return sum;
}

}  // namespace detail

// Calls body(i) for each i in [first, last). An exception ends the piece in which it happens.
template <class Body, bool Exceptions = detail::exceptions>
void parallel_for(job_system& system, std::size_t first, std::size_t last, Body&& body,
                  std::size_t grain = 0) {
  if (first >= last) return;
  const std::size_t count = last - first;
  detail::halve<Exceptions>(system, first, count, detail::grain_of(system, count, grain), body);
}

// Combines map(i) for each i in [first, last), starting each piece with `identity`. Keeps the order
// of operands, and with a fixed grain the result is the same for any number of threads, floating
// point included. A piece that throws counts as `identity`; if combine() throws, both its pieces
// do.
template <class T, class Map, class Combine, bool Exceptions = detail::exceptions>
[[nodiscard]] T parallel_reduce(job_system& system, std::size_t first, std::size_t last, T identity,
                                Map&& map, Combine&& combine, std::size_t grain = 0) {
  if (first >= last) return identity;
  const std::size_t count = last - first;
  return detail::halve_and_combine<Exceptions>(
      system, first, count, detail::grain_of(system, count, grain), identity, map, combine);
}

}  // namespace overture

// Loops and calls spread over all cores, with as little as nothing for a call that nobody helps
// with: a fork is a push on the caller's own queue and a pop, no job is made of it.
//
//   parallel_for(jobs, 0, n, [&](std::size_t i) { ... });
//   const auto sum = parallel_reduce(jobs, 0, n, 0.0, [&](std::size_t i) { return f(i); },
//                                    [](double a, double b) { return a + b; });
//   parallel_invoke(jobs, [&] { left(); }, [&] { right(); });     // for recursion
//
// All return when everything is done. Each call may run on any thread, the caller's included; a
// thread that waits for a half that another one took helps with what that half forks, and with
// nothing else. Any thread may call them, inside jobs too. An exception that leaves a body ends
// there and is reported (job.hpp), so bodies that fail keep their error themselves.
//
// The grain is how many calls are run in one go. Left alone (0), the range is halved until there
// are about eight pieces for each thread, and no further.
//
// Cost: a fork that is not stolen is one read-modify-write, about ten nanoseconds. A thread of the
// host borrows a place in a thread_pool for the outermost call; if none is free, that call runs on
// the calling thread alone.
//
// Sources of the methods: the fork on the stack that its owner takes back is Cilk's and rayon's
// (child stealing); helping only with the thief's descendants is leapfrogging (Wagner and Calder,
// 1993).
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "overture/jobs/job_system.hpp"

namespace overture {

namespace detail {

// Calls a body. An exception ends here and is reported to the system whose job this thread runs, or
// if it runs none to this one.
template <class F>
void call_body(job_system& system, F& body) {
  call_guarded(body, [&system](const char* what) noexcept {
    if (!job_threw(what)) system.body_threw(what);
  });
}

}  // namespace detail

// Calls both, the second perhaps on another thread at the same time.
template <class First, class Second>
void parallel_invoke(job_system& system, First&& first, Second&& second) {
  struct half final : fork_half {
    std::remove_reference_t<Second>* body = nullptr;
    job_system* system = nullptr;
  } forked;
  forked.body = &second;
  forked.system = &system;
  forked.run = [](fork_half& self) {
    auto& mine = static_cast<half&>(self);
    detail::call_body(*mine.system, *mine.body);
  };
  system.fork(forked);
  detail::call_body(system, first);
  system.join(forked);
}

template <class First, class Second, class... More>
void parallel_invoke(job_system& system, First&& first, Second&& second, More&&... more) {
  auto rest = [&] { parallel_invoke(system, second, more...); };
  parallel_invoke(system, first, rest);
}

namespace detail {

[[nodiscard]] inline std::size_t grain_of(const job_system& system, std::size_t count,
                                          std::size_t grain) noexcept {
  return grain != 0 ? grain : count / (std::size_t{system.concurrency()} * 8) + 1;
}

template <class Body>
void halve(job_system& system, std::size_t first, std::size_t count, std::size_t grain,
           Body& body) {
  if (count <= grain) {
    auto piece = [&] {
      for (std::size_t i = 0; i < count; ++i) body(first + i);
    };
    return call_body(system, piece);
  }
  const std::size_t half = count / 2;
  parallel_invoke(
      system, [&] { halve(system, first, half, grain, body); },
      [&] { halve(system, first + half, count - half, grain, body); });
}

template <class T, class Map, class Combine>
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
    call_body(system, piece);
    return sum;
  }
  const std::size_t half = count / 2;
  T left = identity;
  T right = identity;
  parallel_invoke(
      system, [&] { left = halve_and_combine(system, first, half, grain, identity, map, combine); },
      [&] {
        right =
            halve_and_combine(system, first + half, count - half, grain, identity, map, combine);
      });
  auto both = [&] { sum = combine(std::move(left), std::move(right)); };
  call_body(system, both);
  return sum;
}

}  // namespace detail

// Calls body(i) for each i in [first, last). An exception ends the piece it happened in.
template <class Body>
void parallel_for(job_system& system, std::size_t first, std::size_t last, Body&& body,
                  std::size_t grain = 0) {
  if (first >= last) return;
  const std::size_t count = last - first;
  detail::halve(system, first, count, detail::grain_of(system, count, grain), body);
}

// Combines map(i) for each i in [first, last), beginning with `identity` in each piece. The order
// of the operands is kept, and with a grain of one's own the result is the same for any number of
// threads, floating point included. A piece that throws counts as `identity`, and so do the pieces
// that a call of `combine` which throws was to combine.
template <class T, class Map, class Combine>
[[nodiscard]] T parallel_reduce(job_system& system, std::size_t first, std::size_t last, T identity,
                                Map&& map, Combine&& combine, std::size_t grain = 0) {
  if (first >= last) return identity;
  const std::size_t count = last - first;
  return detail::halve_and_combine(system, first, count, detail::grain_of(system, count, grain),
                                   identity, map, combine);
}

}  // namespace overture

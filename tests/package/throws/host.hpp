// SPDX-License-Identifier: Zlib
//
// What the sources of the host share.
#pragma once

#include <overture/overture.hpp>

#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace host {

using namespace overture;
using namespace overture::literals;

// These differ between the sources, so they are local to each.
#if defined(__cpp_exceptions)
constexpr bool throws = true;
[[noreturn, maybe_unused]] static void fail_now() {
  throw std::runtime_error("broken");
}
#else
constexpr bool throws = false;
[[maybe_unused]] static void fail_now() {}
#endif

// A place is `Class::member` or a function of the headers. Its test calls fail_now() in there.
struct place {
  const char* name;
  void (*test)();
};
extern const std::vector<place> places_of_jobs;
extern const std::vector<place> places_of_files;
extern const std::vector<place> places_of_assets;

void check(bool condition, const char* what, int line);
#define CHECK(condition) ::host::check((condition), #condition, __LINE__)

// Where the host threw, an error; without exceptions nothing went wrong.
template <class Result>
static void check_threw(const Result& outcome, int line) {
  if (throws) {
    check(!outcome && outcome.error().code == errc::threw, "errc::threw", line);
  } else {
    check(outcome.has_value(), "no error", line);
  }
}
#define CHECK_THREW(outcome) ::host::check_threw((outcome), __LINE__)

// What hooks have heard: what() of exceptions, all of which must be ours.
class listener {
 public:
  [[nodiscard]] job_hooks hooks() {
    return {.job_threw =
                [](void* self, const char*, const char* what) {
                  auto& heard = *static_cast<listener*>(self);
                  ++(what != nullptr && std::string(what) == "broken" ? heard.ours : heard.others);
                },
            .context = this};
  }
  // Once no job runs any more: all that threw were heard.
  void check_heard(int thrown) const {
    CHECK(ours == (throws ? thrown : 0));
    CHECK(others == 0);
  }
  std::atomic<int> ours{0};
  std::atomic<int> others{0};
};

// Callables of types that a source without exceptions uses too.
struct shared_call {
  void (*action)();
  void operator()() const { action(); }
  void operator()(std::size_t) const { action(); }
  int operator()(const result<int>&) const {
    action();
    return 1;
  }
  template <class... Values>
  void operator()(Values&...) const {
    action();
  }
};

// Every source has its own copy, as of the functions of the headers.
template <bool Exceptions = throws>
void use_everywhere(job_system& system, shared_call call) {
  job_group group{system};
  group.run(call);
  group.run(*job::allocated(default_allocator(), call));
  system.submit(call, &group);
  system.submit(std::function<void()>(call), &group);
  {
    job_batch batch(system, &group);
    batch.add(call);
  }
  group.wait();
  parallel_invoke(system, call, call);
  parallel_for(system, 0, 4, call, 1);
}
inline constexpr int thrown_everywhere = 5 + 2 + 4;

// In the source without exceptions.
void use_plainly(job_system& system);

}  // namespace host

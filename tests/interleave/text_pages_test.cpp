// SPDX-License-Identifier: Zlib
//
// The shipped src/text/pages.cpp, where the thread that completes a page moves it to its place,
// through all interleavings of two and three threads.
#include "overture/text/pages.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "overture/sync/countdown.hpp"
#include "overture/text/number.hpp"

namespace overture::text_pages_test {
namespace {

using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::run;

// A job system with a slot for each job; the explorer's other threads run them.
class job_slots final : public job_system {
 public:
  explicit job_slots(unsigned count) : count_(count), submitted_(count - 1), ended_(count - 1) {}

  void submit(job work, job_group* group, const job_options& /*options*/) noexcept override {
    if (group) group->begin_job();
    group_ = group;
    work_[jobs_++].emplace(std::move(work));
    submitted_.done();
  }
  void wait(job_group& group) noexcept override {
    ended_.wait(interleave::at_once);
    check(group.pending() == 0, "all jobs have ended");
  }
  bool wait_until(job_group& group, std::uint64_t) noexcept override {
    wait(group);
    return true;
  }
  unsigned concurrency() const noexcept override { return count_; }
  void set_idle_reason(const char*) noexcept override {}

  // One of the explorer's threads.
  void run_job(unsigned slot) {
    submitted_.wait(interleave::at_once);
    (*work_[slot])();
    (void)group_->end_job();
    ended_.done();
  }

 private:
  static constexpr unsigned most = 3;
  unsigned count_;
  countdown submitted_;
  countdown ended_;
  std::optional<job> work_[most];
  unsigned jobs_ = 0;
  job_group* group_ = nullptr;
};

// Pages of different lengths, one of them empty.
constexpr std::string_view texts[] = {"aaaa", "b", "", "ccc", "dd"};

// The explorer does not watch the buffer, so the test checks its content at the end, and that every
// thread ends.
void write_all(unsigned threads, std::size_t pages) {
  constexpr std::size_t object_bytes = 4;
  job_slots jobs(threads);
  text::page_table table;
  (void)table.prepare(pages, threads);
  std::string wanted;
  for (std::size_t i = 0; i < pages; ++i) {
    table.set_page(i, 1, object_bytes);
    wanted += texts[i % std::size(texts)];
  }
  std::string buffer(pages * (object_bytes + text::slack), '#');
  const auto write_page = [](std::size_t i, char* out, const char* /*place*/) {
    const std::string_view text = texts[i % std::size(texts)];
    std::memcpy(out, text.data(), text.size());
    std::memset(out + text.size(), '!', text::slack);  // as a writer may
    return out + text.size();
  };
  const auto write = [&] {
    const auto done =
        text::write_pages(&jobs, table, std::span(buffer), text::layout::dense, write_page);
    check(done.has_value() && done->bytes == wanted.size(), "all pages are written");
    check(std::string_view(buffer).substr(0, wanted.size()) == wanted, "each in its place");
  };
  if (threads == 2) {
    run({write, [&] { jobs.run_job(0); }});
  } else {
    run({write, [&] { jobs.run_job(0); }, [&] { jobs.run_job(1); }});
  }
}

TEST(pages_in_all_interleavings, of_two_lanes_reach_their_places) {
  expect_clean_and_complete(interleave::explore(
      {.preemptions = 3, .early_returns = 0, .deviations = 3}, [] { write_all(2, 3); }));
}

TEST(pages_in_all_interleavings, of_three_threads_reach_their_places) {
  expect_clean_and_complete(interleave::explore(
      {.preemptions = 2, .early_returns = 0, .deviations = 3}, [] { write_all(3, 3); }));
}

TEST(pages_in_many_interleavings, of_three_threads_and_five_pages_reach_their_places) {
  interleave::expect_clean(
      interleave::explore({.random = 5'000, .seed = 1}, [] { write_all(3, 5); }));
}

// So many that a thread takes two at once.
TEST(pages_in_many_interleavings, of_two_threads_and_many_pages_reach_their_places) {
  interleave::expect_clean(
      interleave::explore({.random = 500, .seed = 2}, [] { write_all(2, 64); }));
}

}  // namespace
}  // namespace overture::text_pages_test

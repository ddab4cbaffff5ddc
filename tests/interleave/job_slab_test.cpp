// SPDX-License-Identifier: Zlib
//
// The spare records beyond a pool's limit, which any thread may be the first to ask for.
#include "jobs/queues/job_slab.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::jobs_detail::job_slab_test {
namespace {

using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::run;
using interleave::variable;

struct shared_slab {
  job_record* take() {
    job_record* const record = slab.take_spare();
    check(record == nullptr || job_slab::is_spare(*record), "is beyond the limit");
    if (record == nullptr) return record;
    variable<job_record*>& last = lasts[record->index % job_slab::word_records];
    check(last.read() == nullptr || last.read() == record, "is the same for all");
    last.write(record);
    return record;
  }

  job_slab slab{default_allocator(), 0};
  // Accessed by each thread that has the record, with no other order than the slab's.
  struct seen : variable<job_record*> {
    seen() : variable(nullptr) {}
  };
  std::array<seen, job_slab::word_records> lasts;
};

TEST(spare_records_in_all_interleavings, are_each_one_threads_until_it_gives_them_back) {
  const auto take_and_give = [](shared_slab& shared) {
    for (int i = 0; i < 2; ++i) {
      job_record* const record = shared.take();
      if (record != nullptr) shared.slab.give_back(*record);
    }
  };
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [&] {
    const auto shared = std::make_unique<shared_slab>();
    const auto work = [&] { take_and_give(*shared); };
    run({work, work, work});
    for (std::uint32_t i = 0; i < job_slab::word_records; ++i) {
      check(shared->take() != nullptr, "is free again");
    }
    check(shared->take() == nullptr, "there are no more");
  }));
}

// Words of records: a thread that takes the top one may find that it was taken and has come back
// meanwhile, above another one.
TEST(free_records_in_all_interleavings, are_each_one_threads_until_it_gives_them_back) {
  interleave::expect_clean_nearby([] {
    constexpr std::uint32_t words = 2;
    const auto slab =
        std::make_unique<job_slab>(default_allocator(), words * job_slab::word_records);
    std::array<variable<int>, words> owned{variable<int>(0), variable<int>(0)};
    check(slab->grow() && slab->grow(), "all its memory");
    const auto number = [](const free_word& word) {
      return word.first->index / job_slab::word_records;
    };
    const auto take = [&] {
      const free_word word = slab->take();
      if (word.bits != 0) {
        variable<int>& own = owned[number(word)];
        check(own.read() == 0, "no other thread has it");
        own.write(1);
      }
      return word;
    };
    const auto give = [&](const free_word& word) {
      if (word.bits == 0) return;
      owned[number(word)].write(0);
      slab->give_back(word);
    };
    run({[&] { give(take()); },
         [&] {
           const free_word first = take();
           const free_word second = take();
           give(first);
           const free_word third = take();
           give(second);
           give(third);
         }});
    std::uint32_t left = 0;
    for (std::uint32_t i = 0; i < words; ++i) left += take().bits != 0 ? 1 : 0;
    check(left == words, "all are free again");
  });
}

// Its records come back one by one.
TEST(free_records_in_all_interleavings, are_found_though_one_word_came_back_in_parts) {
  expect_clean_and_complete(interleave::explore({}, [] {
    constexpr std::uint32_t words = 2;
    const auto slab =
        std::make_unique<job_slab>(default_allocator(), words * job_slab::word_records);
    const free_word whole = slab->take();
    const free_word parted = slab->take();
    check(whole.bits != 0 && parted.bits != 0, "there are two");
    slab->give_back(whole);
    const auto give_one = [&](unsigned number) {
      slab->give_back({parted.first, std::uint64_t{1} << number});
    };
    run({[&] { give_one(0); }, [&] { give_one(1); }});
    const free_word first = slab->take();
    const free_word second = slab->take();
    check(first.first == parted.first && first.bits == 3, "both of the last one");
    check(second.first == whole.first && second.bits != 0, "and the other below it");
  }));
}

}  // namespace
}  // namespace overture::jobs_detail::job_slab_test

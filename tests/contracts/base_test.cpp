// SPDX-License-Identifier: Zlib
//
// Contracts of base, sync and trace, and the handler.
#include <optional>
#include <string>
#include <thread>

#include "contracts/says.hpp"
#include "overture/base/blob.hpp"
#include "overture/base/contracts.hpp"
#include "overture/sync/countdown.hpp"
#include "overture/sync/future.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::base_test {
namespace {

using test::expect_says;

std::string heard;  // NOLINT: a handler has no context

void hear(const char* sentence) noexcept {
  heard = sentence;
}

TEST(contract_handler, is_told_the_sentence_and_the_call_goes_on) {
  EXPECT_NE(set_contract_handler(hear), nullptr);
  countdown left(0);
  left.add();
  EXPECT_EQ(heard,
            "countdown::add() was called at zero, when waiters may have gone on: call it before "
            "the last done(), or reset() first");
  EXPECT_EQ(left.left(), 1u);
  EXPECT_EQ(set_contract_handler(nullptr), &hear);
}

TEST(contract_handler, prints_and_aborts_by_default) {
  set_contract_handler(hear);
  set_contract_handler(nullptr);
  expect_says([&] { detail::contract_broken("a sentence"); }, "a sentence");
}

TEST(contract_handler, is_not_called_while_contracts_are_kept) {
  set_contract_handler(hear);
  heard.clear();
  countdown left(2);
  left.add();
  left.done(3);
  auto made = promise<int>::make();
  ASSERT_TRUE(made);
  shared_future<int> future = made->future();
  made->set_value(1);
  EXPECT_EQ(future.get().value(), 1);
  {
    buffer_pool pool;
    const result<blob> bytes = pool.take(100);
    EXPECT_TRUE(bytes);
  }
  EXPECT_EQ(heard, "");
}

TEST(countdown_contract, stays_above_zero) {
  countdown left(1);
  expect_says([&] { left.done(2); },
              "countdown::done() went below zero: call add() for what else is to be done, before "
              "the count is at zero");
}

TEST(promise_contract, is_kept_once) {
  auto made = promise<int>::make();
  ASSERT_TRUE(made);
  made->set_value(1);
  constexpr const char* twice =
      "a promise was kept twice, or after a move: set its value or error once";
  expect_says([&] { made->set_value(2); }, twice);
  expect_says([&] { made->set_error({errc::io, 0, "late"}); }, twice);
  expect_says([&] { (void)made->future(); },
              "promise::future() was called after the value was set, or after a move: get all "
              "futures before");
}

TEST(promise_contract, has_a_storage_of_its_own) {
  future_storage<int> place;
  promise<int> first(place);
  first.set_value(1);
  expect_says([&] { promise<int>(place).set_value(2); },
              "the value of a future_storage was set twice: make one promise for each");
}

TEST(future_contract, has_a_value_to_ask_for) {
  constexpr const char* empty =
      "a shared_future without a value was used: it was default-constructed, moved from or taken "
      "from, so ask valid() first";
  shared_future<int> future;
  continuation later;
  expect_says([&] { (void)future.is_ready(); }, empty);
  expect_says([&] { (void)future.get(); }, empty);
  expect_says([&] { future.wait(); }, empty);
  expect_says([&] { (void)future.wait_for(std::chrono::nanoseconds(1)); }, empty);
  expect_says([&] { (void)future.take(); }, empty);
  expect_says([&] { future.on_ready(later); }, empty);
}

TEST(future_contract, runs_work_on_an_executor) {
  auto made = promise<int>::make();
  ASSERT_TRUE(made);
  continuation later;
  expect_says([&] { made->future().on_ready(later); },
              "a continuation without an executor or a function was given to on_ready(): set "
              "`where` and `work`");
  barricade door;
  barricade_continuation when_open;
  expect_says([&] { (void)door.on_lowered(when_open); },
              "a task without an executor or a function was given to on_lowered(): set `where` and "
              "`work`");
}

TEST(memory_ledger_contract, gets_back_what_it_gave) {
  memory_ledger ledger(1000);
  ASSERT_TRUE(ledger.take_if_free(10, memory_tag::host));
  expect_says([&] { ledger.give_back(11, memory_tag::host); },
              "memory_ledger::give_back() gave back more than was taken with this tag: give back "
              "what take() or add() took, once");
  expect_says([&] { ledger.move(1, memory_tag::load, memory_tag::host); },
              "memory_ledger::move() moved more than was taken with this tag: name the tag that "
              "the room was taken with");
}

TEST(buffer_pool_contract, outlives_its_blobs) {
  expect_says(
      [&] {
        std::optional<buffer_pool> pool(std::in_place);
        result<blob> bytes = pool->take(100);
        pool.reset();
      },
      "a buffer_pool was destroyed while a blob holds one of its buffers: destroy or reset the "
      "blobs first");
}

TEST(timeline_contract, outlives_its_threads) {
  expect_says(
      [&] {
        std::optional<timeline> record(std::in_place);
        std::thread([&] { (void)record->attach_thread("left"); }).join();
        record.reset();
      },
      "a timeline was destroyed while another thread is attached to it: detach the thread, or "
      "destroy the pool or queue that records into it, first");
}

TEST(timeline_contract, has_the_tracks_that_it_counts) {
  timeline record;
  expect_says([&] { (void)record.track(0); },
              "timeline::track() was called with an index that is not below track_count()");
}

}  // namespace
}  // namespace overture::base_test

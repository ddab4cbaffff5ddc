// SPDX-License-Identifier: Zlib
//
// Contracts of load and of decoders.
#include <memory>
#include <thread>

#include "contracts/says.hpp"
#include "load/load_rig.hpp"
#include "overture/decoders/model.hpp"

namespace overture::load_test {
namespace {

using test::expect_says;

using namespace std::chrono_literals;
using test::counting_sink;
using test::fake_os;

class load_contract : public ::testing::Test {
 protected:
  void SetUp() override {
    test::add_files(os_, 3, 10);
    files_ = std::make_unique<file_system>(file_system_config{.os = &os_});
    ASSERT_TRUE(files_->mount("/game"));
    ASSERT_TRUE(files_->freeze());
    jobs_ = std::make_unique<thread_pool>();
    reads_ = std::make_unique<read_queue>(*files_, read_queue_config{.threads = 1});
  }

  fake_os os_;
  std::unique_ptr<file_system> files_;
  std::unique_ptr<thread_pool> jobs_;
  std::unique_ptr<read_queue> reads_;
};

TEST_F(load_contract, ends_before_what_it_uses) {
  expect_says(
      [&] {
        const load_scope load(*files_, *reads_, *jobs_);
        reads_.reset();
      },
      "a read_queue was destroyed while a load_scope reads through it: destroy the load_scope "
      "first");
  expect_says(
      [&] {
        const load_scope load(*files_, *reads_, *jobs_);
        jobs_.reset();
      },
      "a job system was destroyed while a load_scope runs on it: destroy the load_scope first");
  expect_says(
      [&] {
        const load_scope load(*files_, *reads_, *jobs_);
        files_.reset();
      },
      "a file_system was destroyed while a load_scope loads from it: destroy the load_scope first");
}

TEST_F(load_contract, keeps_the_tree_frozen) {
  const load_scope load(*files_, *reads_, *jobs_);
  expect_says([&] { files_->thaw(); },
              "a file_system was thawed while a load_scope loads from it: destroy the load_scope "
              "first");
}

TEST_F(load_contract, is_asked_for_results_once_done) {
  load_scope load(*files_, *reads_, *jobs_);
  ASSERT_TRUE(load.start());
  expect_says([&] { (void)load.summary(); },
              "load_scope::summary() was called before the load was done: wait_for() it first");
  expect_says([&] { (void)load.for_each_file([](const loaded_file&) {}); },
              "load_scope::for_each_file() was called before the load was done: wait_for() it "
              "first");
  test::finish(load);
  EXPECT_EQ(load.summary().files, 3u);
}

TEST_F(load_contract, has_a_priority) {
  load_scope load(*files_, *reads_, *jobs_);
  expect_says([&] { load.set_priority(load_priority::none); },
              "load_scope::set_priority() was called with none, which is for files only: cancel() "
              "the load, or give it another priority");
}

TEST_F(load_contract, has_no_null_decoders) {
  const decoder* const none[] = {nullptr};
  load_scope load(*files_, *reads_, *jobs_, {.decoders = none});
  expect_says([&] { (void)load.start(); },
              "load_options::decoders contains a null pointer: leave it out of the list");
}

TEST_F(load_contract, finalizes_on_one_thread) {
  counting_sink sink;
  sink.one_thread_ = true;
  load_scope load(*files_, *reads_, *jobs_, {.sink = &sink});
  ASSERT_TRUE(load.start());
  expect_says(
      [&] {
        load.pump(0ns);
        std::thread([&] { load.pump(0ns); }).join();
      },
      "wait_for() or pump() of a load whose sink has one_thread() was called on a second thread: "
      "call both on one thread only");
  test::finish(load);
}

TEST(model_view_contract, is_of_a_model) {
  const decoded_asset nothing;
  expect_says([&] { (void)model_view(nothing); },
              "a model_view was made of an asset that is no model: look at kind() first");
}

}  // namespace
}  // namespace overture::load_test

// SPDX-License-Identifier: Zlib
//
// The steps of one operation: opened, read, completed.
#include "io/queue/operation_runner.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "io/files/block_work_here.hpp"
#include "io/unpack/part_samples.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"
#include "support/manual_executor.hpp"

namespace overture::io_detail::operation_runner_test {
namespace {

using opening = operation_runner::opening;
using test::wanting;
using test::wanting_packed;

class operation_runner_test : public testing::Test, public unpack_owner {
 protected:
  operation_runner_test() { op_.begin(); }
  ~operation_runner_test() override { unpacks_->retire(); }
  result<void> take_destination(read_request& request) noexcept override {
    return runner_.completion().take_destination(request);
  }
  std::size_t unpacked(packed_item& item) noexcept override {
    failed_ = item.failed_part != UINT32_MAX;
    item.destroy();
    return 1;
  }
  static read_queue_config config() {
    read_queue_config made;
    made.run_by_host = true;
    return made;
  }

  test::noted_files files_;
  buffer_pool pool_;
  unpack_queue* unpacks_ = unpack_queue::make(default_allocator());
  operation_runner runner_{config(), files_, pool_, unpacks_, *this};
  read_operation op_;
  read_request first_ = wanting(10);
  read_request second_ = wanting(20);
  bool failed_ = false;
};

TEST_F(operation_runner_test, members_get_the_bytes_of_their_offsets) {
  op_.add(first_);
  op_.add(second_);
  runner_.perform(op_);
  EXPECT_EQ(op_.tally.completed, 2u);
  ASSERT_TRUE(first_.outcome);
  ASSERT_TRUE(second_.outcome);
  EXPECT_EQ(first_.content[0], std::byte{10});
  EXPECT_EQ(second_.content[9], std::byte{29});
  EXPECT_EQ(files_.pins, files_.unpins);
}

TEST_F(operation_runner_test, one_member_that_fails_does_not_spoil_the_others) {
  files_.size = 25;
  op_.add(first_);
  op_.add(second_);
  runner_.perform(op_);
  EXPECT_TRUE(first_.outcome);
  ASSERT_FALSE(second_.outcome);
  EXPECT_EQ(second_.outcome.error().code, errc::truncated);
  EXPECT_EQ(second_.outcome.error().source, second_.source);
  EXPECT_EQ(op_.tally.failed, 1u);
}

TEST_F(operation_runner_test, an_operation_ends_with_its_last_bytes) {
  op_.add(first_);
  ASSERT_EQ(runner_.open(op_, true), opening::open);
  EXPECT_FALSE(runner_.advance(op_, -EINTR));
  EXPECT_FALSE(runner_.advance(op_, 4));
  EXPECT_TRUE(runner_.advance(op_, 6));
  EXPECT_TRUE(first_.outcome);
}

TEST_F(operation_runner_test, an_error_or_the_end_of_the_file_ends_it) {
  op_.add(first_);
  ASSERT_EQ(runner_.open(op_, true), opening::open);
  EXPECT_TRUE(runner_.advance(op_, -EIO));
  EXPECT_EQ(first_.outcome.error().os_error, EIO);
  op_.begin();
  op_.add(second_);
  ASSERT_EQ(runner_.open(op_, true), opening::open);
  EXPECT_FALSE(runner_.advance(op_, 4));
  EXPECT_TRUE(runner_.advance(op_, 0));
  EXPECT_EQ(second_.outcome.error().code, errc::truncated);
  EXPECT_EQ(second_.outcome.error().offset, 24u);
}

TEST_F(operation_runner_test, an_operation_waits_for_a_file_only_where_it_may) {
  op_.add(first_);
  EXPECT_EQ(runner_.open(op_, false), opening::busy);
  EXPECT_EQ(op_.tally.completed, 0u);
  EXPECT_EQ(runner_.open(op_, true), opening::open);
}

// A file in a solid block, which the read unpacks.
class block_files final : public test::noted_files {
 public:
  static constexpr block_work done{
      .used = true, .packed_bytes = 5, .packed_ns = 1000, .unpack_ns = 4000, .wait_ns = 100};
  result<std::size_t> read_at(os_handle file, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    const std::uint64_t begin_ns = now_ns();
    while (now_ns() - begin_ns < done.packed_ns + done.unpack_ns + done.wait_ns) {
    }
    if (block_work* const told = block_work_here()) *told = done;
    return noted_files::read_at(file, offset, bytes);
  }
};

TEST_F(operation_runner_test, the_first_of_a_read_has_unpacked_its_block_and_the_others_waited) {
  block_files files;
  operation_runner runner{config(), files, pool_, unpacks_, *this};
  op_.add(first_);
  op_.add(second_);
  runner.perform(op_);
  ASSERT_TRUE(first_.outcome);
  EXPECT_TRUE(first_.block.used);
  EXPECT_EQ(first_.block.packed_bytes, 5u);
  EXPECT_EQ(first_.block.unpack_ns, 4000u);
  EXPECT_EQ(first_.block.wait_ns, 100u);
  EXPECT_TRUE(second_.block.used);
  EXPECT_EQ(second_.block.packed_bytes, 0u);
  EXPECT_EQ(second_.block.unpack_ns, 0u);
  EXPECT_EQ(second_.block.wait_ns, 5100u);
  EXPECT_EQ(block_work_here(), nullptr) << "only while it reads";
  op_.begin();
  op_.add(first_);
  runner_.perform(op_);
  EXPECT_FALSE(first_.block.used) << "this one was of another file";
}

TEST_F(operation_runner_test, the_timeline_keeps_unpacking_a_block_apart_from_reading) {
  block_files files;
  operation_runner runner{config(), files, pool_, unpacks_, *this};
  timeline record;
  ASSERT_TRUE(record.attach_thread("io 1"));
  op_.add(first_);
  runner.perform(op_);
  record.detach_thread();
  std::uint64_t zone_ns = 0;
  const trace_event* unpack = nullptr;
  const trace_event* read = nullptr;
  std::vector<const trace_event*> parts;
  (void)record.track(0).for_each_event([&](const trace_event& event) {
    if (event.kind == event_kind::part) parts.push_back(&event);
    if (event.kind != event_kind::zone) return;
    zone_ns += event.end_ns - event.begin_ns;
    (std::string_view(event.name) == "unpack" ? unpack : read) = &event;
  });
  ASSERT_TRUE(unpack && read);
  EXPECT_EQ(unpack->end_ns - unpack->begin_ns, block_files::done.unpack_ns);
  EXPECT_EQ(unpack->flags, request_flags::block);
  EXPECT_EQ(read->end_ns, unpack->begin_ns);
  EXPECT_EQ(read->value, 5u) << "what was read of the archive";
  EXPECT_GE(zone_ns, block_files::done.packed_ns + block_files::done.unpack_ns);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_STREQ(parts[0]->name, "unpack");
  EXPECT_EQ(parts[0]->value, 5u);
  EXPECT_EQ(parts[0]->end_ns - parts[0]->begin_ns, block_files::done.unpack_ns);
  EXPECT_STREQ(parts[1]->name, wait_reasons::solid_block);
  EXPECT_EQ(parts[1]->end_ns - parts[1]->begin_ns, block_files::done.wait_ns);
}

TEST_F(operation_runner_test, bytes_that_no_file_has_are_refused) {
  read_request far = wanting(UINT64_MAX - 5, 100);
  op_.add(far);
  EXPECT_EQ(runner_.open(op_, true), opening::ended);
  EXPECT_EQ(far.outcome.error().code, errc::truncated);
  EXPECT_EQ(files_.pins, 0);
}

TEST_F(operation_runner_test, packed_bytes_go_on_to_be_unpacked) {
  read_request packed = wanting_packed(0, 8);
  op_.add(packed);
  runner_.perform(op_);
  EXPECT_EQ(op_.tally.completed, 0u);
  EXPECT_EQ(op_.tally.put_to_unpack, 1u);
  EXPECT_EQ(runner_.unpack_here(), 1u);
  EXPECT_TRUE(failed_) << "those are no packed bytes";
}

TEST_F(operation_runner_test, a_packed_request_needs_an_executor) {
  const read_request packed = wanting_packed(0, 8);
  EXPECT_TRUE(runner_.check_unpacking(packed)) << "the polling thread unpacks";
  const read_queue_config threads;
  const operation_runner other(threads, files_, pool_, unpacks_, *this);
  EXPECT_EQ(other.check_unpacking(packed).error().code, errc::invalid);
  EXPECT_TRUE(other.check_unpacking(first_));
  test::manual_executor on;
  read_request with = wanting_packed(0, 8);
  with.on = &on;
  EXPECT_TRUE(other.check_unpacking(with));
  const operation_runner without(config(), files_, pool_, nullptr, *this);
  EXPECT_EQ(without.check_unpacking(packed).error().code, errc::out_of_memory);
}

}  // namespace
}  // namespace overture::io_detail::operation_runner_test

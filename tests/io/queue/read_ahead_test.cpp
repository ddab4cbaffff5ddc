// SPDX-License-Identifier: Zlib
//
// Files that a thread of the queue opens before their turn, so that the disk works on several.
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "io/back_ends/reads_blocking.hpp"
#include "io/queue/read_core.hpp"
#include "overture/io/handle_cache.hpp"
#include "support/refusing_os.hpp"

namespace overture::read_ahead_test {
namespace {

// Files whose paths are numbers. Reads wait until the test lets them through.
class noting_disk final : public test::refusing_os {
 public:
  struct event {
    char what;  // o(pen), f(etch), r(ead), c(lose)
    int file;
  };
  static constexpr int missing = 99;

  result<os_handle> open(const char* path) noexcept override {
    const std::lock_guard hold(lock_);
    const int file = std::atoi(path);
    if (file == missing) return fail(errc::not_found, "no such file");
    note('o', file);
    ++open_;
    return os_handle{file + 1};
  }
  void close(os_handle handle) noexcept override {
    const std::lock_guard hold(lock_);
    note('c', file_of(handle));
    --open_;
  }
  void fetch_ahead(os_handle handle, std::uint64_t offset, std::uint64_t bytes) noexcept override {
    const std::lock_guard hold(lock_);
    note('f', file_of(handle));
    EXPECT_EQ(offset, static_cast<std::uint64_t>(file_of(handle)));
    EXPECT_EQ(bytes, 1u);
  }
  result<std::size_t> read_at(os_handle handle, std::uint64_t,
                              std::span<std::byte> bytes) noexcept override {
    std::unique_lock hold(lock_);
    note('r', file_of(handle));
    changed_.wait(hold, [&] { return allowed_ > 0; });
    --allowed_;
    return bytes.size();
  }

  void allow(std::size_t reads) {
    const std::lock_guard hold(lock_);
    allowed_ += reads;
    changed_.notify_all();
  }
  // All that has happened, once so many reads have begun.
  std::vector<event> events(std::size_t reads) {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [&] { return reads_ >= reads; });
    return events_;
  }
  std::vector<int> files(char what, std::size_t reads) {
    std::vector<int> found;
    for (const event& each : events(reads)) {
      if (each.what == what) found.push_back(each.file);
    }
    return found;
  }
  int open_files() {
    const std::lock_guard hold(lock_);
    return open_;
  }

 private:
  static int file_of(os_handle handle) { return static_cast<int>(handle.value) - 1; }
  void note(char what, int file) {
    events_.push_back({what, file});
    reads_ += what == 'r' ? 1 : 0;
    changed_.notify_all();
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<event> events_;
  std::size_t reads_ = 0;
  std::size_t allowed_ = 0;
  int open_ = 0;
};

// Nine files; what a thread takes is the same on any machine: all are submitted before it looks.
class read_ahead : public testing::Test {
 protected:
  static constexpr std::size_t many = 1'000;
  static constexpr io_detail::bundle_rules slow{
      .reads_max = 8, .share = 1, .span_ns_max = 0, .files_ahead = 8, .memory_ns = 0};

  read_ahead() {
    requests_.reserve(32);
    files_.emplace(handle_cache_config{.open_max = 512, .os = &disk_});
  }
  ~read_ahead() override {
    finish();
    files_.reset();
    EXPECT_EQ(disk_.open_files(), 0);
  }
  read_request& add(int file) {
    read_request& request = requests_.emplace_back();
    request.source = *files_->add(std::to_string(file));
    request.offset = static_cast<std::uint64_t>(file);
    request.destination = {&byte_, 1};
    return request;
  }
  void add_nine() {
    for (int file = 0; file < 9; ++file) (void)add(file);
  }
  // Returns when the first read has begun.
  void begin(const io_detail::bundle_rules& rules = slow) {
    read_queue_config config;
    config.memory = &default_allocator();
    config.threads = 1;
    config.merge_bytes_max = 0;
    core_.emplace(*files_, config, rules);
    core_->submit(requests_);
    reader_ = std::thread([this] { io_detail::serve_blocking(*core_); });
    (void)disk_.events(1);
  }
  void finish_reads() {
    disk_.allow(many);
    core_->wait_until_idle();
  }
  void finish() {
    if (!core_) return;
    finish_reads();
    core_->stop();
    reader_.join();
    core_.reset();
  }

  noting_disk disk_;
  std::optional<handle_cache> files_;
  std::byte byte_{};
  std::vector<read_request> requests_;
  std::optional<io_detail::read_core> core_;
  std::thread reader_;
};

using files = std::vector<int>;

TEST_F(read_ahead, opens_and_fetches_the_files_of_a_bundle_before_it_reads_the_first) {
  add_nine();
  begin();
  EXPECT_EQ(disk_.files('o', 1), (files{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(disk_.files('f', 1), (files{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(disk_.files('r', 1), (files{0}));
  finish();
  EXPECT_EQ(disk_.files('r', 9), (files{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(disk_.files('o', 9).size(), 9u);  // each once
  EXPECT_EQ(disk_.open_files(), 0);
  EXPECT_EQ(files_->stats().opens, 9u);
}

TEST_F(read_ahead, has_no_more_files_open_than_its_share) {
  add_nine();
  io_detail::bundle_rules rules = slow;
  rules.files_ahead = 3;
  begin(rules);
  EXPECT_EQ(disk_.files('o', 1), (files{0, 1, 2}));
  EXPECT_EQ(core_->stats().reads, 3u);
  finish();
  EXPECT_EQ(disk_.files('f', 9), (files{0, 1, 2, 3, 4, 5, 6, 7}));  // the last one is alone
}

TEST_F(read_ahead, has_no_more_files_open_than_the_cache_gave) {
  for (int file = 0; file < 32; ++file) (void)add(file);
  begin();
  EXPECT_EQ(disk_.files('o', 1).size(), 8u);
  std::thread second([this] { io_detail::serve_blocking(*core_); });
  EXPECT_EQ(disk_.files('o', 2).size(), 9u);
  finish_reads();
  core_->stop();
  second.join();
}

TEST_F(read_ahead, is_not_for_reads_from_memory) {
  add_nine();
  io_detail::bundle_rules rules = slow;
  rules.span_ns_max = 1u << 30;
  rules.untried_ns = 1;
  rules.memory_ns = UINT64_MAX;
  begin(rules);
  EXPECT_EQ(core_->stats().reads, 8u);
  EXPECT_EQ(disk_.files('o', 1), (files{0}));
  finish();
  EXPECT_EQ(disk_.files('f', 9), (files{}));
}

TEST_F(read_ahead, is_not_for_two_reads_of_one_file) {
  (void)add(1);
  for (std::uint64_t i = 0; i < 4; ++i) {
    read_request& same = requests_.emplace_back();
    same.source = requests_[0].source;
    same.offset = 1 + i;
    same.destination = {&byte_, 1};
  }
  begin();
  EXPECT_EQ(core_->stats().reads, 1u);
}

TEST_F(read_ahead, closes_the_files_of_reads_that_were_recalled) {
  add_nine();
  begin();
  read_request& urgent = add(20);
  urgent.priority = read_priority::maximum;
  core_->submit({&urgent, 1});
  disk_.allow(1);
  EXPECT_EQ(disk_.files('r', 2), (files{0, 20}));
  EXPECT_EQ(disk_.files('c', 2), (files{0, 1, 2, 3, 4, 5, 6, 7}));
  finish();
  EXPECT_EQ(disk_.files('r', 10), (files{0, 20, 1, 2, 3, 4, 5, 6, 7, 8}));
  for (const read_request& each : requests_) EXPECT_TRUE(each.outcome);
}

// A thread that is refused a descriptor waits for such files, or fails if there are none.
TEST_F(read_ahead, reports_files_of_reads_that_were_recalled) {
  add_nine();
  ASSERT_TRUE(files_->pin(requests_[0].source));  // so the queue does not open the first one itself
  files_->unpin(requests_[0].source);
  begin();
  EXPECT_TRUE(core_->has_own_files());
  EXPECT_EQ(core_->cancel_tag(0, 0), 8u);
  EXPECT_TRUE(core_->has_own_files());
  finish_reads();
  EXPECT_FALSE(core_->has_own_files());
}

TEST_F(read_ahead, leaves_an_error_to_the_read_itself) {
  (void)add(0);
  (void)add(noting_disk::missing);
  for (int file = 2; file < 9; ++file) (void)add(file);
  begin();
  finish();
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    EXPECT_EQ(requests_[i].outcome.has_value(), i != 1) << i;
  }
  EXPECT_EQ(requests_[1].outcome.error().code, errc::not_found);
}

TEST_F(read_ahead, is_not_for_what_keeps_a_disk_busy_by_itself) {
  add_nine();
  std::vector<std::byte> room((1u << 18) + 1);
  requests_[2].destination = room;
  begin();
  EXPECT_EQ(disk_.files('o', 1), (files{0, 1, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace overture::read_ahead_test

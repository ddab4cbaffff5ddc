// SPDX-License-Identifier: Zlib
//
// Requests for packed bytes: which threads unpack them, what is bounded, and where the bytes go.
#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <thread>
#include <vector>

#include "io/unpack/packed_samples.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/sync/countdown.hpp"
#include "support/failing_allocator.hpp"
#include "support/manual_executor.hpp"
#include "support/memory_file_os.hpp"

namespace overture::unpack_queue_test {
namespace {

// One file in memory, which may be shown without a read.
class one_file final : public source_files {
 public:
  source_id add(compression method, std::string_view data) {
    content_ += packed(method, data);
    return id;
  }
  std::size_t append(std::string_view stored) {
    const std::size_t begin = content_.size();
    content_ += stored;
    os.change(content_);
    return begin;
  }
  result<open_source> source(source_id) noexcept override { return open_source{&os, {1}}; }
  std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }
  result<std::span<const std::byte>> view(source_id, std::uint64_t offset,
                                          std::size_t bytes) noexcept override {
    if (!shows) return fail(errc::unsupported, "");
    return std::as_bytes(std::span(content_)).subspan(offset, bytes);
  }
  [[nodiscard]] const std::byte* at(std::size_t offset) const {
    return std::as_bytes(std::span(content_)).data() + offset;
  }

  static constexpr source_id id{0, 1};
  memory_file_os os{""};
  bool shows = false;

 private:
  std::string content_;
};

struct wish {
  std::string data;
  std::string room;
  read_request request;
  int completions = 0;

  wish(one_file& file, compression method, std::string content)
      : wish(file, method, content, packed(method, content)) {}
  wish(one_file& file, compression method, std::string content, const std::string& stored)
      : data(std::move(content)), room(data.size(), '?') {
    request.source = one_file::id;
    request.offset = file.append(stored);
    request.destination = std::as_writable_bytes(std::span(room));
    request.method = method;
    request.packed_bytes = stored.size();
    request.done = {[](void* self) { ++static_cast<wish*>(self)->completions; }, this};
  }
  wish(const wish&) = delete;
  wish& operator=(const wish&) = delete;

  void into(read_into where) {
    request.into = where;
    request.bytes = data.size();
    request.destination = {};
  }
  [[nodiscard]] bool is_right() const {
    const std::span<const std::byte> got = request.content;
    return request.outcome && std::ranges::equal(got, std::as_bytes(std::span(data)));
  }
};

class unpacking : public testing::Test {
 protected:
  wish& ask(compression method, std::size_t bytes) {
    return wishes.emplace_back(file, method, sample(bytes, static_cast<unsigned>(wishes.size())));
  }
  one_file file;
  std::deque<wish> wishes;
  test::manual_executor jobs;
};

TEST_F(unpacking, a_host_that_polls_unpacks_in_poll) {
  read_queue reads(file, {.run_by_host = true});
  for (const compression method : all_methods) reads.submit({&ask(method, 70'000).request, 1});
  for (std::size_t completed = 0; completed < wishes.size();) completed += reads.poll();
  for (const wish& each : wishes) {
    EXPECT_TRUE(each.is_right()) << to_string(each.request.method);
    EXPECT_EQ(each.completions, 1);
    EXPECT_GE(each.request.finished_ns, each.request.read_ns);
  }
  EXPECT_EQ(reads.stats().unpacked, 4u);
  EXPECT_EQ(reads.stats().packed_bytes, 0u);
}

TEST_F(unpacking, nothing_is_unpacked_before_the_executor_runs_it) {
  read_queue reads(file, {.run_by_host = true, .unpack_executor = &jobs});
  wish& one = ask(compression::zstd, 1'000);
  reads.submit({&one.request, 1});
  EXPECT_EQ(reads.poll(), 0u);
  EXPECT_EQ(one.completions, 0);
  EXPECT_EQ(reads.stats().packed_bytes, one.request.packed_bytes);
  EXPECT_EQ(jobs.run(), 1u);
  EXPECT_TRUE(one.is_right());
  EXPECT_EQ(one.completions, 1);
}

TEST_F(unpacking, without_an_executor_of_the_queue_the_requests_own_is_asked) {
  read_queue reads(file, {.threads = 1});
  wish& one = ask(compression::lz4, 50'000);
  one.request.on = &jobs;
  wish& without_executor = ask(compression::lz4, 50'000);
  reads.submit({&one.request, 1});
  countdown ended(1);
  without_executor.request.counter = &ended;
  reads.submit({&without_executor.request, 1});
  reads.wait(ended);
  ASSERT_FALSE(without_executor.request.outcome);
  EXPECT_EQ(without_executor.request.outcome.error().code, errc::invalid);
  while (one.completions == 0) jobs.run();
  EXPECT_TRUE(one.is_right());
}

TEST_F(unpacking, parts_of_one_entry_are_unpacked_by_many_threads) {
  const std::string data = sample(2'000'000);
  wish& frames = wishes.emplace_back(file, compression::zstd, data, zstd_frames(data, 100'000));
  wish& blocks = wishes.emplace_back(file, compression::lz4, data,
                                     lz4_frame(data, LZ4F_blockIndependent, LZ4F_max64KB));
  read_queue reads(file, {.run_by_host = true, .unpack_executor = &jobs});
  for (wish& each : wishes) {
    reads.submit({&each.request, 1});
    (void)reads.poll();
    EXPECT_EQ(jobs.run(), 1u);
    EXPECT_EQ(each.completions, 0) << "its other parts wait for a thread each";
    EXPECT_GT(jobs.run(), 3u);
    EXPECT_EQ(each.completions, 1);
    EXPECT_TRUE(each.is_right());
  }
  EXPECT_TRUE(frames.is_right() && blocks.is_right());
}

TEST_F(unpacking, what_is_read_and_not_unpacked_is_bounded) {
  for (int i = 0; i < 6; ++i) ask(compression::deflate, 100'000);
  const std::size_t two = wishes[0].request.packed_bytes + wishes[1].request.packed_bytes;
  read_queue reads(file, {.run_by_host = true,
                          .merge_bytes_max = 0,
                          .packed_bytes_max = two,
                          .unpack_executor = &jobs});
  for (wish& each : wishes) reads.submit({&each.request, 1});
  wish& stored = ask(compression::none, 1'000);
  reads.submit({&stored.request, 1});
  (void)reads.poll(SIZE_MAX);
  EXPECT_TRUE(stored.is_right()) << "stored bytes do not wait for room";
  EXPECT_LE(reads.stats().packed_bytes, two);
  EXPECT_LT(reads.stats().reads, 5u);
  while (jobs.run() > 0) (void)reads.poll(SIZE_MAX);
  for (const wish& each : wishes) EXPECT_TRUE(each.is_right());
  EXPECT_LE(reads.stats().packed_bytes_peak, two);
}

TEST_F(unpacking, one_that_is_larger_than_the_bound_goes_alone) {
  for (int i = 0; i < 3; ++i) ask(compression::zstd, 50'000);
  read_queue reads(file, {.threads = 2, .packed_bytes_max = 10, .unpack_executor = &jobs});
  std::vector<read_request*> order;
  countdown left(3);
  for (wish& each : wishes) {
    each.request.counter = &left;
    reads.submit({&each.request, 1});
  }
  reads.wait(left);  // this thread unpacks, or the second would never begin
  for (const wish& each : wishes) EXPECT_TRUE(each.is_right());
  EXPECT_LE(reads.stats().packed_bytes_peak, 50'000u);
  jobs.run();
}

TEST_F(unpacking, broken_data_is_located_and_spoils_nothing_else) {
  const std::string data = sample(1'000'000);
  std::string frames = zstd_frames(data, 100'000);
  const std::size_t behind = zstd_frames(data.substr(0, 300'000), 100'000).size();
  // The beginnings of the fourth and of the last frame's blocks, after their headers.
  const std::size_t last = zstd_frames(data.substr(0, 900'000), 100'000).size();
  for (const std::size_t at : {behind, last}) frames.replace(at + 12, 40, 40, '\xFF');
  ask(compression::zstd, 1'000);
  wish& bad = wishes.emplace_back(file, compression::zstd, data, frames);
  wish& cut = wishes.emplace_back(file, compression::deflate, sample(5'000),
                                  packed(compression::deflate, sample(5'000)).substr(0, 100));
  ask(compression::lz4, 1'000);
  read_queue reads(file, {.run_by_host = true});
  for (wish& each : wishes) reads.submit({&each.request, 1});
  reads.drain();
  for (wish* each : {&bad, &cut}) {
    ASSERT_FALSE(each->request.outcome);
    EXPECT_EQ(each->request.outcome.error().code, errc::corrupt);
    EXPECT_EQ(each->request.outcome.error().source, one_file::id);
  }
  EXPECT_EQ(bad.request.outcome.error().offset, bad.request.offset + behind);
  EXPECT_EQ(cut.request.outcome.error().offset, cut.request.offset);
  EXPECT_TRUE(wishes.front().is_right());
  EXPECT_TRUE(wishes.back().is_right());
  EXPECT_EQ(reads.stats().failed, 2u);
  EXPECT_EQ(reads.stats().packed_bytes, 0u);
}

TEST_F(unpacking, blocks_shorter_than_announced_are_followed_by_one_thread) {
  // A writer that flushes makes blocks of any length; blocks of two consecutive frames are not
  // where one frame of that size would have them.
  const std::string data = sample(400'000);
  LZ4F_preferences_t wanted = LZ4F_INIT_PREFERENCES;
  wanted.frameInfo.blockMode = LZ4F_blockIndependent;
  wanted.frameInfo.blockSizeID = LZ4F_max64KB;
  wanted.autoFlush = 1;
  LZ4F_cctx* tables = nullptr;
  ASSERT_EQ(LZ4F_isError(LZ4F_createCompressionContext(&tables, LZ4F_VERSION)), 0u);
  std::string frame(1'000'000, '\0');
  std::size_t at = LZ4F_compressBegin(tables, frame.data(), frame.size(), &wanted);
  for (std::size_t from = 0; from < data.size(); from += 40'000) {
    at += LZ4F_compressUpdate(tables, frame.data() + at, frame.size() - at, data.data() + from,
                              40'000, nullptr);
  }
  at += LZ4F_compressEnd(tables, frame.data() + at, frame.size() - at, nullptr);
  LZ4F_freeCompressionContext(tables);
  frame.resize(at);
  wish& flushed = wishes.emplace_back(file, compression::lz4, data, frame);
  read_queue reads(file, {.run_by_host = true});
  reads.submit({&flushed.request, 1});
  reads.drain();
  EXPECT_TRUE(flushed.is_right());
}

TEST_F(unpacking, identical_packed_requests_in_flight_are_read_and_unpacked_once) {
  wish& first = ask(compression::zstd, 300'000);
  std::string room(300'000, '?');
  read_request second;
  second.source = first.request.source;
  second.offset = first.request.offset;
  second.method = first.request.method;
  second.packed_bytes = first.request.packed_bytes;
  second.destination = std::as_writable_bytes(std::span(room));
  // The file asks for the second while it is read.
  struct late final : source_files {
    read_queue* reads = nullptr;
    read_request* next = nullptr;
    one_file* real = nullptr;
    result<open_source> source(source_id id) noexcept override {
      if (next) {
        reads->submit({std::exchange(next, nullptr), 1});
        (void)reads->poll();
      }
      return real->source(id);
    }
    std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }
  } opened;
  opened.real = &file;
  read_queue reads(opened, {.run_by_host = true});
  opened.reads = &reads;
  opened.next = &second;
  reads.submit({&first.request, 1});
  reads.drain();
  EXPECT_TRUE(first.is_right());
  EXPECT_TRUE(second.outcome && room == first.data);
  EXPECT_EQ(reads.stats().reads, 1u);
  EXPECT_TRUE(second.shared);
}

TEST_F(unpacking, buffers_are_taken_when_the_read_begins) {
  failing_allocator memory(UINT64_MAX);
  buffer_pool pool({.memory = &memory});
  {
    read_queue reads(file, {.run_by_host = true, .pool = &pool});
    for (const compression method : all_methods) {
      wish& one = ask(method, 500'000);
      one.into(read_into::pool);
      reads.submit({&one.request, 1});
    }
    EXPECT_LT(memory.live_bytes(), 100'000) << "what waits has no buffer";
    reads.drain();
  }
  for (wish& each : wishes) {
    EXPECT_TRUE(each.is_right());
    EXPECT_EQ(each.request.content.data(), each.request.buffer.data());
    const blob kept = std::move(each.request.buffer);
    EXPECT_TRUE(each.is_right()) << "content follows the buffer";
  }
}

TEST_F(unpacking, a_view_is_shown_where_it_lies_or_read_into_a_buffer) {
  for (const bool shows : {true, false}) {
    for (const compression method : {compression::none, compression::deflate}) {
      file.shows = shows;
      wish& one = ask(method, 10'000);
      one.into(read_into::view);
      read_queue reads(file, {.run_by_host = true});
      reads.submit({&one.request, 1});
      reads.drain();
      EXPECT_TRUE(one.is_right());
      EXPECT_EQ(one.completions, 1);
      const bool viewed = shows && method == compression::none;
      EXPECT_EQ(one.request.viewed, viewed);
      EXPECT_EQ(one.request.content.data() == file.at(one.request.offset), viewed);
      EXPECT_EQ(reads.stats().reads, viewed ? 0u : 1u);
      EXPECT_EQ(reads.stats().viewed, viewed ? 1u : 0u);
      one.request.buffer.reset();
    }
  }
}

TEST_F(unpacking, refused_memory_fails_the_request_alone) {
  wishes.clear();
  for (std::uint64_t refused = 0; refused < 25; ++refused) {
    failing_allocator memory(refused);
    buffer_pool pool({.memory = &memory});
    wishes.clear();
    read_queue reads(file, {.run_by_host = true, .pool = &pool, .memory = &memory});
    for (int i = 0; i < 3; ++i) {
      wish& one = ask(i == 0 ? compression::none : compression::zstd, 60'000);
      if (i < 2) one.into(read_into::pool);
      reads.submit({&one.request, 1});
    }
    reads.drain();
    std::size_t failed = 0;
    for (wish& each : wishes) {
      EXPECT_EQ(each.completions, refused == 1 ? 0 : 1)
          << "the pool's allocation, then the queue's";
      if (each.request.outcome) {
        EXPECT_TRUE(each.is_right());
      } else {
        ++failed;
        EXPECT_EQ(each.request.outcome.error().code, errc::out_of_memory);
      }
      each.request.buffer.reset();
    }
    if (memory.refusals() == 0) {
      EXPECT_EQ(failed, 0u);
    }
  }
}

TEST_F(unpacking, a_job_may_wait_for_its_own_packed_read_on_the_only_worker) {
  thread_pool pool({.workers = 1});
  read_queue reads(file, {.threads = 1, .unpack_executor = &pool});
  wish& one = ask(compression::zstd, 400'000);
  wish& two = ask(compression::lz4, 4'000);
  job_group group(pool);
  bool right = false;
  group.run([&] {
    countdown left(2);
    one.request.counter = two.request.counter = &left;
    reads.submit({&one.request, 1});
    reads.submit({&two.request, 1});
    reads.wait(left);
    right = one.is_right() && two.is_right();
  });
  group.wait();
  EXPECT_TRUE(right);
}

TEST_F(unpacking, the_queue_may_end_while_tasks_of_it_wait_to_be_run) {
  wish& one = ask(compression::zstd, 400'000);
  {
    read_queue reads(file, {.threads = 1, .unpack_executor = &jobs});
    countdown left(1);
    one.request.counter = &left;
    reads.submit({&one.request, 1});
    reads.wait(left);
    EXPECT_TRUE(one.is_right());
  }
  EXPECT_EQ(jobs.run(), 1u) << "finds nothing to do any more";
}

TEST_F(unpacking, many_threads_submit_and_unpack_under_a_tight_bound) {
  thread_pool pool({.workers = 2});
  std::deque<wish> all;
  for (int i = 0; i < 60; ++i) {
    all.emplace_back(file, all_methods[static_cast<std::size_t>(i) % 5],
                     sample(static_cast<std::size_t>(i) * 5'000, static_cast<unsigned>(i)));
  }
  read_queue reads(file, {.threads = 1, .packed_bytes_max = 20'000, .unpack_executor = &pool});
  countdown left(60);
  const auto submit = [&](std::size_t from) {
    for (std::size_t i = from; i < 60; i += 2) {
      all[i].request.counter = &left;
      all[i].request.done = {};
      if (i % 3 == 0) all[i].into(read_into::pool);
      reads.submit({&all[i].request, 1});
    }
  };
  std::thread other([&] { submit(1); });
  submit(0);
  reads.wait(left);
  other.join();
  reads.drain();
  for (wish& each : all) {
    EXPECT_TRUE(each.is_right());
    each.request.buffer.reset();
  }
}

}  // namespace
}  // namespace overture::unpack_queue_test

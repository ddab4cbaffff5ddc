// SPDX-License-Identifier: Zlib
//
// A read queue that is refused memory or threads completes every request with what it has.
#include <gtest/gtest.h>

#include <string>

#include "overture/base/os.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/trace/timeline.hpp"
#include "support/failing_allocator.hpp"
#include "support/temp_folder.hpp"

namespace overture::read_queue_refusal_test {
namespace {

class one_file final : public source_files {
 public:
  one_file() {
    folder_.write("file", std::string(1000, 'x'));
    handle_ = *system_os().open((folder_ / "file").c_str());
  }
  ~one_file() override { system_os().close(handle_); }
  one_file(const one_file&) = delete;
  one_file& operator=(const one_file&) = delete;

  static constexpr source_id id{3, 1};
  result<open_source> source(source_id) noexcept override {
    return open_source{&system_os(), handle_};
  }
  std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }

 private:
  temp_folder folder_;
  os_handle handle_;
};

class refusing_factory final : public thread_factory {
 public:
  explicit refusing_factory(unsigned allowed) : allowed_(allowed) {}
  result<thread_handle> start(const thread_options& options, void (*entry)(void*) noexcept,
                              void* argument) override {
    if (allowed_ == 0) return fail(errc::limit, "no threads today");
    --allowed_;
    return default_thread_factory().start(options, entry, argument);
  }
  void join(thread_handle thread) noexcept override { default_thread_factory().join(thread); }

 private:
  unsigned allowed_;
};

result<void> read(read_queue& reads) {
  std::byte bytes[100];
  countdown done{1};
  read_request request;
  request.source = one_file::id;
  request.offset = 10;
  request.destination = bytes;
  request.counter = &done;
  reads.submit({&request, 1});
  reads.wait(done);
  return request.outcome;
}

TEST(refused_threads, leave_a_queue_with_those_that_started) {
  for (const read_backend backend : {read_backend::threads, read_backend::uring}) {
    for (unsigned allowed = 1; allowed < 3; ++allowed) {
      one_file files;
      refusing_factory factory(allowed);
      read_queue reads(files, {.backend = backend, .threads = 3, .factory = &factory});
      // A ring needs one thread.
      EXPECT_EQ(reads.status().has_value(), reads.backend() == read_backend::uring);
      EXPECT_TRUE(read(reads));
    }
  }
}

TEST(refused_threads, make_a_queue_without_any_fail_every_request_at_once) {
  one_file files;
  refusing_factory factory(0);
  read_queue reads(files, {.threads = 2, .factory = &factory});
  EXPECT_FALSE(reads.status());
  EXPECT_FALSE(read(reads));
}

TEST(refused_memory, leaves_a_queue_that_completes_every_request) {
  for (const bool and_after : {false, true}) {
    bool refused = true;
    for (std::uint64_t allowed = 0; refused; ++allowed) {
      ASSERT_LT(allowed, 100u);
      failing_allocator memory(allowed, and_after);
      {
        one_file files;
        timeline record{{.memory = &memory}};
        read_queue reads(files, {.threads = 3, .memory = &memory, .record = &record});
        const result<void> first = read(reads);
        const result<void> second = read(reads);
        refused = memory.refusals() != 0;
        EXPECT_TRUE(refused || (reads.status() && first && second));
        if (!reads.status()) {
          EXPECT_EQ(reads.status().error().code, errc::out_of_memory);
        }
      }
      EXPECT_EQ(memory.live_bytes(), 0) << allowed;
    }
  }
}

}  // namespace
}  // namespace overture::read_queue_refusal_test

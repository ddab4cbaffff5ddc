// SPDX-License-Identifier: Zlib
#include "overture/io/handle_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "overture/sync/barricade.hpp"
#include "overture/sync/countdown.hpp"
#include "support/failing_allocator.hpp"
#include "support/forwarding_os.hpp"
#include "support/platform.hpp"
#include "support/temp_folder.hpp"

namespace overture::handle_cache_test {
namespace {

std::string name_of(std::size_t i) {
  return "file" + std::to_string(i);
}

class handle_cache_test : public testing::Test {
 protected:
  source_id add(handle_cache& cache, std::size_t i) {
    return *cache.add(folder.write(name_of(i), "this is " + name_of(i)));
  }
  void expect_reads(handle_cache& cache, source_id id, const std::string& text) {
    const result<open_source> opened = cache.pin(id);
    ASSERT_TRUE(opened);
    std::string bytes(text.size(), ' ');
    EXPECT_TRUE(read_fully(*opened->os, opened->handle, 0,
                           std::as_writable_bytes(std::span(bytes.data(), bytes.size()))));
    EXPECT_EQ(bytes, text);
    cache.unpin(id);
  }

  temp_folder folder;
};

TEST_F(handle_cache_test, opens_on_first_use_and_keeps_open) {
  handle_cache cache({.open_max = 4});
  const source_id id = add(cache, 1);
  EXPECT_EQ(cache.stats().opens, 0u);
  EXPECT_FALSE(cache.source(id));
  expect_reads(cache, id, "this is file1");
  expect_reads(cache, id, "this is file1");
  EXPECT_TRUE(cache.source(id));
  EXPECT_EQ(cache.stats().opens, 1u);
  EXPECT_EQ(cache.stats().hits, 1u);
}

TEST_F(handle_cache_test, evicts_what_was_not_used_lately) {
  handle_cache cache({.open_max = 3});
  std::vector<source_id> ids;
  for (std::size_t i = 0; i < 4; ++i) ids.push_back(add(cache, i));
  for (std::size_t i = 0; i < 3; ++i) expect_reads(cache, ids[i], "this is " + name_of(i));
  expect_reads(cache, ids[3], "this is file3");  // the hand has taken all their marks, and file 0
  expect_reads(cache, ids[1], "this is file1");  // marked again
  expect_reads(cache, ids[0], "this is file0");
  EXPECT_TRUE(cache.source(ids[1])) << "used since the hand was there";
  EXPECT_FALSE(cache.source(ids[2]));
  EXPECT_EQ(cache.stats().evicted, 2u);
  EXPECT_EQ(cache.stats().open, 3u);
}

TEST_F(handle_cache_test, never_closes_a_file_during_a_read) {
  handle_cache cache({.open_max = 2});
  const source_id held = add(cache, 0);
  ASSERT_TRUE(cache.pin(held));
  for (std::size_t i = 1; i < 20; ++i) expect_reads(cache, add(cache, i), "this is " + name_of(i));
  cache.close_source(held);
  EXPECT_TRUE(cache.source(held)) << "closed once it is not used";
  cache.unpin(held);
  EXPECT_FALSE(cache.source(held));
  expect_reads(cache, held, "this is file0");
}

TEST_F(handle_cache_test, errors_name_the_file) {
  handle_cache cache;
  const source_id missing = *cache.add(folder / "missing");
  const result<open_source> opened = cache.pin(missing);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, errc::not_found);
  EXPECT_EQ(opened.error().os_error, ENOENT);
  EXPECT_EQ(opened.error().source, missing);
  char text[300];
  EXPECT_EQ(std::string(text, cache.describe(missing, text)), folder / "missing");
  folder.write("missing", "here by now");
  expect_reads(cache, missing, "here by now");
  EXPECT_EQ(cache.pin({9, 1}).error().code, errc::not_found);
  EXPECT_EQ(cache.pin({0, 2}).error().code, errc::not_found);
  EXPECT_EQ(cache.add("").error().code, errc::bad_path);
  EXPECT_EQ(cache.add(std::string_view("a\0b", 3)).error().code, errc::bad_path);
}

TEST_F(handle_cache_test, a_read_waits_for_an_entry_instead_of_failing) {
  handle_cache cache({.open_max = 1});
  const source_id first = add(cache, 0);
  const source_id second = add(cache, 1);
  ASSERT_TRUE(cache.pin(first));
  std::thread other([&] { expect_reads(cache, second, "this is file1"); });
  while (cache.stats().waits == 0) std::this_thread::yield();
  cache.unpin(first);
  other.join();
  EXPECT_EQ(cache.stats().open, 1u);
}

TEST_F(handle_cache_test, opens_ahead_only_where_there_is_room) {
  handle_cache cache({.open_max = 1});
  const source_id first = add(cache, 0);
  const source_id second = add(cache, 1);
  cache.open_ahead(first);
  EXPECT_TRUE(cache.source(first));
  cache.open_ahead(second);
  EXPECT_FALSE(cache.source(second));
  EXPECT_TRUE(cache.source(first));
}

// A thousand files, 8 threads, and a process that may open 32.
TEST_F(handle_cache_test, stays_within_the_limit_of_the_process) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 32;
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < 300; ++i) paths.push_back(folder.write(name_of(i), name_of(i)));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  {
    handle_cache cache({.open_max = 512, .reserved_descriptors = 4});
    EXPECT_LE(cache.stats().open_max, 28u);
    read_queue reads(cache, {.threads = 8});
    std::vector<read_request> requests(paths.size());
    std::vector<std::byte> room(requests.size() * 4);
    countdown left(static_cast<std::uint32_t>(requests.size()));
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].source = *cache.add(paths[i]);
      requests[i].destination = std::span(room).subspan(i * 4, 4);
      requests[i].counter = &left;
    }
    reads.submit(requests);
    left.wait();
    for (const read_request& each : requests) {
      EXPECT_TRUE(each.outcome) << each.outcome.error().os_error;
      EXPECT_EQ(std::memcmp(each.destination.data(), "file", 4), 0);
    }
    EXPECT_GT(cache.stats().evicted, 200u);
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

// The ring's one thread must not wait for an entry that only its own reads can free.
TEST_F(handle_cache_test, one_entry_is_enough_for_any_way_of_reading) {
  for (const read_backend backend : {read_backend::threads, read_backend::uring}) {
    handle_cache cache({.open_max = 1});
    read_queue reads(cache, {.backend = backend, .threads = 4});
    std::vector<read_request> requests(50);
    std::vector<std::byte> room(requests.size() * 4);
    countdown left(static_cast<std::uint32_t>(requests.size()));
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].source = add(cache, i);
      requests[i].destination = std::span(room).subspan(i * 4, 4);
      requests[i].counter = &left;
    }
    reads.submit(requests);
    left.wait();
    for (const read_request& each : requests) EXPECT_TRUE(each.outcome);
  }
}

TEST_F(handle_cache_test, the_queue_closes_and_opens_on_request) {
  handle_cache cache;
  const source_id id = add(cache, 0);
  read_queue reads(cache, {.threads = 1});
  reads.open_ahead(id);
  while (!cache.source(id)) std::this_thread::yield();
  EXPECT_EQ(reads.close_source(id), 0u);
  reads.drain();
  EXPECT_FALSE(cache.source(id));
}

TEST_F(handle_cache_test, the_file_of_a_gated_read_is_opened_ahead) {
  handle_cache cache;
  const source_id id = add(cache, 0);
  read_queue reads(cache, {.threads = 1});
  barricade door{barricade::raised};
  std::byte bytes[5];
  countdown left(1);
  read_request request{.source = id, .destination = bytes};
  request.counter = &left;
  reads.submit({&request, 1}, &door);
  while (!cache.source(id)) std::this_thread::yield();
  EXPECT_EQ(reads.stats().reads, 0u);
  door.lower();
  left.wait();
  EXPECT_TRUE(request.outcome);
}

TEST_F(handle_cache_test, a_host_that_polls_opens_ahead_there) {
  handle_cache cache;
  const source_id id = add(cache, 0);
  read_queue reads(cache, {.run_by_host = true});
  reads.open_ahead(id);
  EXPECT_FALSE(cache.source(id));
  EXPECT_EQ(reads.poll(), 0u);
  EXPECT_TRUE(cache.source(id));
}

// The process had descriptors when the cache asked, and others have taken them since.
TEST_F(handle_cache_test, closes_a_file_when_the_system_has_no_descriptor_left) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 32;
  for (const read_backend backend : {read_backend::threads, read_backend::uring}) {
    handle_cache cache({.open_max = 400});
    std::vector<read_request> requests(300);
    std::vector<std::byte> room(requests.size() * 4);
    countdown left(static_cast<std::uint32_t>(requests.size()));
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].source = add(cache, i);
      requests[i].destination = std::span(room).subspan(i * 4, 4);
      requests[i].counter = &left;
    }
    read_queue reads(cache, {.backend = backend, .threads = 8});
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    reads.submit(requests);
    left.wait();
    for (read_request& each : requests) EXPECT_TRUE(each.outcome);
    // Once more: what is read again soon stays open, if there is a descriptor for it.
    countdown again(static_cast<std::uint32_t>(requests.size()));
    for (read_request& each : requests) each.counter = &again;
    reads.submit(requests);
    again.wait();
    reads.drain();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    for (const read_request& each : requests) {
      EXPECT_TRUE(each.outcome) << each.outcome.error().os_error;
    }
    EXPECT_GT(cache.stats().evicted, 200u);
    EXPECT_LE(cache.stats().open, 32u);
  }
}

TEST_F(handle_cache_test, without_any_descriptor_every_read_fails) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  handle_cache cache({.open_max = 300});
  std::vector<read_request> requests(50);
  std::byte room[50];
  countdown left(static_cast<std::uint32_t>(requests.size()));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].source = add(cache, i);
    requests[i].destination = {&room[i], 1};
    requests[i].counter = &left;
  }
  read_queue reads(cache, {.threads = 8});
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  reads.submit(requests);
  left.wait();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  for (const read_request& each : requests) {
    ASSERT_FALSE(each.outcome);
    EXPECT_EQ(each.outcome.error().os_error, EMFILE);
  }
}

void read_all(read_queue& reads, std::span<const source_id> ids) {
  std::vector<read_request> requests(ids.size());
  std::vector<std::byte> room(ids.size() * 4);
  countdown left(static_cast<std::uint32_t>(ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    requests[i].source = ids[i];
    requests[i].destination = std::span(room).subspan(i * 4, 4);
    requests[i].counter = &left;
  }
  reads.submit(requests);
  left.wait();
  reads.drain();
  for (const read_request& each : requests) {
    ASSERT_TRUE(each.outcome);
    EXPECT_EQ(std::memcmp(each.destination.data(), "this", 4), 0);
  }
}

TEST_F(handle_cache_test, files_read_once_do_not_push_out_those_read_often) {
  for (const read_backend backend : {read_backend::threads, read_backend::uring}) {
    handle_cache cache({.open_max = 16});
    std::vector<source_id> ids;
    for (std::size_t i = 0; i < 60; ++i) ids.push_back(add(cache, i));
    const source_id often = ids[0];
    // One thread: where reads are as slow as a disk's, one of several threads may open files ahead
    // for all that may be outside of the cache, and the others' reads get entries meanwhile.
    read_queue reads(cache, {.backend = backend, .depth = 2, .threads = 1});
    read_all(reads, {&often, 1});
    EXPECT_FALSE(cache.source(often)) << "it has been read only once";
    read_all(reads, {&often, 1});
    EXPECT_TRUE(cache.source(often));
    read_all(reads, ids);
    EXPECT_TRUE(cache.source(often));
    EXPECT_EQ(cache.stats().evicted, 0u);
    EXPECT_EQ(cache.stats().open, 1u);
    EXPECT_EQ(cache.stats().opens, 61u);
    EXPECT_EQ(cache.stats().hits, 1u);
  }
}

// A system on which a read blocks until the test lets it end.
class slow_to_read final : public forwarding_os {
 public:
  barricade begun{barricade::raised};
  barricade allowed{barricade::raised};
  std::atomic<int> closed{0};
  void close(os_handle handle) noexcept override {
    ++closed;
    forwarding_os::close(handle);
  }
  result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    begun.lower();
    allowed.wait();
    return forwarding_os::read_at(handle, offset, bytes);
  }
};

// The reader is not counted, and is asked.
TEST_F(handle_cache_test, never_closes_a_file_during_a_read_of_a_queue) {
  slow_to_read os;
  handle_cache cache({.open_max = 1, .os = &os});
  const source_id slow = add(cache, 0);
  const source_id other = add(cache, 1);
  ASSERT_TRUE(cache.pin(slow));  // now it is open
  cache.unpin(slow);
  read_queue reads(cache, {.threads = 1});
  std::byte bytes[4];
  countdown left(1);
  read_request request{.source = slow, .destination = bytes};
  request.counter = &left;
  reads.submit({&request, 1});
  os.begun.wait();
  EXPECT_EQ(cache.pin(other, false).error().code, errc::busy) << "its entry is in use";
  cache.close_source(slow);
  EXPECT_EQ(os.closed, 0);
  os.allowed.lower();
  expect_reads(cache, other, "this is file1");  // waits for the entry
  reads.drain();
  EXPECT_TRUE(request.outcome);
  EXPECT_EQ(os.closed, 1);
  EXPECT_EQ(cache.stats().hits, 1u);
  left.wait();
}

TEST_F(handle_cache_test, a_read_of_an_unknown_file_ends_while_others_wait_for_an_entry) {
  handle_cache cache({.open_max = 1});
  const source_id held = add(cache, 0);
  const source_id wanted = add(cache, 1);
  ASSERT_TRUE(cache.pin(held));
  read_queue reads(cache, {.threads = 1});
  std::thread other([&] { expect_reads(cache, wanted, "this is file1"); });
  while (cache.stats().waits == 0) std::this_thread::yield();
  for (const source_id unknown : {source_id{900'000, 1}, source_id{0, 7}, source_id{}}) {
    std::byte byte{};
    read_request request{.source = unknown, .destination = {&byte, 1}};
    reads.submit({&request, 1});
    reads.drain();
    ASSERT_FALSE(request.outcome);
    EXPECT_EQ(request.outcome.error().code, errc::not_found);
  }
  cache.unpin(held);
  other.join();
}

TEST_F(handle_cache_test, a_file_closed_during_a_read_of_a_queue_is_closed_after_it) {
  slow_to_read os;
  handle_cache cache({.os = &os});
  const source_id slow = add(cache, 0);
  ASSERT_TRUE(cache.pin(slow));
  cache.unpin(slow);
  read_queue reads(cache, {.threads = 1});
  std::byte bytes[4];
  read_request request{.source = slow, .destination = bytes};
  reads.submit({&request, 1});
  os.begun.wait();
  cache.close_source(slow);
  EXPECT_TRUE(cache.source(slow));
  os.allowed.lower();
  reads.drain();
  EXPECT_FALSE(cache.source(slow));
  EXPECT_EQ(os.closed, 1);
}

TEST_F(handle_cache_test, threads_pin_and_close_and_evict_the_same_few_files) {
  handle_cache cache({.open_max = 3});
  std::vector<source_id> ids;
  for (std::size_t i = 0; i < 5; ++i) ids.push_back(add(cache, i));
  const auto work = [&](std::size_t seed) {
    for (std::size_t i = 0; i < 2'000; ++i) {
      const std::size_t which = (i * 7 + seed * i / 3) % ids.size();
      if (i % 61 == seed) cache.close_source(ids[which]);
      const result<open_source> opened = cache.pin(ids[which]);
      ASSERT_TRUE(opened);
      std::byte byte[13];
      ASSERT_TRUE(read_fully(*opened->os, opened->handle, 0, byte));
      EXPECT_EQ(byte[12], static_cast<std::byte>('0' + which));
      cache.unpin(ids[which]);
    }
  };
  std::thread other([&] { work(1); });
  work(2);
  other.join();
  EXPECT_LE(cache.stats().open, 3u);
  EXPECT_EQ(cache.stats().hits + cache.stats().opens, 4'000u);
}

TEST_F(handle_cache_test, shows_files_that_are_declared_immutable) {
  handle_cache changing;
  const source_id other = add(changing, 3);
  EXPECT_EQ(changing.view(other, 0, 1).error().code, errc::unsupported);
  handle_cache cache({.open_max = 1, .immutable_files = true});
  const source_id id = add(cache, 3);
  const result<std::span<const std::byte>> seen = cache.view(id, 8, 5);
  ASSERT_TRUE(seen);
  expect_reads(cache, add(cache, 4), "this is file4");
  cache.close_source(id);
  EXPECT_EQ(std::memcmp(seen->data(), "file3", 5), 0) << "stays when the file is closed";
  EXPECT_EQ(cache.view(id, 8, 5)->data(), seen->data());
  EXPECT_EQ(cache.view(id, 8, 6).error().code, errc::truncated);
  EXPECT_EQ(cache.view(id, UINT64_MAX, 2).error().code, errc::truncated);
  read_request request;
  request.source = id;
  request.into = read_into::view;
  request.bytes = 4;
  read_queue reads(cache, {.run_by_host = true});
  reads.submit({&request, 1});
  reads.drain();
  ASSERT_TRUE(request.outcome);
  EXPECT_TRUE(request.viewed);
  EXPECT_EQ(std::memcmp(request.content.data(), "this", 4), 0);
}

// A system on which closing blocks until the test lets it end.
class slow_to_close final : public forwarding_os {
 public:
  barricade allowed{barricade::raised};
  std::thread::id closed_by;
  void close(os_handle handle) noexcept override {
    allowed.wait();
    closed_by = std::this_thread::get_id();
    forwarding_os::close(handle);
  }
};

TEST_F(handle_cache_test, the_queue_closes_on_a_thread_of_its_own) {
  for (const read_backend backend : {read_backend::threads, read_backend::uring}) {
    slow_to_close os;
    handle_cache cache({.os = &os});
    const source_id id = add(cache, 0);
    read_queue reads(cache, {.backend = backend, .threads = 1});
    expect_reads(cache, id, "this is file0");
    EXPECT_EQ(reads.close_source(id), 0u);  // returns although nothing can be closed yet
    os.allowed.lower();
    reads.drain();
    EXPECT_FALSE(cache.source(id));
    EXPECT_NE(os.closed_by, std::this_thread::get_id());
  }
}

TEST_F(handle_cache_test, refused_memory_is_an_error) {
  const std::string path = folder.write("file", "bytes");
  for (std::uint64_t refused = 0; refused < 4; ++refused) {
    failing_allocator memory(refused);
    handle_cache cache({.memory = &memory});
    const result<source_id> id = cache.add(path);
    if (!id) {
      EXPECT_EQ(id.error().code, errc::out_of_memory);
      EXPECT_FALSE(cache.pin({0, 1}));
    } else {
      expect_reads(cache, *id, "bytes");
    }
  }
}

}  // namespace
}  // namespace overture::handle_cache_test

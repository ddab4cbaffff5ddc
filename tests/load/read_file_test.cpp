// SPDX-License-Identifier: Zlib
//
// read_file() and decode_file(): one file, asynchronously.
#include "overture/load/read_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "load/load_rig.hpp"
#include "overture/jobs/coroutine.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "support/failing_allocator.hpp"
#include "support/seven_zip_writer.hpp"
#include "support/zip_writer.hpp"

namespace overture::read_file_test {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using test::fake_os;
using test::hang;
using test::load_rig;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void wait_until(const std::function<bool()>& is_so) {
  const std::uint64_t until_ns = now_ns() + std::chrono::nanoseconds(hang).count();
  while (!is_so()) {
    ASSERT_LT(now_ns(), until_ns);
    std::this_thread::yield();
  }
}

// A loose file, and archives with a file of each kind.
void add_game(fake_os& os) {
  zip_writer zip;
  zip.add({.name = "stored", .data = "stored"});
  zip.add({.name = "packed", .data = std::string(50'000, 'p'), .method = zip_deflated});
  zip.add({.name = "framed", .data = "framed", .local_extra_bytes = 60'000});
  zip.add({.name = "empty"});
  zip.add({.name = "damaged", .data = "damaged", .stated_crc32 = 1});
  os.add_file("/game.zip", zip.bytes());
  seven_zip_writer solid;
  solid.add({.files = {{"solid/1", std::string(3'000'000, '1')}, {"solid/2", "two"}}});
  os.add_file("/solid.7z", solid.bytes());
  os.add_file("/loose/loose", std::string(5'000, 'l'));
}
constexpr std::initializer_list<const char*> game = {"/game.zip", "/solid.7z", "/loose"};
constexpr std::array<asset_path, 7> good{"stored"_path, "packed"_path,  "framed"_path,
                                         "empty"_path,  "solid/1"_path, "solid/2"_path,
                                         "loose"_path};

// Where the bytes come from.
class reading_a_file : public ::testing::TestWithParam<bool> {
 protected:
  reading_a_file() {
    add_game(os_);
    os_.set_cached(GetParam());
    rig_.mount(game);
  }
  shared_future<blob> read(const asset_path& path, const read_file_options& options = {}) {
    return read_file(rig_.files, path, buffers_, rig_.reads, rig_.jobs, options);
  }

  fake_os os_;
  buffer_pool buffers_;
  load_rig rig_{os_, {.workers = 1}};
};

INSTANTIATE_TEST_SUITE_P(from, reading_a_file, ::testing::Bool(), [](const auto& cached) {
  return cached.param ? "the_page_cache" : "the_disk";
});

TEST_P(reading_a_file, gives_the_bytes_of_files_of_all_kinds) {
  std::vector<shared_future<blob>> all;
  for (const asset_path& path : good) all.push_back(read(path));
  buffer_pool others;
  for (std::size_t i = 0; i < good.size(); ++i) {
    const result<blob>& bytes = all[i].get();
    ASSERT_TRUE(bytes) << good[i].text << ": " << bytes.error().reason;
    const result<blob> expected = rig_.files.read_all(good[i], others);
    ASSERT_TRUE(expected);
    EXPECT_EQ(text_of(bytes->span()), text_of(expected->span())) << good[i].text;
  }
}

TEST_P(reading_a_file, needs_no_workers_while_a_thread_waits) {
  load_rig alone{os_, {.workers = 0}};
  alone.mount(game);
  ASSERT_EQ(alone.jobs.workers(), 0u);
  std::vector<shared_future<blob>> all;
  for (const asset_path& path : good) {
    all.push_back(read_file(alone.files, path, buffers_, alone.reads, alone.jobs));
  }
  for (std::size_t i = good.size(); i-- > 0;) {
    ASSERT_TRUE(all[i].wait_for(hang)) << good[i].text;
    EXPECT_TRUE(all[i].get()) << good[i].text;
  }
  const auto sizes = read_file(alone.files, "packed"_path, buffers_, alone.reads, alone.jobs)
                         .then(alone.jobs, [](const result<blob>& read) { return read->size(); });
  ASSERT_TRUE(sizes && sizes->wait_for(hang));
  EXPECT_EQ(sizes->get().value(), 50'000u);
  const auto decoded = decode_file(alone.files, "packed"_path, buffers_, alone.reads, alone.jobs);
  EXPECT_TRUE(decoded.wait_for(hang));
}

TEST_P(reading_a_file, names_the_path_in_its_error) {
  const auto failure = [&](const asset_path& path) {
    char text[200];
    const error why = read(path).get().error();
    return std::string(text, rig_.files.explain(why, text));
  };
  EXPECT_EQ(failure("damaged"_path),
            "damaged in /game.zip at byte " +
                std::to_string(rig_.files.open("damaged"_path)->place().offset) +
                ": the content does not match its checksum");
  EXPECT_EQ(read("missing"_path).get().error().code, errc::not_found);
  EXPECT_EQ(read("missing"_path).get().error().path, "missing"_path.id);
}

TEST_P(reading_a_file, lets_the_last_handle_take_the_bytes) {
  shared_future<blob> one = read("stored"_path);
  shared_future<blob> two = one;
  one.wait();
  EXPECT_EQ(one.take().error().code, errc::busy);
  EXPECT_TRUE(one.valid());
  two = {};
  const result<blob> bytes = one.take();
  ASSERT_TRUE(bytes);
  EXPECT_EQ(text_of(bytes->span()), "stored");
  EXPECT_FALSE(one.valid());
  shared_future<blob> failed = read("missing"_path);
  failed.wait();
  two = failed;
  EXPECT_EQ(failed.take().error().code, errc::not_found);
}

TEST_P(reading_a_file, is_awaited_by_a_coroutine) {
  struct coroutine {
    static co_task<std::size_t> sizes(shared_future<blob> one, shared_future<blob> two) {
      const result<blob>& first = co_await one;
      const result<blob>& second = co_await two;
      if (!first || !second) co_return fail(errc::io, "not read");
      co_return first->size() + second->size();
    }
  };
  const auto size = spawn(rig_.jobs, coroutine::sizes(read("packed"_path), read("loose"_path)));
  ASSERT_TRUE(size);
  EXPECT_EQ(size->get().value_or(0), 55'000u);
}

TEST_P(reading_a_file, ends_as_cancelled_if_that_comes_before_it_begins) {
  read_cancellation cancel;
  cancel.cancel(rig_.reads);
  EXPECT_EQ(read("stored"_path, {.cancel = &cancel}).get().error().code, errc::cancelled);
}

TEST_P(reading_a_file, works_with_a_tree_that_is_not_frozen) {
  rig_.files.thaw();
  for (const asset_path& path : good) EXPECT_TRUE(read(path).get()) << path.text;
}

TEST(a_read_file, that_waits_for_the_disk_is_cancelled_and_others_are_not) {
  fake_os os;
  add_game(os);
  load_rig rig(os, {.workers = 1});
  rig.mount(game);
  rig.reads.suspend();
  buffer_pool buffers;
  read_cancellation cancel;
  const auto read = [&](const asset_path& path, read_cancellation* with) {
    return read_file(rig.files, path, buffers, rig.reads, rig.jobs,
                     {.priority = load_priority::high, .cancel = with});
  };
  shared_future<blob> one = read("stored"_path, &cancel);
  shared_future<blob> two = read("packed"_path, &cancel);
  shared_future<blob> other = read("loose"_path, nullptr);
  wait_until(
      [&] { return rig.reads.stats().queued[static_cast<std::size_t>(read_priority::high)] == 3; });
  cancel.cancel(rig.reads);
  EXPECT_EQ(one.get().error().code, errc::cancelled);
  EXPECT_EQ(two.get().error().code, errc::cancelled);
  EXPECT_FALSE(other.is_ready());
  rig.reads.resume();
  EXPECT_TRUE(other.get());
  EXPECT_EQ(rig.files.ledger()->used(), 0u);
}

TEST(a_read_file, that_fails_at_the_disk_says_so) {
  fake_os os;
  add_game(os);
  load_rig rig(os, {.workers = 1});
  rig.mount(game);
  buffer_pool buffers;
  for (std::uint64_t i = 0; i < 200; ++i) os.fail_call(test::os_call::read, i, EIO);
  const shared_future<blob> bytes =
      read_file(rig.files, "stored"_path, buffers, rig.reads, rig.jobs);
  ASSERT_FALSE(bytes.get());
  EXPECT_EQ(bytes.get().error().code, errc::io);
  EXPECT_EQ(bytes.get().error().path, "stored"_path.id);
}

TEST(a_read_file, waits_for_room_in_the_ledger_and_gives_it_back) {
  fake_os os;
  add_game(os);
  os.set_cached(true);
  memory_ledger ledger(100'000);
  file_system files({.os = &os, .ledger = &ledger});
  ASSERT_TRUE(files.mount("/game.zip"));
  thread_pool jobs({.workers = 2});
  read_queue reads(files, {.threads = 1});
  buffer_pool buffers;
  bool ticket = false;
  bool none = false;
  ASSERT_TRUE(ledger.take(100'000, memory_tag::host, none));
  ASSERT_TRUE(ledger.take(1, memory_tag::host, ticket));
  ASSERT_TRUE(ticket);
  std::vector<shared_future<blob>> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(read_file(files, "packed"_path, buffers, reads, jobs));
  }
  read_cancellation cancel;
  all.push_back(read_file(files, "packed"_path, buffers, reads, jobs, {.cancel = &cancel}));
  for (const shared_future<blob>& each : all) EXPECT_FALSE(each.wait_for(1ms));
  cancel.cancel(reads);
  ledger.give_back(100'001, memory_tag::host);
  ledger.end_item(ticket);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(all[static_cast<std::size_t>(i)].get());
  EXPECT_EQ(all.back().get().error().code, errc::cancelled);
  EXPECT_EQ(ledger.used(), 0u);
  EXPECT_LE(ledger.peak(), 150'000u + 51'000u);
}

TEST(a_read_file, of_a_solid_block_larger_than_the_ledger_is_read) {
  fake_os os;
  add_game(os);
  memory_ledger ledger(1'000'000);
  file_system files({.os = &os, .ledger = &ledger});
  ASSERT_TRUE(files.mount("/solid.7z"));
  thread_pool jobs({.workers = 2});
  read_queue reads(files, {.threads = 2});
  buffer_pool buffers;
  std::vector<shared_future<blob>> all;
  for (int i = 0; i < 6; ++i) {
    all.push_back(read_file(files, i % 2 ? "solid/1"_path : "solid/2"_path, buffers, reads, jobs));
  }
  for (const shared_future<blob>& each : all) {
    EXPECT_TRUE(each.get()) << each.get().error().reason;
  }
}

TEST(a_read_file, needs_its_buffers_no_longer_than_its_handles) {
  fake_os os;
  add_game(os);
  load_rig rig(os, {.workers = 2});
  rig.mount(game);
  for (int i = 0; i < 200; ++i) {
    buffer_pool buffers;
    const shared_future<blob> bytes =
        read_file(rig.files, "packed"_path, buffers, rig.reads, rig.jobs);
    EXPECT_TRUE(bytes.get());
  }
}

TEST(a_read_file, needs_no_worker_if_a_thread_helps) {
  fake_os os;
  add_game(os);
  load_rig rig(os, {.workers = 0});
  rig.mount(game);
  buffer_pool buffers;
  const shared_future<blob> bytes =
      read_file(rig.files, "packed"_path, buffers, rig.reads, rig.jobs);
  wait_until([&] {
    (void)rig.jobs.try_help();
    return bytes.is_ready();
  });
  EXPECT_TRUE(bytes.get());
}

TEST(a_read_file, without_memory_fails_and_leaves_nothing) {
  fake_os os;
  add_game(os);
  load_rig rig(os, {.workers = 1});
  rig.mount(game);
  bool read = false;
  for (std::uint64_t refused = 0; !read; ++refused) {
    ASSERT_LT(refused, 50u);
    failing_allocator memory(refused);
    {
      buffer_pool buffers({.memory = &memory});
      const shared_future<blob> bytes =
          read_file(rig.files, "packed"_path, buffers, rig.reads, rig.jobs, {.memory = &memory});
      bytes.wait();
      read = bytes.get().has_value();
      if (!read) {
        EXPECT_EQ(bytes.get().error().code, errc::out_of_memory);
      }
      // The job that made it ready may still be at its end.
      wait_until([&] { return rig.files.ledger()->used() == 0; });
    }
    wait_until([&] { return memory.live_bytes() == 0; });
  }
}

// Decodes a letter to a block of that letter.
class letter_decoder final : public decoder {
 public:
  const char* name() const noexcept override { return "letter"; }
  bool accepts(std::string_view path, std::span<const std::byte>) const noexcept override {
    return path != "empty";
  }
  std::uint64_t memory_needed(std::span<const std::byte>) const noexcept override { return needed; }
  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    if (bytes.size() == 6) return fail(errc::corrupt, "no letter");
    result<decoded_asset> made = decoded_asset::make(asset_kind::texture, 10, memory);
    if (made) std::memset(made->bytes().data(), static_cast<int>(bytes[0]), 10);
    return made;
  }
  std::uint64_t needed = 0;
};

TEST(a_decoded_file, is_what_its_decoder_makes_of_it) {
  fake_os os;
  add_game(os);
  load_rig rig(os, {.workers = 1});
  rig.mount(game);
  buffer_pool buffers;
  letter_decoder letters;
  const std::array<const decoder*, 1> decoders{&letters};
  const auto decode = [&](const asset_path& path, read_cancellation* cancel = nullptr) {
    return decode_file(rig.files, path, buffers, rig.reads, rig.jobs,
                       {.cancel = cancel, .decoders = decoders});
  };
  shared_future<decoded_asset> packed = decode("packed"_path);
  packed.wait();
  const result<decoded_asset> taken = packed.take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(text_of(taken->bytes()), "pppppppppp");
  EXPECT_EQ(decode("stored"_path).get().error().reason, std::string("no letter"));
  EXPECT_EQ(decode("stored"_path).get().error().path, "stored"_path.id);
  EXPECT_EQ(decode("empty"_path).get().error().code, errc::unsupported);
  EXPECT_EQ(decode("damaged"_path).get().error().code, errc::corrupt);
  read_cancellation cancel;
  cancel.cancel(rig.reads);
  EXPECT_EQ(decode("packed"_path, &cancel).get().error().code, errc::cancelled);
}

TEST(a_decoded_file, takes_room_for_what_its_decoder_needs) {
  fake_os os;
  add_game(os);
  memory_ledger ledger(60'000);
  file_system files({.os = &os, .ledger = &ledger});
  ASSERT_TRUE(files.mount("/game.zip"));
  thread_pool jobs({.workers = 2});
  read_queue reads(files, {.threads = 2});
  buffer_pool buffers;
  letter_decoder letters;
  letters.needed = 500'000;
  const std::array<const decoder*, 1> decoders{&letters};
  std::vector<shared_future<decoded_asset>> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(decode_file(files, "packed"_path, buffers, reads, jobs, {.decoders = decoders}));
  }
  for (const shared_future<decoded_asset>& each : all) EXPECT_TRUE(each.get());
  EXPECT_EQ(ledger.used(), 0u);
  EXPECT_LE(ledger.peak(), 60'000u + 51'000u + 500'000u);
}

}  // namespace
}  // namespace overture::read_file_test

// SPDX-License-Identifier: Zlib
//
// Everything public at once, for as long as it is given: trees that change while they are read,
// files that are written, watched and removed, loads that are cancelled, suspended and left, pools
// that come and go, coroutines. Most of all for ThreadSanitizer; what it does follows from
// OVERTURE_STRESS_SEED, but not when each thread does it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "load/load_rig.hpp"
#include "overture/jobs/coroutine.hpp"
#include "overture/jobs/job_batch.hpp"
#include "overture/jobs/parallel.hpp"
#include "overture/sync/future.hpp"
#include "overture/vfs/file_watch.hpp"
#include "overture/vfs/file_writer.hpp"
#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"

namespace overture::stress_test {
namespace {

using namespace literals;

// A minute with ThreadSanitizer, ten in long tests; elsewhere enough to see that it runs.
std::chrono::seconds duration() {
  if (const char* const wanted = std::getenv("OVERTURE_STRESS_SECONDS")) {
    return std::chrono::seconds(std::atoi(wanted));
  }
#if defined(__SANITIZE_THREAD__)
  return std::chrono::seconds(std::getenv("OVERTURE_LONG_TESTS") ? 600 : 60);
#else
  return std::chrono::seconds(std::getenv("OVERTURE_LONG_TESTS") ? 60 : 3);
#endif
}

std::uint64_t seed() {
  const char* const wanted = std::getenv("OVERTURE_STRESS_SEED");
  return wanted ? std::strtoull(wanted, nullptr, 10) : 1;
}

constexpr int files_of_mount = 12;

// Each file has the name of its archive, many times.
std::string archive_of(const std::string& owner) {
  zip_writer zip;
  for (int i = 0; i < files_of_mount; ++i) {
    std::string data;
    for (int times = 0; times < 1 + i * 40; ++times) data += owner;
    zip.add({.name = "shared/" + std::to_string(i),
             .data = data,
             .method = i % 2 == 0 ? zip_stored : zip_deflated});
  }
  return zip.bytes();
}

struct everything {
  everything() {
    for (int i = 0; i < 26; ++i) {
      os.add_file("/game/" + std::to_string(i) + ".bin",
                  std::string(200 + static_cast<std::size_t>(i) * 500, 'x'));
    }
    for (const char* const name : {"base", "mod1", "mod2", "mod3"}) {
      names.emplace_back(name);
      archives.push_back(archive_of(name));
    }
  }
  std::span<const std::byte> bytes_of(std::size_t archive) const {
    return std::as_bytes(std::span(archives[archive]));
  }
  [[nodiscard]] bool goes_on() const { return std::chrono::steady_clock::now() < end; }

  test::fake_os os;
  std::vector<std::string> names;
  std::vector<std::string> archives;
  const std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now() + duration();
};

// What is read belongs to one mount: its name again and again.
void expect_of_one_mount(const blob& read) {
  const std::string_view text(reinterpret_cast<const char*>(read.data()), read.size());
  ASSERT_GE(text.size(), 4u);
  for (std::size_t at = 4; at + 4 <= text.size(); at += 4) {
    ASSERT_EQ(text.substr(at, 4), text.substr(0, 4));
  }
}

void read_a_changing_tree(const everything& of, file_system& files, std::uint64_t number) {
  std::mt19937_64 draw(seed() * 100 + number);
  buffer_pool buffers;
  while (of.goes_on()) {
    const std::string name = "shared/" + std::to_string(draw() % files_of_mount);
    const asset_path path{name, {hash64(name)}};
    switch (draw() % 5) {
      case 0: {
        EXPECT_TRUE(files.exists(path)) << "the base is always mounted";
        break;
      }
      case 1: {
        mount_id found[4];
        EXPECT_GE(files.providers(path, found), 1u);
        break;
      }
      case 2: {
        int seen = 0;
        ASSERT_TRUE(files.enumerate("shared"_path, [&seen](const folder_item&) {
          ++seen;
          return true;
        }));
        EXPECT_EQ(seen, files_of_mount);
        break;
      }
      case 3: {
        const result<opened_file> opened = files.open(path);
        EXPECT_TRUE(opened);
        if (draw() % 4 == 0) std::this_thread::yield();
        break;
      }
      default: {
        const result<blob> read = files.read_all(path, buffers);
        ASSERT_TRUE(read) << read.error().reason;
        expect_of_one_mount(*read);
      }
    }
  }
}

void change_a_tree(const everything& of, file_system& files, std::uint64_t number) {
  std::mt19937_64 draw(seed() * 200 + number);
  while (of.goes_on()) {
    const std::size_t mod = 1 + draw() % 3;
    result<mount_id> id = files.mount_memory(of.names[mod].c_str(), of.bytes_of(mod));
    ASSERT_TRUE(id) << id.error().reason;
    for (auto remounts = draw() % 3; remounts != 0; --remounts) {
      const std::size_t other = 1 + draw() % 3;
      const mount_request in{of.names[other].c_str(), {}, of.bytes_of(other)};
      const mount_id out = *id;
      ASSERT_TRUE(files.remount({&out, 1}, {&in, 1}, {&*id, 1}));
    }
    for (auto turns = draw() % 50; turns != 0; --turns) std::this_thread::yield();
    ASSERT_TRUE(files.unmount(*id));
  }
}

// Writes, reads, renames and removes files of its own.
void write_files(const everything& of, file_system& files, mount_id saves, std::uint64_t number) {
  std::mt19937_64 draw(seed() * 500 + number);
  buffer_pool buffers;
  const std::string names[2] = {"saves/a" + std::to_string(number),
                                "saves/b" + std::to_string(number)};
  const auto path_of = [](const std::string& name) { return asset_path{name, {hash64(name)}}; };
  while (of.goes_on()) {
    const std::string& name = names[draw() % 2];
    const std::string text(1 + draw() % 40'000, static_cast<char>('a' + draw() % 26));
    result<file_writer> to =
        file_writer::open(files, saves, path_of(name), write_kind::replace, {.sync = false});
    ASSERT_TRUE(to) << to.error().reason;
    ASSERT_TRUE(to->write(std::as_bytes(std::span(text))));
    ASSERT_TRUE(to->commit());
    std::string now = name;
    if (draw() % 3 == 0) {
      now = name == names[0] ? names[1] : names[0];
      ASSERT_TRUE(files.rename(saves, path_of(name), path_of(now)));
    }
    const result<blob> read = files.read_all(path_of(now), buffers);
    ASSERT_TRUE(read) << read.error().reason;
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(read->data()), read->size()), text);
    if (draw() % 3 == 0) {
      ASSERT_TRUE(files.remove(saves, path_of(now)));
      EXPECT_FALSE(files.exists(path_of(now)));
    }
  }
}

void watch_files(const everything& of, file_system& files, mount_id saves) {
  while (of.goes_on()) {
    result<file_watch> watch = file_watch::open(files);
    if (!watch) return;  // not on this system
    ASSERT_TRUE(watch->add(saves));
    for (int polls = 0; polls < 50; ++polls) {
      ASSERT_TRUE(watch->poll([saves](const file_change& change) {
        EXPECT_EQ(change.mount, saves);
        EXPECT_TRUE(change.path.starts_with("saves")) << change.path;
      }));
      std::this_thread::yield();
    }
  }
}

// A whole game after the other, on one pool and queue or on new ones.
void load_games(everything& of, std::uint64_t number) {
  std::mt19937_64 draw(seed() * 300 + number);
  while (of.goes_on()) {
    test::load_rig rig(of.os, {.workers = static_cast<unsigned>(draw() % 4),
                               .io_threads = static_cast<unsigned>(1 + draw() % 3)});
    ASSERT_TRUE(rig.files.mount_memory("base", of.bytes_of(0)));
    rig.mount({"/game"});
    for (auto times = 1 + draw() % 3; times != 0; --times) {
      load_scope scope(rig.files, rig.reads, rig.jobs);
      ASSERT_TRUE(scope.start());
      const auto end = draw() % 5;
      if (end == 0) rig.reads.suspend();
      for (auto turns = draw() % 30; turns != 0; --turns) std::this_thread::yield();
      if (end == 0) rig.reads.resume();
      if (end == 1) scope.cancel();
      if (end == 2) continue;  // left in the middle
      test::finish(scope);
      scope.for_each_file([end](const loaded_file& file) {
        const std::string outcome = test::outcome_of(file);
        EXPECT_TRUE(outcome == "ok" || (end == 1 && outcome == "cancelled")) << outcome;
      });
    }
  }
}

co_task<int> twice_when_open(barricade& door, shared_future<int> number) {
  co_await door;
  const result<int>& value = co_await number;
  co_return *value * 2;
}

void run_pools(const everything& of, std::uint64_t number) {
  std::mt19937_64 draw(seed() * 400 + number);
  while (of.goes_on()) {
    std::atomic<int> runs{0};
    int expected = 0;
    thread_pool pool({.workers = static_cast<unsigned>(1 + draw() % 3),
                      .wake = draw() % 2 == 0 ? wake_policy::park : wake_policy::warm});
    for (auto rounds = 1 + draw() % 20; rounds != 0; --rounds) {
      job_group group(pool);
      const int jobs = static_cast<int>(draw() % 20);
      for (int i = 0; i < jobs; ++i) {
        group.run([&runs] { runs.fetch_add(1, std::memory_order_relaxed); });
      }
      parallel_invoke(
          pool, [&runs] { runs.fetch_add(1, std::memory_order_relaxed); },
          [&runs] { runs.fetch_add(1, std::memory_order_relaxed); });
      auto made = *promise<int>::make();
      const auto twice =
          made.future().then(pool, [](const result<int>& value) { return *value * 2; });
      barricade door(draw() % 2 == 0 ? barricade::raised : barricade::lowered);
      const auto later = spawn(pool, twice_when_open(door, made.future()));
      group.run([&made] { made.set_value(21); });
      group.run([&door] { door.lower(); });
      group.wait();
      EXPECT_EQ(*twice->get(), 42);
      EXPECT_EQ(*later->get(), 42);
      expected += jobs + 2;
    }
    EXPECT_EQ(runs.load(), expected);
  }
}

TEST(everything_at_once, works_for_as_long_as_it_is_given) {
  everything of;
  file_system files;
  ASSERT_TRUE(files.mount_memory("base", of.bytes_of(0)));
  const temp_folder folder;
  const result<mount_id> saves = files.mount(folder.path(), {.at = "saves", .writable = true});
  ASSERT_TRUE(saves) << saves.error().reason;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] { read_a_changing_tree(of, files, i); });
    threads.emplace_back([&, i] { change_a_tree(of, files, i); });
    threads.emplace_back([&, i] { write_files(of, files, *saves, i); });
  }
  threads.emplace_back([&] { load_games(of, 0); });
  threads.emplace_back([&] { load_games(of, 1); });
  threads.emplace_back([&] { watch_files(of, files, *saves); });
  threads.emplace_back([&] { run_pools(of, 0); });
  for (std::thread& each : threads) each.join();
}

}  // namespace
}  // namespace overture::stress_test

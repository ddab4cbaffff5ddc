// SPDX-License-Identifier: Zlib
//
// A game and its plug-ins, each with a copy of Overture.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/threads/thread_slot.hpp"
#include "copies/plug_in.hpp"
#include "overture/jobs/coroutine.hpp"
#include "overture/jobs/job_graph.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/text/pages.hpp"
#include "overture/text/save.hpp"

namespace overture::copies_test {
namespace {

using namespace literals;
using test::plug_in_calls;

// Stays loaded: a plug-in's threads may.
const plug_in_calls& plug_in(const char* path) {
  void* const opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* const found = opened ? dlsym(opened, "overture_test_plug_in") : nullptr;
  if (!found) throw std::runtime_error(dlerror());
  return *static_cast<const plug_in_calls*>(found);
}

// Slots of several threads alive at once, in the game's copy and in the plug-in's.
std::vector<std::uint32_t> slots_in_both(const plug_in_calls& other) {
  constexpr std::uint32_t threads = 8;
  std::vector<std::uint32_t> slots(2 * threads);
  countdown taken{threads};
  std::vector<std::thread> all;
  for (std::uint32_t i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      slots[2 * i] = base_detail::thread_slot();
      slots[2 * i + 1] = other.thread_slot();
      taken.done();
      taken.wait();
    });
  }
  for (std::thread& each : all) each.join();
  return slots;
}

TEST(a_plug_in, that_awaits_a_barricade_goes_on_when_the_game_lowers_it) {
  const plug_in_calls& other = plug_in(SHARING);
  thread_pool jobs;
  barricade door{barricade::raised};
  std::atomic<int> passed{0};
  for (int i = 0; i < 3; ++i) (void)other.await(door, jobs, passed);
  const auto run_all = [&] {
    while (jobs.try_help()) {
    }
  };
  run_all();
  EXPECT_EQ(passed, 0);
  door.lower();
  run_all();
  EXPECT_EQ(passed, 3);
}

TEST(a_plug_in, gives_no_thread_a_number_that_the_game_has_given) {
  const auto slots = slots_in_both(plug_in(SHARING));
  EXPECT_EQ(std::set<std::uint32_t>(slots.begin(), slots.end()).size(), slots.size());
}

TEST(a_plug_in, whose_symbols_are_hidden_works_beside_the_game_and_shares_nothing) {
  const plug_in_calls& other = plug_in(HIDDEN);
  EXPECT_TRUE(other.works());
  const auto slots = slots_in_both(other);
  EXPECT_LT(std::set<std::uint32_t>(slots.begin(), slots.end()).size(), slots.size());
}

TEST(a_plug_in, of_another_version_works_beside_the_game_and_shares_nothing) {
  const plug_in_calls& other = plug_in(OTHER);
  EXPECT_TRUE(other.works());
  const auto slots = slots_in_both(other);
  EXPECT_LT(std::set<std::uint32_t>(slots.begin(), slots.end()).size(), slots.size());
}

// Closes the plug-in while a thread lives that has asked it for its slot. Returns whether that
// leaves it loaded.
template <class Call>
bool stays_loaded(const char* path, const char* symbol, Call slot_by) {
  void* const opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* const found = opened ? dlsym(opened, symbol) : nullptr;
  if (!found) throw std::runtime_error(dlerror());
  countdown used{1};
  countdown closed{1};
  std::thread user([&] {
    EXPECT_NE(slot_by(found), base_detail::shared_thread_slot);
    used.done();
    closed.wait();
  });
  used.wait();
  EXPECT_EQ(dlclose(opened), 0);
  void* const again = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  closed.done();
  user.join();
  return again != nullptr;
}

TEST(a_plug_in, that_is_linked_as_the_package_says_stays_loaded) {
  EXPECT_TRUE(stays_loaded(HIDDEN, "overture_test_plug_in", [](void* calls) {
    return static_cast<const plug_in_calls*>(calls)->thread_slot();
  }));
}

TEST(a_plug_in, may_be_unloaded_before_a_thread_that_has_used_it_ends) {
  EXPECT_FALSE(stays_loaded(UNLOADED, "overture_test_thread_slot", [](void* call) {
    return reinterpret_cast<std::uint32_t (*)()>(call)();
  }));
}

TEST(a_pool_of_another_version, is_refused) {
  job_system& jobs = plug_in(OTHER).pool();
  EXPECT_FALSE(jobs.is_of_this_version());

  job_graph graph{jobs};
  ASSERT_TRUE(graph.add([] {}));
  EXPECT_EQ(graph.run().error().code, errc::unsupported);

  const auto begun = spawn(jobs, []() -> co_task<int> { co_return 1; }());
  EXPECT_EQ(begun.error().code, errc::unsupported);

  file_system files;
  const read_queue woken{files, {.threads = 1, .wake_ahead = &jobs}};
  EXPECT_EQ(woken.status().error().code, errc::unsupported);

  ASSERT_TRUE(files.freeze());
  read_queue reads{files};
  load_scope scope{files, reads, jobs};
  EXPECT_EQ(scope.start().error().code, errc::unsupported);
  EXPECT_EQ(scope.pump({}), 0u);
}

TEST(a_pool_of_another_version, neither_writes_nor_reads_text) {
  job_system& jobs = plug_in(OTHER).pool();
  text::page_table table;
  ASSERT_TRUE(table.prepare(1, 1));
  char buffer[100];
  const auto write_page = [](std::size_t, char* out, const char*) { return out; };
  EXPECT_EQ(text::write_pages(&jobs, table, buffer, text::layout::dense, write_page).error().code,
            errc::unsupported);
  const auto read_page = [](std::size_t, std::string_view) { return error{}; };
  EXPECT_EQ(text::read_pages(&jobs, table, "", 1, read_page).error().code, errc::unsupported);

  struct unit {
    int number = 0;
  };
  paged<unit> units;
  ASSERT_TRUE(units.add());
  EXPECT_EQ(text::write<text::script<"unit">>(jobs, units, std::span(buffer)).error().code,
            errc::unsupported);
  text::save_writer out{1};
  EXPECT_EQ(out.add<text::script<"unit">>(jobs, "units", units).error().code, errc::unsupported);
  text::save_file save;
  EXPECT_EQ(save.load_bytes("", {.version = 1, .jobs = &jobs}).error().code, errc::unsupported);
}

TEST(a_queue_of_another_version, is_refused) {
  read_queue& reads = plug_in(OTHER).queue();
  EXPECT_FALSE(reads.is_of_this_version());
  EXPECT_EQ(reads.status().error().code, errc::unsupported);
  file_system files;
  buffer_pool buffers;
  EXPECT_EQ(files.read_all("a.txt"_path, buffers, reads).error().code, errc::unsupported);
  ASSERT_TRUE(files.freeze());
  thread_pool jobs;
  load_scope scope{files, reads, jobs};
  EXPECT_EQ(scope.start().error().code, errc::unsupported);
}

TEST(a_plug_in, of_another_version_refuses_the_pool_of_the_game) {
  thread_pool jobs;
  barricade door;
  std::atomic<int> passed{0};
  EXPECT_EQ(plug_in(OTHER).await(door, jobs, passed), errc::unsupported);
  EXPECT_EQ(passed, 0);
}

}  // namespace
}  // namespace overture::copies_test

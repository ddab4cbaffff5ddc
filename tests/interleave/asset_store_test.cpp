// SPDX-License-Identifier: Zlib
//
// The shipped store beside a thread that reads for it: each asset becomes ready, and the store ends
// after that thread has returned to it for the last time.
#include <gtest/gtest.h>

#include <optional>

#include "assets/file_fetch.hpp"
#include "assets/store_core.hpp"
#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "interleave/few_jobs.hpp"
#include "load/file_read.hpp"
#include "overture/base/blob.hpp"

namespace overture {

namespace {

// Of the program that runs.
bool all_cached = false;
executor* first_read = nullptr;

}  // namespace

result<void> load_record::add(const recorded_file&) noexcept {
  return {};
}
std::size_t file_system::mount_count() const noexcept {
  return 1;
}

namespace load_detail {

// A read of a file has no bytes, and a job ends it. The thread that reads queues that job for the
// first read, unless all files are cached; the others are.
void file_read::start(const asset_path&) noexcept {
  if (all_cached || first_read != nullptr) return execute({});
  first_read = this;
}
void file_read::execute(task) noexcept {
  run_later({[](void* self) noexcept { static_cast<file_read*>(self)->read(); }, this});
}
void file_read::read() noexcept {
  ended(blob());
}
bool file_read::try_room() noexcept {
  return true;
}
void file_read::give_room_back() noexcept {}
void file_read::run_later(task) noexcept {}

}  // namespace load_detail

namespace assets_detail {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;

class number_loader final : public loader<int> {
 public:
  result<int> decode(std::span<const std::byte>, load_context&) override { return 1; }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }
};

// Neither is used.
alignas(file_system) std::byte tree[sizeof(file_system)];
alignas(read_queue) std::byte queue[sizeof(read_queue)];

class explored_store {
 public:
  explicit explored_store(unsigned files_max = 2)
      : fetch_(std::in_place, reinterpret_cast<file_system&>(tree),
               reinterpret_cast<read_queue&>(queue), jobs, default_allocator()),
        core_(std::in_place,
              store_means{.files = *fetch_,
                          .jobs = jobs,
                          .budget = budget_,
                          .counts_files = true,
                          .memory = default_allocator()},
              asset_store_config{.files_max = files_max, .background_threads = 0}) {
    all_cached = false;
    first_read = nullptr;
    check(core_->add(numbers_).has_value(), "added");
  }

  [[nodiscard]] slot& get(std::uint64_t id, asset_priority priority = asset_priority::normal) {
    slot* const found =
        core_->ask({.text = "a", .id = {id}}, &overture::detail::type_mark<int>, priority);
    check(found != nullptr, "there is memory");
    return *found;
  }
  void raise(slot& one, asset_priority to) { core_->raise(one, to); }
  void drop(slot& one) { overture::detail::drop_handle(one); }
  // Begins the first read.
  void begin() { check(jobs.run_one() && first_read != nullptr, "a read has begun"); }
  // On the thread that reads.
  void read() { first_read->execute({}); }
  // Runs jobs until it is ready. One thread at a time.
  void wait_for(slot& one) {
    while (!is_settled(one)) {
      if (!jobs.run_one()) interleave::let_others_run();
    }
    check(one.state.load() == asset_state::ready, "it is ready");
  }
  void end() {
    core_.reset();
    fetch_.reset();
  }

  test::few_jobs jobs;

 private:
  number_loader numbers_;
  memory_ledger budget_{1u << 20};
  std::optional<file_fetcher> fetch_;
  std::optional<store_core> core_;
};

// The job of raise() may take what the thread that reads has put in a line, and end the read.
TEST(a_store_in_all_interleavings, ends_after_the_threads_that_tell_it_of_reads) {
  expect_clean_nearby([] {
    explored_store store;
    slot& one = store.get(1, asset_priority::low);
    store.begin();
    run({[&] { store.read(); },
         [&] {
           store.raise(one, asset_priority::high);
           store.drop(one);
           store.end();
         }});
  });
}

TEST(a_store_in_all_interleavings, loads_an_asset_that_is_asked_for_again_while_it_is_read) {
  expect_clean_nearby([] {
    explored_store store;
    slot& one = store.get(1);
    store.begin();
    run({[&] { store.read(); }, [&] { (void)store.jobs.run_one(); },
         [&] {
           store.drop(one);
           store.wait_for(store.get(1));
         }});
    store.drop(one);
    store.end();
  });
}

TEST(a_store_in_all_interleavings, reads_each_file_though_only_one_may_be_in_memory) {
  expect_clean_nearby([] {
    explored_store store(1);
    slot& one = store.get(1);
    store.begin();
    run({[&] { store.read(); }, [&] { (void)store.jobs.run_one(); },
         [&] {
           slot& other = store.get(2);
           store.wait_for(other);
           store.wait_for(one);
           store.drop(other);
         }});
    store.drop(one);
    store.end();
  });
}

// The job that began the read of the first may be about to end.
TEST(a_store_in_all_interleavings, reads_what_is_asked_for_after_another_is_ready) {
  expect_clean_nearby([] {
    explored_store store;
    all_cached = true;
    slot& one = store.get(1);
    run({[&] { (void)store.jobs.run_one(); },
         [&] {
           store.wait_for(one);
           slot& other = store.get(2);
           store.wait_for(other);
           store.drop(other);
         }});
    store.drop(one);
    store.end();
  });
}

}  // namespace
}  // namespace assets_detail
}  // namespace overture

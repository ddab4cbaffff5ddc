// SPDX-License-Identifier: Zlib
//
// The shipped store beside a thread that reads for it: each asset becomes ready, and the store ends
// after that thread has returned to it for the last time.
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <utility>

#include "assets/file_fetch.hpp"
#include "assets/store_core.hpp"
#include "interleave/expect.hpp"
#include "interleave/explored_files.hpp"
#include "interleave/explorer.hpp"
#include "interleave/few_jobs.hpp"
#include "load/file_read.hpp"
#include "overture/base/blob.hpp"

namespace interleave {

bool all_cached = false;
overture::executor* first_read = nullptr;
std::uint64_t file_bytes = 0;

}  // namespace interleave

namespace overture {

using interleave::all_cached;
using interleave::file_bytes;
using interleave::first_read;

result<void> load_record::add(const recorded_file&) noexcept {
  return {};
}
std::size_t file_system::mount_count() const noexcept {
  return 1;
}
std::size_t read_queue::poll(std::size_t) noexcept {
  return 0;
}
detail::asset_head* asset_context::ask(const asset_path& path, const detail::asset_wanted& what,
                                       detail::naming how) noexcept {
  assets_detail::slot& one = static_cast<assets_detail::slot&>(of_);
  return one.store->ask(path, what, asset_priority::background, {.parent = &one, .as = how});
}

namespace load_detail {

// A read of a file has no bytes, and a job ends it. The thread that reads queues that job for the
// first read, unless all files are cached; the others are.
void file_read::start(const asset_path&) noexcept {
  if (!may_read(file_bytes)) return ended(fail(errc::limit, "no room"));
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
void file_read::end(result<blob> outcome) noexcept {
  ended(std::move(outcome));
}
void file_read::run_later(task) noexcept {}

}  // namespace load_detail

namespace assets_detail {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;

template <class T>
class number_loader final : public loader<T> {
 public:
  result<T> decode(std::span<const std::byte>, load_context&) override { return T{1}; }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }
};

class explored_store {
 public:
  explicit explored_store(unsigned files_max = 2)
      : fetch_(std::in_place, interleave::no_files(), interleave::no_reads(), jobs,
               default_allocator(), 0),
        core_(std::in_place,
              store_means{.files = *fetch_,
                          .jobs = jobs,
                          .budget = budget_,
                          .counts_files = true,
                          .memory = default_allocator()},
              asset_store_config{.files_max = files_max, .background_threads = 0}) {
    all_cached = false;
    first_read = nullptr;
    file_bytes = 0;
    check(core_->add(numbers_).has_value() && core_->add(letters_).has_value(), "added");
  }

  template <class T = int>
  [[nodiscard]] slot& get(std::uint64_t id, asset_priority priority = asset_priority::normal) {
    slot* const found =
        core_->ask({.text = "a", .id = {id}}, {.type = &overture::detail::type_of<T>}, priority);
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
  number_loader<int> numbers_;
  number_loader<char> letters_;
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

// One that the other shares may be dropped, and what becomes urgent raises both.
TEST(a_store_in_all_interleavings, shares_a_read_beside_drops_and_raises) {
  for (const bool drops_the_reader : {false, true}) {
    expect_clean_nearby([&] {
      explored_store store;
      slot& number = store.get(1);
      slot& letter = store.get<char>(1);
      store.begin();
      slot& dropped = drops_the_reader ? number : letter;
      slot& kept = drops_the_reader ? letter : number;
      run({[&] { store.read(); }, [&] { (void)store.jobs.run_one(); },
           [&] {
             store.drop(dropped);
             store.raise(kept, asset_priority::high);
             store.wait_for(kept);
           }});
      store.drop(kept);
      store.end();
    });
  }
}

TEST(a_store_in_all_interleavings, shows_a_value_no_later_than_that_it_is_ready) {
  expect_clean_nearby([] {
    explored_store store;
    all_cached = true;
    slot& one = store.get(1);
    run({[&] {
           while (store.jobs.run_one()) {
           }
         },
         [&] {
           for (int i = 0; i < 2; ++i) {
             const bool is_ready = one.state.load(std::memory_order_acquire) == asset_state::ready;
             const void* const shown = one.shown.load(std::memory_order_acquire);
             check(!is_ready || shown != nullptr, "what is ready is shown");
             if (shown != nullptr) check(*static_cast<const int*>(shown) == 1, "as it was made");
             interleave::let_others_run();
           }
         }});
    store.wait_for(one);
    store.drop(one);
    store.end();
  });
}
}  // namespace
}  // namespace assets_detail
}  // namespace overture

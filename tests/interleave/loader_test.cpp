// The shipped admission of files: no file waits for room that is there, whoever looks last.
#include "load/loader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/vec.hpp"
#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "overture/sync/event_count.hpp"

namespace overture {

// A file is an amount of room, so there is no tree, and nothing in it to open.
opened_file::opened_file(opened_file&&) noexcept {}
opened_file& opened_file::operator=(opened_file&&) noexcept {
  return *this;
}
opened_file::~opened_file() = default;
std::uint64_t opened_file::block_room() const noexcept {
  return 0;
}
bool opened_file::hold_block(std::uint64_t) noexcept {
  return true;
}
void opened_file::take_ticket(bool&) noexcept {}
void opened_file::release_block(bool&) noexcept {}
memory_ledger* file_system::ledger() const noexcept {
  return nullptr;
}
void file_system::fetch_ahead(entry_index) const noexcept {}
std::span<const decoder* const> all_decoders() noexcept {
  return {};
}

namespace load_detail {
namespace {

using interleave::at_once;
using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;

// A loader takes a 32nd of it as credit for files that are smaller.
constexpr std::uint64_t room = 640;
constexpr std::uint64_t small_file = 12;
constexpr std::uint64_t read_later = 13;   // another job ends it
constexpr std::uint64_t large_file = 630;  // does not fit while a loader has credit

// Jobs that threads of the explorer run.
class few_jobs final : public job_system {
 public:
  void submit(job work, job_group* group, const job_options&) noexcept override {
    group->begin_job();
    const std::uint32_t number = submitted_.fetch_add(1);
    check(number < jobs_.size(), "few jobs");
    jobs_[number].work = std::move(work);
    jobs_[number].state.store(queued);
    changed_.notify_one();
  }
  void wait(job_group& group) noexcept override {
    for (;;) {
      if (run_one(group)) continue;
      bool found = false;
      const auto key = changed_.prepare_wait();
      for (auto& each : jobs_) found = found || each.state.load() == queued;
      if (found || group.pending() == 0) {
        changed_.cancel_wait();
        if (!found) return;
        continue;
      }
      changed_.wait(key, at_once);
    }
  }
  bool wait_until(job_group& group, std::uint64_t) noexcept override {
    wait(group);
    return true;
  }
  // While a thread is between taking an item and counting it, others look for it in a loop, in
  // which this is called.
  [[nodiscard]] OVERTURE_UNWATCHED unsigned concurrency() const noexcept override {
    if (looks_left_ == 0) {
      interleave::let_others_run();
    } else {
      --looks_left_;
    }
    return loaders_max;
  }
  void set_idle_reason(const char*) noexcept override {}
  unsigned loaders_max = 2;
  // What ends without a job, as does an item that is dropped.
  void look() noexcept { changed_.notify_all(); }

 private:
  enum : std::uint32_t { none, queued, taken };
  struct slot {
    job work;
    atomic<std::uint32_t> state{none};
  };

  [[nodiscard]] bool run_one(job_group& group) noexcept {
    for (auto& each : jobs_) {
      std::uint32_t expected = queued;
      if (!each.state.compare_exchange_strong(expected, taken)) {
        if (expected == none) return false;
        continue;
      }
      each.work();
      if (group.end_job()) changed_.notify_all();
      return true;
    }
    return false;
  }

  std::array<slot, 16> jobs_;
  mutable unsigned looks_left_ = 40;
  atomic<std::uint32_t> submitted_{0};
  event_count changed_;
};

// Neither is used.
alignas(file_system) std::byte tree[sizeof(file_system)];
alignas(read_queue) std::byte queue[sizeof(read_queue)];
struct no_queue {
  std::size_t cancel_tag(std::uint64_t, std::uint64_t) noexcept { return 0; }
};

// A ledger of which others have the ticket, and perhaps all room.
class busy_ledger {
 public:
  busy_ledger() {
    check(shared.take(room, memory_tag::decode, fits_) && !fits_, "takes all room");
    check(shared.take(1, memory_tag::decode, ticket_) && ticket_, "and the ticket");
  }
  void give_room_back() { shared.give_back(room + 1, memory_tag::decode); }
  void give_ticket_back() { shared.end_item(ticket_); }

  memory_ledger shared{room};

 private:
  bool fits_ = false;
  bool ticket_ = false;
};

class small_load {
 public:
  // `items_max`: so many files may be in flight.
  small_load(memory_ledger& shared, std::initializer_list<std::uint64_t> files,
             std::uint32_t items_max = 4)
      : load(reinterpret_cast<file_system&>(tree), reinterpret_cast<read_queue&>(queue), jobs,
             {.ledger = &shared}, default_allocator()) {
    check(load.records.resize(files.size()) && load.order.resize(files.size()), "has room");
    load.items = items_.data();
    load.item_count = std::min(static_cast<std::uint32_t>(files.size()), items_max);
    for (std::uint32_t i = 0; i < files.size(); ++i) {
      load.records[i].packed_bytes = files.begin()[i];
      load.order[i] = i;
    }
    for (std::uint32_t i = 0; i < load.item_count; ++i) {
      items_[i].load = &load;
      items_[i].index = i;
      load.free_items.push(i, load.item_links());
    }
    load.free_count.store(load.item_count);
    load.ledger.join(load.room);
    loader::spawn(load);
    loader::spawn(load);
  }
  ~small_load() {
    load.ledger.leave(load.room);
    work();  // a loader that room has started when there was nothing left
    check(load.group.pending() == 0, "nothing waits");
    for (auto& kept : load.scratch) {
      base_detail::destroy_object(default_allocator(), memory_tag::load, kept.load());
    }
  }
  void work() { jobs.wait(load.group); }
  void check_loaded() { check(load.files_done.load() == load.entry_count(), "all were loaded"); }

  few_jobs jobs;
  load_state load;

 private:
  std::array<load_item, 4> items_;
};

TEST(a_load_in_all_interleavings, begins_a_file_that_another_loaders_credit_had_no_room_for) {
  expect_clean_nearby([] {
    busy_ledger ledger;
    ledger.give_room_back();
    {
      small_load files(ledger.shared, {large_file, small_file, small_file});
      run({[&] { files.work(); }, [&] { files.work(); }});
      files.check_loaded();
    }
    check(ledger.shared.used() == 0, "all room was given back");
    ledger.give_ticket_back();
  });
}

TEST(a_load_in_all_interleavings, begins_files_of_which_no_two_fit) {
  expect_clean_nearby([] {
    busy_ledger ledger;
    ledger.give_room_back();
    {
      small_load files(ledger.shared, {large_file, large_file, large_file});
      run({[&] { files.work(); }, [&] { files.work(); }});
      files.check_loaded();
    }
    check(ledger.shared.used() == 0, "all room was given back");
    ledger.give_ticket_back();
  });
}

TEST(a_load_in_all_interleavings, hears_of_room_and_of_the_ticket_that_others_give_back) {
  for (const bool of_room : {true, false}) {
    expect_clean_nearby([of_room] {
      busy_ledger ledger;
      {
        small_load files(ledger.shared, {large_file, large_file});
        run({[&] { files.work(); },
             [&] { of_room ? ledger.give_room_back() : ledger.give_ticket_back(); }});
        files.check_loaded();
      }
      of_room ? ledger.give_ticket_back() : ledger.give_room_back();
      check(ledger.shared.used() == 0, "all room was given back");
    });
  }
}

TEST(a_load_in_all_interleavings, hears_of_room_though_it_has_all_its_loaders) {
  expect_clean_nearby([] {
    busy_ledger ledger;
    {
      small_load files(ledger.shared, {large_file, large_file});
      files.jobs.loaders_max = 1;
      run({[&] { files.work(); }, [&] { files.work(); }, [&] { ledger.give_room_back(); }});
      files.check_loaded();
    }
    ledger.give_ticket_back();
    check(ledger.shared.used() == 0, "all room was given back");
  });
}

// The job that ends a file finds as many loaders as there may be, of which each looked before.
TEST(a_load_in_all_interleavings, begins_a_file_with_the_item_of_one_that_was_read) {
  expect_clean_nearby([] {
    memory_ledger ledger(room);
    {
      small_load files(ledger, {read_later, read_later}, 1);
      files.jobs.loaders_max = 1;
      run({[&] { files.work(); }, [&] { files.work(); }});
      files.check_loaded();
    }
    check(ledger.used() == 0, "all room was given back");
  });
}

TEST(a_load_in_all_interleavings, leaves_nothing_waiting_when_it_is_cancelled) {
  expect_clean_nearby([] {
    busy_ledger ledger;
    {
      small_load files(ledger.shared, {large_file, large_file});
      run({[&] { files.work(); },
           [&] {
             no_queue reads;
             files.load.cancelling.cancel(reads);
             drop_waiting(files.load);
             files.jobs.look();
           }});
    }
    ledger.give_room_back();
    ledger.give_ticket_back();
  });
}

}  // namespace

void advance(loader& by, load_item& item) noexcept {
  const std::uint64_t bytes = by.load.records[item.entry].packed_bytes;
  if (!by.reserve(item, bytes)) return;
  if (bytes != read_later) return by.retire(item);
  by.load.group.run([&item] {
    loader here(*item.load);
    here.retire(item);
    here.run();
  });
}

}  // namespace load_detail
}  // namespace overture

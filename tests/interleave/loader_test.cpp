// SPDX-License-Identifier: Zlib
//
// The shipped admission of files: no file waits for room that is there, whoever looks last.
#include "load/loader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "archives/block_store.hpp"
#include "base/vec.hpp"
#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "interleave/few_jobs.hpp"
#include "support/refusing_os.hpp"

namespace overture {

namespace {

// Two blocks that are larger than any ledger here.
class two_blocks final : public archives_detail::block_store {
 public:
  explicit two_blocks(memory_ledger& ledger)
      : block_store(default_allocator(), none_, no_file_), ledger_(ledger) {
    for (int i = 0; i < 2; ++i) interleave::check(add_block(small_bytes).has_value(), "added");
    use_ledger(ledger);
    used = this;
  }
  ~two_blocks() override { used = nullptr; }
  result<void> unpack(std::uint32_t, std::span<std::byte> to, reading,
                      std::size_t& made) noexcept override {
    made = to.size();
    return {};
  }
  [[nodiscard]] memory_ledger& ledger() const noexcept { return ledger_; }

  static inline two_blocks* used = nullptr;

 private:
  test::refusing_os none_;
  archives_detail::owned_handle no_file_;
  memory_ledger& ledger_;
};

}  // namespace

// A file is an amount of room, and perhaps a place in a block: there is no tree.
opened_file::opened_file(opened_file&& other) noexcept {
  *this = std::move(other);
}
opened_file& opened_file::operator=(opened_file&& other) noexcept {
  store_ = other.store_;
  place_.offset = other.place_.offset;
  holds_block_ = other.holds_block_;
  return *this;
}
opened_file::~opened_file() = default;
result<opened_file> file_system::open(entry_index entry) noexcept {
  opened_file file;
  file.store_ = two_blocks::used;
  file.place_.offset = entry;
  return file;
}
std::uint64_t opened_file::block_room() const noexcept {
  return store_ && !holds_block_ ? store_->missing_room(place_.offset) : 0;
}
bool opened_file::hold_block(std::uint64_t more, bool& ticket) noexcept {
  if (!store_ || holds_block_) return true;
  holds_block_ = store_->hold_block(place_.offset, more, ticket);
  return holds_block_;
}
bool opened_file::block_has_ticket() const noexcept {
  return holds_block_ && store_->has_ticket(place_.offset);
}
void opened_file::release_block() noexcept {
  if (std::exchange(holds_block_, false)) store_->release_block(place_.offset);
}
memory_ledger* file_system::ledger() const noexcept {
  return two_blocks::used ? &two_blocks::used->ledger() : nullptr;
}
void file_system::fetch_ahead(entry_index) const noexcept {}
std::span<const decoder* const> all_decoders() noexcept {
  return {};
}

namespace load_detail {
namespace {

using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::expect_clean_nearby;
using interleave::explore;
using interleave::run;
using test::few_jobs;

// How often a file had to wait. Neither atomic nor watched, as fibres share a thread.
class wait_count {
 public:
  OVERTURE_UNWATCHED void reset() { value_ = 0; }
  OVERTURE_UNWATCHED void add_one() { ++value_; }
  [[nodiscard]] OVERTURE_UNWATCHED unsigned value() const { return value_; }

 private:
  unsigned value_ = 0;
};
wait_count waits;

// A loader takes a 32nd of it as credit for files that are smaller.
constexpr std::uint64_t room = 640;
constexpr std::uint64_t small_file = 12;
constexpr std::uint64_t read_later = 13;   // another job ends it
constexpr std::uint64_t large_file = 630;  // does not fit while a loader has credit
constexpr std::uint64_t in_block = 100;    // or 101: a file in that block, which another job reads

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
    check(load.records.make(files.size()) && load.order.resize(files.size()), "has room");
    load.items = items_.data();
    load.item_count = std::min(static_cast<std::uint32_t>(files.size()), items_max);
    for (std::uint32_t i = 0; i < files.size(); ++i) {
      load.records[i].packed_bytes = files.begin()[i];
      load.order[i] = i;
      load.records[i].entry = i;
    }
    for (std::uint32_t i = 0; i < load.item_count; ++i) {
      items_[i].load = &load;
      items_[i].index = i;
      load.free_items.items.push(i, load.item_links());
    }
    load.free_items.count.store(load.item_count);
    load.ledger.join(load.room);
    if (&load.block_ledger != &load.ledger) load.block_ledger.join(load.block_room);
    loader::spawn(load);
    loader::spawn(load);
  }
  ~small_load() {
    load.ledger.leave(load.room);
    if (&load.block_ledger != &load.ledger) load.block_ledger.leave(load.block_room);
    work();  // a loader that room has started when there was nothing left
    check(load.group.pending() == 0, "nothing waits");
  }
  void work() { jobs.wait(load.group); }
  void check_loaded() { check(load.files_done.load() == load.file_count(), "all were loaded"); }

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

// The block has the ledger's ticket while other files wait, which must not leave them waiting.
TEST(a_load_in_all_interleavings, reads_blocks_of_which_each_exceeds_the_budget) {
  for (const bool one_ledger : {true, false}) {
    expect_clean_nearby([one_ledger] {
      memory_ledger ledger(room);
      memory_ledger other(room);
      {
        two_blocks blocks(ledger);
        {
          small_load files(one_ledger ? ledger : other,
                           {in_block, in_block, in_block + 1, in_block + 1});
          run({[&] { files.work(); }, [&] { files.work(); }});
          files.check_loaded();
        }
      }
      check(ledger.used() == 0 && other.used() == 0, "all room was given back");
    });
  }
}

// Both files have asked for room before either has the block; what the later one took with the
// ticket is too much.
TEST(a_load_in_all_interleavings, gives_back_room_for_a_block_that_another_file_unpacks) {
  expect_clean_nearby([] {
    memory_ledger ledger(two_blocks::small_bytes * 3 / 2);
    {
      two_blocks blocks(ledger);
      {
        small_load files(ledger, {in_block, in_block});
        run({[&] { files.work(); }, [&] { files.work(); }});
        files.check_loaded();
      }
    }
    check(ledger.used() == 0, "all room was given back");
  });
}

TEST(a_load_in_all_interleavings, lets_no_file_wait_for_what_its_own_loader_holds) {
  expect_clean_and_complete(explore({}, [] {
    busy_ledger ledger;
    ledger.give_room_back();
    {
      small_load files(ledger.shared, {small_file, large_file, small_file, large_file});
      files.jobs.loaders_max = 1;
      waits.reset();
      run({[&] { files.work(); }});
      files.check_loaded();
      check(waits.value() == 0, "there was room for each");
    }
    ledger.give_ticket_back();
  }));
}

TEST(a_load_in_all_interleavings, begins_each_file_once_that_was_raised_to_the_front) {
  expect_clean_nearby([] {
    memory_ledger ledger(room);
    {
      small_load files(ledger, {small_file, small_file, small_file});
      for (const std::uint32_t raised : {1u, 2u}) {
        files.load.front.items.push(raised, files.load.file_links());
        files.load.front.count.fetch_add(1);
      }
      run({[&] { files.work(); }, [&] { files.work(); }});
      files.check_loaded();
      check(files.load.front.size() == 0, "none is counted there any more");
    }
    check(ledger.used() == 0, "all room was given back");
  });
}

TEST(a_load_in_all_interleavings, counts_each_read_that_comes_once) {
  expect_clean_and_complete(explore({}, [] {
    memory_ledger ledger(room);
    {
      small_load files(ledger, {small_file});
      files.load.reads_outstanding.store(2);
      load_item item;
      item.load = &files.load;
      run({[&] {
        files.load.group.begin_job();
        files.load.arrivals.execute(
            {[](void* of) noexcept { (void)static_cast<load_item*>(of)->load->group.end_job(); },
             &item});
        files.work();
      }});
      check(files.load.reads_arrived.load() == 1, "one has come");
      check(files.load.reads_outstanding.load() == 1, "one is on its way");
      files.load.reads_outstanding.store(0);
      files.load.reads_arrived.store(0);
    }
  }));
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
  const std::uint64_t bytes = by.load.records[item.number].packed_bytes;
  if (bytes >= in_block && bytes <= in_block + 1 && std::exchange(item.stage, 1) == 0) {
    const auto block = static_cast<entry_index>(bytes - in_block);
    item.file = *by.load.files.open(block * static_cast<entry_index>(two_blocks::small_bytes));
  }
  if (!by.take_room(item, bytes)) {
    waits.add_one();
    return by.wait_for_room(item);
  }
  if (bytes != read_later && item.stage == 0) return by.retire(item);
  by.load.group.run([&item] {
    loader here(*item.load);
    if (item.stage == 1) {
      two_blocks& blocks = *two_blocks::used;
      std::byte byte{};
      check(blocks.read_at(os_handle{1}, item.file.place().offset, {&byte, 1}).has_value(), "read");
      item.file.release_block();
    }
    here.retire(item);
    here.run();
  });
}

}  // namespace load_detail
}  // namespace overture

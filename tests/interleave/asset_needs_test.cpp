// SPDX-License-Identifier: Zlib
//
// The shipped store with assets that need others, beside drops, raises, reloads and its end.
#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include "assets/file_fetch.hpp"
#include "assets/store_core.hpp"
#include "interleave/expect.hpp"
#include "interleave/explored_files.hpp"
#include "interleave/explorer.hpp"
#include "interleave/few_jobs.hpp"
#include "overture/base/hash.hpp"

namespace overture::assets_detail {
namespace {

using interleave::all_cached;
using interleave::check;
using interleave::expect_clean_nearby;
using interleave::file_bytes;
using interleave::first_read;
using interleave::run;

// What a node needs is in its name: "ab" needs "b"; "*ab" takes two steps to finalize.
struct node {
  explicit node(atomic<int>* all) noexcept : alive(all) {
    alive->fetch_add(1, std::memory_order_relaxed);
  }
  node(node&& other) noexcept
      : alive(std::exchange(other.alive, nullptr)), needs(std::move(other.needs)) {}
  node& operator=(node&&) = delete;
  ~node() {
    if (alive != nullptr) alive->fetch_sub(1, std::memory_order_relaxed);
    alive = nullptr;
  }

  atomic<int>* alive;
  asset<node> needs;
  int steps = 0;
  bool is_built = false;
};

class node_loader final : public loader<node> {
 public:
  explicit node_loader(bool is_free) noexcept : is_free_(is_free) {}

  result<node> decode(std::span<const std::byte>, load_context& context) override {
    std::string_view name = context.path().text;
    node made(&alive);
    if (name.starts_with('*')) name.remove_prefix(1);
    if (name == "x") made.needs = context.need<node>(path_of("y"));
    if (name == "y") made.needs = context.need<node>(path_of("x"));
    if (name.size() == 2) made.needs = context.need<node>(path_of(name.substr(1)));
    return made;
  }
  // Uses what it needs, and another thread may run meanwhile.
  result<void> build(node& value, asset_context&) override {
    const node* const used = value.needs.get();
    interleave::let_others_run();
    check(!value.needs.valid() || (used != nullptr && used->alive != nullptr), "it stays");
    check(!std::exchange(value.is_built, true), "built once");
    return {};
  }
  [[nodiscard]] bool builds() const noexcept override { return has_build; }
  result<finalize_step> finalize(node& value, std::chrono::nanoseconds) override {
    check(value.is_built == has_build, "built before");
    const bool is_short = value.steps++ > 0 || !takes_two_steps;
    return is_short ? finalize_step::done : finalize_step::again;
  }
  void unload(node& value) override { check(value.steps > 0, "only what was finalized"); }
  [[nodiscard]] bool free_threaded() const noexcept override { return is_free_; }
  [[nodiscard]] static asset_path path_of(std::string_view name) noexcept {
    return {name, {hash64(name)}};
  }

  bool takes_two_steps = false;
  bool has_build = false;
  atomic<int> alive{0};

 private:
  bool is_free_;
};

// A store of nodes. Its main thread is the one that calls pump().
class explored_nodes {
 public:
  explicit explored_nodes(bool is_free = true, std::uint64_t budget_bytes = 1u << 20,
                          bool has_build = false)
      : loader(is_free),
        budget_(budget_bytes),
        fetch_(std::in_place, interleave::no_files(), interleave::no_reads(), jobs,
               default_allocator(), 0),
        core_(std::in_place,
              store_means{.files = *fetch_,
                          .jobs = jobs,
                          .budget = budget_,
                          .counts_files = true,
                          .memory = default_allocator()},
              asset_store_config{.keep_bytes = 0,
                                 .background_threads = 0,
                                 .reload_delay = std::chrono::nanoseconds(0)}) {
    all_cached = true;
    first_read = nullptr;
    file_bytes = 0;
    loader.has_build = has_build;
    check(core_->add(loader).has_value(), "added");
  }

  [[nodiscard]] slot& get(std::string_view name, asset_priority priority = asset_priority::normal) {
    slot* const found = core_->ask(node_loader::path_of(name),
                                   {.type = &overture::detail::type_of<node>}, priority);
    check(found != nullptr, "there is memory");
    return *found;
  }
  void drop(slot& one) { overture::detail::drop_handle(one); }
  void raise(slot& one, asset_priority to) { core_->raise(one, to); }
  void set_priority(slot& one, asset_priority to) {
    struct as_made_of_a_handle {
      asset_priority to;
      overture::detail::asset_head* head;
    };
    const auto change = std::bit_cast<priority_change>(as_made_of_a_handle{to, &one});
    check(change.to == to && change.head() == &one, "that is how it is made");
    core_->set_priorities({&change, 1});
  }
  void reload(std::string_view name) { core_->reload(node_loader::path_of(name)); }
  void pump() { core_->pump(std::chrono::nanoseconds(0)); }
  // Runs jobs, and pumps, until it has settled. One thread at a time.
  void settle(slot& one) {
    while (!is_settled(one)) {
      if (!jobs.run_one()) interleave::let_others_run();
      pump();
    }
  }
  void run_jobs() {
    while (jobs.run_one()) {
    }
  }
  [[nodiscard]] std::uint64_t taken() const { return budget_.used(); }
  void end() {
    core_.reset();
    fetch_.reset();
    check(loader.alive.load() == 0, "every value was destroyed");
    check(budget_.used() == 0, "all room was given back");
  }

  test::few_jobs jobs;
  node_loader loader;

 private:
  memory_ledger budget_;
  std::optional<file_fetcher> fetch_;
  std::optional<store_core> core_;
};

TEST(a_store_in_all_interleavings, unloads_what_was_given_up_with_what_it_needs) {
  expect_clean_nearby([] {
    explored_nodes store;
    slot& parent = store.get("ab");
    run({[&] { (void)store.jobs.run_one(); }, [&] { store.drop(parent); },
         [&] { store.run_jobs(); }});
    store.run_jobs();
    store.pump();
    store.run_jobs();
    check(store.loader.alive.load() == 0, "nothing holds them");
    check(store.taken() == 0, "nor the room");
    store.end();
  });
}

TEST(a_store_in_all_interleavings, settles_assets_that_need_each_other) {
  expect_clean_nearby([] {
    explored_nodes store;
    slot* x = nullptr;
    slot* y = nullptr;
    run({[&] {
           x = &store.get("x");
           (void)store.jobs.run_one();
         },
         [&] {
           y = &store.get("y");
           (void)store.jobs.run_one();
         }});
    store.settle(*x);
    store.settle(*y);
    check(x->state.load() == asset_state::failed && y->state.load() == asset_state::failed,
          "both fail");
    store.drop(*x);
    store.drop(*y);
    store.end();
  });
}

// One of two assets is raised, the other dropped, while jobs run.
void raise_and_drop(explored_nodes& store) {
  slot& one = store.get("a", asset_priority::low);
  slot& other = store.get("b", asset_priority::low);
  run({[&] { (void)store.jobs.run_one(); },
       [&] {
         store.raise(one, asset_priority::high);
         store.drop(other);
       },
       [&] { store.run_jobs(); }});
  store.settle(one);
  check(one.state.load() == asset_state::ready, "it was raised");
  store.drop(one);
  store.end();
}

TEST(a_store_in_all_interleavings, finalizes_what_is_raised_or_dropped_between_two_steps) {
  expect_clean_nearby([] {
    explored_nodes store;
    store.loader.takes_two_steps = true;
    raise_and_drop(store);
  });
}

TEST(a_store_in_all_interleavings, builds_what_is_raised_or_dropped_meanwhile) {
  expect_clean_nearby([] {
    explored_nodes store(true, 1u << 20, true);
    raise_and_drop(store);
  });
}

TEST(a_store_in_all_interleavings, keeps_an_old_value_while_a_call_of_a_loader_uses_it) {
  expect_clean_nearby([] {
    explored_nodes store(true, 1u << 20, true);
    slot& need = store.get("b");
    store.settle(need);
    slot& parent = store.get("ab");
    store.reload("b");
    run({[&] { store.run_jobs(); },
         [&] {
           store.pump();
           store.run_jobs();
           store.pump();
           store.run_jobs();
         }});
    store.settle(parent);
    for (int i = 0; i < 4; ++i) {
      store.pump();
      store.run_jobs();
    }
    check(parent.state.load() == asset_state::ready && need.version.load() == 2, "all is loaded");
    check(store.loader.alive.load() == 2, "and the old value has gone");
    store.drop(parent);
    store.drop(need);
    store.end();
  });
}

TEST(a_store_in_all_interleavings, ends_each_reload_beside_drops_and_jobs) {
  expect_clean_nearby([] {
    explored_nodes store;
    slot& one = store.get("a");
    store.settle(one);
    store.reload("a");
    store.pump();
    run({[&] { store.run_jobs(); },
         [&] {
           store.drop(store.get("a"));
           store.pump();
         }});
    store.run_jobs();
    store.pump();
    store.run_jobs();
    check(one.version.load() == 2, "the reload has ended");
    check(store.loader.alive.load() == 1, "and the old value has gone");
    store.reload("a");
    store.pump();
    store.run_jobs();
    store.pump();
    check(one.version.load() == 3, "so has the next");
    store.drop(one);
    store.end();
  });
}

TEST(a_store_in_all_interleavings, lets_an_old_value_go_after_a_decode_that_was_given_up) {
  expect_clean_nearby([] {
    explored_nodes store;
    slot& one = store.get("a");
    store.settle(one);
    slot& dropped = store.get("b");
    while (dropped.state.load() != asset_state::decoding) (void)store.jobs.run_one();
    run({[&] { store.run_jobs(); }, [&] { store.drop(dropped); }});
    store.reload("a");
    for (int i = 0; i < 4; ++i) {
      store.pump();
      store.run_jobs();
    }
    check(one.version.load() == 2, "it was reloaded");
    check(store.loader.alive.load() == 1, "and the old value has gone");
    store.drop(one);
    store.end();
  });
}

TEST(a_store_in_all_interleavings, ends_while_a_reload_and_a_need_are_under_way) {
  expect_clean_nearby([] {
    explored_nodes store(false);
    slot& one = store.get("b");
    store.settle(one);
    store.reload("b");
    store.pump();
    slot& parent = store.get("ab");
    run({[&] { (void)store.jobs.run_one(); },
         [&] {
           store.drop(parent);
           store.drop(one);
           store.end();
         }});
  });
}

// What is unloaded at the end makes room, in which nothing may begin any more.
TEST(a_store_in_all_interleavings, unloads_each_value_once_at_its_end) {
  expect_clean_nearby([] {
    explored_nodes store(false, sizeof(node) * 10 / 3);  // for two, of normal priority
    slot* const all[] = {&store.get("a"), &store.get("b"), &store.get("c")};
    store.run_jobs();
    check(all[1]->state.load() == asset_state::finalizing, "it waits for pump()");
    check(all[2]->state.load() == asset_state::decoding, "it waits for room");
    run({[&] {
           for (int i = 0; i < 4; ++i) {
             if (!store.jobs.run_one()) interleave::let_others_run();
           }
         },
         [&] {
           for (slot* const each : all) store.drop(*each);
           store.end();
         }});
  });
}

TEST(a_store_in_all_interleavings, decodes_what_had_no_room_once_there_is_some) {
  expect_clean_nearby([] {
    explored_nodes store(true, sizeof(node) * 10 / 3);  // for two, of normal priority
    store.loader.takes_two_steps = true;
    slot* const all[] = {&store.get("a"), &store.get("b"), &store.get("c")};
    for (int i = 0; i < 4; ++i) (void)store.jobs.run_one();
    run({[&] { store.run_jobs(); },
         [&] {
           store.drop(*all[0]);
           store.raise(*all[1], asset_priority::high);
         }});
    store.settle(*all[1]);
    store.settle(*all[2]);
    check(all[2]->state.load() == asset_state::ready, "there was room");
    store.drop(*all[1]);
    store.drop(*all[2]);
    store.end();
  });
}

// It waits for the need of what came before it, until that is lowered.
TEST(a_store_in_all_interleavings, decodes_what_has_no_room_beside_a_chain_that_is_lowered) {
  expect_clean_nearby([] {
    explored_nodes store(true, 1);
    slot& chain = store.get("ab", asset_priority::high);
    slot& urgent = store.get("c", asset_priority::high);
    run({[&] { store.run_jobs(); }, [&] { store.set_priority(chain, asset_priority::low); }});
    store.run_jobs();
    check(is_settled(urgent) && is_settled(chain), "no job is missing");
    store.drop(chain);
    store.drop(urgent);
    store.end();
  });
}

TEST(a_store_in_all_interleavings, reads_what_is_asked_for_beside_a_job_that_feeds) {
  expect_clean_nearby([] {
    explored_nodes store;
    slot& one = store.get("a");
    slot* other = nullptr;
    run({[&] { store.run_jobs(); }, [&] { other = &store.get("b"); }});
    store.run_jobs();
    check(is_settled(one) && is_settled(*other), "no job is missing");
    store.drop(one);
    store.drop(*other);
    store.end();
  });
}

}  // namespace
}  // namespace overture::assets_detail

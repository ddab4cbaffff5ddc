// SPDX-License-Identifier: Zlib
//
// The shipped hand-over of an asset whose last handle is gone to the thread in pump().
#include "assets/unused_list.hpp"

#include <gtest/gtest.h>

#include "assets/store_core.hpp"
#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "sync/mutex.hpp"

namespace overture {
namespace {

assets_detail::unused_list* given_up = nullptr;  // of the program that runs

}  // namespace

// In the library, its store adds it.
void detail::asset_unused(asset_head& head) noexcept {
  auto& one = static_cast<assets_detail::slot&>(head);
  one.store != nullptr ? one.store->unused(one) : given_up->add(one);
}

namespace assets_detail {
namespace {

using interleave::check;
using interleave::run;

// A store of one asset, which is unloaded as soon as it is given up.
class store {
 public:
  store() { given_up = &unused_; }

  void get() {
    const sync_detail::scoped_lock hold(lock_);
    one_.handles.fetch_add(1, std::memory_order_relaxed);
    loaded_ = true;
  }
  void use() { check(loaded_, "an asset that is held is loaded"); }
  void copy() { one_.handles.fetch_add(1, std::memory_order_relaxed); }
  void drop() { overture::detail::drop_handle(one_); }
  void sweep() {
    while (slot* const one = unused_.take()) {
      const sync_detail::scoped_lock hold(lock_);
      if (one->handles.load(std::memory_order_seq_cst) == 0) loaded_ = false;
    }
  }
  [[nodiscard]] bool loaded() const { return loaded_; }

 private:
  slot one_;
  unused_list unused_;
  sync_detail::mutex lock_;
  bool loaded_ = false;
};

void explore_all(void (*program)()) {
  interleave::expect_clean_and_complete(
      interleave::explore({.preemptions = 2, .stale_loads = 1, .early_returns = 0}, program));
  interleave::expect_clean(interleave::explore(
      {.stale_loads = 4, .early_returns = 2, .random = interleave::some}, program));
}

TEST(an_asset_in_all_interleavings, is_given_up_after_its_last_handle) {
  explore_all([] {
    store of;
    of.get();
    of.copy();
    run({[&] { of.drop(); }, [&] { of.drop(); }, [&] { of.sweep(); }});
    of.sweep();
    check(!of.loaded(), "no handle holds it");
  });
}

TEST(an_asset_in_all_interleavings, stays_loaded_if_it_is_asked_for_again) {
  explore_all([] {
    store of;
    of.get();
    run({[&] { of.drop(); },
         [&] {
           of.get();
           of.use();
         },
         [&] { of.sweep(); }});
    of.sweep();
    check(of.loaded(), "a handle holds it");
    of.drop();
    of.sweep();
    check(!of.loaded(), "no handle holds it");
  });
}

TEST(an_asset_in_all_interleavings, is_given_up_though_it_comes_and_goes_beside_the_sweep) {
  explore_all([] {
    store of;
    of.get();
    of.drop();
    run({[&] {
           of.get();
           of.use();
           of.drop();
         },
         [&] { of.sweep(); }});
    of.sweep();
    check(!of.loaded(), "no handle holds it");
  });
}

}  // namespace
}  // namespace assets_detail
}  // namespace overture

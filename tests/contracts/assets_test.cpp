// SPDX-License-Identifier: Zlib
//
// Contracts of assets.
#include <memory>
#include <thread>

#include "assets/store_rig.hpp"
#include "contracts/says.hpp"

namespace overture::assets_test {
namespace {

using test::expect_says;

using namespace std::chrono_literals;
using namespace overture::literals;
using test::list_loader;
using test::store_rig;
using test::words;

TEST(asset_contract, is_a_handle_on_something) {
  const asset<words> none;
  constexpr const char* empty =
      "a handle on no asset was used: ask valid() first, it was default-constructed or moved "
      "from, or there was no memory";
  expect_says([&] { (void)none.settled(); }, empty);
  expect_says([&] { (void)none.version(); }, empty);
  expect_says([&] { (void)none.path(); }, empty);
}

TEST(asset_contract, is_ready_when_it_is_used_as_a_value) {
  const asset<words> none;
  constexpr const char* not_ready =
      "an asset that is not ready was used as a value: ask is_ready() first, or give its loader a "
      "placeholder()";
  expect_says([&] { (void)*none; }, not_ready);
  expect_says([&] { (void)none->text; }, not_ready);
}

constexpr const char* inside =
    "pump(), wait_for() or the destructor of an asset_store was called from within one of its "
    "loaders, or from a job that pump() runs: return from there first; a decode() asks for more "
    "assets with load_context::need()";

class pumping_loader final : public loader<int> {
 public:
  explicit pumping_loader(asset_store& store) : store_(store) {}
  result<int> decode(std::span<const std::byte>, load_context&) override { return 1; }
  void unload(int&) override { store_.pump(0ns); }

 private:
  asset_store& store_;
};

class asset_store_contract : public ::testing::Test {
 protected:
  void SetUp() override {
    rig_.add("a.txt", "hello");
    rig_.add("x", "?@y");
    rig_.add("y", "?@x");
    rig_.mount();
    store_ = std::make_unique<asset_store>(rig_.engine.files, rig_.engine.reads, rig_.engine.jobs);
    ASSERT_TRUE(store_->add(rig_.texts));
  }

  store_rig rig_;
  std::unique_ptr<asset_store> store_;
};

TEST_F(asset_store_contract, outlives_its_handles) {
  expect_says(
      [&] {
        const asset<words> held = store_->get<words>("a.txt"_path);
        store_.reset();
      },
      "an asset_store was destroyed while the program holds one of its assets: let go of all "
      "handles first");
}

TEST_F(asset_store_contract, ends_before_what_it_uses) {
  expect_says(
      [&] {
        const read_queue_config one_thread{.threads = 1};
        auto reads = std::make_unique<read_queue>(rig_.engine.files, one_thread);
        const asset_store store(rig_.engine.files, *reads, rig_.engine.jobs);
        reads.reset();
      },
      "a read_queue was destroyed while an asset_store reads through it: destroy the store first");
  expect_says(
      [&] {
        auto jobs = std::make_unique<thread_pool>();
        const asset_store store(rig_.engine.files, rig_.engine.reads, *jobs);
        jobs.reset();
      },
      "a job system was destroyed while an asset_store runs on it: destroy the store first");
  expect_says(
      [&] {
        auto files = std::make_unique<file_system>();
        const asset_store store(*files, rig_.engine.reads, rig_.engine.jobs);
        files.reset();
      },
      "a file_system was destroyed while an asset_store reads from it: destroy the store first");
}

TEST_F(asset_store_contract, ends_before_its_loaders_as_when_a_plug_in_is_unloaded) {
  expect_says(
      [&] {
        auto lists = std::make_unique<list_loader>(rig_.happened);
        ASSERT_TRUE(store_->add(*lists));
        lists.reset();
      },
      "a loader was destroyed while an asset_store has it, as when a plug-in is unloaded: destroy "
      "the store first");
}

TEST_F(asset_store_contract, has_one_main_thread) {
  store_->pump(0ns);
  constexpr const char* second =
      "pump(), wait_for() or the destructor of an asset_store was called on a second thread: call "
      "them on the store's main thread only";
  expect_says([&] { std::thread([&] { store_->pump(0ns); }).join(); }, second);
  expect_says([&] { std::thread([&] { store_.reset(); }).join(); }, second);
}

TEST_F(asset_store_contract, knows_its_own_handles) {
  asset_store other(rig_.engine.files, rig_.engine.reads, rig_.engine.jobs);
  constexpr const char* foreign =
      "an asset_store was given a handle of another store: use the store that the asset came from";
  const asset<words> held = store_->get<words>("a.txt"_path);
  expect_says([&] { other.raise(held, asset_priority::high); }, foreign);
  expect_says([&] { other.retry(held); }, foreign);
  expect_says([&] { (void)other.reload_status(held); }, foreign);
  char text[80];
  expect_says([&] { (void)other.explain(held, text); }, foreign);
  expect_says([&] { (void)other.wait_for(held, 0ns); }, foreign);
  expect_says([&] { (void)other.get(soft_asset<words>(held)); }, foreign);
  expect_says([&] { (void)other.get_if_ready(soft_asset<words>(held)); }, foreign);
}

TEST_F(asset_store_contract, knows_the_names_of_a_store_that_has_ended) {
  const soft_asset<words> name(store_->get<words>("a.txt"_path));
  store_.reset();
  asset_store other(rig_.engine.files, rig_.engine.reads, rig_.engine.jobs);
  expect_says([&] { (void)other.get(name); },
              "an asset_store was given a handle of another store: use the store that the asset "
              "came from");
}

TEST_F(asset_store_contract, is_not_pumped_by_what_it_calls) {
  rig_.texts.during_finalize = [&](words&, std::chrono::nanoseconds) -> result<finalize_step> {
    store_->pump(0ns);
    return finalize_step::done;
  };
  const asset<words> held = store_->get<words>("a.txt"_path);
  expect_says([&] { (void)store_->wait_for(held, test::hang); }, inside);
}

TEST_F(asset_store_contract, is_not_pumped_by_a_decode_on_a_worker) {
  for (const bool waits : {false, true}) {
    expect_says(
        [&] {
          rig_.texts.before_decode = [&](const std::string&) {
            // The first call of all, too.
            waits ? (void)store_->wait_for(store_->get<words>("a.txt"_path), 0ns)
                  : (void)store_->pump(0ns);
          };
          store_->get<words>("a.txt"_path).settled().wait();
        },
        inside);
  }
}

TEST_F(asset_store_contract, is_not_pumped_by_an_unload) {
  expect_says(
      [&] {
        pumping_loader numbers(*store_);
        ASSERT_TRUE(store_->add(numbers));
        (void)store_->wait_for(store_->get<int>("a.txt"_path), test::hang);
        store_.reset();
      },
      inside);
}

TEST_F(asset_store_contract, is_not_waited_for_by_the_thread_that_pumps) {
  store_->pump(0ns);
  asset<words> held = store_->get<words>("a.txt"_path);
  expect_says([&] { held.settled().wait(); },
              "settled().wait() was called on the thread that pumps, which alone could finalize "
              "the asset: it would never end, call asset_store::wait_for()");
  ASSERT_TRUE(store_->wait_for(held, test::hang));
  held.settled().wait();  // it is ready
  held = {};
  std::thread([&] {
    const asset<words> other = store_->get<words>("a.txt"_path);
    other.settled().wait();  // another thread
  }).join();
}

TEST_F(asset_store_contract, names_what_only_a_circle_holds_when_it_ends) {
  ASSERT_TRUE(store_->add(rig_.lists));
  expect_says(
      [&] {
        asset<test::list> x = store_->get<test::list>("x"_path);
        (void)store_->wait_for(x, test::hang);
        (void)store_->wait_for(x->lists[0], test::hang);
        x = {};
        store_.reset();
      },
      "an asset_store ended with assets that only keep each other loaded, x among them: let one "
      "name() the other, where both want() each other");
}

}  // namespace
}  // namespace overture::assets_test

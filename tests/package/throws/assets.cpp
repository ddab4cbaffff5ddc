// SPDX-License-Identifier: Zlib
//
// The places of assets.
#include <chrono>
#include <filesystem>
#include <fstream>

#include "host.hpp"

namespace host {
namespace {

struct note {
  int length = 0;
};

enum class step { none, decode, build, finalize, unload };

class broken_loader final : public loader<note> {
 public:
  broken_loader(step breaks, bool is_free) : breaks_(breaks), is_free_(is_free) {}
  result<note> decode(std::span<const std::byte> bytes, load_context&) override {
    if (breaks_ == step::decode) fail_now();
    return note{static_cast<int>(bytes.size())};
  }
  result<void> build(note&, asset_context&) override {
    if (breaks_ == step::build) fail_now();
    return {};
  }
  [[nodiscard]] bool builds() const noexcept override { return true; }
  result<finalize_step> finalize(note&, std::chrono::nanoseconds) override {
    if (breaks_ == step::finalize) fail_now();
    return finalize_step::done;
  }
  void unload(note&) override {
    ++unloaded;
    if (breaks_ == step::unload) fail_now();
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return is_free_; }
  atomic<int> unloaded{0};

 private:
  step breaks_;
  bool is_free_;
};

void load(step breaks) {
  const std::string folder = "throws_assets";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/a.txt") << "first";
  for (const bool is_free : {false, true}) {
    file_system files;
    CHECK(files.mount(folder.c_str()).has_value());
    thread_pool pool{{.workers = 1}};
    read_queue reads{files, {.threads = 1}};
    broken_loader notes(breaks, is_free);
    {
      asset_store store{files, reads, pool};
      CHECK(store.add(notes).has_value());
      const asset<note> one = store.get<note>("a.txt"_path);
      // It cannot be ready before pump().
      if (breaks == step::unload && !is_free) {
        CHECK_THREW(store.for_each_unsettled([](const unsettled_asset&) { fail_now(); }));
        CHECK_THREW(store.for_each_asset([](const known_asset&) { fail_now(); }));
      }
      CHECK(store.wait_for(one, std::chrono::minutes(1)));
      CHECK_THREW(store.take_events([](const asset_event&) { fail_now(); }));
      if (breaks == step::unload) {
        CHECK(one.is_ready() && one->length == 5);
      } else {
        CHECK_THREW(one.status());
      }
    }
    const bool was_finalized = (breaks != step::decode && breaks != step::build) || !throws;
    CHECK(notes.unloaded.load() == (was_finalized ? 1 : 0));
  }
  std::filesystem::remove_all(folder);
}

struct half {
  int length = 0;
};
class half_loader final : public part_loader<half, note> {
 public:
  result<half> make(const note& whole, asset_context&) override {
    fail_now();
    return half{whole.length / 2};
  }
};

void parts() {
  const std::string folder = "throws_parts";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/a.txt") << "first";
  file_system files;
  CHECK(files.mount(folder.c_str()).has_value());
  thread_pool pool{{.workers = 1}};
  read_queue reads{files, {.threads = 1}};
  broken_loader notes(step::none, true);
  half_loader halves;
  {
    asset_store store{files, reads, pool};
    CHECK(store.add(notes).has_value());
    CHECK(store.add(halves).has_value());
    const asset<half> one = store.get<half>("a.txt"_path, asset_priority::normal, {.part = "one"});
    CHECK(store.wait_for(one, std::chrono::minutes(1)));
    CHECK_THREW(one.status());
  }
  std::filesystem::remove_all(folder);
}

void decodes() {
  load(step::decode);
}
void builds() {
  load(step::build);
}
void finalizes() {
  load(step::finalize);
}
void unloads() {
  load(step::unload);
}

}  // namespace

const std::vector<place> places_of_assets = {
    {"loader::decode", decodes},
    {"loader::build", builds},
    {"part_loader::make", parts},
    {"loader::finalize", finalizes},
    {"loader::unload", unloads},
    {"asset_store::for_each_unsettled", unloads},
    {"asset_store::for_each_asset", unloads},
    {"asset_store::take_events", unloads},
};

}  // namespace host

// SPDX-License-Identifier: Zlib
//
// asset_store: whatever a program does meanwhile, what is shown in the end is what was saved last.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "assets/store_rig.hpp"

namespace overture::last_save_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::test;

constexpr std::array<std::uint64_t, 2> stage_sizes{4, 8};

// A file says in its first bytes which save it is, and then which of its beginnings are no value.
std::string saved(unsigned save, char bad_sizes, std::size_t bytes) {
  std::string text = std::to_string(1000 + save).substr(1);
  text += std::string(12, bad_sizes);
  return text.substr(0, bytes);
}
bool is_bad(std::string_view text) {
  if (text.size() < 4) return false;
  switch (text[3]) {
    case 'a':
      return true;
    case 'f':
      return text.size() == stage_sizes[0];
    case 's':
      return text.size() == stage_sizes[1];
    default:
      return false;
  }
}

// Of those a copy of the value fails, or one of its first stage.
bool is_bad_for_copies(std::string_view text) {
  if (text.size() < 4) return false;
  return text[3] == 'b' || (text[3] == 'c' && text.size() == stage_sizes[0]);
}

// In stages, or whole.
template <bool Staged>
struct shown {
  std::string text;
};
template <bool Staged>
class shown_loader final : public loader<shown<Staged>> {
 public:
  result<shown<Staged>> decode(std::span<const std::byte> bytes, load_context&) override {
    shown<Staged> made{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
    if (is_bad(made.text)) return fail(errc::corrupt, "flawed");
    return made;
  }
  [[nodiscard]] std::uint64_t stage_bytes(unsigned stage) const noexcept override {
    return Staged && stage < stage_sizes.size() ? stage_sizes[stage] : 0;
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return is_free; }
  bool is_free = false;
};

// Copies what it needs: the file that its own file names, or a part of its own file.
template <bool Part>
struct copied {
  asset<shown<true>> staged;
  asset<shown<false>> whole;
  std::string text;

  [[nodiscard]] std::string now() const { return Part ? whole->text : staged->text; }
};
template <bool Part>
class copied_loader final : public loader<copied<Part>> {
 public:
  result<copied<Part>> decode(std::span<const std::byte> bytes, load_context& context) override {
    copied<Part> made;
    if (Part) {
      made.whole = context.need<shown<false>>(context.path());
    } else {
      const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      made.staged = context.need<shown<true>>(text);
    }
    return made;
  }
  result<void> build(copied<Part>& value, asset_context&) override {
    value.text = value.now();
    if (is_bad_for_copies(value.text)) return fail(errc::corrupt, "flawed for a copy");
    return {};
  }
  [[nodiscard]] bool reads() const noexcept override { return !Part; }
  [[nodiscard]] bool builds() const noexcept override { return true; }
  [[nodiscard]] bool dependent() const noexcept override { return true; }
};

constexpr unsigned file_count = 4;

struct program {
  explicit program(unsigned seed) : engine(seed), rig({.workers = seed % 3}) {
    for (unsigned i = 0; i < file_count; ++i) save(i);
    for (unsigned i = 0; i < file_count; ++i) save_copy(i);
    rig.mount();
    wholes.is_free = random(2) == 0;
    store.emplace(rig.engine.files, rig.engine.reads, rig.engine.jobs,
                  asset_store_config{.keep_bytes = random(2) * 1000,
                                     .budget_bytes = random(3) == 0 ? 1u : 1u << 20,
                                     .files_max = 1 + random(3),
                                     .reload_delay = std::chrono::microseconds(random(2) * 200)});
    EXPECT_TRUE(store->add(stages) && store->add(wholes) && store->add(copies) &&
                store->add(pieces));
  }

  unsigned random(unsigned below) { return static_cast<unsigned>(engine()) % below; }
  void save(unsigned i, bool good = false) {
    constexpr std::string_view kinds = "gggafsbc";
    const char kind = good ? 'g' : kinds[random(8)];
    content[i] = saved(++saves, kind, random(17));
    rig.add(std::to_string(i), content[i]);
  }
  void save_copy(unsigned i) {
    rig.add("c" + std::to_string(i), std::to_string(random(file_count)));
  }
  template <class T>
  void use(std::vector<asset<T>>& held, const std::string& path, const asset_variant<T>& as = {}) {
    asset<T>& one = held[random(static_cast<unsigned>(held.size()))];
    const auto priority = static_cast<asset_priority>(random(256));
    switch (random(8)) {
      case 0:
        one = {};
        break;
      case 1:
        store->set_priority(one, priority);
        break;
      case 2:
        store->set_last_stage(one, random(4));
        break;
      case 3:
        store->retry(one);
        break;
      default:
        one = store->get<T>(path, priority, as);
        break;
    }
  }
  void step() {
    const unsigned i = random(file_count);
    const std::string name = std::to_string(i);
    switch (random(8)) {
      case 0:
        return use(staged, name);
      case 1:
        return use(whole, name);
      case 2:
        return use(copy, "c" + name);
      case 3:
        return use(piece, name, asset_variant<copied<true>>{.part = "p"});
      case 4:
        save(i);
        return store->reload(name);
      case 5:
        save_copy(i);
        return store->reload("c" + name);
      default:
        store->pump(std::chrono::microseconds(random(50)));
    }
  }
  // Empty if all is as it was saved.
  std::string flaw() {
    std::string found;
    const auto look = [&](const auto& held, auto is_right) {
      for (const auto& each : held) {
        if (!each.valid()) continue;
        const std::string path(each.path().text);
        if (!each.is_ready() || !store->reload_status(each)) {
          found += path + " is not ready: " + explained(*store, each) + "\n";
        } else if (!is_right(path, *each)) {
          found += path + " is old\n";
        }
      }
    };
    const auto is_saved = [&](const std::string& path, const auto& value) {
      return content[static_cast<unsigned>(path[0] - '0')].starts_with(value.text);
    };
    const auto is_copied = [&](const std::string&, const auto& value) {
      return value.text == value.now();
    };
    look(staged, is_saved);
    look(whole, is_saved);
    look(copy, is_copied);
    look(piece, is_copied);
    return found;
  }

  std::mt19937 engine;
  store_rig rig;
  shown_loader<true> stages;
  shown_loader<false> wholes;
  copied_loader<false> copies;
  copied_loader<true> pieces;
  unsigned saves = 0;
  std::array<std::string, file_count> content;
  std::optional<asset_store> store;
  std::vector<asset<shown<true>>> staged{4};
  std::vector<asset<shown<false>>> whole{3};
  std::vector<asset<copied<false>>> copy{3};
  std::vector<asset<copied<true>>> piece{3};
};

void save_and_load(unsigned seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  program of(seed);
  for (int i = 0; i < 400; ++i) of.step();
  // What is no value at all is mended. Of others a beginning may be none.
  for (unsigned i = 0; i < file_count; ++i) {
    const std::string& now = of.content[i];
    if (!is_bad(now) && !is_bad_for_copies(now) && now.find('c') == now.npos) continue;
    of.save(i, true);
    of.store->reload(std::to_string(i));
  }
  EXPECT_TRUE(pump_until(*of.store, [&] { return of.flaw().empty(); })) << of.flaw();
}

TEST(the_last_save, is_what_is_shown_in_the_end) {
  for (unsigned seed = 0; seed < 100; ++seed) save_and_load(seed);
}

}  // namespace
}  // namespace overture::last_save_test

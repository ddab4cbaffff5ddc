// SPDX-License-Identifier: Zlib
//
// A store whose assets have values in stages: the first bytes of their files.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assets/store_rig.hpp"

namespace overture::test {

// What decode() was given, and of how much.
struct prefix {
  std::string text;
  std::uint64_t file_bytes = 0;
  asset<words> needed{};
};

class prefix_loader final : public loader<prefix> {
 public:
  result<prefix> decode(std::span<const std::byte> bytes, load_context& context) override {
    prefix made{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, context.file_bytes()};
    if (needs && needs(made.text)) made.needed = context.need<words>("words");
    happened.note(std::string(context.path().text) + " " + std::to_string(bytes.size()));
    if (during_decode) during_decode(made.text.size());
    if (made.text.size() == fails_at || fails_always) return fail(fails_with, "flawed");
    return made;
  }
  [[nodiscard]] std::uint64_t stage_bytes(unsigned stage) const noexcept override {
    return stage < stages.size() ? stages[stage] : 0;
  }
  [[nodiscard]] std::uint64_t bytes_of(const prefix& value) const noexcept override {
    return value.text.size();
  }

  std::vector<std::uint64_t> stages{4, 8};
  std::atomic<std::size_t> fails_at{SIZE_MAX};
  std::atomic<bool> fails_always{false};
  std::atomic<errc> fails_with{errc::corrupt};
  std::function<void(std::size_t)> during_decode;
  std::function<bool(const std::string&)> needs;
  diary happened;
};

inline const std::string content = "0123456789abcdef";

struct staged {
  explicit staged(unsigned workers, int files = 1) : rig({.workers = workers}) {
    for (int i = 0; i < files; ++i) rig.add(std::to_string(i), content);
    rig.add("words", "words");
    rig.add("path", "0");
    rig.mount();
  }
  asset_store& begin(asset_store_config config = {}) {
    config.reload_delay = std::chrono::nanoseconds(0);
    store.emplace(rig.engine.files, rig.engine.reads, rig.engine.jobs, config);
    EXPECT_TRUE(store->add(prefixes));
    EXPECT_TRUE(store->add(rig.texts));
    return *store;
  }
  [[nodiscard]] bool becomes(const asset<prefix>& one, std::string_view text) {
    return pump_until(*store, [&] { return one.is_ready() && one->text == text; });
  }
  // Nothing more comes.
  void settle() {
    for (int i = 0; i < 20; ++i) store->pump(std::chrono::milliseconds(1));
    ASSERT_TRUE(pump_until(*store, [&] { return store->progress().waiting_bytes == 0; }));
  }

  store_rig rig;
  prefix_loader prefixes;
  std::optional<asset_store> store;
};

}  // namespace overture::test

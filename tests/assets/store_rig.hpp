// SPDX-License-Identifier: Zlib
//
// A store over a fake operating system, with loaders whose assets say what happened to them.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "load/load_rig.hpp"
#include "overture/assets/asset_store.hpp"

namespace overture::test {

// What happened, in order.
class diary {
 public:
  void note(std::string what) {
    const std::lock_guard hold(lock_);
    lines_.push_back(std::move(what));
  }
  void clear() {
    const std::lock_guard hold(lock_);
    lines_.clear();
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard hold(lock_);
    return lines_;
  }
  [[nodiscard]] std::size_t count(std::string_view line) const {
    const std::lock_guard hold(lock_);
    std::size_t sum = 0;
    for (const std::string& each : lines_) sum += each == line ? 1 : 0;
    return sum;
  }

 private:
  mutable std::mutex lock_;
  std::vector<std::string> lines_;
};

// The text of a file.
struct words {
  std::string text;
};

class words_loader final : public loader<words> {
 public:
  explicit words_loader(diary& to) : diary_(to) {}

  result<words> decode(std::span<const std::byte> bytes, load_context& context) override {
    const std::string path(context.path().text);
    if (before_decode) before_decode(path);
    diary_.note("decode " + path);
    words made;
    made.text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (made.text == "broken") return fail(errc::corrupt, "broken words");
    if (made.text == "throws") throw std::runtime_error("words");
    return made;
  }
  result<finalize_step> finalize(words& value, std::chrono::nanoseconds budget) override {
    if (during_finalize) return during_finalize(value, budget);
    diary_.note("finalize " + value.text);
    return finalize_step::done;
  }
  void unload(words& value) override { diary_.note("unload " + value.text); }
  bool free_threaded() const noexcept override { return is_free; }
  std::uint64_t bytes_of(const words& value) const noexcept override { return value.text.size(); }
  const words* placeholder() const noexcept override { return shown_first; }

  std::function<void(const std::string&)> before_decode;
  std::function<result<finalize_step>(words&, std::chrono::nanoseconds)> during_finalize;
  bool is_free = false;
  const words* shown_first = nullptr;

 private:
  diary& diary_;
};

// A list of other assets, a line each: the path of words, or of a list with '@' before it. A '?'
// before that makes it one that is only wanted, a '!' one that the list can do without.
struct list {
  std::string name;
  std::vector<asset<words>> texts;
  std::vector<asset<list>> lists;
};

class list_loader final : public loader<list> {
 public:
  explicit list_loader(diary& to) : diary_(to) {}

  result<list> decode(std::span<const std::byte> bytes, load_context& context) override {
    list made{.name = std::string(context.path().text), .texts = {}, .lists = {}};
    if (before_decode) before_decode(made.name);
    diary_.note("decode " + made.name);
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const bool wanted = line.starts_with('?');
      if (line.starts_with('!')) {
        made.texts.push_back(context.need_or_placeholder<words>(line.substr(1)));
        continue;
      }
      if (wanted) line.remove_prefix(1);
      if (line.starts_with('@')) {
        line.remove_prefix(1);
        made.lists.push_back(wanted ? context.want<list>(line) : context.need<list>(line));
      } else {
        made.texts.push_back(wanted ? context.want<words>(line) : context.need<words>(line));
      }
    }
    if (after_needs) after_needs(made.name);
    if (returns) return tl::unexpected<error>(*returns);
    for (const asset<words>& each : made.texts) {
      const result<void> status = each.status();
      if (returns_errors && each.state() == asset_state::failed) {
        return tl::unexpected<error>(status.error());
      }
    }
    return made;
  }
  result<finalize_step> finalize(list& value, std::chrono::nanoseconds) override {
    if (during_finalize) {
      const result<finalize_step> step = during_finalize(value);
      if (!step || *step == finalize_step::again) return step;
    }
    diary_.note("finalize " + value.name);
    return finalize_step::done;
  }
  void unload(list& value) override { diary_.note("unload " + value.name); }
  bool dependent() const noexcept override { return depends; }
  bool free_threaded() const noexcept override { return is_free; }

  std::function<void(const std::string&)> before_decode;
  std::function<void(const std::string&)> after_needs;  // in decode()
  std::function<result<finalize_step>(list&)> during_finalize;
  bool depends = false;
  bool is_free = false;
  bool returns_errors = false;  // of what it needs
  std::optional<error> returns;

 private:
  diary& diary_;
};

struct store_rig {
  fake_os os;
  diary happened;
  words_loader texts{happened};
  list_loader lists{happened};
  load_rig engine;

  explicit store_rig(const rig_options& options = {}) : engine(os, options) {}

  void add(const std::string& path, const std::string& content) {
    os.add_file("/game/" + path, content);
  }
  // After the files.
  void mount() { engine.mount({"/game"}); }
};

// The store of a rig, with both loaders.
struct rigged_store : asset_store {
  explicit rigged_store(store_rig& rig, const asset_store_config& config = {})
      : asset_store(rig.engine.files, rig.engine.reads, rig.engine.jobs, config) {
    if (!add(rig.texts) || !add(rig.lists)) throw std::runtime_error("a loader was not added");
  }
  // Waits, and returns "ready" or the error's code.
  template <class T>
  std::string outcome(const asset<T>& of) {
    if (!wait_for(of, hang)) return "hangs";
    const result<void> status = of.status();
    return status ? "ready" : to_string(status.error().code);
  }
};

// What explain() says of it.
template <class T>
[[nodiscard]] std::string explained(const asset_store& store, const asset<T>& of) {
  char text[4000];
  return {text, store.explain(of, text)};
}

// Pumps until it is so; false if that hangs.
template <class Condition>
[[nodiscard]] bool pump_until(asset_store& store, Condition condition) {
  const auto end = std::chrono::steady_clock::now() + hang;
  while (!condition()) {
    store.pump(std::chrono::milliseconds(1));
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

inline void pump_until_settled(asset_store& store) {
  while (store.progress().ready + store.progress().failed < store.progress().asked) {
    store.pump(std::chrono::seconds(1));
  }
}

// The paths of what was decoded, in that order.
inline std::vector<std::string> decodes(const store_rig& rig) {
  std::vector<std::string> found;
  for (const std::string& line : rig.happened.lines()) {
    if (line.starts_with("decode ")) found.push_back(line.substr(7));
  }
  return found;
}

}  // namespace overture::test

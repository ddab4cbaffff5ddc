// SPDX-License-Identifier: Zlib
//
// A store over files in memory, for loaders.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "overture/assets/asset_store.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/vfs/file_system.hpp"
#include "support/fake_os.hpp"

namespace overture::test {

using file_content = std::vector<std::byte>;

inline std::string text_of(const file_content& content) {
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

// Files first, then assets. Loaders must outlive it, so they come before.
class loader_rig {
 public:
  void file(const std::string& path, const std::string& content) {
    os_.add_file("/game/" + path, content);
  }
  void file(const std::string& path, const file_content& content) { file(path, text_of(content)); }
  asset_store& store() {
    if (!store_) {
      if (!files_.mount("/game") || !files_.freeze()) throw std::runtime_error("no tree");
      store_.emplace(files_, reads_, jobs_);
    }
    return *store_;
  }
  // Makes the type known, and loads.
  template <class T>
  asset<T> load(loader<T>& by, std::string_view path) {
    (void)store().add(by);
    asset<T> made = store().template get<T>(path);
    EXPECT_TRUE(store().wait_for(made, std::chrono::minutes(4))) << path << " hangs";
    return made;
  }
  // Why it failed, as people read it.
  template <class T>
  std::string explain(const asset<T>& of) {
    std::array<char, 300> text{};
    return {text.data(), store().explain(of, text)};
  }

 private:
  fake_os os_;
  file_system files_{{.os = &os_}};
  thread_pool jobs_{{.workers = 2}};
  read_queue reads_{files_, {.threads = 2}};
  std::optional<asset_store> store_;
};

// "ready", or the error.
template <class T>
std::string outcome(const asset<T>& of) {
  const result<void> status = of.status();
  return status ? "ready"
                : std::string(to_string(status.error().code)) + ": " + status.error().reason;
}

}  // namespace overture::test

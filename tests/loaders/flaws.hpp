// SPDX-License-Identifier: Zlib
//
// Notes the flaws that loaders of text find.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "overture/loaders/plain_loaders.hpp"

namespace overture::test {

struct noted_flaw {
  std::string path;
  std::size_t line = 0;
  std::size_t column = 0;
  std::string member;
};

class flaw_list final : public loaders::text_flaw_sink {
 public:
  void found(const loaders::text_flaw& flaw) noexcept override {
    const std::lock_guard hold(lock_);
    all_.push_back(
        {std::string(flaw.path.text), flaw.at.line, flaw.at.column, std::string(flaw.member)});
  }
  [[nodiscard]] std::vector<noted_flaw> all() const {
    const std::lock_guard hold(lock_);
    return all_;
  }

 private:
  mutable std::mutex lock_;
  std::vector<noted_flaw> all_;
};

}  // namespace overture::test

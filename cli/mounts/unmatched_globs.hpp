// SPDX-License-Identifier: Zlib
//
// Which patterns of --exclude have matched nothing: a spelling mistake otherwise goes unnoticed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overture/vfs/file_system.hpp"

namespace overture::cli {

class unmatched_globs {
 public:
  unmatched_globs() = default;
  // None has matched so far.
  explicit unmatched_globs(const std::vector<std::string>& given) : unmatched_globs(given, given) {}
  // `used`: what is matched in place of those that were given, one for each.
  unmatched_globs(const std::vector<std::string>& given, const std::vector<std::string>& used);

  // Takes out those that match.
  void look_at(std::string_view path);
  // The same for each file of a frozen tree.
  void look_at(const file_system& files);
  [[nodiscard]] bool empty() const { return left_.empty(); }

  // Warns on stderr of each that is left, once.
  void warn();

 private:
  struct pattern {
    std::string given;
    std::string used;
  };
  std::vector<pattern> left_;
};

}  // namespace overture::cli

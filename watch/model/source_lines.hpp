// SPDX-License-Identifier: Zlib
//
// Where in its source code comes from, by the debug information of a program or library: its own,
// or that of the file that is installed for it. Builds without libdw know nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace overture::watch {

struct source_place {
  std::string function = {};  // that is inlined there; empty: the one that has the address
  std::string file = {};      // its last part
  int line = 0;
};

class source_lines {
 public:
  explicit source_lines(const std::string& module);
  ~source_lines();
  source_lines(source_lines&& other) noexcept;
  source_lines& operator=(source_lines&& other) noexcept;

  // As it was linked. Of code that is inlined from headers of the system, where the program's own
  // code has it.
  [[nodiscard]] std::optional<source_place> at(std::uint64_t address) const;

 private:
  struct session;
  std::unique_ptr<session> session_;
};

}  // namespace overture::watch

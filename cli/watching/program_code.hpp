// SPDX-License-Identifier: Zlib
//
// Where in its own code a program called the library that it is in, by what its stack has in it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace overture::cli {

class program_code {
 public:
  // Whether it knows what calls look like on this processor. Elsewhere no caller is known.
  [[nodiscard]] static bool knows_calls();

  // A file that a process has mapped, with the right to execute it.
  void add(std::uint64_t process, std::uint64_t begin, std::uint64_t end, std::string_view path);
  [[nodiscard]] bool is_own(std::uint64_t process, std::uint64_t address) const;
  // Where the innermost call of a library returns to that the program's own code has made; 0 if
  // that is not known. `address`: where the thread is; `stack`: from its top. Earlier calls have
  // left words there, too: only a function that the thread is in counts as called.
  [[nodiscard]] std::uint64_t caller_of(std::uint64_t process, std::uint64_t address,
                                        std::span<const std::uint64_t> stack);

 private:
  struct range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  // The library's function that a call is of, by where the call returns to; 0: of none.
  [[nodiscard]] std::uint64_t called_before(std::uint64_t process, std::uint64_t address);
  [[nodiscard]] std::uint64_t read_called(std::uint64_t process, std::uint64_t address) const;

  std::map<std::uint64_t, std::vector<range>> own_;  // by process
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> called_;
};

}  // namespace overture::cli

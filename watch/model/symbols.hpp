// SPDX-License-Identifier: Zlib
//
// Which function an address is in, by the symbols of programs and libraries: of the file itself, or
// of the debug file that is installed for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watch/model/watched.hpp"

namespace overture::watch {

// The functions of an ELF file of 64 bits. One that is damaged has those that can be read.
class symbol_table {
 public:
  // `bytes`: the whole file.
  [[nodiscard]] static symbol_table of_file(std::string_view bytes);
  // With those of its debug file.
  [[nodiscard]] static symbol_table of_module(const std::string& path);

  // As it was linked; empty if no function is there.
  [[nodiscard]] std::string_view name_at(std::uint64_t address) const;
  // Where the first byte of it is linked to.
  [[nodiscard]] std::uint64_t base() const { return base_; }
  // Of its debug file, in hexadecimal digits.
  [[nodiscard]] const std::string& build_id() const { return build_id_; }

 private:
  struct function {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string name = {};
  };
  friend class elf_reader;

  std::vector<function> functions_;  // by begin
  std::uint64_t base_ = 0;
  std::string build_id_;
};

// "Loader::open" of "_ZN6Loader4openEv"; a name of C stays.
[[nodiscard]] std::string readable_name(std::string_view symbol);

// Gives every place that calls came from the name of its function, and where in its source it is;
// of samples the function alone.
void name_places(watched_process& process);

}  // namespace overture::watch

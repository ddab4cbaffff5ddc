// SPDX-License-Identifier: Zlib
//
// An archive in memory and the file_system that has mounted it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/memory_file_os.hpp"
#include "support/zip_writer.hpp"
#include "vfs/tree_reader.hpp"

namespace overture {

inline const std::string long_text = [] {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "line " + std::to_string(i * i) + "\n";
  return text;
}();

struct mounted {
  explicit mounted(const zip_writer& zip, const mount_options& options = {})
      : bytes(zip.bytes()), outcome(files.mount("test.zip", options)) {
    EXPECT_TRUE(files.freeze());
  }
  std::map<std::string, std::string> contents() { return load_all(files); }

  std::string bytes;
  memory_file_os os{bytes};
  file_system files{{.os = &os}};
  result<mount_id> outcome;
};

}  // namespace overture

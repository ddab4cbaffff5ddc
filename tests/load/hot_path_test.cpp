// SPDX-License-Identifier: Zlib
//
// What the engine does for every stored file: find, open, read, verify.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "overture/base/hash.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/vfs/file_system.hpp"
#include "support/guards.hpp"
#include "support/zip_writer.hpp"

namespace overture::hot_path_test {
namespace {

namespace fs = std::filesystem;

class stored_entry : public ::testing::Test {
 protected:
  stored_entry() : path_(fs::temp_directory_path() / ("overture_" + std::to_string(now_ns()))) {
    zip_writer zip;
    for (int i = 0; i < 100; ++i) {
      zip.add({.name = std::to_string(i), .data = std::string(1000, 'x'), .method = zip_stored});
    }
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(zip.bytes().data()),
               static_cast<std::streamsize>(zip.bytes().size()));
  }
  ~stored_entry() override { fs::remove(path_); }

  fs::path path_;
};

TEST_F(stored_entry, is_read_and_checked_without_a_lock_or_an_allocation) {
  file_system files;
  ASSERT_TRUE(files.mount(path_));
  ASSERT_TRUE(files.freeze());
  read_queue reads(files, {.threads = 1});
  std::array<std::byte, 2000> room{};
  int right = 0;
  int not_cached = 0;
  {
    const test::no_alloc_scope no_alloc;
    const test::no_lock_scope no_lock;
    for (entry_index i = 0; i < 100; ++i) {
      const result<opened_file> file = files.open(i);
      if (!file) continue;
      const file_place& place = file->place();
      read_request request;
      request.source = place.source;
      request.offset = place.offset;
      request.destination = std::span(room).first(place.read_bytes);
      if (!reads.read_if_cached(request)) {
        ++not_cached;  // the system may drop any page at any time
        continue;
      }
      const result<std::span<const std::byte>> part =
          file_system::packed_part(place, request.destination);
      if (part && crc32(*part) == place.crc32) ++right;
    }
  }
  EXPECT_EQ(right + not_cached, 100);
}

}  // namespace
}  // namespace overture::hot_path_test

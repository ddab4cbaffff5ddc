// SPDX-License-Identifier: Zlib
//
// What a frozen file_system guarantees to readers: no lock, no allocation, and look-ups that write
// nothing.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <stdexcept>
#include <vector>

#include "support/guards.hpp"
#include "support/memory_file_os.hpp"
#include "support/zip_writer.hpp"
#include "vfs/tree_reader.hpp"

namespace overture::frozen_test {
namespace {

// Memory that can be made read-only as a whole: a write then kills the process.
class sealable_allocator final : public allocator {
 public:
  sealable_allocator() {
    void* const pages =
        mmap(nullptr, bytes_max, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::runtime_error("no memory for the test");
    pages_ = static_cast<std::byte*>(pages);
  }
  ~sealable_allocator() override { munmap(pages_, bytes_max); }

  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag) noexcept override {
    used_ = (used_ + alignment - 1) / alignment * alignment;
    if (bytes > bytes_max - used_) return nullptr;
    used_ += bytes;
    return pages_ + used_ - bytes;
  }
  void deallocate(void*, std::size_t, std::size_t, memory_tag) noexcept override {}

  void seal(bool sealed) {
    if (mprotect(pages_, bytes_max, sealed ? PROT_READ : PROT_READ | PROT_WRITE) != 0) {
      throw std::runtime_error("cannot protect the memory");
    }
  }

 private:
  static constexpr std::size_t bytes_max = 16u << 20;
  std::byte* pages_ = nullptr;
  std::size_t used_ = 0;
};

class frozen_archive : public ::testing::Test {
 protected:
  frozen_archive() {
    zip_writer zip;
    for (int i = 0; i < 1000; ++i) zip.add({.name = "folder/" + std::to_string(i), .data = "x"});
    bytes = zip.bytes();
    os.change(bytes);
    EXPECT_TRUE(files.mount("one.zip"));
    EXPECT_TRUE(files.mount("other.zip"));
    EXPECT_TRUE(files.freeze());
    for (entry_index i = 0; i < files.entry_count(); ++i) {
      paths.push_back({files.entry(i).path, files.entry(i).id});
    }
  }
  // These return how many paths were found or opened.
  std::size_t open_all() {
    std::size_t count = 0;
    for (const asset_path& path : paths) {
      const result<opened_file> opened = files.open(path);
      if (opened && files.source(opened->place().source)) ++count;
    }
    return count;
  }
  std::size_t look_up_all() {
    std::size_t found = 0;
    for (const asset_path& path : paths) {
      const result<entry_index> entry = files.find(path);
      if (!entry || !files.stat(path) || !files.exists(path)) continue;
      const entry_info info = files.entry(*entry);
      mount_id mounts[2];
      if (info.hidden == 1 && files.providers(*entry, mounts) == 2 &&
          files.providers(path, mounts) == 2) {
        ++found;
      }
    }
    if (files.find(asset_path{"folder/x", {1}})) ++found;
    return found;
  }

  std::string bytes;
  sealable_allocator memory;
  memory_file_os os{{}};
  file_system files{{.memory = &memory, .os = &os}};
  std::vector<asset_path> paths;
};

TEST_F(frozen_archive, is_looked_up_and_opened_without_a_lock_or_an_allocation) {
  const test::no_alloc_scope no_alloc;
  const test::no_lock_scope no_lock;
  EXPECT_EQ(look_up_all(), 1000u);
  EXPECT_EQ(open_all(), 1000u);
}

TEST_F(frozen_archive, is_looked_up_without_a_write) {
  const int calls = os.calls();
  memory.seal(true);
  const std::size_t found = look_up_all();
  memory.seal(false);
  EXPECT_EQ(found, 1000u);
  EXPECT_EQ(os.calls(), calls) << "nor a call of the system";
}

}  // namespace
}  // namespace overture::frozen_test

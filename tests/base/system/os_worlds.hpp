// SPDX-License-Identifier: Zlib
//
// Where the tests of operating_system run: a folder on disk, through the native and through the
// generic system, and the fake.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>

#include "base/system/os_generic.hpp"
#include "overture/base/os.hpp"
#include "support/fake_os.hpp"
#include "support/platform.hpp"

namespace overture::test {

// A folder to fill, and an operating_system that reads it.
class world {
 public:
  virtual ~world() = default;
  virtual operating_system& os() = 0;
  virtual std::string root() const = 0;
  // Paths relative to the root.
  virtual void add_file(const std::string& path, const std::string& bytes) = 0;
  virtual void add_folder(const std::string& path) = 0;
  virtual void add_link(const std::string& path, const std::string& target) = 0;
  virtual void remove(const std::string& path) = 0;
  virtual void truncate(const std::string& path, std::size_t size) = 0;
  virtual bool knows_links_that_leave() const { return true; }
  virtual bool maps_files() const { return true; }
  virtual bool has_links() const { return true; }
  virtual bool follows_links_below() const { return true; }
  virtual bool frees_names_at_once() const { return true; }
  virtual bool has_names_of_any_bytes() const { return true; }
};

class disk_world : public world {
 public:
  disk_world() {
    static std::atomic<int> worlds{0};
    const auto name =
        "overture_os_test_" +
        std::to_string(std::filesystem::file_time_type::clock::now().time_since_epoch().count()) +
        "_" + std::to_string(worlds++);
    root_ = std::filesystem::canonical(std::filesystem::temp_directory_path()) / name;
    std::filesystem::create_directories(root_);
  }
  ~disk_world() override { std::filesystem::remove_all(root_); }
  operating_system& os() override { return system_os(); }
  std::string root() const override { return root_.generic_string(); }
  bool has_links() const override { return has_symlinks(); }
  bool follows_links_below() const override { return on_windows || has_openat2(); }
  bool frees_names_at_once() const override { return !on_windows; }
  bool has_names_of_any_bytes() const override { return !on_windows; }
  void add_file(const std::string& path, const std::string& bytes) override {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream{root_ / path, std::ios::binary} << bytes;
  }
  void add_folder(const std::string& path) override {
    std::filesystem::create_directories(root_ / path);
  }
  void add_link(const std::string& path, const std::string& target) override {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::filesystem::create_symlink(target, root_ / path);
  }
  void remove(const std::string& path) override { std::filesystem::remove_all(root_ / path); }
  void truncate(const std::string& path, std::size_t size) override {
    std::filesystem::resize_file(root_ / path, size);
  }

 private:
  std::filesystem::path root_;
};

class generic_world final : public disk_world {
 public:
  operating_system& os() override { return base_detail::generic_os(); }
  bool knows_links_that_leave() const override { return false; }
  bool follows_links_below() const override { return true; }
  bool maps_files() const override { return false; }
};

class fake_world final : public world {
 public:
  fake_world() { add_folder(""); }
  ~fake_world() override {
    EXPECT_EQ(os_.open_handles(), 0u);
    EXPECT_EQ(os_.open_mappings(), 0u);
    EXPECT_EQ(os_.misuses(), 0u);
  }
  operating_system& os() override { return os_; }
  std::string root() const override { return "/worlds/fake"; }
  void add_file(const std::string& path, const std::string& bytes) override {
    os_.add_file(root() + "/" + path, bytes);
  }
  void add_folder(const std::string& path) override { os_.add_folder(root() + "/" + path); }
  void add_link(const std::string& path, const std::string& target) override {
    os_.add_link(root() + "/" + path, target);
  }
  void remove(const std::string& path) override { os_.remove(root() + "/" + path); }
  void truncate(const std::string& path, std::size_t size) override {
    os_.truncate(root() + "/" + path, size);
  }

 private:
  fake_os os_;
};

enum class kind_of_world { system, generic, fake };

// Runs each of its tests in one of these.
class in_a_world : public ::testing::TestWithParam<kind_of_world> {
 protected:
  in_a_world() {
    switch (GetParam()) {
      case kind_of_world::system:
        world_ = std::make_unique<disk_world>();
        break;
      case kind_of_world::generic:
        world_ = std::make_unique<generic_world>();
        break;
      case kind_of_world::fake:
        world_ = std::make_unique<fake_world>();
        break;
    }
  }

  operating_system& os() { return world_->os(); }
  test::world& world() { return *world_; }
  std::string at(const std::string& path) { return world_->root() + "/" + path; }
  std::string content(const std::string& path) {
    const auto file = os().open(at(path).c_str());
    if (!file) return "error " + std::to_string(file.error().os_error);
    std::string text(100, '\0');
    const auto got = os().read_at(*file, 0, std::as_writable_bytes(std::span{text}));
    os().close(*file);
    text.resize(got.value_or(0));
    return text;
  }

 private:
  std::unique_ptr<test::world> world_;
};

inline std::string name_of_world(const ::testing::TestParamInfo<kind_of_world>& each) {
  return each.param == kind_of_world::system    ? "system"
         : each.param == kind_of_world::generic ? "generic"
                                                : "fake";
}

}  // namespace overture::test

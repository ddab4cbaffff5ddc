// SPDX-License-Identifier: Zlib
//
// Errors that only the real Linux implementation can make.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>

#include "overture/base/os.hpp"
#include "overture/base/replace_file.hpp"
#include "support/platform.hpp"
#include "support/temp_folder.hpp"

namespace overture::os_linux_test {
namespace {

namespace fs = std::filesystem;

TEST(os_linux, opening_a_fifo_does_not_wait_for_its_writer) {
  std::string folder = "/tmp/overture_fifo_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto fifo = system_os().open(path.c_str());
  ASSERT_TRUE(fifo);
  EXPECT_EQ(system_os().status(*fifo)->kind, file_kind::other);
  std::array<std::byte, 1> bytes{};
  EXPECT_FALSE(system_os().read_at(*fifo, 0, bytes));
  system_os().close(*fifo);
  unlink(path.c_str());
  rmdir(folder.c_str());
}

TEST(os_linux, a_fifo_is_not_replaced_by_a_file) {
  std::string folder = "/tmp/overture_fifo_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto done =
      replace_file(system_os(), path.c_str(), [](os_handle) { return result<void>{}; });
  EXPECT_EQ(done.error().code, errc::not_a_file);
  EXPECT_EQ(system_os().status(path.c_str(), false)->kind, file_kind::other);
  EXPECT_EQ(unlink(path.c_str()), 0);
  EXPECT_EQ(rmdir(folder.c_str()), 0) << "the folder should be empty";
}

TEST(os_linux, a_replaced_file_keeps_its_permissions) {
  temp_folder folder;
  const std::string path = (folder.path() / "one.txt").string();
  const auto replace = [&] {
    return replace_file(system_os(), path.c_str(), [](os_handle) { return result<void>{}; });
  };
  ASSERT_TRUE(replace());
  for (const mode_t mode : {0600u, 0640u, 0755u, 0666u}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    ASSERT_TRUE(replace());
    EXPECT_EQ(system_os().status(path.c_str(), false)->permissions, mode);
  }
}

TEST(os_linux, a_read_only_file_is_not_replaced) {
  temp_folder folder;
  const std::string path = (folder.path() / "one.txt").string();
  folder.write("one.txt", "kept");
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  const auto done =
      replace_file(system_os(), path.c_str(), [](os_handle) { return result<void>{}; });
  EXPECT_EQ(done.error().code, errc::permission);
  EXPECT_EQ(system_os().status(path.c_str(), false)->size, 4u);
}

// Games save from a forked copy of themselves while they go on, and save too.
TEST(os_linux, a_forked_process_has_temporary_files_of_its_own) {
  temp_folder folder;
  const std::string save = (folder.path() / "save").string();
  file_replacement ours;
  ASSERT_TRUE(ours.begin(system_os(), save.c_str()));
  const pid_t child = fork();
  if (child == 0) {
    file_replacement theirs;
    const bool begun = theirs.begin(system_os(), save.c_str()).has_value();
    const bool differ = std::strcmp(ours.temporary_path(), theirs.temporary_path()) != 0;
    _exit(begun && differ ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// From here on openat2 fails with this errno, as in older systems and in sandboxes.
bool forbid_openat2(int os_error) {
  if (os_error == ENOSYS && !has_openat2()) return true;
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(os_error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(steps), steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// In a process of its own, where openat2 is forbidden. Returns what `body` returns.
int without_openat2(int os_error, const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(forbid_openat2(os_error) ? body() : 100);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 101;
  return WEXITSTATUS(status);
}

class a_folder_without_openat2 : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const bool forbidden = without_openat2(GetParam(), [] { return 0; }) == 0;
    if (!forbidden) GTEST_SKIP() << "no system call can be forbidden here";
  }
  a_folder_without_openat2() {
    folder.write("root/real/deep/file", "file");
    folder.write("outside/secret", "secret");
    fs::create_symlink("../outside", folder / "root/to a folder outside");
    fs::create_symlink("../outside/secret", folder / "root/to a file outside");
    fs::create_symlink("deep", folder / "root/real/inside");
  }
  // The code of the error, -1 if it could be opened.
  static int open(os_handle root, const char* path) {
    const result<os_handle> opened = system_os().open_below(root, path);
    if (!opened) return static_cast<int>(opened.error().code);
    system_os().close(*opened);
    return -1;
  }

  temp_folder folder;
};

TEST_P(a_folder_without_openat2, opens_files_at_any_depth) {
  EXPECT_EQ(without_openat2(
                GetParam(),
                [&] {
                  const auto root = system_os().open((folder / "root").c_str());
                  if (!root) return 1;
                  if (open(*root, "real/deep/file") != -1) return 2;
                  return open(*root, "real/deep/none") == static_cast<int>(errc::not_found) ? 0 : 3;
                }),
            0);
}

TEST_P(a_folder_without_openat2, refuses_links_and_what_leaves_it) {
  for (const char* const path :
       {"to a folder outside/secret", "to a file outside", "real/inside/file", "../outside/secret",
        "real/../../outside/secret", "/etc/passwd"}) {
    EXPECT_EQ(without_openat2(GetParam(),
                              [&] {
                                const auto root = system_os().open((folder / "root").c_str());
                                return root ? open(*root, path) : 102;
                              }),
              static_cast<int>(errc::permission))
        << path;
  }
}

TEST_P(a_folder_without_openat2, is_not_left_by_writing) {
  const int done = without_openat2(GetParam(), [&] {
    operating_system& os = system_os();
    const auto root = os.open((folder / "root").c_str());
    if (!root) return 1;
    if (os.open_to_write(*root, "to a folder outside/new", write_mode::create)) return 2;
    if (os.open_to_write(*root, "to a file outside", write_mode::append)) return 3;
    if (os.make_folder_below(*root, "to a folder outside/new")) return 4;
    if (os.remove_below(*root, "to a folder outside/secret")) return 5;
    if (os.rename_below(*root, "real/deep/file", "to a folder outside/file")) return 6;
    if (!os.make_folder_below(*root, "real/new")) return 7;
    const auto file = os.open_to_write(*root, "real/new/file", write_mode::create);
    if (!file) return 8;
    os.close(*file);
    if (!os.rename_below(*root, "real/new/file", "real/deep/moved")) return 9;
    return os.remove_below(*root, "real/deep/moved") ? 0 : 10;
  });
  EXPECT_EQ(done, 0);
  EXPECT_TRUE(fs::exists(folder / "outside/secret"));
}

INSTANTIATE_TEST_SUITE_P(, a_folder_without_openat2, ::testing::Values(ENOSYS, EPERM));

}  // namespace
}  // namespace overture::os_linux_test

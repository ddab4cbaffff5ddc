// SPDX-License-Identifier: Zlib
//
// Errors that only the real Linux implementation can make.
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

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

// A list of access rights in the form of the kernel: the owner and users from 99 on may read and
// write.
std::string access_list(unsigned users = 1) {
  const auto number = [](unsigned value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  const auto entry = [&](unsigned tag, unsigned rights, unsigned id) {
    return number(tag, 2) + number(rights, 2) + number(id, 4);
  };
  constexpr unsigned none = UINT32_MAX;
  std::string list = number(2, 4) + entry(0x01, 6, none);
  for (unsigned i = 0; i < users; ++i) list += entry(0x02, 6, 99 + i);
  return list + entry(0x04, 0, none) + entry(0x10, 6, none) + entry(0x20, 0, none);
}

std::string attribute(const std::string& path, const char* name) {
  std::string value(65536, '\0');
  const ssize_t bytes = getxattr(path.c_str(), name, value.data(), value.size());
  return bytes < 0 ? "none" : value.substr(0, static_cast<std::size_t>(bytes));
}

TEST(os_linux, a_replaced_file_keeps_its_access_list) {
  temp_folder folder;
  const std::string path = folder.write("one.txt", "old");
  const std::string list = access_list();
  const char* const name = "system.posix_acl_access";
  // Some file systems have none.
  if (setxattr(path.c_str(), name, list.data(), list.size(), 0) != 0) return;
  EXPECT_EQ(system_os().status(path.c_str(), false)->permissions, 0660u) << "the most in the list";
  ASSERT_TRUE(replace_file(system_os(), path.c_str(), [](os_handle) { return result<void>{}; }));
  EXPECT_EQ(attribute(path, name), list);
  // The folder gives one to each new file, but the old file had none.
  ASSERT_EQ(removexattr(path.c_str(), name), 0);
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  const std::string above = folder.name();
  ASSERT_EQ(setxattr(above.c_str(), "system.posix_acl_default", list.data(), list.size(), 0), 0);
  ASSERT_TRUE(replace_file(system_os(), path.c_str(), [](os_handle) { return result<void>{}; }));
  EXPECT_EQ(attribute(path, name), "none");
  EXPECT_EQ(system_os().status(path.c_str(), false)->permissions, 0640u);
}

TEST(os_linux, a_replaced_file_keeps_an_access_list_of_many_users) {
  temp_folder folder;
  const std::string path = folder.write("one.txt", "old");
  const std::string list = access_list(1000);
  const char* const name = "system.posix_acl_access";
  // Some file systems have no lists, or only short ones.
  if (setxattr(path.c_str(), name, list.data(), list.size(), 0) != 0) return;
  ASSERT_TRUE(replace_file(system_os(), path.c_str(), [](os_handle) { return result<void>{}; }));
  EXPECT_EQ(attribute(path, name), list);
}

// Whatever the number of descriptors that are left, the rights stay or the file does.
TEST(os_linux, a_file_whose_rights_cannot_be_read_is_not_replaced) {
  temp_folder folder;
  const std::string path = folder.write("one.txt", "old");
  const std::string list = access_list();
  const char* const name = "system.posix_acl_access";
  if (setxattr(path.c_str(), name, list.data(), list.size(), 0) != 0) return;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  bool is_replaced = false;
  for (std::size_t left = 0; left < 10 && !is_replaced; ++left) {
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    std::vector<int> taken;
    for (int i; (i = dup(0)) >= 0;) taken.push_back(i);
    for (std::size_t i = 0; i < left; ++i) {
      close(taken.back());
      taken.pop_back();
    }
    const auto nothing = [](os_handle) { return result<void>{}; };
    is_replaced = replace_file(system_os(), path.c_str(), nothing).has_value();
    for (const int each : taken) close(each);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(attribute(path, name), list) << left << " descriptors left";
    EXPECT_EQ(system_os().status(path.c_str(), false)->size, is_replaced ? 0u : 3u);
  }
  EXPECT_TRUE(is_replaced);
}

TEST(os_linux, a_replaced_file_keeps_what_users_have_noted_of_it) {
  temp_folder folder;
  const std::string path = folder.write("one.txt", "old");
  if (setxattr(path.c_str(), "user.origin", "here", 4, 0) != 0) return;
  ASSERT_TRUE(replace_file(system_os(), path.c_str(), [](os_handle) { return result<void>{}; }));
  EXPECT_EQ(attribute(path, "user.origin"), "here");
  // Many names are one long list.
  const std::string noted(100, 'n');
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    const std::string name = "user." + noted + letter;
    // Some file systems have little room for them.
    if (setxattr(path.c_str(), name.c_str(), "x", 1, 0) != 0) return;
  }
  ASSERT_TRUE(replace_file(system_os(), path.c_str(), [](os_handle) { return result<void>{}; }));
  EXPECT_EQ(attribute(path, ("user." + noted + 'q').c_str()), "x");
}

// What the old group might do, another one may not.
TEST(os_linux, who_cannot_keep_the_group_keeps_none_of_its_rights) {
  if (geteuid() != 0) return;  // only root can make a file that is another user's
  temp_folder folder;
  const std::string path = folder.write("one.txt", "old");
  ASSERT_EQ(chmod(folder.name().c_str(), 0777), 0);
  for (const auto& [old_mode, new_mode] :
       {std::pair(0660u, 0600u), {0664u, 0644u}, {0604u, 0600u}}) {
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
    ASSERT_EQ(chmod(path.c_str(), old_mode), 0);
    const pid_t child = fork();
    if (child == 0) {
      const bool is_other = setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
      const auto nothing = [](os_handle) { return result<void>{}; };
      _exit(is_other && replace_file(system_os(), path.c_str(), nothing) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(system_os().status(path.c_str(), false)->permissions, new_mode) << old_mode;
  }
}

// With a list, the bits of the group are the most that anyone in it may do, not what the group may.
TEST(os_linux, who_is_barred_as_the_group_is_barred_as_one_of_the_others) {
  if (geteuid() != 0) return;
  temp_folder folder;
  const std::string path = folder.write("one.txt", "old");
  std::string list = access_list();
  list[list.size() - 6] = 4;  // all others may read
  ASSERT_EQ(chmod(folder.name().c_str(), 0777), 0);
  ASSERT_EQ(chown(path.c_str(), 65534, 7777), 0);
  if (setxattr(path.c_str(), "system.posix_acl_access", list.data(), list.size(), 0) != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    const bool is_other = setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
    const auto nothing = [](os_handle) { return result<void>{}; };
    _exit(is_other && replace_file(system_os(), path.c_str(), nothing) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(system_os().status(path.c_str(), false)->permissions, 0600u);
}

// It has the permissions of the file that it was to replace.
TEST(os_linux, a_temporary_file_that_may_only_be_written_is_removed) {
  if (geteuid() != 0) return;  // a file that root may not read does not exist
  temp_folder folder;
  const std::string left = folder.write(".overture-0123456789abc.tmp", "half");
  ASSERT_EQ(chmod(folder.name().c_str(), 0777), 0);
  ASSERT_EQ(chown(left.c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod(left.c_str(), 0200), 0);
  const pid_t child = fork();
  if (child == 0) {
    const bool is_other = setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
    _exit(is_other && sweep_temporaries(system_os(), folder.name().c_str()) == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(os_linux, a_link_of_another_user_in_a_folder_for_all_is_not_followed) {
  if (geteuid() != 0) return;  // only root can make a link that is another user's
  temp_folder folder;
  folder.write("real.txt", "precious");
  const std::string link = folder / "link.txt";
  fs::create_symlink("real.txt", link);
  ASSERT_EQ(lchown(link.c_str(), 65534, 65534), 0);
  const auto replace = [&] {
    return replace_file(system_os(), link.c_str(), [](os_handle) { return result<void>{}; });
  };
  ASSERT_EQ(chmod(folder.name().c_str(), 01777), 0);
  EXPECT_EQ(replace().error().code, errc::permission);
  EXPECT_EQ(folder.read("real.txt"), "precious");
  // Nor is a link of one's own that leads to it.
  const std::string own = folder / "own.txt";
  fs::create_symlink("link.txt", own);
  const auto through_own = [&] {
    return replace_file(system_os(), own.c_str(), [](os_handle) { return result<void>{}; });
  };
  EXPECT_EQ(through_own().error().code, errc::permission);
  EXPECT_EQ(folder.read("real.txt"), "precious");
  ASSERT_EQ(chmod(folder.name().c_str(), 0755), 0);
  EXPECT_TRUE(replace());
  EXPECT_TRUE(through_own());
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

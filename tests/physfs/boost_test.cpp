// SPDX-License-Identifier: Zlib
//
// Start packs as a game meets them: what is recorded, and what comes from a pack.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "physfs.h"
#include "start_pack/pack_writer.hpp"
#include "support/temp_folder.hpp"

namespace overture::boost_test {
namespace {

using start_pack::identity_of;
using start_pack::pack_writer;

class boost : public ::testing::Test {
 protected:
  boost() {
    game_.write("images/a.png", "the real a");
    game_.write("b.txt", "the real b");
    EXPECT_EQ(::chmod(cache_.path().c_str(), 0700), 0);
  }
  ~boost() override {
    EXPECT_EQ(PHYSFS_isInit() == 0 || PHYSFS_deinit() != 0, true);
    ::unsetenv("OVERTURE_BOOST_RECORD");
    ::unsetenv("OVERTURE_BOOST_PACK");
  }

  void start() {
    ASSERT_NE(PHYSFS_init(nullptr), 0);
    ASSERT_NE(PHYSFS_mount(game_.path().c_str(), nullptr, 1), 0);
  }
  static std::string read(const char* name) {
    PHYSFS_File* const file = PHYSFS_openRead(name);
    if (!file) return "error";
    std::string text(100, '\0');
    const PHYSFS_sint64 got = PHYSFS_readBytes(file, text.data(), text.size());
    EXPECT_NE(PHYSFS_eof(file), 0);
    EXPECT_EQ(PHYSFS_fileLength(file), got);
    EXPECT_NE(PHYSFS_close(file), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
  }

  // A pack whose contents show that they are the pack's.
  std::string write_pack() {
    const std::string path = cache_ / "game.pack";
    const result<os_handle> file = system_os().create(path.c_str());
    EXPECT_TRUE(file);
    pack_writer writer(system_os(), *file, default_allocator());
    for (const char* const name : {"images/a.png", "b.txt"}) {
      const std::string real = game_ / name;
      const result<file_status> status = system_os().status(real.c_str(), true);
      const std::string content = std::string("packed ") + name;
      EXPECT_TRUE(writer.add(real, "", identity_of(*status), std::as_bytes(std::span(content))));
    }
    EXPECT_TRUE(writer.finish("game"));
    system_os().close(*file);
    return path;
  }

  temp_folder game_;
  temp_folder cache_;
};

TEST_F(boost, records_each_file_once_in_the_order_of_first_use) {
  const std::string log = cache_.write("log", "");
  ::setenv("OVERTURE_BOOST_RECORD", log.c_str(), 1);
  start();
  EXPECT_EQ(read("b.txt"), "the real b");
  EXPECT_EQ(read("images/a.png"), "the real a");
  EXPECT_EQ(read("b.txt"), "the real b");
  EXPECT_EQ(read("none"), "error");
  EXPECT_NE(PHYSFS_deinit(), 0);
  const std::string text = cache_.read("log");
  const std::size_t b = text.find("b.txt");
  const std::size_t a = text.find("images/a.png");
  ASSERT_NE(a, std::string::npos);
  EXPECT_LT(b, a);
  EXPECT_EQ(text.find("b.txt", b + 1), std::string::npos);
  EXPECT_EQ(text.size(), 16 + (game_ / "b.txt").size() + (game_ / "images/a.png").size());
}

TEST_F(boost, records_into_a_file_that_is_there_and_is_locked_meanwhile) {
  ::setenv("OVERTURE_BOOST_RECORD", (cache_ / "none").c_str(), 1);
  start();
  EXPECT_EQ(read("b.txt"), "the real b");
  EXPECT_NE(PHYSFS_deinit(), 0);
  EXPECT_NE(::access((cache_ / "none").c_str(), F_OK), 0);

  const std::string log = cache_.write("log", "");
  ::setenv("OVERTURE_BOOST_RECORD", log.c_str(), 1);
  const int file = ::open(log.c_str(), O_RDONLY | O_CLOEXEC);
  start();
  EXPECT_NE(::flock(file, LOCK_EX | LOCK_NB), 0);
  EXPECT_NE(PHYSFS_deinit(), 0);
  EXPECT_EQ(::flock(file, LOCK_EX | LOCK_NB), 0);
  ::close(file);
}

// A limit on the size of files is what a full disk is: the last write that fits is a short one.
TEST_F(boost, records_nothing_behind_a_record_that_did_not_fit) {
  const std::string log = cache_.write("log", "");
  ::setenv("OVERTURE_BOOST_RECORD", log.c_str(), 1);
  start();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit tight{12, before.rlim_max};
  void (*const action)(int) = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  EXPECT_EQ(read("b.txt"), "the real b");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, action);
  EXPECT_EQ(read("images/a.png"), "the real a");
  EXPECT_EQ(cache_.read("log").size(), 12u);
}

// It has no thread that reads the pack.
TEST_F(boost, a_child_of_the_game_reads_files_where_they_are) {
  ::setenv("OVERTURE_BOOST_PACK", write_pack().c_str(), 1);
  start();
  const pid_t child = ::fork();
  if (child == 0) {
    const bool right = read("b.txt") == "the real b" && PHYSFS_deinit() != 0;
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read("b.txt"), "packed b.txt");
}

TEST_F(boost, the_thread_that_reads_the_pack_takes_no_signals) {
  ::setenv("OVERTURE_BOOST_PACK", write_pack().c_str(), 1);
  start();
  EXPECT_EQ(read("b.txt"), "packed b.txt");  // it has begun
  int threads = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(each.path() / "comm");
    std::string line;
    if (!std::getline(file, line) || line != "start pack") continue;
    ++threads;
    file = std::ifstream(each.path() / "status");
    while (std::getline(file, line) && !line.starts_with("SigBlk:")) {
    }
    EXPECT_EQ(std::stoull(line.substr(7), nullptr, 16) & (1u << (SIGTERM - 1)),
              1u << (SIGTERM - 1));
  }
  EXPECT_EQ(threads, 1);
}

TEST_F(boost, gives_what_is_in_the_pack) {
  ::setenv("OVERTURE_BOOST_PACK", write_pack().c_str(), 1);
  start();
  EXPECT_EQ(read("images/a.png"), "packed images/a.png");
  EXPECT_EQ(read("b.txt"), "packed b.txt");
  EXPECT_EQ(read("none"), "error");
}

TEST_F(boost, reads_a_changed_file_where_it_is) {
  ::setenv("OVERTURE_BOOST_PACK", write_pack().c_str(), 1);
  game_.write("b.txt", "a newer b");
  start();
  EXPECT_EQ(read("b.txt"), "a newer b");
  EXPECT_EQ(read("images/a.png"), "packed images/a.png");
  game_.write("images/a.png", "changed while the game runs");
  EXPECT_EQ(read("images/a.png"), "changed while the game runs");
}

TEST_F(boost, ignores_a_pack_that_others_could_have_made) {
  ::setenv("OVERTURE_BOOST_PACK", write_pack().c_str(), 1);
  ASSERT_EQ(::chmod(cache_.path().c_str(), 0755), 0);
  start();
  EXPECT_EQ(read("b.txt"), "the real b");
}

TEST_F(boost, ignores_a_pack_that_is_a_link_or_damaged_or_missing) {
  const std::string pack = write_pack();
  const std::string other = cache_ / "other.pack";
  ASSERT_EQ(::symlink(pack.c_str(), other.c_str()), 0);
  cache_.write("damaged.pack", cache_.read("game.pack").substr(0, 50));
  for (const char* const name : {"other.pack", "damaged.pack", "missing.pack"}) {
    ::setenv("OVERTURE_BOOST_PACK", (cache_ / name).c_str(), 1);
    start();
    EXPECT_EQ(read("b.txt"), "the real b") << name;
    EXPECT_NE(PHYSFS_deinit(), 0);
  }
}

TEST_F(boost, keeps_files_open_that_a_game_reads_in_pieces) {
  ::setenv("OVERTURE_BOOST_PACK", write_pack().c_str(), 1);
  start();
  PHYSFS_File* const file = PHYSFS_openRead("b.txt");
  ASSERT_NE(file, nullptr);
  char letter = 0;
  EXPECT_NE(PHYSFS_seek(file, 7), 0);
  EXPECT_EQ(PHYSFS_readBytes(file, &letter, 1), 1);
  EXPECT_EQ(letter, 'b');
  EXPECT_EQ(PHYSFS_tell(file), 8);
  EXPECT_NE(PHYSFS_seek(file, 0), 0);
  EXPECT_EQ(PHYSFS_readBytes(file, &letter, 1), 1);
  EXPECT_EQ(letter, 'p');
  EXPECT_EQ(PHYSFS_seek(file, 1000), 0);
  EXPECT_NE(PHYSFS_close(file), 0);
}

}  // namespace
}  // namespace overture::boost_test

// Errors that only the real Linux implementation can make.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "overture/base/os.hpp"

namespace overture {
namespace {

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

}  // namespace
}  // namespace overture

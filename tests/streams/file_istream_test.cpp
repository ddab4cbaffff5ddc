// SPDX-License-Identifier: Zlib
#include "overture/streams/file_istream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "archives/zip/mounted_zip.hpp"
#include "support/failing_allocator.hpp"
#include "support/fake_os.hpp"
#include "support/temp_folder.hpp"

namespace overture::file_istream_test {
namespace {

using namespace literals;

constexpr std::string_view paths[] = {"stored", "deflated", "streamed"};

// "streamed" is read with a configuration that never unpacks it as a whole.
file_reader_config config_of(std::string_view path, std::size_t buffer_bytes = 16u << 10) {
  return {.buffer_bytes = buffer_bytes, .unpacked_bytes_max = path == "streamed" ? 0 : 512u << 10};
}

// The middle of its file makes no sense.
std::string damaged_archive() {
  zip_writer zip;
  zip.add({.name = "damaged", .data = long_text, .method = zip_deflated});
  std::string bytes = zip.bytes();
  bytes.replace(bytes.size() / 2, 1000, std::string(1000, '\xFF'));
  return bytes;
}

class a_file_istream : public ::testing::Test {
 protected:
  static zip_writer archive() {
    zip_writer zip;
    zip.add({.name = "stored", .data = long_text});
    zip.add({.name = "deflated", .data = long_text, .method = zip_deflated});
    zip.add({.name = "streamed", .data = long_text, .method = zip_deflated});
    zip.add({.name = "numbers", .data = "17 -3\n2.5 word"});
    zip.add({.name = "empty"});
    zip.add({.name = "wrong", .data = long_text, .stated_crc32 = 1});
    return zip;
  }
  file_istream open(std::string_view path, std::size_t buffer_bytes = 16u << 10) {
    return {tree.files, {path, {hash64(path)}}, config_of(path, buffer_bytes)};
  }

  mounted tree{archive()};
};

std::string rest_of(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(a_file_istream, reads_what_the_file_holds) {
  for (const std::string_view path : paths) {
    for (const std::size_t buffer : {0u, 7u, 1000u, 1u << 20}) {
      file_istream in = open(path, buffer);
      ASSERT_TRUE(in) << path;
      EXPECT_EQ(in.size(), long_text.size());
      EXPECT_EQ(rest_of(in), long_text) << path << ' ' << buffer;
      EXPECT_FALSE(in.bad());
      EXPECT_FALSE(in.failure());
    }
  }
}

TEST_F(a_file_istream, reads_lines_and_numbers) {
  file_istream in = open("numbers");
  int first = 0;
  int second = 0;
  double third = 0;
  std::string word;
  in >> first >> second >> third >> word;
  EXPECT_EQ(first, 17);
  EXPECT_EQ(second, -3);
  EXPECT_EQ(third, 2.5);
  EXPECT_EQ(word, "word");
  EXPECT_TRUE(in.eof());
  in.clear();
  in.seekg(0);
  std::string line;
  EXPECT_TRUE(std::getline(in, line));
  EXPECT_EQ(line, "17 -3");
}

// Whatever is done to it, a stringstream of the same bytes does the same.
TEST_F(a_file_istream, does_what_a_stringstream_does) {
  for (const std::string_view path : paths) {
    std::mt19937 random(5);
    file_istream in = open(path, 64);
    std::istringstream model(long_text);
    for (int i = 0; i < 3000; ++i) {
      const int what = static_cast<int>(random() % 8);
      const auto count = static_cast<std::streamsize>(random() % (random() % 4 == 0 ? 300 : 20));
      const auto place = static_cast<std::streamoff>(random() % long_text.size());
      for (std::istream* const one :
           {static_cast<std::istream*>(&in), static_cast<std::istream*>(&model)}) {
        char room[300];
        if (what == 0) one->seekg(place);
        if (what == 1) one->seekg(count - 10, std::ios::cur);
        if (what == 2) one->seekg(-place, std::ios::end);
        if (what == 3) one->unget();
        if (what == 4) (void)one->get();
        if (what == 5) one->ignore(count);
        if (what >= 6) one->read(room, count);
      }
      ASSERT_EQ(in.good(), model.good()) << path << ' ' << i << ' ' << what;
      in.clear();
      model.clear();
      ASSERT_EQ(in.tellg(), model.tellg()) << path << ' ' << i << ' ' << what;
      ASSERT_EQ(in.peek(), model.peek()) << path << ' ' << i << ' ' << what;
      in.clear();
      model.clear();
    }
  }
}

TEST_F(a_file_istream, seeks_from_the_beginning_the_position_and_the_end) {
  file_istream in = open("deflated", 100);
  const auto bytes = static_cast<std::streamoff>(long_text.size());
  in.seekg(0, std::ios::end);
  EXPECT_EQ(in.tellg(), std::streampos(bytes));
  EXPECT_EQ(in.get(), EOF);
  in.clear();
  in.seekg(-1, std::ios::end);
  EXPECT_EQ(in.get(), long_text.back());
  in.seekg(100).seekg(-30, std::ios::cur);
  EXPECT_EQ(in.tellg(), std::streampos(70));
  EXPECT_EQ(in.get(), long_text[70]);
}

TEST_F(a_file_istream, refuses_to_seek_out_of_the_file_and_stays_where_it_is) {
  const auto bytes = static_cast<std::streamoff>(long_text.size());
  file_istream in = open("stored", 100);
  in.seekg(5);
  const std::pair<std::streamoff, std::ios::seekdir> outside[] = {
      {-1, std::ios::beg},        {-6, std::ios::cur},        {bytes + 1, std::ios::beg},
      {1, std::ios::end},         {INT64_MAX, std::ios::cur}, {INT64_MIN, std::ios::end},
      {INT64_MIN, std::ios::beg}, {INT64_MAX, std::ios::beg}};
  for (const auto& [offset, from] : outside) {
    in.seekg(offset, from);
    EXPECT_TRUE(in.fail()) << offset;
    EXPECT_FALSE(in.bad()) << offset;
    in.clear();
    EXPECT_EQ(in.tellg(), std::streampos(5)) << offset;
  }
  EXPECT_EQ(in.get(), long_text[5]);
}

TEST_F(a_file_istream, takes_bytes_back_as_far_as_the_beginning) {
  for (const std::string_view path : paths) {
    file_istream in = open(path, 10);
    std::string got(1000, ' ');
    in.read(got.data(), 1000);
    for (std::size_t i = 1000; i-- > 0;) {
      ASSERT_TRUE(in.putback(long_text[i])) << path << ' ' << i;
      ASSERT_EQ(in.tellg(), std::streampos(static_cast<std::streamoff>(i)));
    }
    EXPECT_FALSE(in.unget()) << "nothing is in front of it";
    in.clear();
    EXPECT_EQ(rest_of(in), long_text);
  }
}

TEST_F(a_file_istream, puts_no_other_byte_back) {
  file_istream in = open("stored", 10);
  in.ignore(25);
  EXPECT_FALSE(in.putback('~'));
  EXPECT_TRUE(in.bad());
  EXPECT_FALSE(in.failure()) << "nothing is wrong with the file";
  in.clear();
  EXPECT_EQ(in.get(), long_text[25]);
}

TEST_F(a_file_istream, says_how_many_bytes_are_left) {
  file_istream in = open("stored", 10);
  EXPECT_EQ(in.rdbuf()->in_avail(), static_cast<std::streamsize>(long_text.size()));
  in.seekg(0, std::ios::end);
  EXPECT_EQ(in.rdbuf()->in_avail(), -1);
  char byte = 0;
  EXPECT_EQ(in.readsome(&byte, 1), 0);
  EXPECT_TRUE(in.eof());
}

TEST_F(a_file_istream, of_an_empty_file_is_at_its_end) {
  file_istream in = open("empty");
  ASSERT_TRUE(in);
  EXPECT_EQ(in.tellg(), std::streampos(0));
  in.seekg(0, std::ios::end);
  EXPECT_EQ(in.tellg(), std::streampos(0));
  EXPECT_EQ(in.rdbuf()->in_avail(), -1);
  EXPECT_EQ(in.get(), EOF);
  EXPECT_TRUE(in.eof());
  EXPECT_FALSE(in.bad());
  in.clear();
  EXPECT_FALSE(in.unget());
}

TEST_F(a_file_istream, of_a_missing_file_fails_and_says_why) {
  file_istream in(tree.files, "no/such.file"_path);
  EXPECT_FALSE(in);
  EXPECT_FALSE(in.bad());
  ASSERT_TRUE(in.failure());
  EXPECT_EQ(in.failure()->code, errc::not_found);
  in.clear();
  EXPECT_EQ(in.get(), EOF);
  EXPECT_EQ(in.tellg(), std::streampos(-1));
}

TEST_F(a_file_istream, that_fails_its_checksum_is_bad_and_says_why) {
  for (const std::size_t buffer : {100u, 1u << 20}) {
    file_istream in = open("wrong", buffer);
    const std::string got = rest_of(in);
    EXPECT_TRUE(in.bad());
    ASSERT_TRUE(in.failure());
    EXPECT_EQ(in.failure()->code, errc::corrupt);
    EXPECT_LT(got.size(), long_text.size());
    char sentence[300];
    tree.files.explain(*in.failure(), sentence);
    EXPECT_NE(std::string_view(sentence).find("wrong"), std::string_view::npos) << sentence;
  }
}

TEST_F(a_file_istream, gives_what_is_in_front_of_the_damage) {
  const std::string bytes = damaged_archive();
  file_system files;
  ASSERT_TRUE(files.mount_memory("damaged.zip", std::as_bytes(std::span(bytes))));
  file_istream in(files, "damaged"_path, config_of("streamed", 64));
  ASSERT_TRUE(in);
  const std::string got = rest_of(in);
  EXPECT_TRUE(in.bad());
  EXPECT_EQ(in.failure()->code, errc::corrupt);
  EXPECT_GT(got.size(), 1000u);
  EXPECT_LT(got.size(), long_text.size() - 1000);
  EXPECT_EQ(got.substr(0, 1000), long_text.substr(0, 1000));
  in.clear();
  in.seekg(10);
  EXPECT_EQ(in.get(), long_text[10]) << "what is in front can be read again";
}

TEST_F(a_file_istream, reports_damage_to_a_formatted_read_and_to_getline) {
  file_istream in = open("wrong", 50);
  std::string line;
  std::size_t lines = 0;
  while (std::getline(in, line)) ++lines;
  EXPECT_GT(lines, 1000u);
  EXPECT_TRUE(in.bad());
}

TEST_F(a_file_istream, throws_if_the_host_asked_for_it) {
  file_istream in = open("wrong");
  in.exceptions(std::ios::badbit);
  std::string all(long_text.size(), ' ');
  EXPECT_THROW(in.read(all.data(), static_cast<std::streamsize>(all.size())), std::ios::failure);
  EXPECT_EQ(in.failure()->code, errc::corrupt);
}

TEST_F(a_file_istream, survives_its_mount) {
  file_istream in = open("deflated", 100);
  in.ignore(50);
  tree.files.thaw();
  ASSERT_TRUE(tree.files.unmount(*tree.outcome));
  EXPECT_EQ(rest_of(in), long_text.substr(50));
  EXPECT_FALSE(in.bad());
}

TEST_F(a_file_istream, can_be_moved) {
  file_istream first = open("wrong", 100);
  first.ignore(50);
  file_istream second(std::move(first));
  EXPECT_EQ(second.get(), long_text[50]);
  file_istream third = open("empty");
  EXPECT_EQ(third.get(), EOF);
  third = std::move(second);
  EXPECT_EQ(third.tellg(), std::streampos(51));
  EXPECT_EQ(third.get(), long_text[51]);
  (void)rest_of(third);
  EXPECT_TRUE(third.bad()) << "the damage is reported to the stream that has the buffer now";
  EXPECT_TRUE(third.failure());
  EXPECT_EQ(first.get(), EOF);  // NOLINT(bugprone-use-after-move): at its end, says the header
  EXPECT_FALSE(first.bad());
}

TEST_F(a_file_istream, has_a_buffer_that_any_istream_takes) {
  result<file_streambuf> opened = file_streambuf::open(tree.files, "wrong"_path);
  ASSERT_TRUE(opened);
  file_streambuf buffer = *std::move(opened);
  std::istream in(&buffer);
  buffer.report_to(&in);
  EXPECT_LT(rest_of(in).size(), long_text.size());
  EXPECT_TRUE(in.bad());
  EXPECT_EQ(buffer.failure()->code, errc::corrupt);
  EXPECT_EQ(buffer.sputc('x'), EOF) << "it is read-only";
  EXPECT_EQ(buffer.pubseekoff(0, std::ios::beg, std::ios::out), std::streampos(-1));
}

TEST_F(a_file_istream, has_a_buffer_that_reports_to_no_stream_unless_asked) {
  file_streambuf buffer = *file_streambuf::open(tree.files, "wrong"_path);
  std::string all(long_text.size(), ' ');
  EXPECT_LT(buffer.sgetn(all.data(), static_cast<std::streamsize>(all.size())),
            static_cast<std::streamsize>(all.size()));
  EXPECT_EQ(buffer.failure()->code, errc::corrupt);
}

TEST_F(a_file_istream, frees_all_memory_whenever_it_ends) {
  for (const std::string_view path : paths) {
    for (std::uint64_t allowed = 0; allowed < 10; ++allowed) {
      failing_allocator memory(allowed);
      {
        file_reader_config config = config_of(path);
        config.memory = &memory;
        file_istream in(tree.files, {path, {hash64(path)}}, config);
        (void)rest_of(in);
        if (in.failure()) {
          EXPECT_EQ(in.failure()->code, errc::out_of_memory) << path << ' ' << allowed;
        }
      }
      EXPECT_EQ(memory.live_bytes(), 0) << path << ' ' << allowed;
    }
  }
}

TEST_F(a_file_istream, of_one_file_is_independent_of_another) {
  std::vector<std::string> got(4);
  std::vector<std::thread> threads;
  for (std::string& mine : got) {
    threads.emplace_back([&] {
      file_istream in = open("streamed", 100);
      mine = rest_of(in);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& each : got) EXPECT_EQ(each, long_text);
}

TEST(a_large_read_of_a_stream, goes_past_the_buffer) {
  test::fake_os os;
  os.add_file("/game/text", long_text);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("/game"));
  file_istream in(files, "text"_path, {.buffer_bytes = 100});
  ASSERT_EQ(in.get(), long_text[0]);
  std::size_t largest = 0;
  const auto before = os.calls(test::os_call::read);
  os.before_each_call([&](const test::os_call_info& call) {
    if (call.kind == test::os_call::read) largest = std::max(largest, call.size);
  });
  std::string rest(long_text.size() - 1, ' ');
  ASSERT_TRUE(in.read(rest.data(), static_cast<std::streamsize>(rest.size())));
  EXPECT_EQ(rest, long_text.substr(1));
  EXPECT_EQ(os.calls(test::os_call::read), before + 1);
  EXPECT_EQ(largest, long_text.size() - 100);
}

TEST(a_stream_of_five_gigabytes, has_positions_of_64_bits) {
  constexpr std::uint64_t bytes = 5ull << 30;
  const temp_folder folder;
  const std::string path = folder.write("huge", "begin");
  std::filesystem::resize_file(path, bytes);  // sparse
  {
    std::fstream out(path, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(bytes - 3));
    out << "end";
  }
  file_system files;
  ASSERT_TRUE(files.mount(folder.path()));
  file_istream in(files, "huge"_path);
  ASSERT_TRUE(in);
  EXPECT_EQ(in.size(), bytes);
  ASSERT_TRUE(in.seekg(-3, std::ios::end));
  EXPECT_EQ(in.tellg(), std::streampos(static_cast<std::streamoff>(bytes - 3)));
  std::string word;
  in >> word;
  EXPECT_EQ(word, "end");
  in.clear();
  ASSERT_TRUE(in.seekg(-static_cast<std::streamoff>(bytes), std::ios::end));
  EXPECT_EQ(in.get(), 'b');
  ASSERT_TRUE(in.seekg(static_cast<std::streamoff>(bytes - 4), std::ios::cur));
  EXPECT_EQ(in.get(), 'e');
}

TEST(a_stream_of_a_file_that_cannot_be_read, is_bad_until_it_can) {
  test::fake_os os;
  os.add_file("/game/text", long_text);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("/game"));
  file_istream in(files, "text"_path, {.buffer_bytes = 100});
  os.fail_call(test::os_call::read, os.calls(test::os_call::read), EIO);
  EXPECT_EQ(in.get(), EOF);
  EXPECT_TRUE(in.bad());
  EXPECT_EQ(in.failure()->os_error, EIO);
  in.clear();
  EXPECT_EQ(rest_of(in), long_text);
  EXPECT_FALSE(in.bad());
}

}  // namespace
}  // namespace overture::file_istream_test

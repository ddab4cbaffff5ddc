// SPDX-License-Identifier: Zlib
#include "overture/vfs/file_reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "archives/zip/mounted_zip.hpp"
#include "support/failing_allocator.hpp"
#include "support/temp_folder.hpp"

namespace overture::file_reader_test {
namespace {

using namespace literals;

// Made on first use: each test runs in a process of its own, and few need it.
const std::string& large() {
  static const std::string text = [] {
    std::mt19937 random(3);
    std::string lines;
    while (lines.size() < 2'000'000) lines += "line " + std::to_string(random() % 5000) + "\n";
    return lines;
  }();
  return text;
}

// An archive with files of all kinds.
const std::string& archive_bytes() {
  static const std::string bytes = [] {
    zip_writer zip;
    zip.add({.name = "stored", .data = large()});
    zip.add(
        {.name = "deflated", .data = large(), .method = zip_deflated, .local_extra_bytes = 900});
    zip.add({.name = "stored, long header", .data = large(), .local_extra_bytes = 900});
    zip.add({.name = "small", .data = long_text, .method = zip_deflated});
    zip.add({.name = "empty"});
    zip.add({.name = "folder/file", .data = "x"});
    zip.add({.name = "wrong", .data = large(), .stated_crc32 = 1});
    zip.add({.name = "wrong deflated", .data = large(), .method = zip_deflated, .stated_crc32 = 1});
    zip.add({.name = "wrong small", .data = "abc", .method = zip_deflated, .stated_crc32 = 1});
    return zip.bytes();
  }();
  return bytes;
}

class reading_in_pieces : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(files.mount_memory("test.zip", std::as_bytes(std::span(bytes))));
    folder.write("loose", large());
    ASSERT_TRUE(files.mount(folder.path()));
  }
  file_reader open(std::string_view path, const file_reader_config& config = {}) {
    result<file_reader> reader = file_reader::open(files, {path, {hash64(path)}}, config);
    if (!reader) throw std::runtime_error(reader.error().reason);
    return *std::move(reader);
  }

  const std::string& bytes = archive_bytes();
  temp_folder folder;
  file_system files;
};

// Up to `count` bytes from the reader's position, or the error.
std::string take(file_reader& reader, std::size_t count) {
  std::string text(count, '?');
  const result<std::size_t> got = reader.read(std::as_writable_bytes(std::span(text)));
  if (!got) return std::string("error: ") + to_string(got.error().code);
  text.resize(*got);
  return text;
}

TEST_F(reading_in_pieces, reads_from_the_beginning_to_the_end) {
  for (const char* path : {"stored", "deflated", "loose"}) {
    for (const std::size_t buffer : {0u, 100u, 16384u}) {
      file_reader reader = open(path, {.buffer_bytes = buffer});
      EXPECT_EQ(reader.size(), large().size());
      std::string all;
      std::mt19937 random(1);
      for (;;) {
        const std::string part = take(reader, 1 + random() % 50'000);
        if (part.empty()) break;
        all += part;
        ASSERT_EQ(reader.position(), all.size());
      }
      EXPECT_EQ(all, large()) << path << ' ' << buffer;
      EXPECT_EQ(reader.verified(), std::string_view(path) != "loose");
    }
  }
}

TEST_F(reading_in_pieces, seeks_anywhere) {
  for (const char* path : {"stored", "deflated", "loose"}) {
    file_reader reader = open(path);
    std::mt19937 random(2);
    for (int i = 0; i < 200; ++i) {
      const std::size_t to = random() % (large().size() + 1);
      ASSERT_TRUE(reader.seek(to));
      const std::size_t count = random() % 3 == 0 ? random() % 60'000 : random() % 40;
      ASSERT_EQ(take(reader, count), large().substr(to, count)) << path << ' ' << to;
    }
    ASSERT_TRUE(reader.seek(large().size()));
    EXPECT_EQ(take(reader, 1), "");
    EXPECT_EQ(reader.seek(large().size() + 1).error().code, errc::invalid);
    EXPECT_EQ(reader.position(), large().size());
  }
}

TEST_F(reading_in_pieces, small_and_empty_files_are_read_alike) {
  file_reader small = open("small");
  ASSERT_TRUE(small.seek(500));
  EXPECT_EQ(take(small, 1'000'000), long_text.substr(500));
  EXPECT_TRUE(small.verified());
  file_reader empty = open("empty");
  EXPECT_EQ(take(empty, 10), "");
  EXPECT_TRUE(empty.verified());
}

TEST_F(reading_in_pieces, reads_exactly_or_reports_that_the_file_ends) {
  file_reader reader = open("small");
  std::string room(long_text.size(), '?');
  ASSERT_TRUE(reader.read_all_of(std::as_writable_bytes(std::span(room))));
  EXPECT_EQ(room, long_text);
  ASSERT_TRUE(reader.seek(1));
  EXPECT_EQ(reader.read_all_of(std::as_writable_bytes(std::span(room))).error().code,
            errc::truncated);
  EXPECT_EQ(reader.position(), 1u);
}

TEST_F(reading_in_pieces, a_wrong_checksum_is_found_when_the_whole_file_has_passed) {
  for (const char* path : {"wrong", "wrong deflated"}) {
    file_reader reader = open(path);
    ASSERT_EQ(take(reader, 1'000'000), large().substr(0, 1'000'000));
    ASSERT_TRUE(reader.seek(10));
    ASSERT_EQ(take(reader, 1'200'000), large().substr(10, 1'200'000));
    EXPECT_EQ(take(reader, large().size()), "error: corrupt") << path;
    EXPECT_FALSE(reader.verified());
  }
  EXPECT_EQ(file_reader::open(files, "wrong small"_path).error().code, errc::corrupt);
}

TEST_F(reading_in_pieces, a_first_read_of_all_of_a_file_needs_no_more_than_what_is_packed) {
  for (const char* path : {"stored", "stored, long header", "deflated", "small"}) {
    tracking_allocator memory(default_allocator());
    file_reader reader =
        open(path, {.memory = &memory, .buffer_bytes = 0, .unpacked_bytes_max = 0});
    const std::string& content = std::string_view(path) == "small" ? long_text : large();
    EXPECT_EQ(take(reader, content.size()), content) << path;
    EXPECT_TRUE(reader.verified());
    const bool is_stored = std::string_view(path).starts_with("stored");
    EXPECT_LE(memory.total().allocations, is_stored ? 1u : 3u) << path;
    EXPECT_LT(memory.total().peak_bytes, content.size() / 2) << path;
    ASSERT_TRUE(reader.seek(500));
    EXPECT_EQ(take(reader, 100), content.substr(500, 100)) << path;
  }
}

TEST_F(reading_in_pieces, a_wrong_checksum_of_a_file_read_at_once_fails_that_read_and_all_others) {
  for (const char* path : {"wrong", "wrong deflated"}) {
    file_reader reader = open(path);
    EXPECT_EQ(take(reader, large().size()), "error: corrupt") << path;
    EXPECT_EQ(reader.position(), 0u);
    EXPECT_EQ(take(reader, 100'000), "error: corrupt") << path;
    EXPECT_FALSE(reader.verified());
  }
}

TEST_F(reading_in_pieces, damage_is_said_of_the_file_that_has_it) {
  const auto sentence = [this](const error& why) {
    char text[200];
    files.explain(why, text);
    return std::string(text);
  };
  for (const char* path : {"wrong", "wrong deflated"}) {
    file_reader reader = open(path);
    std::string room(large().size(), ' ');
    const auto got = reader.read(std::as_writable_bytes(std::span(room)));
    ASSERT_FALSE(got);
    EXPECT_EQ(sentence(got.error()).find(std::string(path) + " in test.zip"), 0u)
        << sentence(got.error());
  }
  const error small = file_reader::open(files, "wrong small"_path).error();
  EXPECT_EQ(sentence(small).find("wrong small in test.zip"), 0u) << sentence(small);
}

// Has memory for small blocks only.
class small_blocks final : public allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    return bytes > 200'000 ? nullptr : default_allocator().allocate(bytes, alignment, tag);
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    default_allocator().deallocate(memory, bytes, alignment, tag);
  }
};

TEST_F(reading_in_pieces, without_memory_for_what_is_packed_a_file_is_unpacked_in_pieces) {
  small_blocks memory;
  file_reader reader = open("deflated", {.memory = &memory});
  EXPECT_EQ(take(reader, large().size()), large());
  EXPECT_TRUE(reader.verified());
}

TEST_F(reading_in_pieces, a_file_read_with_gaps_is_unverified_but_no_error) {
  file_reader reader = open("wrong");
  ASSERT_TRUE(reader.seek(1));
  EXPECT_EQ(take(reader, large().size()), large().substr(1));
  EXPECT_FALSE(reader.verified());
}

TEST_F(reading_in_pieces, reports_what_cannot_be_opened) {
  EXPECT_EQ(file_reader::open(files, "missing"_path).error().code, errc::not_found);
  EXPECT_EQ(file_reader::open(files, "folder"_path).error().code, errc::not_a_file);
}

TEST_F(reading_in_pieces, takes_a_file_that_is_open_already) {
  result<opened_file> file = files.open("deflated"_path);
  ASSERT_TRUE(file);
  result<file_reader> reader = file_reader::open(files, *std::move(file));
  ASSERT_TRUE(reader);
  EXPECT_EQ(take(*reader, large().size()), large());
}

TEST_F(reading_in_pieces, stays_valid_after_the_unmount) {
  file_reader reader = open("deflated");
  file_reader loose = open("loose");
  while (files.mount_count() > 0) ASSERT_TRUE(files.unmount(files.mount_at(0).id));
  ASSERT_TRUE(reader.seek(1'500'000));
  EXPECT_EQ(take(reader, 100), large().substr(1'500'000, 100));
  EXPECT_EQ(take(loose, 100), large().substr(0, 100));
}

TEST_F(reading_in_pieces, a_file_that_shrinks_is_truncated) {
  file_reader reader = open("loose");
  std::filesystem::resize_file(folder / "loose", 1000);
  EXPECT_EQ(take(reader, 2'000'000), "error: truncated");
  EXPECT_EQ(reader.position(), 0u);
  file_reader again = open("loose");
  EXPECT_EQ(take(again, 2000), large().substr(0, 1000));
}

TEST_F(reading_in_pieces, files_above_four_gigabytes_can_only_be_read_in_pieces) {
  constexpr std::uint64_t bytes_of_it = limits::entry_bytes_max + 2'000'000;
  const std::string file = folder.write("huge", "");
  std::filesystem::resize_file(file, bytes_of_it);  // sparse
  {
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(bytes_of_it - 3));
    out << "end";
  }
  file_system sparse;
  ASSERT_TRUE(sparse.mount(folder.path()));
  EXPECT_EQ(sparse.open("huge"_path).error().code, errc::limit);
  result<file_reader> reader = file_reader::open(sparse, "huge"_path);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->size(), bytes_of_it);
  ASSERT_TRUE(reader->seek(bytes_of_it - 5));
  EXPECT_EQ(take(*reader, 10), std::string("\0\0end", 5));
}

TEST_F(reading_in_pieces, frees_all_memory_whenever_it_ends) {
  for (const char* path : {"stored", "deflated", "small"}) {
    for (std::uint64_t allowed = 0; allowed < 10; ++allowed) {
      failing_allocator memory(allowed);
      {
        result<file_reader> reader =
            file_reader::open(files, {path, {hash64(path)}}, {.memory = &memory});
        const errc outcome = reader ? errc::out_of_memory : reader.error().code;
        EXPECT_EQ(outcome, errc::out_of_memory) << path;
        if (reader) (void)take(*reader, 1'900'000);
      }
      EXPECT_EQ(memory.live_bytes(), 0) << path;
    }
  }
}

// --- Mapping -------------------------------------------------------------------------------------

TEST_F(reading_in_pieces, maps_stored_files_of_archives_in_memory) {
  result<mapped_file> mapped = files.map("stored"_path);
  ASSERT_TRUE(mapped);
  EXPECT_EQ(to_text(mapped->span()), large());
  EXPECT_GE(mapped->span().data(), std::as_bytes(std::span(bytes)).data());
  EXPECT_LT(mapped->span().data(), std::as_bytes(std::span(bytes)).data() + bytes.size());
  EXPECT_EQ(files.map("deflated"_path).error().code, errc::unsupported);
  EXPECT_EQ(files.map("loose"_path).error().code, errc::unsupported) << "not declared immutable";
  EXPECT_EQ(files.map("missing"_path).error().code, errc::not_found);
}

TEST_F(reading_in_pieces, maps_immutable_archives_and_folders) {
  zip_writer zip;
  zip.add({.name = "in archive", .data = large(), .local_extra_bytes = 3000});
  zip.save(folder / "more.zip");
  file_system own;
  const result<mount_id> archive =
      own.mount((folder / "more.zip").c_str(), {.immutable_source = true});
  ASSERT_TRUE(archive);
  ASSERT_TRUE(own.mount(folder.path(), {.immutable_source = true}));
  for (const bool frozen : {false, true}) {
    ASSERT_EQ(!frozen || own.freeze(), true);
    EXPECT_EQ(to_text(own.map("in archive"_path)->span()), large());
    EXPECT_EQ(to_text(own.map("loose"_path)->span()), large());
  }
  own.thaw();
  const result<mapped_file> kept = own.map("in archive"_path);
  const result<mapped_file> loose = own.map("loose"_path);
  while (own.mount_count() > 0) ASSERT_TRUE(own.unmount(own.mount_at(0).id));
  EXPECT_EQ(to_text(kept->span()), large());
  EXPECT_EQ(to_text(loose->span()), large());
}

TEST_F(reading_in_pieces, storage_that_cannot_map_can_still_be_read) {
  memory_file_os os(bytes);
  file_system own({.os = &os});
  ASSERT_TRUE(own.mount("x", {.immutable_source = true}));
  EXPECT_EQ(own.map("stored"_path).error().code, errc::unsupported);
  EXPECT_EQ(load(own, "stored"), large());
}

}  // namespace
}  // namespace overture::file_reader_test

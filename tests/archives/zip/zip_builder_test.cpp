// SPDX-License-Identifier: Zlib
#include "overture/archives/zip_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "archives/zip/zip_directory.hpp"
#include "base/little_endian.hpp"
#include "overture/archives/zip_comments.hpp"
#include "overture/io/pack.hpp"
#include "overture/vfs/file_reader.hpp"
#include "support/failing_allocator.hpp"
#include "support/fake_os.hpp"
#include "vfs/tree_reader.hpp"

namespace overture::zip_builder_test {
namespace {

using test::fake_os;
using test::os_call;
using ::testing::ElementsAre;
using ::testing::Pair;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// An archive on a disk in memory.
struct built {
  built() : file(*os.create("/made.zip")) {}

  result<void> add(zip_entry_info entry, std::string_view data) {
    entry.bytes = data.size();
    const result<void> begun = zip.begin(entry);
    if (!begun) return begun;
    return zip.write(bytes_of(data)).and_then([&] { return zip.end(crc32(bytes_of(data))); });
  }
  std::string bytes() {
    EXPECT_TRUE(zip.finish());
    return os.content("/made.zip").value();
  }
  std::map<std::string, std::string> contents() {
    EXPECT_TRUE(zip.finish());
    file_system files({.os = &os});
    EXPECT_TRUE(files.mount("/made.zip"));
    EXPECT_TRUE(files.freeze());
    return load_all(files);
  }

  fake_os os;
  os_handle file;
  zip_builder zip{os, file};
};

TEST(zip_builder, writes_what_mounts) {
  built made;
  ASSERT_TRUE(made.add({.name = "maps/rome.txt"}, "rome"));
  ASSERT_TRUE(made.add({.name = "empty"}, ""));
  ASSERT_TRUE(made.add({.name = "grün/日本.txt"}, "names"));
  EXPECT_THAT(made.contents(), ElementsAre(Pair("empty", ""), Pair("grün/日本.txt", "names"),
                                           Pair("maps/rome.txt", "rome")));
}

TEST(zip_builder, writes_an_archive_without_entries) {
  built made;
  EXPECT_EQ(made.bytes().size(), archives_detail::zip_end_bytes);
}

TEST(zip_builder, keeps_packed_entries_and_whether_they_are_executable) {
  const std::string text(200'000, 'x');
  built made;
  packer pack;
  for (const auto& [name, method] :
       {std::pair{"deflate", compression::deflate}, std::pair{"zstd", compression::zstd}}) {
    std::vector<std::byte> packed(packer::packed_bytes_max(method, text.size()));
    const std::size_t count = pack.pack(method, bytes_of(text), packed).value();
    ASSERT_TRUE(
        made.zip.begin({.name = name, .method = method, .bytes = text.size(), .executable = true}));
    ASSERT_TRUE(made.zip.write(std::span(packed).first(count)));
    ASSERT_TRUE(made.zip.end(crc32(bytes_of(text))));
  }
  ASSERT_TRUE(made.add({.name = "plain"}, "plain"));
  EXPECT_THAT(made.contents(),
              ElementsAre(Pair("deflate", text), Pair("plain", "plain"), Pair("zstd", text)));
  file_system files({.os = &made.os});
  ASSERT_TRUE(files.mount("/made.zip"));
  using namespace literals;
  EXPECT_TRUE(files.stat("zstd"_path)->executable);
  EXPECT_FALSE(files.stat("plain"_path)->executable);
}

TEST(zip_builder, gives_the_same_bytes_each_time) {
  const auto make = [] {
    built made;
    EXPECT_TRUE(made.add({.name = "a", .comment = "from base"}, "one"));
    EXPECT_TRUE(made.add({.name = "b", .executable = true}, std::string(100'000, 'b')));
    return made.bytes();
  };
  EXPECT_EQ(make(), make());
}

TEST(zip_builder, aligns_what_is_stored) {
  for (std::size_t shift = 1; shift < 70; ++shift) {
    built made;
    ASSERT_TRUE(made.add({.name = std::string(shift, 'n')}, "1"));
    ASSERT_TRUE(made.add({.name = "small"}, "SMALL"));
    ASSERT_TRUE(made.add({.name = "large"}, "LARGE" + std::string(64u << 10, '-')));
    const std::string bytes = made.bytes();
    EXPECT_EQ(bytes.find("SMALL") % 64, 0u) << shift;
    EXPECT_EQ(bytes.find("LARGE") % 4096, 0u) << shift;
  }
}

TEST(zip_builder, makes_entries_that_are_read_at_once) {
  built made;
  ASSERT_TRUE(made.add({.name = "first"}, std::string(70'000, '1')));
  ASSERT_TRUE(made.add({.name = "second"}, std::string(70'000, '2')));
  ASSERT_TRUE(made.add({.name = "third"}, "3"));
  ASSERT_TRUE(made.zip.finish());
  file_system files({.os = &made.os});
  ASSERT_TRUE(files.mount("/made.zip"));
  const std::uint64_t before = made.os.calls(os_call::read);
  for (const std::string path : {"first", "second", "third"}) (void)load(files, path);
  EXPECT_EQ(made.os.calls(os_call::read) - before, 3u);
}

TEST(zip_builder, keeps_comments) {
  built made;
  ASSERT_TRUE(made.add({.name = "a", .comment = "from base.pk3"}, "one"));
  ASSERT_TRUE(made.add({.name = "b"}, "two"));
  ASSERT_TRUE(made.add({.name = "c", .comment = "from Müllers Mod"}, "three"));
  ASSERT_TRUE(made.zip.finish());
  std::map<std::string, std::string> comments;
  const auto visit = [&](std::string_view name, std::string_view comment) {
    comments.emplace(name, comment);
  };
  ASSERT_TRUE(visit_zip_comments("/made.zip", visit, made.os));
  EXPECT_THAT(comments, ElementsAre(Pair("a", "from base.pk3"), Pair("c", "from Müllers Mod")));
}

TEST(zip_builder, refuses_names_that_no_tree_has) {
  built made;
  for (const std::string name : {"", "/a", "../a", "a//b", "a\\b", "a/", "\xFF", "C:/a"}) {
    const result<void> begun = made.zip.begin({.name = name});
    ASSERT_FALSE(begun) << name;
    EXPECT_EQ(begun.error().code, errc::bad_path) << name;
  }
  ASSERT_TRUE(made.add({.name = "good"}, "good"));
  EXPECT_THAT(made.contents(), ElementsAre(Pair("good", "good")));
}

TEST(zip_builder, refuses_what_a_zip_cannot_say) {
  built made;
  EXPECT_EQ(made.zip.begin({.name = "a", .comment = "\xFF"}).error().code, errc::invalid);
  const std::string comment(1u << 16, 'c');
  EXPECT_EQ(made.zip.begin({.name = "a", .comment = comment}).error().code, errc::invalid);
  EXPECT_EQ(made.zip.begin({.name = "a", .method = compression::lz4}).error().code,
            errc::unsupported);
}

TEST(zip_builder, refuses_calls_in_the_wrong_order) {
  built made;
  EXPECT_EQ(made.zip.write(bytes_of("a")).error().code, errc::invalid);
  EXPECT_EQ(made.zip.end(0).error().code, errc::invalid);
  ASSERT_TRUE(made.zip.begin({.name = "a", .bytes = 2}));
  EXPECT_EQ(made.zip.begin({.name = "b"}).error().code, errc::invalid);
  EXPECT_EQ(made.zip.finish().error().code, errc::invalid);
  ASSERT_TRUE(made.zip.write(bytes_of("a")));
  EXPECT_EQ(made.zip.end(0).error().code, errc::invalid) << "a stored entry of another size";
  ASSERT_TRUE(made.zip.write(bytes_of("b")));
  ASSERT_TRUE(made.zip.end(crc32(bytes_of("ab"))));
  ASSERT_TRUE(made.zip.finish());
  EXPECT_EQ(made.zip.finish().error().code, errc::invalid);
  EXPECT_EQ(made.zip.begin({.name = "c"}).error().code, errc::invalid);
}

TEST(zip_builder, tells_every_failure_of_the_system) {
  built calm;
  ASSERT_TRUE(calm.add({.name = "a"}, std::string(3u << 20, 'a')));
  ASSERT_TRUE(calm.add({.name = "b"}, "b"));
  ASSERT_TRUE(calm.zip.finish());
  const std::uint64_t writes = calm.os.calls(os_call::write);
  for (std::uint64_t i = 0; i < writes; ++i) {
    built made;
    made.os.fail_call(os_call::write, i, ENOSPC);
    result<void> done = made.add({.name = "a"}, std::string(3u << 20, 'a'))
                            .and_then([&] { return made.add({.name = "b"}, "b"); })
                            .and_then([&] { return made.zip.finish(); });
    ASSERT_FALSE(done) << i;
    EXPECT_EQ(done.error().code, errc::no_space);
  }
}

TEST(zip_builder, survives_an_allocator_that_refuses) {
  bool done = false;
  for (std::uint64_t i = 0; !done; ++i) {
    ASSERT_LT(i, 1000u);
    fake_os os;
    const os_handle file = *os.create("/made.zip");
    failing_allocator memory(i);
    zip_builder zip(os, file, &memory);
    const result<void> outcome = zip.begin({.name = "a", .comment = "c", .bytes = 1})
                                     .and_then([&] { return zip.write(bytes_of("a")); })
                                     .and_then([&] { return zip.end(crc32(bytes_of("a"))); })
                                     .and_then([&] { return zip.finish(); });
    done = outcome.has_value();
    if (!outcome) {
      EXPECT_EQ(outcome.error().code, errc::out_of_memory);
    }
  }
}

TEST(zip_builder, writes_70000_entries) {
  built made;
  constexpr std::size_t count = 70'000;
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(made.add({.name = "folder/" + std::to_string(i)}, std::to_string(i)));
  }
  ASSERT_TRUE(made.zip.finish());
  file_system files({.os = &made.os});
  ASSERT_TRUE(files.mount("/made.zip"));
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(files.entry_count(), count);
  EXPECT_EQ(load(files, "folder/69999"), "69999");
}

// The last `count` bytes.
std::span<const std::byte> tail(std::string_view text, std::size_t count) {
  return bytes_of(text.substr(text.size() - count));
}

TEST(zip_builder, notes_the_packed_sizes_of_pieces) {
  constexpr std::size_t piece = 1u << 20;
  std::string text;
  while (text.size() < 5 * piece / 2) text += "line " + std::to_string(text.size()) + '\n';
  ASSERT_EQ(zip_piece_bytes(text.size()), piece);
  ASSERT_EQ(zip_piece_count(text.size()), 2u);
  built made;
  ASSERT_TRUE(made.zip.begin(
      {.name = "map", .method = compression::deflate, .bytes = text.size(), .piece_bytes = piece}));
  packer pack;
  std::vector<std::byte> room(packer::packed_bytes_max(compression::deflate, text.size()));
  const std::string_view all(text);
  const std::size_t first = pack.pack_piece(bytes_of(all.substr(0, piece)), false, room).value();
  ASSERT_TRUE(made.zip.write(std::span(room).first(first)));
  const std::size_t second = pack.pack_piece(bytes_of(all.substr(piece)), true, room).value();
  ASSERT_TRUE(made.zip.write(std::span(room).first(second)));
  ASSERT_TRUE(made.zip.end(crc32(bytes_of(text))));
  const std::string bytes = made.bytes();
  // Number, length, version, size of a piece, packed size of the first.
  const std::span<const std::byte> field = tail(bytes, archives_detail::zip_end_bytes + 16);
  EXPECT_EQ(base_detail::load_u16(field.data()), 0x564Fu);
  EXPECT_EQ(base_detail::load_u16(field.data() + 2), 12u);
  EXPECT_EQ(base_detail::load_u32(field.data() + 4), 1u);
  EXPECT_EQ(base_detail::load_u32(field.data() + 8), piece);
  EXPECT_EQ(base_detail::load_u32(field.data() + 12), first);
  file_system files({.os = &made.os});
  ASSERT_TRUE(files.mount("/made.zip"));
  EXPECT_EQ(load(files, "map"), text);
}

TEST(zip_builder, leaves_out_pieces_that_are_not_those_of_the_entry) {
  built made;
  ASSERT_TRUE(made.zip.begin(
      {.name = "one", .method = compression::deflate, .bytes = 5, .piece_bytes = 2}));
  ASSERT_TRUE(made.zip.write(bytes_of({"\xCB\x48\xCD\xC9\xC9\x07\x00", 7})));
  ASSERT_TRUE(made.zip.end(crc32(bytes_of("hello"))));
  EXPECT_THAT(made.contents(), ElementsAre(Pair("one", "hello")));
  EXPECT_EQ(made.os.content("/made.zip")->find("OV"), std::string::npos);
}

TEST(zip_pieces, grow_with_the_entry) {
  constexpr std::uint64_t mib = 1u << 20;
  EXPECT_EQ(zip_piece_bytes(2 * mib - 1), 0u);
  EXPECT_EQ(zip_piece_bytes(2 * mib), mib);
  EXPECT_EQ(zip_piece_bytes(4095 * mib), mib);
  EXPECT_EQ(zip_piece_bytes(4096 * mib), 2 * mib);
  for (std::uint64_t bytes = 1; bytes < UINT64_MAX / 16; bytes *= 3) {
    EXPECT_LE(zip_piece_count(bytes), 4096u) << bytes;
  }
}

// A disk with one file that keeps only blocks that are not all zero.
class sparse_os final : public operating_system {
 public:
  static constexpr std::size_t block = 1u << 16;

  result<os_handle> open(const char*) noexcept override { return os_handle{1}; }
  result<os_handle> open_below(os_handle, const char*) noexcept override { return os_handle{1}; }
  void close(os_handle) noexcept override {}
  result<file_status> status(os_handle) noexcept override {
    return file_status{.kind = file_kind::file, .size = size_};
  }
  result<std::size_t> write_at(os_handle, std::uint64_t offset,
                               std::span<const std::byte> bytes) noexcept override {
    const std::size_t at = offset % block;
    const std::size_t count = std::min(bytes.size(), block - at);
    static constexpr std::byte zeros[block] = {};
    if (blocks_.contains(offset / block) || std::memcmp(bytes.data(), zeros, count) != 0) {
      std::string& kept = blocks_[offset / block];
      kept.resize(block);
      std::memcpy(kept.data() + at, bytes.data(), count);
    }
    size_ = std::max(size_, offset + count);
    return count;
  }
  result<std::size_t> read_at(os_handle, std::uint64_t offset,
                              std::span<std::byte> to) noexcept override {
    if (offset >= size_) return std::size_t{0};
    const std::size_t at = offset % block;
    const std::size_t count = std::min<std::uint64_t>({to.size(), block - at, size_ - offset});
    const auto kept = blocks_.find(offset / block);
    if (kept == blocks_.end()) {
      std::memset(to.data(), 0, count);
    } else {
      std::memcpy(to.data(), kept->second.data() + at, count);
    }
    return count;
  }
  result<file_status> status(const char*, bool) noexcept override { return status(os_handle{1}); }
  result<void> list(const char*,
                    function_ref<void(const folder_entry&) noexcept>) noexcept override {
    return tl::unexpected(os_failure(ENOTDIR, "cannot list the folder"));
  }
  result<std::size_t> canonical_path(const char*, std::span<char>) noexcept override {
    return tl::unexpected(os_failure(ENOENT, "cannot resolve the path"));
  }
  result<mapping> map(os_handle) noexcept override {
    return tl::unexpected(os_failure(ENOTSUP, "cannot map"));
  }
  void unmap(mapping) noexcept override {}

 private:
  std::map<std::uint64_t, std::string> blocks_;
  std::uint64_t size_ = 0;
};

TEST(zip_builder, writes_entries_and_archives_above_4_gib) {
  using namespace literals;
  sparse_os os;
  zip_builder zip(os, os_handle{1});
  const std::vector<std::byte> zeros(16u << 20);
  const std::uint64_t large = (4ull << 30) + zeros.size();
  ASSERT_TRUE(zip.begin({.name = "large", .bytes = large}));
  for (std::uint64_t left = large; left > 0; left -= zeros.size()) ASSERT_TRUE(zip.write(zeros));
  ASSERT_TRUE(zip.end(0xC0FFEE));
  ASSERT_TRUE(zip.begin({.name = "after", .bytes = 5}));
  ASSERT_TRUE(zip.write(bytes_of("after")));
  ASSERT_TRUE(zip.end(crc32(bytes_of("after"))));
  ASSERT_TRUE(zip.finish());
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("made.zip"));
  EXPECT_EQ(files.stat("large"_path)->bytes, large);
  EXPECT_EQ(load(files, "after"), "after");
  result<file_reader> reader = file_reader::open(files, "large"_path);
  ASSERT_TRUE(reader);
  std::byte last[1];
  ASSERT_TRUE(reader->seek(large - 1));
  EXPECT_TRUE(reader->read_all_of(last));
}

}  // namespace
}  // namespace overture::zip_builder_test

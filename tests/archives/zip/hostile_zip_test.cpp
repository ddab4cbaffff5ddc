// SPDX-License-Identifier: Zlib
//
// Damaged and lying ZIP archives: what cannot be right gives an error, and the rest loads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include "support/memory_file_os.hpp"
#include "support/zip_writer.hpp"
#include "vfs/tree_reader.hpp"

namespace overture::hostile_zip_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const std::string text(2000, 't');

// Mounts the archive and loads all files; has "error: CODE" under "" if it cannot be mounted.
std::map<std::string, std::string> load_zip(memory_file_os& os) {
  std::map<std::string, std::string> contents;
  {
    file_system files({.os = &os});
    const result<mount_id> mount = files.mount("test.zip");
    if (!mount) return {{"", std::string("error: ") + to_string(mount.error().code)}};
    const result<void> frozen = files.freeze();
    if (!frozen) return {{"", std::string("error: ") + to_string(frozen.error().code)}};
    contents = load_all(files);
    for (std::size_t i = 0; i < files.skipped_count(); ++i)
      EXPECT_STRNE(files.skipped(i).reason, "");
  }
  EXPECT_EQ(os.open_handles(), 0);
  return contents;
}
std::map<std::string, std::string> load_zip(const std::string& bytes) {
  memory_file_os os(bytes);
  return load_zip(os);
}

// One of each kind of entry.
zip_writer varied_zip() {
  zip_writer zip;
  zip.zip64 = true;
  zip.comment = "a comment";
  zip.add({.name = "stored", .data = "the stored one"});
  zip.add({.name = "deflated", .data = text, .method = zip_deflated});
  zip.add({.name = "zip64", .data = text, .method = zip_deflated, .zip64 = true});
  zip.add({.name = "described", .data = "sizes follow", .sizes_in_descriptor = true});
  zip.add({.name = "link", .data = "stored", .mode = zip_mode_link});
  zip.add({.name = "twice", .data = "first"});
  zip.add({.name = "twice", .data = "second"});
  zip.add({.name = "folder\\from windows", .data = "windows", .made_on = 0});
  return zip;
}

const std::set<std::string> varied_contents{"the stored one", text,      "sizes follow", "first",
                                            "second",         "windows", "stored"};

// Each file must be one of the original files or an error.
void expect_right_or_error(const std::string& bytes) {
  for (const auto& [path, content] : load_zip(bytes)) {
    EXPECT_TRUE(content.starts_with("error: ") || varied_contents.contains(content))
        << path << " is " << content;
  }
}

TEST(hostile_zip, truncated_anywhere_gives_right_files_or_errors) {
  const std::string whole = varied_zip().bytes();
  const std::size_t comment_bytes = std::string_view("a comment").size();
  for (std::size_t length = 0; length < whole.size() - comment_bytes; ++length) {
    const std::map<std::string, std::string> contents = load_zip(whole.substr(0, length));
    const std::string_view outcome = length < 4 ? "error: unsupported" : "error: corrupt";
    EXPECT_THAT(contents, ElementsAre(Pair("", outcome))) << "cut to " << length;
    if (HasFailure()) return;
  }
}

TEST(hostile_zip, truncated_at_every_fiftieth_of_a_large_archive_cannot_be_mounted) {
  zip_writer zip;
  for (int i = 0; i < 200; ++i) {
    zip.add({.name = std::to_string(i), .data = std::string(3000, static_cast<char>(i))});
  }
  const std::string whole = zip.bytes();
  for (std::size_t part = 1; part < 50; ++part) {
    EXPECT_THAT(load_zip(whole.substr(0, whole.size() * part / 50)),
                ElementsAre(Pair("", "error: corrupt")));
  }
  EXPECT_THAT(load_zip(whole.substr(1)), ElementsAre(Pair("", "error: corrupt")))
      << "cut at its front";
}

TEST(hostile_zip, with_one_bit_flipped_gives_right_files_or_errors) {
  std::string bytes = varied_zip().bytes();
  ASSERT_EQ(load_zip(bytes).size(), 7u);
  for (std::size_t at = 0; at < bytes.size() && !HasFailure(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
      expect_right_or_error(bytes);
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
    }
  }
}

TEST(hostile_zip, with_one_bit_flipped_in_one_entry_still_loads_the_others) {
  zip_writer zip;
  const char* const names[] = {"one", "two", "three"};
  for (const char* name : names) zip.add({.name = name, .data = std::string(40, *name)});
  zip_layout layout;
  std::string bytes = zip.bytes(&layout);
  const auto all_but_the_second_load = [&] {
    const std::map<std::string, std::string> contents = load_zip(bytes);
    // Lengths in a record locate the next one, so damage there breaks the whole directory.
    if (contents.contains("")) return contents.at("") == "error: corrupt";
    return contents.contains("one") && contents.at("one") == std::string(40, 'o') &&
           contents.contains("three") && contents.at("three") == std::string(40, 't');
  };
  const auto flip_all = [&](std::size_t first, std::size_t end) {
    for (std::size_t at = first; at < end; ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
        EXPECT_TRUE(all_but_the_second_load()) << "bit " << bit << " of byte " << at - first;
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
      }
    }
  };
  flip_all(layout.local_headers[1], layout.local_headers[2]);
  flip_all(layout.records[1], layout.records[2]);
}

TEST(hostile_zip, with_one_byte_of_all_or_no_bits_gives_right_files_or_errors) {
  std::string bytes = varied_zip().bytes();
  for (std::size_t at = 0; at < bytes.size() && !HasFailure(); ++at) {
    for (const char value : {'\0', '\xFF'}) {
      const char before = std::exchange(bytes[at], value);
      expect_right_or_error(bytes);
      bytes[at] = before;
    }
  }
}

TEST(hostile_zip, that_is_empty_or_something_else_is_not_an_archive) {
  EXPECT_THAT(load_zip(""), ElementsAre(Pair("", "error: unsupported")));
  EXPECT_THAT(load_zip("\x89PNG"), ElementsAre(Pair("", "error: unsupported")));
  EXPECT_THAT(load_zip(std::string(200'000, 'x')), ElementsAre(Pair("", "error: unsupported")));
}

// --- Lying entries -------------------------------------------------------------------------------

// Opens "liar", which has an "honest" entry before and after it in the archive.
struct liar_test {
  explicit liar_test(zip_entry liar) {
    zip_writer zip;
    zip.add({.name = "before", .data = "honest"});
    liar.name = "liar";
    zip.add(liar);
    zip.add({.name = "after", .data = "honest"});
    bytes = zip.bytes();
    os.change(bytes);
    EXPECT_TRUE(files.mount("test.zip"));
    EXPECT_TRUE(files.freeze());
    EXPECT_EQ(load(files, "before"), "honest");
    EXPECT_EQ(load(files, "after"), "honest");
  }
  // The error of open().
  errc opening() {
    const result<opened_file> opened = files.open(asset_path{"liar", {hash64("liar")}});
    EXPECT_FALSE(opened);
    return opened ? errc::busy : opened.error().code;
  }
  std::string loading() { return load(files, "liar"); }

  std::string bytes;
  memory_file_os os{bytes};
  file_system files{{.os = &os}};
};

TEST(lying_entry, that_is_stored_with_two_sizes_is_corrupt) {
  EXPECT_EQ(liar_test({.data = "abc", .stated_bytes = 4}).opening(), errc::corrupt);
  EXPECT_EQ(liar_test({.data = "abc", .stated_packed_bytes = 2}).opening(), errc::corrupt);
}

TEST(lying_entry, that_unpacks_to_more_or_less_than_it_states_is_corrupt) {
  for (const std::uint64_t bytes : {0u, 1u, 1999u, 2001u, 4000u}) {
    liar_test test({.data = text, .method = zip_deflated, .stated_bytes = bytes});
    EXPECT_EQ(test.loading(), "error: corrupt") << bytes;
  }
}

TEST(lying_entry, that_claims_an_impossible_size_is_corrupt_before_memory_is_allocated) {
  liar_test test({.data = text, .method = zip_deflated, .stated_bytes = 1u << 30});
  EXPECT_EQ(test.opening(), errc::corrupt);
}

TEST(lying_entry, that_is_larger_than_the_archive_is_corrupt) {
  EXPECT_EQ(liar_test({.data = "x", .zip64 = true, .stated_bytes = 1ull << 40}).opening(),
            errc::corrupt);
}

TEST(lying_entry, outside_the_archive_is_corrupt) {
  EXPECT_EQ(liar_test({.data = "x", .stated_offset = 1u << 20}).opening(), errc::corrupt);
  for (const std::uint64_t offset : {std::uint64_t{1} << 40, UINT64_MAX - 40, UINT64_MAX}) {
    EXPECT_EQ(liar_test({.data = "x", .zip64 = true, .stated_offset = offset}).opening(),
              errc::corrupt);
  }
  EXPECT_EQ(
      liar_test({.data = text, .stated_bytes = 200'000, .stated_packed_bytes = 200'000}).opening(),
      errc::corrupt);
}

TEST(lying_entry, that_overlaps_the_directory_is_corrupt) {
  zip_writer zip;
  zip.add({.name = "honest", .data = "honest"});
  zip.add({.name = "liar", .data = "abc", .stated_bytes = 4, .stated_packed_bytes = 4});
  EXPECT_THAT(load_zip(zip.bytes()),
              ElementsAre(Pair("honest", "honest"), Pair("liar", "error: corrupt")));
}

TEST(lying_entry, that_overlaps_the_next_one_is_corrupt) {
  EXPECT_EQ(liar_test({.data = "abc", .stated_bytes = 9, .stated_packed_bytes = 9}).opening(),
            errc::corrupt);
  // The local header may be shorter than the directory's, so this is noticed when it is read.
  EXPECT_EQ(liar_test({.data = "abc", .stated_bytes = 4, .stated_packed_bytes = 4}).loading(),
            "error: corrupt");
}

TEST(lying_entry, that_begins_within_another_is_corrupt_and_the_other_is_not) {
  for (const std::uint64_t offset : {0u, 1u, 20u, 36u}) {
    EXPECT_EQ(liar_test({.data = "abc", .stated_offset = offset}).loading(), "error: corrupt");
  }
}

TEST(lying_entry, that_contains_another_one_is_corrupt) {
  zip_writer inner;
  inner.add({.name = "inner", .data = "inner"});
  const std::string inside = inner.bytes();
  zip_writer zip;
  zip.add({.name = "outer", .data = inside});
  zip.add({.name = "inner", .data = "inner", .stated_offset = 30 + 5});
  zip.add({.name = "honest", .data = "honest"});
  EXPECT_THAT(load_zip(zip.bytes()), ElementsAre(Pair("honest", "honest"), Pair("inner", "inner"),
                                                 Pair("outer", "error: corrupt")));
}

TEST(lying_entry, among_thousands_that_overlap_is_found_with_few_reads) {
  zip_writer zip;
  zip.add({.name = "honest", .data = text});
  for (int i = 0; i < 5000; ++i)
    zip.add({.name = std::to_string(i), .data = "x", .stated_offset = 9});
  const std::string bytes = zip.bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.zip"));
  EXPECT_LT(os.calls(), 1000);
  ASSERT_TRUE(files.freeze());
  for (entry_index i = 0; i < 5000; ++i) EXPECT_NE(load(files, files.entry(i).path), "x");
}

TEST(lying_entry, that_swaps_places_with_another_is_corrupt) {
  zip_writer zip;
  zip.add({.name = "a", .data = std::string(50, 'a'), .stated_offset = 31 + 50});
  zip.add({.name = "b", .data = std::string(50, 'b'), .stated_offset = 0});
  EXPECT_THAT(load_zip(zip.bytes()),
              ElementsAre(Pair("a", "error: corrupt"), Pair("b", "error: corrupt")));
}

TEST(lying_entry, with_a_wrong_checksum_is_corrupt) {
  EXPECT_EQ(liar_test({.data = "abc", .stated_crc32 = 7}).loading(), "error: corrupt");
  EXPECT_EQ(liar_test({.data = text, .method = zip_deflated, .stated_crc32 = 7}).loading(),
            "error: corrupt");
}

TEST(lying_entry, whose_local_header_disagrees_is_corrupt) {
  EXPECT_EQ(liar_test({.data = "abc", .stated_local_method = 8}).loading(), "error: corrupt");
  EXPECT_EQ(liar_test({.data = "abc", .stated_local_method = 12}).loading(), "error: corrupt");
  EXPECT_EQ(liar_test({.data = "abc", .stated_local_packed_bytes = 2}).loading(), "error: corrupt");
  EXPECT_EQ(liar_test({.data = "abc", .stated_offset = 10}).loading(), "error: corrupt");
}

TEST(lying_entry, with_sizes_that_are_announced_but_missing_is_corrupt) {
  EXPECT_EQ(
      liar_test({.data = "abc", .stated_bytes = UINT32_MAX, .stated_packed_bytes = 3}).opening(),
      errc::corrupt);
}

// --- Lying end records ---------------------------------------------------------------------------

TEST(lying_end_record, about_the_number_of_files_is_ignored_where_the_directory_fits) {
  for (const std::uint64_t stated : {0u, 1u, 3u, 65'534u}) {
    zip_writer zip;
    zip.add({.name = "a", .data = "a"});
    zip.add({.name = "b", .data = "b"});
    zip.stated_entries = stated;
    EXPECT_THAT(load_zip(zip.bytes()), ElementsAre(Pair("a", "a"), Pair("b", "b"))) << stated;
    // Data in front: the directory's place does not confirm its size.
    EXPECT_THAT(load_zip("in front" + zip.bytes()), ElementsAre(Pair("", "error: corrupt")));
  }
}

TEST(lying_end_record, about_the_length_of_its_comment_is_ignored) {
  zip_writer zip;
  zip.add({.name = "a", .data = "a"});
  zip.comment = "comment";
  for (const int length : {0, 6, 8, 65'535}) {
    std::string bytes = zip.bytes();
    bytes[bytes.size() - 9] = static_cast<char>(length & 0xFF);
    bytes[bytes.size() - 8] = static_cast<char>(length >> 8);
    EXPECT_THAT(load_zip(bytes), ElementsAre(Pair("a", "a"))) << length;
  }
}

TEST(lying_end_record, in_a_comment_is_not_followed) {
  zip_writer real;
  real.add({.name = "a", .data = "a"});
  zip_writer fake;
  fake.add({.name = "fake", .data = "fake"});
  const std::string bytes = fake.bytes();
  const std::string ends = bytes.substr(bytes.size() - 22);
  for (const int count : {1, 2, 15}) {
    real.comment.clear();
    for (int i = 0; i < count; ++i) real.comment += ends;
    EXPECT_THAT(load_zip(real.bytes()), ElementsAre(Pair("a", "a"))) << count;
  }
  real.comment = std::string("PK\5\6", 4) + std::string(18, '\0');  // of an archive without files
  EXPECT_THAT(load_zip(real.bytes()), ElementsAre(Pair("a", "a")));
  real.comment.clear();
  for (int i = 0; i < 16; ++i) real.comment += ends;
  EXPECT_THAT(load_zip(real.bytes()), ElementsAre(Pair("", "error: corrupt"))) << "too many";
}

TEST(lying_end_record, is_corrupt) {
  for (const bool zip64 : {false, true}) {
    const auto load_with = [&](auto lie) {
      zip_writer zip;
      zip.zip64 = zip64;
      zip.add({.name = "a", .data = "a"});
      zip.add({.name = "b", .data = "b"});
      lie(zip);
      return load_zip(zip.bytes());
    };
    const auto corrupt = ElementsAre(Pair("", "error: corrupt"));
    EXPECT_THAT(load_with([](zip_writer& zip) { zip.stated_directory_bytes = 10; }), corrupt);
    EXPECT_THAT(load_with([](zip_writer& zip) { zip.stated_directory_bytes = 1000; }), corrupt);
    EXPECT_THAT(load_with([](zip_writer& zip) { zip.stated_directory_offset = 1000; }), corrupt);
    if (!zip64) continue;
    for (const std::uint64_t huge : {std::uint64_t{1} << 40, UINT64_MAX}) {
      EXPECT_THAT(load_with([&](zip_writer& zip) { zip.stated_directory_bytes = huge; }), corrupt);
      EXPECT_THAT(load_with([&](zip_writer& zip) { zip.stated_directory_offset = huge; }), corrupt);
    }
  }
}

// --- The disk ------------------------------------------------------------------------------------

TEST(zip_on_a_bad_disk, reports_the_read_that_fails_and_closes_everything) {
  const std::string bytes = varied_zip().bytes();
  int failed = 0;
  for (int call = 0;; ++call) {
    memory_file_os os(bytes);
    os.fail_call(call, EIO);
    const std::map<std::string, std::string> contents = load_zip(os);
    const bool mount_failed = contents.contains("");
    int errors = 0;
    for (const auto& [path, content] : contents) {
      errors += content == "error: io" ? 1 : 0;
      EXPECT_TRUE(content == "error: io" || varied_contents.contains(content)) << content;
    }
    if (os.calls() <= call) break;  // there are no more calls
    // A link whose target cannot be read is not in the tree.
    EXPECT_TRUE(errors == 1 || (!mount_failed && contents.size() == 6)) << "call " << call;
    ++failed;
  }
  EXPECT_GT(failed, 9);
}

TEST(zip_on_a_bad_disk, loads_everything_despite_short_reads) {
  const std::string bytes = varied_zip().bytes();
  memory_file_os os(bytes);
  os.limit_reads(7);
  EXPECT_EQ(load_zip(os), load_zip(bytes));
}

TEST(zip_on_a_bad_disk, that_shrinks_after_it_was_opened_is_truncated) {
  zip_writer zip;
  zip.add({.name = "a", .data = "a"});
  zip.add({.name = "b", .data = text});
  const std::string bytes = zip.bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.zip"));
  ASSERT_TRUE(files.freeze());
  os.change(std::string_view(bytes).substr(0, 100));
  EXPECT_EQ(load(files, "a"), "a");
  EXPECT_EQ(load(files, "b"), "error: truncated");
}

}  // namespace
}  // namespace overture::hostile_zip_test

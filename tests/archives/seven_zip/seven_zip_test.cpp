// SPDX-License-Identifier: Zlib
//
// 7z archives, made by our own writer and by 7-Zip.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "archives/archive_checks.hpp"
#include "archives/block_store.hpp"
#include "archives/physfs_peer.hpp"
#include "archives/seven_zip/made_by_7zip.hpp"
#include "archives/seven_zip/seven_zip_header.hpp"
#include "support/seven_zip_writer.hpp"

namespace overture::seven_zip_test {
namespace {

using namespace literals;

// Data that the x86 filter changes: calls, and bytes that look like calls up to the very end.
const std::string code = [] {
  std::string bytes;
  for (int i = 0; i < 2000; ++i) bytes += std::string("\xE8\x10\x20\0\0ret\x90", 9);
  return bytes + "\xE8\x10\x20";
}();
const std::string text = [] {
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += "line " + std::to_string(i * i) + "\n";
  return lines;
}();

seven_zip_writer varied() {
  seven_zip_writer archive;
  archive.add({.files = {{"a.txt", "hello"}, {"maps/rome.txt", text}, {"c.txt", "you"}}});
  archive.add({.method = seven_zip_method::lzma2, .files = {{"second", text}}});
  archive.add({.method = seven_zip_method::copy, .files = {{"s1", "stored"}, {"s2", "as it is"}}});
  archive.add({.filter = seven_zip_filter::x86, .files = {{"game.exe", code}}});
  archive.add({.method = seven_zip_method::lzma2,
               .filter = seven_zip_filter::x86,
               .files = {{"lib.dll", code}}});
  archive.empty_files = {"empty", "maps/none"};
  archive.folders = {"maps"};
  return archive;
}
const contents_map varied_contents{{"a.txt", "hello"}, {"maps/rome.txt", text}, {"c.txt", "you"},
                                   {"second", text},   {"s1", "stored"},        {"s2", "as it is"},
                                   {"game.exe", code}, {"lib.dll", code},       {"empty", ""},
                                   {"maps/none", ""}};

seven_zip_writer small() {
  seven_zip_writer archive;
  archive.add({.files = {{"a", "hello hello hello"}, {"b", "you"}}});
  archive.add({.method = seven_zip_method::copy, .files = {{"c", "stored"}}});
  archive.empty_files = {"e"};
  return archive;
}
const contents_map small_contents{
    {"a", "hello hello hello"}, {"b", "you"}, {"c", "stored"}, {"e", ""}};

TEST(seven_zip, has_its_files) {
  for (const bool packed_header : {false, true}) {
    seven_zip_writer archive = varied();
    archive.packed_header = packed_header;
    EXPECT_EQ(load_archive(archive.bytes(), "test.7z"), varied_contents);
    EXPECT_EQ(load_archive(archive.bytes(), "test.bin"), varied_contents) << "by its content";
  }
  EXPECT_EQ(load_archive(seven_zip_writer{}.bytes(), "test.7z"), contents_map{});
  EXPECT_EQ(load_archive(seven_zip_writer::around("", ""), "test.7z"), contents_map{});
}

TEST(seven_zip, has_what_physfs_finds_in_it) {
  if (!has_physfs) GTEST_SKIP() << "there is no PhysicsFS for this system";
  for (const bool packed_header : {false, true}) {
    seven_zip_writer archive = varied();
    archive.packed_header = packed_header;
    EXPECT_EQ(load_with_physfs(archive.bytes(), "test.7z"), varied_contents);
  }
}

TEST(seven_zip, with_any_filter_is_read) {
  std::string sound;  // like the code, longer than what is unpacked in one step
  for (int i = 0; i < 50'000; ++i) {
    for (const int byte : {i * 3, i >> 5, i * 5, i >> 6}) sound += static_cast<char>(byte);
  }
  std::string program;
  for (int i = 0; i < 12; ++i) program += code;
  seven_zip_writer archive;
  contents_map expected;
  for (const auto filter :
       {seven_zip_filter::none, seven_zip_filter::x86, seven_zip_filter::delta}) {
    for (const auto method :
         {seven_zip_method::copy, seven_zip_method::lzma, seven_zip_method::lzma2}) {
      const std::string name = std::to_string(expected.size()) + ".";
      archive.add({.method = method,
                   .filter = filter,
                   .files = {{name + "wav", sound}, {name + "exe", program}}});
      expected[name + "wav"] = sound;
      expected[name + "exe"] = program;
    }
  }
  EXPECT_EQ(load_archive(archive.bytes(), "test.7z"), expected);
}

TEST(seven_zip, without_checksums_is_read_unverified) {
  seven_zip_writer archive = varied();
  archive.checksums = false;
  const std::string bytes = archive.bytes();
  EXPECT_EQ(load_archive(bytes, "test.7z"), varied_contents);
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.7z"));
  EXPECT_FALSE(files.open("a.txt"_path)->place().has_crc);
  EXPECT_TRUE(files.open("empty"_path)->place().has_crc);
}

TEST(seven_zip, can_be_mounted_from_one_of_its_folders) {
  EXPECT_EQ(load_archive(varied().bytes(), "test.7z", {.at = "x", .from = "maps"}),
            (contents_map{{"x/none", ""}, {"x/rome.txt", text}}));
}

// One block with many files. The memory allocated reveals how often it was unpacked.
TEST(seven_zip, unpacks_a_solid_block_once_for_all_its_files) {
  seven_zip_solid block;
  contents_map right;
  for (int i = 0; i < 1000; ++i) {
    block.files.push_back({"f" + std::to_string(i), std::to_string(i) + text.substr(0, 100)});
    right[block.files.back().name] = block.files.back().data;
  }
  const std::string bytes = seven_zip_writer{}.add(block).bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.7z"));
  ASSERT_TRUE(files.freeze());
  const int calls = os.calls();
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 4; ++t) {
    readers.emplace_back([&] {
      buffer_pool buffers;
      for (const auto& [path, content] : right) {
        if (load(files, path, buffers) != content) ++wrong;
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(os.calls() - calls, 2) << "the packed bytes were read more than once";
}

TEST(seven_zip, stays_open_for_its_files_after_the_unmount) {
  const std::string bytes = small().bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  const result<mount_id> mount = files.mount("test.7z");
  ASSERT_TRUE(mount);
  result<opened_file> opened = files.open("b"_path);
  ASSERT_TRUE(opened);
  ASSERT_TRUE(files.unmount(*mount));
  const file_place& place = opened->place();
  const result<open_source> source = files.source(place.source);
  ASSERT_TRUE(source);
  std::byte content[3];
  EXPECT_TRUE(read_fully(*source->os, source->handle, place.offset, content));
  EXPECT_EQ(to_text(content), "you");
  opened = result<opened_file>{};
  EXPECT_EQ(os.open_handles(), 0);
}

TEST(seven_zip, with_an_unsupported_method_has_its_other_files) {
  seven_zip_writer archive = small();
  archive.add({.method = seven_zip_method::unknown, .files = {{"u", "x"}}});
  archive.add({.method = seven_zip_method::aes, .files = {{"s", "x"}}});
  archive.add({.method = seven_zip_method::unknown,
               .filter = seven_zip_filter::x86,
               .files = {{"f", "x"}}});
  archive.add({.files = {{"last", "last"}}});
  contents_map expected = small_contents;
  expected["u"] = expected["s"] = expected["f"] = "error: unsupported";
  expected["last"] = "last";
  EXPECT_EQ(load_archive(archive.bytes(), "test.7z"), expected);
}

// --- Hostile archives ----------------------------------------------------------------------------

TEST(hostile_seven_zip, that_lies_about_a_block_fails_for_that_block_only) {
  const auto load_liar = [](seven_zip_solid liar) {
    seven_zip_writer archive;
    archive.add({.files = {{"before", "honest"}}});
    liar.files = {{"liar", text}};
    archive.add(std::move(liar));
    const contents_map contents = load_archive(archive.bytes(), "test.7z");
    // Numbers that overflow break the whole header.
    if (contents.contains("")) return contents.at("");
    EXPECT_EQ(contents.at("before"), "honest");
    return contents.at("liar");
  };
  for (const seven_zip_method method : {seven_zip_method::lzma, seven_zip_method::lzma2}) {
    for (const std::uint64_t bytes : {std::uint64_t{1}, text.size() - 1, text.size() + 1}) {
      EXPECT_EQ(load_liar({.method = method, .stated_bytes = bytes}), "error: corrupt") << bytes;
    }
    for (const std::uint64_t bytes : {std::uint64_t{1} << 40, UINT64_MAX}) {
      EXPECT_EQ(load_liar({.method = method, .stated_bytes = bytes}), "error: corrupt") << bytes;
      EXPECT_EQ(load_liar({.method = method, .stated_packed_bytes = bytes}), "error: corrupt");
    }
    EXPECT_EQ(load_liar({.method = method, .stated_packed_bytes = 20}), "error: corrupt");
    EXPECT_EQ(load_liar({.method = method, .stated_packed_bytes = 0}), "error: corrupt");
  }
  for (const auto filter :
       {seven_zip_filter::none, seven_zip_filter::x86, seven_zip_filter::delta}) {
    const auto stored = seven_zip_method::copy;
    EXPECT_EQ(load_liar({.method = stored, .filter = filter, .stated_bytes = 5}), "error: corrupt");
  }
}

TEST(hostile_seven_zip, with_a_block_beyond_the_limit_fails_for_its_files_only) {
  std::string noise;  // enough packed data for the size to be plausible
  for (std::uint32_t i = 0, random = 1; i < 200'000; ++i) {
    random = random * 1664525 + 1013904223;
    noise += static_cast<char>(random >> 24);
  }
  seven_zip_writer archive;
  archive.add({.files = {{"a", "a"}, {"b", noise}}, .stated_bytes = limits::block_bytes_max + 1});
  const std::string bytes = archive.bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.7z"));
  const result<opened_file> small = files.open("a"_path);
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, errc::limit);
  EXPECT_NE(std::string_view(small.error().reason).find("smaller blocks"), std::string_view::npos)
      << small.error().reason;
}

TEST(hostile_seven_zip, with_a_wrong_checksum_fails_for_that_file_only) {
  seven_zip_writer archive;
  archive.add({.files = {{"a", "a"}, {"liar", "liar", 7}, {"b", "b"}}});
  EXPECT_EQ(load_archive(archive.bytes(), "test.7z"),
            (contents_map{{"a", "a"}, {"b", "b"}, {"liar", "error: corrupt"}}));
}

TEST(hostile_seven_zip, broken_within_a_block_gives_the_files_before_the_damage) {
  seven_zip_writer archive;
  archive.add({.files = {{"first", "the first of them"}, {"last", text}}});
  std::string bytes = archive.bytes();
  // Far after the first file, far before the header.
  for (std::size_t i = 2000; i < 2100; ++i) bytes[i] = '\xFF';
  EXPECT_EQ(load_archive(bytes, "test.7z"),
            (contents_map{{"first", "the first of them"}, {"last", "error: corrupt"}}));
}

TEST(hostile_seven_zip, that_lies_about_counts_allocates_no_memory_for_them) {
  for (const std::uint64_t count : {std::uint64_t{1000}, std::uint64_t{1} << 32, UINT64_MAX}) {
    seven_zip_writer many_files = small();
    many_files.stated_files = count;
    EXPECT_EQ(load_archive(many_files.bytes(), "test.7z"), failed_mount(errc::corrupt)) << count;
    EXPECT_LT(mounting_takes(many_files.bytes(), "test.7z"), 200'000u);
    seven_zip_writer many_blocks = small();
    many_blocks.stated_blocks = count;
    EXPECT_EQ(load_archive(many_blocks.bytes(), "test.7z"), failed_mount(errc::corrupt)) << count;
    EXPECT_LT(mounting_takes(many_blocks.bytes(), "test.7z"), 200'000u);
  }
}

TEST(hostile_seven_zip, with_a_header_outside_the_archive_is_corrupt) {
  for (const std::uint64_t lie : {std::uint64_t{1}, std::uint64_t{1} << 29, UINT64_MAX}) {
    seven_zip_writer moved = small();
    moved.stated_header_offset = lie;
    EXPECT_EQ(load_archive(moved.bytes(), "test.7z"), failed_mount(errc::corrupt)) << lie;
    seven_zip_writer longer = small();
    longer.stated_header_bytes = lie;
    const contents_map contents = load_archive(longer.bytes(), "test.7z");
    EXPECT_TRUE(contents == failed_mount(errc::corrupt) || contents == failed_mount(errc::limit));
  }
}

TEST(seven_zip_header, is_limited_in_proportion_to_its_packed_size) {
  constexpr std::uint64_t always = limits::packed_directory_bytes_always;
  constexpr std::uint64_t ratio = limits::packed_directory_ratio_max;
  constexpr std::uint64_t most = limits::archive_directory_bytes_max;
  EXPECT_TRUE(archives_detail::check_packed_header(always, 1));
  EXPECT_TRUE(archives_detail::check_packed_header(always + ratio, always / ratio + 1));
  EXPECT_TRUE(archives_detail::check_packed_header(most, most / ratio));
  const std::pair<std::uint64_t, std::uint64_t> refused[] = {
      {always + 1, 1}, {2 * always, 2 * always / ratio - 1}, {most + 1, most}, {UINT64_MAX, most}};
  for (const auto& [bytes, packed] : refused) {
    const result<void> checked = archives_detail::check_packed_header(bytes, packed);
    ASSERT_FALSE(checked) << bytes;
    EXPECT_EQ(checked.error().code, errc::limit);
  }
}

TEST(hostile_seven_zip, with_a_packed_header_out_of_proportion_cannot_be_mounted) {
  seven_zip_writer archive;
  archive.packed_header = true;
  const std::string padding(120, 'n');
  while (archive.empty_files.size() < 80'000) {
    archive.empty_files.push_back(padding + std::to_string(archive.empty_files.size()));
  }
  const std::string bytes = archive.bytes();
  ASSERT_LT(bytes.size(), std::size_t{limits::packed_directory_bytes_always} / 64);
  EXPECT_EQ(load_archive(bytes, "test.7z"), failed_mount(errc::limit));
  EXPECT_LT(mounting_takes(bytes, "test.7z"), 500'000u);
}

TEST(hostile_seven_zip, truncated_cannot_be_mounted) {
  for (const bool packed_header : {false, true}) {
    seven_zip_writer archive = varied();
    archive.packed_header = packed_header;
    check_cut(archive.bytes(), "test.7z", 50, right_or_error(varied_contents));
    check_cut(archive.bytes().substr(0, 60), "test.7z", 60, right_or_error(varied_contents));
  }
}

TEST(hostile_seven_zip, damaged_gives_right_files_or_errors) {
  // A damaged header fails its checksum, so only damage to the data matters.
  check_damaged(small().bytes(), "test.7z", 1, right_or_error(small_contents));
}

TEST(hostile_seven_zip, with_a_damaged_header_and_a_right_checksum_does_no_harm) {
  const std::string whole = small().bytes();
  const std::size_t packed_bytes = static_cast<unsigned char>(whole[12]);
  const std::string packed = whole.substr(32, packed_bytes);
  const std::string header = whole.substr(32 + packed_bytes);
  ASSERT_EQ(load_archive(seven_zip_writer::around(packed, header), "test.7z"), small_contents);
  for (std::size_t at = 0; at < header.size() && !HasFailure(); ++at) {
    for (int value = 0; value < 256; value += 5) {
      std::string damaged = header;
      damaged[at] = static_cast<char>(value);
      (void)load_archive(seven_zip_writer::around(packed, damaged), "test.7z");
    }
    (void)load_archive(seven_zip_writer::around(packed, header.substr(0, at)), "test.7z");
  }
}

TEST(hostile_seven_zip, has_no_path_that_leads_outside_the_mount) {
  seven_zip_writer archive;
  archive.add({.files = {{"../up", "x"}, {"/abs", "x"}, {"a\\b", "x"}, {"..", "x"}, {"ok", "ok"}}});
  EXPECT_EQ(load_archive(archive.bytes(), "test.7z"),
            (contents_map{{"a/b", "x"}, {"abs", "x"}, {"ok", "ok"}}));
}

TEST(hostile_seven_zip, on_a_bad_disk_or_without_memory_reports_it) {
  seven_zip_writer archive = small();
  archive.packed_header = true;
  check_bad_disk(archive.bytes(), "test.7z", right_or_error(small_contents));
  check_no_memory(archive.bytes(), "test.7z", right_or_error(small_contents));
}

// --- Archives by other programs ------------------------------------------------------------------

TEST(seven_zip, made_by_7zip_is_read) {
  if (!has_7zip()) GTEST_SKIP() << "neither 7zz nor 7z is installed";
  const temp_folder folder;
  folder.write("game.exe", code);
  folder.write("a/sound.wav", text);  // newer versions apply a filter of its own to it
  folder.write("a/one.txt", text);
  folder.write("a/two.txt", "two");
  folder.write("a/\xC3\xA4.txt", "umlaut");
  folder.write("a/empty", "");
  const contents_map right{{"game.exe", code},   {"a/sound.wav", text},        {"a/one.txt", text},
                           {"a/two.txt", "two"}, {"a/\xC3\xA4.txt", "umlaut"}, {"a/empty", ""}};
  int made = 0;
  for (const char* options :
       {"", "-mx=0", "-m0=lzma", "-m0=bcj -m1=lzma", "-m0=bcj -m1=lzma2", "-m0=bcj -m1=copy",
        "-m0=delta:2 -m1=lzma", "-ms=off", "-mhc=off", "-mx=9 -m0=lzma2"}) {
    const std::string archive = "out" + std::to_string(made++) + ".7z";
    ASSERT_TRUE(run_7zip(folder, options, archive, "game.exe a")) << options;
    file_system files;
    ASSERT_TRUE(files.mount((folder / archive).c_str())) << options;
    ASSERT_TRUE(files.freeze());
    EXPECT_EQ(load_all(files), right) << options;
    EXPECT_EQ(load_with_physfs(folder / archive), right) << options;
  }
}

TEST(seven_zip, made_by_7zip_has_the_times_of_its_files_and_which_are_executable) {
  if (!has_7zip()) GTEST_SKIP() << "neither 7zz nor 7z is installed";
  namespace fs = std::filesystem;
  const temp_folder folder;
  folder.write("run", "r");
  folder.write("text", "t");
  fs::permissions(folder / "run", fs::perms::owner_all);
  const std::chrono::sys_seconds then(std::chrono::seconds(1'500'000'000));
  fs::last_write_time(folder / "text", std::chrono::file_clock::from_sys(then));
  ASSERT_TRUE(run_7zip(folder, "-mtm=on", "out.7z", "run text"));
  file_system files;
  ASSERT_TRUE(files.mount((folder / "out.7z").c_str()));
  EXPECT_EQ(files.stat("text"_path)->mtime_ns, 1'500'000'000'000'000'000);
  EXPECT_FALSE(files.stat("text"_path)->executable);
  EXPECT_TRUE(files.stat("run"_path)->executable);
}

TEST(seven_zip, made_by_7zip_names_what_is_unsupported) {
  if (!has_7zip()) GTEST_SKIP() << "neither 7zz nor 7z is installed";
  const temp_folder folder;
  folder.write("game.exe", code);
  int made = 0;
  for (const auto& [options, word] :
       {std::pair{"-m0=PPMd", "PPMd"}, std::pair{"-m0=Deflate64", "Deflate64"}}) {
    const std::string archive = "out" + std::to_string(made++) + ".7z";
    ASSERT_TRUE(run_7zip(folder, options, archive, "game.exe")) << options;
    file_system files;
    ASSERT_TRUE(files.mount((folder / archive).c_str())) << options;
    const result<opened_file> opened = files.open("game.exe"_path);
    ASSERT_FALSE(opened) << options;
    EXPECT_EQ(opened.error().code, errc::unsupported);
    EXPECT_NE(std::string_view(opened.error().reason).find(word), std::string_view::npos)
        << opened.error().reason;
  }
}

}  // namespace
}  // namespace overture::seven_zip_test

#include "overture/file_system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "support/failing_allocator.hpp"
#include "support/memory_file_os.hpp"
#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"
#include "vfs/tree_reader.hpp"

namespace overture {
namespace {

namespace fs = std::filesystem;
using namespace literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// A base game, a DLC and a mod, each a folder or an archive.
class game : public ::testing::Test {
 protected:
  void SetUp() override {
    zip_writer base;
    base.add({.name = "a.txt", .data = "base a"});
    base.add({.name = "b.txt", .data = "base b"});
    base.add({.name = "maps/rome.txt", .data = "base rome"});
    base.save(folder / "base.zip");
    folder.write("dlc/b.txt", "dlc b");
    folder.write("dlc/maps/paris.txt", "dlc paris");
    zip_writer mod;
    mod.add({.name = "b.txt", .data = "mod b", .method = zip_deflated});
    mod.add({.name = "maps", .data = "a file where others have a folder"});
    mod.save(folder / "mod.zip");
  }
  void mount_all(file_system& into) {
    for (const char* name : {"base.zip", "dlc", "mod.zip"}) {
      const result<mount_id> mount = into.mount((folder / name).c_str());
      ASSERT_TRUE(mount) << mount.error().reason;
      ids.push_back(*mount);
    }
  }

  temp_folder folder;
  file_system files;
  std::vector<mount_id> ids;
};

TEST_F(game, later_mounts_win) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  EXPECT_THAT(load_all(files),
              ElementsAre(Pair("a.txt", "base a"), Pair("b.txt", "mod b"),
                          Pair("maps", "a file where others have a folder"),
                          Pair("maps/paris.txt", "dlc paris"), Pair("maps/rome.txt", "base rome")));
}

TEST_F(game, earlier_mounts_win_if_the_host_wants_it) {
  file_system first({.first_wins = true});
  mount_all(first);
  ASSERT_TRUE(first.freeze());
  EXPECT_EQ(load(first, "b.txt"), "base b");
  mount_id found[3];
  ASSERT_EQ(first.providers(*first.find("b.txt"_path), found), 3u);
  EXPECT_THAT(found, ElementsAre(ids[0], ids[1], ids[2]));
}

TEST_F(game, knows_who_wins_and_who_loses) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  const entry_index b = *files.find("b.txt"_path);
  EXPECT_EQ(files.entry(b).path, "b.txt");
  EXPECT_EQ(files.entry(b).id, ("b.txt"_path).id);
  EXPECT_EQ(files.entry(b).mount, ids[2]);
  EXPECT_EQ(files.entry(b).hidden, 2u);
  EXPECT_EQ(files.entry(*files.find("a.txt"_path)).hidden, 0u);

  mount_id found[3];
  ASSERT_EQ(files.providers(b, found), 3u);
  EXPECT_THAT(found, ElementsAre(ids[2], ids[1], ids[0]));
  mount_id one[1];
  EXPECT_EQ(files.providers(b, one), 3u) << "there are more than fit";
  EXPECT_EQ(one[0], ids[2]);
  EXPECT_EQ(files.providers(b, {}), 3u);

  ASSERT_EQ(files.hidden_count(), 2u);
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(files.hidden(i).entry, b);
    EXPECT_EQ(files.hidden(i).winner, ids[2]);
    EXPECT_EQ(files.hidden(i).loser, ids[1 - i]);
  }
}

TEST_F(game, lists_entries_in_the_order_of_their_bytes) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  for (entry_index i = 1; i < files.entry_count(); ++i) {
    EXPECT_LT(files.entry(i - 1).path, files.entry(i).path);
    EXPECT_EQ(*files.find({files.entry(i).path, files.entry(i).id}), i);
  }
}

TEST_F(game, finds_nothing_by_an_id_alone) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(files.find(asset_path{"c.txt", ("b.txt"_path).id}).error().code, errc::not_found);
  EXPECT_EQ(files.find("c.txt"_path).error().code, errc::not_found);
  EXPECT_EQ(files.find(asset_path{}).error().code, errc::not_found);
  EXPECT_EQ(files.open("c.txt"_path).error().code, errc::not_found);
  EXPECT_EQ(files.open(entry_index{5}).error().code, errc::not_found);
}

TEST_F(game, describes_its_mounts) {
  mount_all(files);
  ASSERT_TRUE(files.mount((folder / "dlc").c_str(), {.at = "again/here"}));
  ASSERT_EQ(files.mount_count(), 4u);
  EXPECT_EQ(files.mount_at(0).path, folder / "base.zip");
  EXPECT_EQ(files.mount_at(1).format, mount_format::folder);
  EXPECT_EQ(files.mount_of(ids[2]).entries, 2u);
  EXPECT_EQ(files.mount_of(ids[2]).id, ids[2]);
  EXPECT_EQ(files.mount_at(3).at, "again/here");
  EXPECT_STREQ(to_string(mount_format::zip), "zip");
  EXPECT_STREQ(to_string(mount_format::folder), "folder");
}

// --- Freezing ------------------------------------------------------------------------------------

TEST_F(game, refuses_changes_while_frozen) {
  mount_all(files);
  EXPECT_FALSE(files.frozen());
  ASSERT_TRUE(files.freeze());
  EXPECT_TRUE(files.frozen());
  ASSERT_TRUE(files.freeze()) << "twice is no error";
  EXPECT_EQ(files.mount((folder / "dlc").c_str()).error().code, errc::frozen);
  EXPECT_EQ(files.unmount(ids[0]).error().code, errc::frozen);
  EXPECT_EQ(files.mount_count(), 3u);

  files.thaw();
  EXPECT_FALSE(files.frozen());
  EXPECT_EQ(files.find("a.txt"_path).error().code, errc::not_found);
  EXPECT_EQ(files.entry_count(), 0u);
  ASSERT_TRUE(files.unmount(ids[2]));
  EXPECT_EQ(files.unmount(ids[2]).error().code, errc::not_found);
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(load(files, "b.txt"), "dlc b");
  EXPECT_EQ(files.mount_of(ids[1]).id, ids[1]);
  EXPECT_EQ(load(files, "a.txt"), "base a");
}

TEST_F(game, does_not_give_an_id_twice) {
  mount_all(files);
  ASSERT_TRUE(files.unmount(ids[2]));
  const result<mount_id> again = files.mount((folder / "mod.zip").c_str());
  ASSERT_TRUE(again);
  EXPECT_NE(*again, ids[2]);
}

TEST_F(game, forgets_the_sources_of_what_is_unmounted) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  const source_id source = files.open("a.txt"_path)->place().source;
  ASSERT_TRUE(files.source(source));
  files.thaw();
  ASSERT_TRUE(files.unmount(ids[0]));
  EXPECT_EQ(files.source(source).error().code, errc::not_found);
}

TEST(file_system, takes_hundreds_of_mounts) {
  temp_folder folder;
  for (int i = 0; i < 300; ++i) {
    zip_writer zip;
    zip.add({.name = "all", .data = std::to_string(i)});
    zip.add({.name = "only/" + std::to_string(i), .data = "x"});
    zip.save(folder / std::to_string(i));
  }
  file_system files;
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(files.mount((folder / std::to_string(i)).c_str()));
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(files.entry_count(), 301u);
  EXPECT_EQ(files.hidden_count(), 299u);
  EXPECT_EQ(load(files, "all"), "299");
  EXPECT_EQ(load(files, "only/7"), "x");
  EXPECT_EQ(files.providers(*files.find("all"_path), {}), 300u);
}

TEST(file_system, says_what_cannot_be_mounted) {
  temp_folder folder;
  folder.write("text", "no archive");
  folder.write("empty", "");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  file_system files;
  const auto failure = [&](const std::string& path, const mount_options& options = {}) {
    return files.mount(path.c_str(), options).error().code;
  };
  EXPECT_EQ(failure(folder / "nothing"), errc::not_found);
  EXPECT_EQ(failure(folder / "text"), errc::unsupported);
  EXPECT_EQ(failure(folder / "empty"), errc::unsupported);
  EXPECT_EQ(failure(folder / "pipe"), errc::not_a_file);
  EXPECT_EQ(failure("/dev/null"), errc::not_a_file);
  EXPECT_EQ(failure(folder.path(), {.at = "../up"}), errc::bad_path);
  EXPECT_EQ(files.mount_count(), 0u);
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(files.entry_count(), 0u);
}

// --- Collisions ----------------------------------------------------------------------------------

// Two texts of 64 bytes with one XXH64: its first lane takes bytes 0-7 and 32-39, and what the
// first eight change in it the others can take back, as multiplying by an odd number can be undone.
struct colliding_paths {
  std::string one = std::string(64, 'x');
  std::string other = one;

  colliding_paths() {
    std::mt19937_64 random(1);
    const std::uint64_t start = detail::xxh_prime_1 + detail::xxh_prime_2;
    const std::uint64_t before = detail::xxh_round(start, detail::load_u64(one.data()));
    do {
      for (int i = 0; i < 8; ++i) other[i] = static_cast<char>('a' + random() % 26);
      const std::uint64_t after = detail::xxh_round(start, detail::load_u64(other.data()));
      const std::uint64_t undoing =
          detail::load_u64(one.data() + 32) + (before - after) * inverse(detail::xxh_prime_2);
      for (int i = 0; i < 8; ++i) other[32 + i] = static_cast<char>(undoing >> (8 * i));
    } while (!is_plain(other));
  }

 private:
  // Newton's method: each step doubles the number of right bits.
  static std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t inverse = odd;
    for (int step = 0; step < 6; ++step) inverse *= 2 - odd * inverse;
    return inverse;
  }
  static bool is_plain(const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c > ' ' && c < '\x7F' && c != '/' && c != '\\'; });
  }
};

TEST(file_system, refuses_two_paths_with_one_id_and_names_both) {
  const colliding_paths paths;
  ASSERT_NE(paths.one, paths.other);
  ASSERT_EQ(hash64(paths.one), hash64(paths.other));
  temp_folder folder;
  folder.write("base/" + paths.one, "one");
  folder.write("base/a", "a");
  folder.write("mod/" + paths.other, "other");
  file_system files;
  ASSERT_TRUE(files.mount((folder / "base").c_str()));
  const result<mount_id> mod = files.mount((folder / "mod").c_str());
  ASSERT_TRUE(mod);
  const result<void> frozen = files.freeze();
  ASSERT_FALSE(frozen);
  EXPECT_EQ(frozen.error().code, errc::collision);
  EXPECT_FALSE(files.frozen());
  const std::string why = explained(files, frozen.error());
  EXPECT_THAT(why, HasSubstr(paths.one + " in " + (folder / "base")));
  EXPECT_THAT(why, HasSubstr(paths.other + " in " + (folder / "mod")));

  ASSERT_TRUE(files.unmount(*mod));
  EXPECT_NE(explained(files, frozen.error()), "") << "the names are gone, the reason stays";
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(load(files, paths.one), "one");
  EXPECT_EQ(load(files, paths.other), "error: not_found");
}

TEST(file_system, looks_at_texts_where_ids_collide_in_one_archive) {
  const colliding_paths paths;
  zip_writer zip;
  zip.add({.name = paths.one, .data = "one"});
  zip.add({.name = paths.other, .data = "other"});
  const std::string bytes = zip.bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.zip"));
  EXPECT_EQ(files.mount_at(0).entries, 2u) << "they are no duplicates";
  EXPECT_EQ(files.freeze().error().code, errc::collision);
}

// --- Errors in words -----------------------------------------------------------------------------

TEST(file_system, explains_errors_with_the_names_it_knows) {
  temp_folder folder;
  zip_writer zip;
  zip.add({.name = "good", .data = "good"});
  zip.add({.name = "bad/crc", .data = "bad", .stated_crc32 = 1});
  zip.add({.name = "bad/size", .data = "bad", .stated_bytes = 1});
  zip.add({.name = "bad/place", .data = "bad", .stated_offset = 1u << 30});
  zip.save(folder / "test.zip");
  folder.write("folder/a", "a");
  file_system files;
  ASSERT_TRUE(files.mount((folder / "test.zip").c_str()));
  ASSERT_TRUE(files.mount((folder / "folder").c_str()));
  ASSERT_TRUE(files.freeze());
  buffer_pool buffers;
  const std::string archive = folder / "test.zip";
  EXPECT_EQ(explained(files, files.read_all("bad/crc"_path, buffers).error()),
            "bad/crc in " + archive + " at byte 38: the content does not match its checksum");
  EXPECT_EQ(explained(files, files.open("bad/size"_path).error()),
            "bad/size in " + archive + " at byte 78: a stored entry whose two sizes differ");
  EXPECT_EQ(
      explained(files, files.open("bad/place"_path).error()),
      "bad/place in " + archive + " at byte 1073741824: the entry's data lie outside the archive");

  fs::remove(folder / "folder/a");
  EXPECT_EQ(explained(files, files.open("a"_path).error()),
            "cannot open (No such file or directory)");
  EXPECT_EQ(explained(files, error{errc::corrupt, 0, "broken", {}, 7}), "at byte 7: broken");

  char few[5];
  EXPECT_EQ(files.explain(error{errc::corrupt, 0, "too long for it", {}, 0}, few), sizeof few);
}

TEST(file_system, describes_sources) {
  temp_folder folder;
  zip_writer zip;
  zip.add({.name = "packed"});
  zip.save(folder / "test.zip");
  folder.write("folder/loose", "");
  file_system files;
  ASSERT_TRUE(files.mount((folder / "test.zip").c_str()));
  ASSERT_TRUE(files.mount((folder / "folder").c_str(), {.at = "at"}));
  ASSERT_TRUE(files.freeze());
  const auto described = [&](source_id id) {
    char text[256];
    return std::string(text, files.describe(id, text));
  };
  EXPECT_EQ(described(files.open("packed"_path)->place().source), folder / "test.zip");
  result<opened_file> loose = files.open("at/loose"_path);
  ASSERT_TRUE(loose);
  const source_id id = loose->place().source;
  EXPECT_EQ(described(id), "at/loose in " + (folder / "folder"));
  *loose = opened_file{};
  EXPECT_EQ(described(id), "a file that is not open any more");
  EXPECT_EQ(described({}), "a file that is not open any more");
  EXPECT_EQ(files.source(id).error().code, errc::not_found);
}

// --- Memory and handles --------------------------------------------------------------------------

std::size_t descriptors_open() {
  const fs::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_F(game, opened_files_close_their_descriptors) {
  folder.write("dlc/c.txt", "c");
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  const std::size_t before = descriptors_open();
  {
    result<opened_file> one = files.open("maps/paris.txt"_path);
    result<opened_file> other = files.open("c.txt"_path);
    const result<opened_file> packed = files.open("a.txt"_path);
    ASSERT_TRUE(one && other && packed);
    EXPECT_EQ(descriptors_open(), before + 2) << "archives are open already";
    *one = std::move(*other);
    EXPECT_EQ(descriptors_open(), before + 1);
    const opened_file last = std::move(*one);
    EXPECT_TRUE(files.source(last.place().source));
    EXPECT_EQ(descriptors_open(), before + 1);
  }
  EXPECT_EQ(descriptors_open(), before);
}

TEST_F(game, closes_everything_at_its_end) {
  const std::size_t before = descriptors_open();
  {
    file_system some;
    mount_all(some);
    ASSERT_TRUE(some.unmount(ids[0]));
    ASSERT_TRUE(some.freeze());
  }
  EXPECT_EQ(descriptors_open(), before);
}

// Everything once, with errors of memory allowed anywhere; what succeeds must be right.
void use_all(const temp_folder& folder, allocator& memory) {
  const auto only_memory = [](const error& why) {
    EXPECT_EQ(why.code, errc::out_of_memory) << why.reason;
  };
  file_system files({.memory = &memory});
  bool complete = true;
  for (const char* name : {"odd.zip", "dlc", "base.zip", "mod.zip"}) {
    const result<mount_id> mount = files.mount((folder / name).c_str(), {.at = "at"});
    if (!mount) only_memory(mount.error());
    complete = complete && mount;
  }
  const result<void> frozen = files.freeze();
  if (!frozen) return only_memory(frozen.error());
  buffer_pool buffers({.memory = &memory});
  for (entry_index i = 0; i < files.entry_count(); ++i) {
    const entry_info info = files.entry(i);
    const result<blob> bytes = files.read_all({info.path, info.id}, buffers);
    if (!bytes) {
      only_memory(bytes.error());
    } else if (complete && info.path == "at/b.txt") {
      EXPECT_EQ(to_text(bytes->span()), "mod b");
    }
  }
}

TEST_F(game, survives_any_refused_allocation) {
  zip_writer odd;
  odd.add({.name = "twice", .data = "1"});
  odd.add({.name = "twice", .data = "2"});
  odd.add({.name = "../skipped", .data = "x"});
  odd.add({.name = "link", .data = "twice", .mode = zip_mode_link});
  odd.add({.name = "no link", .data = "nowhere", .mode = zip_mode_link});
  odd.comment = std::string(UINT16_MAX, 'c');
  odd.save(folder / "odd.zip");
  fs::create_symlink("b.txt", folder / "dlc/link");
  fs::create_symlink("maps", folder / "dlc/folder link");
  folder.write("dlc/bad\\name", "");
  for (const bool and_after : {false, true}) {
    std::uint64_t refused = 0;
    for (;; ++refused) {
      failing_allocator memory(refused, and_after);
      use_all(folder, memory);
      EXPECT_EQ(memory.live_bytes(), 0) << "leaked when allocation " << refused << " was refused";
      if (memory.refusals() == 0) break;
    }
    EXPECT_GT(refused, 50u);
  }
}

// --- Threads -------------------------------------------------------------------------------------

TEST_F(game, is_read_by_many_threads_at_once) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  const std::map<std::string, std::string> expected = load_all(files);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        if (load_all(files) != expected) ++wrong;
        result<opened_file> kept = files.open("maps/paris.txt"_path);
        if (!kept || !files.source(kept->place().source)) ++wrong;
        char text[256];
        if (kept && files.describe(kept->place().source, text) == 0) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(game, holds_hundreds_of_loose_files_open_from_many_threads) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      std::vector<opened_file> open;
      for (int n = 0; n < 200; ++n) {
        result<opened_file> file = files.open("maps/paris.txt"_path);
        if (!file) ++wrong;
        if (file) open.push_back(std::move(*file));
      }
      std::set<source_id> ids_seen;
      for (const opened_file& file : open) ids_seen.insert(file.place().source);
      if (ids_seen.size() != 200) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace overture

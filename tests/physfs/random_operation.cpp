// SPDX-License-Identifier: Zlib
#include <array>
#include <span>

#include "physfs/operations.hpp"

namespace {

using random_bits = std::mt19937_64;

constexpr std::array names = {"readme.txt",
                              "empty.txt",
                              "maps/one.map",
                              "maps/two.map",
                              "maps/three.map",
                              "maps",
                              "maps/deep",
                              "sounds/tone.raw",
                              "sounds",
                              "Data/Upper.TXT",
                              "data/upper.txt",
                              "bare/inner",
                              "to_file",
                              "to_folder",
                              "to_folder/one.map",
                              "loop_a",
                              "loop",
                              "missing",
                              "outside",
                              "ONE.TXT",
                              "one.txt",
                              "TWO.DAT",
                              "LAST.BIN",
                              "n/3/0010.txt",
                              "n/3",
                              "a.txt",
                              "d",
                              "d/b.txt",
                              "d/e/f",
                              "point/readme.txt",
                              "point/deep/maps",
                              "point/deep",
                              "point",
                              "nowhere",
                              "nowhere/x",
                              "readme.txt$secret",
                              "with space.txt",
                              "..hidden",
                              ".dot/.dot",
                              "trailing."};
constexpr std::array bad_names = {"",
                                  "/",
                                  "//",
                                  ".",
                                  "..",
                                  "./readme.txt",
                                  "maps/../readme.txt",
                                  "a:b",
                                  "a\\b",
                                  "maps//two.map",
                                  "/readme.txt",
                                  "readme.txt/",
                                  "maps/",
                                  "readme.txt//",
                                  "README.TXT",
                                  null_word};
// Without archives that the libraries do not take to be the same (differential.py).
constexpr std::array archives = {"zoo/loose",
                                 "zoo/over",
                                 "zoo/linked",
                                 "zoo/odd",
                                 "zoo/bare",
                                 "zoo/stored.zip",
                                 "zoo/deflated.zip",
                                 "zoo/other.zip",
                                 "zoo/odd.zip",
                                 "zoo/prefix.zip",
                                 "zoo/zip64.zip",
                                 "zoo/secret.zip",
                                 "zoo/many.zip",
                                 "zoo/quake.pak",
                                 "zoo/doom.wad",
                                 "zoo/build.grp",
                                 "zoo/descent.hog",
                                 "zoo/movies.mvl",
                                 "zoo/iwar.slb",
                                 "zoo/gothic.vdf",
                                 "zoo/apart.7z",
                                 "w",
                                 "w/d"};
constexpr std::array bad_archives = {
    "zoo/cut.zip", "zoo/cut.pak", "zoo/text.txt", "zoo/nothing.zip", "zoo/nowhere", "", null_word};
constexpr std::array points = {"/",       null_word,    "",     "point",
                               "/point/", "point/deep", "maps", "a/../b"};
constexpr std::array write_folders = {"w", "w", "w", "w/d", "nowhere", "zoo/text.txt", null_word};
constexpr std::array sizes = {"0", "1", "2", "7", "16", "256", "1000", "4096", "70000"};
constexpr std::array positions = {"0",    "1",     "5",     "22",    "100",
                                  "5120", "20000", "40000", "99999", "-1"};
constexpr std::array buffers = {"0", "1", "16", "1000", "65536"};
constexpr std::array slots = {"0", "1", "2", "3"};

std::string pick(random_bits& random, std::span<const char* const> from) {
  return from[random() % from.size()];
}

// True once in so many times.
bool rarely(random_bits& random, unsigned times) {
  return random() % times == 0;
}

std::string name(random_bits& random) {
  return rarely(random, 8) ? pick(random, bad_names) : pick(random, names);
}

std::string archive(random_bits& random) {
  return rarely(random, 10) ? pick(random, bad_archives) : pick(random, archives);
}

operation about_a_name(random_bits& random) {
  constexpr std::array what = {"exists", "is_directory", "is_link",         "stat",
                               "time",   "real_dir",     "enumerate_files", "enumerate"};
  return {pick(random, what), name(random)};
}

operation about_mounts(random_bits& random) {
  switch (random() % 12) {
    case 0:
    case 1:
      return {"unmount", archive(random)};
    case 2:
      return {"mount_point", pick(random, archives)};  // null ends 3.0.2
    case 3:
      return {"search_path"};
    case 4:
      return {"permit_links", std::to_string(random() % 2)};
    default:
      return {"mount", archive(random), rarely(random, 3) ? pick(random, points) : "/",
              std::to_string(random() % 2)};
  }
}

operation about_the_library(random_bits& random) {
  switch (random() % 8) {
    case 0:
      return {"error_text", std::to_string(static_cast<int>(random() % 34) - 1)};
    case 1:
      return {"set_error", std::to_string(random() % 30)};
    case 2:
      return {"compare", pick(random, names), pick(random, names)};
    case 3:
      return {"links_permitted"};
    case 4:
      return {"write_dir"};
    case 5:
      return {"init"};
    case 6:
      return rarely(random, 4) ? operation{"restart"} : operation{"write_dir"};
    default:
      return {"set_write_dir", pick(random, write_folders)};
  }
}

operation about_writing(random_bits& random) {
  constexpr std::array what = {"mkdir", "mkdir", "delete"};
  constexpr std::array opening = {"open_write", "open_append"};
  constexpr std::array targets = {"a.txt",      "d/b.txt",      "d",    "d/e",
                                  "readme.txt", "maps/two.map", "d/e/f"};
  const std::string target = rarely(random, 8) ? pick(random, bad_names) : pick(random, targets);
  if (rarely(random, 4)) return {"set_write_dir", "w"};
  if (rarely(random, 2)) {
    const std::string does = pick(random, what);
    // 3.0.2 removes the write folder itself.
    if (does == "delete" && target.find_first_not_of('/') == std::string::npos) return {does, "d"};
    return {does, target};
  }
  return {pick(random, opening), pick(random, slots), target};
}

operation about_a_file(random_bits& random) {
  constexpr std::array what = {"tell",  "eof",         "length",      "flush",
                               "close", "read_number", "write_number"};
  const std::string slot = pick(random, slots);
  switch (random() % 10) {
    case 0:
    case 1:
      return {"open_read", slot, name(random)};
    case 2:
    case 3:
      return {"read_bytes", slot, pick(random, sizes)};
    case 4:
      return {"read", slot, std::to_string(random() % 9), pick(random, sizes)};
    case 5:
      return {"seek", slot, pick(random, positions)};
    case 6:
      return {"set_buffer", slot, pick(random, buffers)};
    case 7:
      return {"write_bytes", slot, pick(random, sizes)};
    default:
      return {pick(random, what), slot};
  }
}

}  // namespace

operation random_operation(random_bits& random) {
  const std::uint64_t share = random() % 100;
  if (share < 45) return about_a_file(random);
  if (share < 70) return about_a_name(random);
  if (share < 85) return about_mounts(random);
  if (share < 95) return about_writing(random);
  return about_the_library(random);
}

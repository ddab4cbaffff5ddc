// SPDX-License-Identifier: Zlib
//
// Slow starts that others have reported and explained, rebuilt small:
//
//   watched_public_cases CASE FOLDER prepare    what the program would have brought along
//   watched_public_cases CASE FOLDER
//
// The second prints how long the cause took by the program's own clock, in nanoseconds. The first
// ten reports that were found with a known cause each, and two more, chosen before any was tried;
// and three of ten more, which the tool did not name before.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spng.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "watched_game.hpp"

extern "C" long SDL_GL_SwapWindow(const bool* spins);
extern "C" void glCompileShader(unsigned shader);

namespace {

using file_handle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

file_handle open_file(const std::string& path, const char* mode) {
  file_handle file(std::fopen(path.c_str(), mode), std::fclose);
  if (!file) std::abort();
  return file;
}

std::uint64_t on_core_ns() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

std::string numbered(const char* name, int number) {
  return path_of(name) + std::to_string(number);
}

void make_folders(const char* name, int folders, int files, std::size_t bytes) {
  for (int i = 0; i < folders; ++i) {
    const std::string path = numbered(name, i);
    std::filesystem::create_directory(path);
    for (int j = 0; j < files; ++j) write_file(path + "/file" + std::to_string(j), bytes);
  }
}

__attribute__((noinline)) unsigned checksum(const std::vector<unsigned char>& of) {
  unsigned sum = 1;
  for (const unsigned char each : of) sum = sum * 31 + each;
  return sum;
}

std::vector<unsigned char> read_whole(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY);
  struct stat status{};
  if (file < 0 || fstat(file, &status) != 0) std::abort();
  std::vector<unsigned char> content(static_cast<std::size_t>(status.st_size));
  if (read(file, content.data(), content.size()) < 0) std::abort();
  close(file);
  return content;
}

// The thread that draws the loading screen does not give its core away until the display is
// refreshed, so that the thread that loads gets few turns.
// http://www.shiningrocksoftware.com/2013-02-14-slow-load-time/
void prepare_levels() {
  write_file(path_of("level"), 1 << 20);
}
void starved_loader() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  std::atomic<bool> is_loaded{false};
  std::uint64_t without_core = 0;
  std::thread loader([&] {
    const std::uint64_t begin = now_ns();
    volatile unsigned sum = 0;
    while (on_core_ns() < a_while_ns / 2) sum = sum + checksum(read_whole(path_of("level")));
    without_core = now_ns() - begin - on_core_ns();
    is_loaded = true;
  });
  const bool spins = true;
  while (!is_loaded) SDL_GL_SwapWindow(&spins);
  loader.join();
  print_time(without_core);
}

// Each font of the system is opened at each start.
// https://github.com/ValveSoftware/Proton/issues/4980
void prepare_fonts() {
  make_folders("fonts", 10, 200, 3'000);
}
bool knows_font(const std::string& path) {
  const file_handle font = open_file(path, "r");
  char tables[172];
  char names[500];
  return std::fread(tables, sizeof tables, 1, font.get()) == 1 &&
         std::fseek(font.get(), 2'000, SEEK_SET) == 0 &&
         std::fread(names, sizeof names, 1, font.get()) == 1;
}
void opens_every_font() {
  std::uint64_t took = 0;
  unsigned known = 0;
  for (int i = 0; i < 10; ++i) {
    for (const auto& each : std::filesystem::directory_iterator(numbered("fonts", i))) {
      const std::string path = each.path().string();
      const std::uint64_t begin = now_ns();
      known += knows_font(path) ? 1 : 0;
      took += now_ns() - begin;
    }
  }
  if (known != 2'000) std::abort();
  print_time(took);
}

// Texts are read by a class for files that calls read() for each character.
// https://github.com/TheSuperHackers/GeneralsGameCode/issues/1074
void prepare_texts() {
  write_file(path_of("generals.str"), 300'000);
}
void unbuffered_texts() {
  const std::uint64_t begin = now_ns();
  const int file = open(path_of("generals.str").c_str(), O_RDONLY);
  char letter = 0;
  std::size_t lines = 0;
  while (read(file, &letter, 1) == 1) lines += letter == '\n' ? 1 : 0;
  close(file);
  print_time(now_ns() - begin);
  if (lines != 0) std::abort();
}

// For each of its files the game searches the whole folder, and asks the system what each entry
// is.
// https://github.com/srb2-preservation/srb2-legacy/pull/25
void prepare_addons() {
  make_folders("addons", 20, 50, 10);
}
std::string search_in(const std::string& path, const char* name, std::uint64_t& asking) {
  std::string found;
  DIR* const entries = opendir(path.c_str());
  while (const dirent* const each = readdir(entries)) {
    if (each->d_name[0] == '.') continue;
    const std::string below = path + '/' + each->d_name;
    struct stat status{};
    const std::uint64_t begin = now_ns();
    if (stat(below.c_str(), &status) != 0) continue;
    asking += now_ns() - begin;
    if (S_ISDIR(status.st_mode)) found += search_in(below, name, asking);
    if (std::strcmp(each->d_name, name) == 0) found = below;
  }
  closedir(entries);
  return found;
}
void searches_with_stat() {
  std::uint64_t asking = 0;
  for (int i = 0; i < 20; ++i) {
    if (!search_in(folder, numbered("", i).c_str(), asking).empty()) std::abort();
  }
  print_time(asking);
}

// Each file of an archive is found by its entry in the directory at the end, and each seek between
// the two reads a block again; some ten times at a start.
// https://github.com/eranif/codelite/issues/2338
constexpr int zipped_files = 400;
void prepare_archive() {
  write_file(path_of("codelite.zip"), 207'464);
}
void seeks_in_archive() {
  std::uint64_t seeking = 0;
  const auto read_at = [&](std::FILE* from, long place, char* to, std::size_t bytes) {
    const std::uint64_t begin = now_ns();
    std::fseek(from, place, SEEK_SET);
    seeking += now_ns() - begin;
    if (std::fread(to, bytes, 1, from) != 1) std::abort();
  };
  for (int start = 0; start < 60; ++start) {
    const file_handle archive = open_file(path_of("codelite.zip"), "r");
    std::setvbuf(archive.get(), nullptr, _IOFBF, 32'768);
    for (int i = 0; i < zipped_files; ++i) {
      char entry[80];
      char content[400];
      read_at(archive.get(), 175'000 + i * 80, entry, sizeof entry);
      read_at(archive.get(), i * 430, content, sizeof content);
    }
  }
  print_time(seeking);
}

// A vector of all items is searched from the front for each item.
// https://github.com/CleverRaven/Cataclysm-DDA/pull/81186
void prepare_items() {}
struct item {
  std::string id;
  bool is_final = false;
};
__attribute__((noinline)) item& item_of(std::vector<item>& items, const std::string& id) {
  return *std::find_if(items.begin(), items.end(), [&](const item& each) { return each.id == id; });
}
void finalizes_items() {
  std::vector<item> items(6'000);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].id = "item_of_the_game_" + std::to_string(10'000 + i);
  }
  const std::uint64_t begin = now_ns();
  for (std::size_t i = items.size(); i > 0; --i) {
    item_of(items, "item_of_the_game_" + std::to_string(10'000 + i - 1)).is_final = true;
  }
  print_time(now_ns() - begin);
}

// A service of the session does not answer, and the program waits until its time is over.
// https://github.com/NixOS/nixpkgs/issues/75120
void prepare_nothing() {}
void service_is_silent() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path_of("bus").c_str(), sizeof address.sun_path - 1);
  const auto* const known = reinterpret_cast<const sockaddr*>(&address);
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(server, known, sizeof address) != 0 || listen(server, 1) != 0) std::abort();
  const int bus = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(bus, known, sizeof address) != 0) std::abort();
  const std::uint64_t begin = now_ns();
  if (send(bus, "GetNameOwner", 12, 0) != 12) std::abort();
  pollfd answer{.fd = bus, .events = POLLIN, .revents = 0};
  if (poll(&answer, 1, 300) != 0) std::abort();
  print_time(now_ns() - begin);
}

// The loading screen is drawn after each file, and waits for the display each time.
// https://github.com/Qfusion/qfusion/pull/159
void prepare_models() {
  make_folders("models", 1, 20, 50'000);
}
void frame_after_each_file() {
  const bool spins = false;
  std::uint64_t shown = 0;
  volatile unsigned sum = 0;
  for (int i = 0; i < 20; ++i) {
    sum = sum + checksum(read_whole(path_of("models0/file") + std::to_string(i)));
    const std::uint64_t begin = now_ns();
    SDL_GL_SwapWindow(&spins);
    if (i + 1 < 20) shown += now_ns() - begin;  // the last one is the menu
  }
  print_time(shown);
}

// Images are decoded one after the other, on the thread that draws.
// https://github.com/smcameron/space-nerds-in-space/issues/331
void prepare_images() {
  constexpr std::uint32_t side = 512;
  std::vector<unsigned char> pixels(std::size_t{side} * side * 4);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<unsigned char>(i * i >> 9);
  }
  const file_handle file = open_file(path_of("planet.png"), "w");
  spng_ctx* const made = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_ihdr head{};
  head.width = head.height = side;
  head.bit_depth = 8;
  head.color_type = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
  spng_set_png_file(made, file.get());
  spng_set_ihdr(made, &head);
  if (spng_encode_image(made, pixels.data(), pixels.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE) !=
      0) {
    std::abort();
  }
  spng_ctx_free(made);
}
void decodes_on_main() {
  std::uint64_t decoding = 0;
  while (decoding < a_while_ns) {
    const std::vector<unsigned char> packed = read_whole(path_of("planet.png"));
    std::vector<unsigned char> pixels(std::size_t{512} * 512 * 4);
    spng_ctx* const image = spng_ctx_new(0);
    const std::uint64_t begin = now_ns();
    spng_set_png_buffer(image, packed.data(), packed.size());
    if (spng_decode_image(image, pixels.data(), pixels.size(), SPNG_FMT_RGBA8, 0) != 0) {
      std::abort();
    }
    decoding += now_ns() - begin;
    spng_ctx_free(image);
  }
  print_time(decoding);
}

// The log is opened and closed for each line.
// https://github.com/verhoevenv/OpenNotrium/issues/37
void opens_log_for_each_line() {
  const std::uint64_t begin = now_ns();
  for (int i = 0; i < 10'000; ++i) {
    const file_handle log = open_file(path_of("game.log"), "a");
    std::fprintf(log.get(), "Loaded texture %d\n", i);
  }
  print_time(now_ns() - begin);
}

// Each thread has the only lock from its beginning to its end.
// https://github.com/ShadowMario/FNF-PsychEngine/pull/15386
void one_lock_for_all() {
  std::mutex lock;
  std::atomic<std::uint64_t> waited{0};
  std::vector<std::thread> loaders;
  for (int i = 0; i < 3; ++i) {
    loaders.emplace_back([&] {
      const std::uint64_t begin = now_ns();
      const std::lock_guard held(lock);
      waited = std::max<std::uint64_t>(waited, now_ns() - begin);
      volatile unsigned sum = 0;
      while (on_core_ns() < a_while_ns / 3) sum = sum + checksum(read_whole(path_of("level")));
    });
  }
  for (std::thread& each : loaders) each.join();
  print_time(waited);
}

// All shaders are compiled before the menu is shown.
// https://github.com/DaemonEngine/Daemon/issues/519
void compiles_shaders() {
  const std::uint64_t begin = now_ns();
  for (unsigned i = 0; i < 40; ++i) glCompileShader(i);
  print_time(now_ns() - begin);
}

// The index of an archive is read again for each file in it.
// https://github.com/KeenSoftwareHouse/SpaceEngineers/pull/415
constexpr int mod_files = 600;
struct index_entry {
  char name[64];
  std::uint64_t place;
};

void prepare_mod() {
  const file_handle mod = open_file(path_of("mod.sbm"), "wb");
  for (int i = 0; i < mod_files; ++i) {
    index_entry entry{};
    std::snprintf(entry.name, sizeof entry.name, "Data/CubeBlocks_%d.sbc", i);
    std::fwrite(&entry, sizeof entry, 1, mod.get());
  }
}

__attribute__((noinline)) std::map<std::string, index_entry> index_of(std::FILE* mod) {
  std::map<std::string, index_entry> index;
  index_entry entry{};
  while (std::fread(&entry, sizeof entry, 1, mod) == 1) index.emplace(entry.name, entry);
  return index;
}

void reads_index_for_each_file() {
  const std::uint64_t begin = now_ns();
  for (int i = 0; i < mod_files; ++i) {
    const file_handle mod = open_file(path_of("mod.sbm"), "rb");
    if (index_of(mod.get()).size() != mod_files) std::abort();
  }
  print_time(now_ns() - begin);
}

// Maps that only checks need are made with caches that nothing uses.
// https://github.com/CleverRaven/Cataclysm-DDA/pull/55038
__attribute__((noinline)) bool is_valid_on_a_map() {
  std::vector<std::unique_ptr<char[]>> levels;
  for (int i = 0; i < 21; ++i) levels.push_back(std::make_unique<char[]>(660'000));
  return levels.back()[100] == 0;
}

void clears_unused_caches() {
  const std::uint64_t begin = now_ns();
  for (int i = 0; i < 20; ++i) {
    if (!is_valid_on_a_map()) std::abort();
  }
  print_time(now_ns() - begin);
}

// A database commits each row by itself.
// https://github.com/MinLL/SkyrimNet-GamePlugin/issues/565
void commits_each_row() {
  const std::uint64_t begin = now_ns();
  const file_handle database = open_file(path_of("skyrimnet.db"), "wb");
  while (now_ns() - begin < 150'000'000) {  // however fast the disk is
    const std::string journal = path_of("skyrimnet.db-journal");
    const int file = open(journal.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (write(file, "page", 4) != 4 || fsync(file) != 0) std::abort();
    if (std::fwrite("row", 3, 1, database.get()) != 1) std::abort();
    if (std::fflush(database.get()) != 0 || fsync(fileno(database.get())) != 0) std::abort();
    close(file);
    unlink(journal.c_str());
  }
  print_time(now_ns() - begin);
}

struct public_case {
  void (*prepare)();
  void (*start)();
};
const std::map<std::string, public_case> cases = {
    {"starved-loader", {prepare_levels, starved_loader}},
    {"every-font", {prepare_fonts, opens_every_font}},
    {"unbuffered-texts", {prepare_texts, unbuffered_texts}},
    {"stat-of-each-entry", {prepare_addons, searches_with_stat}},
    {"seeks-in-archive", {prepare_archive, seeks_in_archive}},
    {"quadratic-search", {prepare_items, finalizes_items}},
    {"silent-service", {prepare_nothing, service_is_silent}},
    {"frame-for-each-file", {prepare_models, frame_after_each_file}},
    {"decodes-on-main", {prepare_images, decodes_on_main}},
    {"log-opened-for-each-line", {prepare_nothing, opens_log_for_each_line}},
    {"one-lock", {prepare_levels, one_lock_for_all}},
    {"all-shaders", {prepare_nothing, compiles_shaders}},
    {"index-for-each-file", {prepare_mod, reads_index_for_each_file}},
    {"unused-caches", {prepare_nothing, clears_unused_caches}},
    {"commit-for-each-row", {prepare_nothing, commits_each_row}},
};

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  folder = words[2];
  const public_case& wanted = cases.at(words[1]);
  count > 3 ? wanted.prepare() : wanted.start();
  return 0;
}

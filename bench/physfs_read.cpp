// SPDX-License-Identifier: Zlib
//
// Mounting, small reads, and whole games.
#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>

#include "physfs_parts.hpp"
#include "vfs_parts.hpp"
#include "vfs_tools.hpp"

namespace bench {

namespace fs = std::filesystem;

void measure_physfs_mounts(results& out, int rounds, const physfs_libraries& libraries,
                           const std::string& games) {
  const folder_of_its_own folder;
  std::vector<std::pair<std::string, std::string>> archives = {
      {"40 MB of 3,890 entries",
       folder.write("40mb.zip", archive_of(names_of(3'890), std::string(10'000, 'x')))}};
  const std::string warzone = games + "/warzone/usr/share/games/warzone2100/base.wz";
  if (fs::exists(warzone)) {
    // A copy, because the times of the file are changed.
    fs::copy_file(warzone, folder / "base.wz");
    archives.emplace_back("base.wz", folder / "base.wz");
  }
  for (const auto& [name, path] : archives) {
    const std::vector<physfs_session> begun = sessions_of(libraries, {});
    const auto mount = [&](const physfs_library& library) {
      library.must(library.mount(path.c_str(), nullptr, 0) != 0, "mount " + path);
    };
    const auto unmount = [&](const physfs_library& library) { library.unmount(path.c_str()); };
    // A file that has changed since is not the one that was mounted before.
    compare(out, rounds, libraries, {"mount " + name + ", first", 1, 10, 1}, mount,
            [&](const physfs_library& library) {
              unmount(library);
              fs::last_write_time(path, fs::file_time_type::clock::now());
            });
    // Our library does not trust a file that has changed just now.
    std::this_thread::sleep_for(std::chrono::seconds(3));
    for (const physfs_library& library : libraries) {
      mount(library);
      unmount(library);
    }
    compare(out, rounds, libraries, {"mount " + name + ", again", 1, 100, 1}, mount, unmount);
  }
}

// --- Small reads ---------------------------------------------------------------------------------

namespace {

constexpr std::size_t file_bytes = 1 << 20;
constexpr std::size_t calls = 40'000;
// No slower, but for the noise of calls that take 3 ns.
constexpr double no_slower = 0.95;

// One open file of a library.
class open_physfs_file {
 public:
  open_physfs_file(const physfs_library& library, const char* path, PHYSFS_uint64 buffer)
      : library_(library), file_(library.openRead(path)) {
    library.must(file_ != nullptr, std::string("open ") + path);
    if (buffer > 0) library.must(library.setBuffer(file_, buffer) != 0, "set a buffer");
  }
  ~open_physfs_file() { library_.close(file_); }
  open_physfs_file(const open_physfs_file&) = delete;
  open_physfs_file& operator=(const open_physfs_file&) = delete;
  [[nodiscard]] PHYSFS_File* get() const { return file_; }

 private:
  const physfs_library& library_;
  PHYSFS_File* file_;
};

struct small_call {
  std::string name;
  std::size_t count;
  std::function<void(const physfs_library&, PHYSFS_File*, std::size_t)> make;
};

void read_some(const physfs_library& library, PHYSFS_File* file, std::size_t bytes) {
  char room[256];
  const PHYSFS_sint64 got = library.readBytes(file, room, bytes);
  if (got != static_cast<PHYSFS_sint64>(bytes)) throw std::runtime_error("a read fell short");
}

std::vector<small_call> small_calls() {
  std::vector<small_call> made;
  for (const std::size_t bytes : {1u, 4u, 16u, 256u}) {
    made.push_back({"read " + std::to_string(bytes), std::min(calls, file_bytes / bytes),
                    [bytes](const physfs_library& library, PHYSFS_File* file, std::size_t) {
                      read_some(library, file, bytes);
                    }});
  }
  made.push_back({"tell", calls, [](const physfs_library& library, PHYSFS_File* file, std::size_t) {
                    keep(static_cast<std::uint64_t>(library.tell(file)));
                  }});
  made.push_back({"eof", calls, [](const physfs_library& library, PHYSFS_File* file, std::size_t) {
                    keep(static_cast<std::uint64_t>(library.eof(file)));
                  }});
  made.push_back(
      {"seek", calls, [](const physfs_library& library, PHYSFS_File* file, std::size_t i) {
         library.seek(file, i * 37 % 4'000);
       }});
  // As games skip what they do not know in a file of chunks.
  made.push_back({"tell, seek on, read 4", calls,
                  [](const physfs_library& library, PHYSFS_File* file, std::size_t) {
                    library.seek(file, static_cast<PHYSFS_uint64>(library.tell(file)) + 20);
                    read_some(library, file, 4);
                  }});
  return made;
}

}  // namespace

void measure_physfs_reads(results& out, int rounds, const physfs_libraries& libraries) {
  const folder_of_its_own folder;
  std::string content(file_bytes, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * i >> 7);
  fs::create_directory(folder / "loose");
  (void)folder.write("loose/loose", content);
  const std::string archive = folder.write("stored.zip", archive_of({"stored"}, content));
  const std::vector<physfs_session> begun = sessions_of(libraries, {folder / "loose", archive});
  for (const char* const path : {"loose", "stored"}) {
    for (const PHYSFS_uint64 buffer : {0u, 4096u}) {
      for (const small_call& call : small_calls()) {
        const std::string name = call.name + ", " + path + (buffer > 0 ? ", buffered" : "");
        compare(out, rounds, libraries,
                {name, static_cast<double>(call.count), no_slower, no_slower},
                [&](const physfs_library& library) {
                  const open_physfs_file file(library, path, buffer);
                  for (std::size_t i = 0; i < call.count; ++i) call.make(library, file.get(), i);
                });
      }
    }
  }
}

// --- Games ---------------------------------------------------------------------------------------

namespace {

constexpr PHYSFS_sint64 game_bytes_max = 48 << 20;

struct found_files {
  const physfs_library& library;
  std::vector<std::string> folders = {""};
  std::vector<std::string> files = {};
};

PHYSFS_EnumerateCallbackResult find_files(void* data, const char* folder, const char* name) {
  auto& found = *static_cast<found_files*>(data);
  const std::string path = *folder ? std::string(folder) + "/" + name : name;
  PHYSFS_Stat status;
  if (!found.library.stat(path.c_str(), &status)) return PHYSFS_ENUM_OK;
  if (status.filetype == PHYSFS_FILETYPE_DIRECTORY) found.folders.push_back(path);
  if (status.filetype == PHYSFS_FILETYPE_REGULAR) found.files.push_back(path);
  return PHYSFS_ENUM_OK;
}

// Reads the whole file into `room`. Returns its size.
PHYSFS_sint64 load(const physfs_library& library, const std::string& path,
                   std::vector<char>& room) {
  const open_physfs_file file(library, path.c_str(), 0);
  const PHYSFS_sint64 bytes = library.fileLength(file.get());
  if (room.size() < static_cast<std::size_t>(bytes)) room.resize(static_cast<std::size_t>(bytes));
  const PHYSFS_sint64 got =
      library.readBytes(file.get(), room.data(), static_cast<PHYSFS_uint64>(bytes));
  library.must(got == bytes, "read " + path);
  return bytes;
}

// Files spread over the whole game, as many as a round takes. Each is found by the name that its
// folder lists: a format may list names that cannot be opened, which are left out.
std::vector<std::string> some_files(const physfs_library& library,
                                    const std::vector<std::string>& mounts) {
  const physfs_session begun(library, mounts);
  found_files found{library};
  for (std::size_t i = 0; i < found.folders.size(); ++i) {
    const std::string folder = found.folders[i];
    library.enumerate(folder.c_str(), find_files, &found);
  }
  std::sort(found.files.begin(), found.files.end());
  found.files.erase(std::unique(found.files.begin(), found.files.end()), found.files.end());
  PHYSFS_sint64 all = 0;
  std::vector<std::string> kept;
  for (const std::string& path : found.files) {
    PHYSFS_File* const file = library.openRead(path.c_str());
    if (!file) continue;
    all += library.fileLength(file);
    library.close(file);
    kept.push_back(path);
  }
  const auto step = static_cast<std::size_t>(1 + all / game_bytes_max);
  std::vector<std::string> some;
  for (std::size_t i = 0; i < kept.size(); i += step) some.push_back(kept[i]);
  return some;
}

struct game {
  const char* name;  // of the rows
  std::string folder;
  const char* extension;  // of the archives in the folder; null: the folder itself
  double faster;          // our goal over both others
};

std::vector<std::string> mounts_of(const game& of) {
  if (!fs::exists(of.folder)) return {};
  if (!of.extension) return {of.folder};
  std::vector<std::string> archives;
  for (const fs::directory_entry& each : fs::directory_iterator(of.folder)) {
    if (each.path().extension() == of.extension) archives.push_back(each.path().string());
  }
  std::sort(archives.begin(), archives.end());
  return archives;
}

}  // namespace

void measure_physfs_games(results& out, int rounds, const physfs_libraries& libraries,
                          const std::string& games) {
  const std::string below = "/usr/share/games/";
  const game all[] = {
      {"deflated game: openarena", games + "/openarena" + below + "openarena/baseoa", ".pk3", 1.6},
      {"deflated game: supertux.zip", games + "/packed", ".zip", 1.6},
      {"game: supertux (loose)", games + "/supertux" + below + "supertux2", nullptr, 1},
      {"game: warzone (stored)", games + "/warzone" + below + "warzone2100", ".wz", 1},
      {"game: freedoom (WAD)", games + "/freedoom" + below + "doom", ".wad", 1}};
  for (const game& each : all) {
    const std::vector<std::string> mounts = mounts_of(each);
    if (mounts.empty()) {
      std::fprintf(stderr, "%s is missing: skipped\n", each.folder.c_str());
      continue;
    }
    const std::vector<std::string> files = some_files(libraries.back(), mounts);
    const std::vector<physfs_session> begun = sessions_of(libraries, mounts);
    std::vector<char> room;
    std::optional<PHYSFS_sint64> bytes;
    compare(out, rounds, libraries,
            {std::string(each.name) + ", open + read + close", static_cast<double>(files.size()),
             each.faster, each.faster},
            [&](const physfs_library& library) {
              PHYSFS_sint64 sum = 0;
              for (const std::string& path : files) sum += load(library, path, room);
              if (bytes.value_or(sum) != sum) throw std::runtime_error("libraries disagree");
              bytes = sum;
            });
  }
}

}  // namespace bench

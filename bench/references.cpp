#include "references.hpp"

#include <fcntl.h>
#include <libdeflate.h>
#include <physfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <thread>

namespace bench {
namespace {

namespace fs = std::filesystem;

std::uint64_t little(const std::string& bytes, std::size_t offset, int width) {
  std::uint64_t value = 0;
  for (int i = width - 1; i >= 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes.at(offset + static_cast<std::size_t>(i)));
  }
  return value;
}

using overlay = std::map<std::string, raw_file>;

// Enough of ZIP for archives that are known to be good: no Zip64. Returns the descriptor.
int list_zip(const fs::path& path, overlay& files) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t end = bytes.rfind("PK\5\6");
  if (end == std::string::npos) throw std::runtime_error(path.string() + " is not a ZIP");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::size_t at = little(bytes, end + 16, 4);
  for (std::uint64_t left = little(bytes, end + 10, 2); left > 0; --left) {
    const std::size_t name_bytes = little(bytes, at + 28, 2);
    raw_file file;
    file.descriptor = descriptor;
    file.deflated = little(bytes, at + 10, 2) == 8;
    file.packed_bytes = little(bytes, at + 20, 4);
    file.bytes = little(bytes, at + 24, 4);
    const std::size_t header = little(bytes, at + 42, 4);
    file.offset = header + 30 + little(bytes, header + 26, 2) + little(bytes, header + 28, 2);
    const std::string name = bytes.substr(at + 46, name_bytes);
    if (!name.ends_with('/')) files[name] = file;
    at += 46 + name_bytes + little(bytes, at + 30, 2) + little(bytes, at + 32, 2);
  }
  return descriptor;
}

void list_folder(const fs::path& path, overlay& files) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_symlink() || !entry.is_regular_file()) continue;
    raw_file file;
    file.path = entry.path().string();
    files[fs::relative(entry.path(), path).string()] = file;
  }
}

// Calls body(thread, index) for each index on so many threads, this one among them.
template <class Body>
void on_threads(unsigned threads, std::size_t count, Body body) {
  std::atomic<std::size_t> next{0};
  const auto work = [&](unsigned thread) {
    for (std::size_t i = next++; i < count; i = next++) body(thread, i);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work, i);
  work(0);
  for (std::thread& other : others) other.join();
}

void list_physfs(const std::string& folder, std::vector<std::string>& names) {
  char** const found = PHYSFS_enumerateFiles(folder.c_str());
  for (char** name = found; *name; ++name) {
    const std::string path = folder.empty() ? *name : folder + "/" + *name;
    PHYSFS_Stat status;
    if (!PHYSFS_stat(path.c_str(), &status)) continue;
    if (status.filetype == PHYSFS_FILETYPE_DIRECTORY) {
      list_physfs(path, names);
    } else if (status.filetype == PHYSFS_FILETYPE_REGULAR) {
      names.push_back(path);
    }
  }
  PHYSFS_freeList(static_cast<void*>(found));
}

}  // namespace

struct floor_reference::buffers {
  std::vector<unsigned char> packed = std::vector<unsigned char>(1 << 20);
  std::vector<unsigned char> unpacked = std::vector<unsigned char>(1 << 20);
  libdeflate_decompressor* tables = libdeflate_alloc_decompressor();

  buffers() = default;
  buffers(const buffers&) = delete;
  buffers& operator=(const buffers&) = delete;
  ~buffers() { libdeflate_free_decompressor(tables); }

  std::uint32_t load(const raw_file& file) {
    int descriptor = file.descriptor;
    std::uint64_t packed_bytes = file.packed_bytes;
    if (descriptor < 0) {
      descriptor = open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
      struct stat status{};
      fstat(descriptor, &status);
      packed_bytes = static_cast<std::uint64_t>(status.st_size);
    }
    if (packed.size() < packed_bytes) packed.resize(packed_bytes);
    const ssize_t got =
        pread(descriptor, packed.data(), packed_bytes, static_cast<off_t>(file.offset));
    if (file.descriptor < 0) close(descriptor);
    if (got != static_cast<ssize_t>(packed_bytes)) throw std::runtime_error("short read");
    if (!file.deflated) return libdeflate_crc32(0, packed.data(), packed_bytes);
    if (unpacked.size() < file.bytes) unpacked.resize(file.bytes);
    const libdeflate_result outcome = libdeflate_deflate_decompress(
        tables, packed.data(), packed_bytes, unpacked.data(), file.bytes, nullptr);
    if (outcome != LIBDEFLATE_SUCCESS) throw std::runtime_error("broken data");
    return libdeflate_crc32(0, unpacked.data(), file.bytes);
  }
};

floor_reference::floor_reference(const std::vector<fs::path>& mounts) {
  overlay files;
  for (const fs::path& mount : mounts) {
    if (fs::is_directory(mount)) {
      list_folder(mount, files);
    } else {
      archives_.push_back(list_zip(mount, files));
    }
  }
  for (auto& [name, file] : files) files_.push_back(std::move(file));
}

floor_reference::~floor_reference() {
  for (const int archive : archives_) close(archive);
}

std::uint64_t floor_reference::run(unsigned threads) {
  while (rooms_.size() < threads) rooms_.push_back(std::make_unique<buffers>());
  std::atomic<std::uint64_t> sum{0};
  on_threads(threads, files_.size(),
             [&](unsigned thread, std::size_t i) { sum += rooms_[thread]->load(files_[i]); });
  return sum;
}

physfs_reference::physfs_reference(const std::vector<fs::path>& mounts) {
  if (!PHYSFS_init("bench")) throw std::runtime_error("PHYSFS_init failed");
  for (const fs::path& mount : mounts) {
    if (!PHYSFS_mount(mount.c_str(), nullptr, 0)) {
      throw std::runtime_error("PhysFS cannot mount " + mount.string());
    }
  }
  list_physfs("", names_);
}

physfs_reference::~physfs_reference() {
  PHYSFS_deinit();
}

std::uint64_t physfs_reference::run(unsigned threads) const {
  std::atomic<std::uint64_t> total{0};
  std::vector<std::vector<unsigned char>> rooms(threads, std::vector<unsigned char>(1 << 20));
  on_threads(threads, names_.size(), [&](unsigned thread, std::size_t i) {
    std::vector<unsigned char>& room = rooms[thread];
    PHYSFS_File* const file = PHYSFS_openRead(names_[i].c_str());
    if (!file) throw std::runtime_error("PhysFS cannot open " + names_[i]);
    const PHYSFS_sint64 bytes = PHYSFS_fileLength(file);
    if (room.size() < static_cast<std::size_t>(bytes)) {
      room.resize(static_cast<std::size_t>(bytes));
    }
    PHYSFS_sint64 got = 0;
    while (got < bytes) {
      const PHYSFS_sint64 more =
          PHYSFS_readBytes(file, room.data() + got, static_cast<PHYSFS_uint64>(bytes - got));
      if (more <= 0) throw std::runtime_error("PhysFS cannot read " + names_[i]);
      got += more;
    }
    PHYSFS_close(file);
    total += static_cast<std::uint64_t>(got);
  });
  return total;
}

}  // namespace bench

// SPDX-License-Identifier: Zlib
#include "references.hpp"

#include <physfs.h>

#include <atomic>
#include <stdexcept>

#include "harness.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

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

// The content is valid until the next call with the same room.
std::span<const std::byte> read_whole(const std::string& name, std::vector<std::byte>& room) {
  PHYSFS_File* const file = PHYSFS_openRead(name.c_str());
  if (!file) throw std::runtime_error("PhysFS cannot open " + name);
  const auto bytes = static_cast<std::size_t>(PHYSFS_fileLength(file));
  if (room.size() < bytes) room.resize(bytes);
  std::size_t got = 0;
  while (got < bytes) {
    const PHYSFS_sint64 more = PHYSFS_readBytes(file, room.data() + got, bytes - got);
    if (more <= 0) throw std::runtime_error("PhysFS cannot read " + name);
    got += static_cast<std::size_t>(more);
  }
  PHYSFS_close(file);
  return {room.data(), bytes};
}

}  // namespace

std::uint64_t floor_reference::run(unsigned threads) {
  while (rooms_.size() < threads) rooms_.push_back(std::make_unique<file_loader>());
  std::atomic<std::uint64_t> sum{0};
  on_threads(threads, files_.all().size(), [&](unsigned thread, std::size_t i) {
    file_loader& room = *rooms_[thread];
    room.read(files_.all()[i]);
    (void)room.unpack(files_.all()[i]);
    sum += room.crc32();
  });
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

std::uint64_t physfs_reference::run(unsigned threads, const visitor& visit) const {
  std::atomic<std::uint64_t> total{0};
  std::vector<std::vector<std::byte>> rooms(threads, std::vector<std::byte>(1 << 20));
  on_threads(threads, names_.size(), [&](unsigned thread, std::size_t i) {
    const std::span<const std::byte> content = read_whole(names_[i], rooms[thread]);
    if (visit) visit(i, names_[i], content);
    total += content.size();
  });
  return total;
}

}  // namespace bench

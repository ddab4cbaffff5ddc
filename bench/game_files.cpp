// SPDX-License-Identifier: Zlib
#include "game_files.hpp"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t first_buffer_bytes = 1 << 20;

std::uint64_t little(const std::string& bytes, std::size_t offset, int width) {
  std::uint64_t value = 0;
  for (int i = width - 1; i >= 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes.at(offset + static_cast<std::size_t>(i)));
  }
  return value;
}

using overlay = std::map<std::string, raw_file>;

// Supports only good archives without Zip64. Returns the descriptor.
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

}  // namespace

game_files::game_files(const std::vector<fs::path>& mounts) {
  overlay files;
  for (const fs::path& mount : mounts) {
    if (fs::is_directory(mount)) {
      list_folder(mount, files);
    } else {
      archives_.push_back(list_zip(mount, files));
    }
  }
  for (auto& [name, file] : files) {
    file.name = name;
    files_.push_back(std::move(file));
  }
}

game_files::~game_files() {
  for (const int archive : archives_) close(archive);
}

struct file_loader::tables {
  libdeflate_decompressor* inflate = libdeflate_alloc_decompressor();
  tables() = default;
  tables(const tables&) = delete;
  tables& operator=(const tables&) = delete;
  ~tables() { libdeflate_free_decompressor(inflate); }
};

file_loader::file_loader()
    : tables_(std::make_unique<tables>()),
      packed_(first_buffer_bytes),
      unpacked_(first_buffer_bytes) {}

file_loader::~file_loader() = default;

void file_loader::read(const raw_file& file) {
  int descriptor = file.descriptor;
  packed_bytes_ = file.packed_bytes;
  if (descriptor < 0) {
    descriptor = open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    fstat(descriptor, &status);
    packed_bytes_ = static_cast<std::size_t>(status.st_size);
  }
  if (packed_.size() < packed_bytes_) packed_.resize(packed_bytes_);
  const ssize_t got =
      pread(descriptor, packed_.data(), packed_bytes_, static_cast<off_t>(file.offset));
  if (file.descriptor < 0) close(descriptor);
  if (got != static_cast<ssize_t>(packed_bytes_)) throw std::runtime_error("short read");
}

std::span<const std::byte> file_loader::unpack(const raw_file& file) {
  std::span<const std::byte> content(packed_.data(), packed_bytes_);
  if (file.deflated) {
    if (unpacked_.size() < file.bytes) unpacked_.resize(file.bytes);
    const libdeflate_result outcome = libdeflate_deflate_decompress(
        tables_->inflate, packed_.data(), packed_bytes_, unpacked_.data(), file.bytes, nullptr);
    if (outcome != LIBDEFLATE_SUCCESS) throw std::runtime_error("broken data");
    content = {unpacked_.data(), file.bytes};
  }
  crc32_ = libdeflate_crc32(0, content.data(), content.size());
  return content;
}

}  // namespace bench

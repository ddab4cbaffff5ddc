// SPDX-License-Identifier: Zlib
#include <algorithm>
#include <overture/io/unpack.hpp>

#include "vfs_parts.hpp"

namespace bench {
namespace {

void put(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> 8 * i & 0xFF);
}

// Needed for more entries than 16 bits can count.
void put_zip64_end(std::string& to, std::size_t entries, std::size_t directory_bytes,
                   std::size_t directory) {
  const std::size_t at = to.size();
  to += "PK\6\6";
  put(to, 44, 8);
  put(to, 45, 2);
  put(to, 45, 2);
  put(to, 0, 8);
  put(to, entries, 8);
  put(to, entries, 8);
  put(to, directory_bytes, 8);
  put(to, directory, 8);
  to += "PK\6\7";
  put(to, 0, 4);
  put(to, at, 8);
  put(to, 1, 4);
}

}  // namespace

std::string archive_of(const std::vector<std::string>& names, std::string_view content) {
  const std::uint32_t crc = overture::crc32(std::as_bytes(std::span(content)));
  const auto put_sizes = [&](std::string& to) {
    put(to, crc, 4);
    put(to, content.size(), 4);
    put(to, content.size(), 4);
  };
  std::string files;
  std::string directory;
  for (const std::string& name : names) {
    directory += std::string("PK\1\2\24\3\24\0\0\0\0\0\0\0\41\0", 16);
    put_sizes(directory);
    put(directory, name.size(), 2);
    directory += std::string(12, '\0');
    put(directory, files.size(), 4);
    directory += name;
    files += std::string("PK\3\4\24\0\0\0\0\0\0\0\41\0", 14);
    put_sizes(files);
    put(files, name.size(), 4);
    files += name;
    files += content;
  }
  const std::size_t at = files.size();
  const std::size_t count = names.size();
  files += directory;
  if (count > UINT16_MAX) put_zip64_end(files, count, directory.size(), at);
  files += std::string("PK\5\6\0\0\0\0", 8);
  put(files, std::min<std::size_t>(count, UINT16_MAX), 2);
  put(files, std::min<std::size_t>(count, UINT16_MAX), 2);
  put(files, directory.size(), 4);
  put(files, at, 4);
  put(files, 0, 2);
  return files;
}

}  // namespace bench

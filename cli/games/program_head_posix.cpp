// SPDX-License-Identifier: Zlib
#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>

#include "games/program_head.hpp"

namespace overture::cli {

namespace {

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T& into) {
  file.seekg(static_cast<std::streamoff>(offset));
  return bool(file.read(reinterpret_cast<char*>(&into), sizeof into));
}

program_head read_head(const std::string& path, const Elf64_Ehdr* own) {
  program_head found;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr head{};
  found.is_elf = read_at(file, 0, head) && std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0;
  if (!found.is_elf) return found;
  found.is_app_image = std::memcmp(head.e_ident + EI_ABIVERSION, "AI", 2) == 0;
  found.is_native = !own || (head.e_ident[EI_CLASS] == own->e_ident[EI_CLASS] &&
                             head.e_machine == own->e_machine);
  if (!found.is_native || head.e_phentsize != sizeof(Elf64_Phdr)) return found;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr each{};
    if (!read_at(file, head.e_phoff + i * sizeof each, each)) break;
    if (each.p_type != PT_INTERP || each.p_filesz > 4096) continue;
    found.loader.resize(each.p_filesz);
    file.seekg(static_cast<std::streamoff>(each.p_offset));
    file.read(found.loader.data(), static_cast<std::streamsize>(found.loader.size()));
    found.loader.resize(std::strlen(found.loader.c_str()));
    break;
  }
  return found;
}

// The names of what a program takes from libraries and gives to them, each with a zero at its end.
std::string dynamic_names(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr head{};
  if (!read_at(file, 0, head) || head.e_shentsize != sizeof(Elf64_Shdr)) return {};
  constexpr std::uint64_t bytes_max = std::uint64_t{64} << 20;
  for (std::uint64_t i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr symbols{};
    Elf64_Shdr names{};
    if (!read_at(file, head.e_shoff + i * sizeof symbols, symbols)) break;
    if (symbols.sh_type != SHT_DYNSYM) continue;
    if (!read_at(file, head.e_shoff + std::uint64_t{symbols.sh_link} * sizeof names, names)) break;
    std::string text(std::min<std::uint64_t>(names.sh_size, bytes_max), '\0');
    file.seekg(static_cast<std::streamoff>(names.sh_offset));
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    return text;
  }
  return {};
}

}  // namespace

program_head head_of(const std::string& program) {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  Elf64_Ehdr own{};
  return read_head(program, read_at(self, 0, own) ? &own : nullptr);
}

bool has_more_rights(const std::string& program) {
  struct stat status{};
  return (::stat(program.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0) ||
         ::getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
}

bool has_symbol(const std::string& program, std::span<const std::string> names) {
  const std::string all = dynamic_names(program);
  return std::any_of(names.begin(), names.end(), [&](const std::string& each) {
    return all.find('\0' + each + '\0') != std::string::npos;
  });
}

std::vector<bool> texts_in(const std::string& path, std::span<const std::string_view> texts) {
  std::vector<bool> seen(texts.size());
  constexpr std::size_t overlap = 64;
  std::vector<char> room((std::size_t{1} << 20) + overlap);
  std::ifstream file(path, std::ios::binary);
  std::size_t kept = 0;
  while (file.read(room.data() + kept, static_cast<std::streamsize>(room.size() - kept)),
         file.gcount() > 0) {
    const auto end = room.begin() + static_cast<std::ptrdiff_t>(kept) + file.gcount();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::boyer_moore_horspool_searcher searcher(texts[i].begin(), texts[i].end());
      seen[i] = seen[i] || std::search(room.begin(), end, searcher) != end;
    }
    kept = std::min<std::size_t>(overlap, static_cast<std::size_t>(end - room.begin()));
    std::copy(end - static_cast<std::ptrdiff_t>(kept), end, room.begin());
  }
  return seen;
}

}  // namespace overture::cli

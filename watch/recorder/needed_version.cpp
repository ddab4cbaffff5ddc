// SPDX-License-Identifier: Zlib
#include "watch/recorder/needed_version.hpp"

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace overture::watch {
namespace {

// The tables of a loaded file. Of some the loader has made the address absolute.
struct dynamic_tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Half) * versions = nullptr;
  const ElfW(Verneed) * needed = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
  const std::uint32_t* hash = nullptr;

  explicit dynamic_tables(const link_map& file) noexcept {
    for (const ElfW(Dyn)* each = file.l_ld; each && each->d_tag != DT_NULL; ++each) {
      const auto at = each->d_un.d_ptr + (each->d_un.d_ptr < file.l_addr ? file.l_addr : 0);
      switch (each->d_tag) {
        case DT_SYMTAB:
          symbols = reinterpret_cast<const ElfW(Sym)*>(at);
          break;
        case DT_STRTAB:
          names = reinterpret_cast<const char*>(at);
          break;
        case DT_VERSYM:
          versions = reinterpret_cast<const ElfW(Half)*>(at);
          break;
        case DT_VERNEED:
          needed = reinterpret_cast<const ElfW(Verneed)*>(at);
          break;
        case DT_GNU_HASH:
          gnu_hash = reinterpret_cast<const std::uint32_t*>(at);
          break;
        case DT_HASH:
          hash = reinterpret_cast<const std::uint32_t*>(at);
          break;
        default:
          break;
      }
    }
  }

  // How many symbols come before those that the file defines: what it needs is among them.
  [[nodiscard]] std::size_t undefined() const noexcept {
    if (gnu_hash) return gnu_hash[1];
    return hash ? hash[1] : 0;
  }

  [[nodiscard]] const char* name_of(ElfW(Half) version) const noexcept {
    const ElfW(Verneed)* file = needed;
    while (file) {
      const auto* each = reinterpret_cast<const ElfW(Vernaux)*>(
          reinterpret_cast<const char*>(file) + file->vn_aux);
      for (int i = 0; i < file->vn_cnt; ++i) {
        if (each->vna_other == version) return names + each->vna_name;
        each = reinterpret_cast<const ElfW(Vernaux)*>(reinterpret_cast<const char*>(each) +
                                                      each->vna_next);
      }
      if (file->vn_next == 0) break;
      file = reinterpret_cast<const ElfW(Verneed)*>(reinterpret_cast<const char*>(file) +
                                                    file->vn_next);
    }
    return nullptr;
  }
};

}  // namespace

const char* needed_version(const link_map& file, const char* symbol) noexcept {
  const dynamic_tables tables(file);
  if (!tables.symbols || !tables.names || !tables.versions) return nullptr;
  constexpr ElfW(Half) hidden = 0x8000;
  for (std::size_t i = 1; i < tables.undefined(); ++i) {
    const ElfW(Sym)& each = tables.symbols[i];
    if (each.st_shndx != SHN_UNDEF || std::strcmp(tables.names + each.st_name, symbol) != 0) {
      continue;
    }
    return tables.name_of(tables.versions[i] & static_cast<ElfW(Half)>(~hidden));
  }
  return nullptr;
}

}  // namespace overture::watch

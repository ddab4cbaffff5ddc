// SPDX-License-Identifier: Zlib
#include "watch/model/symbols.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "watch/model/ordering.hpp"
#include "watch/model/source_lines.hpp"
#include "watch/model/whole_file.hpp"

namespace overture::watch {

class elf_reader {
 public:
  elf_reader(std::string_view bytes, symbol_table& into) : bytes_(bytes), into_(into) {}

  void read() {
    Elf64_Ehdr head{};
    if (!get(0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return;
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof(Elf64_Shdr)) return;
    read_base(head);
    for (unsigned i = 0; i < head.e_shnum; ++i) {
      Elf64_Shdr section{};
      if (!get(head.e_shoff + std::uint64_t{i} * sizeof section, section)) break;
      if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) {
        Elf64_Shdr names{};
        if (!get(head.e_shoff + std::uint64_t{section.sh_link} * sizeof names, names)) continue;
        read_symbols(section, part(names.sh_offset, names.sh_size));
      } else if (section.sh_type == SHT_NOTE) {
        read_note(part(section.sh_offset, section.sh_size));
      }
    }
    order(into_.functions_, [](const auto& a, const auto& b) { return a.begin < b.begin; });
  }

 private:
  template <class T>
  bool get(std::uint64_t at, T& into) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof into) return false;
    std::memcpy(&into, bytes_.data() + at, sizeof into);
    return true;
  }
  [[nodiscard]] std::string_view part(std::uint64_t at, std::uint64_t bytes) const {
    return at < bytes_.size() ? bytes_.substr(at, bytes) : std::string_view();
  }

  void read_base(const Elf64_Ehdr& head) {
    std::uint64_t base = UINT64_MAX;
    for (unsigned i = 0; i < head.e_phnum; ++i) {
      Elf64_Phdr each{};
      if (!get(head.e_phoff + std::uint64_t{i} * sizeof each, each)) break;
      if (each.p_type == PT_LOAD) base = std::min<std::uint64_t>(base, each.p_vaddr);
    }
    if (base != UINT64_MAX) into_.base_ = base;
  }

  void read_symbols(const Elf64_Shdr& section, std::string_view names) {
    const std::string_view all = part(section.sh_offset, section.sh_size);
    for (std::size_t at = 0; all.size() - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      std::memcpy(&symbol, all.data() + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0) continue;
      if (symbol.st_name >= names.size()) continue;
      const std::string_view rest = names.substr(symbol.st_name);
      into_.functions_.push_back({symbol.st_value, symbol.st_value + symbol.st_size,
                                  std::string(rest.substr(0, rest.find('\0')))});
    }
  }

  void read_note(std::string_view note) {
    Elf64_Nhdr head{};
    constexpr std::size_t name_bytes = 4;  // "GNU" and a zero
    if (note.size() < sizeof head + name_bytes) return;
    std::memcpy(&head, note.data(), sizeof head);
    if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != name_bytes) return;
    std::string digits;
    for (const char each : note.substr(sizeof head + name_bytes, head.n_descsz)) {
      digits += fmt::format("{:02x}", static_cast<unsigned char>(each));
    }
    into_.build_id_ = digits;
  }

  std::string_view bytes_;
  symbol_table& into_;
};

namespace {

void remove_all(std::string& from, std::string_view what) {
  for (std::size_t at = from.find(what); at != std::string::npos; at = from.find(what, at)) {
    from.erase(at, what.size());
  }
}

// Without what it takes and returns, which is longer than all else. A lambda is known by the
// function that it is in.
std::string shortened(std::string name) {
  remove_all(name, "(anonymous namespace)::");
  if (const std::size_t lambda = name.find("::{lambda("); lambda != std::string::npos) {
    const std::size_t begin = name.find_last_of("< ,", lambda) + 1;  // 0 if there is none
    return "a lambda of " + shortened(name.substr(begin, lambda - begin));
  }
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0 && i > 0) return name.substr(0, i);
  }
  return name;
}

}  // namespace

symbol_table symbol_table::of_file(std::string_view bytes) {
  symbol_table made;
  elf_reader(bytes, made).read();
  return made;
}

symbol_table symbol_table::of_module(const std::string& path) {
  symbol_table made = of_file(whole_file(path));
  if (made.build_id_.size() < 3) return made;
  const std::string debug = fmt::format("/usr/lib/debug/.build-id/{}/{}.debug",
                                        made.build_id_.substr(0, 2), made.build_id_.substr(2));
  symbol_table more = of_file(whole_file(debug));
  if (!more.functions_.empty()) made.functions_ = std::move(more.functions_);
  return made;
}

std::string_view symbol_table::name_at(std::uint64_t address) const {
  auto at =
      std::upper_bound(functions_.begin(), functions_.end(), address,
                       [](std::uint64_t of, const function& each) { return of < each.begin; });
  // Several names may begin at one place; longer functions may lie around it.
  constexpr int looks_max = 8;
  for (int i = 0; i < looks_max && at != functions_.begin(); ++i) {
    --at;
    if (address < at->end) return at->name;
  }
  return {};
}

std::string readable_name(std::string_view symbol) {
  constexpr std::size_t shown_max = 100;
  std::string name(symbol.substr(0, symbol.find('@')));
  if (name.starts_with("_Z")) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> made(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    if (made) name = shortened(made.get());
  }
  if (name.size() > shown_max) name = name.substr(0, shown_max) + "...";
  return name;
}

void name_places(watched_process& process) {
  std::set<std::uint64_t> calls;
  std::set<std::uint64_t> places;
  for (const watched_thread& thread : process.threads) {
    for (const watched_event& each : thread.events) calls.insert(each.caller);
    for (const thread_sample& each : thread.samples) {
      places.insert(each.address + 1);
      places.insert(each.caller);
    }
  }
  places.insert(calls.begin(), calls.end());
  struct debug_data {
    symbol_table symbols;
    source_lines lines;
  };
  std::map<const watched_module*, debug_data> known;
  for (const std::uint64_t place : places) {
    // A call may be the last instruction of its function.
    const watched_module* const module = place == 0 ? nullptr : process.module_of(place);
    if (!module) continue;
    auto at = known.find(module);
    if (at == known.end()) {
      at = known
               .try_emplace(module, debug_data{symbol_table::of_module(module->path),
                                               source_lines(module->path)})
               .first;
    }
    const std::uint64_t address = place - module->begin + at->second.symbols.base() - 1;
    std::string symbol(at->second.symbols.name_at(address));
    if (calls.contains(place)) {
      if (const std::optional<source_place> source = at->second.lines.at(address)) {
        process.lines[place] = fmt::format("{}:{}", source->file, source->line);
        if (!source->function.empty()) symbol = source->function;
      }
    }
    if (!symbol.empty()) process.functions[place] = readable_name(symbol);
  }
}

}  // namespace overture::watch

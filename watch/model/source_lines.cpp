// SPDX-License-Identifier: Zlib
#include "watch/model/source_lines.hpp"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <dwarf.h>
#include <cstdlib>
#include <string_view>

namespace overture::watch {

namespace {

const Dwfl_Callbacks how_to_find = {.find_elf = dwfl_build_id_find_elf,
                                    .find_debuginfo = dwfl_standard_find_debuginfo,
                                    .section_address = dwfl_offline_section_address,
                                    .debuginfo_path = nullptr};

std::string last_part(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

bool is_of_system(std::string_view path) {
  return path.starts_with("/usr/include") || path.starts_with("/usr/lib");
}

// As the linker knows it, if it does.
std::string name_of(Dwarf_Die& function) {
  Dwarf_Attribute room;
  for (const unsigned kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    Dwarf_Attribute* const found = dwarf_attr_integrate(&function, kind, &room);
    if (const char* const text = found ? dwarf_formstring(found) : nullptr) return text;
  }
  return {};
}

// Where an inlined function is called.
struct call_place {
  const char* file = nullptr;
  int line = 0;
};
call_place call_of(Dwarf_Die& inlined, Dwarf_Die& unit) {
  Dwarf_Attribute room;
  Dwarf_Word file = 0;
  Dwarf_Word line = 0;
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &room), &file) != 0) return {};
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &room), &line) != 0) return {};
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || file >= count) return {};
  return {dwarf_filesrc(files, file, nullptr, nullptr), static_cast<int>(line)};
}

}  // namespace

struct source_lines::session {
  Dwfl* dwfl = nullptr;
  Dwfl_Module* module = nullptr;
  Dwarf_Addr bias = 0;

  session() = default;
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() {
    if (dwfl) dwfl_end(dwfl);
  }
};

source_lines::source_lines(const std::string& module) : session_(std::make_unique<session>()) {
  // What is not on this machine is not asked for elsewhere.
  ::unsetenv("DEBUGINFOD_URLS");
  session_->dwfl = dwfl_begin(&how_to_find);
  if (!session_->dwfl) return;
  session_->module = dwfl_report_offline(session_->dwfl, module.c_str(), module.c_str(), -1);
  dwfl_report_end(session_->dwfl, nullptr, nullptr);
  if (session_->module && !dwfl_module_getelf(session_->module, &session_->bias)) {
    session_->module = nullptr;
  }
}
source_lines::~source_lines() = default;
source_lines::source_lines(source_lines&& other) noexcept = default;
source_lines& source_lines::operator=(source_lines&& other) noexcept = default;

std::optional<source_place> source_lines::at(std::uint64_t address) const {
  if (!session_->module) return {};
  Dwfl_Line* const line = dwfl_module_getsrc(session_->module, address + session_->bias);
  int number = 0;
  const char* file =
      line ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
  if (!file) return {};
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(session_->module, address + session_->bias, &bias);
  Dwarf_Die* innermost = nullptr;
  const int found = unit ? dwarf_getscopes(unit, address + session_->bias - bias, &innermost) : 0;
  const std::unique_ptr<Dwarf_Die, void (*)(void*)> innermost_owner(innermost, std::free);
  // Around an inlined function those have what it was written in, not where it was inlined.
  Dwarf_Die* scopes = nullptr;
  const int count = found > 0 ? dwarf_getscopes_die(innermost, &scopes) : 0;
  const std::unique_ptr<Dwarf_Die, void (*)(void*)> owner(scopes, std::free);
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (tag == DW_TAG_subprogram) break;
    if (tag != DW_TAG_inlined_subroutine) continue;
    if (!is_of_system(file)) {
      const std::string function = name_of(scopes[i]);
      // A lambda is better known by the function that has it.
      return source_place{.function = function == "operator()" ? "" : function,
                          .file = last_part(file),
                          .line = number};
    }
    const call_place call = call_of(scopes[i], *unit);
    if (!call.file) break;
    file = call.file;
    number = call.line;
  }
  return source_place{.function = {}, .file = last_part(file), .line = number};
}

}  // namespace overture::watch

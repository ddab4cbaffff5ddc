// SPDX-License-Identifier: Zlib
#include <fmt/format.h>
#include <io.h>
#include <windows.h>

#include <array>
#include <cstdint>

#include "system.hpp"

namespace bench {

double process_cpu_seconds() {
  FILETIME begun{};
  FILETIME ended{};
  FILETIME kernel{};
  FILETIME user{};
  GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user);
  const auto seconds = [](const FILETIME& t) {
    const std::uint64_t ticks = std::uint64_t{t.dwHighDateTime} << 32 | t.dwLowDateTime;
    return static_cast<double>(ticks) * 1e-7;
  };
  return seconds(kernel) + seconds(user);
}

bool errors_go_to_a_terminal() {
  return _isatty(2) != 0;
}

std::string processor_model() {
  std::array<char, 128> name{};
  DWORD size = name.size() - 1;
  if (RegGetValueA(HKEY_LOCAL_MACHINE, R"(HARDWARE\DESCRIPTION\System\CentralProcessor\0)",
                   "ProcessorNameString", RRF_RT_REG_SZ, nullptr, name.data(), &size) != 0) {
    return "unknown processor";
  }
  return name.data();
}

// Times under wine are those of its server, not of Windows.
std::string system_name() {
  HMODULE const system = GetModuleHandleW(L"ntdll.dll");
  auto* const version = GetProcAddress(system, "wine_get_version");
  if (version == nullptr) return "Windows";
  using get_text = const char*(CDECL*)();
  return fmt::format("wine {}", reinterpret_cast<get_text>(reinterpret_cast<void*>(version))());
}

}  // namespace bench

// SPDX-License-Identifier: Zlib
#include <sys/types.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>

#include "watching/program_code.hpp"

namespace overture::cli {

namespace {

// From its beginning: functions that programs call are small, or they call others.
constexpr std::uint64_t function_bytes_max = 1024;

bool is_own_file(std::string_view path) {
  const bool is_file = path.starts_with('/') && !path.starts_with("//");
  if (!is_file || path.find("/liboverture-watch.so") != path.npos) return false;
  const bool is_of_system = path.starts_with("/usr/lib") || path.starts_with("/lib");
  return !is_of_system || path.find(".so") == path.npos;
}

template <class T>
bool read_at(std::uint64_t process, std::uint64_t address, T& into) {
  iovec to{.iov_base = &into, .iov_len = sizeof into};
  iovec from{.iov_base = reinterpret_cast<void*>(address), .iov_len = sizeof into};
  return ::process_vm_readv(static_cast<pid_t>(process), &to, 1, &from, 1, 0) ==
         static_cast<ssize_t>(sizeof into);
}

std::uint64_t at_distance(std::uint64_t from, const unsigned char* distance) {
  std::int32_t bytes = 0;
  std::memcpy(&bytes, distance, sizeof bytes);
  return from + static_cast<std::uint64_t>(std::int64_t{bytes});
}

// Where the address of the function is that a stub for a library's function jumps to; 0: it is no
// stub.
std::uint64_t slot_of_stub(std::uint64_t process, std::uint64_t stub) {
  constexpr unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa};  // endbr64
  unsigned char code[12] = {};
  if (!read_at(process, stub, code)) return 0;
  std::size_t at = std::memcmp(code, landing, sizeof landing) == 0 ? sizeof landing : 0;
  if (code[at] == 0xf2) ++at;  // bnd
  const bool jumps = code[at] == 0xff && code[at + 1] == 0x25;
  return jumps ? at_distance(stub + at + 6, code + at + 2) : 0;
}

}  // namespace

bool program_code::knows_calls() {
#if defined(__x86_64__)
  return true;
#else
  return false;
#endif
}

void program_code::add(std::uint64_t process, std::uint64_t begin, std::uint64_t end,
                       std::string_view path) {
  if (is_own_file(path)) own_[process].push_back({begin, end});
}

bool program_code::is_own(std::uint64_t process, std::uint64_t address) const {
  const auto found = own_.find(process);
  return found != own_.end() &&
         std::any_of(found->second.begin(), found->second.end(), [&](const range& each) {
           return address >= each.begin && address < each.end;
         });
}

std::uint64_t program_code::caller_of(std::uint64_t process, std::uint64_t address,
                                      std::span<const std::uint64_t> stack) {
  if (!knows_calls()) return 0;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (!is_own(process, stack[i])) continue;
    const std::uint64_t called = called_before(process, stack[i]);
    if (called == 0) continue;
    const auto is_inside = [&](std::uint64_t word) {
      return word >= called && word - called < function_bytes_max;
    };
    const auto above = stack.first(i);
    if (is_inside(address) || std::any_of(above.begin(), above.end(), is_inside)) {
      return stack[i];
    }
  }
  return 0;
}

std::uint64_t program_code::called_before(std::uint64_t process, std::uint64_t address) {
  const auto known = called_.find({process, address});
  if (known != called_.end()) return known->second;
  const std::uint64_t called = read_called(process, address);
  // Before the first call it is not known.
  if (!is_own(process, called)) called_[{process, address}] = called;
  return called;
}

std::uint64_t program_code::read_called(std::uint64_t process, std::uint64_t address) const {
  unsigned char code[6] = {};
  if (!read_at(process, address - sizeof code, code)) return 0;
  std::uint64_t slot = 0;
  if (code[0] == 0xff && code[1] == 0x15) {
    slot = at_distance(address, code + 2);
  } else if (code[1] == 0xe8) {
    slot = slot_of_stub(process, at_distance(address, code + 2));
  }
  std::uint64_t called = 0;
  if (slot == 0 || !read_at(process, slot, called)) return 0;
  return called;
}

}  // namespace overture::cli

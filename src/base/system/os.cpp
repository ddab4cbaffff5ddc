// SPDX-License-Identifier: Zlib
#include "overture/base/os.hpp"

namespace overture {

result<void> read_fully(operating_system& os, os_handle handle, std::uint64_t offset,
                        std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const result<std::size_t> got = os.read_at(handle, offset + done, bytes.subspan(done));
    if (!got) return tl::unexpected<error>(got.error());
    if (*got == 0) {
      return fail(errc::truncated, "the file ends before the requested bytes", {}, offset + done);
    }
    done += *got;
  }
  return {};
}

result<void> write_fully(operating_system& os, os_handle handle, std::uint64_t offset,
                         std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const result<std::size_t> put = os.write_at(handle, offset + done, bytes.subspan(done));
    if (!put) return tl::unexpected<error>(put.error());
    if (*put == 0) return fail(errc::io, "the system wrote no bytes", {}, offset + done);
    done += *put;
  }
  return {};
}

result<void> read_parts_fully(operating_system& os, os_handle handle, std::uint64_t offset,
                              std::span<std::span<std::byte>> parts) {
  while (!parts.empty()) {
    if (parts[0].empty()) {
      parts = parts.subspan(1);
      continue;
    }
    if (parts.size() == 1) return read_fully(os, handle, offset, parts[0]);
    const result<std::size_t> got = os.read_parts_at(handle, offset, parts);
    if (!got) return tl::unexpected<error>(got.error());
    if (*got == 0) {
      return fail(errc::truncated, "the file ends before the requested bytes", {}, offset);
    }
    offset += *got;
    for (std::size_t left = *got; left > 0;) {
      const std::size_t filled = left < parts[0].size() ? left : parts[0].size();
      left -= filled;
      parts[0] = parts[0].subspan(filled);
      if (parts[0].empty()) parts = parts.subspan(1);
    }
  }
  return {};
}

result<void> sync_names(operating_system& os, os_handle folder) {
  const result<void> synced = os.sync(folder);
  if (!synced && synced.error().code != errc::invalid && synced.error().code != errc::unsupported) {
    return synced;
  }
  return {};
}

}  // namespace overture

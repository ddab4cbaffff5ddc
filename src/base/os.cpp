#include "overture/os.hpp"

namespace overture {

result<void> read_fully(operating_system& os, os_handle handle, std::uint64_t offset,
                        std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const result<std::size_t> got = os.read_at(handle, offset + done, bytes.subspan(done));
    if (!got) return tl::unexpected<error>(got.error());
    if (*got == 0) {
      return fail(errc::truncated, "the file ends before the bytes asked for", {}, offset + done);
    }
    done += *got;
  }
  return {};
}

}  // namespace overture

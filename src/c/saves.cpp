// SPDX-License-Identifier: Zlib
//
// Saves as bytes: overture/c/saves.h.
#include "overture/c/saves.h"

#include <algorithm>

#include "c/handle.hpp"
#include "c/save_format.hpp"
#include "overture/base/os.hpp"
#include "overture/base/replace_file.hpp"

using namespace overture;
using namespace overture::c;

namespace {

// Closes what it has opened.
class open_file {
 public:
  explicit open_file(os_handle handle) noexcept : handle_(handle) {}
  ~open_file() { system_os().close(handle_); }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

 private:
  os_handle handle_;
};

result<blob> read_save(const char* path, buffer_pool& buffers) noexcept {
  operating_system& os = system_os();
  const result<os_handle> opened = os.open(path);
  if (!opened) return tl::unexpected(opened.error());
  const open_file closes(*opened);
  const result<file_status> status = os.status(*opened);
  if (!status) return tl::unexpected(status.error());
  if (status->kind != file_kind::file) return fail(errc::not_a_file, "this is not a file");
  save_head_room room;
  const std::size_t there = std::min<std::uint64_t>(status->size, room.size());
  const std::span<std::byte> head_bytes = std::span(room).first(there);
  if (const result<void> read = read_fully(os, *opened, 0, head_bytes); !read) {
    return tl::unexpected(read.error());
  }
  const result<save_head> head = read_head(head_bytes, status->size);
  if (!head) return tl::unexpected(head.error());
  result<blob> bytes = buffers.take(head->bytes);
  if (!bytes) return bytes;
  if (const result<void> read = read_fully(os, *opened, save_head_bytes, bytes->span()); !read) {
    return tl::unexpected(read.error());
  }
  if (hash_of(bytes->span()) != head->hash) return fail(errc::corrupt, "the save is damaged");
  return bytes;
}

}  // namespace

overture_code overture_save_write(const char* path, const void* bytes, size_t byte_count,
                                  overture_error* error) {
  if (path == nullptr) return invalid(error, "the path is NULL");
  if (bytes == nullptr && byte_count != 0) return invalid(error, "there are no bytes");
  const std::span<const std::byte> content(static_cast<const std::byte*>(bytes), byte_count);
  const auto write = [&](os_handle file) noexcept -> result<void> {
    const save_head_room head = write_head({content.size(), hash_of(content)});
    if (result<void> done = write_fully(system_os(), file, 0, head); !done) return done;
    return write_fully(system_os(), file, head.size(), content);
  };
  const result<void> written = replace_file(system_os(), path, write);
  return written ? fine(error) : failed(error, written.error(), path);
}

overture_code overture_save_read(const char* path, overture_bytes** bytes, overture_error* error) {
  if (bytes == nullptr) return invalid(error, "there is no place for the bytes");
  *bytes = nullptr;
  if (path == nullptr) return invalid(error, "the path is NULL");
  auto* const buffers = make<shared_buffers>();
  if (buffers == nullptr) return out_of_memory(error);
  overture_code code = OVERTURE_OK;
  if (result<blob> read = read_save(path, buffers->pool()); !read) {
    code = failed(error, read.error(), path);
  } else {
    *bytes = make_bytes(*std::move(read), *buffers);
    code = *bytes == nullptr ? out_of_memory(error) : fine(error);
  }
  buffers->drop();
  return code;
}

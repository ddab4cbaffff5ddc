// SPDX-License-Identifier: Zlib
#include "overture/archives/zip_comments.hpp"

#include "archives/zip/zip_finder.hpp"
#include "base/guarded_call.hpp"

namespace overture {
using namespace base_detail;
using namespace archives_detail;

namespace {

result<void> visit_all(const archive_input& input, os_handle file, allocator& memory,
                       function_ref<void(std::string_view, std::string_view)> visit) noexcept {
  zip_directory directory;
  zip_finder finder(input, file, memory);
  const result<bool> found = finder.run(directory);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return fail(errc::unsupported, "not a ZIP archive");
  std::span<const std::byte> rest = directory.bytes;
  while (!rest.empty()) {
    zip_record record;
    rest = rest.subspan(read_zip_record(rest, record));
    if (record.comment.empty()) continue;
    if (!guarded_call([&] { visit(record.name, record.comment); })) {
      return fail(errc::threw, "the visitor threw an exception");
    }
  }
  return {};
}

}  // namespace

result<void> visit_zip_comments(
    const char* path, function_ref<void(std::string_view name, std::string_view comment)> visit,
    operating_system& os, allocator& memory) noexcept {
  const result<os_handle> file = os.open(path);
  if (!file) return tl::unexpected(file.error());
  const result<file_status> status = os.status(*file);
  result<void> done;
  if (!status) {
    done = tl::unexpected(status.error());
  } else if (status->kind != file_kind::file) {
    done = fail(errc::not_a_file, "not a regular file");
  } else {
    done =
        visit_all({.os = os, .path = path, .status = *status, .prefix = {}}, *file, memory, visit);
  }
  os.close(*file);
  return done;
}

}  // namespace overture

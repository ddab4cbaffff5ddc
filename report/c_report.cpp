// SPDX-License-Identifier: Zlib
//
// The page of a load for C: overture/report/timeline_report.h.
#include "overture/report/timeline_report.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "c/handles.hpp"
#include "overture/base/os.hpp"
#include "overture/base/replace_file.hpp"
#include "overture/report/write_report.hpp"

using namespace overture;

namespace {

// A page is written in one piece.
class file_sink final : public text_sink {
 public:
  explicit file_sink(os_handle file) noexcept : file_(file) {}

  result<void> write(std::string_view text) override {
    result<void> written = write_fully(system_os(), file_, at_, std::as_bytes(std::span(text)));
    at_ += text.size();
    return written;
  }

 private:
  os_handle file_;
  std::uint64_t at_ = 0;
};

// As the functions of overture::c do, which a shared library hides.
overture_code told(overture_error* to, overture_code code, int os_error, const char* text) {
  constexpr std::size_t text_at = offsetof(overture_error, text);
  if (to == nullptr || to->size <= text_at || to->size > c::structure_bytes_max) return code;
  to->code = code;
  to->os_error = os_error;
  const std::size_t room = std::min(to->size - text_at, sizeof to->text) - 1;
  to->text[std::string_view(text).copy(to->text, room)] = '\0';
  return code;
}

// Replaces the file at `path` with what write(sink) writes.
template <class Write>
overture_code write_file(const char* path, overture_error* error, Write write) {
  if (path == nullptr) return told(error, OVERTURE_INVALID, 0, "the path is NULL");
  const result<void> written = replace_file(system_os(), path, [&](os_handle file) {
    file_sink sink(file);
    return write(sink);
  });
  if (written) return told(error, OVERTURE_OK, 0, "");
  return told(error, c::code_of(written.error().code), written.error().os_error,
              written.error().reason);
}

}  // namespace

overture_code overture_timeline_write_report(const overture_timeline* timeline,
                                             const overture_files* files, const char* path,
                                             overture_error* error) {
  if (timeline == nullptr) return told(error, OVERTURE_INVALID, 0, "the timeline is NULL");
  return write_file(path, error, [&](text_sink& sink) {
    return write_report(sink, timeline->record, files == nullptr ? nullptr : &files->tree);
  });
}

overture_code overture_store_write_report(const overture_store* store,
                                          const overture_timeline* timeline, const char* path,
                                          overture_error* error) {
  if (store == nullptr) return told(error, OVERTURE_INVALID, 0, "the store is NULL");
  if (timeline == nullptr) return told(error, OVERTURE_INVALID, 0, "the timeline is NULL");
  return write_file(path, error, [&](text_sink& sink) {
    return write_report(sink, timeline->record, store->assets);
  });
}

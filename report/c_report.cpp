// SPDX-License-Identifier: Zlib
//
// The page of a load for C: overture/report/timeline_report.h.
#include "overture/report/timeline_report.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "c/apart.hpp"
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

// Replaces the file at `path` with what write(sink) writes.
template <class Write>
overture_code write_file(const char* path, overture_error* error, Write write) {
  if (path == nullptr) return c::apart::invalid(error, "the path is NULL");
  const result<void> written = replace_file(system_os(), path, [&](os_handle file) {
    file_sink sink(file);
    return write(sink);
  });
  return written ? c::apart::fine(error) : c::apart::failed(error, written.error(), path);
}

}  // namespace

overture_code overture_timeline_write_report(const overture_timeline* timeline,
                                             const overture_files* files, const char* path,
                                             overture_error* error) {
  if (timeline == nullptr) return c::apart::invalid(error, "the timeline is NULL");
  return write_file(path, error, [&](text_sink& sink) {
    return write_report(sink, timeline->record, files == nullptr ? nullptr : &files->tree);
  });
}

overture_code overture_store_write_report(const overture_store* store,
                                          const overture_timeline* timeline, const char* path,
                                          overture_error* error) {
  if (store == nullptr) return c::apart::invalid(error, "the store is NULL");
  if (timeline == nullptr) return c::apart::invalid(error, "the timeline is NULL");
  return write_file(path, error, [&](text_sink& sink) {
    return write_report(sink, timeline->record, store->assets);
  });
}

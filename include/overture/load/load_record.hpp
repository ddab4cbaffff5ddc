// SPDX-License-Identifier: Zlib
//
// What a load loaded, in its order, and what each file cost: noted in one run for the next. An
// asset_store fills one too: asset_store::record().
//
//   load_record record;
//   if (auto added = record.add(scope); !added) ...             // once the load is done
//   if (auto written = record.write("menu.record"); !written) ...
//
//   result<load_record> known = load_record::read("menu.record");      // the next run
//   load_scope scope{files, reads, jobs, {.recorded = &*known}};
//
// The file
//   Text: the line "overture-load-record 1", then a line for each file, in order: microseconds of
//   work, bytes, path, with a blank after each number. In a path, "\n", "\r" and "\\" stand for a
//   line feed, a carriage return and a backslash. `overture load --record` writes such a file,
//   `overture pack --recorded` lays an archive out by it.
//
// A record may be of another version of the game: names that the tree does not have are ignored.
// Memory: the text, and 24 bytes for each file. Threads: any number may read it at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/filesystem_path.hpp"
#include "overture/base/os.hpp"
#include "overture/base/path.hpp"

namespace overture {

class load_scope;

// A load that follows a record begins files in its order. Those of so many are read in the order of
// the disk, before those of the next so many: a disk that always goes on to what is nearest would
// come last to what is needed first.
inline constexpr std::uint32_t recorded_files_together = 64;

struct recorded_file {
  std::string_view path;      // valid as long as the record is unchanged
  std::uint64_t cost_us = 0;  // of reading, unpacking and decoding, summed over threads
  std::uint64_t bytes = 0;    // unpacked
};

class OVERTURE_API load_record {
 public:
  explicit load_record(allocator* memory = nullptr) noexcept;
  load_record(load_record&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  load_record& operator=(load_record&& other) noexcept {
    load_record taken(std::move(other));
    std::swap(state_, taken.state_);
    return *this;
  }
  load_record(const load_record&) = delete;
  load_record& operator=(const load_record&) = delete;
  ~load_record();

  // Adds a file at the end. Errors: bad_path, limit (too many files, or too much text),
  // out_of_memory.
  result<void> add(const recorded_file& file) noexcept;
  // Adds the files that a load has loaded, in the order in which they began. Call it once the load
  // is done. Errors: as above.
  result<void> add(const load_scope& scope) noexcept;

  [[nodiscard]] std::size_t size() const noexcept;
  // index < size().
  [[nodiscard]] recorded_file operator[](std::size_t index) const noexcept;

  // Errors of both: unsupported (not a record, or of a later version), corrupt (damaged, with the
  // place in error::offset), limit, out_of_memory, those of the system.
  [[nodiscard]] static result<load_record> parse(std::string_view text,
                                                 allocator* memory = nullptr) noexcept;
  [[nodiscard]] static result<load_record> read(const char* path,
                                                operating_system& os = system_os(),
                                                allocator* memory = nullptr) noexcept;
  template <filesystem_path Path>
  [[nodiscard]] static result<load_record> read(const Path& path,
                                                operating_system& os = system_os(),
                                                allocator* memory = nullptr) {
    return read(detail::utf8_path(path).c_str(), os, memory);
  }
  // Replaces the file at `path` in one step. Errors: those of replace_file(), out_of_memory.
  result<void> write(const char* path, operating_system& os = system_os()) const noexcept;
  template <filesystem_path Path>
  result<void> write(const Path& path, operating_system& os = system_os()) const {
    return write(detail::utf8_path(path).c_str(), os);
  }
  // To an open file, from its start.
  result<void> write(os_handle file, operating_system& os = system_os()) const noexcept;

 private:
  struct state;
  state* state_ = nullptr;
};

}  // namespace overture

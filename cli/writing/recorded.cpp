// SPDX-License-Identifier: Zlib
#include "writing/recorded.hpp"

#include <fmt/core.h>

#include <utility>

#include "system/exit_code.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/units.hpp"
#include "writing/output_file.hpp"

namespace overture::cli {

std::optional<load_record> read_record(const std::string& path) {
  result<load_record> record = load_record::read(path.c_str());
  if (record) return std::move(*record);
  print_error(fmt::format("--recorded {}: {}; make a record with: overture load --record FILE",
                          printable(path), reason_of(record.error())));
  return std::nullopt;
}

bool is_in_path_order(const load_record& record) {
  for (std::size_t i = 1; i < record.size(); ++i) {
    if (record[i].path < record[i - 1].path) return false;
  }
  return record.size() > 2;
}

void warn_of_missing(const load_record& record, const std::string& path, const file_system& files) {
  std::size_t missing = 0;
  std::string first;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const std::string_view name = record[i].path;
    if (files.find({name, {hash64(name)}})) continue;
    if (missing++ == 0) first = printable(name);
  }
  if (missing == 0) return;
  const bool is_one = missing == 1;
  print_warning(fmt::format("{}: {} of {} in the record {} not in the mounts and {} left out: {}{}",
                            printable(path), grouped(missing),
                            counted(record.size(), "file", "files"), is_one ? "is" : "are",
                            is_one ? "is" : "are", first,
                            is_one ? "" : fmt::format(" and {} more", grouped(missing - 1))));
}

int write_record(const load_record& record, const std::string& path, known_output& old) {
  if (record.size() == 0 && keeps_old_for_want_of_files(path)) return exit_output_failed;
  output_file file;
  const result<void> written =
      file.open(path).and_then([&] { return record.write(file.file()); }).and_then([&] {
        return file.commit(old);
      });
  if (written) return exit_ok;
  print_error(fmt::format("{}: {}", printable(path), reason_of(written.error())));
  return exit_output_failed;
}

}  // namespace overture::cli

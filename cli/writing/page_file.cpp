// SPDX-License-Identifier: Zlib
#include "writing/page_file.hpp"

#include <fmt/core.h>

#include <span>

#include "system/exit_code.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "writing/output_file.hpp"

namespace overture::cli {

int write_page(std::string_view page, const std::string& path, known_output& old,
               const char* what) {
  output_file file;
  const auto bytes = std::as_bytes(std::span(page.data(), page.size()));
  const result<void> written =
      file.open(path)
          .and_then([&] { return write_fully(system_os(), file.file(), 0, bytes); })
          .and_then([&] { return file.commit(old); });
  if (written) return exit_ok;
  if (written.error().code == errc::exists) {
    print_error(
        fmt::format("{}: {}; the {} is lost", printable(path), written.error().reason, what));
    return exit_output_failed;
  }
  print_error(fmt::format("{}: cannot write the {} ({}); {}", printable(path), what,
                          reason_of(written.error()), remedy_for(written.error())));
  return exit_output_failed;
}

}  // namespace overture::cli

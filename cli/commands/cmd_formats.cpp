// SPDX-License-Identifier: Zlib
//
// overture formats: lists the archives and the decoders, with the libraries that they use.
#include <fmt/core.h>

#include <optional>
#include <string>

#include "commands/command.hpp"
#include "mounts/tree_arguments.hpp"
#include "overture/archives/mount_format_list.hpp"
#include "overture/decoders/decoder.hpp"
#include "terminal/command_line.hpp"
#include "terminal/json_output.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "terminal/table.hpp"

namespace overture::cli {

namespace {

constexpr const char* formats_usage = "overture formats [OPTIONS]";
constexpr int formats_schema = 1;

constexpr const char* formats_examples = R"(  overture formats
  overture formats --json | jq '.decoders[] | select(.built_in | not)'
)";

const std::string formats_footer = std::string(R"(Exit status
  0  always, unless output could not be written
  2  invalid arguments
  5  output could not be written
)") + environment_footer;

std::string becomes(const decoder_format& format) {
  if (!format.by) return "not built in";
  if (format.becomes == asset_kind::binary) return "what is inside";
  return format.becomes == asset_kind::none ? "recognised" : to_string(format.becomes);
}

std::string formats_text(const text_style& style) {
  std::string text = style.bold("Archives") + '\n';
  table mounts({{"name", align::left}, {"library", align::left}, {"files", align::left}});
  for (const mount_format_info& row : mount_formats()) {
    mounts.add({std::string(row.name), std::string(row.libraries), std::string(row.files)});
  }
  text += mounts.render(style) + '\n' + style.bold("Decoders") + '\n';
  table rows({{"name", align::left},
              {"library", align::left},
              {"becomes", align::left},
              {"files", align::left}});
  for (const decoder_format& format : decoder_formats()) {
    table::cell result{becomes(format)};
    if (!format.by) result.look = &text_style::yellow;
    rows.add(
        {std::string(format.name), std::string(format.library), result, std::string(format.files)});
  }
  return text + rows.render(style);
}

std::string formats_json() {
  json mounts = json::array();
  for (const mount_format_info& row : mount_formats()) {
    mounts.push_back({{"name", row.name}, {"files", row.files}, {"library", row.libraries}});
  }
  json rows = json::array();
  for (const decoder_format& format : decoder_formats()) {
    rows.push_back({{"name", format.name},
                    {"files", format.files},
                    {"library", format.library},
                    {"kind", to_string(format.becomes)},
                    {"built_in", format.by != nullptr}});
  }
  return json_text({{"schema", formats_schema}, {"archives", mounts}, {"decoders", rows}});
}

}  // namespace

int cmd_formats(const std::vector<std::string>& words) {
  bool as_json = false;
  when colour = when::automatic;
  command_line line({
      .name = "formats",
      .usage = formats_usage,
      .description = "List the archives that can be mounted and the files that are decoded, with "
                     "the library that does it. What is only recognised is counted, its header is "
                     "checked, and a game gets its bytes. What is not built in lacked its library "
                     "when Overture was built.",
      .examples = formats_examples,
      .footer = formats_footer,
  });
  add_json(line, as_json);
  add_colour(line, colour);
  if (const std::optional<int> over = line.parse(words)) return *over;
  const outputs out(colour);
  return print(as_json ? formats_json() : formats_text(out.style(stream::out)));
}

}  // namespace overture::cli

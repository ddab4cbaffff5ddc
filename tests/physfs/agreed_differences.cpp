// SPDX-License-Identifier: Zlib
#include "physfs/agreed_differences.hpp"

#include <regex>

namespace {

struct difference {
  const char* call;  // patterns
  const char* old_answer;
  const char* new_answer;
};

constexpr difference agreed[] = {
    // ".." at the end of a name is refused too.
    {R"((exists|is_\w+|real_dir|stat|time|enumerate\w*) .*/\.\.?)", ".*", ".*"},
    {R"((open_\w+|mkdir|delete) .*maps/\.\.?)", ".*", ".*error 23.*"},
    // A folder is not opened as a file.
    {"open_read .*", "opened.*", "error (16|11).*"},
    // The end is a position in every format.
    {"seek .*", "0 error 7", "1"},
    // A damaged archive is "corrupted", whatever other formats say of it.
    {"mount zoo/cut.*", "0 error .*", "0 error 18"},
    // Folders in archives have no size and no times, files in a VDF no times.
    {"stat .*", "[01] size (0|-1|[0-9]+) readonly 1 modified .*",
     "[01] size [0-9]+ readonly 1 modified -1"},
    {"time .*", "[0-9]+.*", "-1 error .*"},
    // A file where a folder should be made is a duplicate.
    {"mkdir .*", "0 error .*", "0 error 27"},
};

}  // namespace

bool is_agreed(const operation& call, const std::string& old_answer,
               const std::string& new_answer) {
  std::string text;
  for (const std::string& word : call) text += (text.empty() ? "" : " ") + word;
  const auto matches = [](const std::string& what, const char* pattern) {
    return std::regex_match(what, std::regex(pattern));
  };
  for (const difference& each : agreed) {
    if (matches(text, each.call) && matches(old_answer, each.old_answer) &&
        matches(new_answer, each.new_answer)) {
      return true;
    }
  }
  return false;
}

// SPDX-License-Identifier: Zlib
//
// Compares two libraries with PhysicsFS's interface by random calls:
//
//   physfs_random_differential ZOO OLD NEW [--seed N] [--operations N] [--expect-difference]
//   physfs_random_differential ZOO OLD NEW --replay FILE
//
// ZOO is the folder that zoo.py made, OLD and NEW are paths of libraries. The calls come in
// sequences that begin with an empty search path. A sequence to which the libraries answer
// differently, or in which one of them ends the process, is made as short as it gets and printed in
// a form that --replay reads ("-" reads it from standard input). OVERTURE_LONG_TESTS makes a
// million calls of the default ten thousand. Differences in agreed_differences.cpp count as equal.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "physfs/agreed_differences.hpp"
#include "physfs/operations.hpp"

namespace {

namespace fs = std::filesystem;
using sequence = std::vector<operation>;

constexpr std::size_t sequence_length = 200;

// What the process that plays a sequence tells the one that waits for it, however it ends.
struct progress {
  bool equal;
  std::size_t position;
  char old_answer[4000];
  char new_answer[4000];
};

void keep(char (&target)[4000], const std::string& text) {
  std::strncpy(target, text.c_str(), sizeof target - 1);
}

class comparison {
 public:
  comparison(const library& old_functions, const library& new_functions, const std::string& folder)
      : old_(old_functions, folder + "/old"),
        new_(new_functions, folder + "/new"),
        seen_(static_cast<progress*>(mmap(nullptr, sizeof(progress), PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}

  // Plays the sequence in a process of its own, which a library may end.
  bool differ(const sequence& calls) {
    *seen_ = {};
    const pid_t child = fork();
    if (child == 0) {
      alarm(600);  // for what hangs; a busy machine may take minutes
      play(calls);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return !seen_->equal;
  }

  const progress& seen() const { return *seen_; }

 private:
  void play(const sequence& calls) {
    old_.begin();
    new_.begin();
    for (; seen_->position < calls.size(); ++seen_->position) {
      keep(seen_->old_answer, "ended the process");
      const std::string expected = old_.play(calls[seen_->position]);
      keep(seen_->old_answer, expected);
      keep(seen_->new_answer, "ended the process");
      const std::string answer = new_.play(calls[seen_->position]);
      keep(seen_->new_answer, answer);
      const bool differ = answer != expected;
      if (differ && !is_agreed(calls[seen_->position], expected, answer)) return;
      if (differ || opens_folder(calls[seen_->position], answer)) {
        old_.close_file_of(calls[seen_->position]);
        new_.close_file_of(calls[seen_->position]);
      }
      std::memset(seen_->old_answer, 0, sizeof seen_->old_answer);
      std::memset(seen_->new_answer, 0, sizeof seen_->new_answer);
    }
    old_.end();
    new_.end();
    seen_->equal = true;
  }

  // The old library opens the folder, the new one a file that it hides.
  bool opens_folder(const operation& call, const std::string& answer) {
    if (call[0] != "open_read") return false;
    const operation question = {"is_directory", call[2]};
    const bool is_folder = new_.play(question).starts_with("1");
    if (old_.play(question).starts_with("1") || is_folder) return true;
    // It may lie below a file that cannot be opened: an encrypted one.
    if (!answer.starts_with("opened")) return false;
    if (old_.play({"read_bytes", call[1], "1"}).starts_with("-1 error 16")) return true;
    old_.play({"seek", call[1], "0"});
    return false;
  }

  player old_;
  player new_;
  progress* seen_;
};

// Leaves out runs of calls, shorter and shorter ones, for as long as the libraries still differ.
sequence shrunk(comparison& libraries, sequence calls) {
  for (std::size_t run = calls.size() / 2; run > 0; run = run > 1 ? run / 2 : 0) {
    for (std::size_t begin = 0; begin < calls.size();) {
      sequence fewer = calls;
      const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(begin);
      fewer.erase(from, from + static_cast<std::ptrdiff_t>(std::min(run, calls.size() - begin)));
      if (libraries.differ(fewer)) {
        calls = fewer;
      } else {
        begin += run;
      }
    }
  }
  return calls;
}

void print_difference(comparison& libraries, const sequence& calls) {
  libraries.differ(calls);
  for (const operation& call : calls) std::cout << call << '\n';
  std::cout << "# call " << libraries.seen().position + 1
            << "\n# old: " << libraries.seen().old_answer
            << "\n# new: " << libraries.seen().new_answer << "\n\n";
}

struct options {
  std::string zoo, old_path, new_path;
  std::uint64_t seed = 1;
  std::size_t operations = std::getenv("OVERTURE_LONG_TESTS") ? 1'000'000 : 10'000;
  bool expect_difference = false;
  std::optional<std::string> replay = std::nullopt;
};

std::optional<options> parse(const std::vector<std::string>& words) {
  if (words.size() < 3) return std::nullopt;
  options read{fs::absolute(words[0]), words[1], words[2]};
  for (std::size_t i = 3; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--expect-difference") {
      read.expect_difference = true;
    } else if (words[i] == "--seed" && has_value) {
      read.seed = std::strtoull(words[++i].c_str(), nullptr, 10);
    } else if (words[i] == "--operations" && has_value) {
      read.operations = std::strtoull(words[++i].c_str(), nullptr, 10);
    } else if (words[i] == "--replay" && has_value) {
      read.replay = words[++i];
    } else {
      return std::nullopt;
    }
  }
  return read;
}

bool replay(comparison& libraries, const std::string& path) {
  std::ifstream file(path);
  sequence calls;
  for (operation next; read_operation(path == "-" ? std::cin : file, next);)
    if (next[0][0] != '#') calls.push_back(next);
  const bool differ = libraries.differ(calls);
  if (differ) print_difference(libraries, calls);
  return differ;
}

// Ends at the first sequence that tells the libraries apart.
bool search(comparison& libraries, const options& given) {
  for (std::size_t done = 0; done < given.operations; done += sequence_length) {
    const std::uint64_t seed = given.seed + done / sequence_length;
    std::mt19937_64 random(seed);
    sequence calls;
    for (std::size_t i = 0; i < sequence_length; ++i) calls.push_back(random_operation(random));
    if (!libraries.differ(calls)) continue;
    std::cout << "# The libraries differ with --seed " << seed << ", shortened:\n";
    print_difference(libraries, shrunk(libraries, calls));
    return true;
  }
  std::cout << given.operations << " calls from --seed " << given.seed << ": no difference\n";
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<options> given = parse({argv + 1, argv + argc});
  if (!given) {
    std::cerr << "usage: physfs_random_differential ZOO OLD NEW [--seed N] [--operations N]\n"
                 "         [--expect-difference | --replay FILE]\n";
    return 2;
  }
  std::string folder = (fs::temp_directory_path() / "overture-physfs-XXXXXX").string();
  if (!mkdtemp(folder.data())) {
    std::cerr << "cannot make a folder in " << fs::temp_directory_path() << '\n';
    return 2;
  }
  for (const char* side : {"/old", "/new"}) {
    fs::create_directory(folder + side);
    fs::create_symlink(given->zoo, folder + side + "/zoo");
  }
  const fs::path before = fs::current_path();
  const library old_functions(given->old_path);
  const library new_functions(given->new_path);
  comparison libraries(old_functions, new_functions, folder);
  const bool differ = given->replay ? replay(libraries, *given->replay) : search(libraries, *given);
  fs::current_path(before);
  fs::remove_all(folder);
  return differ == given->expect_difference ? 0 : 1;
}

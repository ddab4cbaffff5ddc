// SPDX-License-Identifier: Zlib
#include "commands/comparison.hpp"

#include <algorithm>
#include <cstring>

#include "terminal/messages.hpp"

namespace overture::cli {

namespace {

asset_path path_of(const std::string& text) {
  return {text, {hash64(text)}};
}

result<std::vector<std::string>> files_of(file_system& files) {
  std::vector<std::string> paths;
  const result<void> walked = files.walk({}, [&](const folder_item& item) {
    paths.emplace_back(item.path);
    return true;
  });
  if (!walked) return tl::unexpected(walked.error());
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool has_file(file_system& files, const std::string& path) {
  if (!files.exists(path_of(path))) return false;
  const result<opened_file> opened = files.open(path_of(path));
  if (opened) return true;
  const errc why = opened.error().code;
  return why != errc::not_found && why != errc::not_a_file;
}

// A tree whose files the comparing thread reads itself.
struct readable_tree {
  explicit readable_tree(file_system& tree) : files(tree), reads(tree, {.run_by_host = true}) {}

  file_system& files;
  read_queue reads;
};

result<bool> same_bytes(readable_tree& left, readable_tree& right, const std::string& path) {
  {
    const result<opened_file> one = left.files.open(path_of(path));
    if (!one) return tl::unexpected(one.error());
    const result<opened_file> other = right.files.open(path_of(path));
    if (!other) return tl::unexpected(other.error());
    const file_place& a = one->place();
    const file_place& b = other->place();
    if (a.bytes != b.bytes) return false;
    if (a.has_crc && b.has_crc) return a.crc32 == b.crc32;
  }
  buffer_pool buffers;
  const result<blob> a = left.files.read_all(path_of(path), buffers, left.reads);
  if (!a) return tl::unexpected(a.error());
  const result<blob> b = right.files.read_all(path_of(path), buffers, right.reads);
  if (!b) return tl::unexpected(b.error());
  return a->size() == b->size() &&
         (a->empty() || std::memcmp(a->data(), b->data(), a->size()) == 0);
}

std::vector<std::string> removed_from(file_system& base, file_system& files) {
  std::vector<std::string> paths;
  files.removals([&](const folder_item& item) {
    const std::string path(item.path);
    if (has_file(base, path) && !has_file(files, path)) paths.push_back(path);
    return true;
  });
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace

result<comparison> compare_trees(file_system& base, file_system& left, file_system& right) {
  comparison found;
  found.left_removes = removed_from(base, left);
  found.right_removes = removed_from(base, right);
  const result<std::vector<std::string>> left_files = files_of(left);
  if (!left_files) return tl::unexpected(left_files.error());
  const result<std::vector<std::string>> right_files = files_of(right);
  if (!right_files) return tl::unexpected(right_files.error());
  const std::vector<std::string>& mine = *left_files;
  const std::vector<std::string>& theirs = *right_files;
  readable_tree left_tree(left);
  readable_tree right_tree(right);
  auto a = mine.begin();
  auto b = theirs.begin();
  while (a != mine.end() || b != theirs.end()) {
    if (b == theirs.end() || (a != mine.end() && *a < *b)) {
      found.left_alone.push_back({*a, has_file(base, *a)});
      ++a;
    } else if (a == mine.end() || *b < *a) {
      found.right_alone.push_back({*b, has_file(base, *b)});
      ++b;
    } else {
      const result<bool> same = same_bytes(left_tree, right_tree, *a);
      shared_file row{*a, has_file(base, *a), same && *same, {}};
      if (!same) {
        row.failure = reason_of(same.error());
        row.code = same.error().code;
      }
      found.both.push_back(row);
      ++a;
      ++b;
    }
  }
  return found;
}

}  // namespace overture::cli

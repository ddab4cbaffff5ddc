// SPDX-License-Identifier: Zlib
//
// Loads the content of a file_system as text, for tests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "overture/base/blob.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {

inline std::string to_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A file's content, or "error: CODE".
inline std::string load(file_system& files, std::string_view path, buffer_pool& buffers) {
  const result<blob> bytes = files.read_all({path, {hash64(path)}}, buffers);
  return bytes ? to_text(bytes->span()) : std::string("error: ") + to_string(bytes.error().code);
}

inline std::string load(file_system& files, std::string_view path) {
  buffer_pool buffers;
  return load(files, path, buffers);
}

// Every path of the frozen tree with its content, or its error.
inline std::map<std::string, std::string> load_all(file_system& files) {
  static buffer_pool buffers;  // creating one costs more than reading the small files of a test
  std::map<std::string, std::string> contents;
  for (entry_index i = 0; i < files.entry_count(); ++i) {
    const std::string path(files.entry(i).path);
    contents[path] = load(files, path, buffers);
  }
  return contents;
}

// Every skipped name with its reason.
inline std::map<std::string, std::string> skipped_of(const file_system& files) {
  std::map<std::string, std::string> reasons;
  for (std::size_t i = 0; i < files.skipped_count(); ++i) {
    reasons[std::string(files.skipped(i).name)] = files.skipped(i).reason;
  }
  return reasons;
}

// What could not be read while mounting: "PATH: REASON, CODE OS_ERROR".
inline std::vector<std::string> failures_of(const file_system& files) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < files.failure_count(); ++i) {
    const mount_failure failure = files.failure(i);
    texts.push_back(std::string(failure.path) + ": " + failure.why.reason + ", " +
                    to_string(failure.why.code) + " " + std::to_string(failure.why.os_error));
  }
  return texts;
}

inline std::string explained(const file_system& files, const error& failure) {
  char text[1024];
  return {text, files.explain(failure, text)};
}

}  // namespace overture

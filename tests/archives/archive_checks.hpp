// SPDX-License-Identifier: Zlib
//
// Checks for all archive formats: damage, bad disks and lack of memory give errors, and whatever is
// listed can be used.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <map>
#include <string>

#include "support/failing_allocator.hpp"
#include "support/memory_file_os.hpp"
#include "vfs/tree_reader.hpp"

namespace overture {

using contents_map = std::map<std::string, std::string>;

inline contents_map failed_mount(errc code) {
  return {{"", std::string("error: ") + to_string(code)}};
}

// Mounts an archive and loads all of it; failed_mount() if it cannot be mounted. What mounting
// could not read is an error at "lost: " and its name.
inline contents_map load_archive(memory_file_os& os, const char* name, allocator* memory = nullptr,
                                 const mount_options& options = {}) {
  file_system files({.memory = memory, .os = &os});
  const result<mount_id> mount = files.mount(name, options);
  if (!mount) {
    EXPECT_FALSE(explained(files, mount.error()).empty());
    return failed_mount(mount.error().code);
  }
  for (std::size_t i = 0; i < files.skipped_count(); ++i) EXPECT_STRNE(files.skipped(i).reason, "");
  if (const result<void> frozen = files.freeze(); !frozen) {
    return failed_mount(frozen.error().code);
  }
  contents_map contents = load_all(files);
  for (std::size_t i = 0; i < files.failure_count(); ++i) {
    const mount_failure lost = files.failure(i);
    contents["lost: " + std::string(lost.path)] = std::string("error: ") + to_string(lost.why.code);
  }
  return contents;
}

inline contents_map load_archive(const std::string& bytes, const char* name,
                                 const mount_options& options = {}) {
  memory_file_os os(bytes);
  tracking_allocator memory;
  contents_map contents = load_archive(os, name, &memory, options);
  EXPECT_EQ(os.open_handles(), 0);
  EXPECT_EQ(memory.total().bytes, 0u);
  return contents;
}

inline bool is_error(const std::string& content) {
  return content.starts_with("error: ");
}

// Whether a file of a damaged archive may have this content or error.
using content_check = std::function<bool(const std::string& path, const std::string& content)>;

inline content_check right_or_error(contents_map right) {
  return [right = std::move(right)](const std::string& path, const std::string& content) {
    const auto found = right.find(path);
    return is_error(content) || (found != right.end() && found->second == content);
  };
}

inline void expect_all(const contents_map& contents, const content_check& may_be) {
  for (const auto& [path, content] : contents) {
    EXPECT_TRUE(may_be(path, content)) << path << " is " << content.substr(0, 100);
  }
}

// Truncates the archive to every length, or to `steps` different ones.
inline void check_cut(const std::string& whole, const char* name, std::size_t steps,
                      const content_check& may_be, const mount_options& options = {}) {
  for (std::size_t step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
    SCOPED_TRACE("cut to " + std::to_string(step) + " of " + std::to_string(steps));
    expect_all(load_archive(whole.substr(0, whole.size() * step / steps), name, options), may_be);
  }
}

// Flips a bit, and sets all and no bits, in every `stride`th byte.
inline void check_damaged(std::string bytes, const char* name, std::size_t stride,
                          const content_check& may_be, const mount_options& options = {}) {
  for (std::size_t at = 0; at < bytes.size() && !::testing::Test::HasFailure(); at += stride) {
    const char right = bytes[at];
    for (const int wrong : {right ^ 1 << at % 8, 0, 0xFF}) {
      SCOPED_TRACE("byte " + std::to_string(at) + " is " + std::to_string(wrong & 0xFF));
      bytes[at] = static_cast<char>(wrong);
      expect_all(load_archive(bytes, name, options), may_be);
    }
    bytes[at] = right;
  }
}

// Lets each system call fail once, with short reads.
inline void check_bad_disk(const std::string& bytes, const char* name, const content_check& may_be,
                           const mount_options& options = {}) {
  const contents_map whole = load_archive(bytes, name, options);
  for (int call = 0;; ++call) {
    memory_file_os os(bytes);
    os.fail_call(call, EIO);
    const contents_map contents = load_archive(os, name, nullptr, options);
    EXPECT_EQ(os.open_handles(), 0);
    if (os.calls() <= call) break;  // there are no more calls
    expect_all(contents, may_be);
    EXPECT_NE(contents, whole) << "call " << call << " failed unnoticed";
  }
  memory_file_os slow(bytes);
  slow.limit_reads(7);
  EXPECT_EQ(load_archive(slow, name, nullptr, options), whole);
}

// Lets each allocation fail once.
inline void check_no_memory(const std::string& bytes, const char* name, const content_check& may_be,
                            const mount_options& options = {}) {
  for (std::uint64_t call = 0;; ++call) {
    memory_file_os os(bytes);
    failing_allocator memory(call);
    expect_all(load_archive(os, name, &memory, options), may_be);
    EXPECT_EQ(memory.live_bytes(), 0);
    if (memory.refusals() == 0) break;
  }
}

// The peak memory of mounting alone.
inline std::uint64_t mounting_takes(const std::string& bytes, const char* name) {
  memory_file_os os(bytes);
  tracking_allocator memory;
  file_system files({.memory = &memory, .os = &os});
  (void)files.mount(name);
  return memory.total().peak_bytes;
}

}  // namespace overture

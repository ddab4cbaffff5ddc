// SPDX-License-Identifier: Zlib
//
// Files that stay open, as sources for a read queue.
#pragma once

#include <string>
#include <vector>

#include "overture/io/read_queue.hpp"

namespace overture {

// Files that are open for as long as it lives; the number of a source is the order of opening.
class opened_files final : public source_files {
 public:
  ~opened_files() override {
    for (const os_handle handle : handles_) system_os().close(handle);
  }
  source_id open(const std::string& path) {
    const result<os_handle> opened = system_os().open(path.c_str());
    if (!opened) return {};
    handles_.push_back(*opened);
    return {static_cast<std::uint32_t>(handles_.size() - 1), 1};
  }
  result<open_source> source(source_id id) noexcept override {
    if (id.index >= handles_.size()) return fail(errc::not_found, "no such file", id);
    return open_source{&system_os(), handles_[id.index]};
  }
  std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }

 private:
  std::vector<os_handle> handles_;
};

}  // namespace overture

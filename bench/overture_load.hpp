// SPDX-License-Identifier: Zlib
//
// One configuration of Overture, kept for all rounds as a game would keep it.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <vector>

#include "overture/overture.hpp"
#include "report/kept_assets.hpp"

namespace bench {

struct load_configuration {
  unsigned threads = 1;
  bool decode = false;
  bool keep = false;
  std::uint64_t budget_bytes = 256u << 20;
  overture::timeline* record = nullptr;
  overture::allocator* memory = nullptr;
};

class overture_load {
 public:
  overture_load(const std::vector<std::filesystem::path>& mounts, const load_configuration& wanted)
      : wanted_(wanted),
        files_({.memory = wanted.memory}),
        jobs_({.workers = wanted.threads - 1, .memory = wanted.memory, .record = wanted.record}),
        reads_(files_, {.memory = wanted.memory, .record = wanted.record}) {
    for (const std::filesystem::path& mount : mounts) check(files_.mount(mount.c_str()));
    check(files_.freeze());
    if (wanted.keep) kept_.emplace(files_.entry_count(), overture::default_allocator());
  }

  // If the configuration has an allocator, the scope has its own buffers, as in a game's first
  // load.
  void run() {
    if (wanted_.record) check(wanted_.record->attach_thread("main"));
    overture::load_scope load(files_, reads_, jobs_,
                              {.decode = wanted_.decode,
                               .budget_bytes = wanted_.budget_bytes,
                               .sink = kept_ ? &*kept_ : nullptr,
                               .buffers = wanted_.memory ? nullptr : &buffers_,
                               .memory = wanted_.memory});
    check(load.start());
    while (!load.wait_for(std::chrono::seconds(10))) {
    }
    if (wanted_.record) wanted_.record->detach_thread();
    summary_ = load.summary();
    if (summary_.failed != 0 && !wanted_.decode) throw std::runtime_error("files failed to load");
    if (wanted_.memory) note_largest(load);
  }
  void clear() {
    if (kept_) kept_->clear();
  }

  [[nodiscard]] const overture::load_summary& summary() const { return summary_; }
  [[nodiscard]] overture::cli::kept_total kept() const { return kept_->total(); }
  // The most that one file takes: packed, unpacked and decoded. Only known with an allocator.
  [[nodiscard]] std::uint64_t largest_bytes() const { return largest_bytes_; }

 private:
  void note_largest(const overture::load_scope& load) {
    largest_bytes_ = 0;
    load.for_each_file([&](const overture::loaded_file& file) {
      largest_bytes_ =
          std::max(largest_bytes_, file.packed_bytes + file.bytes + file.decoded_bytes);
    });
  }
  template <class T>
  static void check(const overture::result<T>& outcome) {
    if (!outcome) throw std::runtime_error(outcome.error().reason);
  }

  load_configuration wanted_;
  overture::file_system files_;
  std::optional<overture::cli::kept_assets> kept_;
  overture::thread_pool jobs_;
  overture::read_queue reads_;
  overture::buffer_pool buffers_{{.kept_bytes_max = 256u << 20}};
  overture::load_summary summary_;
  std::uint64_t largest_bytes_ = 0;
};

}  // namespace bench

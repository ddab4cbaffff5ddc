// SPDX-License-Identifier: Zlib
//
// What is behind the public interface of a store.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "assets/file_fetch.hpp"
#include "assets/store_core.hpp"
#include "overture/assets/asset_store.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/spin.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "overture/vfs/file_system.hpp"
#include "sync/object_use.hpp"

namespace overture::assets_detail {

// A handle where there is no memory for an asset: it has failed, and no store knows it.
[[nodiscard]] slot& without_memory() noexcept;
[[nodiscard]] inline overture::detail::asset_head* or_none(slot* found) noexcept {
  return found != nullptr ? found : &without_memory();
}
[[nodiscard]] inline bool is_none(const overture::detail::asset_head* one) noexcept {
  return one == nullptr || one->is_none;
}

[[nodiscard]] inline std::uint64_t deadline_after(std::chrono::nanoseconds duration) noexcept {
  return now_ns() + static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0));
}

// Of the memory that files were read into, for the next ones.
[[nodiscard]] inline std::size_t kept_for_files(const asset_store_config& config) noexcept {
  constexpr std::uint64_t most = 64u << 20;
  const std::uint64_t budget = config.ledger ? config.ledger->limit() : config.budget_bytes;
  return static_cast<std::size_t>(std::min(most, budget / 4));
}

}  // namespace overture::assets_detail

namespace overture {

struct asset_store::state {
  state(file_system& tree, read_queue& reads, job_system& jobs, const asset_store_config& config,
        allocator& with) noexcept
      : uses({{&tree,
               "a file_system was destroyed while an asset_store reads from it: destroy the store "
               "first"},
              {&reads,
               "a read_queue was destroyed while an asset_store reads through it: destroy the "
               "store first"},
              {&jobs,
               "a job system was destroyed while an asset_store runs on it: destroy the store "
               "first"}}),
        files(tree),
        memory(with),
        own_ledger(config.budget_bytes),
        fetch(tree, reads, jobs, with, assets_detail::kept_for_files(config)),
        core({.files = fetch,
              .jobs = jobs,
              .budget = config.ledger ? *config.ledger : own_ledger,
              .counts_files = config.ledger == nullptr || config.ledger != tree.ledger(),
              .ignores_case = tree.ignores_case(),
              .memory = with},
             config) {}

  void expects_main_thread() noexcept;
  void expects_own(const detail::asset_head& one) noexcept {
    if constexpr (detail::contracts) {
      // It may be one of a store that has ended.
      detail::expects(core.owns(&one),
                      "an asset_store was given a handle of another store: use the store that the "
                      "asset came from");
    }
  }

  [[no_unique_address]] sync_detail::object_uses<3> uses;
  [[no_unique_address]] sync_detail::same_thread<> main_thread;
  file_system& files;
  allocator& memory;
  memory_ledger own_ledger;
  assets_detail::file_fetcher fetch;
  assets_detail::store_core core;
};

}  // namespace overture

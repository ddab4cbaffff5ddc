// SPDX-License-Identifier: Zlib
//
// One queued job.
//
// Queues hold hints: pointers to records. To run a job a thread claims its record by the state
// word, wherever it found the hint. So a thread that waits for a group can take a job out of the
// middle of any queue, and the hint that is left is skipped by any thread that finds it.
// Records are never unmapped before the pool ends, so a stale hint can be followed. It may lead to
// another job that the record holds by then, which has a hint of its own. The claim names the kind
// of queue, so a stale hint never leads a thread to a job that only some threads may run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "overture/base/atomic.hpp"
#include "overture/base/prefetch.hpp"
#include "overture/jobs/job_system.hpp"

namespace overture::jobs_detail {

// Fetches a record's first line before it is needed.
inline void fetch_line(const void* record) noexcept {
  prefetch_to_write(record);
}

// What a record keeps of its job's options. Made once for all jobs that share them.
struct job_terms {
  static constexpr std::uint32_t always = 1;
  static constexpr std::uint32_t named = 2;
  static constexpr unsigned colour_shift = 8;

  job_terms() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor): options are terms wherever those are asked for
  job_terms(const job_options& options) noexcept
      : bits((options.always ? always : 0) | (options.name != nullptr ? named : 0) |
             static_cast<std::uint32_t>(options.colour) << colour_shift),
        token(options.token),
        name(options.name) {}

  job_terms(std::uint32_t kept_bits, const cancellation* kept_token, const char* kept_name) noexcept
      : bits(kept_bits), token(kept_token), name(kept_name) {}

  [[nodiscard]] zone_colour colour() const noexcept {
    return static_cast<zone_colour>(bits >> colour_shift);
  }

  std::uint32_t bits = 0;
  const cancellation* token = nullptr;
  const char* name = nullptr;
};

struct alignas(64) job_record {
  // The state: whether it may be claimed, the kind of queue it is in, and a generation that moves
  // on with each claim.
  static constexpr std::uint32_t queued = 1;
  // Jobs of high priority, of low priority and of the main thread are in queues of their own, all
  // others in any deque.
  static constexpr std::uint32_t usual = 0;
  static constexpr std::uint32_t urgent = 2;
  static constexpr std::uint32_t background = 4;
  static constexpr std::uint32_t of_main = urgent | background;
  static constexpr std::uint32_t kinds = of_main;
  static constexpr std::uint32_t generation_one = 8;

  // A job without a name and with a small capture lies in the first cache line, all of it.
  atomic<std::uint32_t> state{0};
  std::uint32_t index = 0;
  std::uint32_t terms = 0;  // the bits of job_terms
  atomic<job_group*> group{nullptr};
  const cancellation* token = nullptr;
  job work;
  const char* name_of_named = nullptr;

  // Fills a free record. From here on a stale hint may lead a thread to run it.
  void arm(job&& added, job_group* owner, const job_terms& given, std::uint32_t kind) noexcept {
    ::new (static_cast<void*>(&work)) job(std::move(added));
    terms = given.bits;
    if (given.name != nullptr) name_of_named = given.name;
    token = given.token;
    arm_again(owner, kind);
  }
  // A record that the caller has claimed goes back into a queue.
  void arm_again(job_group* owner, std::uint32_t kind) noexcept {
    group.store(owner, std::memory_order_relaxed);
    const std::uint32_t generation = state.load(std::memory_order_relaxed) & ~(queued | kinds);
    state.store(generation | queued | kind, std::memory_order_release);
  }
  [[nodiscard]] job_terms given_terms() const noexcept {
    return {terms, token, (terms & job_terms::named) != 0 ? name_of_named : nullptr};
  }
  // Whether a hint to it is still needed in a queue of this kind.
  [[nodiscard]] bool is_queued_as(std::uint32_t kind) const noexcept {
    return (state.load(std::memory_order_acquire) & (queued | kinds)) == (queued | kind);
  }
  // Of a record that the caller has claimed.
  [[nodiscard]] bool is_of(std::uint32_t kind) const noexcept {
    return (state.load(std::memory_order_relaxed) & kinds) == kind;
  }
  // Makes the calling thread the one that runs this job. False if it is claimed already, or of
  // another kind.
  [[nodiscard]] bool claim(std::uint32_t kind = usual) noexcept {
    return claim_if(kind, [](const job_group*) { return true; });
  }
  [[nodiscard]] bool claim_of(const job_group* wanted, std::uint32_t kind = usual) noexcept {
    return claim_if(kind, [wanted](const job_group* owner) { return owner == wanted; });
  }

 private:
  template <class Accept>
  bool claim_if(std::uint32_t kind, Accept accept) noexcept {
    std::uint32_t seen = state.load(std::memory_order_acquire);
    // Read between the load and the exchange of one generation, so it is the group of that job.
    while ((seen & (queued | kinds)) == (queued | kind) &&
           accept(group.load(std::memory_order_relaxed))) {
      if (state.compare_exchange_weak(seen, seen - queued + generation_one,
                                      std::memory_order_acq_rel, std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }
};

static_assert(sizeof(job_record) == 128);
static_assert(offsetof(job_record, work) == 32);
static_assert(offsetof(job_record, name_of_named) > 64);

}  // namespace overture::jobs_detail

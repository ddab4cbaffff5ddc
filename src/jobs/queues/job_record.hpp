// One queued job, and the three stacks that records move through.
//
// Queues hold hints: whoever wants to run a record claims it by its state word, wherever he found
// it. So a thread that waits for a group can take a job out of the middle of any queue, and the
// hint that stays behind is skipped by whoever meets it. Records are never unmapped before the
// pool ends, so a stale hint can be followed. It may lead to another job that the record holds by
// then, which its own hint leads to as well; whoever claims it says of which kind of queue, so that
// it is never one that only some may run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "overture/atomic.hpp"
#include "overture/job_system.hpp"
#include "overture/prefetch.hpp"

namespace overture::jobs_detail {

inline constexpr std::uint32_t no_record = UINT32_MAX;

// Asks for a record's first line before it is needed.
inline void fetch_line(const void* record) noexcept {
  prefetch_to_write(record);
}

// What a record keeps of its job's options; made once for all jobs that share them.
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

// Whether a job with this token, of this group, is to be dropped. Either may be null.
[[nodiscard]] inline bool is_cancelled(const cancellation* token, const job_group* group) noexcept {
  return (token != nullptr && token->is_cancelled()) || (group != nullptr && group->is_cancelled());
}

struct alignas(64) job_record {
  // The state: flags, the kind of queue, and a generation that moves on with each claim.
  static constexpr std::uint32_t queued = 1;  // may be claimed
  static constexpr std::uint32_t linked = 2;  // hangs in a stack by `next`: must not be used again
  static constexpr std::uint32_t ended = 4;   // has run while it was linked
  static constexpr std::uint32_t flags = 7;
  // Jobs of high priority, of low priority, and of the main thread lie in queues of their own. All
  // others may lie in any deque.
  static constexpr std::uint32_t usual = 0;
  static constexpr std::uint32_t urgent = 8;
  static constexpr std::uint32_t background = 16;
  static constexpr std::uint32_t of_main = urgent | background;
  static constexpr std::uint32_t kinds = of_main;
  static constexpr std::uint32_t generation_one = 32;

  // A job without a name and with a small capture lies in the first cache line, all of it.
  atomic<std::uint32_t> state{0};
  atomic<std::uint32_t> next{no_record};
  std::uint32_t index = 0;
  std::uint32_t terms = 0;  // the bits of job_terms
  atomic<job_group*> group{nullptr};
  const cancellation* token = nullptr;
  job work;
  const char* name_of_named = nullptr;

  // Fills a free record, whose job is gone. From here on a stale hint may lead somebody to run it.
  // `where` is the kind of queue, and whether it is linked.
  void arm(job&& added, job_group* owner, const job_terms& given, std::uint32_t where) noexcept {
    ::new (static_cast<void*>(&work)) job(std::move(added));
    terms = given.bits;
    if (given.name != nullptr) name_of_named = given.name;
    token = given.token;
    arm_again(owner, where);
  }
  // A record that the caller has claimed goes back into a queue.
  void arm_again(job_group* owner, std::uint32_t where) noexcept {
    group.store(owner, std::memory_order_relaxed);
    const std::uint32_t generation = state.load(std::memory_order_relaxed) & ~(flags | kinds);
    state.store(generation | queued | where, std::memory_order_release);
  }
  [[nodiscard]] job_terms given_terms() const noexcept {
    return {terms, token, (terms & job_terms::named) != 0 ? name_of_named : nullptr};
  }
  [[nodiscard]] bool is_queued() const noexcept {
    return (state.load(std::memory_order_acquire) & queued) != 0;
  }
  // Whether somebody still needs a hint to it.
  [[nodiscard]] bool is_hinted() const noexcept {
    return (state.load(std::memory_order_acquire) & (queued | kinds)) == queued;
  }
  // Of a record that the caller has claimed.
  [[nodiscard]] bool is_of(std::uint32_t kind) const noexcept {
    return (state.load(std::memory_order_relaxed) & kinds) == kind;
  }
  [[nodiscard]] bool is_linked() const noexcept {
    return (state.load(std::memory_order_acquire) & linked) != 0;
  }
  // Makes the calling thread the one that runs this job. False if there is none to run, or one of
  // another kind.
  [[nodiscard]] bool claim(std::uint32_t kind = usual) noexcept {
    return claim_if(kind, [](const job_group*) { return true; });
  }
  [[nodiscard]] bool claim_of(const job_group* wanted, std::uint32_t kind = usual) noexcept {
    return claim_if(kind, [wanted](const job_group* owner) { return owner == wanted; });
  }
  // After the run: true if the record is free now, false if whoever unlinks it will free it.
  [[nodiscard]] bool end() noexcept {
    // Only the claiming thread may find the flag cleared and still be right: nobody sets it again.
    if (!is_linked()) return true;
    return (state.fetch_or(ended, std::memory_order_acq_rel) & linked) == 0;
  }
  // After it was taken out of a stack: true if the record is free now, because it has run already.
  [[nodiscard]] bool unlink() noexcept {
    return (state.fetch_and(~linked, std::memory_order_acq_rel) & ended) != 0;
  }

 private:
  template <class Accept>
  bool claim_if(std::uint32_t kind, Accept accept) noexcept {
    std::uint32_t seen = state.load(std::memory_order_acquire);
    // The group is read between the load and the exchange of the same generation, so it is its own.
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

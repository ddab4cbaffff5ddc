// SPDX-License-Identifier: Zlib
//
// The main path of Overture: one file, from its index in the tree to the host.
//
// Start reading at `stages`, the list that every file goes through, and advance(), which takes a
// file from stage to stage and acts on what they say. What the stages do is in stages.cpp,
// decode_stage.cpp and pieces.cpp.
#include <iterator>
#include <optional>
#include <utility>

#include "load/pieces.hpp"
#include "load/stage_times.hpp"
#include "load/stages.hpp"

namespace overture::load_detail {

namespace {

struct stage {
  staged_result (*run)(loader& by, load_item& item) noexcept;
  // As which it counts in the timeline and the file's record. None: it takes no time.
  std::optional<load_stage> counts_as = {};
  // The files that pass it; null for all.
  bool (*is_for)(const load_state& load, const load_item& item) noexcept = nullptr;
  // For a thread that has little time. Null: it is short.
  std::uint64_t (*takes_ns)(const load_state& load, const load_item& item) noexcept = nullptr;
};

bool may_be_left_out(const load_state& load, const load_item&) noexcept {
  return !load.options.exclude.empty();
}
bool goes_whole(const load_state&, const load_item& item) noexcept {
  return !item.in_pieces;
}
bool goes_in_pieces(const load_state&, const load_item& item) noexcept {
  return item.in_pieces;
}
bool is_decoded(const load_state& load, const load_item& item) noexcept {
  return load.options.decode && !item.in_pieces;
}
bool is_for_one_thread(const load_state& load, const load_item&) noexcept {
  return load.options.sink && load.options.sink->one_thread();
}
bool has_what_to_give(const load_state& load, const load_item& item) noexcept {
  return load.options.sink || !item.asset.bytes().empty();
}

constexpr stage stages[] = {
    {.run = choose, .is_for = may_be_left_out},
    {.run = resolve, .counts_as = load_stage::resolve},
    {.run = admit, .takes_ns = read_ns},
    {.run = check_in_pieces, .counts_as = load_stage::unpack, .is_for = goes_in_pieces},
    {.run = read, .counts_as = load_stage::read, .is_for = goes_whole},
    {.run = unpack, .counts_as = load_stage::unpack, .is_for = goes_whole, .takes_ns = read_ns},
    {.run = decode, .counts_as = load_stage::decode, .is_for = is_decoded, .takes_ns = decode_ns},
    {.run = hand_over, .is_for = is_for_one_thread},
    {.run = finalize, .counts_as = load_stage::finalize, .is_for = has_what_to_give},
    {.run = finish},
};
constexpr std::uint8_t admission_stage = 2;
static_assert(stages[admission_stage].run == admit);

constexpr file_state state_in(load_stage stage) noexcept {
  constexpr file_state states[load_stage_count] = {file_state::reading, file_state::reading,
                                                   file_state::unpacking, file_state::decoding,
                                                   file_state::finalizing};
  return states[static_cast<std::size_t>(stage)];
}

void fail_in(load_state& load, const load_item& item, load_stage stage, const error& why) noexcept {
  file_record& kept = load.record_of(item);
  kept.failure = why;
  kept.failure.path = {hash64(load.path_of(item.number))};
  kept.failed_in = stage;
  kept.set(why.code == errc::cancelled ? file_state::cancelled : file_state::failed);
}

// Counts the time from the end of the previous stage until now.
template <const stage& now>
outcome run_timed(loader& by, load_item& item) noexcept {
  constexpr load_stage counts_as = *now.counts_as;
  load_state& load = by.load;
  file_record& kept = load.record_of(item);
  if (load.is_cancelled(item.number)) {
    kept.set(file_state::cancelled);
    return outcome::done;
  }
  if (time_left(load, item).count() < 0) {
    fail_in(load, item, counts_as, takes_too_long);
    return outcome::failed;
  }
  kept.set(state_in(counts_as));
  const staged_result done = now.run(by, item);
  end_part(by, item, counts_as, done ? done->bytes : 0);
  if (done) return done->then;
  fail_in(load, item, counts_as, done.error());
  return outcome::failed;
}

template <std::size_t Index>
outcome run_stage(loader& by, load_item& item) noexcept {
  constexpr const stage& now = stages[Index];
  item.stage = Index;
  // Not `if constexpr`: with UBSan GCC does not know whether a function has an address.
  if (now.is_for && !now.is_for(by.load, item)) return outcome::next;
  if (now.takes_ns && by.is_lent()) {
    item.expected_ns = now.takes_ns(by.load, item);
    if (by.is_too_long(item.expected_ns)) return outcome::needs_time;
  }
  if constexpr (now.counts_as) {
    return run_timed<now>(by, item);
  } else {
    return now.run(by, item)->then;
  }
}

// Runs stages from the item's on, until one does not say `next`. Unrolled: what the list says is
// known to the compiler, which otherwise would call each stage through it, for each small file.
template <std::size_t... Index>
outcome run_stages(loader& by, load_item& item, std::index_sequence<Index...>) noexcept {
  const std::size_t first = item.stage;
  outcome then = outcome::next;
  (void)((Index < first || (then = run_stage<Index>(by, item)) == outcome::next) && ...);
  return then;
}

void queue_read(load_state& load, load_item& item) noexcept;

// Runs on a worker when the read queue has completed the read.
void read_completed(void* context) noexcept {
  auto& item = *static_cast<load_item*>(context);
  load_state& load = *item.load;
  // The group also counts the job that runs this, so the read's count is not its last.
  (void)load.group.end_job();
  load.reads_arrived.fetch_sub(1, std::memory_order_relaxed);
  tell_idle_reason(load);
  note_read(load, item, item.request);
  loader here(load);
  const result<void>& done = item.request.outcome;
  if (done) {
    advance(here, item);
  } else if (done.error().code == errc::cancelled && !load.is_cancelled(item.number)) {
    queue_read(load, item);  // another file with its tag was cancelled
  } else {
    fail_in(load, item, load_stage::read, done.error());
    here.retire(item);
  }
  here.run();
}

void queue_read(load_state& load, load_item& item) noexcept {
  item.request.on = &load.arrivals;
  item.request.done = {read_completed, &item};
  load.group.begin_job();
  item.reads_block = load.is_in_block(load.record_of(item));
  load.reads_outstanding.fetch_add(load_state::one_read(item), std::memory_order_relaxed);
  tell_idle_reason(load);
  submit_read(load, item.request, item.number);
}

void queue_finalize(load_state& load, load_item& item) noexcept {
  load.group.begin_job();
  load.record_of(item).set(file_state::finalizing);
  // First, so that it is never below 0.
  load.finalizable.count.fetch_add(1, std::memory_order_seq_cst);
  load.finalizable.items.push(item.index, load.item_links());
  tell_idle_reason(load);
}

}  // namespace

void advance(loader& by, load_item& item) noexcept {
  for (;;) {
    switch (run_stages(by, item, std::make_index_sequence<std::size(stages)>())) {
      case outcome::needs_whole:
        item.stage = admission_stage;
        continue;
      case outcome::needs_room:
        return by.wait_for_room(item);
      case outcome::needs_time:
        return by.leave(item);
      case outcome::needs_read:
        ++item.stage;
        return queue_read(by.load, item);
      case outcome::needs_one_thread:
        ++item.stage;
        return queue_finalize(by.load, item);
      case outcome::next:  // never after the last
      case outcome::done:
      case outcome::failed:
        return by.retire(item);
    }
  }
}

}  // namespace overture::load_detail

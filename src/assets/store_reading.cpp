// SPDX-License-Identifier: Zlib
//
// From the path of an asset to its value: which is next, its room of the budget, decode().
#include <algorithm>
#include <utility>

#include "assets/loader_call.hpp"
#include "assets/store_core.hpp"
#include "assets/thread_work.hpp"
#include "assets/work_options.hpp"
#include "base/guarded_call.hpp"
#include "overture/base/spin.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::assets_detail {

namespace {

constexpr memory_tag value_tag = memory_tag::decode;

// What assets of a loader take on average, as a guess at what one takes of which nothing is known.
std::uint64_t usual_value_bytes(const loader_entry& of) noexcept {
  return of.decoded == 0 ? 0 : of.decoded_bytes / of.decoded;
}
// Of its value, as its loader says or as others of it took.
std::uint64_t expected_bytes(const slot& one) noexcept {
  return one.stated_bytes != 0 ? one.stated_bytes : usual_value_bytes(*one.of);
}
std::uint64_t usual_content_bytes(const loader_entry& of) noexcept {
  return of.decoded == 0 ? 0 : of.content_bytes / of.decoded;
}

// Where a loader found the flaw, if the file is a text: what reads texts has no other place.
text_place place_in(std::span<const std::byte> content, const error& why) noexcept {
  if (why.offset == 0 || why.offset > content.size() || why.source != source_id{}) return {};
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  const std::string_view before = text.substr(0, why.offset);
  if (before.find('\0') != std::string_view::npos) return {};
  const std::size_t line = before.rfind('\n') + 1;  // its begin; 0 for the first
  return {.line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
          .column = 1 + before.size() - line};
}

// The first stage that has all of a file, if this one has.
unsigned stage_with(const loader_entry& of, unsigned stage, std::uint64_t file_bytes) noexcept {
  while (stage > 0 && of.stage_bytes[stage - 1] >= file_bytes) --stage;
  return stage;
}

}  // namespace

// --- Which is next -------------------------------------------------------------------------------

// What is given up goes before anything begins.
void store_core::begin_reads() noexcept {
  for (bool more = true; more;) {
    actions todo;
    slot* next = nullptr;
    {
      const sync_detail::scoped_lock hold(lock_);
      more = must_give_back(todo);
      if (!more) next = begin_read(todo);
    }
    perform(todo);
    if (more) (void)give_back();
    if (next == nullptr) continue;
    next->of->reads ? with_.files.begin(next->fetch, *this) : fetch_nothing(*next);
    more = true;
  }
}

// Those that others wait for come before those of their priority that nothing waits for: what has
// begun ends before more begins.
slot* store_core::next_to_read() noexcept {
  slot* const needed = needed_.first();
  slot* const other = to_read_.first();
  if (needed == nullptr || other == nullptr) return needed != nullptr ? needed : other;
  return needed->priority >= other->priority ? needed : other;
}

// Where several wait for room, the first goes first: the next would take what it waits for.
bool store_core::is_behind_a_decode(const slot& one) const noexcept {
  for (std::size_t i = class_of(one.priority); i < asset_priority_class_count; ++i) {
    if (!stands(i)) continue;
    if (!comes_before(one, *to_decode_.first_of(i))) return true;
  }
  return false;
}

bool store_core::is_behind_a_need(const slot& one) const noexcept {
  for (std::size_t i = class_of(one.priority); i < asset_priority_class_count; ++i) {
    const slot* const first = needed_.first_of(i);
    if (first != nullptr && comes_before(*first, one) && may_be_read(*first)) return true;
  }
  return false;
}

bool store_core::is_behind_a_chain(const slot& one) const noexcept {
  if (needed_.empty() || needed_.has(one)) return false;
  const auto above = counts_.chains.begin() + static_cast<std::ptrdiff_t>(class_of(one.priority));
  return std::any_of(above, counts_.chains.end(), [](std::uint32_t count) { return count != 0; });
}

// Beside so many files. Those that wait for room to be decoded are not counted.
bool store_core::may_be_read(const slot& one) const noexcept {
  unsigned files = counts_.files_in_memory;
  for (std::size_t i = 0; i < asset_priority_class_count; ++i) {
    if (stands(i)) files -= static_cast<unsigned>(to_decode_.size_of(i));
  }
  return has_place(config_.files_max, files, one.priority);
}

slot* store_core::begin_read(actions& todo) noexcept {
  slot* const next = ending_ ? nullptr : next_to_read();
  slot* const begun = next != nullptr ? begin_read_if_room(*next, todo) : nullptr;
  if (begun != nullptr || next == nullptr) return begun;
  if (!counts_.lowered_waits() && !is_behind_a_chain(*next)) return nullptr;
  // The one that is next waits for what was lowered or for a chain, and that perhaps for a need.
  slot* const needed = needed_.first();
  return needed != nullptr && needed != next ? begin_read_if_room(*needed, todo) : nullptr;
}

slot* store_core::begin_read_if_room(slot& one, actions& todo) noexcept {
  if (is_behind_a_decode(one) || !may_be_read(one)) return nullptr;
  const std::uint64_t guess = room_to_begin(one);
  if (!try_room(one, guess)) {
    trace_room(one, true);
    return nullptr;
  }
  ++reads_begun_;
  begin_read_of(one, guess, todo);
  if (one.of->reads && one.first_of_path->waiting_reads_of_path != 0) share_read(one, todo);
  return &one;
}

void store_core::begin_read_of(slot& one, std::uint64_t room_bytes, actions& todo) noexcept {
  one.room_bytes = room_bytes;
  one.was_too_little = false;
  slot& asset = one.reload_of != nullptr ? *one.reload_of : one;
  if (tree_changes_) {
    if (!asset.changed) note_change(asset, 0);
  } else if (asset.changed && asset.due_ns <= now_ns()) {
    take_change(asset);
    asset.stages_left_out = 0;  // of the file as it was
  }
  happens(one, life_event::read_begins, todo);
  if (one.read_number == 0) one.read_number = reads_begun_;
  one.fetch.path = one.path;
  one.fetch.priority = one.priority;
  one.fetch.number = one.number;
  one.fetch.was_refused = false;
  one.fetch.subject = one.subject;
  one.fetch.bytes_max = bytes_to_read(one);
  one.fetch.owner = &one;
  group_.begin_job();
}

// Those of the same file that wait to be read, as another type or with other settings, are read
// with it. What is asked for later is read again, because a mount may have changed in between.
void store_core::share_read(slot& one, actions& todo) noexcept {
  for (slot* each = one.first_of_path; each != nullptr; each = slot_table::next_of(*each)) {
    for (slot* const waits : {each, each->reload}) {
      if (waits == nullptr || waits->now.in != place::to_read || !waits->of->reads) continue;
      // It is decoded next, so that the file goes.
      waits->number = std::min(waits->number, one.number);
      waits->read_by = &one;
      begin_read_of(*waits, 0, todo);
      const bool is_all = waits->fetch.bytes_max == 0 || one.fetch.bytes_max == 0;
      one.fetch.bytes_max = is_all ? 0 : std::max(waits->fetch.bytes_max, one.fetch.bytes_max);
      waits->shared_by = std::exchange(one.shared_by, waits);
    }
  }
}

std::uint64_t store_core::room_for(const slot& one, std::uint64_t content_bytes) const noexcept {
  return expected_bytes(one) + (with_.counts_files ? content_bytes : 0);
}

std::uint64_t store_core::room_to_begin(const slot& one) const noexcept {
  return one.known_bytes != 0 ? one.known_bytes : room_for(one, usual_content_bytes(*one.of));
}

budget_use store_core::use_beside(const slot& one) const noexcept {
  budget_use now{.budget_bytes = with_.budget.limit(),
                 .used_bytes = with_.budget.used(),
                 .moving = counts_.moving};
  if (moves(one) && one.now.in != place::to_decode) {
    --now.moving[one.moves_as];
  }
  // What waits for room to be decoded does not move, nor does what waits in line after it, nor a
  // read that waits in the ledger of the files, perhaps for theirs. What was lowered and waits is
  // in the way of reads that nothing waits for, and of nothing else: it has its turn later.
  const bool comes_first = one.now.in == place::to_decode || needed_.has(one);
  for (std::size_t i = 0; i < asset_priority_class_count; ++i) {
    now.moving[i] -= counts_.waiting_reads[i];
    const bool is_later = comes_first && i < class_of(one.priority);
    if (!is_later && !stands(i)) continue;
    for (std::size_t as = 0; as < asset_priority_class_count; ++as) {
      if (comes_first || as == i) now.moving[as] -= counts_.waiting_decodes[i][as];
    }
  }
  return now;
}

bool store_core::try_room(slot& one, std::uint64_t bytes) noexcept {
  // What it took when it began is enough, even if that was nothing: it would begin for ever.
  const bool has_begun = one.taken_bytes != 0 || one.now.state == asset_state::reading;
  if (has_begun && bytes <= one.taken_bytes) return true;
  const std::uint64_t more = bytes - one.taken_bytes;
  budget_use now = use_beside(one);
  admission may = admit(now, one.priority, more);
  if (may == admission::fits && !with_.budget.take_if_free(more, value_tag)) {
    now.used_bytes = now.budget_bytes;
    may = admit(now, one.priority, more);
  }
  const std::uint64_t own_bytes = counts_.in_flight_bytes + counts_.leaving_bytes;
  others_have_room_ = may == admission::refused && now.used_bytes > own_bytes;
  if (may == admission::alone &&
      (one.now.in == place::to_decode ? is_behind_a_need(one) : is_behind_a_chain(one))) {
    may = admission::refused;
  }
  if (may == admission::refused) return false;
  if (may == admission::alone) with_.budget.add(more, value_tag);
  one.taken_bytes = bytes;
  return true;
}

// --- Its file ------------------------------------------------------------------------------------

// Now its size is known.
bool store_core::may_read(fetch_request& opened, std::uint64_t bytes) noexcept {
  if (!with_.counts_files) return true;
  slot& one = *static_cast<slot*>(opened.owner);
  actions todo;
  bool has_room = false;
  {
    const sync_detail::scoped_lock hold(lock_);
    const std::uint64_t wanted = room_for(one, bytes);
    has_room = try_room(one, wanted);
    one.known_bytes = has_room ? 0 : wanted;
    if (has_room) {
      set_room(one, wanted);
      take_room(one, todo);
    }
  }
  perform(todo);
  return has_room;
}

void store_core::read_waits(fetch_request& begun, bool waits) noexcept {
  slot& one = *static_cast<slot*>(begun.owner);
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    counts_.take_out(one);
    one.read_waits = waits;
    counts_.put_in(one);
    trace_room(one, waits);
    if (waits) resume_decodes(todo);
    todo.feeds = waits && !ending_;
  }
  perform(todo);
}

// It has no file.
void store_core::fetch_nothing(slot& one) noexcept {
  one.fetch.content = {};
  one.fetch.file_bytes = 0;
  one.fetch.outcome = {};
  one.fetch.work_ns = 0;
  fetched(one.fetch);
}

void store_core::fetched(fetch_request& ended) noexcept {
  slot& one = *static_cast<slot*>(ended.owner);
  slot* sharing = nullptr;
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    sharing = std::exchange(one.shared_by, nullptr);
    for (slot* each = sharing; each != nullptr; each = each->shared_by) {
      counts_.take_out(*each);
      each->read_by = nullptr;
      counts_.put_in(*each);
      each->fetch.outcome = ended.outcome;
      each->fetch.was_refused = ended.was_refused || !has_room_to_share(*each, ended, todo);
      each->fetch.content = {};
      if (each->fetch.was_refused) continue;
      each->fetch.content = ended.content;
      each->fetch.file_bytes = ended.file_bytes;
      each->fetch.has_parts = ended.has_parts;
      each->fetch.work_ns = 0;
      each->fetch.file = ended.file;
      if (ended.file != nullptr) ended.file->holders.fetch_add(1, std::memory_order_relaxed);
    }
  }
  perform(todo);
  while (slot* const next = sharing) {
    {
      const sync_detail::scoped_lock hold(lock_);
      sharing = std::exchange(next->shared_by, nullptr);
    }
    has_been_read(*next);
  }
  has_been_read(one);
}

// As the file stays in memory for it. If there is no room, it is read again when it has its turn.
bool store_core::has_room_to_share(slot& one, const fetch_request& ended, actions& todo) noexcept {
  if (!ended.outcome) return true;
  const std::uint64_t wanted = room_for(one, ended.content.size());
  const bool has_room = try_room(one, wanted);
  one.known_bytes = has_room ? 0 : wanted;
  if (!has_room) return false;
  set_room(one, wanted);
  take_room(one, todo);
  return true;
}

void store_core::has_been_read(slot& one) noexcept {
  fetch_request& ended = one.fetch;
  // More may have been read for others.
  const std::uint64_t bytes_max = bytes_to_read(one);
  if (ended.has_parts && bytes_max != 0 && bytes_max < ended.content.size()) {
    ended.content = ended.content.first(bytes_max);
  }
  const bool has_content = ended.outcome && !ended.was_refused;
  const std::uint64_t stated =
      has_content ? counted(one.of->by->needed_for(one.path, ended.content)) : std::uint64_t{0};
  actions todo;
  asset_priority priority{};
  bool decodes = false;
  {
    const sync_detail::scoped_lock hold(lock_);
    priority = one.priority;
    one.stated_bytes = stated;
    if (ended.was_refused) {
      happens(one, life_event::read_refused, todo);
    } else if (ended.outcome) {
      one.file_bytes = ended.content.size();
      one.stage = {.index = stage_with(*one.of, one.stage.index, ended.file_bytes),
                   .is_part = ended.content.size() < ended.file_bytes,
                   .has_parts = ended.has_parts,
                   .file_bytes = ended.file_bytes};
      happens(one, life_event::read_ends, todo);
    } else {
      fails(one, life_event::read_fails, ended.outcome.error(), todo);
    }
    decodes = one.now.in == place::to_decode;
  }
  perform(todo);
  // The read ends in a job of its group, which is what wakes a waiter.
  const bool background = decodes && is_for_background(priority);
  const thread_work::submitting now;
  if (background) {
    return background_group_->run(
        [this]() noexcept {
          do_next(true);
          group_.run([this]() noexcept { (void)group_.end_job(); }, {.always = true});
        },
        {.always = true});
  }
  group_.run(
      [this, decodes]() noexcept {
        decodes ? do_next(false) : feed();
        (void)group_.end_job();
      },
      options_for(priority, "asset"));
}

// --- Its value -----------------------------------------------------------------------------------

// Those that come later have taken room for their values when they were read. True if any had.
bool store_core::leave_room_to(const slot& first, actions& todo) noexcept {
  bool found = false;
  for (slot* each = to_decode_.after(first); each != nullptr; each = to_decode_.after(*each)) {
    const std::uint64_t bytes = with_.counts_files ? each->fetch.content.size() : 0;
    if (each->room_bytes <= bytes) continue;
    set_room(*each, bytes);
    take_room(*each, todo);
    found = true;
  }
  return found;
}

bool store_core::has_room_to_decode(slot& one) noexcept {
  const std::uint64_t bytes = room_for(one, one.fetch.content.size());
  had_no_room_[class_of(one.priority)] = true;
  const bool has_room = !is_held(one) || ending_ || try_room(one, bytes);
  if (!has_room) trace_room(one, true);
  return has_room;
}

// It waits with its file until there is room: see resume_decodes().
void store_core::wait_for_room(slot& one, actions& todo) noexcept {
  ++owed_decodes_[class_of(one.priority)];
  if (leave_room_to(one, todo)) resume_decodes(todo);
}

// False if it was given up.
bool store_core::begin_decode(slot& one, actions& todo) noexcept {
  const std::size_t line = class_of(one.priority);
  had_no_room_[line] = false;
  one.known_bytes = 0;
  todo.jobs[line] += std::exchange(owed_decodes_[line], 0);
  set_room(one, room_for(one, one.fetch.content.size()));
  happens(one, life_event::decode_begins, todo);
  return one.now.state == asset_state::decoding;
}

void* store_core::take_value(loader_entry& of) noexcept {
  {
    const sync_detail::scoped_lock hold(lock_);
    if (void* const place = of.free_values) {
      of.free_values = *static_cast<void**>(place);
      return place;
    }
  }
  return with_.memory.allocate(of.value_bytes, of.value_alignment, memory_tag::load);
}

void store_core::free_value(loader_entry& of, void* value) noexcept {
  ::new (value) void*(of.free_values);
  of.free_values = value;
}

void store_core::decode(slot& one) noexcept {
  const std::uint64_t began_ns = now_ns();
  void* const value = take_value(*one.of);
  result<void> made = fail(errc::out_of_memory, "out of memory for an asset");
  if (value != nullptr) {
    const loader_call<> within(*this);
    const zone work("decode", {.subject = one.subject, .bytes = one.fetch.content.size()});
    decode_context context(one);
    made = base_detail::guarded_result(
        "loader::decode() threw an exception", "loader::decode() threw std::bad_alloc",
        [&] { return one.of->by->decode_at(value, one.fetch.content, context); });
  }
  one.fetch.work_ns += now_ns() - began_ns;
  const text_place at = made ? text_place{} : place_in(one.fetch.content, made.error());
  with_.files.done_with(let_go(std::exchange(one.fetch.file, nullptr)));
  decoded(one, made, value, at);
}

// Of a value that is made, for a guess at what the next one takes.
void store_core::note_size(const slot& one) noexcept {
  loader_entry& of = *one.of;
  ++of.decoded;
  of.decoded_bytes += std::max(one.value_bytes, one.stated_bytes);
  of.content_bytes += one.file_bytes;
}

void store_core::decoded(slot& one, const result<void>& made, void* value, text_place at) noexcept {
  loader_entry& of = *one.of;
  const std::uint64_t bytes = made ? counted(of.by->bytes_at(value)) : 0;
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    if (made) {
      one.value = value;
      one.value_bytes = bytes;
      one.cost_ns = one.fetch.work_ns;
      one.was_loaded = true;
      if (!of.builds) note_size(one);
      // What build() will take stays reserved, as far as it is known.
      set_room(one, of.builds ? std::max(bytes, expected_bytes(one)) : bytes);
      happens(one, life_event::decode_ends, todo);
    } else {
      if (value != nullptr) free_value(of, value);
      fail_decode(one, made.error(), todo);
      one.failed_at = at;
    }
  }
  perform(todo);
}

// A stage may be too little for a value. It is left out, and what has no value yet goes on to the
// next one; what shows a later one keeps that. Where memory is short, more of the file is no help.
void store_core::fail_decode(slot& one, const error& why, actions& todo) noexcept {
  const unsigned stage = one.stage.index;
  slot& asset = one.reload_of != nullptr ? *one.reload_of : one;
  const bool is_too_little = one.stage.is_part && why.code != errc::out_of_memory;
  const bool has_later = &asset != &one && stage < asset.stage.index;
  if (!is_too_little || has_later) one.stage.is_part = false;
  fails(one, life_event::decode_fails, why, todo);
  one.was_too_little = is_too_little;
  if (is_too_little) asset.stages_left_out |= 1u << stage;
  if (one.now.state == asset_state::queued) one.stage = {.index = stage + 1};
}

}  // namespace overture::assets_detail

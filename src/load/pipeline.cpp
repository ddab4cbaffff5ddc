// SPDX-License-Identifier: Zlib
//
// The main path of Overture: one file, from its index in the tree to the host.
//
//   resolve -> read -> unpack -> decode -> finalize
//
// Start reading at advance(). Each stage is one function, named as in the timeline. If it returns
// an error, the file ends there. A file pauses without an error in two cases: there is no room in
// the ledger, for the file or later for its asset, and it waits for some; or its bytes must come
// from the disk, and the read queue runs the rest as a job when they have arrived.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/guarded_call.hpp"
#include "base/threads/thread_slot.hpp"
#include "load/decode_memory.hpp"
#include "load/loader.hpp"
#include "load/pieces.hpp"
#include "overture/base/glob.hpp"
#include "overture/jobs/parallel.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::load_detail {
using namespace base_detail;

namespace {

file_record& record_of(load_state& load, const load_item& item) noexcept {
  return load.records[item.number];
}

void fail_in(load_state& load, const load_item& item, load_stage stage, const error& why) noexcept {
  file_record& kept = record_of(load, item);
  kept.failure = why;
  kept.failure.path = {hash64(load.path_of(item.number))};
  kept.failed_in = stage;
  kept.set(why.code == errc::cancelled ? file_state::cancelled : file_state::failed);
}

constexpr file_state state_in(load_stage stage) noexcept {
  constexpr file_state states[load_stage_count] = {file_state::reading, file_state::reading,
                                                   file_state::unpacking, file_state::decoding,
                                                   file_state::finalizing};
  return states[static_cast<std::size_t>(stage)];
}

// Runs one stage and records its time, from the end of the previous stage until now, in the
// timeline and in the file's record. Returns false if the file failed in it.
template <class Stage>
bool run_stage(loader& by, load_item& item, load_stage stage, Stage&& body) noexcept {
  file_record& kept = record_of(by.load, item);
  if (by.load.is_cancelled(item.number)) {
    kept.set(file_state::cancelled);
    return false;
  }
  if (time_left(by.load, item).count() < 0) {
    fail_in(by.load, item, stage, takes_too_long);
    return false;
  }
  kept.set(state_in(stage));
  const result<std::uint64_t> bytes = body(by, item);
  by.end_part(item, stage, bytes ? *bytes : 0);
  if (!bytes) fail_in(by.load, item, stage, bytes.error());
  return bytes.has_value();
}

tl::unexpected<error> no_such_file(load_state& load, std::uint32_t number) noexcept {
  const asset_path path = load.chosen_path(number);
  const result<file_stat> there = load.files.stat(path);
  const bool is_folder = there && there->kind == entry_kind::folder && !path.text.empty();
  return is_folder ? fail(errc::not_a_file, "a folder, not a file")
                   : fail(errc::not_found, "no mount has this path");
}

result<std::uint64_t> resolve(loader& by, load_item& item) noexcept {
  load_state& load = by.load;
  if (item.entry == no_entry) return no_such_file(load, item.number);
  result<opened_file> opened = load.files.open(item.entry);
  if (!opened) return tl::unexpected<error>(opened.error());
  item.file = std::move(*opened);
  item.resolved = true;
  record_of(load, item).packed_bytes = item.file.place().packed_bytes;
  record_of(load, item).began_ns = std::max(by.clock_ns, load.begin_ns + 1) - load.begin_ns;
  return std::uint64_t{0};
}

// A buffer that the item owns.
result<std::span<std::byte>> own_buffer(load_state& load, blob& owner, std::size_t bytes) noexcept {
  result<blob> buffer = load.buffers.take(bytes);
  if (!buffer) return tl::unexpected<error>(buffer.error());
  owner = std::move(*buffer);
  return owner.span();
}

// Fills a buffer from the page cache if possible. If not, leaves the item with a buffer of its own
// for the read queue to fill.
result<std::uint64_t> read_at_once(loader& by, load_item& item, bool& filled) noexcept {
  const file_place& place = item.file.place();
  read_request& request = item.request;
  request.source = place.source;
  request.offset = place.offset;
  request.sort_key = record_of(by.load, item).sort_key;
  request.subject = item.entry;
  request.destination = by.packed_buffer(place.read_bytes);
  if (place.read_bytes == 0) {
    filled = true;
    return std::uint64_t{0};
  }
  const auto read_here = [&]() noexcept {
    if (!by.load.reads.read_if_cached(request)) return false;
    by.zone_flags = request_flags::cached | request_flags::sync;
    note_cached(by.load, item, place.read_bytes);
    return true;
  };
  filled = !request.destination.empty() && read_here();
  if (filled) return place.read_bytes;
  const bool tried = !request.destination.empty();
  const result<std::span<std::byte>> buffer = own_buffer(by.load, item.packed, place.read_bytes);
  if (!buffer) return tl::unexpected<error>(buffer.error());
  request.destination = *buffer;
  filled = !tried && read_here();
  return filled ? place.read_bytes : std::uint64_t{0};
}

// Of reading it from memory, and unpacking it.
std::uint64_t read_ns(const load_item& item) noexcept {
  const file_place& place = item.file.place();
  return unpack_ns(place.method, place.bytes, item.file.block_room());
}

void after_read(loader& by, load_item& item) noexcept;
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
  const result<void>& outcome = item.request.outcome;
  if (outcome) {
    item.is_read = true;
    if (const std::uint64_t ns = here.is_lent() ? read_ns(item) : 0; here.is_too_long(ns)) {
      here.leave(item, ns);
    } else {
      after_read(here, item);
    }
  } else if (outcome.error().code == errc::cancelled && !load.is_cancelled(item.number)) {
    queue_read(load, item);  // another file with its tag was cancelled
  } else {
    fail_in(load, item, load_stage::read, outcome.error());
    here.retire(item);
  }
  here.run();
}

void queue_read(load_state& load, load_item& item) noexcept {
  item.request.on = &load.arrivals;
  item.request.done = {read_completed, &item};
  load.group.begin_job();
  load.reads_outstanding.fetch_add(1, std::memory_order_relaxed);
  tell_idle_reason(load);
  submit_read(load, item.request, item.number);
}

// The header before the data is longer than the archive's directory implied: reads all of it again.
result<std::span<const std::byte>> read_longer(loader& by, load_item& item,
                                               std::uint64_t bytes) noexcept {
  load_state& load = by.load;
  const file_place& place = item.file.place();
  const result<std::span<std::byte>> buffer = own_buffer(load, item.packed, bytes);
  if (!buffer) return tl::unexpected<error>(buffer.error());
  read_request longer{.source = place.source,
                      .offset = place.offset,
                      .destination = *buffer,
                      .subject = item.entry};
  if (!load.reads.read_if_cached(longer)) {
    countdown left(1);
    longer.counter = &left;
    submit_read(load, longer, item.number);
    wait_for_read(by, item, load_stage::unpack, longer, left);
    if (!longer.outcome) return tl::unexpected<error>(longer.outcome.error());
  }
  return file_system::packed_part(place, *buffer);
}

result<void> inflate(loader& by, load_item& item, std::span<const std::byte> packed) noexcept {
  const file_place& place = item.file.place();
  std::span<std::byte> unpacked_bytes = by.unpacked_buffer(place.bytes);
  if (unpacked_bytes.empty()) {
    const result<std::span<std::byte>> buffer = own_buffer(by.load, item.unpacked, place.bytes);
    if (!buffer) return tl::unexpected<error>(buffer.error());
    unpacked_bytes = *buffer;
  }
  unpacker* const decompressor = by.decompressor();
  if (!decompressor) return fail(errc::out_of_memory, "out of memory for the decompressor");
  const result<void> unpacked = decompressor->unpack(place.method, packed, unpacked_bytes);
  if (!unpacked) return unpacked;
  item.content = unpacked_bytes;
  item.packed.reset();
  by.release_room(item, place.read_bytes);
  return {};
}

result<std::uint64_t> unpack(loader& by, load_item& item) noexcept {
  const file_place& place = item.file.place();
  std::span<const std::byte> packed = item.request.destination;
  if (place.framed) {
    result<std::span<const std::byte>> part = file_system::packed_part(place, packed);
    if (!part && part.error().code == errc::truncated) {
      part = read_longer(by, item, part.error().offset);
    }
    if (!part) return tl::unexpected<error>(part.error());
    packed = *part;
  }
  item.content = packed;
  if (place.method != compression::none) {
    const result<void> unpacked = inflate(by, item, packed);
    if (!unpacked) return tl::unexpected<error>(unpacked.error());
  }
  file_record& kept = record_of(by.load, item);
  kept.crc32 = crc32(item.content);
  if (place.has_crc && kept.crc32 != place.crc32) {
    return fail(errc::corrupt, "the content does not match its checksum", place.source,
                place.offset);
  }
  kept.bytes = item.content.size();
  return kept.bytes;
}

// Lets a decoder use the load's threads. Their work counts to the decode stage.
class decode_helpers final : public parallel_runner {
 public:
  decode_helpers(load_state& load, entry_index entry) noexcept : load_(load), entry_(entry) {}

  void run(std::size_t count, function_ref<void(std::size_t) noexcept> body) noexcept override {
    const std::uint32_t caller = thread_slot();
    const auto piece = [&](std::size_t i) noexcept {
      if (thread_slot() == caller) return body(i);
      const zone span(to_string(load_stage::decode), {.subject = entry_});
      const std::uint64_t begin_ns = now_ns();
      body(i);
      helped_ns_.fetch_add(now_ns() - begin_ns, std::memory_order_relaxed);
    };
    parallel_for(load_.jobs, 0, count, piece, 1);
  }
  // Work done on threads other than the caller's.
  [[nodiscard]] std::uint64_t helped_ns() const noexcept {
    return helped_ns_.load(std::memory_order_relaxed);
  }

 private:
  load_state& load_;
  entry_index entry_;
  atomic<std::uint64_t> helped_ns_{0};
};

// Takes over a decoded asset and corrects the room to its real size.
void keep_decoded(loader& by, load_item& item, decoded_asset& made) noexcept {
  made.free_with(by.load.memory);
  item.asset = std::move(made);
  const std::uint64_t bytes = item.asset.bytes().size();
  record_of(by.load, item).decoded_bytes = bytes;
  if (bytes > item.asset_bytes) by.add_room(item, bytes - item.asset_bytes);
  if (bytes < item.asset_bytes) {
    by.load.ledger.give_back(item.asset_bytes - bytes, memory_tag::decode);
    item.asset_bytes = bytes;
  }
}

// Takes room for what a decoder needs. Small amounts are counted once they are decoded.
bool reserve_asset(loader& by, load_item& item, const decoder& chosen) noexcept {
  const std::uint64_t needed = std::max(item.asset_wanted, chosen.memory_needed(item.content));
  if (needed < by.large_decode_bytes()) return true;
  if (!by.load.ledger.take(needed, memory_tag::decode, item.ticket)) return false;
  item.asset_bytes = needed;
  return true;
}

error warning_of(const decoded_asset& made, const load_item& item) noexcept {
  return {.code = errc::corrupt,
          .reason = made.warning,
          .source = item.file.place().source,
          .offset = made.warning_offset};
}

bool is_excluded(const load_state& load, const load_item& item) noexcept {
  const std::span<const std::string_view> patterns = load.options.exclude;
  if (patterns.empty()) return false;
  const std::string_view path = load.path_of(item.number);
  return std::any_of(patterns.begin(), patterns.end(),
                     [path](std::string_view pattern) { return matches_glob(pattern, path); });
}

std::uint64_t decode_work(const decoder& by, const load_item& item) noexcept {
  return decode_times::work(item.content.size(), by.memory_needed(item.content));
}

// Sets `waits` if there is no room for the asset.
result<std::uint64_t> decode(loader& by, load_item& item, bool& waits) noexcept {
  load_state& load = by.load;
  const std::size_t number = decoder_of(load, item);
  if (number == load.options.decoders.size()) return std::uint64_t{0};
  const decoder* const chosen = load.options.decoders[number];
  waits = !reserve_asset(by, item, *chosen);
  if (waits) return std::uint64_t{0};
  decode_helpers helpers(load, item.entry);
  decode_memory memory(load, item, item.asset_bytes, by.large_decode_bytes());
  const std::uint64_t begin_ns = by.clock_ns;
  result<decoded_asset> made = chosen->decode(item.content, memory, helpers);
  file_record& kept = record_of(load, item);
  kept.stage_ns[static_cast<std::size_t>(load_stage::decode)] += helpers.helped_ns();
  item.asset_bytes = memory.granted_bytes();
  waits = !made && memory.refused_bytes() != 0;
  if (waits) {
    // All of it is taken at once the next time, so that no file waits for one that waits itself.
    item.asset_wanted = memory.refused_bytes();
    if (item.asset_bytes != 0) {
      load.ledger.give_back(std::exchange(item.asset_bytes, 0), memory_tag::decode);
    }
    return std::uint64_t{0};
  }
  if (!made) return tl::unexpected<error>(made.error());
  if (const error flaw = warning_of(*made, item); made->warning) {
    if (load.options.strict) return tl::unexpected<error>(flaw);
    kept.failure = flaw;
    kept.has_warning = true;
  }
  kept.decoder = chosen->name();
  kept.width = made->width;
  kept.height = made->height;
  kept.sample_rate = made->sample_rate;
  if (made->sample_rate != 0) kept.sound_frames = made->frames;
  if (item.content.size() >= decode_times::counted_min) {
    load.decoding.add(number, decode_work(*chosen, item), now_ns() - begin_ns);
  }
  keep_decoded(by, item, *made);
  return kept.decoded_bytes;
}

std::uint64_t decode_ns(const load_state& load, const load_item& item) noexcept {
  const std::size_t number = decoder_of(load, item);
  if (number == load.options.decoders.size()) return 0;
  return load.decoding.expected_ns(number, decode_work(*load.options.decoders[number], item));
}

result<std::uint64_t> finalize(loader& by, load_item& item) noexcept {
  load_state& load = by.load;
  if (load.options.sink) {
    const result<void> taken = guarded_result("asset_sink::finalize() threw an exception", [&] {
      return load.options.sink->finalize(item.entry, item.asset, item.content);
    });
    if (!taken) return tl::unexpected<error>(taken.error());
  }
  item.asset = {};  // frees what the host did not take, as part of this stage
  record_of(load, item).set(file_state::ready);
  return std::uint64_t{0};
}

void after_unpack(loader& by, load_item& item) noexcept {
  load_state& load = by.load;
  if (load.options.decode) {
    if (const std::uint64_t ns = by.is_lent() ? decode_ns(load, item) : 0; by.is_too_long(ns)) {
      by.keep_unpacked(item);
      return by.leave(item, ns);
    }
    bool waits = false;
    const auto stage = [&](loader& here, load_item& of) { return decode(here, of, waits); };
    if (!run_stage(by, item, load_stage::decode, stage)) return by.retire(item);
    if (waits) return by.defer_decode(item);
  }
  if (load.options.sink && load.options.sink->one_thread()) {
    load.group.begin_job();
    record_of(load, item).set(file_state::finalizing);
    load.finalizable.count.fetch_add(1, std::memory_order_seq_cst);
    load.finalizable.items.push(item.index, load.item_links());
    tell_idle_reason(load);
    return;
  }
  finalize_here(by, item);
}

// The rest of the pipeline once the bytes have arrived.
void after_read(loader& by, load_item& item) noexcept {
  item.file.release_block();
  if (!run_stage(by, item, load_stage::unpack, unpack)) return by.retire(item);
  after_unpack(by, item);
}

}  // namespace

void loader::end_part(const load_item& item, load_stage stage, std::uint64_t bytes) noexcept {
  const std::uint64_t begin_ns = std::exchange(clock_ns, now_ns());
  record_of(load, item).stage_ns[static_cast<std::size_t>(stage)] += clock_ns - begin_ns;
  record({.begin_ns = begin_ns,
          .end_ns = clock_ns,
          .name = to_string(stage),
          .value = bytes,
          .subject = item.entry,
          .kind = event_kind::zone,
          .flags = std::exchange(zone_flags, std::uint16_t{0})});
}

// Files in solid blocks are read from memory, whatever their block was read from.
void note_read(load_state& load, const load_item& item, const read_request& request) noexcept {
  file_record& kept = record_of(load, item);
  const std::uint64_t device_ns = request.finished_ns - request.started_ns;
  kept.queued_ns += request.started_ns - request.queued_ns;
  kept.device_ns += device_ns;
  if (!request.outcome || load.files.block_of(item.entry).bytes != 0) return;
  load.disk_times.add(device_ns);
  kept.disk_bytes += request.destination.size();
}

void note_cached(load_state& load, const load_item& item, std::uint64_t bytes) noexcept {
  record_of(load, item).cached_bytes += bytes;
}

void wait_for_read(loader& by, const load_item& item, load_stage stage, read_request& request,
                   countdown& left) noexcept {
  by.end_part(item, stage, 0);
  by.load.reads.wait(left);
  note_read(by.load, item, request);
  by.clock_ns = now_ns();
}

namespace {

// Instead of reading the file as a whole.
void advance_in_pieces(loader& by, load_item& item) noexcept {
  if (!by.reserve(item, room_for_pieces(item))) return;
  bool wanted = false;
  const auto stage = [&](loader& here, load_item& of) { return check_in_pieces(here, of, wanted); };
  if (!run_stage(by, item, load_stage::unpack, stage)) return by.retire(item);
  item.file.release_block();
  if (!wanted) return finalize_here(by, item);
  by.release_all(item);
  item.needs_all = true;
  advance(by, item);
}

}  // namespace

void advance(loader& by, load_item& item) noexcept {
  if (item.is_unpacked) return after_unpack(by, item);
  if (item.is_read) return after_read(by, item);
  if (!item.resolved && is_excluded(by.load, item)) {
    record_of(by.load, item).set(file_state::skipped);
    return by.retire(item);
  }
  if (!item.resolved && !run_stage(by, item, load_stage::resolve, resolve)) return by.retire(item);
  if (const std::uint64_t ns = by.is_lent() ? read_ns(item) : 0; by.is_too_long(ns))
    return by.leave(item, ns);
  if (may_go_in_pieces(by.load, item)) return advance_in_pieces(by, item);
  if (!by.reserve(item, whole_file_bytes(item))) return;

  bool filled = false;
  const auto read = [&](loader& here, load_item& of) { return read_at_once(here, of, filled); };
  if (!run_stage(by, item, load_stage::read, read)) return by.retire(item);
  if (!filled) return queue_read(by.load, item);

  after_read(by, item);
}

void finalize_here(loader& by, load_item& item) noexcept {
  if (by.load.options.sink || !item.asset.bytes().empty()) {
    (void)run_stage(by, item, load_stage::finalize, finalize);
  } else {
    record_of(by.load, item).set(file_state::ready);  // nothing to hand over
  }
  by.retire(item);
}

}  // namespace overture::load_detail

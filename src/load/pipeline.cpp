// The main path of Overture: the life of one file, from its number in the tree to the host.
//
//   resolve -> read -> unpack -> decode -> finalize
//
// advance() is that list. Each stage below is one function, named as in the timeline; it returns
// an error, and the file ends there. Only two stages may stop half-way without an error: admission
// (the budget is full: the item stalls until there is room) and a read that must wait for the disk
// (the read queue runs the rest as a job when the bytes are there).
#include <cstring>
#include <utility>

#include "base/thread_slot.hpp"
#include "load/load_state.hpp"

namespace overture {
namespace {

file_record& record_of(load_state& load, const load_item& item) noexcept {
  return load.records[item.entry];
}

void fail_in(file_record& kept, load_stage stage, const error& why) noexcept {
  kept.failure = why;
  kept.failed_in = stage;
  kept.state =
      why.code == errc::cancelled ? file_record::outcome::cancelled : file_record::outcome::failed;
}

// Runs one stage, from the end of the one before to now: a zone of the timeline, and a time in the
// file's record. False: the file has failed in it.
template <class Stage>
bool run_stage(load_state& load, load_item& item, stage_clock& clock, load_stage stage,
               Stage&& body) noexcept {
  file_record& kept = record_of(load, item);
  const result<std::uint64_t> bytes = body();
  const std::uint64_t begin_ns = std::exchange(clock.ns, now_ns());
  kept.stage_ns[static_cast<std::size_t>(stage)] += clock.ns - begin_ns;
  record({.begin_ns = begin_ns,
          .end_ns = clock.ns,
          .name = to_string(stage),
          .value = bytes ? *bytes : 0,
          .subject = item.entry,
          .kind = event_kind::zone});
  if (!bytes) fail_in(kept, stage, bytes.error());
  return bytes.has_value();
}

result<std::uint64_t> resolve(load_state& load, load_item& item) noexcept {
  result<opened_file> opened = load.files.open(item.entry);
  if (!opened) return tl::unexpected<error>(opened.error());
  item.file = std::move(*opened);
  item.resolved = true;
  record_of(load, item).packed_bytes = item.file.place().packed_bytes;
  return std::uint64_t{0};
}

// Takes the buffer and fills it at once if the page cache can. An empty result: it could not.
result<std::uint64_t> read_at_once(load_state& load, load_item& item, bool& filled) noexcept {
  const file_place& place = item.file.place();
  result<blob> buffer = load.buffers.take(place.read_bytes);
  if (!buffer) return tl::unexpected<error>(buffer.error());
  item.packed = std::move(*buffer);
  item.request.source = place.source;
  item.request.offset = place.offset;
  item.request.destination = item.packed.span();
  filled = place.read_bytes == 0 || load.reads.read_if_cached(item.request);
  return filled ? place.read_bytes : std::uint64_t{0};
}

// An unpacker's tables are too large to be made for every file and belong to one thread at a time:
// each thread finds the one it used last in the place of its slot.
class borrowed_unpacker {
 public:
  explicit borrowed_unpacker(load_state& load) noexcept
      : load_(load),
        place_(load.unpackers[thread_slot() % load_state::unpackers_kept]),
        mine_(place_.exchange(nullptr, std::memory_order_acquire)) {
    if (!mine_) mine_ = make_object<unpacker>(load.memory, memory_tag::load);
  }
  ~borrowed_unpacker() {
    unpacker* const other = place_.exchange(mine_, std::memory_order_acq_rel);
    destroy_object(load_.memory, memory_tag::load, other);
  }
  borrowed_unpacker(const borrowed_unpacker&) = delete;
  borrowed_unpacker& operator=(const borrowed_unpacker&) = delete;

  explicit operator bool() const noexcept { return mine_ != nullptr; }
  unpacker* operator->() const noexcept { return mine_; }

 private:
  load_state& load_;
  atomic<unpacker*>& place_;
  unpacker* mine_;
};

void after_read(load_state& load, load_item& item, stage_clock& clock) noexcept;

// Runs on a worker when the read queue has finished with the item.
void read_completed(void* context) noexcept {
  auto& item = *static_cast<load_item*>(context);
  load_state& load = *item.load;
  // This job is counted by now, so the count that stood for the read cannot be the last.
  (void)load.group.end_job();
  load.reads_outstanding.fetch_sub(1, std::memory_order_seq_cst);
  file_record& kept = record_of(load, item);
  kept.queued_ns = item.request.started_ns - item.request.queued_ns;
  kept.stage_ns[static_cast<std::size_t>(load_stage::read)] +=
      item.request.finished_ns - item.request.started_ns;
  if (item.request.outcome) {
    stage_clock clock;
    after_read(load, item, clock);
  } else {
    fail_in(kept, load_stage::read, item.request.outcome.error());
    retire(load, item);
  }
  run_lane(load);
}

void queue_read(load_state& load, load_item& item) noexcept {
  item.request.subject = item.entry;
  item.request.tag = reinterpret_cast<std::uintptr_t>(&load);
  item.request.on = &load.group;
  item.request.done = {read_completed, &item};
  load.group.begin_job();
  load.reads_outstanding.fetch_add(1, std::memory_order_seq_cst);
  load.reads.submit({&item.request, 1});
}

// A header in the archive that is longer than its directory let expect: read again, all of it.
result<std::span<const std::byte>> read_longer(load_state& load, load_item& item,
                                               std::uint64_t bytes) noexcept {
  const file_place& place = item.file.place();
  const result<open_source> opened = load.files.source(place.source);
  if (!opened) return tl::unexpected<error>(opened.error());
  result<blob> buffer = load.buffers.take(bytes);
  if (!buffer) return tl::unexpected<error>(buffer.error());
  item.packed = std::move(*buffer);
  const result<void> read =
      read_fully(*opened->os, opened->handle, place.offset, item.packed.span());
  if (!read) return tl::unexpected<error>(read.error());
  return file_system::packed_part(place, item.packed.span());
}

result<std::uint64_t> unpack(load_state& load, load_item& item) noexcept {
  const file_place& place = item.file.place();
  std::span<const std::byte> packed = item.packed.span();
  if (place.framed) {
    result<std::span<const std::byte>> part = file_system::packed_part(place, packed);
    if (!part && part.error().code == errc::truncated) {
      part = read_longer(load, item, part.error().offset);
    }
    if (!part) return tl::unexpected<error>(part.error());
    packed = *part;
  }
  if (place.method == compression::none) {
    item.content = packed;
  } else {
    result<blob> buffer = load.buffers.take(place.bytes);
    if (!buffer) return tl::unexpected<error>(buffer.error());
    item.unpacked = std::move(*buffer);
    const borrowed_unpacker tables(load);
    if (!tables) return fail(errc::out_of_memory, "no memory to unpack");
    const result<void> unpacked = tables->unpack(place.method, packed, item.unpacked.span());
    if (!unpacked) return tl::unexpected<error>(unpacked.error());
    item.content = item.unpacked.span();
    item.packed.reset();
    release_budget(load, item, place.read_bytes);
  }
  file_record& kept = record_of(load, item);
  kept.crc32 = crc32(item.content);
  if (place.has_crc && kept.crc32 != place.crc32) {
    return fail(errc::corrupt, "the checksum does not match", place.source, place.offset);
  }
  kept.bytes = item.content.size();
  return kept.bytes;
}

// Lends the load's threads to a decoder. What they do for it is its stage's work, on each of them.
class decode_helpers final : public parallel_runner {
 public:
  decode_helpers(load_state& load, entry_index entry) noexcept : load_(load), entry_(entry) {}

  void run(std::size_t count, function_ref<void(std::size_t)> body) override {
    const std::uint32_t caller = thread_slot();
    const auto piece = [&](std::size_t i) {
      if (thread_slot() == caller) return body(i);
      const zone span(to_string(load_stage::decode), {.subject = entry_});
      const std::uint64_t begin_ns = now_ns();
      body(i);
      helped_ns_.fetch_add(now_ns() - begin_ns, std::memory_order_relaxed);
    };
    parallel_for(load_.jobs, 0, count, piece, 1);
  }
  // The work of threads other than the caller's.
  [[nodiscard]] std::uint64_t helped_ns() const noexcept {
    return helped_ns_.load(std::memory_order_relaxed);
  }

 private:
  load_state& load_;
  entry_index entry_;
  atomic<std::uint64_t> helped_ns_{0};
};

result<std::uint64_t> decode(load_state& load, load_item& item) noexcept {
  if (!load.options.decode) return std::uint64_t{0};
  const std::string_view path = load.files.entry(item.entry).path;
  for (const decoder* const candidate : load.options.decoders) {
    if (!candidate->accepts(path, item.content)) continue;
    decode_helpers helpers(load, item.entry);
    result<decoded_asset> made = candidate->decode(item.content, load.memory, helpers);
    file_record& kept = record_of(load, item);
    kept.stage_ns[static_cast<std::size_t>(load_stage::decode)] += helpers.helped_ns();
    if (!made) return tl::unexpected<error>(made.error());
    item.asset = std::move(*made);
    kept.decoder = candidate->name();
    kept.decoded_bytes = item.asset.bytes().size();
    return kept.decoded_bytes;
  }
  return std::uint64_t{0};
}

result<std::uint64_t> finalize(load_state& load, load_item& item) noexcept {
  if (load.options.sink) {
    const result<void> taken = load.options.sink->finalize(item.entry, item.asset, item.content);
    if (!taken) return tl::unexpected<error>(taken.error());
  }
  item.asset = {};  // what the host has not taken; to free it is part of handing it over
  record_of(load, item).state = file_record::outcome::loaded;
  return std::uint64_t{0};
}

// What is left once the bytes are there.
void after_read(load_state& load, load_item& item, stage_clock& clock) noexcept {
  const auto stage = [&](load_stage name, auto body) {
    return run_stage(load, item, clock, name, [&] { return body(load, item); });
  };
  if (!stage(load_stage::unpack, unpack) || !stage(load_stage::decode, decode)) {
    return retire(load, item);
  }
  if (load.options.sink && load.options.sink->one_thread()) {
    load.group.begin_job();
    load.finalizable_count.fetch_add(1, std::memory_order_seq_cst);
    load.finalizable.push(item.index, load.item_links());
    return;
  }
  (void)stage(load_stage::finalize, finalize);
  retire(load, item);
}

}  // namespace

void advance(load_state& load, load_item& item, stage_clock& clock) noexcept {
  if (!item.resolved &&
      !run_stage(load, item, clock, load_stage::resolve, [&] { return resolve(load, item); })) {
    return retire(load, item);
  }
  if (!reserve_budget(load, item)) return;

  bool filled = false;
  if (!run_stage(load, item, clock, load_stage::read,
                 [&] { return read_at_once(load, item, filled); })) {
    return retire(load, item);
  }
  if (!filled) return queue_read(load, item);

  after_read(load, item, clock);
}

void finalize_here(load_state& load, load_item& item) noexcept {
  stage_clock clock;
  (void)run_stage(load, item, clock, load_stage::finalize, [&] { return finalize(load, item); });
  retire(load, item);
}

}  // namespace overture

// The main path of Overture: the life of one file, from its number in the tree to the host.
//
//   resolve -> read -> unpack -> decode -> finalize
//
// advance() is that list. Each stage below is one function, named as in the timeline; it returns
// an error, and the file ends there. Only three things may stop a file half-way without an error:
// admission, of the file or later of what its decoder makes (the budget is full: the item waits
// until there is room), and a read that must wait for the disk (the read queue runs the rest as a
// job when the bytes are there).
#include <cstring>
#include <utility>

#include "base/thread_slot.hpp"
#include "load/decode_memory.hpp"
#include "load/lane.hpp"
#include "overture/jobs/parallel.hpp"

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
bool run_stage(lane& on, load_item& item, load_stage stage, Stage&& body) noexcept {
  file_record& kept = record_of(on.load, item);
  const result<std::uint64_t> bytes = body(on, item);
  const std::uint64_t begin_ns = std::exchange(on.clock_ns, now_ns());
  kept.stage_ns[static_cast<std::size_t>(stage)] += on.clock_ns - begin_ns;
  record({.begin_ns = begin_ns,
          .end_ns = on.clock_ns,
          .name = to_string(stage),
          .value = bytes ? *bytes : 0,
          .subject = item.entry,
          .kind = event_kind::zone,
          .flags = std::exchange(on.zone_flags, std::uint16_t{0})});
  if (!bytes) fail_in(kept, stage, bytes.error());
  return bytes.has_value();
}

result<std::uint64_t> resolve(lane& on, load_item& item) noexcept {
  load_state& load = on.load;
  result<opened_file> opened = load.files.open(item.entry);
  if (!opened) return tl::unexpected<error>(opened.error());
  item.file = std::move(*opened);
  item.resolved = true;
  record_of(load, item).packed_bytes = item.file.place().packed_bytes;
  return std::uint64_t{0};
}

// A buffer of the item's own.
result<std::span<std::byte>> own_buffer(load_state& load, blob& owner, std::size_t bytes) noexcept {
  result<blob> buffer = load.buffers.take(bytes);
  if (!buffer) return tl::unexpected<error>(buffer.error());
  owner = std::move(*buffer);
  return owner.span();
}

// Takes room for the bytes and fills it at once if the page cache can. If it cannot, the item keeps
// its room until the read queue has filled it.
result<std::uint64_t> read_at_once(lane& on, load_item& item, bool& filled) noexcept {
  const file_place& place = item.file.place();
  read_request& request = item.request;
  request.source = place.source;
  request.offset = place.offset;
  request.subject = item.entry;
  request.destination = on.packed_room(place.read_bytes);
  if (place.read_bytes == 0) {
    filled = true;
    return std::uint64_t{0};
  }
  const auto read_here = [&]() noexcept {
    if (!on.load.reads.read_if_cached(request)) return false;
    on.zone_flags = request_flags::cached | request_flags::sync;
    return true;
  };
  filled = !request.destination.empty() && read_here();
  if (filled) return place.read_bytes;
  const bool tried = !request.destination.empty();
  const result<std::span<std::byte>> buffer = own_buffer(on.load, item.packed, place.read_bytes);
  if (!buffer) return tl::unexpected<error>(buffer.error());
  request.destination = *buffer;
  filled = !tried && read_here();
  return filled ? place.read_bytes : std::uint64_t{0};
}

void after_read(lane& on, load_item& item) noexcept;

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
  lane here(load);
  if (item.request.outcome) {
    after_read(here, item);
  } else {
    fail_in(kept, load_stage::read, item.request.outcome.error());
    here.retire(item);
  }
  here.run();
}

void queue_read(load_state& load, load_item& item) noexcept {
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
  const result<std::span<std::byte>> buffer = own_buffer(load, item.packed, bytes);
  if (!buffer) return tl::unexpected<error>(buffer.error());
  read_request longer{.source = place.source,
                      .offset = place.offset,
                      .destination = *buffer,
                      .subject = item.entry};
  const result<void> read = load.reads.read_now(longer);
  if (!read) return tl::unexpected<error>(read.error());
  return file_system::packed_part(place, *buffer);
}

result<void> inflate(lane& on, load_item& item, std::span<const std::byte> packed) noexcept {
  const file_place& place = item.file.place();
  std::span<std::byte> room = on.unpacked_room(place.bytes);
  if (room.empty()) {
    const result<std::span<std::byte>> buffer = own_buffer(on.load, item.unpacked, place.bytes);
    if (!buffer) return tl::unexpected<error>(buffer.error());
    room = *buffer;
  }
  unpacker* const tables = on.tables();
  if (!tables) return fail(errc::out_of_memory, "no memory to unpack");
  const result<void> unpacked = tables->unpack(place.method, packed, room);
  if (!unpacked) return unpacked;
  item.content = room;
  item.packed.reset();
  on.release_budget(item, place.read_bytes);
  return {};
}

result<std::uint64_t> unpack(lane& on, load_item& item) noexcept {
  const file_place& place = item.file.place();
  std::span<const std::byte> packed = item.request.destination;
  if (place.framed) {
    result<std::span<const std::byte>> part = file_system::packed_part(place, packed);
    if (!part && part.error().code == errc::truncated) {
      part = read_longer(on.load, item, part.error().offset);
    }
    if (!part) return tl::unexpected<error>(part.error());
    packed = *part;
  }
  item.content = packed;
  if (place.method != compression::none) {
    const result<void> unpacked = inflate(on, item, packed);
    if (!unpacked) return tl::unexpected<error>(unpacked.error());
  }
  file_record& kept = record_of(on.load, item);
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

// Takes over what a decoder made, and counts it.
void keep_decoded(lane& on, load_item& item, decoded_asset& made, std::uint64_t admitted) noexcept {
  made.free_with(on.load.memory);
  item.asset = std::move(made);
  const std::uint64_t bytes = item.asset.bytes().size();
  record_of(on.load, item).decoded_bytes = bytes;
  if (bytes > admitted) on.add_to_budget(item, bytes - admitted);
  if (bytes < admitted) on.release_budget(item, admitted - bytes);
}

// `waits`: the budget is too full for what the decoder would make.
result<std::uint64_t> decode(lane& on, load_item& item, bool& waits) noexcept {
  load_state& load = on.load;
  const std::string_view path = load.files.entry(item.entry).path;
  for (const decoder* const candidate : load.options.decoders) {
    if (!candidate->accepts(path, item.content)) continue;
    decode_helpers helpers(load, item.entry);
    decode_memory memory(load, on.large_decode_bytes());
    result<decoded_asset> made = candidate->decode(item.content, memory, helpers);
    file_record& kept = record_of(load, item);
    kept.stage_ns[static_cast<std::size_t>(load_stage::decode)] += helpers.helped_ns();
    item.reserved_bytes += memory.admitted_bytes();
    item.large_decode = memory.admitted_bytes() != 0;
    waits = !made && memory.refused();
    if (waits) return std::uint64_t{0};
    if (!made) return tl::unexpected<error>(made.error());
    kept.decoder = candidate->name();
    keep_decoded(on, item, *made, memory.admitted_bytes());
    return kept.decoded_bytes;
  }
  return std::uint64_t{0};
}

result<std::uint64_t> finalize(lane& on, load_item& item) noexcept {
  load_state& load = on.load;
  if (load.options.sink) {
    const result<void> taken = load.options.sink->finalize(item.entry, item.asset, item.content);
    if (!taken) return tl::unexpected<error>(taken.error());
  }
  item.asset = {};  // what the host has not taken; to free it is part of handing it over
  record_of(load, item).state = file_record::outcome::loaded;
  return std::uint64_t{0};
}

void after_unpack(lane& on, load_item& item) noexcept {
  load_state& load = on.load;
  if (load.options.decode) {
    bool waits = false;
    const auto stage = [&](lane& here, load_item& of) { return decode(here, of, waits); };
    if (!run_stage(on, item, load_stage::decode, stage)) return on.retire(item);
    if (waits) return on.wait_to_decode(item);
  }
  if (load.options.sink && load.options.sink->one_thread()) {
    load.group.begin_job();
    load.finalizable_count.fetch_add(1, std::memory_order_seq_cst);
    load.finalizable.push(item.index, load.item_links());
    return;
  }
  finalize_here(on, item);
}

// What is left once the bytes are there.
void after_read(lane& on, load_item& item) noexcept {
  if (!run_stage(on, item, load_stage::unpack, unpack)) return on.retire(item);
  after_unpack(on, item);
}

}  // namespace

void advance(lane& on, load_item& item) noexcept {
  if (item.unpacked_before) return after_unpack(on, item);
  if (!item.resolved && !run_stage(on, item, load_stage::resolve, resolve)) return on.retire(item);
  if (!on.reserve_budget(item)) return;

  bool filled = false;
  const auto read = [&](lane& here, load_item& of) { return read_at_once(here, of, filled); };
  if (!run_stage(on, item, load_stage::read, read)) return on.retire(item);
  if (!filled) return queue_read(on.load, item);

  after_read(on, item);
}

void finalize_here(lane& on, load_item& item) noexcept {
  if (on.load.options.sink || !item.asset.bytes().empty()) {
    (void)run_stage(on, item, load_stage::finalize, finalize);
  } else {
    record_of(on.load, item).state = file_record::outcome::loaded;  // nobody to hand it to
  }
  on.retire(item);
}

}  // namespace overture

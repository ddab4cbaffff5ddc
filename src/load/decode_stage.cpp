// SPDX-License-Identifier: Zlib
#include <algorithm>
#include <utility>

#include "base/threads/thread_slot.hpp"
#include "load/decode_memory.hpp"
#include "load/stages.hpp"
#include "overture/jobs/parallel.hpp"

namespace overture::load_detail {

namespace {

// Lets a decoder use the load's threads. Their work counts to the decode stage.
class decode_helpers final : public parallel_runner {
 public:
  decode_helpers(load_state& load, entry_index entry) noexcept : load_(load), entry_(entry) {}

  void run(std::size_t count, function_ref<void(std::size_t) noexcept> body) noexcept override {
    const std::uint32_t caller = base_detail::thread_slot();
    const auto piece = [&](std::size_t i) noexcept {
      if (base_detail::thread_slot() == caller) return body(i);
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

// Takes room for what a decoder needs. Small amounts are counted once they are decoded.
bool reserve_asset(loader& by, load_item& item, const decoder& chosen) noexcept {
  const std::uint64_t needed = std::max(item.asset_wanted, chosen.memory_needed(item.content));
  if (needed < by.large_decode_bytes()) return true;
  if (!by.load.ledger.take(needed, memory_tag::decode, item.ticket)) return false;
  item.asset_bytes = needed;
  return true;
}

staged needs_asset_room(load_item& item) noexcept {
  item.lacks = lacking::asset_room;
  return {outcome::needs_room};
}

// Takes over a decoded asset and corrects the room to its real size.
void keep_decoded(loader& by, load_item& item, decoded_asset& made) noexcept {
  made.free_with(by.load.memory);
  item.asset = std::move(made);
  const std::uint64_t bytes = item.asset.bytes().size();
  by.load.record_of(item).decoded_bytes = bytes;
  if (bytes > item.asset_bytes) by.add_room(item, bytes - item.asset_bytes);
  if (bytes < item.asset_bytes) by.release_asset_room(item, item.asset_bytes - bytes);
}

error warning_of(const decoded_asset& made, const load_item& item) noexcept {
  return {.code = errc::corrupt,
          .reason = made.warning,
          .source = item.file.place().source,
          .offset = made.warning_offset};
}

std::uint64_t decode_work(const decoder& by, const load_item& item) noexcept {
  return decode_times::work(item.content.size(), by.memory_needed(item.content));
}

}  // namespace

std::size_t decoder_of(const load_state& load, const load_item& item) noexcept {
  const std::string_view path = load.files.entry(item.entry).path;
  const std::span<const decoder* const> all = load.options.decoders;
  std::size_t number = 0;
  while (number < all.size() && !all[number]->accepts(path, item.content)) ++number;
  return number;
}

std::uint64_t decode_ns(const load_state& load, const load_item& item) noexcept {
  const std::size_t number = decoder_of(load, item);
  if (number == load.options.decoders.size()) return 0;
  return load.decoding.expected_ns(number, decode_work(*load.options.decoders[number], item));
}

staged_result decode(loader& by, load_item& item) noexcept {
  load_state& load = by.load;
  const std::size_t number = decoder_of(load, item);
  if (number == load.options.decoders.size()) return {};
  const decoder* const chosen = load.options.decoders[number];
  if (!reserve_asset(by, item, *chosen)) return needs_asset_room(item);
  decode_helpers helpers(load, item.entry);
  decode_memory memory(load, item, item.asset_bytes, by.large_decode_bytes());
  const std::uint64_t begin_ns = by.clock_ns;
  result<decoded_asset> made = chosen->decode(item.content, memory, helpers);
  file_record& kept = load.record_of(item);
  kept.stage_ns[static_cast<std::size_t>(load_stage::decode)] += helpers.helped_ns();
  item.asset_bytes = memory.granted_bytes();
  if (!made && memory.refused_bytes() != 0) {
    // All of it is taken at once the next time, so that no file waits for one that waits itself.
    item.asset_wanted = memory.refused_bytes();
    by.release_asset_room(item, item.asset_bytes);
    return needs_asset_room(item);
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
  return staged{outcome::next, kept.decoded_bytes};
}

}  // namespace overture::load_detail

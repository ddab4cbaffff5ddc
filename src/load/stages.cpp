// SPDX-License-Identifier: Zlib
#include "load/stages.hpp"

#include <algorithm>
#include <utility>

#include "base/guarded_call.hpp"
#include "load/pieces.hpp"
#include "load/stage_times.hpp"
#include "overture/base/glob.hpp"

namespace overture::load_detail {
using namespace base_detail;

// --- Choose and resolve --------------------------------------------------------------------------

staged_result choose(loader& by, load_item& item) noexcept {
  const std::span<const std::string_view> left_out = by.load.options.exclude;
  const std::string_view path = by.load.path_of(item.number);
  const auto matches = [path](std::string_view pattern) { return matches_glob(pattern, path); };
  if (std::none_of(left_out.begin(), left_out.end(), matches)) return {};
  by.load.record_of(item).set(file_state::skipped);
  return staged{outcome::done};
}

namespace {

tl::unexpected<error> no_such_file(load_state& load, std::uint32_t number) noexcept {
  const asset_path path = load.chosen_path(number);
  const result<file_stat> there = load.files.stat(path);
  const bool is_folder = there && there->kind == entry_kind::folder && !path.text.empty();
  return is_folder ? fail(errc::not_a_file, "a folder, not a file")
                   : fail(errc::not_found, "no mount has this path");
}

}  // namespace

staged_result resolve(loader& by, load_item& item) noexcept {
  load_state& load = by.load;
  if (item.entry == no_entry) return no_such_file(load, item.number);
  result<opened_file> opened = load.files.open(item.entry);
  if (!opened) return tl::unexpected<error>(opened.error());
  item.file = std::move(*opened);
  file_record& kept = load.record_of(item);
  kept.packed_bytes = item.file.place().packed_bytes;
  kept.method = item.file.place().method;
  kept.began_ns = std::max(by.clock_ns, load.begin_ns + 1) - load.begin_ns;
  return {};
}

// --- Admit and read ------------------------------------------------------------------------------

staged_result admit(loader& by, load_item& item) noexcept {
  item.in_pieces = may_go_in_pieces(by.load, item);
  const std::uint64_t bytes =
      item.in_pieces ? room_for_pieces(item) : whole_file_bytes(item.file.place());
  return staged{by.take_room(item, bytes) ? outcome::next : outcome::needs_room};
}

std::uint64_t read_ns(const load_state&, const load_item& item) noexcept {
  const file_place& place = item.file.place();
  return unpack_ns(place.method, place.bytes, item.file.block_room());
}

namespace {

// A buffer that the item owns.
result<std::span<std::byte>> own_buffer(load_state& load, blob& owner, std::size_t bytes) noexcept {
  result<blob> buffer = load.buffers.take(bytes);
  if (!buffer) return tl::unexpected<error>(buffer.error());
  owner = std::move(*buffer);
  return owner.span();
}

}  // namespace

staged_result read(loader& by, load_item& item) noexcept {
  load_state& load = by.load;
  const file_place& place = item.file.place();
  read_request& request = item.request;
  request.source = place.source;
  request.offset = place.offset;
  request.sort_key = load.record_of(item).sort_key;
  request.subject = item.entry;
  request.destination = by.scratch.packed(place.read_bytes);
  if (place.read_bytes == 0) return {};
  const bool in_scratch = !request.destination.empty();
  std::uint64_t read_bytes = 0;
  const auto read_here = [&]() noexcept {
    const std::uint64_t before = load.record_of(item).cached_bytes;
    if (!read_if_cached(by, item, request)) return false;
    // 0 if another file has unpacked the block that it is in.
    read_bytes = load.record_of(item).cached_bytes - before;
    if (read_bytes != 0) by.zone_flags = request_flags::cached | request_flags::sync;
    return true;
  };
  bool filled = in_scratch && read_here();
  if (!filled) {
    const result<std::span<std::byte>> own = own_buffer(load, item.packed, place.read_bytes);
    if (!own) return tl::unexpected<error>(own.error());
    request.destination = *own;
    filled = !in_scratch && read_here();
  }
  item.content = request.destination;
  if (!filled) return staged{outcome::needs_read};
  return staged{outcome::next, read_bytes};
}

// --- Unpack --------------------------------------------------------------------------------------

namespace {

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
  if (!read_if_cached(by, item, longer)) {
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
  std::span<std::byte> unpacked_bytes = by.scratch.unpacked(place.bytes);
  if (unpacked_bytes.empty()) {
    const result<std::span<std::byte>> buffer = own_buffer(by.load, item.unpacked, place.bytes);
    if (!buffer) return tl::unexpected<error>(buffer.error());
    unpacked_bytes = *buffer;
  }
  unpacker* const decompressor = by.scratch.decompressor();
  if (!decompressor) return fail(errc::out_of_memory, "out of memory for the decompressor");
  const result<void> unpacked = decompressor->unpack(place.method, packed, unpacked_bytes);
  if (!unpacked) return unpacked;
  item.content = unpacked_bytes;
  item.packed.reset();
  by.release_room(item, place.read_bytes);
  return {};
}

}  // namespace

staged_result unpack(loader& by, load_item& item) noexcept {
  item.file.release_block();
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
  file_record& kept = by.load.record_of(item);
  kept.crc32 = crc32(item.content);
  if (place.has_crc && kept.crc32 != place.crc32) {
    return fail(errc::corrupt, "the content does not match its checksum", place.source,
                place.offset);
  }
  kept.bytes = item.content.size();
  return staged{outcome::next, kept.bytes};
}

// --- Finalize ------------------------------------------------------------------------------------

staged_result hand_over(loader&, load_item&) noexcept {
  return staged{outcome::needs_one_thread};
}

staged_result finalize(loader& by, load_item& item) noexcept {
  if (asset_sink* const sink = by.load.options.sink) {
    const result<void> taken = guarded_result("asset_sink::finalize() threw an exception", [&] {
      return sink->finalize(item.entry, item.asset, item.content);
    });
    if (!taken) return tl::unexpected<error>(taken.error());
  }
  item.asset = {};  // frees what the host did not take, as part of this stage
  return {};
}

staged_result finish(loader& by, load_item& item) noexcept {
  by.load.record_of(item).set(file_state::ready);
  return staged{outcome::done};
}

}  // namespace overture::load_detail

// SPDX-License-Identifier: Zlib
#include "load/pieces.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "io/unpack/piece_unpacker.hpp"
#include "load/stage_times.hpp"
#include "load/stages.hpp"
#include "overture/sync/countdown.hpp"
#include "vfs/packed_data.hpp"

namespace overture::load_detail {
namespace {

constexpr std::uint64_t piece_bytes = 256u << 10;
// Files smaller than this are read and unpacked at once even if their time is limited.
constexpr std::uint64_t timed_bytes_min = 4u << 20;

// Reads the packed bytes of a file from front to back, a piece ahead.
class packed_stream {
 public:
  // `room`: two pieces.
  packed_stream(loader& by, const load_item& item, std::span<std::byte> room) noexcept
      : by_(by),
        load_(by.load),
        item_(item),
        room_{room.first(piece_bytes), room.last(piece_bytes)} {}
  ~packed_stream() {
    if (is_reading_) load_.reads.wait(*done_);
  }
  packed_stream(const packed_stream&) = delete;
  packed_stream& operator=(const packed_stream&) = delete;

  result<void> begin() noexcept {
    const file_place& place = item_.file.place();
    const result<open_source> source = load_.files.source(place.source);
    if (!source) return tl::unexpected<error>(source.error());
    const result<std::uint64_t> found = vfs_detail::find_packed_data(*source, place);
    if (!found) return tl::unexpected<error>(found.error());
    at_ = *found;
    left_ = place.method == compression::none ? place.bytes : place.packed_bytes;
    read_ahead();
    return {};
  }
  [[nodiscard]] bool ended() const noexcept { return request_.destination.empty(); }
  // Valid until the next call. Only if not ended.
  result<std::span<const std::byte>> next() noexcept {
    if (std::exchange(is_reading_, false)) {
      wait_for_read(by_, item_, load_stage::unpack, request_, *done_);
    }
    if (!request_.outcome) return tl::unexpected<error>(request_.outcome.error());
    const std::span<const std::byte> read = request_.destination;
    read_ahead();
    return read;
  }

 private:
  void read_ahead() noexcept {
    const std::span<std::byte> to =
        room_[turn_].first(std::min<std::uint64_t>(room_[turn_].size(), left_));
    request_ = {.source = item_.file.place().source,
                .offset = at_,
                .destination = to,
                .subject = item_.entry};
    if (to.empty()) return;
    turn_ = 1 - turn_;
    at_ += to.size();
    left_ -= to.size();
    if (read_if_cached(by_, item_, request_)) return;
    request_.counter = &done_.emplace(1u);
    is_reading_ = true;
    submit_read(load_, request_, item_.number);
  }

  loader& by_;
  load_state& load_;
  const load_item& item_;
  const std::span<std::byte> room_[2];
  std::size_t turn_ = 0;  // of room_, for the next read
  read_request request_;
  std::optional<countdown> done_;
  bool is_reading_ = false;
  std::uint64_t at_ = 0;
  std::uint64_t left_ = 0;
};

}  // namespace

bool may_go_in_pieces(const load_state& load, const load_item& item) noexcept {
  if (load.options.sink || item.needs_all) return false;
  const std::uint64_t whole = whole_file_bytes(item.file.place());
  const bool fits = whole <= load.ledger.limit();
  const bool is_quick = load.options.file_time_max.count() == 0 || whole < timed_bytes_min;
  return !(fits && is_quick) && whole > room_for_pieces(item);
}

std::uint64_t room_for_pieces(const load_item& item) noexcept {
  return 3 * piece_bytes + io_detail::piece_unpacker::memory_max(item.file.place().method);
}

namespace {

// Unpacks the whole stream and passes each piece to `see`, until that returns false.
class piece_walk {
 public:
  piece_walk(loader& by, load_item& item, std::span<std::byte> in,
             std::span<std::byte> out) noexcept
      : load_(by.load),
        item_(item),
        out_(out),
        stream_(by, item, in),
        left_(time_left(by.load, item)),
        unpack_(by.load.memory, item.file.place().method) {}

  template <class See>
  result<void> run(See see) noexcept {
    if (result<void> begun = stream_.begin(); !begun) return begun;
    const std::uint64_t bytes = item_.file.place().bytes;
    for (std::uint64_t made = 0; made < bytes;) {
      const result<std::size_t> count =
          next(out_.first(std::min<std::uint64_t>(out_.size(), bytes - made)));
      if (!count) return tl::unexpected<error>(count.error());
      if (*count == 0) return corrupt("the data unpacks to fewer bytes than stated");
      if (!see(out_.first(*count))) return {};
      made += *count;
    }
    const result<std::size_t> surplus = next(out_.first(1));
    if (!surplus) return tl::unexpected<error>(surplus.error());
    if (*surplus != 0) return corrupt("the data unpacks to more bytes than stated");
    if (bytes != 0 && !unpack_.complete()) return corrupt("the compressed data is damaged");
    return {};
  }
  [[nodiscard]] tl::unexpected<error> corrupt(const char* reason) const noexcept {
    const file_place& place = item_.file.place();
    return fail(errc::corrupt, reason, place.source, place.offset);
  }

 private:
  // 0 only at the end.
  result<std::size_t> next(std::span<std::byte> room) noexcept {
    for (;;) {
      if (load_.is_cancelled(item_.number)) {
        return fail(errc::cancelled, "the file was cancelled");
      }
      if (now_ns() - begin_ns_ > static_cast<std::uint64_t>(left_.count())) {
        return tl::unexpected<error>(takes_too_long);
      }
      if (packed_.empty() && !stream_.ended()) {
        const result<std::span<const std::byte>> more = stream_.next();
        if (!more) return tl::unexpected<error>(more.error());
        packed_ = *more;
      }
      const std::size_t before = packed_.size();
      const result<std::size_t> count = unpack_.unpack(packed_, room);
      if (!count) {
        error why = count.error();
        why.source = item_.file.place().source;
        if (why.code != errc::out_of_memory) why.offset = item_.file.place().offset;
        return tl::unexpected<error>(why);
      }
      if (*count != 0 || (packed_.size() == before && (before != 0 || stream_.ended()))) {
        return count;
      }
    }
  }

  load_state& load_;
  load_item& item_;
  std::span<std::byte> out_;
  packed_stream stream_;
  const std::uint64_t begin_ns_ = now_ns();
  const std::chrono::nanoseconds left_;  // 0 or more
  io_detail::piece_unpacker unpack_;
  std::span<const std::byte> packed_;
};

}  // namespace

// Between pieces it looks whether the load was cancelled, or the time is over. Ends early if a
// decoder accepts the file, which is then needed as a whole after all.
staged_result check_in_pieces(loader& by, load_item& item) noexcept {
  load_state& load = by.load;
  const file_place& place = item.file.place();
  result<blob> in = load.buffers.take(2 * piece_bytes);
  result<blob> out = load.buffers.take(piece_bytes);
  if (!in || !out) return tl::unexpected((in ? out : in).error());
  bool is_wanted = false;
  std::uint64_t made = 0;
  std::uint32_t crc = 0;
  {
    piece_walk walk(by, item, in->span(), out->span());
    const result<void> done = walk.run([&](std::span<const std::byte> piece) {
      if (made == 0 && load.options.decode) {
        item.content = piece;
        is_wanted = decoder_of(load, item) != load.options.decoders.size();
        item.content = {};
      }
      made += piece.size();
      crc = crc32(piece, crc);
      return !is_wanted;
    });
    if (!done) return tl::unexpected<error>(done.error());
    if (!is_wanted && place.has_crc && crc != place.crc32) {
      return walk.corrupt("the content does not match its checksum");
    }
  }
  item.file.release_block();
  if (is_wanted) {
    by.release_all(item);
    item.needs_all = true;
    return staged{outcome::needs_whole};
  }
  file_record& kept = load.record_of(item);
  kept.crc32 = crc;
  kept.bytes = made;
  return staged{outcome::next, made};
}

}  // namespace overture::load_detail

// SPDX-License-Identifier: Zlib
#include "overture/vfs/file_reader.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "io/unpack/inflate_stream.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "sync/object_use.hpp"
#include "vfs/packed_data.hpp"

namespace overture {
using namespace base_detail;

namespace {

constexpr std::uint64_t packed_surplus_max = 64u << 10;
// More is unpacked in pieces: all that is packed is in memory while a file is unpacked at once.
constexpr std::uint64_t packed_at_once_max = 64u << 20;
constexpr std::size_t header_at_once_max = 512;
// Of a stored file: the checksum is made while the bytes are in the cache.
constexpr std::size_t checked_at_once = 256u << 10;
constexpr std::uint64_t unknown = UINT64_MAX;

tl::unexpected<error> no_memory() {
  return fail(errc::out_of_memory, "out of memory for reading the file");
}

}  // namespace

struct OVERTURE_HIDDEN file_reader::state {
  state(allocator& from, memory_ledger& bound, opened_file opened, open_source where) noexcept
      : memory(from),
        ledger(bound),
        file(std::move(opened)),
        source(where),
        buffer(from, memory_tag::vfs),
        whole(from, memory_tag::vfs) {}
  ~state() { destroy_object(memory, memory_tag::vfs, stream); }

  [[nodiscard]] const file_place& place() const noexcept { return file.place(); }
  [[nodiscard]] result<void> begin(const file_reader_config& config) noexcept;
  [[nodiscard]] result<void> find_data() noexcept;
  [[nodiscard]] result<void> begin_stream() noexcept;
  // No valid stream is much longer than its content. Nothing is allocated for one that is.
  [[nodiscard]] bool sound() const noexcept {
    return place().packed_bytes <= 2 * place().bytes + packed_surplus_max;
  }
  [[nodiscard]] result<void> unpack_whole() noexcept;
  [[nodiscard]] result<void> unpack(std::span<std::byte> to) noexcept;
  [[nodiscard]] result<void> read_stored(std::uint64_t offset, std::span<std::byte> to) noexcept;
  void note_seen(std::uint64_t offset, std::span<const std::byte> bytes) noexcept;
  // Fill `to` from an offset of the content, bypassing the buffer. All of a packed file is unpacked
  // at once if there is memory for that, which is faster than in pieces.
  [[nodiscard]] result<void> fetch_stored(std::uint64_t offset, std::span<std::byte> to) noexcept;
  [[nodiscard]] result<void> fetch_packed(std::uint64_t offset, std::span<std::byte> to) noexcept;
  [[nodiscard]] result<void> fetch_checked(std::uint64_t offset, std::span<std::byte> to) noexcept;
  [[nodiscard]] result<void> fill_buffer() noexcept;
  [[nodiscard]] result<void> check(std::uint32_t crc) noexcept;
  [[nodiscard]] error about_the_file(error why) const noexcept;
  [[nodiscard]] std::span<const std::byte> held() const noexcept;

  allocator& memory;
  memory_ledger& ledger;
  opened_file file;
  open_source source;
  std::uint64_t data_offset = unknown;  // of the packed bytes, in the source
  std::uint64_t position = 0;

  std::uint64_t buffer_at = 0;  // offset of the buffer in the content
  std::size_t buffered = 0;
  vec<std::byte> buffer;

  ledger_room room;      // for `whole`
  vec<std::byte> whole;  // a compressed file, unpacked when it was opened
  unsigned restart_points_max = 0;
  io_detail::inflate_stream* stream = nullptr;  // a larger compressed file, read in pieces
  std::uint64_t seen = 0;  // how many bytes have passed in order, but for those of the stream
  std::uint32_t seen_crc = 0;
  bool verified = false;
};

// --- Opening -------------------------------------------------------------------------------------

result<file_reader> file_reader::open(file_system& files, asset_path path,
                                      const file_reader_config& config) noexcept {
  result<opened_file> opened = files.open_any_size(path);
  if (!opened) return tl::unexpected(opened.error());
  return open(files, *std::move(opened), config);
}

result<file_reader> file_reader::open(file_system& files, opened_file file,
                                      const file_reader_config& config) noexcept {
  allocator& memory = config.memory ? *config.memory : default_allocator();
  const result<open_source> source = files.source(file.place().source);
  if (!source) return tl::unexpected(source.error());
  state* const made = make_object<state>(memory, memory_tag::vfs, memory, *files.ledger(),
                                         std::move(file), *source);
  if (!made) return no_memory();
  file_reader reader(made);
  if (result<void> begun = made->begin(config); !begun) {
    return tl::unexpected(made->about_the_file(begun.error()));
  }
  return reader;
}

namespace {

using sync_detail::not_moved;

constexpr const char* moved_from =
    "a file_reader was used after it was moved from: use the one that it was moved to";

}  // namespace

file_reader::~file_reader() {
  if (state_) destroy_object(state_->memory, memory_tag::vfs, state_);
}

result<void> file_reader::state::begin(const file_reader_config& config) noexcept {
  if (place().bytes == 0 && place().packed_bytes == 0 && place().has_crc) {
    return find_data().and_then([this] { return check(0); });
  }
  if (place().method != compression::none) {
    const std::uint64_t whole_max = std::min(config.unpacked_bytes_max, limits::entry_bytes_max);
    if (place().bytes <= whole_max && sound()) return unpack_whole();
    if (place().method != compression::deflate) {
      return fail(
          errc::limit,
          "the file is too large to unpack whole; repack it with DEFLATE, which unpacks in pieces");
    }
    restart_points_max = config.restart_points_max;
  }
  if (!buffer.resize_for_overwrite(std::min<std::uint64_t>(config.buffer_bytes, place().bytes)))
    return no_memory();
  return {};
}

result<void> file_reader::state::find_data() noexcept {
  if (data_offset != unknown) return {};
  const result<std::uint64_t> found = vfs_detail::find_packed_data(source, place());
  if (!found) return tl::unexpected(found.error());
  data_offset = *found;
  return {};
}

result<void> file_reader::state::begin_stream() noexcept {
  if (stream) return {};
  stream = make_object<io_detail::inflate_stream>(
      memory, memory_tag::vfs, memory, place().packed_bytes, place().bytes, restart_points_max);
  if (!stream) return no_memory();
  result<void> begun = stream->begin();
  if (!begun) destroy_object(memory, memory_tag::vfs, std::exchange(stream, nullptr));
  return begun;
}

result<void> file_reader::state::unpack_whole() noexcept {
  result<ledger_room> kept = ledger_room::take(ledger, place().bytes, memory_tag::vfs);
  if (!kept) return tl::unexpected(kept.error());
  room = std::move(*kept);
  if (!whole.resize_for_overwrite(place().bytes)) {
    return fail(errc::out_of_memory, "out of memory for reading the file", {}, place().bytes);
  }
  const std::span<std::byte> bytes(whole.data(), whole.size());
  result<void> done = unpack(bytes);
  if (done && place().has_crc) done = check(crc32(bytes));
  return done;
}

result<void> file_reader::state::unpack(std::span<std::byte> to) noexcept {
  file_place place = this->place();
  for (;;) {
    const result<ledger_room> for_packed =
        ledger_room::take(ledger, place.read_bytes, memory_tag::vfs);
    if (!for_packed) return tl::unexpected(for_packed.error());
    vec<std::byte> read(memory, memory_tag::vfs);
    if (!read.resize_for_overwrite(place.read_bytes)) {
      return fail(errc::out_of_memory, "out of memory for reading the file", {}, place.read_bytes);
    }
    result<void> done =
        read_fully(*source.os, source.handle, place.offset, {read.data(), read.size()});
    if (!done) return done;
    const result<std::span<const std::byte>> packed =
        place.framed ? file_system::packed_part(place, read.span()) : read.span();
    if (packed) {
      unpacker tables;
      return tables.unpack(place.method, *packed, to);
    }
    // The header is longer than expected: read again, with the size it states.
    if (packed.error().code != errc::truncated || place.read_bytes != this->place().read_bytes) {
      return tl::unexpected(packed.error());
    }
    place.read_bytes = packed.error().offset;
  }
}

// --- Reading -------------------------------------------------------------------------------------

result<void> file_reader::state::check(std::uint32_t crc) noexcept {
  verified = crc == place().crc32;
  if (verified) return {};
  return fail(errc::corrupt, "the content does not match its checksum");
}

// Takes the header along if it is as long as expected: most files are read from the beginning.
result<void> file_reader::state::read_stored(std::uint64_t offset,
                                             std::span<std::byte> to) noexcept {
  const std::uint64_t header_bytes = place().read_bytes - place().packed_bytes;
  if (data_offset == unknown && place().framed && offset == 0 &&
      header_bytes <= header_at_once_max) {
    std::byte front[header_at_once_max];
    const std::span<std::byte> header(front, header_bytes);
    std::span<std::byte> parts[] = {header, to};
    result<void> done = read_parts_fully(*source.os, source.handle, place().offset, parts);
    if (!done) return done;
    const result<std::uint64_t> found = vfs_detail::packed_data_after(header, place());
    if (!found) return tl::unexpected(found.error());
    data_offset = *found;
    if (data_offset == place().offset + header_bytes) return {};
  }
  return find_data().and_then(
      [&] { return read_fully(*source.os, source.handle, data_offset + offset, to); });
}

void file_reader::state::note_seen(std::uint64_t offset,
                                   std::span<const std::byte> bytes) noexcept {
  const std::uint64_t end = offset + bytes.size();
  if (!place().has_crc || offset > seen || end <= seen) return;
  seen_crc = crc32(bytes.subspan(seen - offset), seen_crc);
  seen = end;
}

result<void> file_reader::state::fetch_stored(std::uint64_t offset,
                                              std::span<std::byte> to) noexcept {
  while (!to.empty()) {
    const std::size_t count = place().has_crc ? std::min(to.size(), checked_at_once) : to.size();
    const std::span<std::byte> part = to.first(count);
    result<void> done = read_stored(offset, part);
    if (!done) return done;
    note_seen(offset, part);
    offset += count;
    to = to.subspan(count);
  }
  return {};
}

result<void> file_reader::state::fetch_packed(std::uint64_t offset,
                                              std::span<std::byte> to) noexcept {
  const bool is_all = to.size() == place().bytes && seen == 0 && !stream;
  if (is_all && sound() && place().packed_bytes <= packed_at_once_max) {
    result<void> done = unpack(to);
    if (done) note_seen(offset, to);
    const bool lacks_memory =
        !done && (done.error().code == errc::limit || done.error().code == errc::out_of_memory);
    if (!lacks_memory) return done;
  }
  const auto packed = [this](std::uint64_t at, std::span<std::byte> bytes) {
    return read_fully(*source.os, source.handle, data_offset + at, bytes);
  };
  return find_data().and_then([this] { return begin_stream(); }).and_then([&] {
    return stream->read(offset, to, packed);
  });
}

// The read that completes the content verifies all of it; on a mismatch it and all later reads
// fail.
result<void> file_reader::state::fetch_checked(std::uint64_t offset,
                                               std::span<std::byte> to) noexcept {
  result<void> done =
      place().method == compression::none ? fetch_stored(offset, to) : fetch_packed(offset, to);
  if (done && place().has_crc && !verified) {
    if (seen == place().bytes) {
      done = check(seen_crc);
    } else if (stream && stream->seen_bytes() == place().bytes) {
      done = check(stream->seen_crc32());
    }
  }
  if (done) return done;
  return tl::unexpected(about_the_file(done.error()));
}

// An archive has many files: where damage is tells which.
error file_reader::state::about_the_file(error why) const noexcept {
  why.source = place().source;
  if (why.code == errc::corrupt) why.offset = place().offset;
  return why;
}

// The bytes in memory from the position on.
std::span<const std::byte> file_reader::state::held() const noexcept {
  if (!whole.empty()) return whole.span().subspan(position);
  if (position < buffer_at || position - buffer_at >= buffered) return {};
  return buffer.span().first(buffered).subspan(position - buffer_at);
}

result<void> file_reader::state::fill_buffer() noexcept {
  buffered = 0;
  const std::uint64_t count = std::min<std::uint64_t>(buffer.size(), place().bytes - position);
  result<void> done = fetch_checked(position, {buffer.data(), count});
  if (!done) return done;
  buffer_at = position;
  buffered = count;
  return {};
}

result<std::size_t> file_reader::read(std::span<std::byte> to) noexcept {
  state& file = not_moved(state_, moved_from);
  const std::uint64_t begin = file.position;
  to = to.first(std::min<std::uint64_t>(to.size(), size() - begin));
  const std::size_t wanted = to.size();
  while (!to.empty()) {
    const std::span<const std::byte> held = file.held();
    result<void> done;
    std::size_t count = 0;
    if (!held.empty()) {
      count = std::min(held.size(), to.size());
      std::memcpy(to.data(), held.data(), count);
    } else if (to.size() >= file.buffer.size()) {
      count = to.size();
      done = file.fetch_checked(file.position, to);
    } else {
      done = file.fill_buffer();
    }
    if (!done) {
      file.position = begin;
      return tl::unexpected(done.error());
    }
    file.position += count;
    to = to.subspan(count);
  }
  return wanted;
}

result<void> file_reader::read_all_of(std::span<std::byte> to) noexcept {
  if (size() - position() < to.size()) {
    return fail(errc::truncated, "the file ends before the requested bytes",
                state_->place().source);
  }
  return read(to).map([](std::size_t) {});
}

result<void> file_reader::seek(std::uint64_t position) noexcept {
  if (position > size()) return fail(errc::invalid, "beyond the end of the file");
  state_->position = position;
  return {};
}

std::uint64_t file_reader::size() const noexcept {
  return not_moved(state_, moved_from).place().bytes;
}

std::uint64_t file_reader::position() const noexcept {
  return not_moved(state_, moved_from).position;
}

bool file_reader::verified() const noexcept {
  return not_moved(state_, moved_from).verified;
}

}  // namespace overture

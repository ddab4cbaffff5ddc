// SPDX-License-Identifier: Zlib
#include "load/file_read.hpp"

#include <cstring>
#include <utility>

#include "load/file_room.hpp"
#include "load/priority.hpp"
#include "vfs/packed_data.hpp"

namespace overture {

std::uint64_t read_cancellation::tag() const noexcept {
  static_assert(alignof(read_cancellation) == 64);  // as the tags of cancellable_reads
  return (reinterpret_cast<std::uintptr_t>(this) >> 6) << 22;
}

void read_cancellation::cancel(read_queue& reads) noexcept {
  cancelled_.exchange(1, std::memory_order_seq_cst);
  (void)reads.cancel_tag(~std::uint64_t{0}, tag());
}

// Either cancel() finds the request in the queue, or this sees that it came before.
void read_cancellation::submit(read_queue& reads, read_request& request) noexcept {
  request.tag = tag();
  reads.submit({&request, 1});
  if (cancelled_.fetch_add(0, std::memory_order_acq_rel) != 0) {
    (void)reads.cancel_tag(~std::uint64_t{0}, tag());
  }
}

namespace load_detail {

namespace {

constexpr error was_cancelled{.code = errc::cancelled, .reason = "the read was cancelled"};
constexpr error was_refused{.code = errc::limit, .reason = "there is no room to read the file"};

}  // namespace

void file_read::run_later(task work) noexcept {
  // Always: the future of a job that is dropped would never be ready.
  with_.jobs.submit([work] { work.run(work.context); }, with_.group,
                    {.priority = job_priority_of(wishes_.priority), .always = true});
}

void file_read::start(const asset_path& path) noexcept {
  path_ = path;
  run_later({[](void* self) { static_cast<file_read*>(self)->open(); }, this});
}

void file_read::open() noexcept {
  if (is_cancelled()) return end(tl::unexpected<error>(was_cancelled));
  result<opened_file> opened = with_.files.open(path_);
  if (!opened) return end(tl::unexpected<error>(opened.error()));
  file_ = *std::move(opened);
  whole_bytes_ = file_.place().bytes;
  has_parts_ = file_.place().method == compression::none && !file_.is_in_block();
  if (!may_read(room_bytes())) return end(tl::unexpected<error>(was_refused));
  take_room(ledger());
}

// With the archive's header in front of it.
std::uint64_t file_read::bytes_to_read() const noexcept {
  const file_place& place = file_.place();
  return is_part() ? place.read_bytes - (place.bytes - wishes_.bytes_max) : place.read_bytes;
}

std::uint64_t file_read::room_bytes() const noexcept {
  return is_part() ? bytes_to_read() : whole_file_bytes(file_.place());
}

bool file_read::try_room() noexcept {
  const std::uint64_t bytes = room_bytes();
  room_credit none_ahead(ledger(), 0);
  if (take_file_room(file_, bytes, none_ahead, ledger(), ticket_) != lacking::nothing) return false;
  room_ = bytes;
  return true;
}

bool file_read::try_more(std::uint64_t bytes) noexcept {
  if (!ledger().take(bytes, memory_tag::load, ticket_)) return false;
  room_ += bytes;
  return true;
}

void file_read::give_room_back() noexcept {
  if (room_ != 0) ledger().give_back(std::exchange(room_, 0), memory_tag::load);
  if (ticket_) ledger().end_item(ticket_);
}

void file_read::read() noexcept {
  read_bytes(bytes_to_read());
}

void file_read::read_bytes(std::uint64_t bytes) noexcept {
  if (is_cancelled()) return end(tl::unexpected<error>(was_cancelled));
  result<blob> room = with_.buffers.take(bytes);
  if (!room) return end(tl::unexpected<error>(room.error()));
  bytes_ = *std::move(room);
  const file_place& place = file_.place();
  request_ = {.source = place.source,
              .offset = place.offset,
              .destination = bytes_.span(),
              .priority = read_priority_of(wishes_.priority, load_priority::normal),
              .deadline_ns = wishes_.deadline_ns,
              .subject = wishes_.subject,
              .on = this,
              .done = {[](void* self) { static_cast<file_read*>(self)->unpack(); }, this}};
  if (bytes == 0 || with_.reads.read_if_cached(request_)) {
    request_.outcome = {};
    return unpack();
  }
  submitted_.begin();
  if (wishes_.cancel) {
    wishes_.cancel->submit(with_.reads, request_);
  } else {
    with_.reads.submit({&request_, 1});
  }
  if (submitted_.is_second()) unpack();
}

// If the submitting thread is not done yet, it goes on itself.
void file_read::execute(task work) noexcept {
  if (submitted_.is_second()) run_later(work);
}

void file_read::unpack() noexcept {
  const file_place& place = file_.place();
  if (!request_.outcome) return end(tl::unexpected<error>(request_.outcome.error()));
  if (is_cancelled()) return end(tl::unexpected<error>(was_cancelled));
  file_.release_block();
  if (is_part()) return take_part();
  std::size_t packed_at = 0;
  if (place.framed) {
    const result<std::span<const std::byte>> packed =
        file_system::packed_part(place, bytes_.span());
    // The header is longer than expected: read again, with the size it states.
    if (!packed && packed.error().code == errc::truncated && bytes_.size() == place.read_bytes) {
      return read_bytes(packed.error().offset);
    }
    if (!packed) return end(tl::unexpected<error>(vfs_detail::error_at(place, packed.error())));
    packed_at = static_cast<std::size_t>(packed->data() - bytes_.data());
  }
  result<blob> unpacked =
      vfs_detail::unpack_file(place, {std::move(bytes_), packed_at}, with_.buffers);
  if (!unpacked) return end(tl::unexpected<error>(vfs_detail::error_at(place, unpacked.error())));
  end(std::move(unpacked));
}

void file_read::take_part() noexcept {
  const file_place& place = file_.place();
  if (place.framed) {
    const result<std::uint64_t> data = vfs_detail::packed_data_after(bytes_.span(), place);
    if (!data) return end(tl::unexpected<error>(vfs_detail::error_at(place, data.error())));
    const std::uint64_t header_bytes = *data - place.offset;
    // The header is longer than expected.
    if (header_bytes > bytes_.size() - wishes_.bytes_max && bytes_.size() == bytes_to_read()) {
      return read_bytes(header_bytes + wishes_.bytes_max);
    }
    if (header_bytes > bytes_.size() - wishes_.bytes_max) {
      return end(fail(errc::corrupt, "the local header has changed", place.source, place.offset));
    }
    std::memmove(bytes_.data(), bytes_.data() + header_bytes, wishes_.bytes_max);
  }
  bytes_.shrink(wishes_.bytes_max);
  end(std::move(bytes_));
}

void file_read::end(result<blob> outcome) noexcept {
  bytes_.reset();
  file_ = {};
  if (!outcome) give_room_back();
  ended(about(path_.id, std::move(outcome)));
}

}  // namespace load_detail
}  // namespace overture

#include "io/read_operation.hpp"

#include <algorithm>
#include <cstring>

namespace overture::io {
namespace {

// Stands in the list of followers once nobody may follow any more.
alignas(read_request) std::byte closed_place[sizeof(read_request)];
read_request* const closed = reinterpret_cast<read_request*>(closed_place);

std::uint64_t end_of(const read_request& request) noexcept {
  return request.offset + request.destination.size();
}

}  // namespace

void read_operation::begin(read_request& first) noexcept {
  member_count_ = 0;
  source_ = first.source;
  offset_ = first.offset;
  end_ = end_of(first);
  add(first);
  file = {};
  done = 0;
  tally = {};
  followers_.store(nullptr, std::memory_order_relaxed);
}

bool read_operation::accepts(const read_request& request, std::size_t bytes_max,
                             std::size_t gap_max) const noexcept {
  const std::uint64_t size = request.destination.size();
  if (member_count_ == members_max || request.source != source()) return false;
  if (size > UINT64_MAX - request.offset) return false;
  if (request.offset > end_ && request.offset - end_ > std::min(gap_max, gap_bytes_max)) {
    return false;
  }
  return std::max(end_, request.offset + size) - offset() <= bytes_max;
}

void read_operation::add(read_request& request) noexcept {
  ranges_[member_count_] = {request.offset, request.destination.size()};
  members_[member_count_++] = &request;
  end_ = std::max(end_, end_of(request));
}

std::size_t read_operation::twin_of(const read_request& request) const noexcept {
  if (request.offset < offset_ || request.offset > end_ || request.source != source_) {
    return no_member;
  }
  const range wanted{request.offset, request.destination.size()};
  std::size_t at = 0;
  while (at < member_count_ && ranges_[at] != wanted) ++at;
  return at < member_count_ ? at : no_member;
}

std::size_t read_operation::parts(std::uint64_t done_bytes,
                                  std::span<std::span<std::byte>> out) noexcept {
  std::size_t count = 0;
  const std::uint64_t from = offset() + done_bytes;
  std::uint64_t at = offset();
  const auto add_part = [&](std::span<std::byte> bytes) {
    const std::uint64_t begin = std::max(at, from);
    at += bytes.size();
    if (at > begin) out[count++] = bytes.last(static_cast<std::size_t>(at - begin));
  };
  for (read_request* const member : members()) {
    if (member->offset > at) add_part({gap_, static_cast<std::size_t>(member->offset - at)});
    if (end_of(*member) > at) {
      add_part(member->destination.subspan(static_cast<std::size_t>(at - member->offset)));
    }
  }
  return count;
}

void read_operation::copy_overlaps() noexcept {
  const read_request* furthest = members_[0];
  for (read_request* const member : members().subspan(1)) {
    // Members are in order of their offsets, so what was read before lies in that one alone.
    const std::uint64_t known = std::min(end_of(*furthest), end_of(*member));
    if (known > member->offset) {
      std::memmove(member->destination.data(),
                   furthest->destination.data() + (member->offset - furthest->offset),
                   static_cast<std::size_t>(known - member->offset));
    }
    if (end_of(*member) > end_of(*furthest)) furthest = member;
  }
}

bool read_operation::follow(read_request& request) noexcept {
  read_request* first = followers_.load(std::memory_order_relaxed);
  do {
    if (first == closed) return false;
    request.next = first;
  } while (!followers_.compare_exchange_weak(first, &request, std::memory_order_release,
                                             std::memory_order_relaxed));
  return true;
}

read_request* read_operation::close_followers() noexcept {
  return followers_.exchange(closed, std::memory_order_acquire);
}

}  // namespace overture::io

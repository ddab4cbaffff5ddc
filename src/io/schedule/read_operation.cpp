// SPDX-License-Identifier: Zlib
#include "io/schedule/read_operation.hpp"

#include <algorithm>
#include <cstring>

namespace overture::io_detail {
namespace {

// The list of followers once no request may follow any more.
alignas(read_request) std::byte closed_place[sizeof(read_request)];
read_request* const closed = reinterpret_cast<read_request*>(closed_place);

std::uint64_t end_of(const read_request& request) noexcept {
  return request.offset + request.stored_bytes();
}

}  // namespace

void read_operation::begin() noexcept {
  member_count_ = 0;
  file = {};
  done = 0;
  tally = {};
  block = {};
  followers_.store(nullptr, std::memory_order_relaxed);
}

bool read_operation::accepts(const read_request& request, std::size_t bytes_max,
                             std::size_t gap_max) const noexcept {
  const std::uint64_t size = request.stored_bytes();
  if (member_count_ == members_max || request.source != source()) return false;
  if (request.into == read_into::view || members_[0]->into == read_into::view) return false;
  if (size > UINT64_MAX - request.offset) return false;
  if (request.offset > end_ && request.offset - end_ > std::min(gap_max, gap_bytes_max)) {
    return false;
  }
  return std::max(end_, request.offset + size) - offset() <= bytes_max;
}

void read_operation::add(read_request& request) noexcept {
  if (member_count_ == 0) {
    source_ = request.source;
    offset_ = request.offset;
    end_ = end_of(request);
  }
  ranges_[member_count_] = range_of(request);
  has_room_[member_count_] = false;
  packed[member_count_] = nullptr;
  members_[member_count_++] = &request;
  end_ = std::max(end_, end_of(request));
}

read_operation::range read_operation::range_of(const read_request& request) noexcept {
  return {request.offset, request.stored_bytes(), request.wanted_bytes(), request.method};
}

std::size_t read_operation::twin_of(const read_request& request) const noexcept {
  if (request.offset < offset_ || request.offset > end_ || request.source != source_) {
    return no_member;
  }
  const range wanted = range_of(request);
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
  for (std::size_t i = 0; i < member_count_; ++i) {
    const range& part = ranges_[i];
    if (part.offset > at) add_part({gap_, static_cast<std::size_t>(part.offset - at)});
    if (part.end() > at) add_part(rooms_[i].subspan(static_cast<std::size_t>(at - part.offset)));
  }
  return count;
}

void read_operation::copy_overlaps() noexcept {
  std::size_t furthest = 0;
  for (std::size_t i = 1; i < member_count_; ++i) {
    const range& part = ranges_[i];
    const range& far = ranges_[furthest];
    // Members are in order of their offsets, so what was read before lies in that one alone.
    const std::uint64_t known = std::min(far.end(), part.end());
    if (known > part.offset) {
      std::memmove(rooms_[i].data(), rooms_[furthest].data() + (part.offset - far.offset),
                   static_cast<std::size_t>(known - part.offset));
    }
    if (part.end() > far.end()) furthest = i;
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

}  // namespace overture::io_detail

// SPDX-License-Identifier: Zlib
#include "overture/io/simulated_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/vec.hpp"
#include "sync/object_use.hpp"

namespace overture {
namespace {

// Steele, Lea and Flood's splitmix64 (2014).
std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

tl::unexpected<error> no_paths() {
  return fail(errc::unsupported, "a simulated disk has no paths");
}

}  // namespace

simulated_disk::simulated_disk(const disk_model& model) noexcept
    : model_(model), luck_(mix(model.seed)) {
  model_.depth = std::clamp(model_.depth, 1u, depth_max);
  if (!model_.memory) model_.memory = &default_allocator();
  if (model_.bytes_per_second == 0) model_.bytes_per_second = 1;
}

simulated_disk::~simulated_disk() {
  if constexpr (detail::contracts) sync_detail::expects_unused(this);
  model_.memory->deallocate(files_, file_room_ * sizeof(file), alignof(file), memory_tag::io);
}

result<source_id> simulated_disk::add_file(std::uint64_t bytes) noexcept {
  if (file_count_ == file_room_) {
    const std::size_t room = std::max<std::size_t>(16, file_room_ * 2);
    void* const fresh = model_.memory->allocate(room * sizeof(file), alignof(file), memory_tag::io);
    if (!fresh) return fail(errc::out_of_memory, "out of memory for a simulated file");
    if (file_count_ > 0) std::memcpy(fresh, files_, file_count_ * sizeof(file));
    model_.memory->deallocate(files_, file_room_ * sizeof(file), alignof(file), memory_tag::io);
    files_ = static_cast<file*>(fresh);
    file_room_ = room;
  }
  files_[file_count_] = {bytes_, bytes, nullptr};
  bytes_ += bytes;
  return source_id{static_cast<std::uint32_t>(file_count_++), 1};
}

result<source_id> simulated_disk::add_file(std::span<const std::byte> content) noexcept {
  const result<source_id> added = add_file(std::uint64_t{content.size()});
  if (added) files_[added->index].content = content.data();
  return added;
}

const simulated_disk::file* simulated_disk::find(source_id id) const noexcept {
  return id.generation == 1 && id.index < file_count_ ? &files_[id.index] : nullptr;
}

void simulated_disk::truncate(source_id id, std::uint64_t bytes) noexcept {
  if (find(id)) files_[id.index].bytes = std::min(files_[id.index].bytes, bytes);
}

std::byte simulated_disk::byte_at(source_id id, std::uint64_t offset) const noexcept {
  const file* const from = find(id);
  if (from && from->content) return offset < from->bytes ? from->content[offset] : std::byte{};
  const std::uint64_t word = mix(model_.seed ^ std::uint64_t{id.index} << 40 ^ offset / 8);
  return static_cast<std::byte>(word >> offset % 8 * 8);
}

bool simulated_disk::holds(source_id id, std::uint64_t offset,
                           std::span<const std::byte> bytes) const noexcept {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != byte_at(id, offset + i)) return false;
  }
  return true;
}

std::uint64_t simulated_disk::draw() noexcept {
  return mix(luck_++);
}

std::uint64_t simulated_disk::way_ns(std::uint64_t position) const noexcept {
  const std::uint64_t way = position > head_ ? position - head_ : head_ - position;
  return bytes_ == 0
             ? 0
             : static_cast<std::uint64_t>(static_cast<double>(way) / static_cast<double>(bytes_) *
                                          static_cast<double>(model_.seek_ns));
}

std::int64_t simulated_disk::fill(source_id id, std::uint64_t offset,
                                  std::span<const std::span<std::byte>> parts) noexcept {
  const file* const from = find(id);
  if (!from) return -EBADF;
  if (!has_luck(model_.interrupted)) return ++stats_.unlucky, -EINTR;
  if (!has_luck(model_.broken)) return ++stats_.unlucky, -EIO;
  std::uint64_t wanted = 0;
  for (const std::span<std::byte> part : parts) wanted += part.size();
  std::uint64_t left = offset < from->bytes ? std::min(from->bytes - offset, wanted) : 0;
  if (left > 1 && !has_luck(model_.short_reads)) {
    ++stats_.unlucky;
    left = 1 + draw() % (left - 1);
  }
  const std::uint64_t all = left;
  for (const std::span<std::byte> part : parts) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(left, part.size()));
    for (std::size_t i = 0; i < count; ++i) part[i] = byte_at(id, offset + i);
    offset += count;
    left -= count;
  }
  return static_cast<std::int64_t>(all);
}

void simulated_disk::start(unsigned slot, source_id id, std::uint64_t offset,
                           std::span<const std::span<std::byte>> parts) noexcept {
  reading& begun = slots_[slot];
  const file* const from = find(id);
  begun.state = reading::phase::waits;
  begun.position = (from ? from->begins : 0) + offset;
  begun.outcome = fill(id, offset, parts);
  begun.bytes = begun.outcome > 0 ? static_cast<std::uint64_t>(begun.outcome) : 0;
}

void simulated_disk::serve_nearest() noexcept {
  reading* nearest = nullptr;
  for (unsigned i = 0; i < model_.depth; ++i) {
    reading& each = slots_[i];
    if (each.state != reading::phase::waits) continue;
    if (!nearest || way_ns(each.position) < way_ns(nearest->position)) nearest = &each;
  }
  const std::uint64_t way = way_ns(nearest->position);
  stats_.seek_ns += way;
  stats_.seeks += nearest->position == head_ ? 0 : 1;
  ++stats_.reads;
  stats_.bytes += nearest->bytes;
  const double transfer_ns =
      static_cast<double>(nearest->bytes) * 1e9 / static_cast<double>(model_.bytes_per_second);
  free_ns_ = std::max(now_ns_, free_ns_) + way + static_cast<std::uint64_t>(transfer_ns);
  head_ = nearest->position + nearest->bytes;
  nearest->ends_ns = free_ns_ + model_.latency_ns;
  if (model_.late_ns > 0 && !has_luck(model_.late)) {
    ++stats_.unlucky;
    nearest->ends_ns += draw() % model_.late_ns;
  }
  nearest->state = reading::phase::served;
}

simulated_disk::ended simulated_disk::wait() noexcept {
  for (;;) {
    unsigned first = depth_max;
    bool waits = false;
    for (unsigned i = 0; i < model_.depth; ++i) {
      waits = waits || slots_[i].state == reading::phase::waits;
      if (slots_[i].state != reading::phase::served) continue;
      if (first == depth_max || slots_[i].ends_ns < slots_[first].ends_ns) first = i;
    }
    // What the head will do before the first one ends is decided first.
    if (waits && (first == depth_max || free_ns_ <= slots_[first].ends_ns)) {
      serve_nearest();
      continue;
    }
    now_ns_ = std::max(now_ns_, slots_[first].ends_ns);
    slots_[first].state = reading::phase::none;
    return {first, slots_[first].outcome};
  }
}

result<open_source> simulated_disk::source(source_id id) noexcept {
  if (!find(id)) return fail(errc::not_found, "no such file on the simulated disk", id);
  return open_source{this, {std::int64_t{id.index} + 1}};
}

std::size_t simulated_disk::describe(source_id id, std::span<char> text) const noexcept {
  if (!find(id) || text.empty()) return 0;
  const int length = std::snprintf(text.data(), text.size(), "simulated:%u", id.index);
  return std::min<std::size_t>(static_cast<std::size_t>(length), text.size() - 1);
}

result<std::size_t> simulated_disk::read_at(os_handle handle, std::uint64_t offset,
                                            std::span<std::byte> bytes) noexcept {
  const source_id id{static_cast<std::uint32_t>(handle.value - 1), 1};
  for (;;) {
    const std::int64_t outcome = fill(id, offset, {&bytes, 1});
    now_ns_ += model_.latency_ns;
    if (outcome >= 0) return static_cast<std::size_t>(outcome);
    if (outcome == -EINTR) continue;
    return tl::unexpected<error>(os_failure(static_cast<int>(-outcome), "cannot read"));
  }
}

result<file_status> simulated_disk::status(os_handle handle) noexcept {
  const file* const found = find({static_cast<std::uint32_t>(handle.value - 1), 1});
  if (!found) return fail(errc::not_found, "no such file on the simulated disk");
  return file_status{file_kind::file, found->bytes, 0};
}

result<os_handle> simulated_disk::open(const char*) noexcept {
  return no_paths();
}
result<os_handle> simulated_disk::open_below(os_handle, const char*) noexcept {
  return no_paths();
}
void simulated_disk::close(os_handle) noexcept {}
result<file_status> simulated_disk::status(const char*, bool) noexcept {
  return no_paths();
}
result<void> simulated_disk::list(const char*,
                                  function_ref<void(const folder_entry&) noexcept>) noexcept {
  return no_paths();
}
result<std::size_t> simulated_disk::canonical_path(const char*, std::span<char>) noexcept {
  return no_paths();
}
result<mapping> simulated_disk::map(os_handle) noexcept {
  return no_paths();
}
void simulated_disk::unmap(mapping) noexcept {}

}  // namespace overture

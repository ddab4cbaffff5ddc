// SPDX-License-Identifier: Zlib
#include "watch/recorder/process_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "overture/base/hash.hpp"
#include "watch/recorder/system_calls.hpp"

namespace overture::watch {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr std::size_t step_bytes = std::size_t{512} << 10;  // of regions that grow
constexpr int file_number_min = 700;                        // away from those that games use

bool may_be_so_large(std::size_t bytes) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= bytes;
}

int moved_up(int file) noexcept {
  const long higher = system_call(SYS_fcntl, file, F_DUPFD_CLOEXEC, file_number_min);
  if (higher < 0) return file;
  system_close(file);
  return static_cast<int>(higher);
}

std::uint64_t number_of(int file) noexcept {
  struct stat status{};
  return fstat(file, &status) == 0 ? status.st_ino : 0;
}

}  // namespace

process_file* process_file::make(const char* folder, std::size_t chunks_max,
                                 process_file& room) noexcept {
  const int pid = static_cast<int>(system_call(SYS_getpid));
  for (int image = 0; image < 1000 && room.file_ < 0; ++image) {
    const int length =
        std::snprintf(room.path_, sizeof room.path_, "%s/%d-%d.watch", folder, pid, image);
    if (length <= 0 || static_cast<std::size_t>(length) >= sizeof room.path_) return nullptr;
    room.file_ = system_open(room.path_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (room.file_ < 0 && errno != EEXIST) return nullptr;
  }
  if (room.file_ < 0) return nullptr;
  room.file_ = moved_up(room.file_);
  room.file_number_ = number_of(room.file_);
  room.chunks_max_ = chunks_max;
  const std::size_t whole = chunks_at + chunks_max * chunk_bytes;
  if (!may_be_so_large(whole) || !room.allocate(0, names_at)) return nullptr;
  void* const mapped =
      mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, room.file_, 0);
  if (mapped == MAP_FAILED) return nullptr;
  room.room_ = static_cast<char*>(mapped);
  room.head().pid.store(static_cast<std::uint64_t>(pid), relaxed);
  std::memcpy(room.head().format, magic, sizeof magic);
  return &room;
}

bool process_file::allocate(std::size_t begin, std::size_t bytes) const noexcept {
  const int file = number_of(file_) == file_number_ ? file_ : open_again();
  if (file < 0) return false;
  const long failed =
      system_call(SYS_fallocate, file, 0, static_cast<long>(begin), static_cast<long>(bytes));
  if (file != file_) system_close(file);
  return failed == 0;
}

// Where the program has closed what it does not know.
int process_file::open_again() const noexcept {
  const int file = system_open(path_, O_RDWR | O_NOFOLLOW);
  if (file < 0 || number_of(file) == file_number_) return file;
  system_close(file);
  return -1;
}

bool process_file::has_room(counter& ready, std::size_t begin, std::size_t end,
                            std::size_t most) noexcept {
  std::uint64_t there = ready.load(relaxed);
  if (end <= there) return true;
  if (end > most) return false;
  const kept_errno keep;
  const std::size_t wanted = std::min(most, (end + step_bytes - 1) / step_bytes * step_bytes);
  if (!allocate(begin, wanted)) return false;
  while (there < wanted && !ready.compare_exchange_weak(there, wanted, relaxed)) {
  }
  return true;
}

thread_entry* process_file::claim_thread() noexcept {
  if (head().thread_count.load(relaxed) < threads_max) {
    const std::uint64_t place = head().thread_count.fetch_add(1, relaxed);
    if (place < threads_max) return &thread(place);
  }
  head().lost_threads.fetch_add(1, relaxed);
  return nullptr;
}

packed_event* process_file::claim_chunk(const thread_entry& entry) noexcept {
  if (head().chunk_count.load(relaxed) >= chunks_max_) return nullptr;
  const std::uint64_t place = head().chunk_count.fetch_add(1, relaxed);
  if (place >= chunks_max_ || !has_room(head().chunks_ready, chunks_at, (place + 1) * chunk_bytes,
                                        chunks_max_ * chunk_bytes)) {
    return nullptr;
  }
  auto* const chunk = part<chunk_head>(chunks_at + place * chunk_bytes);
  chunk->thread.store(place_of(entry) + 1, relaxed);
  return reinterpret_cast<packed_event*>(chunk + 1);
}

const char* process_file::text_of(std::uint32_t name, std::size_t& bytes) const noexcept {
  bytes = 0;
  if (name == 0 || name > name_slots) return "";
  const std::uint64_t slot = part<counter>(slots_at)[name - 1].load(std::memory_order_acquire);
  if (slot == 0) return "";
  const char* const text = part<char>(names_at) + ((slot >> 32) - 1);
  std::uint32_t length = 0;
  std::memcpy(&length, text, sizeof length);
  bytes = length;
  return text + sizeof length;
}

std::uint32_t process_file::name(const char* text, std::size_t bytes) noexcept {
  bytes = std::min(bytes, name_bytes_max);
  const std::uint64_t hash = hash64({text, bytes});
  const std::uint64_t mark = hash & 0xFFFFFFFF;
  std::uint64_t made = 0;
  for (std::size_t probe = 0; probe < 64; ++probe) {
    const std::size_t place = (hash + probe) % name_slots;
    counter& slot = part<counter>(slots_at)[place];
    std::uint64_t there = slot.load(std::memory_order_acquire);
    if (there == 0) {
      if (made == 0) made = add_text(text, bytes, mark);
      if (made == 0) break;
      if (slot.compare_exchange_strong(there, made, std::memory_order_acq_rel)) {
        head().name_count.fetch_add(1, relaxed);
        return static_cast<std::uint32_t>(place + 1);
      }
    }
    std::size_t length = 0;
    const auto number = static_cast<std::uint32_t>(place + 1);
    if ((there & 0xFFFFFFFF) != mark) continue;
    const char* const known = text_of(number, length);
    if (length == bytes && std::memcmp(known, text, bytes) == 0) return number;
  }
  head().lost_names.fetch_add(1, relaxed);
  return 0;
}

// What its slot has to hold; 0 if there is no room.
std::uint64_t process_file::add_text(const char* text, std::size_t bytes,
                                     std::uint64_t mark) noexcept {
  const std::size_t taken = (sizeof(std::uint32_t) + bytes + 3) / 4 * 4;
  if (head().names_end.load(relaxed) + taken > names_bytes_max) return 0;
  const std::uint64_t at = head().names_end.fetch_add(taken, relaxed);
  if (!has_room(head().names_ready, names_at, at + taken, names_bytes_max)) return 0;
  char* const to = part<char>(names_at + at);
  const auto length = static_cast<std::uint32_t>(bytes);
  std::memcpy(to, &length, sizeof length);
  std::memcpy(to + sizeof length, text, bytes);
  return (at + 1) << 32 | mark;
}

}  // namespace overture::watch

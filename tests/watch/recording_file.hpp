// SPDX-License-Identifier: Zlib
//
// The file of a recorder, written by hand.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "watch/recorder/layout.hpp"

namespace overture::watch {

class recording_file {
 public:
  explicit recording_file(std::size_t chunks = 1) : bytes_(chunks_at + chunks * chunk_bytes, '\0') {
    std::memcpy(bytes_.data(), magic, sizeof magic);
    set(offsetof(process_head, pid), 42);
    set(offsetof(process_head, begin_ns), 1'000'000);
    set(offsetof(process_head, chunk_count), chunks);
  }

  void set(std::size_t at, std::uint64_t value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  // Its number.
  std::uint32_t name(std::string_view text) {
    const std::size_t slot = names_++;
    const auto length = static_cast<std::uint32_t>(text.size());
    std::memcpy(bytes_.data() + names_at + names_end_, &length, sizeof length);
    std::memcpy(bytes_.data() + names_at + names_end_ + sizeof length, text.data(), text.size());
    set(slots_at + slot * 8, std::uint64_t{names_end_ + 1} << 32);
    names_end_ += (sizeof length + text.size() + 3) / 4 * 4;
    return static_cast<std::uint32_t>(slot + 1);
  }
  // Its place.
  std::size_t thread(std::uint64_t number, std::string_view name, std::uint64_t begin_ns) {
    const std::size_t place = threads_++;
    const std::size_t at = threads_at + place * sizeof(thread_entry);
    set(offsetof(process_head, thread_count), threads_);
    set(at + offsetof(thread_entry, number), number);
    set(at + offsetof(thread_entry, begin_ns), begin_ns);
    std::memcpy(bytes_.data() + at + offsetof(thread_entry, name), name.data(), name.size());
    return place;
  }
  void set_in_thread(std::size_t place, std::size_t at, std::uint64_t value) {
    set(threads_at + place * sizeof(thread_entry) + at, value);
  }
  void own_chunk(std::size_t chunk, std::size_t thread) {
    set(chunks_at + chunk * chunk_bytes, thread + 1);
  }
  void event(std::size_t chunk, std::size_t slot, const plain_event& event) {
    packed_event packed;
    pack(event, packed);
    for (std::size_t i = 0; i < 4; ++i) {
      set(chunks_at + chunk * chunk_bytes + (slot + 1) * sizeof packed + i * 8,
          packed.words[i].load());
    }
  }
  [[nodiscard]] std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
  std::size_t names_ = 0;
  std::size_t names_end_ = 0;
  std::size_t threads_ = 0;
};

}  // namespace overture::watch

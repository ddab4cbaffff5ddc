// SPDX-License-Identifier: Zlib
//
// Open files: the handles of the interface, each with a buffer.
//
// A small read takes 4 KiB from the file, the next ones up to 64 KiB while the reads go on in
// order; what is asked for in larger pieces goes straight to the caller. Writes are buffered only
// if the program asks for it (PHYSFS_setBuffer).
//
// Closed records are kept for the next file, so that closing twice is an error and not a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "search/search_path.hpp"
#include "storage.hpp"

namespace physfs {

// Opens a file of the search path, which lives while `mounts` does. Null, and an error, if that
// fails.
[[nodiscard]] content* open_content(const reading& mounts, const clean_name& name,
                                    mount*& from) noexcept;

class open_file {
 public:
  // Take over `contents` and count the mount's open file. Null if out of memory.
  [[nodiscard]] static PHYSFS_File* to_read(content* contents, mount& from) noexcept;
  [[nodiscard]] static PHYSFS_File* to_write(content* contents, std::uint64_t position,
                                             mount* from) noexcept;
  // Null, and an error, if the file is closed, a null pointer, or of a library that has ended.
  [[nodiscard]] static open_file* of(PHYSFS_File* file) noexcept {
    const bool has_records = has_records_.load(std::memory_order_relaxed);
    // It is in front of the record, which can so be used before `opaque` has been loaded.
    if (file && has_records && file->opaque) return reinterpret_cast<open_file*>(file);
    set_error(has_records ? PHYSFS_ERR_INVALID_ARGUMENT : no_records_error());
    return nullptr;
  }
  // Closes all, and frees the records. Stops at a file that cannot be written.
  [[nodiscard]] static bool close_all() noexcept;
  [[nodiscard]] static bool any_written() noexcept;

  [[nodiscard]] bool close() noexcept;
  [[nodiscard]] std::int64_t read(void* to, std::uint64_t bytes) noexcept {
    if (bytes > filled_ - at_ || writes_) return read_more(to, bytes);
    const std::byte* const from = buffer_ + at_;
    at_ += bytes;
    if (bytes == 1) {  // many games read byte by byte: no call for that
      *static_cast<std::byte*>(to) = *from;
    } else if (bytes != 0) {  // there may be no buffer yet
      std::memcpy(to, from, bytes);
    }
    return static_cast<std::int64_t>(bytes);
  }
  [[nodiscard]] std::int64_t write(const void* from, std::uint64_t bytes) noexcept;
  [[nodiscard]] bool seek(std::uint64_t position) noexcept;
  [[nodiscard]] std::uint64_t tell() const noexcept { return start_ + (writes_ ? filled_ : at_); }
  [[nodiscard]] bool at_end() noexcept;
  [[nodiscard]] std::int64_t length() noexcept { return contents_->length(); }
  [[nodiscard]] bool set_buffer(std::uint64_t bytes) noexcept;
  [[nodiscard]] bool flush() noexcept;

 private:
  [[nodiscard]] static PHYSFS_ErrorCode no_records_error() noexcept {
    return is_running() ? PHYSFS_ERR_INVALID_ARGUMENT : PHYSFS_ERR_NOT_INITIALIZED;
  }

  template <class T, class... Arguments>
  friend T* make(Arguments&&... arguments) noexcept;
  template <class T>
  friend void destroy(T* object) noexcept;

  open_file() = default;
  ~open_file() { deallocate(buffer_); }
  static open_file* claim() noexcept;
  PHYSFS_File* begin(content* contents, bool writes, std::uint64_t position) noexcept;
  void end() noexcept;
  [[nodiscard]] std::int64_t read_more(void* to, std::uint64_t bytes) noexcept;
  [[nodiscard]] bool fill() noexcept;
  [[nodiscard]] bool reserve(std::size_t bytes) noexcept;
  void empty_at(std::uint64_t position) noexcept {
    start_ = position;
    at_ = filled_ = 0;
  }

  inline static overture::atomic<bool> has_records_{false};

  PHYSFS_File handle_{};  // its `opaque` is this record, or null when closed
  content* contents_ = nullptr;
  // The buffer holds `filled_` bytes from `start_` of the file on. When reading, `at_` of them have
  // been passed; when writing, none of them is in the file yet.
  std::byte* buffer_ = nullptr;
  std::uint64_t start_ = 0;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::size_t capacity_ = 0;
  std::size_t next_fill_ = 0;  // when writing: the size of the buffer that the program wants
  bool writes_ = false;
  bool unsynced_ = false;
  mount* from_ = nullptr;

  overture::atomic<bool> taken_{true};
  open_file* next_ = nullptr;
};
static_assert(std::is_standard_layout_v<open_file>);

}  // namespace physfs

// SPDX-License-Identifier: Zlib
//
// A file of the tree as a std::istream, or as the std::streambuf below one: for parsers and readers
// that take a stream of the standard library.
//
//   file_istream script(files, "scripts/start.txt"_path);
//   if (!script) return report(*script.failure());      // why it cannot be opened
//   for (std::string line; std::getline(script, line);) use(line);
//   if (script.bad()) return report(*script.failure());  // a damaged file
//
// Only this header. It is a file_reader (overture/vfs/file_reader.hpp), so a large file is read in
// pieces, seeking in compressed ones costs what is said there, and what passes through as a whole
// has its checksum verified. A file that is wanted at once is read faster by
// file_system::read_all().
//
// Bytes come as they are in the file: no line ends are translated, and no locale changes them.
//
// Errors
//   A file that cannot be opened sets failbit. What cannot be read sets badbit, and the read ends
//   there, as at the end of the file: of the piece that has the damage no byte is given, which is
//   all that is left to a read of config.buffer_bytes or more. failure() tells why. Nothing here
//   throws, unless exceptions() of the stream asks for it.
//   Seeking beyond the end or in front of the beginning sets failbit and moves nothing.
//
// Putting back
//   A stream takes bytes back as far as the beginning of the file, but only those that are there:
//   a putback() of another one sets badbit. The last 16 cost nothing, more may seek.
//
// Cost
//   Bytes come from a buffer, as with any stream. A read of config.buffer_bytes or more goes past
//   it, straight to its destination.
//   Memory: config.buffer_bytes, besides what the file_reader takes to unpack.
//
// Lifetime and threads
//   The stream keeps the file open, even if its mount is unmounted. The file_system must outlive
//   it. One thread at a time may use a stream; streams of one file are independent of each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ios>
#include <istream>
#include <limits>
#include <optional>
#include <span>
#include <streambuf>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/base/path.hpp"
#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture {

// For a std::istream of your own, or whatever else reads from a stream buffer. Read-only.
class file_streambuf : public std::streambuf {
 public:
  // Errors: those of file_reader::open(). config.buffer_bytes is the stream's buffer. Any thread.
  [[nodiscard]] static result<file_streambuf> open(file_system& files, asset_path path,
                                                   const file_reader_config& config = {}) noexcept {
    result<opened_file> opened = files.open_any_size(path);
    if (!opened) return tl::unexpected(opened.error());
    return open(files, *std::move(opened), config);
  }
  // The same for a file that is open already, from open_any_size() or open() of `files`.
  [[nodiscard]] static result<file_streambuf> open(file_system& files, opened_file file,
                                                   const file_reader_config& config = {}) noexcept {
    file_reader_config unbuffered = config;
    unbuffered.buffer_bytes = 0;
    result<file_reader> reader = file_reader::open(files, std::move(file), unbuffered);
    if (!reader) return tl::unexpected(reader.error());
    file_streambuf made;
    made.memory_ = config.memory ? config.memory : &default_allocator();
    made.buffer_bytes_ = static_cast<std::size_t>(
        std::max<std::uint64_t>(1, std::min<std::uint64_t>(config.buffer_bytes, reader->size())));
    void* const room = made.memory_->allocate(made.room_bytes(), 1, memory_tag::vfs);
    if (!room) return fail(errc::out_of_memory, "out of memory for reading the file");
    made.room_ = static_cast<char*>(room);
    made.reader_.emplace(*std::move(reader));
    made.forget_buffer();
    return made;
  }
  // One without a file is at its end, and cannot seek.
  file_streambuf() = default;
  file_streambuf(file_streambuf&& other) noexcept : std::streambuf(other) { take(other); }
  file_streambuf& operator=(file_streambuf&& other) noexcept {
    if (this == &other) return *this;
    release();
    std::streambuf::operator=(other);
    take(other);
    return *this;
  }
  ~file_streambuf() override { release(); }

  // Why the last read that failed did. Nothing if none has.
  [[nodiscard]] const std::optional<error>& failure() const noexcept { return failure_; }
  // A read that fails sets badbit of this stream, which a stream buffer cannot do by itself without
  // exceptions. Null: of none. A moved buffer still reports to the same stream.
  void report_to(std::ios* stream) noexcept { stream_ = stream; }
  // Of the file, unpacked, in bytes.
  [[nodiscard]] std::uint64_t size() const noexcept { return reader_ ? reader_->size() : 0; }

 private:
  // What std::streambuf calls.
  int_type underflow() override {
    if (gptr() == egptr() && !fill()) return traits_type::eof();
    return traits_type::to_int_type(*gptr());
  }

  std::streamsize xsgetn(char* to, std::streamsize count) override {
    std::streamsize done = 0;
    while (done < count) {
      const std::streamsize wanted = count - done;
      if (gptr() != egptr()) {
        const std::streamsize held = std::min<std::streamsize>(wanted, egptr() - gptr());
        std::memcpy(to + done, gptr(), static_cast<std::size_t>(held));
        setg(eback(), gptr() + held, egptr());
        done += held;
      } else if (reader_ && static_cast<std::uint64_t>(wanted) >= buffer_bytes_) {
        const std::size_t got = read({to + done, static_cast<std::size_t>(wanted)});
        if (got == 0) break;
        forget_buffer();
        done += static_cast<std::streamsize>(got);
      } else if (!fill()) {
        break;
      }
    }
    return done;
  }

  // What is left of the file can all be read.
  std::streamsize showmanyc() override {
    const std::uint64_t left = size() - next();
    if (left == 0) return -1;
    return static_cast<std::streamsize>(std::min<std::uint64_t>(left, farthest));
  }

  int_type pbackfail(int_type wanted) override {
    const std::uint64_t at = next();
    if (at == 0) return traits_type::eof();
    if (gptr() == eback() && !fill_around(at)) return traits_type::eof();
    const char before = gptr()[-1];
    const bool any = traits_type::eq_int_type(wanted, traits_type::eof());
    if (!any && !traits_type::eq(traits_type::to_char_type(wanted), before)) {
      return traits_type::eof();
    }
    setg(eback(), gptr() - 1, egptr());
    return traits_type::to_int_type(before);
  }

  pos_type seekoff(off_type offset, std::ios_base::seekdir from,
                   std::ios_base::openmode which) override {
    const std::uint64_t bytes = size();
    std::uint64_t begin = 0;
    if (from == std::ios_base::cur) begin = next();
    if (from == std::ios_base::end) begin = bytes;
    const bool back = offset < 0;
    // What unsigned numbers give is right for the least offset too.
    const std::uint64_t distance =
        back ? 0 - static_cast<std::uint64_t>(offset) : static_cast<std::uint64_t>(offset);
    const bool outside = back ? distance > begin : distance > bytes - begin;
    if (!reader_ || outside || (which & std::ios_base::in) == 0) return pos_type(off_type(-1));
    const std::uint64_t target = back ? begin - distance : begin + distance;
    if (target > farthest) return pos_type(off_type(-1));
    move_to(target);
    return pos_type(static_cast<off_type>(target));
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override {
    return seekoff(off_type(position), std::ios_base::beg, which);
  }

  static constexpr std::size_t putback_bytes = 16;  // kept in front of what is read next
  static constexpr std::uint64_t farthest = std::numeric_limits<std::streamoff>::max();

  [[nodiscard]] std::size_t room_bytes() const noexcept { return putback_bytes + buffer_bytes_; }
  [[nodiscard]] std::uint64_t held() const noexcept {
    return static_cast<std::uint64_t>(egptr() - eback());
  }
  // The offset in the file of the next byte that is taken.
  [[nodiscard]] std::uint64_t next() const noexcept {
    return reader_ ? reader_->position() - static_cast<std::uint64_t>(egptr() - gptr()) : 0;
  }
  void forget_buffer() noexcept { setg(room_, room_, room_); }

  // At the reader's position, where the buffer ends. How many bytes: 0 at the end, and on an error.
  std::size_t read(std::span<char> to) {
    const result<std::size_t> got = reader_->read(std::as_writable_bytes(to));
    if (got) return *got;
    failure_ = got.error();
    if (stream_) stream_->setstate(std::ios_base::badbit);  // may throw, if the host asked for it
    return 0;
  }

  // Once the buffer is used up. False at the end, and on an error.
  bool fill() {
    if (!reader_) return false;
    const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(held(), putback_bytes));
    std::memmove(room_, egptr() - kept, kept);
    setg(room_, room_ + kept, room_ + kept);
    const std::size_t got = read({room_ + kept, buffer_bytes_});
    setg(room_, room_ + kept, room_ + kept + got);
    return got != 0;
  }

  // Fills the buffer with what is on both sides of `at`, which is where to go on.
  bool fill_around(std::uint64_t at) {
    const std::uint64_t before = std::min<std::uint64_t>(at, (buffer_bytes_ + 1) / 2);
    if (!reader_->seek(at - before)) return false;
    forget_buffer();
    const bool filled = fill();
    if (!filled || held() < before) {
      (void)reader_->seek(at);
      forget_buffer();
      return false;
    }
    setg(eback(), eback() + before, egptr());
    return true;
  }

  void move_to(std::uint64_t target) noexcept {
    const std::uint64_t end = reader_->position();
    if (target <= end && end - target <= held()) {
      setg(eback(), egptr() - (end - target), egptr());
    } else if (reader_->seek(target)) {  // it is in the file, as seekoff() knows
      forget_buffer();
    }
  }

  void take(file_streambuf& other) noexcept {
    reader_ = std::exchange(other.reader_, std::nullopt);
    memory_ = other.memory_;
    room_ = std::exchange(other.room_, nullptr);
    buffer_bytes_ = other.buffer_bytes_;
    failure_ = std::exchange(other.failure_, std::nullopt);
    stream_ = std::exchange(other.stream_, nullptr);
    other.forget_buffer();
  }
  void release() noexcept {
    if (room_) memory_->deallocate(room_, room_bytes(), 1, memory_tag::vfs);
    room_ = nullptr;
  }

  std::optional<file_reader> reader_;  // its position is where the buffer ends
  allocator* memory_ = nullptr;
  char* room_ = nullptr;
  std::size_t buffer_bytes_ = 0;
  std::optional<error> failure_;
  std::ios* stream_ = nullptr;
};

// The stream with its buffer.
class file_istream : public std::istream {
 public:
  // failbit is set if the file cannot be opened, and failure() is the error, one of those of
  // file_reader::open(). Any thread.
  file_istream(file_system& files, asset_path path, const file_reader_config& config = {})
      : std::istream(nullptr) {
    result<file_streambuf> opened = file_streambuf::open(files, path, config);
    if (opened) {
      buffer_ = *std::move(opened);
    } else {
      not_opened_ = opened.error();
    }
    begin();
  }
  // Reads on where the buffer is.
  explicit file_istream(file_streambuf buffer) : std::istream(nullptr), buffer_(std::move(buffer)) {
    begin();
  }
  // What was moved from has no file and is at its end.
  file_istream(file_istream&& other) noexcept
      : std::istream(static_cast<std::istream&&>(other)),
        buffer_(std::move(other.buffer_)),
        not_opened_(other.not_opened_) {
    set_rdbuf(&buffer_);
    buffer_.report_to(this);
  }
  file_istream& operator=(file_istream&& other) noexcept {
    std::istream::operator=(static_cast<std::istream&&>(other));
    buffer_ = std::move(other.buffer_);
    buffer_.report_to(this);
    not_opened_ = other.not_opened_;
    return *this;
  }

  // Why the file could not be opened, or why the last read that failed did. Nothing if none has,
  // also after clear(). file_system::explain() makes a sentence of it.
  [[nodiscard]] const std::optional<error>& failure() const noexcept {
    return not_opened_ ? not_opened_ : buffer_.failure();
  }
  // Of the file, unpacked, in bytes; 0 if it is not open.
  [[nodiscard]] std::uint64_t size() const noexcept { return buffer_.size(); }
  [[nodiscard]] file_streambuf* rdbuf() const noexcept {
    return const_cast<file_streambuf*>(&buffer_);
  }

 private:
  void begin() {
    std::ios::rdbuf(&buffer_);
    buffer_.report_to(this);
    if (not_opened_) setstate(std::ios_base::failbit);
  }

  file_streambuf buffer_;
  std::optional<error> not_opened_;
};

}  // namespace overture

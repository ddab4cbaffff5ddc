// SPDX-License-Identifier: Zlib
//
// file_read: one file, read and verified asynchronously. What is under read_file() and
// decode_file().
#pragma once

#include "load/room_turn.hpp"
#include "overture/load/read_file.hpp"

namespace overture::load_detail {

struct read_means {
  file_system& files;
  read_queue& reads;
  job_system& jobs;
  buffer_pool& buffers;
  job_group* group = nullptr;  // of its jobs
};

struct read_wishes {
  load_priority priority = load_priority::normal;
  read_cancellation* cancel = nullptr;
  std::uint64_t deadline_ns = 0;
  std::uint32_t subject = UINT32_MAX;  // for the timeline
  std::uint64_t bytes_max = 0;  // so much of its beginning is enough, if it can be read in part
};

// The main path: start -> open -> (room) -> read -> unpack -> ended(). Each is a step in a job;
// where nothing is to be waited for, the next follows in the same job.
class file_read : private executor, protected room_turn {
 public:
  file_read(const read_means& with, const read_wishes& wishes) noexcept
      : with_(with), wishes_(wishes) {}
  file_read(const file_read&) = delete;
  file_read& operator=(const file_read&) = delete;

  // Begins in a job. The text of the path must stay.
  void start(const asset_path& path) noexcept;

 protected:
  ~file_read() override = default;
  // Asked once the file is open: whether it may take this much memory. If not, it ends as refused.
  [[nodiscard]] virtual bool may_read(std::uint64_t /*bytes*/) noexcept { return true; }
  // The outcome, in a job. The room is still held: give it back once what it is for is gone.
  virtual void ended(result<blob> outcome) noexcept = 0;
  void give_room_back() noexcept;
  // Ends it, with what ended() is told.
  void end(result<blob> outcome) noexcept;

  [[nodiscard]] bool try_room() noexcept override;
  void has_room() noexcept override { read(); }
  [[nodiscard]] bool is_cancelled() const noexcept {
    return wishes_.cancel && wishes_.cancel->is_cancelled();
  }
  [[nodiscard]] const asset_path& path() const noexcept { return path_; }
  // Once it is open: the size of the whole file, and whether a part of it can be read alone. What
  // is compressed cannot. No checksum covers a part.
  [[nodiscard]] std::uint64_t whole_bytes() const noexcept { return whole_bytes_; }
  [[nodiscard]] bool has_parts() const noexcept { return has_parts_; }
  [[nodiscard]] const read_means& with() const noexcept { return with_; }
  // Takes more room of the ledger.
  [[nodiscard]] bool try_more(std::uint64_t bytes) noexcept;
  [[nodiscard]] memory_ledger& ledger() const noexcept { return *with_.files.ledger(); }

 private:
  void run_later(task work) noexcept override;
  void execute(task work) noexcept override;  // a read has ended
  void open() noexcept;
  void read() noexcept;
  void read_bytes(std::uint64_t bytes) noexcept;
  [[nodiscard]] bool is_part() const noexcept {
    return has_parts_ && wishes_.bytes_max != 0 && wishes_.bytes_max < whole_bytes_;
  }
  [[nodiscard]] std::uint64_t bytes_to_read() const noexcept;
  [[nodiscard]] std::uint64_t room_bytes() const noexcept;
  void unpack() noexcept;
  void take_part() noexcept;

  const read_means with_;
  const read_wishes wishes_;
  asset_path path_;
  opened_file file_;
  bool ticket_ = false;
  std::uint64_t room_ = 0;
  std::uint64_t whole_bytes_ = 0;
  bool has_parts_ = false;
  blob bytes_;
  read_request request_;
  meeting submitted_;  // of the thread that submits and the one that completes
};

}  // namespace overture::load_detail

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

  [[nodiscard]] bool try_room() noexcept override;
  void has_room() noexcept override { read(); }
  [[nodiscard]] bool is_cancelled() const noexcept {
    return wishes_.cancel && wishes_.cancel->is_cancelled();
  }
  [[nodiscard]] const asset_path& path() const noexcept { return path_; }
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
  void unpack() noexcept;
  void end(result<blob> outcome) noexcept;

  const read_means with_;
  const read_wishes wishes_;
  asset_path path_;
  opened_file file_;
  bool ticket_ = false;
  std::uint64_t room_ = 0;
  blob bytes_;
  read_request request_;
  meeting submitted_;  // of the thread that submits and the one that completes
};

}  // namespace overture::load_detail

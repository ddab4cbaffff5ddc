// SPDX-License-Identifier: Zlib
#include "io_ring.hpp"

#include <fcntl.h>
#include <liburing.h>
#include <unistd.h>

namespace bench {

bool has_ring() {
  io_uring ring{};
  if (io_uring_queue_init(4, &ring, 0) != 0) return false;
  io_uring_queue_exit(&ring);
  return true;
}

bool read_with_ring(std::span<const ring_read> reads, unsigned depth) {
  io_uring ring{};
  if (io_uring_queue_init(depth, &ring, 0) != 0) return false;
  std::vector<int> files(reads.size());
  std::size_t begun = 0;
  std::size_t ended = 0;
  bool good = true;
  while (ended < reads.size()) {
    while (begun < reads.size() && begun - ended < depth) {
      const ring_read& next = reads[begun];
      files[begun] = next.path ? open(next.path, O_RDONLY | O_CLOEXEC) : next.file;
      io_uring_sqe* const entry = io_uring_get_sqe(&ring);
      io_uring_prep_read(entry, files[begun], next.bytes.data(),
                         static_cast<unsigned>(next.bytes.size()), next.offset);
      io_uring_sqe_set_data64(entry, begun++);
    }
    (void)io_uring_submit_and_wait(&ring, 1);
    io_uring_cqe* done = nullptr;
    while (io_uring_peek_cqe(&ring, &done) == 0) {
      const auto at = static_cast<std::size_t>(io_uring_cqe_get_data64(done));
      good = good && done->res == static_cast<int>(reads[at].bytes.size());
      io_uring_cqe_seen(&ring, done);
      if (reads[at].path) (void)close(files[at]);
      ++ended;
    }
  }
  io_uring_queue_exit(&ring);
  return good;
}

}  // namespace bench

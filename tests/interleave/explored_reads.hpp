// SPDX-License-Identifier: Zlib
//
// What the tests of the read queue share: files of one byte, a request that counts its completions,
// and the queue's settings. A read thread is one of the explorer's threads; a read is a copy.
#pragma once

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "overture/io/read_queue.hpp"
#include "support/refusing_os.hpp"

namespace overture::test {

class one_byte_files : public source_files, public refusing_os {
 public:
  result<open_source> source(source_id) noexcept override { return open_source{this, {1}}; }
  std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }
  result<std::size_t> read_at(os_handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    for (std::byte& each : bytes) each = static_cast<std::byte>(offset);
    return bytes.size();
  }
};

class one_file final : public one_byte_files {};

class here final : public executor {
 public:
  void execute(task work) noexcept override { work.run(work.context); }
};

struct counted {
  std::byte byte{};
  read_request request;
  interleave::variable<int> completions{0};

  counted(executor& on, std::uint64_t offset) {
    request.source = {0, 1};
    request.offset = offset;
    request.destination = {&byte, 1};
    request.on = &on;
    request.done = {[](void* self) {
                      auto& mine = *static_cast<counted*>(self);
                      mine.completions.write(mine.completions.read() + 1);
                    },
                    this};
  }
};

// Not under test, and has more atomics than the explorer can track: created before it runs.
inline buffer_pool shared_pool;

inline read_queue_config alone() {
  read_queue_config config;
  config.memory = &default_allocator();
  config.pool = &shared_pool;
  config.merge_bytes_max = 0;
  return config;
}

}  // namespace overture::test

// SPDX-License-Identifier: Zlib
//
// The stages of the pipeline, each a function. A stage says what became of the file and leaves the
// rest to advance(): it neither waits, nor queues, nor ends the file.
#pragma once

#include "load/loader.hpp"

namespace overture::load_detail {

// What becomes of an item after a stage.
enum class outcome : std::uint8_t {
  next,              // the next stage takes it
  needs_whole,       // back to admission: it cannot go in pieces
  needs_room,        // of the kind that it lacks; then the same stage again
  needs_time,        // more than this thread has: the same stage, on a worker
  needs_read,        // the next stage takes it when its request was read
  needs_one_thread,  // the next stage takes it on the thread of the sink
  done,              // the record says how
  failed,            // likewise
};

struct staged {
  outcome then = outcome::next;
  std::uint64_t bytes = 0;  // in the timeline
};

using staged_result = result<staged>;

// Skips a file that is to be left out.
staged_result choose(loader& by, load_item& item) noexcept;
// Asks the file system where its bytes are.
staged_result resolve(loader& by, load_item& item) noexcept;
// Takes room for the file: as a whole, or for pieces of it.
staged_result admit(loader& by, load_item& item) noexcept;
// In pieces.cpp. All of a file that goes in pieces.
staged_result check_in_pieces(loader& by, load_item& item) noexcept;
// Fills a buffer from the page cache, or has the read queue fill it.
staged_result read(loader& by, load_item& item) noexcept;
// Unpacks and verifies what was read.
staged_result unpack(loader& by, load_item& item) noexcept;
// In decode_stage.cpp.
staged_result decode(loader& by, load_item& item) noexcept;
// Leaves the asset to the thread of the sink.
staged_result hand_over(loader& by, load_item& item) noexcept;
// Gives the asset to the sink.
staged_result finalize(loader& by, load_item& item) noexcept;
staged_result finish(loader& by, load_item& item) noexcept;

// The number of the first decoder that accepts the item's content, or how many there are.
[[nodiscard]] std::size_t decoder_of(const load_state& load, const load_item& item) noexcept;

// How long reading and unpacking will take, and decoding.
[[nodiscard]] std::uint64_t read_ns(const load_state& load, const load_item& item) noexcept;
[[nodiscard]] std::uint64_t decode_ns(const load_state& load, const load_item& item) noexcept;

}  // namespace overture::load_detail

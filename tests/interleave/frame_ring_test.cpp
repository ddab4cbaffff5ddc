// SPDX-License-Identifier: Zlib
//
// The shipped ring of frames, and what is built on it: a song that is sought in while it plays, the
// thread that decodes it, and streams that end meanwhile.
#include "sounds/ring/frame_ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "overture/sync/event_count.hpp"
#include "sounds/ring/one_at_a_time.hpp"
#include "sounds/ring/playback.hpp"
#include "sounds/ring/stream_slots.hpp"

namespace overture::frame_ring_test {
namespace {

using namespace sounds_detail;

using interleave::at_once;
using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::expect_clean_nearby;
using interleave::run;
using interleave::variable;

// Frames of one byte.
template <std::size_t Pieces, std::size_t PieceFrames = 2>
struct small_ring {
  std::array<std::byte, Pieces * PieceFrames> frames{};
  std::array<piece_info, Pieces> infos{};
  frame_ring ring{frames, infos, PieceFrames};

  // Writes a piece of frames that are numbered from `first` on; false if the ring is full.
  bool write(std::uint64_t first, std::uint32_t generation = 1, bool last = false) {
    std::byte* const to = ring.begin_piece();
    if (to == nullptr) return false;
    for (std::size_t i = 0; i < PieceFrames; ++i) to[i] = static_cast<std::byte>(first + i);
    ring.end_piece({.first = first,
                    .frames = static_cast<std::uint32_t>(PieceFrames),
                    .generation = generation,
                    .last = last});
    return true;
  }
};

TEST(a_frame_ring_in_all_interleavings, hands_over_whole_pieces_in_order) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    small_ring<2> rings;
    unsigned written = 0;
    unsigned taken = 0;
    run({[&] {
           for (int tries = 0; tries < 4; ++tries) written += rings.write(2 * written) ? 1 : 0;
         },
         [&] {
           for (int tries = 0; tries < 4; ++tries) {
             const piece_info* const front = rings.ring.front();
             if (front == nullptr) continue;
             check(front->first == 2 * taken, "the oldest comes first");
             const std::byte* const frames = rings.ring.front_frames();
             check(frames[0] == static_cast<std::byte>(2 * taken), "its first frame");
             check(frames[1] == static_cast<std::byte>(2 * taken + 1), "its last frame");
             rings.ring.end_front();
             ++taken;
           }
         }});
    check(written - taken == rings.ring.pieces(), "nothing is lost");
    check(written >= 2 && written - taken <= 2, "there is room for two");
  }));
}

TEST(a_frame_ring_in_all_interleavings, counts_no_more_pieces_than_it_has) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    small_ring<1> rings;
    run({[&] {
           (void)rings.write(0);
           (void)rings.write(2);
         },
         [&] {
           if (rings.ring.front() != nullptr) rings.ring.end_front();
         },
         [&] { check(rings.ring.pieces() <= 1, "one at most"); }});
  }));
}

// What a codec would do: frames whose numbers are their values.
template <std::size_t Pieces>
struct small_song {
  small_ring<Pieces> rings;
  playback play{rings.ring};
  std::uint32_t generation = 1;
  std::uint64_t position = 0;

  bool decode() {
    if (!play.wants_frames()) return false;
    const song_place wants = play.wanted();
    if (wants.generation != generation) {
      generation = wants.generation;
      position = wants.frame;
    }
    (void)rings.write(position, generation);
    position += 2;
    return true;
  }
  // Reads up to `count` frames.
  std::vector<int> read(std::size_t count, bool* room = nullptr) {
    bool freed = false;
    std::vector<int> heard;
    const std::size_t got =
        play.read(count, 1, freed, [&](const std::byte* from, std::size_t frames) {
          for (std::size_t i = 0; i < frames; ++i) heard.push_back(static_cast<int>(from[i]));
        });
    check(got == heard.size(), "as many as it says");
    if (room != nullptr) *room = freed;
    return heard;
  }
};

TEST(a_song_in_all_interleavings, plays_nothing_from_before_a_seek_once_it_has_seen_it) {
  expect_clean_nearby([] {
    small_song<2> song;
    int seen = -1;
    run({[&] {
           for (int turns = 0; turns < 4; ++turns) (void)song.decode();
         },
         [&] {
           for (int reads = 0; reads < 4; ++reads) {
             for (const int frame : song.read(2)) {
               check(frame == seen + 1 || (frame == 100 && seen < 100),
                     "frames follow each other, but for the seek");
               seen = frame;
             }
           }
         },
         [&] {
           song.play.seek(100);
           check(song.play.position() >= 100, "the position is that of the seek at once");
         }});
    while (song.decode()) {
    }
    const std::vector<int> after = song.read(4);
    check(after.empty() || after.front() >= 100, "after the seek");
    check(song.play.position() >= 100, "and stays there");
  });
}

TEST(a_song_in_all_interleavings, ends_once_and_begins_again_after_a_seek) {
  expect_clean_nearby([] {
    small_song<2> song;
    run({[&] {
           (void)song.rings.write(0, 1, true);
           song.play.finish(1);
         },
         [&] {
           const std::vector<int> heard = song.read(4);
           check(song.play.ended() == (heard.size() == 2), "the last piece is the end");
           if (!heard.empty()) check(song.play.underruns() == 0, "which is no underrun");
           song.play.seek(50);
           check(!song.play.ended(), "a seek goes on");
           check(song.play.wants_frames() || song.rings.ring.is_full(), "and wants frames");
         }});
  });
}

// The reader wakes the decoder whenever it has made room.
TEST(a_song_in_all_interleavings, does_not_leave_its_decoder_asleep_with_room_in_the_ring) {
  expect_clean_nearby([] {
    small_song<1> song;
    event_count changed;
    variable<int> pieces(0);
    run({[&] {
           while (pieces.read() < 3) {
             if (song.decode()) {
               pieces.write(pieces.read() + 1);
               continue;
             }
             changed.await([&] { return song.play.wants_frames(); }, at_once);
           }
         },
         [&] {
           int heard = 0;
           while (heard < 4) {
             bool freed = false;
             heard += static_cast<int>(song.read(2, &freed).size());
             if (freed) changed.notify_one();
             if (heard < 4) interleave::let_others_run();
           }
         }});
  });
}

class counted_source final : public decode_source {
 public:
  [[nodiscard]] bool wants_turn() const noexcept override { return turns_.read() < 1; }
  void take_turn() noexcept override { turns_.write(turns_.read() + 1); }
  void end() { turns_.write(100); }

 private:
  variable<int> turns_{0};
};

TEST(slots_of_streams_in_all_interleavings, let_a_stream_end_only_when_no_thread_decodes_it) {
  expect_clean_nearby([] {
    stream_slots<2> slots;
    run({[&] {
           for (int rounds = 0; rounds < 3; ++rounds) (void)slots.take_turns();
         },
         [&] {
           counted_source source;
           auto* const slot = slots.add(source);
           check(slot != nullptr, "there is one");
           slots.remove(*slot);
           source.end();  // a race, if the thread were still there
         },
         [&] {
           counted_source source;
           auto* const slot = slots.add(source);
           check(slot != nullptr, "there is another");
           slots.remove(*slot);
           source.end();
         }});
    check(slots.is_empty(), "all are gone");
  });
}

TEST(jobs_of_a_stream_in_all_interleavings, decode_one_at_a_time_and_leave_nothing) {
  expect_clean_nearby([] {
    one_at_a_time turns;
    atomic<int> wanted{0};
    variable<int> done(0);
    const auto job = [&] {
      wanted.fetch_add(1, std::memory_order_release);
      turns.run([&] { return wanted.load(std::memory_order_acquire) > 0; },
                [&] {
                  done.write(done.read() + 1);
                  wanted.fetch_sub(1, std::memory_order_acq_rel);
                });
    };
    run({job, job, job});
    check(done.read() == 3, "what was wanted was done");
  });
}

}  // namespace
}  // namespace overture::frame_ring_test

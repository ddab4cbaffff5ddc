// SPDX-License-Identifier: Zlib
//
// How a stream is read: rings, threads, jobs, its end, and what it costs.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "overture/jobs/single_threaded.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "sounds/stage.hpp"
#include "support/failing_allocator.hpp"
#include "support/guards.hpp"
#include "support/temp_folder.hpp"

namespace overture::sound_stream_test {
namespace {

using namespace test;

std::vector<float> whole_song(stage& songs) {
  sound_stream stream = songs.open();
  return play<float>(stream);
}

// Reads to the end of a stream that others decode; a short read is tried again.
std::vector<float> play_with_others(sound_stream& stream) {
  std::vector<float> heard;
  std::vector<float> block(500 * std::size_t{stream.channels()});
  while (!stream.ended()) {
    const std::size_t got = stream.read(std::span(block)) * stream.channels();
    heard.insert(heard.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got));
    if (got == 0) std::this_thread::yield();
  }
  return heard;
}

TEST(a_stream, gives_the_same_however_much_is_read_at_once) {
  stage songs(wav_song({.frames = 20'000}));
  const std::vector<float> whole = whole_song(songs);
  ASSERT_EQ(whole.size(), 40'000u);
  for (const std::size_t at_once : {1u, 3u, 1023u, 1024u, 1025u, 5000u, 40'000u}) {
    sound_stream stream = songs.open({.ring_frames = 2048});
    EXPECT_EQ(play<float>(stream, SIZE_MAX, at_once), whole) << at_once;
  }
}

TEST(a_stream, decodes_no_more_than_its_ring_holds) {
  stage songs(wav_song());
  sound_stream stream = songs.open({.ring_frames = 4000});
  EXPECT_FALSE(stream.decode()) << "the ring is full";
  std::vector<float> block(2 * 60'000);
  EXPECT_EQ(stream.read(std::span(block)), 4096u) << "whole pieces";
}

TEST(a_stream, decodes_a_piece_at_a_time_if_asked) {
  stage songs(wav_song());
  sound_stream stream = songs.open();
  std::vector<float> block(2 * 3000);
  EXPECT_EQ(stream.read(std::span(block)), 1024u) << "open() decodes the first";
  EXPECT_TRUE(stream.decode(2));
  EXPECT_EQ(stream.read(std::span(block)), 2048u);
}

TEST(a_stream, counts_underruns_and_fills_up_with_silence) {
  stage songs(wav_song({.frames = 3000}));
  sound_stream stream = songs.open();
  std::vector<float> block(2 * 2000, 9.0f);
  EXPECT_EQ(stream.read(std::span(block)), 1024u);
  EXPECT_EQ(stream.underruns(), 1u);
  EXPECT_EQ(block[2 * 1024], 0.0f);
  EXPECT_EQ(block.back(), 0.0f);
  EXPECT_EQ(stream.position(), 1024u) << "silence is no part of the song";
  EXPECT_EQ(stream.read(std::span(block)), 0u);
  EXPECT_EQ(stream.underruns(), 2u);
  stream.decode();
  EXPECT_EQ(stream.read(std::span(block)), 1976u);
  EXPECT_TRUE(stream.ended());
  EXPECT_EQ(stream.read(std::span(block)), 0u);
  EXPECT_EQ(stream.underruns(), 2u) << "the end is none";
  EXPECT_FALSE(stream.decode(1)) << "nothing comes after it";
}

TEST(a_stream, leaves_what_is_no_whole_frame_silent) {
  stage songs(wav_song());
  sound_stream stream = songs.open();
  std::vector<float> block(7, 9.0f);
  EXPECT_EQ(stream.read(std::span(block)), 3u);
  EXPECT_EQ(block[6], 0.0f);
  EXPECT_EQ(stream.read(std::span<float>{}), 0u);
  EXPECT_EQ(stream.position(), 3u);
}

TEST(a_stream, of_a_packed_song_finds_its_length_when_asked) {
  const bytes file = vorbis_song({.frames = 600'000});
  ASSERT_GT(file.size(), 140'000u) << "large enough to be unpacked in pieces";
  stage songs(file);
  sound_stream stream = songs.open({}, "packed"_path);
  EXPECT_EQ(stream.length(), 0u);
  stream.decode(1);
  EXPECT_EQ(stream.length(), 600'000u);
  sound_stream stored = songs.open();
  EXPECT_EQ(stored.length(), 600'000u);
  EXPECT_EQ(play<float>(stream, 100'000), play<float>(stored, 100'000));
}

TEST(a_stream, may_be_moved) {
  stage songs(wav_song());
  const std::vector<float> whole = whole_song(songs);
  sound_stream first = songs.open();
  sound_stream second = std::move(first);
  first = songs.open();
  first = std::move(second);
  EXPECT_EQ(play<float>(first), whole);
}

TEST(a_stream, is_decoded_by_a_thread_of_sounds) {
  sound_thread thread;
  ASSERT_TRUE(thread.status());
  for (const format_of_songs& format : song_formats()) {
    stage songs(format.make({.frames = 30'000}));
    const std::vector<float> whole = whole_song(songs);
    sound_stream stream = songs.open({.thread = &thread});
    EXPECT_FALSE(stream.decode()) << "is the thread's";
    EXPECT_EQ(play_with_others(stream), whole) << format.name;
  }
}

TEST(a_stream, is_decoded_by_jobs) {
  thread_pool jobs{{.workers = 2}};
  for (const format_of_songs& format : song_formats()) {
    stage songs(format.make({.frames = 30'000}));
    const std::vector<float> whole = whole_song(songs);
    sound_stream stream = songs.open({.jobs = &jobs});
    EXPECT_EQ(play_with_others(stream), whole) << format.name;
  }
}

TEST(a_stream, is_decoded_by_jobs_that_run_when_the_program_lets_them) {
  stage songs(wav_song({.frames = 30'000}));
  const std::vector<float> whole = whole_song(songs);
  single_threaded jobs;
  sound_stream stream = songs.open({.jobs = &jobs});
  std::vector<float> heard;
  std::vector<float> block(2 * 4000);
  while (!stream.ended()) {
    jobs.run_all();
    const std::size_t got = stream.read(std::span(block)) * 2;
    heard.insert(heard.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got));
  }
  EXPECT_EQ(heard, whole);
  EXPECT_EQ(stream.underruns(), 0u);
}

// A pool without room runs jobs inside of submit().
TEST(a_stream, does_not_decode_in_read_where_jobs_run_at_once) {
  stage songs(wav_song());
  failing_allocator none(0, true);
  single_threaded jobs({.memory = &none});
  sound_stream stream = songs.open({.jobs = &jobs});
  std::vector<float> block(2 * 60'000);
  const std::size_t first = stream.read(std::span(block));
  EXPECT_EQ(stream.read(std::span(block)), 0u) << "nothing was decoded by the read before";
  EXPECT_GE(first, 1024u);
  stream.seek(0);
  EXPECT_GT(stream.read(std::span(block)), 0u) << "a seek may decode";
}

TEST(a_stream, belongs_to_a_thread_or_to_jobs_but_not_to_both) {
  stage songs(wav_song());
  sound_thread thread;
  single_threaded jobs;
  EXPECT_EQ(songs.try_open({.thread = &thread, .jobs = &jobs}).error().code, errc::invalid);
}

TEST(a_stream, of_many_shares_one_thread) {
  stage songs(wav_song({.frames = 20'000}));
  const std::vector<float> whole = whole_song(songs);
  sound_thread thread;
  std::vector<sound_stream> streams;
  for (int i = 0; i < 64; ++i) {
    streams.push_back(songs.open({.thread = &thread, .ring_frames = 2048}));
  }
  const result<sound_stream> one_more = songs.try_open({.thread = &thread});
  ASSERT_FALSE(one_more);
  EXPECT_EQ(one_more.error().code, errc::limit);
  for (sound_stream& each : streams) ASSERT_EQ(play_with_others(each), whole);
  streams.clear();
  EXPECT_TRUE(songs.try_open({.thread = &thread}));
}

TEST(a_stream, may_end_while_it_is_decoded) {
  stage songs(vorbis_song());
  sound_thread thread;
  thread_pool jobs{{.workers = 1}};
  for (int i = 0; i < 40; ++i) {
    sound_stream by_thread = songs.open({.thread = &thread});
    sound_stream by_jobs = songs.open({.jobs = &jobs});
    by_thread.seek(static_cast<std::uint64_t>(i) * 1000);
    by_jobs.seek(static_cast<std::uint64_t>(i) * 1000);
  }
}

TEST(a_stream, is_sought_by_one_thread_and_read_by_another) {
  stage songs(wav_song());
  const std::vector<float> whole = whole_song(songs);
  sound_thread thread;
  sound_stream stream = songs.open({.thread = &thread, .ring_frames = 2048});
  std::atomic<bool> done{false};
  std::thread seeks([&] {
    for (std::uint64_t i = 0; i < 300; ++i) {
      stream.seek(i * 7919 % 50'000);
      (void)stream.position();
      (void)stream.status();
      std::this_thread::yield();
    }
    done.store(true);
  });
  std::vector<float> block(2 * 100);
  while (!done.load()) {
    const std::size_t got = stream.read(std::span(block));
    (void)got;
  }
  seeks.join();
  // What comes after the last seek is what belongs there.
  stream.seek(12'345);
  std::size_t got = 0;
  while (got == 0) got = stream.read(std::span(block));
  EXPECT_EQ(part(block, 2, 0, got), part(whole, 2, 12'345, got));
}

TEST(a_stream, plays_on_when_its_mount_is_gone) {
  for (const asset_path& path : {"stored"_path, "packed"_path}) {
    stage songs(vorbis_song());
    const std::vector<float> whole = whole_song(songs);
    file_system& files = songs.tree.files;
    files.thaw();
    sound_stream stream = songs.open({}, path);
    ASSERT_TRUE(files.unmount(*songs.tree.outcome));
    EXPECT_EQ(songs.try_open().error().code, errc::not_found);
    EXPECT_EQ(play<float>(stream), whole);
    stream.seek(20'000);
    EXPECT_EQ(play<float>(stream), part(whole, 2, 20'000));
    EXPECT_EQ(stream.status().damages, 0u);
  }
}

TEST(a_stream, ends_with_an_error_that_names_the_file_where_that_cannot_be_read) {
  for (const format_of_songs& format : song_formats()) {
    stage songs(format.make({}));
    sound_stream stream = songs.open({.ring_frames = 2048});
    songs.tree.os.change(std::string_view(songs.tree.bytes).substr(0, 6000));
    const std::vector<float> heard = play<float>(stream);
    EXPECT_TRUE(stream.ended()) << format.name;
    const sound_status now = stream.status();
    EXPECT_TRUE(now.stopped) << format.name;
    EXPECT_EQ(now.first.code, errc::truncated) << format.name << now.first.reason;
    EXPECT_EQ(now.first.path, ("stored"_path).id);
    EXPECT_NE(now.first.source, source_id{});
    EXPECT_GT(now.frame, 0u) << format.name;
    char sentence[256];
    songs.tree.files.explain(now.first, sentence);
    EXPECT_NE(std::string(sentence).find("test.zip"), std::string::npos) << sentence;
    stream.seek(10);
    EXPECT_TRUE(play<float>(stream).empty()) << "and stays ended";
    EXPECT_TRUE(stream.ended());
  }
}

TEST(a_stream, does_not_allocate_or_lock_in_read) {
  stage songs(vorbis_song());
  sound_thread thread;
  thread_pool jobs{{.workers = 1}};
  for (const sound_stream_config& config :
       {sound_stream_config{}, sound_stream_config{.thread = &thread},
        sound_stream_config{.jobs = &jobs}}) {
    sound_stream stream = songs.open(config);
    std::vector<float> floats(2 * 512);
    std::vector<std::int16_t> integers(2 * 512);
    (void)stream.read(std::span(floats));  // a thread's first submit takes its place in the pool
    while (!stream.ended()) {
      stream.decode();
      test::no_alloc_scope no_alloc;
      test::no_lock_scope no_lock;
      (void)stream.read(std::span(floats));
      (void)stream.read(std::span(integers));
      (void)stream.position();
      (void)stream.status();
    }
  }
}

TEST(a_stream, reports_each_refusal_of_memory) {
  for (const format_of_songs& format : song_formats()) {
    stage songs(format.make({.frames = 12'000}));
    for (const asset_path& path : {"stored"_path, "packed"_path}) {
      for (std::uint64_t call = 0;; ++call) {
        ASSERT_LT(call, 100u);
        failing_allocator memory(call, true);
        {
          result<sound_stream> opened =
              songs.try_open({.repeat = sound_repeat::always, .memory = &memory}, path);
          if (opened) {
            // What is refused later ends the song with an error.
            (void)play<float>(*opened, 30'000);
            if (memory.refusals() == 0) {
              EXPECT_FALSE(opened->status().stopped);
              break;
            }
            EXPECT_EQ(opened->status().first.code, errc::out_of_memory) << format.name;
          } else {
            EXPECT_EQ(opened.error().code, errc::out_of_memory) << format.name << call;
          }
        }
        EXPECT_EQ(memory.live_bytes(), 0);
      }
    }
  }
}

TEST(a_stream, is_refused_where_it_would_take_more_memory_than_it_may) {
  stage songs(vorbis_song());
  EXPECT_EQ(songs.try_open({.memory_bytes_max = 100'000}).error().code, errc::limit);
  EXPECT_EQ(songs.try_open({.ring_frames = 4'000'000}).error().code, errc::limit);
  EXPECT_EQ(songs.try_open({.memory_bytes_max = 0}).error().code, errc::limit);
}

TEST(a_sound_thread, that_cannot_be_started_says_why) {
  class no_threads final : public thread_factory {
   public:
    result<thread_handle> start(const thread_options&, void (*)(void*) noexcept, void*) override {
      return fail(errc::limit, "no threads here");
    }
    void join(thread_handle) noexcept override {}
  } none;
  stage songs(wav_song());
  sound_thread thread({.threads = &none});
  ASSERT_FALSE(thread.status());
  EXPECT_EQ(thread.status().error().code, errc::limit);
  EXPECT_EQ(songs.try_open({.thread = &thread}).error().code, errc::limit);
  failing_allocator memory(0, true);
  sound_thread other({.memory = &memory});
  EXPECT_EQ(other.status().error().code, errc::out_of_memory);
}

}  // namespace
}  // namespace overture::sound_stream_test

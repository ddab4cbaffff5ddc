// SPDX-License-Identifier: Zlib
#include "watch/model/read_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "recording_file.hpp"

namespace overture::watch {
namespace {

// Two threads, two names, a few events of each kind of number.
recording_file example() {
  recording_file file(2);
  const std::uint32_t program = file.name("/game/bin/game");
  const std::uint32_t picture = file.name("/game/data/a.png");
  file.set(offsetof(process_head, program), program);
  file.set(offsetof(process_head, main_ns), 500);
  file.set(offsetof(process_head, end_ns), 90'000);
  const std::size_t main = file.thread(42, "game", 10);
  const std::size_t loader = file.thread(43, "loader", 1'000);
  file.set_in_thread(loader, offsetof(thread_entry, end_ns), 80'000);
  file.own_chunk(0, main);
  file.own_chunk(1, loader);
  file.event(0, 0, {.kind = event_kind::open, .begin_ns = 2'000, .took_ns = 300, .id = picture});
  file.event(0, 1,
             {.kind = event_kind::zone,
              .begin_ns = 3'000,
              .took_ns = 900,
              .id = static_cast<std::uint32_t>(zone_number::png_read_image)});
  file.event(0, 2,
             {.kind = event_kind::read,
              .begin_ns = 3'100,
              .took_ns = 100,
              .id = picture,
              .caller = 0x1234,
              .value = at_place(4096, 512)});
  file.event(1, 0,
             {.kind = event_kind::wait_mutex, .begin_ns = 5'000, .took_ns = 700, .value = 0xABC0});
  return file;
}

TEST(read_process, has_what_the_recorder_wrote) {
  const auto read = read_process(example().bytes(), 0);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->program, "/game/bin/game");
  EXPECT_EQ(read->pid, 42u);
  EXPECT_EQ(read->main_ns, 500u);
  EXPECT_TRUE(read->has_ended);
  EXPECT_EQ(read->end_ns, 90'000u);
  ASSERT_EQ(read->threads.size(), 2u);
  const watched_thread& main = read->threads[0];
  EXPECT_TRUE(main.is_main);
  EXPECT_EQ(main.end_ns, 90'000u);
  ASSERT_EQ(main.events.size(), 3u);
  EXPECT_EQ(main.events[0].kind, event_kind::open);
  EXPECT_EQ(read->name(main.events[0].id), "/game/data/a.png");
  EXPECT_STREQ(zone_of(main.events[1].id).function, "png_read_image");
  EXPECT_EQ(main.events[2].caller, 0x1234u);
  EXPECT_EQ(place_in(main.events[2].value), 4096u);
  EXPECT_EQ(bytes_in(main.events[2].value), 512u);
  EXPECT_EQ(read->threads[1].name, "loader");
  EXPECT_EQ(read->threads[1].end_ns, 80'000u);
}

TEST(read_process, counts_from_when_the_command_started_the_program) {
  recording_file file = example();
  file.set(offsetof(process_head, started_ns), 1'000'000 - 7'000);
  const auto read = read_process(file.bytes(), 0);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->is_first);
  EXPECT_EQ(read->recorder_ns, 7'000u);
  EXPECT_EQ(read->main_ns, 7'500u);
  EXPECT_EQ(read->threads[0].events[0].begin_ns, 9'000u);
  EXPECT_EQ(read->end_ns, 97'000u);
}

TEST(read_process, ends_a_killed_process_when_it_was_gone) {
  recording_file file = example();
  file.set(offsetof(process_head, end_ns), 0);
  EXPECT_EQ(read_process(file.bytes(), 1'000'000 + 70'000)->end_ns, 80'000u) << "a thread's end";
  EXPECT_EQ(read_process(file.bytes(), 1'000'000 + 99'000)->end_ns, 99'000u);
  EXPECT_FALSE(read_process(file.bytes(), 0)->has_ended);
}

TEST(read_process, adds_a_wait_that_had_not_ended) {
  recording_file file = example();
  file.set_in_thread(0, offsetof(thread_entry, waits_since_ns), 10'001);
  file.set_in_thread(0, offsetof(thread_entry, waits_kind),
                     static_cast<std::uint64_t>(event_kind::wait_condition));
  file.set_in_thread(0, offsetof(thread_entry, waits_for), 0xABC0);
  const auto read = read_process(file.bytes(), 0);
  const watched_event& last = read->threads[0].events.back();
  EXPECT_EQ(last.kind, event_kind::wait_condition);
  EXPECT_EQ(last.begin_ns, 10'000u);
  EXPECT_EQ(last.end_ns, 90'000u);
  EXPECT_EQ(last.value, 0xABC0u);
}

TEST(read_process, cuts_what_outlasts_the_event_around_it) {
  recording_file file = example();
  file.event(0, 3, {.kind = event_kind::list, .begin_ns = 3'500, .took_ns = 1'000});
  const auto read = read_process(file.bytes(), 0);
  for (const watched_event& each : read->threads[0].events) {
    if (each.kind != event_kind::list) continue;
    EXPECT_EQ(each.end_ns, 3'900u);
    EXPECT_EQ(each.took_ns, 1'000u);
  }
}

TEST(read_process, knows_where_the_program_called_what_a_library_does) {
  recording_file file = example();
  file.set(offsetof(process_head, module_count), 2);
  const std::uint32_t library = file.name("/usr/lib/libpng16.so.16");
  const std::uint64_t modules[2][3] = {{0x1000, 0x2000, 1}, {0x7000, 0x9000, library}};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      file.set(offsetof(process_head, modules) + i * sizeof(code_module) + j * 8, modules[i][j]);
    }
  }
  const auto at = [&](std::size_t slot, event_kind kind, std::uint64_t begin_ns,
                      std::uint64_t took_ns, std::uint64_t caller) {
    file.event(0, slot, {.kind = kind, .begin_ns = begin_ns, .took_ns = took_ns, .caller = caller});
  };
  at(3, event_kind::zone, 10'000, 1'000, 0x1800);
  at(4, event_kind::read, 10'100, 100, 0x7100);
  at(5, event_kind::read, 12'000, 100, 0x7100);
  const auto read = read_process(file.bytes(), 0);
  ASSERT_TRUE(read);
  const std::vector<watched_event>& events = read->threads[0].events;
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[4].caller, 0x7100u);
  EXPECT_EQ(events[4].place(), 0x1800u);
  EXPECT_EQ(events[5].place(), 0x7100u) << "nothing of the program is around it";
}

TEST(read_process, refuses_other_files) {
  EXPECT_FALSE(read_process("", 0));
  EXPECT_FALSE(read_process("OVWATCH", 0));
  EXPECT_FALSE(read_process(std::string(chunks_at, 'x'), 0));
  EXPECT_FALSE(read_process(std::string_view(magic, sizeof magic), 0)) << "no tables";
}

TEST(read_process, takes_a_file_that_was_cut) {
  recording_file file = example();
  const std::string whole = file.bytes();
  for (const std::size_t end :
       {names_at, names_at + 3, names_at + 20, chunks_at, chunks_at + chunk_bytes / 2,
        chunks_at + chunk_bytes, whole.size() - 1}) {
    const auto read = read_process(std::string_view(whole).substr(0, end), 0);
    ASSERT_TRUE(read) << end;
    EXPECT_EQ(read->threads.size(), 2u);
  }
}

TEST(read_process, leaves_out_what_makes_no_sense) {
  recording_file file = example();
  file.event(0, 3, {.kind = event_kind::zone, .begin_ns = 1, .id = 9'999});
  file.event(0, 4, {.kind = event_kind::read, .begin_ns = 1, .id = 77'777});
  file.set(slots_at + 8 * 5, ~std::uint64_t{0});
  file.set(offsetof(process_head, module_count), ~std::uint64_t{0});
  file.set(offsetof(process_head, chunk_count), ~std::uint64_t{0});
  file.set_in_thread(0, offsetof(thread_entry, waits_since_ns), 5);
  file.set_in_thread(0, offsetof(thread_entry, waits_kind), 250);
  const auto read = read_process(file.bytes(), 0);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->names.size(), 2u);
  ASSERT_EQ(read->threads[0].events.size(), 4u);
  EXPECT_EQ(read->threads[0].events[0].id, 0u) << "a name that is not there";
}

TEST(read_process, takes_any_bytes) {
  std::mt19937_64 random(55);
  for (int round = 0; round < 40; ++round) {
    recording_file file = example();
    std::string& bytes = file.bytes();
    for (int i = 0; i < 400; ++i) {
      // Mostly where something is.
      const std::size_t regions[] = {0, threads_at, slots_at, names_at, chunks_at};
      const std::size_t at = regions[random() % 5] + random() % 8192 / 8 * 8;
      if (at < sizeof magic || at + 8 > bytes.size()) continue;
      file.set(at, random() % 3 == 0 ? random() : random() % 5000);
    }
    const auto read = read_process(bytes, random());
    ASSERT_TRUE(read);
    for (const watched_thread& thread : read->threads) {
      for (const watched_event& each : thread.events) {
        ASSERT_LE(each.begin_ns, each.end_ns);
        ASSERT_LE(each.id, std::max<std::size_t>(read->names.size(),
                                                 static_cast<std::size_t>(zone_number::count)));
      }
    }
  }
}

}  // namespace
}  // namespace overture::watch

// SPDX-License-Identifier: Zlib
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.hpp"
#include "watch/model/anonymous.hpp"
#include "watch/model/first_uses.hpp"
#include "watch/model/load_view.hpp"
#include "watch/model/samples.hpp"
#include "watch/model/tables.hpp"

namespace overture::watch {
namespace {

TEST(packed_event, keeps_every_number) {
  const plain_event all{.kind = event_kind::frame,
                        .flags = 0xFF,
                        .begin_ns = (std::uint64_t{1} << 48) - 1,
                        .took_ns = (std::uint64_t{1} << 40) - 1,
                        .id = 0xFFFFFF,
                        .caller = (std::uint64_t{1} << 48) - 1,
                        .detail = 0xFFFF,
                        .value = ~std::uint64_t{0}};
  packed_event packed;
  pack(all, packed);
  const std::uint64_t words[4] = {packed.words[0], packed.words[1], packed.words[2],
                                  packed.words[3]};
  const plain_event back = unpacked(words);
  EXPECT_EQ(back.kind, all.kind);
  EXPECT_EQ(back.flags, all.flags);
  EXPECT_EQ(back.begin_ns, all.begin_ns);
  EXPECT_EQ(back.took_ns, all.took_ns);
  EXPECT_EQ(back.id, all.id);
  EXPECT_EQ(back.caller, all.caller);
  EXPECT_EQ(back.detail, all.detail);
  EXPECT_EQ(back.value, all.value);
}

TEST(packed_event, cuts_numbers_to_the_largest) {
  packed_event packed;
  pack({.kind = event_kind::read, .begin_ns = ~std::uint64_t{0}, .took_ns = ~std::uint64_t{0}},
       packed);
  const std::uint64_t words[4] = {packed.words[0], packed.words[1], packed.words[2],
                                  packed.words[3]};
  EXPECT_EQ(unpacked(words).kind, event_kind::read);
  EXPECT_EQ(unpacked(words).took_ns, (std::uint64_t{1} << 40) - 1);
}

TEST(wakes, are_the_last_release_before_the_wait_ended) {
  made_up process;
  made_up_thread waiter = process.thread("waiter", 0);
  made_up_thread other = process.thread("other", 0);
  waiter.wait(event_kind::wait_mutex, 10_ms, 20_ms, 0xA);
  waiter.release(29_ms, 0xA);  // its own do not count
  process.main().release(12_ms, 0xA);
  other.release(28_ms, 0xA);
  other.release(31_ms, 0xA);
  process.main().release(29_ms, 0xB);
  const watched_process& done = process.done(100_ms);
  ASSERT_EQ(done.wakes.size(), 1u);
  EXPECT_EQ(done.wakes[0].to_thread, 1u);
  EXPECT_EQ(done.wakes[0].from_thread, 2u);
  EXPECT_EQ(done.wakes[0].from_ns, 28_ms);
}

TEST(wakes, of_a_join_are_the_end_of_the_thread) {
  made_up process;
  made_up_thread worker = process.thread("worker", 0);
  worker->handle = 0x77;
  worker->end_ns = 40_ms;
  worker->has_ended = true;
  process.main().wait(event_kind::wait_join, 10_ms, 31_ms, 0x77);
  const watched_process& done = process.done(100_ms);
  ASSERT_EQ(done.wakes.size(), 1u);
  EXPECT_EQ(done.wakes[0].from_thread, 1u);
  EXPECT_EQ(done.wakes[0].from_ns, 40_ms);
}

TEST(wakes, are_unknown_for_sleeps_and_time_outs) {
  made_up process;
  process.thread("other", 0).release(15_ms, 0xA);
  process.main().wait(event_kind::wait_sleep, 10_ms, 10_ms, 0xA);
  process.main().add(event_kind::wait_condition, 12_ms, 8_ms, 0, 0xA).flags = plain_event::timeout;
  EXPECT_TRUE(process.done(100_ms).wakes.empty());
}

TEST(load_span, ends_with_the_frame_after_the_last_new_file) {
  made_up process;
  const std::uint32_t first = process.name("/a");
  const std::uint32_t second = process.name("/b");
  process.main().open(first, 100_ms, 1_ms);
  process.main().frame(200_ms);
  process.main().open(second, 1000_ms, 1_ms);
  process.main().frame(1016_ms);
  process.main().frame(1032_ms);
  process.main().open(first, 1500_ms, 1_ms);  // not new
  const load_span span = span_of(process.done(5000_ms));
  EXPECT_EQ(span.first_frame_ns, 200_ms);
  EXPECT_EQ(span.frames, 3u);
  EXPECT_EQ(span.how, load_end::menu);
  EXPECT_EQ(span.end_ns, 1016_ms);
}

TEST(load_span, ends_with_the_last_new_file_without_frames) {
  made_up process;
  process.main().open(process.name("/a"), 300_ms, 1_ms);
  process.main().open(process.name("/later"), 3000_ms, 1_ms);
  const load_span span = span_of(process.done(9000_ms));
  EXPECT_EQ(span.how, load_end::quiet);
  EXPECT_EQ(span.end_ns, 300_ms);
}

TEST(load_span, is_the_whole_run_if_it_was_never_quiet) {
  made_up process;
  process.main().open(process.name("/a"), 300_ms, 1_ms);
  const load_span span = span_of(process.done(1000_ms));
  EXPECT_EQ(span.how, load_end::cut);
  EXPECT_EQ(span.end_ns, 1000_ms);
}

TEST(load_span, goes_on_while_no_frame_is_shown) {
  made_up process;
  process.main().frame(50_ms);
  process.main().open(process.name("/a"), 100_ms, 1_ms);
  process.main().open(process.name("/after_a_long_decode"), 4000_ms, 1_ms);
  process.main().frame(4010_ms);
  const load_span span = span_of(process.done(9000_ms));
  EXPECT_EQ(span.how, load_end::menu);
  EXPECT_EQ(span.end_ns, 4010_ms);
}

TEST(load_span, counts_only_files_of_the_game) {
  made_up process;
  process.main().open(process.name("/a"), 100_ms, 1_ms);
  process.main().open(process.name("/proc/self/maps"), 1500_ms, 1_ms);
  process.main().miss(process.name("/missing"), 1600_ms, 1_ms);
  process.main().add(event_kind::open, 1700_ms, 1_ms, process.name("/log"), O_WRONLY | O_CREAT);
  EXPECT_EQ(span_of(process.done(2500_ms)).end_ns, 100_ms);
}

TEST(load_view, counts_bytes_that_are_read_again) {
  made_up process;
  const std::uint32_t file = process.name("/a");
  made_up_thread main = process.main();
  main.open(file, 1_ms, 1_ms);
  main.read(file, 2_ms, 1_ms, 0, 100);
  main.read(file, 3_ms, 1_ms, 100, 100);
  main.read(file, 4_ms, 1_ms, 50, 100);  // all of it again
  main.read(file, 5_ms, 1_ms, 190, 20);  // half of it
  main.read(file, 6_ms, 1_ms, 300, 50);
  main.read(file, 7_ms, 1_ms, 0, 400);
  const load_view view = view_of(process.done(100_ms));
  ASSERT_EQ(view.files.size(), 1u);
  EXPECT_EQ(view.files[0].reads, 6u);
  EXPECT_EQ(view.files[0].bytes, 770u);
  EXPECT_EQ(view.files[0].again_bytes, 100u + 10u + 210u + 50u);
  EXPECT_EQ(view.files[0].tiny_reads, 2u);
  EXPECT_EQ(view.files[0].read_ns, 6_ms);
}

TEST(load_view, takes_off_what_lies_inside) {
  made_up process;
  const std::uint32_t file = process.name("/a");
  made_up_thread main = process.main();
  main.zone(zone_number::png_read_image, 10_ms, 50_ms);
  main.zone(zone_number::inflate, 15_ms, 20_ms);
  main.read(file, 20_ms, 5_ms, 0, 100);
  const load_view view = view_of(process.done(100_ms));
  const thread_use& use = *view.main();
  EXPECT_EQ(use.ns(zone_work::images), 30_ms);
  EXPECT_EQ(use.ns(zone_work::unpack), 15_ms);
  EXPECT_EQ(use.decode_ns(), 45_ms);
  EXPECT_EQ(use.file_ns(), 5_ms);
  EXPECT_EQ(use.zone_ns.at(static_cast<std::uint32_t>(zone_number::inflate)), 15_ms);
}

TEST(load_view, ends_with_the_load) {
  made_up process;
  made_up_thread main = process.main();
  main.open(process.name("/a"), 10_ms, 1_ms);
  main.wait(event_kind::wait_sleep, 11_ms, 5000_ms, 0);
  main.frame(5012_ms);
  main.wait(event_kind::wait_sleep, 5020_ms, 1000_ms, 0);
  const load_view view = view_of(process.done(9000_ms));
  EXPECT_EQ(view.end_ns(), 5012_ms);
  EXPECT_EQ(view.main()->wait_ns, 5000_ms);
}

TEST(lock_history, says_which_thread_had_the_lock) {
  made_up process;
  made_up_thread waiter = process.thread("waiter", 0);
  waiter.wait(event_kind::wait_mutex, 10_ms, 30_ms, 0xA);
  process.main().release(20_ms, 0xA);
  process.thread("third", 0).release(40_ms, 0xA);
  const watched_process& done = process.done(100_ms);
  const std::vector<held_part> parts = lock_history(done).parts_of(done.threads[1].events[0], 1);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].begin_ns, 10_ms);
  EXPECT_EQ(parts[0].end_ns, 20_ms);
  EXPECT_EQ(parts[0].holder, 0u);
  EXPECT_EQ(parts[1].end_ns, 40_ms);
  EXPECT_EQ(parts[1].holder, 2u);
}

TEST(covered_time, counts_overlaps_once) {
  covered_time time;
  time.add(10, 20);
  time.add(15, 30);
  time.add(40, 50);
  time.add(12, 14);
  time.add(60, 60);
  EXPECT_EQ(time.ns(), 30u);
}

TEST(samples, go_to_their_threads_and_count_outside_of_events) {
  made_up process;
  process->pid = 7;
  process->zero_ns = 1000_ms;
  process.main()->number = 7;
  process.main().zone(zone_number::png_read_image, 10_ms, 20_ms);
  process.thread("other", 0)->number = 8;
  process.done(100_ms);
  watched_process& done = *process.operator->();
  add_samples(done, {.period_ns = 1_ms,
                     .samples = {{7, 7, 1050_ms, 0x1100},
                                 {7, 7, 1015_ms, 0x1100},  // inside of the zone
                                 {7, 7, 1051_ms, 0x99999},
                                 {7, 8, 1052_ms, 0x1200},
                                 {7, 9, 1053_ms, 0x1200},     // no thread
                                 {6, 7, 1054_ms, 0x1200},     // another process
                                 {7, 7, 900_ms, 0x1200},      // before it
                                 {7, 7, 5000_ms, 0x1200}}});  // after it
  EXPECT_EQ(done.threads[0].samples.size(), 3u);
  EXPECT_EQ(done.threads[1].samples.size(), 1u);
  const load_view view = view_of(done);
  EXPECT_EQ(view.main()->code_ns.at("game"), 1_ms);
  EXPECT_EQ(view.main()->code_ns.at("code made while it runs"), 1_ms);
  const std::vector<code_row> rows = code_rows(view);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].place, "game");
  EXPECT_EQ(rows[0].main_ns, 2_ms);
  EXPECT_EQ(rows[0].others_ns, 1_ms);
}

TEST(thread_rows, add_up_to_the_life_of_a_thread) {
  made_up process;
  made_up_thread main = process.main();
  main.wait(event_kind::wait_sleep, 10_ms, 40_ms, 0);
  main->kernel = kernel_truth{.core_ns = 30_ms, .queued_ns = 5_ms, .at_ns = 100_ms};
  const auto rows = thread_rows(process.done(100_ms));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows[0].is_known);
  EXPECT_EQ(rows[0].life_ns, 100_ms);
  EXPECT_EQ(rows[0].wait_ns, 40_ms);
  EXPECT_EQ(rows[0].unknown_ns, 25_ms);
}

TEST(thread_names, tell_threads_of_one_name_apart) {
  made_up process;
  process.thread("pool", 0);
  process.thread("pool", 0);
  process.thread("audio", 0);
  process.thread("", 0);
  EXPECT_THAT(thread_names(process.done(1_ms)),
              testing::ElementsAre("main", "pool 2", "pool 3", "audio", "5"));
}

TEST(place_of, is_a_place_in_a_module) {
  made_up process;
  EXPECT_EQ(process->place_of(0x1234), "game+0x234");
  EXPECT_EQ(process->place_of(0x9000), "0x9000");
  EXPECT_EQ(process->place_of(0), "");
}

TEST(hide_home, shortens_only_what_is_in_it) {
  made_up process;
  process.name("/home/ann/game/a");
  process.name("/home/anna/b");
  process.name("/home/ann");
  process->program = "/home/ann/game/bin";
  hide_home(*process.operator->(), "/home/ann/");
  EXPECT_THAT(process->names, testing::ElementsAre("~/game/a", "/home/anna/b", "~"));
  EXPECT_EQ(process->program, "~/game/bin");
}

TEST(first_uses, are_in_order_and_below_the_folder) {
  made_up process;
  made_up_thread main = process.main();
  const std::uint32_t second = process.name("/game/data/b/../second");
  const std::uint32_t first = process.name("/game/data/first");
  const std::uint32_t written = process.name("/game/data/log");
  main.open(process.name("/game/database"), 1_ms, 1_ms);
  main.open(first, 10_ms, 1_ms);
  main.read(first, 12_ms, 2_ms, 0, 500);
  main.open(second, 20_ms, 1_ms);
  main.open(written, 30_ms, 1_ms);
  main.add(event_kind::write, 31_ms, 1_ms, written, at_place(0, 10));
  const auto list = first_uses(view_of(process.done(50_ms)), "/game/data/");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].path, "first");
  EXPECT_EQ(list[0].bytes, 500u);
  EXPECT_EQ(list[0].cost_us, 3'000u);
  EXPECT_EQ(list[1].path, "second");
}

}  // namespace
}  // namespace overture::watch

// SPDX-License-Identifier: Zlib
#include "watch/findings/finding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "made_up.hpp"

namespace overture::watch {
namespace {

using testing::HasSubstr;

std::vector<finding> found_in(made_up& process, std::uint64_t end_ns) {
  return findings_of(view_of(process.done(end_ns)));
}

// Each row is a load of two seconds with one flaw, which must be named first with its time.
struct flawed_load {
  const char* name;
  finding_kind first;
  std::uint64_t ns;
  const char* evidence;  // a part of it
  std::function<void(made_up&)> make;
};

constexpr std::uint64_t load_ns = 2000_ms;
constexpr std::uint64_t in_game = 0x1200;

const flawed_load flawed_loads[] = {
    {"three threads wait for a lock that is held over reads", finding_kind::lock_over_files, 900_ms,
     "/data/big.pak",
     [](made_up& of) {
       const std::uint32_t pak = of.name("/data/big.pak");
       made_up_thread holder = of.thread("holder", 0);
       holder.read(pak, 100_ms, 890_ms, 0, 1'000'000);
       holder.release(1000_ms, 0xA0);
       for (const char* const name : {"one", "two", "three"}) {
         of.thread(name, 0).wait(event_kind::wait_mutex, 100_ms, 900_ms, 0xA0, in_game);
       }
     }},
    {"a lock without files", finding_kind::contended_lock, 500_ms,
     "thread holder had it for 500 ms",
     [](made_up& of) {
       of.thread("holder", 0).release(600_ms, 0xA0);
       of.main().wait(event_kind::wait_mutex, 100_ms, 500_ms, 0xA0, in_game);
     }},
    {"sleeps of ten milliseconds", finding_kind::sleeping, 600_ms, "60 sleeps of 10.0 ms at game+",
     [](made_up& of) {
       for (unsigned i = 0; i < 60; ++i) {
         of.main().wait(event_kind::wait_sleep, 100_ms + i * 20_ms, 10_ms, 10_ms, in_game);
       }
     }},
    {"sleeps of a thread that the main thread waits for", finding_kind::sleeping, 500_ms,
     "50 sleeps",
     [](made_up& of) {
       made_up_thread loader = of.thread("loader", 0);
       for (unsigned i = 0; i < 50; ++i) {
         loader.wait(event_kind::wait_sleep, 100_ms + i * 20_ms, 10_ms, 10_ms, in_game);
       }
       loader.release(1200_ms, 0xC0);
       of.main().wait(event_kind::wait_condition, 100_ms, 1101_ms, 0xC0, in_game);
     }},
    {"polls that nothing answers", finding_kind::polling, 800_ms, "16 polls in vain",
     [](made_up& of) {
       for (unsigned i = 0; i < 16; ++i) {
         watched_event& poll =
             of.main().add(event_kind::wait_poll, 100_ms + i * 60_ms, 50_ms, 0, 50);
         poll.flags = plain_event::timeout;
         poll.caller = in_game;
       }
     }},
    {"a condition that wakes all", finding_kind::waking, 1000_ms,
     "300 calls that wake took 50 % of its time; one took 2.00 ms where 1 thread slept, 4.00 ms "
     "where 8 to 15 threads slept",
     [](made_up& of) {
       for (unsigned i = 0; i < 100; ++i) {
         of.main().wake(i * 10_ms, 2_ms, 0xC0, 1);
         of.main().wake(i * 10_ms + 2_ms, 4_ms, 0xC0, i % 2 == 0 ? 8 : 12);
         of.main().wake(i * 10_ms + 6_ms, 4_ms, 0xC0, 15);
       }
     }},
    {"sched_yield() until a thread is done", finding_kind::spinning, 700_ms,
     "900,000 calls of sched_yield() in a row, from game+0x200 (700 ms)",
     [](made_up& of) {
       watched_event& spin = of.main().add(event_kind::spin, 100_ms, 700_ms,
                                           static_cast<std::uint32_t>(spin_call::yield), 900'000);
       spin.caller = in_game;
     }},
    {"a flag that is looked at, by samples", finding_kind::spinning, 500_ms,
     "It did not leave a few instructions of game, by samples.",
     [](made_up& of) {
       of->sample_ns = 1_ms;
       made_up_thread worker = of.thread("worker", 0);
       for (unsigned i = 0; i < 500; ++i) {
         of.main()->samples.push_back({100_ms + i * 1_ms, 0x1100 + i % 3 * 5});
         worker->samples.push_back({100_ms + i * 1_ms, 0x2000 + i * 8});
       }
     }},
    {"a million small blocks", finding_kind::allocating, 200_ms,
     "2,000,000 calls of the main thread took about 10 % of its time. From game+0x200 (200 ms).",
     [](made_up& of) {
       for (unsigned i = 0; i < 1'000; ++i) of.main().allocate(100_ms + i * 1_ms, 2'000, 200_us);
     }},
    {"blocks of two threads", finding_kind::allocating, 300_ms,
     "2 threads do so. From game+0x200 (300 ms). 1,999,000 calls were made while other threads "
     "allocated: one took 200 ns, alone 100 ns.",
     [](made_up& of) {
       made_up_thread worker = of.thread("worker", 0);
       worker.allocate(1000_ms, 1'000, 0);
       for (unsigned i = 0; i < 1'000; ++i) {
         of.main().allocate(i * 1_ms, 1'000, 100_us);
         of.main().allocate(1000_ms + i * 1_ms, 1'000, 200_us);
         worker.allocate(1001_ms + i * 1_ms, 1'000, 200_us);
       }
     }},
    {"opens by name of what is open", finding_kind::opens_again, 600_ms,
     "200 opens, 200 of them while the file was open: /data/big.pak (200)",
     [](made_up& of) {
       const std::uint32_t pak = of.name("/data/big.pak");
       of.main().open(pak, 1_ms, 1_ms);
       for (unsigned i = 0; i < 200; ++i) {
         of.main().open(pak, 100_ms + i * 5_ms, 3_ms);
         of.main()->events.back().flags = plain_event::already;
       }
     }},
    {"opens of the same file again and again", finding_kind::opens_again, 495_ms,
     "99 opens, 0 of them while the file was open: /data/font.ttf (99)",
     [](made_up& of) {
       const std::uint32_t font = of.name("/data/font.ttf");
       for (unsigned i = 0; i < 100; ++i) of.main().open(font, 100_ms + i * 6_ms, 5_ms);
     }},
    {"one thread decodes while the others sleep", finding_kind::decodes_alone, 1000_ms,
     "png_read_image 1.00 s",
     [](made_up& of) {
       of.thread("worker", 0).zone(zone_number::png_read_image, 200_ms, 1000_ms);
       of.thread("idle", 0).wait(event_kind::wait_condition, 0, 1900_ms, 0xD0, in_game);
       of.main().wait(event_kind::wait_condition, 100_ms, 1200_ms, 0xD8, in_game);
     }},
    {"the main thread decodes alone in a program of one thread", finding_kind::decodes_on_main,
     700_ms, "inflate 700 ms",
     [](made_up& of) { of.main().zone(zone_number::inflate, 200_ms, 700_ms); }},
    {"ten thousand reads of a few bytes", finding_kind::tiny_reads, 500_ms,
     "10,000 of 10,000 reads got at most 64 bytes: /data/level.xml (10,000)",
     [](made_up& of) {
       const std::uint32_t level = of.name("/data/level.xml");
       of.main().open(level, 50_ms, 1_us);
       for (unsigned i = 0; i < 10'000; ++i) {
         of.main().read(level, 100_ms + i * 100_us, 50_us, i * 4, 4);
       }
     }},
    {"the same file four times", finding_kind::read_again, 300_ms, "/data/font.ttf (2.86 MiB)",
     [](made_up& of) {
       const std::uint32_t font = of.name("/data/font.ttf");
       for (unsigned i = 0; i < 4; ++i) {
         of.main().open(font, 100_ms + i * 200_ms, 1_us);
         of.main().read(font, 110_ms + i * 200_ms, 100_ms, 0, 1'000'000);
       }
     }},
    {"seeks back and forth in an archive", finding_kind::seeking, 300_ms,
     "600 seeks read 18.8 MiB for 58.6 KiB that were wanted: /data/a.zip (600).",
     [](made_up& of) {
       const std::uint32_t archive = of.name("/data/a.zip");
       for (unsigned i = 0; i < 600; ++i) {
         const std::uint64_t place = i % 2 * 1'000'000 + i * 100;
         of.main().add(event_kind::seek, 100_ms + i * 2_ms, 500_us, archive,
                       at_place(place, 32'768));
         of.main().read(archive, 101_ms + i * 2_ms, 1_us, place, 100);
       }
     }},
    {"a thousand small files", finding_kind::many_files, 500_ms,
     "1,000 files in 4 folders, 250 of them in /data/0; 400 B were read of each.",
     [](made_up& of) {
       for (unsigned i = 0; i < 1'000; ++i) {
         const std::uint32_t name =
             of.name("/data/" + std::to_string(i % 4) + "/" + std::to_string(i));
         of.main().open(name, 100_ms + i * 1_ms, 400_us);
         of.main().read(name, 100_ms + i * 1_ms + 400_us, 50_us, 0, 400);
         of.main().add(event_kind::close, 100_ms + i * 1_ms + 450_us, 50_us, name);
       }
     }},
    {"a search path", finding_kind::misses, 400_ms, "4,000 look-ups of 1 name failed",
     [](made_up& of) {
       const std::uint32_t name = of.name("/data/mods/missing.png");
       for (unsigned i = 0; i < 4'000; ++i) of.main().miss(name, 100_ms + i * 200_us, 100_us);
     }},
    {"a storm of stat()", finding_kind::look_ups, 500_ms, "5,000 questions about 1 name:",
     [](made_up& of) {
       const std::uint32_t name = of.name("/data/a.png");
       for (unsigned i = 0; i < 5'000; ++i) {
         of.main().add(event_kind::look_up, 100_ms + i * 200_us, 100_us, name);
       }
     }},
    {"a stat() of each entry of a folder", finding_kind::look_ups, 500_ms,
     "5,000 questions about 1,000 names:",
     [](made_up& of) {
       of.main().add(event_kind::list, 50_ms, 20_ms, of.name("/data"), 1'000);
       for (unsigned i = 0; i < 1'000; ++i) {
         const std::uint32_t name = of.name("/data/" + std::to_string(i));
         for (unsigned j = 0; j < 5; ++j) {
           of.main().add(event_kind::look_up, 100_ms + (i * 5 + j) * 200_us, 100_us, name);
         }
       }
     }},
    {"a large folder", finding_kind::listing, 250_ms, "40,000 entries: /data/tiles (40,000)",
     [](made_up& of) {
       of.main().add(event_kind::list, 100_ms, 250_ms, of.name("/data/tiles"), 40'000);
     }},
    {"a cold disk", finding_kind::cold_reads, 900_ms, "100 MiB came from the disk",
     [](made_up& of) {
       const std::uint32_t pak = of.name("/data/cold.pak");
       of.main()->kernel = kernel_truth{.read_bytes = std::uint64_t{100} << 20};
       for (unsigned i = 0; i < 90; ++i) {
         of.main().read(pak, 100_ms + i * 20_ms, 10_ms, i * 1'000'000, 1'000'000);
       }
     }},
    {"a file that is synced", finding_kind::writing, 350_ms, "/home/options.cfg (350 ms)",
     [](made_up& of) {
       const std::uint32_t options = of.name("/home/options.cfg");
       of.main().add(event_kind::write, 100_ms, 50_ms, options, at_place(0, 100));
       of.main().add(event_kind::sync, 150_ms, 300_ms, options);
     }},
    {"a log that is opened for each line", finding_kind::writing, 400_ms,
     "/home/game.log (400 ms). Opened again and again to be written to: /home/game.log (1,000).",
     [](made_up& of) {
       const std::uint32_t log = of.name("/home/game.log");
       for (unsigned i = 0; i < 1'000; ++i) {
         of.main().add(event_kind::open, 100_ms + i * 1_ms, 200_us, log, O_WRONLY | O_CREAT);
         of.main().add(event_kind::write, 100_ms + i * 1_ms + 200_us, 100_us, log, at_place(0, 9));
         of.main().add(event_kind::close, 100_ms + i * 1_ms + 300_us, 100_us, log);
       }
     }},
    {"an error that is printed over and over", finding_kind::printing, 300_ms,
     "3,000 writes: (standard error) (2,000), (standard output) (1,000).",
     [](made_up& of) {
       const std::uint32_t errors = of.name(error_name);
       const std::uint32_t output = of.name(output_name);
       for (unsigned i = 0; i < 3'000; ++i) {
         of.main().add(event_kind::write, 100_ms + i * 200_us, 100_us, i % 3 == 0 ? output : errors,
                       at_place(i * 40, 40));
       }
     }},
    {"a sound server that does not answer", finding_kind::servers, 1200_ms,
     "SDL_OpenAudioDevice (1.20 s)",
     [](made_up& of) {
       of.main().zone(zone_number::SDL_OpenAudioDevice, 100_ms, 1200_ms);
       of.main().wait(event_kind::wait_poll, 150_ms, 1000_ms, 25'000);
     }},
    {"D-Bus, by poll", finding_kind::servers, 700_ms, "unix:/run/dbus/system_bus_socket (700 ms)",
     [](made_up& of) {
       of.main().add(event_kind::wait_poll, 100_ms, 700_ms,
                     of.name("unix:/run/dbus/system_bus_socket"), 25'000);
       of.main().add(event_kind::wait_poll, 900_ms, 900_ms, of.name("unix:@/tmp/.X11-unix/X0"), 0);
     }},
    {"a service that does not answer", finding_kind::servers, 900_ms,
     "1 wait ended without an answer, by a time-out, most of unix:/run/user/1000/bus.",
     [](made_up& of) {
       of.main()
           .add(event_kind::wait_poll, 100_ms, 900_ms, of.name("unix:/run/user/1000/bus"), 900)
           .flags = plain_event::timeout;
     }},
    {"a window that takes long to open", finding_kind::window, 640_ms, "SDL_CreateWindow (640 ms)",
     [](made_up& of) { of.main().zone(zone_number::SDL_CreateWindow, 100_ms, 640_ms); }},
    {"a display that is opened with the devices", finding_kind::window, 600_ms,
     "XOpenDisplay (600 ms)",
     [](made_up& of) {
       of.main().zone(zone_number::SDL_Init, 100_ms, 900_ms);
       of.main().zone(zone_number::XOpenDisplay, 200_ms, 600_ms);
     }},
    {"shaders", finding_kind::graphics, 900_ms, "glCompileShader (600 ms)",
     [](made_up& of) {
       of.main().zone(zone_number::glCompileShader, 100_ms, 600_ms);
       of.main().zone(zone_number::glLinkProgram, 800_ms, 300_ms);
     }},
    {"shaders that the driver compiles when it draws", finding_kind::graphics, 450_ms,
     "libLLVM-15.so.1, by samples (400 ms), glTexImage2D (50.0 ms).",
     [](made_up& of) {
       of->sample_ns = 1_ms;
       of->modules.push_back({0x7000'0000, 0x7001'0000, "/lib/libLLVM-15.so.1"});
       for (unsigned i = 0; i < 400; ++i) {
         of.main()->samples.push_back({100_ms + i * 1_ms, 0x7000'0100 + i * 8});
       }
       of.main().zone(zone_number::glTexImage2D, 600_ms, 50_ms);
     }},
    {"a main thread that computes", finding_kind::computing, 600_ms,
     "By samples: functions without a name (600 ms).",
     [](made_up& of) {
       of->sample_ns = 2_ms;
       for (unsigned i = 0; i < 300; ++i) {
         of.main()->samples.push_back({100_ms + i * 2_ms, 0x1100 + i * 8});
       }
     }},
    {"a main thread that computes in the library of C", finding_kind::computing, 600_ms,
     "By samples: find in game (600 ms). Of that in what these call: strlen in libc.so.6 (500 ms).",
     [](made_up& of) {
       of->sample_ns = 2_ms;
       of->modules.push_back({0x7000'0000, 0x7001'0000, "/lib/libc.so.6"});
       of->functions = {{0x1101, "find"}, {0x1110, "find"}, {0x7000'0101, "strlen"}};
       for (unsigned i = 0; i < 300; ++i) {
         of.main()->samples.push_back(i < 50
                                          ? thread_sample{100_ms + i * 2_ms, 0x1100}
                                          : thread_sample{100_ms + i * 2_ms, 0x7000'0100, 0x1110});
       }
     }},
    {"a frame after each file", finding_kind::frames, 304_ms,
     "19 frames of 16.0 ms each, from game+0x200 (304 ms).",
     [](made_up& of) {
       for (unsigned i = 0; i < 20; ++i) {
         of.main().open(of.name("/data/" + std::to_string(i)), 100_ms + i * 50_ms, 1_us);
         of.main().add(event_kind::frame, 110_ms + i * 50_ms, 16_ms).caller = in_game;
       }
     }},
    {"fonts", finding_kind::fonts, 450_ms, "FcFontMatch (450 ms)",
     [](made_up& of) { of.main().zone(zone_number::FcFontMatch, 100_ms, 450_ms); }},
    {"a program that links for long", finding_kind::before_main, 800_ms, "1 library was",
     [](made_up& of) { of->main_ns = 800_ms; }},
};

TEST(findings, name_the_cause_first_with_its_time) {
  for (const flawed_load& each : flawed_loads) {
    made_up process;
    each.make(process);
    const std::vector<finding> found = found_in(process, load_ns);
    ASSERT_FALSE(found.empty()) << each.name;
    EXPECT_STREQ(to_string(found[0].kind), to_string(each.first)) << each.name;
    EXPECT_EQ(found[0].ns, each.ns) << each.name;
    std::string evidence;
    for (const std::string& sentence : found[0].evidence) evidence += sentence + ' ';
    EXPECT_THAT(evidence, HasSubstr(each.evidence)) << each.name;
    EXPECT_FALSE(found[0].advice.empty()) << each.name;
  }
}

TEST(findings, have_every_kind_in_a_load_with_one_flaw) {
  for (int i = 0; i <= static_cast<int>(finding_kind::before_main); ++i) {
    EXPECT_TRUE(std::any_of(std::begin(flawed_loads), std::end(flawed_loads),
                            [&](const flawed_load& of) { return static_cast<int>(of.first) == i; }))
        << to_string(static_cast<finding_kind>(i));
  }
}

TEST(findings, leave_out_what_is_not_felt) {
  made_up process;
  process.main().zone(zone_number::inflate, 100_ms, 9_ms);
  EXPECT_TRUE(found_in(process, 500_ms).empty());
  made_up long_load;
  long_load.main().zone(zone_number::inflate, 100_ms, 50_ms);
  EXPECT_TRUE(found_in(long_load, 6000_ms).empty()) << "less than a hundredth";
}

// It had no core for so long.
TEST(findings, leave_out_slow_reads_of_a_thread_that_read_nothing_from_the_disk) {
  made_up process;
  process.main()->kernel = kernel_truth{.read_bytes = std::uint64_t{2} << 20};
  made_up_thread worker = process.thread("worker", 0);
  worker->kernel = kernel_truth{};
  worker.read(process.name("/data/a.png"), 100_ms, 500_ms, 0, 100'000);
  EXPECT_TRUE(found_in(process, 2000_ms).empty());
}

// As one that plays music may be: the load would not be shorter without it.
TEST(findings, leave_out_what_is_printed_by_a_thread_that_loads_nothing) {
  made_up process;
  made_up_thread music = process.thread("music", 10_ms);
  for (unsigned i = 0; i < 3'000; ++i) {
    music.add(event_kind::write, 100_ms + i * 200_us, 100_us, process.name(error_name));
  }
  EXPECT_TRUE(found_in(process, 1000_ms).empty());
  music.open(process.name("/data/a.ogg"), 50_ms, 1_us);
  EXPECT_FALSE(found_in(process, 1000_ms).empty());
}

TEST(findings, end_with_the_load) {
  made_up process;
  process.main().open(process.name("/a"), 100_ms, 1_ms);
  process.main().frame(200_ms);
  for (unsigned i = 0; i < 100; ++i) {
    process.main().wait(event_kind::wait_sleep, 300_ms + i * 100_ms, 90_ms, 90_ms, in_game);
  }
  EXPECT_TRUE(found_in(process, 9000_ms).empty()) << "sleeps of a menu";
}

TEST(findings, do_not_take_a_drivers_threads_for_idle_ones) {
  made_up process;
  process->modules.push_back({0x7000'0000, 0x7100'0000, "/usr/lib/dri/swrast_dri.so"});
  made_up_thread driver = process.thread("llvmpipe-0", 0);
  driver->start = 0x7000'1000;
  driver.wait(event_kind::wait_condition, 0, 1900_ms, 0xD0, 0x7000'2000);
  process.main().zone(zone_number::png_read_image, 100_ms, 500_ms);
  const std::vector<finding> found = found_in(process, 2000_ms);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, finding_kind::decodes_on_main);
}

TEST(findings, do_not_blame_what_goes_on_beside_the_main_thread) {
  made_up process;
  made_up_thread music = process.thread("music", 0);
  for (unsigned i = 0; i < 50; ++i) {
    music.zone(zone_number::ov_read, 100_ms + i * 30_ms, 10_ms);
    music.wait(event_kind::wait_sleep, 110_ms + i * 30_ms, 20_ms, 20_ms, in_game);
  }
  process.thread("idle", 0).wait(event_kind::wait_condition, 0, 1900_ms, 0xD0, in_game);
  EXPECT_TRUE(found_in(process, 2000_ms).empty());
}

TEST(findings, name_the_library_that_a_lock_is_hidden_in) {
  made_up process;
  process->modules.push_back({0x7000'0000, 0x7100'0000, "/usr/lib/libspdlog.so.1"});
  process.thread("holder", 0).release(600_ms, 0xA0);
  process.main().wait(event_kind::wait_mutex, 100_ms, 500_ms, 0xA0, 0x7000'1000);
  const std::vector<finding> found = found_in(process, 2000_ms);
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found[0].what, HasSubstr("inside of libspdlog.so.1"));
  EXPECT_THAT(found[0].advice, HasSubstr("hidden"));
}

// Little for the thread, however long.
TEST(findings, leave_wakes_alone_that_are_few) {
  made_up process;
  for (unsigned i = 0; i < 99; ++i) process.main().wake(i * 20_ms, 1_ms, 0xC0, 1);
  EXPECT_TRUE(found_in(process, 2000_ms).empty());
}

TEST(findings, leave_opens_of_many_files_alone) {
  made_up process;
  for (unsigned i = 0; i < 400; ++i) {
    process.main().open(process.name("/data/" + std::to_string(i % 40)), i * 4_ms, 2_ms);
  }
  EXPECT_TRUE(found_in(process, 2000_ms).empty());
}

TEST(findings, make_names_harmless) {
  made_up process;
  const std::uint32_t name = process.name("/data/a\x1b[31m\nb");
  for (unsigned i = 0; i < 1'000; ++i) process.main().miss(name, 100_ms + i * 200_us, 100_us);
  const std::vector<finding> found = found_in(process, 2000_ms);
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found[0].evidence[0], HasSubstr("/data/a\\x1b[31m\\x0ab"));
}

TEST(verdict, says_when_the_load_ended_and_what_the_main_thread_did) {
  made_up process;
  process->main_ns = 100_ms;
  process.main().open(process.name("/a"), 150_ms, 50_ms);
  process.main().zone(zone_number::png_read_image, 200_ms, 600_ms);
  process.main().frame(1000_ms);
  EXPECT_EQ(
      verdict_of(view_of(process.done(5000_ms))),
      "The menu came after 1.00 s. The main thread spent 60 % decoding and unpacking, 25 % in "
      "code that is not watched, 10 % before main(). Before its first frame it made 1 "
      "open, 0 look-ups and 0 reads of files.");
}

TEST(verdict, names_files_of_code_that_samples_were_in) {
  made_up process;
  process->sample_ns = 100_ms;
  process->modules.push_back({0x7000'0000, 0x7100'0000, "/usr/lib/libLLVM.so"});
  for (unsigned i = 0; i < 6; ++i) {
    process.main()->samples.push_back({300_ms + i * 100_ms, i < 4 ? 0x7000'1000u : 0x1100u});
  }
  process.main().wait(event_kind::wait_sleep, 0, 300_ms, 0);
  EXPECT_EQ(
      verdict_of(view_of(process.done(1000_ms))),
      "It ran for 1.00 s. The main thread spent 40 % in libLLVM.so, 30 % waiting for a sleep, "
      "20 % in game.");
}

TEST(verdict, names_software_graphics) {
  made_up process;
  made_up_thread driver = process.thread("llvmpipe-1", 0);
  driver->kernel = kernel_truth{.core_ns = 1200_ms};
  process.main().open(process.name("/a"), 150_ms, 50_ms);
  EXPECT_THAT(verdict_of(view_of(process.done(1000_ms))), HasSubstr("It ran for 1.00 s."));
  EXPECT_THAT(
      verdict_of(view_of(process.done(1000_ms))),
      HasSubstr(
          "Graphics were drawn in software, which took other threads 1.20 s in the whole run"));
}

}  // namespace
}  // namespace overture::watch

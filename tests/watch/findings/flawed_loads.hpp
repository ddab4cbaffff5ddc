// SPDX-License-Identifier: Zlib
//
// Loads with one flaw each, for tests of findings.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "made_up.hpp"
#include "watch/findings/finding.hpp"

namespace overture::watch {

// Each row is a load of two seconds with one flaw, which must be named first with its time.
struct flawed_load {
  const char* name;
  finding_kind first;
  std::uint64_t ns;
  const char* evidence;  // a part of it
  std::function<void(made_up&)> make;
};

inline constexpr std::uint64_t load_ns = 2000_ms;
inline constexpr std::uint64_t in_game = 0x1200;

// Of the main thread, every two milliseconds from those before on.
inline void add_samples(made_up& of, unsigned count, std::uint64_t address,
                        std::uint64_t caller = 0) {
  of->sample_ns = 2_ms;
  auto& samples = of.main()->samples;
  for (; count > 0; --count) {
    samples.push_back({100_ms + samples.size() * of->sample_ns, address, caller});
  }
}

inline const flawed_load flawed_loads[] = {
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
    {"the directory of an archive for each of its files", finding_kind::read_again, 197'850_us,
     "96.7 KiB had been read before: /data/mod.zip (96.7 KiB). Between these reads, the program "
     "worked on what it had read again for 148 ms.",
     [](made_up& of) {
       const std::uint32_t archive = of.name("/data/mod.zip");
       for (unsigned i = 0; i < 1'000; ++i) {
         of.main().read(archive, 100_ms + i * 200_us, 50_us, i % 10 * 100, 100);
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
    {"a database that commits each row", finding_kind::writing, 400_ms,
     "100 syncs waited 300 ms for the disk.",
     [](made_up& of) {
       const std::uint32_t journal = of.name("/home/saves.db-journal");
       for (unsigned i = 0; i < 100; ++i) {
         of.main().add(event_kind::write, 100_ms + i * 5_ms, 1_ms, journal, at_place(0, 100));
         of.main().add(event_kind::sync, 101_ms + i * 5_ms, 3_ms, journal);
       }
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
       of.main().add(event_kind::wait_reply, 850_ms, 10_ms, of.name("unix:@/tmp/.X11-unix/X0"));
       of.main().add(event_kind::wait_poll, 900_ms, 900_ms, of.name("unix:@/tmp/.X11-unix/X0"), 0);
     }},
    {"a service that does not answer", finding_kind::servers, 900_ms,
     "1 wait ended without an answer, by a time-out, most of unix:/run/user/1000/bus.",
     [](made_up& of) {
       of.main()
           .add(event_kind::wait_poll, 100_ms, 900_ms, of.name("unix:/run/user/1000/bus"), 900)
           .flags = plain_event::timeout;
     }},
    {"a name that no server answers for", finding_kind::servers, 1000_ms, "getaddrinfo (1.00 s)",
     [](made_up& of) { of.main().zone(zone_number::getaddrinfo, 100_ms, 1000_ms); }},
    {"a program that is waited for", finding_kind::programs, 640_ms, "system (640 ms)",
     [](made_up& of) { of.main().zone(zone_number::system, 100_ms, 640_ms); }},
    {"a wait that no call shows", finding_kind::unseen, 1200_ms,
     "0 page faults of it had to wait for the disk. The longest such time, 1.20 s, came after open "
     "in game+0x200, and before open in game+0x200.",
     [](made_up& of) {
       of->sample_ns = 1_ms;
       of.main()->kernel = kernel_truth{.core_ns = 800_ms, .at_ns = 2000_ms};
       for (unsigned i = 0; i < 600; ++i) {
         of.main()->samples.push_back({1400_ms + i * 1_ms, 0x1100 + i * 8});
       }
       for (unsigned i = 0; i < 200; ++i) {
         of.main()->samples.push_back({i * 1_ms, 0x1100 + i * 8});
       }
       std::ranges::sort(of.main()->samples, {}, &thread_sample::at_ns);
       for (const std::uint64_t at : {199_ms, 1400_ms}) {
         of.main().add(event_kind::open, at, 1_ms, of.name("/a"), O_RDONLY).caller = in_game;
       }
     }},
    {"memory that is cleared", finding_kind::new_memory, 1000_ms,
     "500,000 page faults in the whole run, 1.91 GiB if each was for a page of 4 KiB. By samples, "
     "it was mostly in "
     "fill in game.",
     [](made_up& of) {
       of->sample_ns = 1_ms;
       of->fault_ns = 2'000;
       of->functions = {{0x1101, "fill"}};
       of.main()->kernel =
           kernel_truth{.core_ns = 2000_ms, .minor_faults = 500'000, .at_ns = 2000_ms};
       for (unsigned i = 0; i < 100; ++i) {
         of.main()->samples.push_back({100_ms + i * 10_ms, 0x1100});
       }
       of.main().wait(event_kind::wait_join, 1100_ms, 900_ms, 0xF0);
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
       of->modules.push_back({0x7000'0000, 0x7001'0000, "/lib/libc.so.6"});
       of->functions = {{0x1101, "find"}, {0x1110, "find"}, {0x7000'0101, "strlen"}};
       add_samples(of, 50, 0x1100);
       add_samples(of, 250, 0x7000'0100, 0x1110);
     }},
    {"exceptions that are thrown over and over", finding_kind::exceptions, 600_ms,
     "Thrown in parse in game.",
     [](made_up& of) {
       of->modules.push_back({0x7000'0000, 0x7001'0000, "/lib/libgcc_s.so.1"});
       of->modules.push_back({0x7001'0000, 0x7002'0000, "/lib/libstdc++.so.6"});
       of->functions = {{0x1110, "parse"}, {0x7001'0101, "__cxa_allocate_exception"}};
       add_samples(of, 100, 0x7001'0100, 0x1110);
       add_samples(of, 200, 0x7000'0100, 0x1120);
     }},
    {"callers that are listed over and over", finding_kind::computing, 600_ms,
     "By samples: functions without a name (400 ms), _Unwind_Backtrace in libgcc_s.so.1 (200 ms).",
     [](made_up& of) {
       of->modules.push_back({0x7000'0000, 0x7001'0000, "/lib/libgcc_s.so.1"});
       of->functions = {{0x7000'0101, "_Unwind_Backtrace"}};
       add_samples(of, 100, 0x7000'0100, 0x1120);
       add_samples(of, 200, 0x7000'0200, 0x1120);
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

}  // namespace overture::watch

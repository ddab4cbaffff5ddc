// SPDX-License-Identifier: Zlib
//
// A hand-made report with one of everything.
#pragma once

#include "report/report_model.hpp"

namespace overture::cli {

inline constexpr std::uint64_t ms = 1'000'000;
inline constexpr std::uint64_t mib = 1u << 20;

inline load_summary sample_summary() {
  load_summary summary;
  summary.files = 3890;
  summary.failed = 2;
  summary.warnings = 8;
  summary.bytes = 412 * mib;
  summary.packed_bytes = 188 * mib;
  summary.decoded_bytes = 900 * mib;
  summary.ns = 1230 * ms;
  summary.hash = 0x0123456789abcdef;
  summary.in_flight_bytes_max = 60 * mib;
  summary.in_flight_by_module[static_cast<std::size_t>(memory_tag::decode)] = 20 * mib;
  summary.in_flight_by_module[static_cast<std::size_t>(memory_tag::load)] = 45 * mib;
  summary.stages[0] = {3892, 20 * ms, 0};
  summary.stages[1] = {3892, 210 * ms, 188 * mib};
  summary.stages[2] = {3891, 500 * ms, 412 * mib};
  summary.stages[3] = {3890, 1500 * ms, 900 * mib};
  summary.stages[4] = {3890, 4 * ms, 0};
  summary.reads = {150 * mib, 38 * mib, 410 * ms, 1900 * ms, 2 * ms, 31 * ms};
  return summary;
}

inline report sample_report() {
  report what;
  what.threads = 2;
  what.io_threads = 4;
  what.mount_ns = 12 * ms;
  what.summary = sample_summary();
  what.verdict.name = "decode-bound";
  what.verdict.worker_ns = 2460 * ms;
  what.verdict.shares = {{"decode", false, 1500 * ms},         {"unpack", false, 500 * ms},
                         {idle_reasons::read, true, 220 * ms}, {"read", false, 210 * ms},
                         {"resolve", false, 20 * ms},          {"other", false, 6 * ms},
                         {"finalize", false, 4 * ms}};
  what.mounts = {{"game/base.pk3", "zip", 3800, 3700, 1, 400 * mib, 99, 0},
                 {"game/dlc/rome", "folder", 150, 149, 0, 8 * mib, 1, 2},
                 {"mods/better_ai.zip", "zip", 42, 41, 1, 4 * mib, 0, 1, 3 * ms, 2, 5 * ms}};
  what.types = {{"png", 2000, 1, 300 * mib, 900 * mib, 1900 * ms},
                {"ogg", 800, 0, 100 * mib, 0, 200 * ms},
                {"", 1090, 1, 12 * mib, 0, 100 * ms}};
  report_thread main;
  main.name = "main";
  main.stage_ns = {10 * ms, 100 * ms, 250 * ms, 750 * ms, 2 * ms};
  main.waiting_ns = 110 * ms;
  main.cpu_ns = 1115 * ms;
  report_thread worker = main;
  worker.name = "worker 1";
  worker.stage_ns[3] = 740 * ms;
  report_thread io;
  io.name = "io 1";
  io.is_worker = false;
  io.stage_ns = {0, 90 * ms, 0, 0, 0};
  io.waiting_ns = 1140 * ms;
  io.cpu_ns = 45 * ms;
  what.threads_used = {main, worker, io};
  what.slowest = {
      {"gfx/title.png",
       "game/base.pk3",
       8 * mib,
       {ms / 10, 2 * ms, 12 * ms, 50 * ms, 0},
       3 * ms,
       0},
      {"音楽/テーマ.ogg", "game/dlc/rome", 9 * mib, {ms, ms / 2, 0, 0, 0}, 9 * ms, 20 * ms}};
  what.slowest[0].width = 4096;
  what.slowest[0].height = 2048;
  what.slowest[1].sample_rate = 44'100;
  what.slowest[1].sound_frames = 44'100 * 205;
  what.long_sounds = {23, 400 * ms, 300 * mib};
  what.deflated = {3000, 500 * ms};
  what.types[2].what = "archive";
  what.overrides = {{"ai/plan.txt", "mods/better_ai.zip", "game/base.pk3"},
                    {"maps/rome.txt", "game/dlc/rome", "game/base.pk3"}};
  what.failures = {{"gfx/broken.png", "game/base.pk3", "decode", "corrupt", "not a PNG"},
                   {"evil\x1b]0;owned\x07", "mods/better_ai.zip", "unpack", "corrupt",
                    "the content does not match its checksum"}};
  what.warnings = {{"gfx/wall.jpg", "game/base.pk3", "the JPEG file has no end marker", 4096}};
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    what.warnings.push_back({std::string("docs/") + name + ".txt", "game/base.pk3",
                             "text is not UTF-8; not decoded", 0});
  }
  what.skipped = {{"game/dlc/rome", "../../etc/passwd", "'.' or '..' in the path"},
                  {"game/dlc/rome", "saves", "the link leads outside the mount"},
                  {"mods/better_ai.zip", "C:\\x", "a drive letter in the path"}};
  what.memory = {{"io", 48 * mib}, {"vfs", 2 * mib}, {"load", 1 * mib}, {"decode", 33 * mib}};
  what.memory_peak_bytes = 80 * mib;
  kept_total& kept = what.kept.emplace();
  kept.files = 3890;
  kept.bytes = 912 * mib;
  kept.kinds[static_cast<std::size_t>(asset_kind::image)] = {2000, 900 * mib};
  kept.kinds[static_cast<std::size_t>(asset_kind::none)] = {1890, 12 * mib};
  return what;
}

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
//
// The page of a host's recorder: how large that of millions of events is, and how long it takes to
// record them and to make it.
#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <overture/base/thread.hpp>
#include <overture/report/write_report.hpp>
#include <overture/trace/timeline.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness.hpp"
#include "options.hpp"

namespace bench {
namespace {

using namespace overture;

constexpr unsigned threads = 5;
constexpr const char* work_names[] = {"update", "animate", "collide", "decode", "draw",
                                      "sort",   "upload",  "think",   "spawn",  "mix"};

// Frames of a game: work in work, some of it very short, and waits between.
void record_frames(std::uint64_t events, unsigned seed) {
  std::mt19937 random(seed);
  std::uint64_t now = now_ns();
  std::uint64_t made = 0;
  while (made < events) {
    const std::uint64_t frame = now;
    for (int task = 0; task < 12; ++task) {
      const std::uint64_t begin = now;
      for (std::uint64_t part = 0; part < 16; ++part, ++made) {
        const std::uint64_t length = 200 + random() % 3000;
        record({.begin_ns = now,
                .end_ns = now + length,
                .name = work_names[random() % std::size(work_names)]});
        now += length + random() % 100;
      }
      record({.begin_ns = begin, .end_ns = now, .name = work_names[task % 10]});
      ++made;
    }
    record({.begin_ns = frame, .end_ns = now, .name = "frame"});
    record(
        {.begin_ns = now, .end_ns = now + 2'000'000, .name = "no job", .kind = event_kind::wait});
    record({.begin_ns = now,
            .name = "in_flight_bytes",
            .value = random() % 100'000'000,
            .kind = event_kind::counter});
    now += 2'000'000;
    made += 3;
  }
}

class string_sink final : public text_sink {
 public:
  result<void> write(std::string_view text) override {
    page.append(text);
    return {};
  }
  std::string page;
};

std::string page_of(std::uint64_t events) {
  const auto each = static_cast<std::uint32_t>(events / threads + 4096);
  timeline record({.events_per_thread = each});
  for (unsigned i = 0; i < threads; ++i) {
    std::thread([&, i] {
      const std::string name = i == 0 ? "main" : fmt::format("worker {}", i);
      if (!record.attach_thread(name.c_str())) throw std::runtime_error("no memory for a thread");
      record_frames(events / threads, i);
      record.detach_thread();
    }).join();
  }
  string_sink sink;
  if (const result<void> made = write_report(sink, record, nullptr); !made) {
    throw std::runtime_error(made.error().reason);
  }
  return std::move(sink.page);
}

struct page_goal {
  std::uint64_t events;
  double megabytes;
  double seconds;
};

void measure_pages(results& out, int rounds, std::uint64_t only_events, const std::string& save) {
  const std::vector<page_goal> goals =
      only_events != 0 ? std::vector<page_goal>{{only_events, 20, 10}}
                       : std::vector<page_goal>{{1'000'000, 12, 2}, {10'000'000, 20, 10}};
  for (const page_goal& goal : goals) {
    std::string page;
    std::vector<variant> variants = {
        {fmt::format("{} events", goal.events), [&] { page = page_of(goal.events); }}};
    interleave(variants, rounds, "pages");
    const double megabytes = static_cast<double>(page.size()) / 1e6;
    out.goal(fmt::format("page of {} events, MB", goal.events), {megabytes, megabytes, megabytes},
             goal.megabytes);
    out.goal(fmt::format("page of {} events, recorded and made, s", goal.events),
             time_of(variants[0], clock::wall), goal.seconds);
    if (!save.empty()) std::ofstream(save, std::ios::binary) << page;
  }
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  int rounds = 3;
  std::uint64_t events = 0;
  std::string json;
  std::string save;
  bench::options line("Measures pages of many events", rounds, json);
  line.number("--events", events, "one page of so many events instead", {0, 100'000'000});
  line.word("--save", save, "writes the last page to this file");
  if (const std::optional<int> over = line.parse(count, words)) return *over;
  bench::results out("report");
  bench::measure_pages(out, rounds, events, save);
  return out.finish(json);
}

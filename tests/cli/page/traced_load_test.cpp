// SPDX-License-Identifier: Zlib
#include "report/page/traced_load.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>

#include "overture/load/load_scope.hpp"
#include "overture/sync/wait_observer.hpp"
#include "page/trace_events.hpp"
#include "report/model/collect.hpp"
#include "report/page/timeline_lines.hpp"
#include "report/report_model.hpp"
#include "trace/exported_json.hpp"

namespace overture::cli::traced_load_test {
namespace {

const std::string names[] = {"a </script>.png", "b\n\"quoted\".ogg", "c \u202e.txt", "d\xe9.bin"};

// A load of four files on two threads, with reads, waits and counters.
class small_load {
 public:
  small_load() {
    on_thread("main", [&] {
      add(event_kind::zone, "mount", 0, 90);
      mark_at(load_begins, 100);
      add(event_kind::zone, "resolve", 110, 120, 0);
      add(event_kind::zone, "read", 120, 150, 0, 64, request_flags::sync | request_flags::cached);
      add(event_kind::zone, "unpack", 150, 200, 0, 128);
      add(event_kind::zone, "decode", 210, 400, 0, 4096);
      add(event_kind::wait, wait_reasons::lock, 220, 240);
      add(event_kind::zone, "finalize", 400, 410, 0);
      add(event_kind::wake, "wake", 580, 580, no_subject, 0x20);
      add(event_kind::counter, "in_flight_bytes", 300, 300, no_subject, 77);
      mark_at(load_ends, 1000, 880);
    });
    on_thread("worker 1", [&] {
      add(event_kind::wait, wait_reasons::no_job, 50, 105);
      for (std::uint32_t i = 1; i < 4; ++i) {
        add(event_kind::zone, "unpack", 200 + i * 200, 300 + i * 200, i, 10 + i);
        add(event_kind::zone, "finalize", 300 + i * 200, 310 + i * 200, i);
      }
      add(event_kind::wait, idle_reasons::read, 310, 400, no_subject, 0x10);
      add(event_kind::room, idle_reasons::budget, 320, 500, 2, 4);
      add(event_kind::room, idle_reasons::budget, 330, 510, 3, 0);
      add(event_kind::delay, "a need", 340, 505, 1, 3);
      add(event_kind::wait, idle_reasons::to_run, 510, 600, no_subject, 0x20);
      add(event_kind::wait, wait_reasons::no_job, 910, 1200);
    });
    on_thread("io 1", [&] {
      add(event_kind::wait, wait_reasons::no_request, 0, 130);
      for (std::uint32_t i = 1; i < 4; ++i) {
        add(event_kind::request, "read", 130, 200 * i + 190, i, 9);
        add(event_kind::service, "normal", 150 * i, 200 * i + 190, 5, 0);
        if (i == 1) add(event_kind::wake, "wake", 395, 395, no_subject, 0x10);
      }
    });
  }

  [[nodiscard]] load_window window() const {
    return {record.start_ns() + 100, record.start_ns() + 1000, 0};
  }
  [[nodiscard]] std::string json() const {
    string_sink sink;
    const auto name_of = [](std::uint32_t subject, std::span<char> text) -> std::size_t {
      return subject < std::size(names) ? names[subject].copy(text.data(), text.size()) : 0;
    };
    const auto mount_of = [](std::uint32_t, std::span<char> text) -> std::size_t {
      return std::string_view("base.zip").copy(text.data(), text.size());
    };
    function_ref<std::size_t(std::uint32_t, std::span<char>)> name = name_of;
    function_ref<std::size_t(std::uint32_t, std::span<char>)> mount = mount_of;
    EXPECT_TRUE(write_chrome_json(record, sink, {.subject_name = &name, .subject_layer = &mount}));
    return sink.text;
  }

  timeline record;

 private:
  template <class Body>
  void on_thread(const char* name, Body body) {
    std::thread([&] {
      ASSERT_TRUE(record.attach_thread(name));
      body();
      record.detach_thread();
    }).join();
  }
  void add(event_kind kind, const char* name, std::uint64_t begin, std::uint64_t end,
           std::uint32_t subject = no_subject, std::uint64_t value = 0, int flags = 0) {
    overture::record({record.start_ns() + begin, record.start_ns() + end, name, value, subject,
                      kind, zone_colour::by_name, static_cast<std::uint16_t>(flags)});
  }
  void mark_at(const char* name, std::uint64_t at, std::uint64_t value = 0) {
    add(event_kind::instant, name, at, at, no_subject, value);
  }
};

void read(traced_load& load, const std::string& text) {
  std::istringstream file(text);
  (void)read_trace_events(file, [&](const trace_line& line) { load.add(line); });
  load.finish();
}

std::string shown(const timeline_picture& picture) {
  std::ostringstream out;
  out << picture.total_ns << ' ' << picture.load_begin_ns << '\n';
  for (const picture_lane& lane : picture.lanes) {
    out << lane.name << ' ' << static_cast<int>(lane.kind) << ' ' << lane.events_lost << '\n';
    for (const picture_span& span : lane.spans) {
      const picture_name& name = picture.names[span.name];
      out << span.begin_ns << '-' << span.end_ns << ' ' << name.name << name.is_wait << ' '
          << span.file << '\n';
    }
  }
  for (const picture_read& read : picture.reads) {
    out << read.begin_ns << ' ' << read.served_ns << ' ' << read.end_ns << ' ' << read.file << ' '
        << read.bytes << read.is_cached << ' ' << read.block_wait_ns << ' ' << read.unpack_ns
        << '\n';
  }
  for (const picture_wake& wake : picture.wakes) {
    out << wake.to_lane << ' ' << wake.to_ns << ' ' << wake.from_lane << ' ' << wake.from_read
        << ' ' << wake.from_ns << '\n';
  }
  for (const picture_delay& delay : picture.delays) {
    const bool is_room = delay.name == picture_delay::for_room;
    out << delay.begin_ns << '-' << delay.end_ns << ' ' << delay.file << ' ' << delay.ended_by
        << ' ' << (is_room ? "room" : picture.names[delay.name].name) << '\n';
  }
  for (const picture_counter& counter : picture.counters) {
    out << counter.name;
    for (const counter_value& each : counter.values) out << ' ' << each.at_ns << ':' << each.value;
  }
  return out.str();
}

TEST(traced_load, the_picture_is_that_of_the_load_itself) {
  const small_load made;
  traced_load back;
  read(back, made.json());
  EXPECT_EQ(shown(back.picture()),
            shown(picture_of(made.record, made.window(), made.record.start_ns())));
  ASSERT_EQ(back.picture().wakes.size(), 2u);
  EXPECT_EQ(back.picture().wakes[0].from_lane, picture_wake::by_read);
  EXPECT_EQ(back.picture().wakes[0].from_ns, 390u);
  EXPECT_EQ(back.picture().wakes[1].from_lane, 0u);
  EXPECT_EQ(back.picture().wakes[1].to_ns, 600u);
  ASSERT_EQ(back.picture().delays.size(), 3u);
  EXPECT_EQ(back.picture().delays[0].ended_by, 3u) << "by name, though it cannot be written";
  EXPECT_EQ(back.picture().delays[1].ended_by, no_subject);
  EXPECT_EQ(back.picture().delays[2].ended_by, 2u);
  EXPECT_EQ(back.load_ns(), 900u);
  EXPECT_EQ(back.told_ns(), 880u);
  EXPECT_EQ(back.foreign_events(), 0u);
}

TEST(traced_load, of_a_timeline_in_memory_is_that_of_its_file) {
  const small_load made;
  traced_load from_file;
  read(from_file, made.json());
  traced_load back;
  const auto describe = [](std::uint32_t subject) -> subject_text {
    return {subject == 3 ? "d\uFFFD.bin (3)" : names[subject], "base.zip"};
  };
  const auto add = [&](const trace_line& line) { back.add(line); };
  ASSERT_TRUE(each_trace_line(made.record, describe, add));
  back.finish();
  EXPECT_EQ(shown(back.picture()), shown(from_file.picture()));
  EXPECT_EQ(back.told_ns(), from_file.told_ns());
  EXPECT_EQ(back.events(), from_file.events());
  const load_report what = back.report_of_trace();
  const load_report filed = from_file.report_of_trace();
  EXPECT_EQ(verdict_sentence(what), verdict_sentence(filed));
  EXPECT_EQ(what.summary.reads.device_ns, filed.summary.reads.device_ns);
  const std::vector<report_row> rows = back.rows_for(what);
  const std::vector<report_row> filed_rows = from_file.rows_for(filed);
  ASSERT_EQ(rows.size(), filed_rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].path, filed_rows[i].path);
    EXPECT_EQ(rows[i].stage_ns, filed_rows[i].stage_ns);
    EXPECT_EQ(rows[i].device_ns, filed_rows[i].device_ns);
  }
}

TEST(traced_load, the_verdict_and_the_threads_are_those_of_the_load_itself) {
  const small_load made;
  traced_load back;
  read(back, made.json());
  report live;
  live.summary.files = 4;
  live.threads = 2;
  collect_threads(live, made.record, made.window());
  const load_report what = back.report_of_trace();
  EXPECT_EQ(what.verdict.name, live.verdict.name);
  EXPECT_EQ(what.verdict.worker_ns, live.verdict.worker_ns);
  EXPECT_EQ(verdict_sentence(what), verdict_sentence(live));
  ASSERT_EQ(what.threads_used.size(), live.threads_used.size());
  for (std::size_t i = 0; i < what.threads_used.size(); ++i) {
    EXPECT_EQ(what.threads_used[i].name, live.threads_used[i].name);
    EXPECT_EQ(what.threads_used[i].stage_ns, live.threads_used[i].stage_ns);
    EXPECT_EQ(what.threads_used[i].waiting_ns, live.threads_used[i].waiting_ns);
    EXPECT_EQ(what.threads_used[i].is_worker, live.threads_used[i].is_worker);
  }
  EXPECT_EQ(what.threads, 2u);
  EXPECT_EQ(what.io_threads, 1u);
}

TEST(traced_load, files_have_their_names_whatever_is_in_them) {
  const small_load made;
  traced_load back;
  read(back, made.json());
  load_report what = back.report_of_trace();
  const std::vector<report_row> rows = back.rows_for(what);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].path, names[0]);
  EXPECT_EQ(rows[1].path, names[1]);
  EXPECT_EQ(rows[2].path, names[2]);
  EXPECT_EQ(rows[3].path, "d\uFFFD.bin (3)") << "two such names stay two";
  EXPECT_EQ(rows[0].bytes, 128u);
  EXPECT_EQ(rows[0].stage_ns, (stage_times{10, 30, 50, 190, 10}));
  EXPECT_EQ(rows[0].began_ns, 10u);
  EXPECT_EQ(rows[1].device_ns, 240u);
  EXPECT_EQ(what.mounts.at(rows[0].mount).path, "base.zip");
  EXPECT_EQ(rows[0].state, overture::file_state::ready);
  EXPECT_EQ(what.summary.files, 4u);
  EXPECT_EQ(what.summary.decoded_bytes, 4096u);
  EXPECT_EQ(what.types.size(), 4u);
  EXPECT_EQ(what.slowest.size(), 4u);
  EXPECT_EQ(what.slowest[0].path, rows[3].path) << "its read took longest";
}

// "b" unpacks the solid block of both in a read, and "c" waits for it in another.
class block_load {
 public:
  block_load() {
    on_thread("main", [&] {
      add(event_kind::zone, "unpack", 910, 950, 1);
      add(event_kind::zone, "unpack", 950, 1000, 2);
    });
    on_thread("io 1", [&] {
      add(event_kind::zone, "unpack", 300, 900, 1, 0, request_flags::block);
      add(event_kind::zone, "read", 120, 300, 1, 77);
      add(event_kind::request, "read", 100, 900, 1, 5000);
      add(event_kind::service, "normal", 120, 900, 5, 0);
      add(event_kind::part, "unpack", 300, 900, 1, 77);
    });
    on_thread("io 2", [&] {
      add(event_kind::wait, wait_reasons::solid_block, 130, 900);
      add(event_kind::zone, "read", 900, 905, 2);
      add(event_kind::request, "read", 100, 905, 2, 5000);
      add(event_kind::service, "normal", 130, 905, 5, 0);
      add(event_kind::part, "unpack", 905, 905, 2, 0);
      add(event_kind::part, wait_reasons::solid_block, 130, 900, 2);
    });
  }
  timeline record;

 private:
  template <class Body>
  void on_thread(const char* name, Body body) {
    std::thread([&] {
      ASSERT_TRUE(record.attach_thread(name));
      body();
      record.detach_thread();
    }).join();
  }
  void add(event_kind kind, const char* name, std::uint64_t begin, std::uint64_t end,
           std::uint32_t subject = no_subject, std::uint64_t value = 0, int flags = 0) {
    overture::record({record.start_ns() + begin, record.start_ns() + end, name, value, subject,
                      kind, zone_colour::by_name, static_cast<std::uint16_t>(flags)});
  }
};

TEST(traced_load, unpacking_a_solid_block_is_not_reading) {
  const block_load made;
  string_sink sink;
  ASSERT_TRUE(write_chrome_json(made.record, sink, {}));
  traced_load from_file;
  read(from_file, sink.text);
  traced_load in_memory;
  const auto describe = [](std::uint32_t subject) -> subject_text {
    return {std::to_string(subject), ""};
  };
  ASSERT_TRUE(
      each_trace_line(made.record, describe, [&](const trace_line& line) { in_memory.add(line); }));
  in_memory.finish();
  EXPECT_EQ(shown(in_memory.picture()), shown(from_file.picture()));
  for (const traced_load* load : {&from_file, &in_memory}) {
    const load_report what = load->report_of_trace();
    const std::vector<report_row> rows = load->rows_for(what);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].device_ns, 180u);
    EXPECT_EQ(rows[0].stage_ns, (stage_times{0, 0, 640, 0, 0}));
    EXPECT_EQ(rows[1].device_ns, 5u);
    EXPECT_EQ(rows[1].stage_ns, (stage_times{0, 0, 50, 0, 0}));
    EXPECT_EQ(what.summary.reads.disk_bytes, 77u);
    EXPECT_EQ(what.summary.reads.device_ns, 185u);
    EXPECT_EQ(what.summary.reads.block_wait_ns, 770u);
    EXPECT_EQ(what.summary.reads.p99_ns, 180u) << "the other read nothing";
    EXPECT_EQ(what.summary.stages[static_cast<std::size_t>(load_stage::unpack)].files, 2u);
    std::vector<std::string> lanes;
    for (const picture_lane& lane : load->picture().lanes) lanes.push_back(lane.name);
    EXPECT_EQ(lanes, (std::vector<std::string>{"main", "io 1", "io 2"}))
        << "threads that unpack or wait for blocks do more than read";
  }
}

TEST(traced_load, rows_follow_the_report_of_the_same_load) {
  const small_load made;
  traced_load back;
  read(back, made.json());
  report what;
  what.mounts.resize(2);
  what.mounts[1].path = "base.zip";
  what.failures.push_back({names[1], "base.zip", "decode", "corrupt", "broken"});
  const std::vector<report_row> rows = back.rows_for(what);
  EXPECT_EQ(rows[0].mount, 1u);
  EXPECT_EQ(rows[1].state, overture::file_state::failed);
  what.mounts.clear();
  EXPECT_EQ(back.rows_for(what)[0].mount, report_row::unknown_mount);
}

TEST(traced_load, a_trace_that_was_cut_anywhere_is_a_part_of_the_load) {
  const small_load made;
  const std::string text = made.json();
  for (std::size_t i = 0; i <= 200; ++i) {
    traced_load back;
    read(back, text.substr(0, text.size() * i / 200));
    EXPECT_LE(back.load_ns(), 900u) << i;
    const load_report what = back.report_of_trace();
    EXPECT_LE(back.rows_for(what).size(), 4u);
    EXPECT_EQ(what.verdict.worker_ns, back.load_ns() * what.threads) << i;
  }
}

TEST(traced_load, events_that_were_lost_are_counted) {
  timeline record{{.events_per_thread = 4}};
  ASSERT_TRUE(record.attach_thread("main"));
  for (int i = 0; i < 10; ++i) {
    const zone work("decode", {.subject = 1});
  }
  record.detach_thread();
  string_sink sink;
  ASSERT_TRUE(write_chrome_json(record, sink));
  traced_load back;
  read(back, sink.text);
  EXPECT_EQ(back.picture().events_lost(), 6u);
  EXPECT_EQ(back.rows_for({}).at(0).path, "1");
}

TEST(traced_load, without_marks_it_goes_from_the_first_stage_to_the_last) {
  traced_load back;
  read(back, R"([{"name":"decode","cat":"zone","ph":"X","pid":7,"tid":3,"ts":5,"dur":2,"args":{}},
{"name":"idle","cat":"wait","ph":"X","pid":7,"tid":3,"ts":7,"dur":90,"args":{}},
{"name":"slice","ph":"B","pid":7,"tid":3,"ts":7}])");
  EXPECT_EQ(back.load_ns(), 2000u);
  EXPECT_EQ(back.picture().load_begin_ns, 5000u);
  EXPECT_EQ(back.picture().lanes.at(0).name, "3");
  EXPECT_EQ(back.foreign_events(), 1u);
  EXPECT_EQ(back.told_ns(), std::nullopt);
}

}  // namespace
}  // namespace overture::cli::traced_load_test

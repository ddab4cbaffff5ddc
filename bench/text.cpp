// SPDX-License-Identifier: Zlib
//
// Game objects as text, compared with the alternatives.
//
//   numbers    1,048,576 {bool, float} as "y 12.34" on one thread: snprintf, the small printfs,
//              fmt compiled, std::to_chars
//   threads    the same on two threads or more: std::execution::par with snprintf, as many
//              independent processes
//   reading    the text read back, compared with sscanf and strtof
//   object     an object with 12 mixed fields: as a script, compared with compiled fmt, and as
//              JSON, compared with Glaze if OVERTURE_PEERS has it
//   save       objects with vectors, a map and strings as JSON, compared with compiled fmt, with
//              Glaze, and with their bounds alone
#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <functional>
#include <memory>
#include <overture/jobs/thread_pool.hpp>
#include <overture/text/read.hpp>
#include <overture/text/write.hpp>
#include <random>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "harness.hpp"
#include "options.hpp"
#include "process.hpp"
#include "text_objects.hpp"
#include "text_peers.hpp"

namespace {

using namespace overture;
using bench::army;
using bench::soldier;
using bench::spread;

struct settings {
  std::size_t objects = 1u << 20;
  int rounds = 15;
  unsigned threads = 2;
  std::vector<std::string> only;

  [[nodiscard]] bool wants(const std::string& part) const { return bench::is_wanted(only, part); }
};

using style = text::rows<' '>;

// Memory that has been touched: page faults must not count.
std::unique_ptr<char[]> touched(std::size_t bytes) {
  std::unique_ptr<char[]> memory(new char[bytes]);
  std::memset(memory.get(), 1, bytes);
  return memory;
}

std::size_t write_ours(const army& units, char* out, std::size_t room) {
  const auto done = text::write<style>(units, {out, room});
  if (!done) throw std::runtime_error("the buffer is too small");
  return done->bytes;
}

void measure_numbers(const settings& set, const char* values, const army& units,
                     double goal_snprintf, bench::results& results) {
  const std::size_t room = text::bytes_max<style>(units) + 4096;
  const auto out = touched(room);
  const auto copy = touched(room);
  std::vector<bench::variant> variants;
  variants.push_back({"overture", [&] { (void)write_ours(units, out.get(), room); }});
  for (const bench::formatter& each : bench::formatters()) {
    variants.push_back(
        {each.name, [&units, &out, &each] { (void)bench::write_with(each, units, out.get()); }});
  }
  const std::size_t bytes = write_ours(units, out.get(), room);
  variants.push_back({"memcpy", [&] { std::memcpy(copy.get(), out.get(), bytes); }});

  std::memcpy(copy.get(), out.get(), bytes);
  for (const bench::formatter& each : bench::formatters()) {
    const std::size_t theirs = bench::write_with(each, units, out.get());
    const bool same = theirs == bytes && std::memcmp(out.get(), copy.get(), bytes) == 0;
    results.metric(fmt::format("{}: bytes as {}'s", values, each.name), same ? 1 : 0);
  }
  bench::interleave(variants, set.rounds, values);
  for (const bench::variant& each : variants) {
    const double ns = bench::time_of(each, bench::clock::cpu).median * 1e9;
    results.metric(fmt::format("{}, {}: ns for one object", values, each.name),
                   ns / static_cast<double>(set.objects));
  }
  const auto against = [&](const char* name) -> spread {
    for (const bench::variant& each : variants) {
      if (each.name == name) return bench::ratio(each, variants[0], bench::clock::cpu);
    }
    return {};
  };
  results.goal(fmt::format("{}, 1 thread: x faster than snprintf", values), against("snprintf"),
               goal_snprintf, false);
  results.goal(fmt::format("{}, 1 thread: x faster than std::to_chars", values),
               against("std::to_chars"), 4, false);
  results.goal(fmt::format("{}, 1 thread: x the bandwidth of memcpy", values), against("memcpy"),
               0.08, false);
}

// Enough writes per turn that waking the other process or thread does not matter.
constexpr int repeats = 16;

template <class Work>
std::function<void()> repeated(const Work& work) {
  return [work] {
    for (int i = 0; i < repeats; ++i) work();
  };
}

// An equal part of the objects each, in processes that share nothing. `prepare` makes the work of
// one process from its part.
class processes_apart {
 public:
  using preparation = std::function<bench::repeated_work(unsigned part)>;

  processes_apart(unsigned count, const preparation& prepare) {
    for (unsigned part = 0; part < count; ++part) {
      workers_.push_back(
          std::make_unique<bench::process>([&prepare, part] { return prepare(part); }));
    }
  }
  void run() {
    for (const auto& each : workers_) each->begin();
    for (const auto& each : workers_) each->finish();
  }
  void settle() {
    for (const auto& each : workers_) each->settle();
  }

 private:
  std::vector<std::unique_ptr<bench::process>> workers_;
};

bench::repeated_work write_part(const settings& set, unsigned part) {
  auto units = std::make_shared<army>();
  bench::fill_ordinary(*units, set.objects / set.threads, part);
  const std::size_t room = text::bytes_max<style>(*units) + 4096;
  const std::shared_ptr<char[]> out = touched(room);
  return {repeated([units, out, room] { (void)write_ours(*units, out.get(), room); }), [] {}};
}

void measure_threads(const settings& set, bench::results& results) {
  // Forks, so before any thread starts.
  processes_apart processes(set.threads, [&set](unsigned part) { return write_part(set, part); });
  army units;
  bench::fill_ordinary(units, set.objects, 0);
  const std::size_t room = text::bytes_max<style>(units) + 4096;
  const auto out = touched(room);
  const auto one = touched(room);
  const auto slots = touched(room);
  thread_pool jobs{{.workers = set.threads - 1}};
  const std::string threads = fmt::format("{} threads", set.threads);
  text::page_table pages;
  const std::size_t bytes = write_ours(units, one.get(), room);
  const auto write_parallel = [&] {
    return text::write<style>(jobs, units, std::span(out.get(), room), &pages);
  };
  const auto done = write_parallel();
  results.metric(threads + ": bytes as on one thread",
                 done && done->bytes == bytes && std::memcmp(out.get(), one.get(), bytes) == 0);

  // Variants that are compared with each other run next to each other: the machine's speed drifts.
  std::vector<bench::variant> variants;
  variants.push_back({threads, repeated([&] { (void)write_parallel(); })});
  variants.push_back({fmt::format("{} processes", set.threads), [&] { processes.run(); },
                      [&] { processes.settle(); }});
  variants.push_back({threads + ", slots for writev", repeated([&] {
                        (void)text::write<style>(jobs, units, std::span(slots.get(), room), &pages,
                                                 text::layout::slots);
                      })});
  variants.push_back({"1 thread", repeated([&] { (void)write_ours(units, one.get(), room); })});
  variants.push_back({threads + ", exact size pass first", repeated([&] {
                        (void)text::write<style>(jobs, units, std::span(out.get(), bytes), &pages);
                      })});
  variants.push_back({"std::execution::par, snprintf",
                      repeated([&] { (void)bench::classic_loop(units, slots.get()); })});
  variants.push_back({"memcpy", repeated([&] { std::memcpy(slots.get(), out.get(), bytes); })});
  bench::interleave(variants, set.rounds, "threads");
  for (const bench::variant& each : variants) {
    results.metric(fmt::format("{}: ms", each.name),
                   bench::time_of(each, bench::clock::wall).median * 1e3 / repeats);
  }
  const auto wall = [&](std::size_t reference, std::size_t measured = 0) {
    return bench::ratio(variants[reference], variants[measured], bench::clock::wall);
  };
  results.goal(threads + ": x faster than one", wall(3), 1, false);
  results.goal(threads + ": speed-up, x the machine's own", wall(1), 0.97, false);
  results.goal(threads + ", slots for writev: speed-up, x the machine's own", wall(1, 2), 0.97,
               false);
  results.goal(threads + ": x faster than std::execution::par with snprintf", wall(5), 20, false);
  results.goal(threads + ": x the bandwidth of memcpy on one", wall(6), 0.08, false);
}

template <class T>
std::string written_with(char* (*write)(char*, const T&), const paged<T>& objects, char* out) {
  char* at = out;
  objects.for_each([&](const T& each) { at = write(at, each); });
  return {out, at};
}

void measure_object(const settings& set, bench::results& results) {
  paged<soldier> soldiers;
  bench::fill(soldiers, set.objects / 8);
  paged<bench::json_soldier> json_soldiers;
  soldiers.for_each([&](const soldier& each) { (void)json_soldiers.add(each); });
  const std::size_t room = text::bytes_max<text::json>(json_soldiers) + 4096;
  const auto out = touched(room);
  const auto write_script = [&] {
    return text::write<text::script<"unit">>(soldiers, std::span(out.get(), room));
  };
  const auto write_json = [&] {
    return text::write<text::json>(json_soldiers, std::span(out.get(), room));
  };
  const auto write_fmt = [&] {
    char* at = out.get();
    soldiers.for_each([&](const soldier& each) { at = bench::write_script_with_fmt(at, each); });
  };
  std::vector<bench::variant> variants;
  variants.push_back({"script", [&] { (void)write_script(); }});
  variants.push_back({"fmt compiled, the same text", write_fmt});
  variants.push_back({"JSON", [&] { (void)write_json(); }});
#ifdef BENCH_GLAZE
  variants.push_back({"Glaze", [&] {
                        char* at = out.get();
                        json_soldiers.for_each([&](const bench::json_soldier& each) {
                          at = bench::write_json_with_glaze(at, each);
                        });
                      }});
#endif
  const auto script = write_script();
  const std::string ours(out.get(), script ? script->bytes : 0);
  results.metric("12 fields: bytes as fmt's",
                 ours == written_with(&bench::write_script_with_fmt, soldiers, out.get()) ? 1 : 0);
#ifdef BENCH_GLAZE
  const auto json = write_json();
  const std::string our_json(out.get(), json ? json->bytes : 0);
  results.metric(
      "12 fields: bytes as Glaze's",
      our_json == written_with(&bench::write_json_with_glaze, json_soldiers, out.get()) ? 1 : 0);
#endif
  bench::interleave(variants, set.rounds, "objects of 12 fields");
  for (const bench::variant& each : variants) {
    const double ns = bench::time_of(each, bench::clock::cpu).median * 1e9;
    results.metric(fmt::format("12 fields, {}: ns for one object", each.name),
                   ns / static_cast<double>(soldiers.size()));
  }
  results.goal("12 fields as script: x faster than fmt compiled",
               bench::ratio(variants[1], variants[0], bench::clock::cpu), 2, false);
#ifdef BENCH_GLAZE
  results.goal("12 fields as JSON: x faster than Glaze",
               bench::ratio(variants[3], variants[2], bench::clock::cpu), 1, false);
#endif
}

// Objects that have no bound at compile time.
void measure_save(const settings& set, bench::results& results) {
  paged<bench::hero> heroes;
  bench::fill(heroes, set.objects / 16);
  const std::size_t room = text::bytes_max<text::json>(heroes) + 4096;
  const auto out = touched(room);
  thread_pool jobs{{.workers = 1}};
  text::page_table pages;
  const auto write = [&] {
    const auto done = text::write<text::json>(heroes, std::span(out.get(), room), &pages);
    if (!done) throw std::runtime_error("the buffer is too small");
    return std::string_view(out.get(), done->bytes);
  };
  const std::string ours(write());
  const auto written_by = [&](char* (*one)(char*, const bench::hero&)) {
    return [&heroes, &out, one] {
      char* at = out.get();
      heroes.for_each([&](const bench::hero& each) { at = one(at, each); });
    };
  };
  paged<bench::hero> back;
  const auto clear = [&back] { back.clear(); };
  std::vector<bench::variant> variants;
  variants.push_back({"JSON", [&] { (void)write(); }});
  variants.push_back({"fmt compiled, the same text", written_by(&bench::write_json_with_fmt)});
  std::size_t bound = 0;
  variants.push_back({"bounds alone", [&] { bound += text::bytes_max<text::json>(heroes); }});
  variants.push_back(
      {"2 threads",
       [&] { (void)text::write<text::json>(jobs, heroes, std::span(out.get(), room), &pages); }});
  const auto read = [&] {
    const auto count = text::read<text::json>(ours, back);
    if (!count || *count != heroes.size()) throw std::runtime_error("not what was written");
  };
  variants.push_back({"reading", read, clear});
#ifdef BENCH_GLAZE
  variants.push_back({"Glaze", written_by(&bench::write_json_with_glaze)});
  variants.push_back({"Glaze reading", [&] { bench::read_json_with_glaze(ours, back); }, clear});
  results.metric("save: bytes as Glaze's",
                 ours == written_with(&bench::write_json_with_glaze, heroes, out.get()) ? 1 : 0);
#endif
  results.metric("save: bytes as fmt's",
                 ours == written_with(&bench::write_json_with_fmt, heroes, out.get()) ? 1 : 0);
  bench::interleave(variants, set.rounds, "a game's save");
  for (const bench::variant& each : variants) {
    const double ns = bench::time_of(each, bench::clock::wall).median * 1e9;
    results.metric(fmt::format("save, {}: ns for one object", each.name),
                   ns / static_cast<double>(heroes.size()));
  }
  results.metric("save: bytes at most, x those written",
                 static_cast<double>(room) / static_cast<double>(ours.size()));
  const auto cpu = [&](std::size_t reference, std::size_t measured) {
    return bench::ratio(variants[reference], variants[measured], bench::clock::cpu);
  };
  results.goal("save as JSON: x faster than fmt compiled", cpu(1, 0), 2, false);
  results.goal("save as JSON, 2 threads: x faster than one",
               bench::ratio(variants[0], variants[3], bench::clock::wall), 1, false);
#ifdef BENCH_GLAZE
  results.goal("save as JSON: x faster than Glaze", cpu(5, 0), 1, false);
  results.goal("save as JSON, reading: x faster than Glaze", cpu(6, 4), 1, false);
#endif
}

// The text of some objects and its page table.
struct written_army {
  std::unique_ptr<char[]> text;
  std::size_t bytes = 0;
  text::page_table pages;

  written_army(std::size_t objects, std::uint64_t seed) {
    army units;
    bench::fill_ordinary(units, objects, seed);
    write(units);
  }
  explicit written_army(const army& units) { write(units); }
  [[nodiscard]] std::string_view view() const { return {text.get(), bytes}; }

 private:
  void write(const army& units) {
    const std::size_t room = text::bytes_max<style>(units) + 4096;
    text = touched(room);
    const auto done = text::write<style>(units, std::span(text.get(), room), &pages);
    if (!done) throw std::runtime_error("the buffer is too small");
    bytes = done->bytes;
    text[bytes] = '\0';
  }
};

// Reads into `back`, which keeps the objects until it is cleared.
void read_ours(written_army& from, std::size_t objects, army& back, job_system* jobs,
               text::page_table* pages) {
  const auto read = jobs ? text::read<style>(*jobs, from.view(), back, pages)
                         : text::read<style>(from.view(), back, pages);
  if (!read || *read != objects) throw std::runtime_error("not what was written");
}

bench::repeated_work read_half(const settings& set, unsigned half) {
  auto from = std::make_shared<written_army>(set.objects / 2, half);
  auto back = std::make_shared<army>();
  return {[from, back, &set] { read_ours(*from, set.objects / 2, *back, nullptr, &from->pages); },
          [back] { back->clear(); }};
}

// Reads the same text back, compared with loops over the C library. All create their objects in a
// `paged`; destroying them is not measured.
void measure_reading(const settings& set, bench::results& results) {
  // Forks, so before any thread starts.
  processes_apart processes(2, [&set](unsigned half) { return read_half(set, half); });
  written_army from(set.objects, 0);
  thread_pool jobs{{.workers = 1}};
  army back;
  const auto clear = [&back] { back.clear(); };
  const auto ours = [&](job_system* system, text::page_table* pages) {
    return [&, system, pages] { read_ours(from, set.objects, back, system, pages); };
  };
  std::vector<bench::variant> variants;
  variants.push_back({"1 thread", ours(nullptr, &from.pages), clear});
  variants.push_back({"2 threads", ours(&jobs, &from.pages), clear});
  variants.push_back({"1 thread, without the table", ours(nullptr, nullptr), clear});
  variants.push_back(
      {"sscanf", [&] { bench::read_with_sscanf(from.text.get(), set.objects, back); }, clear});
  variants.push_back(
      {"strtof", [&] { bench::read_with_strtof(from.text.get(), set.objects, back); }, clear});
  variants.push_back(
      {"2 processes, half each", [&] { processes.run(); }, [&] { processes.settle(); }});
  bench::interleave(variants, set.rounds, "reading");
  for (const bench::variant& each : variants) {
    results.metric(fmt::format("reading, {}: ms", each.name),
                   bench::time_of(each, bench::clock::wall).median * 1e3);
  }
  const auto wall = [&](std::size_t measured, std::size_t reference) {
    return bench::ratio(variants[measured], variants[reference], bench::clock::wall);
  };
  results.goal("reading, 1 thread: x faster than sscanf", wall(3, 0), 5, false);
  results.goal("reading, 1 thread: x faster than strtof", wall(4, 0), 5, false);
  results.goal("reading, 2 threads: x faster than one", wall(0, 1), 1, false);
  results.goal("reading, 2 threads: speed-up, x the machine's own", wall(5, 1), 0.97, false);
}

// Numbers of unpredictable sign and length. Measured separately, because fresh memory is a third of
// the cost of reading and depends on what else is in memory.
void measure_unlike_reading(const settings& set, bench::results& results) {
  army units;
  bench::fill_random_bits(units, set.objects);
  written_army from(units);
  army back;
  const auto clear = [&back] { back.clear(); };
  std::vector<bench::variant> variants;
  variants.push_back(
      {"1 thread", [&] { read_ours(from, set.objects, back, nullptr, &from.pages); }, clear});
  variants.push_back(
      {"strtof", [&] { bench::read_with_strtof(from.text.get(), set.objects, back); }, clear});
  variants.push_back(
      {"sscanf", [&] { bench::read_with_sscanf(from.text.get(), set.objects, back); }, clear});
  bench::interleave(variants, set.rounds, "reading, any bits");
  for (const bench::variant& each : variants) {
    results.metric(fmt::format("reading, any bits, {}: ms", each.name),
                   bench::time_of(each, bench::clock::wall).median * 1e3);
  }
  results.goal("reading, any bits, 1 thread: x faster than strtof",
               bench::ratio(variants[1], variants[0], bench::clock::wall), 1, false);
  results.goal("reading, any bits, 1 thread: x faster than sscanf",
               bench::ratio(variants[2], variants[0], bench::clock::wall), 5, false);
}

int run(const settings& set, const std::string& json_path) {
  bench::results results("text");
  // Both fork, so there must be no threads yet; TBB never ends its own.
  if (set.wants("reading")) measure_reading(set, results);
  if (set.wants("threads")) measure_threads(set, results);
  if (set.wants("reading")) measure_unlike_reading(set, results);
  if (set.wants("numbers")) {
    army units;
    bench::fill_ordinary(units, set.objects, 0);
    measure_numbers(set, "0..1000", units, 20, results);
    army wild;
    bench::fill_random_bits(wild, set.objects);
    measure_numbers(set, "random bits below 1e15", wild, 10, results);
  }
  if (set.wants("object")) measure_object(set, results);
  if (set.wants("save")) measure_save(set, results);
  return results.finish(json_path);
}

}  // namespace

int main(int argc, char** argv) {
  settings set;
  std::string json_path;
  bench::options line("Compares game objects as text with the alternatives", set.rounds, json_path);
  line.number("--objects", set.objects, "number of objects", {.least = 4096, .most = 1 << 24});
  line.number("--threads", set.threads,
              "threads of the part of that name, and processes beside them",
              {.least = 2, .most = 64});
  line.words("--only", set.only, "measure only these parts",
             {"numbers", "threads", "reading", "object", "save"});
  if (const std::optional<int> over = line.parse(argc, argv)) return *over;
  try {
    return run(set, json_path);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "error: {}\n", failure.what());
    return 1;
  }
}

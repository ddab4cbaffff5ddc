#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "decode_reference.hpp"
#include "load_parts.hpp"
#include "overture_load.hpp"
#include "process.hpp"

namespace bench {
namespace {

using processes = std::vector<std::unique_ptr<process>>;

// One process for each share of the files.
processes start_processes(plain_loop& loop, const std::vector<std::vector<std::size_t>>& shares) {
  processes started;
  for (const std::vector<std::size_t>& share : shares) {
    started.push_back(std::make_unique<process>([&] { loop.run(1, share); },
                                                [&] {
                                                  loop.clear();
                                                  return_free_memory();
                                                }));
  }
  return started;
}

variant at_once(std::string name, processes& all) {
  return {std::move(name),
          [&] {
            for (const auto& each : all) each->begin();
            for (const auto& each : all) each->finish();
          },
          [&] {
            for (const auto& each : all) each->settle();
          }};
}

template <class Load>
variant kept(std::string name, Load& load, const std::function<void()>& run) {
  return {std::move(name), run, [&] {
            load.clear();
            return_free_memory();
          }};
}

void expect_same_outputs(const overture_load& ours, const kept_outputs& theirs) {
  const overture::cli::kept_total mine = ours.kept();
  if (mine.bytes == theirs.bytes && mine.files == theirs.made) return;
  throw std::runtime_error(fmt::format("the reference kept {} files of {} bytes, Overture {} of {}",
                                       theirs.made, theirs.bytes, mine.files, mine.bytes));
}

void stage_metrics(const std::string& prefix, const stage_seconds& stages, results& into) {
  into.metric(prefix + "read ms", stages.read * 1e3);
  if (stages.unpack > 0) into.metric(prefix + "unpack ms", stages.unpack * 1e3);
  into.metric(prefix + "decode ms", stages.decode * 1e3);
}

}  // namespace

void measure_decode(const data_set& data, unsigned threads, int rounds, results& into) {
  // Processes first: they are copies of this one, which must not have threads yet.
  plain_loop plain(data.mounts);
  plain.run(1);
  plain.run(1);  // warm now: these times count
  const stage_seconds stages = plain.seconds();
  const std::vector<std::vector<std::size_t>> shares = plain.split(threads);
  plain.clear();
  return_free_memory();
  plain_loop alone(data.mounts);
  processes together = start_processes(plain, shares);
  processes single = start_processes(alone, alone.split(1));

  game_loop game(data.mounts);
  overture_load ours(data.mounts, {.threads = threads, .decode = true, .keep = true});
  overture_load ours_alone(data.mounts, {.threads = 1, .decode = true, .keep = true});

  // The outputs of all are compared once, before anything is measured.
  ours.run();
  plain.run(threads);
  game.run();
  expect_same_outputs(ours, plain.outputs());
  expect_same_outputs(ours, game.outputs());
  const overture::cli::kept_total total = ours.kept();
  ours.clear();
  plain.clear();
  game.clear();

  std::vector<variant> variants = {
      kept("overture", ours, [&] { ours.run(); }),
      kept("plain loop", plain, [&] { plain.run(threads); }),
      kept("overture, 1 thread", ours_alone, [&] { ours_alone.run(); }),
      at_once("plain loop, 1 process", single),
      at_once(fmt::format("plain loop, {} processes", threads), together),
      kept("PhysFS, decode, next, 1 thread", game, [&] { game.run(); }),
  };
  const std::string prefix = fmt::format("{}, {} threads, decoded: ", data.name, threads);
  interleave(variants, rounds, prefix + "kept");

  for (const variant& each : variants) {
    into.metric(prefix + each.name + " wall ms", time_of(each, clock::wall).median * 1e3);
  }
  into.metric(prefix + "kept MB", static_cast<double>(total.bytes) / 1e6);
  into.metric(prefix + "failed files", static_cast<double>(ours.summary().failed));
  stage_metrics(prefix + "plain loop, 1 thread: ", stages, into);
  stage_metrics(prefix + "PhysFS, unpacking in read: ", game.seconds(), into);

  const variant& self = variants[0];
  into.goal(prefix + "cpu, x plain loop", ratio(self, variants[1], clock::cpu), 1.08);
  into.goal(prefix + "wall, x plain loop", ratio(self, variants[1], clock::wall), 1.08);
  if (threads < 2) return;
  const std::vector<double> speed_up = ratios(variants[2], self, clock::wall);
  const std::vector<double> machine = ratios(variants[3], variants[4], clock::wall);
  into.metric(prefix + "speed-up over 1 thread", spread_of(speed_up).median);
  into.metric(prefix + "the machine's own speed-up", spread_of(machine).median);
  into.goal(prefix + "speed-up, x the machine's own", ratio(speed_up, machine), 0.97, false);
  // What the stages allow: the game's loop does P (PhysFS) + D (decoding); who only replaces its
  // reading, and has all processors, needs (read + unpack + D) / the machine's own speed-up.
  const double allowed = ratio(variants[5], variants[4], clock::wall).median;
  into.metric(prefix + "x faster than PhysFS, decode, next: as the stages allow", allowed);
  constexpr double wanted = 2.5;
  constexpr double tolerance = 0.97 / 1.08;  // what the two goals above leave
  into.goal(prefix + "x faster than PhysFS, decode, next", ratio(variants[5], self, clock::wall),
            std::min(wanted, allowed * tolerance), false);
}

}  // namespace bench

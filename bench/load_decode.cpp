// SPDX-License-Identifier: Zlib
#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "decode_reference.hpp"
#include "load_parts.hpp"
#include "overture_load.hpp"
#include "process.hpp"

namespace bench {
namespace {

using file_shares = std::vector<std::vector<std::size_t>>;
using processes = std::vector<std::unique_ptr<process>>;

// Determined before anything is measured.
struct preparation {
  file_shares everything;
  file_shares shares;  // of equal work
  stage_seconds plain;
  stage_seconds game;
  overture::cli::kept_total kept;
  std::uint64_t failed = 0;
};

void expect_same_outputs(const preparation& ours, const kept_outputs& theirs) {
  if (ours.kept.bytes == theirs.bytes && ours.kept.files == theirs.made) return;
  throw std::runtime_error(fmt::format("the reference kept {} files, {} bytes; Overture {}, {}",
                                       theirs.made, theirs.bytes, ours.kept.files,
                                       ours.kept.bytes));
}

preparation prepare(const data_set& data, unsigned threads, plain_loop& plain) {
  preparation found;
  plain.run(1);  // brings the files into the page cache
  plain.clear();
  return_free_memory();
  plain.run(1);
  found.plain = plain.seconds();
  found.everything = plain.split(1);
  found.shares = plain.split(threads);
  game_loop game(data.mounts);
  return_free_memory();
  game.run();
  found.game = game.seconds();
  const kept_outputs of_plain = plain.outputs();
  const kept_outputs of_game = game.outputs();
  plain.clear();
  game.clear();
  overture_load ours(data.mounts, {.threads = threads, .decode = true, .keep = true});
  ours.run();
  found.kept = ours.kept();
  found.failed = ours.summary().failed;
  expect_same_outputs(found, of_plain);
  expect_same_outputs(found, of_game);
  return found;
}

template <class Load>
repeated_work repeated(const std::shared_ptr<Load>& load, const std::function<void()>& run) {
  return {run, [load] {
            load->clear();
            return_free_memory();
          }};
}

processes overture_process(const data_set& data, unsigned threads) {
  processes one;
  one.push_back(std::make_unique<process>([&data, threads] {
    const auto load = std::make_shared<overture_load>(
        data.mounts, load_configuration{.threads = threads, .decode = true, .keep = true});
    return repeated(load, [load] { load->run(); });
  }));
  return one;
}

// One process for each share of the files.
processes plain_processes(const std::shared_ptr<plain_loop>& loop, const file_shares& shares,
                          unsigned threads_of_each) {
  processes started;
  for (const std::vector<std::size_t>& share : shares) {
    started.push_back(std::make_unique<process>([&loop, &share, threads_of_each] {
      return repeated(loop, [loop, share, threads_of_each] { loop->run(threads_of_each, share); });
    }));
  }
  return started;
}

processes game_process(const data_set& data) {
  processes one;
  one.push_back(std::make_unique<process>([&data] {
    const auto game = std::make_shared<game_loop>(data.mounts);
    return repeated(game, [game] { game->run(); });
  }));
  return one;
}

variant at_once(std::string name, const processes& all) {
  return {std::move(name),
          [&all] {
            for (const auto& each : all) each->begin();
            for (const auto& each : all) each->finish();
          },
          [&all] {
            for (const auto& each : all) each->settle();
          }};
}

void stage_metrics(const std::string& prefix, const stage_seconds& stages, results& into) {
  into.metric(prefix + "read ms", stages.read * 1e3);
  if (stages.unpack > 0) into.metric(prefix + "unpack ms", stages.unpack * 1e3);
  into.metric(prefix + "decode ms", stages.decode * 1e3);
}

void judge_scaling(const std::string& prefix, const std::vector<variant>& variants, results& into) {
  const variant& self = variants[0];
  const std::vector<double> speed_up = ratios(variants[2], self, clock::wall);
  const std::vector<double> machine = ratios(variants[3], variants[4], clock::wall);
  into.metric(prefix + "speed-up over 1 thread", spread_of(speed_up).median);
  into.metric(prefix + "the machine's own speed-up", spread_of(machine).median);
  into.goal(prefix + "speed-up, x the machine's own", ratio(speed_up, machine), 0.97, false);
  // The most that the stages allow. A game's loop takes P (PhysFS reads and unpacks) + D
  // (decoding). A program that replaces the reading and uses all processors takes (read + unpack +
  // D) / the machine's own speed-up, as the plain loop in as many processes does.
  const double allowed = ratio(variants[5], variants[4], clock::wall).median;
  into.metric(prefix + "x faster than PhysFS, decode, next, as the stages allow", allowed);
  constexpr double wanted = 2.5;
  into.goal(prefix + "x faster than PhysFS, decode, next", ratio(variants[5], self, clock::wall),
            std::min(wanted, allowed), false);
}

}  // namespace

void measure_decode(const data_set& data, unsigned threads, int rounds, results& into) {
  const auto plain = std::make_shared<plain_loop>(data.mounts);
  const preparation found = prepare(data, threads, *plain);
  return_free_memory();

  const processes ours = overture_process(data, threads);
  const processes loop = plain_processes(plain, found.everything, threads);
  const processes ours_alone = overture_process(data, 1);
  const processes alone = plain_processes(plain, found.everything, 1);
  const processes together = plain_processes(plain, found.shares, 1);
  const processes game = game_process(data);
  std::vector<variant> variants = {
      at_once("overture", ours),
      at_once("plain loop", loop),
      at_once("overture, 1 thread", ours_alone),
      at_once("plain loop, 1 process", alone),
      at_once(fmt::format("plain loop, {} processes", threads), together),
      at_once("PhysFS, decode, next, 1 thread", game),
  };
  const std::string prefix = fmt::format("{}, {} threads, decoded: ", data.name, threads);
  interleave(variants, rounds, prefix + "kept");

  for (const variant& each : variants) {
    into.metric(prefix + each.name + " wall ms", time_of(each, clock::wall).median * 1e3);
    into.metric(prefix + each.name + " cpu ms", time_of(each, clock::cpu).median * 1e3);
  }
  into.metric(prefix + "kept MB", static_cast<double>(found.kept.bytes) / 1e6);
  into.metric(prefix + "failed files", static_cast<double>(found.failed));
  stage_metrics(prefix + "plain loop, 1 thread: ", found.plain, into);
  stage_metrics(prefix + "PhysFS, unpacking in read: ", found.game, into);

  into.goal(prefix + "cpu, x plain loop", ratio(variants[0], variants[1], clock::cpu), 1.08);
  into.goal(prefix + "wall, x plain loop", ratio(variants[0], variants[1], clock::wall), 1.08);
  if (threads > 1) judge_scaling(prefix, variants, into);
}

}  // namespace bench

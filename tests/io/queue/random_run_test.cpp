// SPDX-License-Identifier: Zlib
//
// A read queue on a bad disk, driven by chance. A failure prints its seed, and the shortest list of
// steps that still fails. OVERTURE_IO_STEPS and OVERTURE_IO_SEED make it longer or another one:
// a million steps take a few seconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "io/unpack/packed_samples.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/io/simulated_disk.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::random_run_test {
namespace {

enum class action : std::uint8_t {
  submit,
  submit_batch,
  poll,
  cancel,
  cancel_tag,
  priority,
  deadline,
  truncate,
  suspend,
  resume,
  close,
  open_gate
};
constexpr const char* action_names[] = {"submit",     "submit_batch", "poll",     "cancel",
                                        "cancel_tag", "priority",     "deadline", "truncate",
                                        "suspend",    "resume",       "close",    "open_gate"};

struct step {
  action what;
  std::uint32_t a, b, c;
};
using steps = std::vector<step>;

std::string text_of(const steps& all) {
  std::string text;
  for (const step& each : all) {
    text += std::string(action_names[static_cast<std::size_t>(each.what)]) + " " +
            std::to_string(each.a) + " " + std::to_string(each.b) + " " + std::to_string(each.c) +
            "\n";
  }
  return text;
}

steps draw_steps(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 chance(seed);
  // How often, of 100.
  const std::vector<std::pair<action, unsigned>> weights{
      {action::submit, 40},  {action::submit_batch, 8}, {action::poll, 28},
      {action::cancel, 6},   {action::cancel_tag, 1},   {action::priority, 6},
      {action::deadline, 5}, {action::truncate, 1},     {action::suspend, 1},
      {action::resume, 1},   {action::close, 1},        {action::open_gate, 2}};
  steps all;
  while (all.size() < count) {
    auto left = static_cast<unsigned>(chance() % 100);
    for (const auto& [what, weight] : weights) {
      if (left < weight) {
        all.push_back({what, static_cast<std::uint32_t>(chance()),
                       static_cast<std::uint32_t>(chance()), static_cast<std::uint32_t>(chance())});
        break;
      }
      left -= weight;
    }
  }
  return all;
}

constexpr std::uint32_t file_count = 6;
constexpr std::uint64_t file_bytes = 20'000;
constexpr std::uint32_t packed_file = file_count;       // after the others
constexpr std::uint32_t missing_file = file_count + 1;  // not there at all

// A file of packed pieces, one after the other.
struct packed_pieces {
  struct piece {
    compression method;
    std::size_t offset, packed_bytes;
    std::string content;
  };
  std::vector<piece> all;
  std::string file;

  packed_pieces() {
    for (unsigned i = 0; i < 64; ++i) {
      const compression method = all_methods[1 + i % 4];
      const std::string content = sample(1 + i * 37 % 96, i);
      const std::string made = packed(method, content);
      all.push_back({method, file.size(), made.size(), content});
      file += made;
    }
  }
};
const packed_pieces& pieces() {
  static const packed_pieces made;
  return made;
}

struct tracked {
  std::byte bytes[96];
  read_request request;
  bool live = false;
};

class world {
 public:
  explicit world(std::uint64_t seed)
      : disk({.depth = 1u << seed % 6,
              .short_reads = 6'000,
              .interrupted = 3'000,
              .broken = 700,
              .late = 6'000,
              .seed = seed}),
        pool(512) {
    for (std::uint32_t i = 0; i < file_count; ++i) (void)disk.add_file(file_bytes);
    (void)disk.add_file(std::as_bytes(std::span(pieces().file)));
    reads = std::make_unique<read_queue>(
        disk, read_queue_config{.ageing_ns = 300'000'000, .packed_bytes_max = 300, .disk = &disk});
  }
  // A gate has to open at some time.
  ~world() {
    for (barricade& each : gates) each.lower();
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  // "" or what is wrong.
  std::string run(const steps& all) {
    for (const step& each : all) {
      perform(each);
      if (!failure.empty()) return failure;
    }
    reads->resume();
    for (barricade& each : gates) each.lower();
    reads->drain();
    for (tracked& each : pool) expect(!each.live, "a request was never completed");
    expect(reads->stats().requests == completed, "requests and completions differ in number");
    return failure;
  }

  std::uint64_t stored_read = 0;
  std::uint64_t packed_read = 0;

 private:
  void expect(bool truth, const char* what) {
    if (!truth && failure.empty()) failure = what;
  }
  tracked* idle() {
    for (std::size_t i = 0; i < pool.size(); ++i) {
      tracked& each = pool[hint++ % pool.size()];
      if (!each.live) return &each;
    }
    return nullptr;
  }
  read_request* prepare(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    tracked* const mine = idle();
    if (!mine) return nullptr;
    *mine = {};
    mine->live = true;
    read_request& request = mine->request;
    const std::uint32_t file = a % (file_count + 2);
    request.source = {file, 1};
    request.offset = b % (file_bytes / 16) * 16;
    request.destination = {mine->bytes, c % 96};
    if (file == packed_file) {
      const packed_pieces::piece& wanted = pieces().all[b % pieces().all.size()];
      request.method = wanted.method;
      request.offset = wanted.offset;
      request.packed_bytes = wanted.packed_bytes;
      request.destination = {mine->bytes, wanted.content.size()};
    }
    request.priority = static_cast<read_priority>(a / 16 % 6);
    request.tag = c % 16;
    if (c % 7 == 0) request.deadline_ns = disk.now_ns() + b % 50'000'000;
    request.done = {[](void* context) { running->complete(*static_cast<tracked*>(context)); },
                    mine};
    return &request;
  }
  void submit(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    read_request* const one = prepare(a, b, c);
    if (!one) return;
    const bool gated = b / 64 % 8 == 0;
    reads->submit({one, 1}, gated ? &gates[c / 16 % std::size(gates)] : nullptr);
  }
  void complete(tracked& mine) {
    expect(mine.live, "completed twice, or after it was over");
    mine.live = false;
    ++completed;
    const read_request& request = mine.request;
    if (request.outcome) {
      ++(request.method == compression::none ? stored_read : packed_read);
      expect(holds_its_bytes(request), "wrong bytes");
      expect(request.source.index != missing_file, "read from nowhere");
      return;
    }
    const errc code = request.outcome.error().code;
    expect(code == errc::io || code == errc::truncated || code == errc::cancelled ||
               code == errc::not_found,
           "an error that cannot be");
    expect(code != errc::io || request.outcome.error().os_error == EIO, "another errno than EIO");
    expect(request.outcome.error().source == request.source, "an error without its source");
    expect((code == errc::not_found) == (request.source.index == missing_file) ||
               code == errc::cancelled,
           "not found, but there");
  }
  [[nodiscard]] bool holds_its_bytes(const read_request& request) const {
    if (request.method == compression::none) {
      return disk.holds(request.source, request.offset, request.destination);
    }
    const auto is_it = [&](const packed_pieces::piece& each) {
      return each.offset == request.offset;
    };
    const auto found = std::find_if(pieces().all.begin(), pieces().all.end(), is_it);
    const auto content = std::as_bytes(std::span(found->content));
    return std::equal(content.begin(), content.end(), request.content.begin(),
                      request.content.end());
  }
  void perform(const step& now) {
    running = this;
    tracked& any = pool[now.a % pool.size()];
    switch (now.what) {
      case action::submit:
        submit(now.a, now.b, now.c);
        break;
      case action::submit_batch:
        // Side by side, so that they merge; requests of one batch need not lie in one array.
        for (std::uint32_t i = 0; i < now.a % 12; ++i) {
          submit(now.b, now.c + i, now.c);
        }
        break;
      case action::poll:
        (void)reads->poll(1 + now.a % 5);
        break;
      case action::cancel:
        if (any.live && reads->cancel(any.request)) {
          expect(!any.live, "cancelled, but not completed");
        }
        break;
      case action::cancel_tag:
        (void)reads->cancel_tag(15, now.a % 16);
        break;
      case action::priority:
        if (any.live) (void)reads->set_priority(any.request, static_cast<read_priority>(now.b % 6));
        break;
      case action::deadline:
        if (any.live) (void)reads->set_deadline(any.request, disk.now_ns() + now.b % 90'000'000);
        break;
      case action::truncate:
        // Only a little, so that something is left to the end.
        if (now.b % 64 == 0) disk.truncate({now.a % file_count, 1}, file_bytes - now.c % 4'000);
        break;
      case action::suspend:
        reads->suspend();
        break;
      case action::resume:
        reads->resume();
        break;
      case action::close:
        (void)reads->close_source({now.a % (file_count + 1), 1});
        break;
      case action::open_gate:
        gates[now.a % std::size(gates)].lower();
        gates[now.a % std::size(gates)].raise();
        break;
    }
  }

  static inline world* running = nullptr;
  barricade gates[8] = {barricade{barricade::raised}, barricade{barricade::raised},
                        barricade{barricade::raised}, barricade{barricade::raised},
                        barricade{barricade::raised}, barricade{barricade::raised},
                        barricade{barricade::raised}, barricade{barricade::raised}};
  simulated_disk disk;
  std::vector<tracked> pool;
  std::unique_ptr<read_queue> reads;
  std::string failure;
  std::size_t hint = 0;
  std::uint64_t completed = 0;
};

// Leaves out what is not needed for the failure, in ever smaller pieces (Zeller's ddmin, 1999).
steps shrink(steps all, const std::function<bool(const steps&)>& fails) {
  for (std::size_t piece = all.size() / 2; piece > 0; piece /= 2) {
    for (std::size_t at = 0; at < all.size();) {
      steps shorter(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at));
      if (at + piece < all.size()) {
        shorter.insert(shorter.end(), all.begin() + static_cast<std::ptrdiff_t>(at + piece),
                       all.end());
      }
      if (fails(shorter)) {
        all = shorter;
      } else {
        at += piece;
      }
    }
  }
  return all;
}

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(a_random_run, completes_each_request_once_with_the_right_bytes) {
  const std::uint64_t count = number_from("OVERTURE_IO_STEPS", 120'000);
  const std::uint64_t first_seed = number_from("OVERTURE_IO_SEED", 1);
  for (std::uint64_t seed = first_seed; seed < first_seed + 6; ++seed) {
    const steps all = draw_steps(seed, count / 6);
    const auto run = [&](const steps& some) { return world(seed).run(some); };
    world whole(seed);
    const std::string failure = whole.run(all);
    EXPECT_GT(whole.stored_read, all.size() / 10);
    EXPECT_GT(whole.packed_read, all.size() / 50);
    if (failure.empty()) continue;
    const steps shortest = shrink(all, [&](const steps& some) { return run(some) == failure; });
    FAIL() << failure << "\nOVERTURE_IO_SEED=" << seed << ", shrunk to " << shortest.size()
           << " of " << all.size() << " steps:\n"
           << text_of(shortest);
  }
}

TEST(a_random_run, shrinks_to_what_matters) {
  const steps all = draw_steps(5, 500);
  const auto fails = [](const steps& some) {
    // Fails if a close comes anywhere after a truncate.
    bool seen = false;
    for (const step& each : some) {
      seen = seen || each.what == action::truncate;
      if (seen && each.what == action::close) return true;
    }
    return false;
  };
  ASSERT_TRUE(fails(all));
  const steps shortest = shrink(all, fails);
  ASSERT_EQ(shortest.size(), 2u) << text_of(shortest);
  EXPECT_EQ(shortest[0].what, action::truncate);
}

}  // namespace
}  // namespace overture::random_run_test

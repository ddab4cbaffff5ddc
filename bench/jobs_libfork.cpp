// SPDX-License-Identifier: Zlib
//
// libfork: coroutines and continuation stealing. Supports forks only.
#include <libfork.hpp>

#include "jobs_peers.hpp"

namespace bench {
namespace {

inline constexpr auto fib_of = [](auto self, unsigned n) -> lf::task<std::uint64_t> {
  if (n < 2) co_return n;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  co_await lf::fork(&a, self)(n - 1);
  co_await lf::call(&b, self)(n - 2);
  co_await lf::join;
  co_return a + b;
};

inline constexpr auto skynet_of = [](auto self, std::uint64_t first,
                                     std::uint64_t leaves) -> lf::task<std::uint64_t> {
  if (leaves == 1) co_return first;
  const std::uint64_t each = leaves / 10;
  std::array<std::uint64_t, 10> sums{};
  for (std::size_t i = 0; i < 9; ++i) co_await lf::fork(&sums[i], self)(first + i * each, each);
  co_await lf::call(&sums[9], self)(first + 9 * each, each);
  co_await lf::join;
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum += part;
  co_return sum;
};

inline constexpr auto queens_of = [](auto self, queens_board board,
                                     int size) -> lf::task<std::uint64_t> {
  if (board.placed == size) co_return 1;
  std::array<std::uint64_t, 16> sums{};
  for (int row = 0; row < size; ++row) {
    if (!board.fits(row)) continue;
    co_await lf::fork(&sums[static_cast<std::size_t>(row)], self)(board.with(row), size);
  }
  co_await lf::join;
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum += part;
  co_return sum;
};

class libfork_peer final : public job_peer {
 public:
  explicit libfork_peer(unsigned threads) : pool_(threads) { name = "libfork"; }
  std::uint64_t fib(unsigned n) override { return lf::sync_wait(pool_, fib_of, n); }
  std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) override {
    return lf::sync_wait(pool_, skynet_of, first, leaves);
  }
  std::uint64_t queens(const queens_board& board, int size) override {
    return lf::sync_wait(pool_, queens_of, board, size);
  }
  bool empty_jobs(std::size_t /*count*/, unsigned /*submitters*/, bool /*batched*/) override {
    return false;
  }
  void submit(void (*run)(void*), void* context) noexcept override { run(context); }

 private:
  lf::lazy_pool pool_;
};

}  // namespace

std::unique_ptr<job_peer> make_libfork(unsigned threads) {
  return std::make_unique<libfork_peer>(threads);
}

}  // namespace bench

// SPDX-License-Identifier: Zlib
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <random>

#include "io_parts.hpp"
#include "io_ring.hpp"
#include "overture/io/handle_cache.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/sync/countdown.hpp"

namespace bench {
namespace {

using namespace overture;

struct file_set {
  std::vector<std::string> paths;
  std::vector<std::size_t> sizes;
  std::string pack;
  std::vector<std::uint64_t> offsets;  // in the pack
  std::vector<std::size_t> shuffled;
  std::vector<std::byte> room;  // for all files; already touched

  [[nodiscard]] std::span<std::byte> room_of(std::size_t i) {
    return std::span(room).subspan(offsets[i], sizes[i]);
  }
};

file_set make_files(const settings& with) {
  file_set made;
  std::mt19937 chance(11);
  std::filesystem::create_directories(with.folder);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < with.files; ++i) {
    made.sizes.push_back(4'096 + chance() % 61'440);
    made.offsets.push_back(total);
    total += made.sizes.back();
    const std::string folder = with.folder + "/" + std::to_string(i / 100);
    std::filesystem::create_directories(folder);
    made.paths.push_back(folder + "/" + std::to_string(i));
  }
  made.pack = with.folder + "/pack";
  std::vector<char> bytes(total);
  for (char& each : bytes) each = static_cast<char>(chance());
  const auto write_file = [&](const std::string& path, std::size_t at, std::size_t size) {
    std::FILE* const out = std::fopen(path.c_str(), "wb");
    if (!out || std::fwrite(bytes.data() + at, 1, size, out) != size || std::fclose(out) != 0) {
      stop("cannot write the files to read");
    }
  };
  for (std::size_t i = 0; i < with.files; ++i) {
    write_file(made.paths[i], made.offsets[i], made.sizes[i]);
  }
  write_file(made.pack, 0, total);
  ::sync();
  made.shuffled.resize(with.files);
  std::iota(made.shuffled.begin(), made.shuffled.end(), std::size_t{0});
  std::shuffle(made.shuffled.begin(), made.shuffled.end(), chance);
  made.room.assign(total, std::byte{1});
  return made;
}

void drop_cache(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) stop("cannot reopen a file");
  (void)posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  (void)close(file);
}

void plain_files(file_set& files, unsigned threads) {
  bench::on_threads(threads, files.paths.size(), [&](unsigned, std::size_t i) {
    const int file = open(files.paths[i].c_str(), O_RDONLY | O_CLOEXEC);
    const std::span<std::byte> room = files.room_of(i);
    if (pread(file, room.data(), room.size(), 0) != static_cast<ssize_t>(room.size())) {
      stop("a plain read failed");
    }
    (void)close(file);
  });
}

void plain_pack(file_set& files, unsigned threads) {
  const int file = open(files.pack.c_str(), O_RDONLY | O_CLOEXEC);
  bench::on_threads(threads, files.paths.size(), [&](unsigned, std::size_t at) {
    const std::size_t i = files.shuffled[at];
    const std::span<std::byte> room = files.room_of(i);
    if (pread(file, room.data(), room.size(), static_cast<off_t>(files.offsets[i])) !=
        static_cast<ssize_t>(room.size())) {
      stop("a plain read failed");
    }
  });
  (void)close(file);
}

// A queue, its handle cache and its requests, which in a game live as long as the game.
class file_queue {
 public:
  file_queue(const file_set& files, const read_queue_config& config)
      : reads_(handles_, config), requests_(files.paths.size()) {
    for (const std::string& path : files.paths) sources_.push_back(*handles_.add(path));
  }

  void read(file_set& files) {
    countdown left(static_cast<std::uint32_t>(requests_.size()));
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      requests_[i].source = sources_[i];
      requests_[i].destination = files.room_of(i);
      requests_[i].counter = &left;
    }
    reads_.submit(requests_);
    left.wait();
    for (const read_request& each : requests_) {
      if (!each.outcome) stop("a read of the queue failed");
    }
  }

 private:
  handle_cache handles_;
  read_queue reads_;
  std::vector<source_id> sources_;
  std::vector<read_request> requests_;
};

void queue_files(file_set& files, const read_queue_config& config) {
  file_queue(files, config).read(files);
}

void queue_pack(file_set& files, const read_queue_config& config) {
  handle_cache handles;
  const source_id pack = *handles.add(files.pack);
  read_queue reads(handles, config);
  std::vector<read_request> requests(files.paths.size());
  countdown left(static_cast<std::uint32_t>(requests.size()));
  for (std::size_t at = 0; at < requests.size(); ++at) {
    const std::size_t i = files.shuffled[at];
    requests[at].source = pack;
    requests[at].offset = files.offsets[i];
    requests[at].destination = files.room_of(i);
    requests[at].counter = &left;
  }
  reads.submit(requests);
  left.wait();
}

void ring_files(file_set& files) {
  std::vector<bench::ring_read> reads;
  reads.reserve(files.paths.size());
  for (std::size_t i = 0; i < files.paths.size(); ++i) {
    reads.push_back({files.paths[i].c_str(), -1, 0, files.room_of(i)});
  }
  if (!bench::read_with_ring(reads, 64)) stop("the plain ring failed");
}

void ring_pack(file_set& files) {
  const int file = open(files.pack.c_str(), O_RDONLY | O_CLOEXEC);
  std::vector<bench::ring_read> reads;
  reads.reserve(files.paths.size());
  for (const std::size_t i : files.shuffled) {
    reads.push_back({nullptr, file, files.offsets[i], files.room_of(i)});
  }
  if (!bench::read_with_ring(reads, 64)) stop("the plain ring failed");
  (void)close(file);
}

const bench::variant& faster(const bench::variant& a, const bench::variant& b) {
  return bench::time_of(a, bench::clock::wall).median <=
                 bench::time_of(b, bench::clock::wall).median
             ? a
             : b;
}

void report_cold(const std::string& what, std::vector<bench::variant>& variants,
                 bench::results& out) {
  // 0 and 1 are the references, 2 and 3 the queue with threads and with a ring; the last is the
  // queue with its defaults.
  const bench::variant& best = bench::has_ring() ? faster(variants[0], variants[1]) : variants[0];
  for (const bench::variant& each : variants) {
    out.metric(what + ", " + each.name + ", ms",
               bench::time_of(each, bench::clock::wall).median * 1e3);
  }
  out.metric(what + ", queue with 16 threads / best",
             bench::ratio(variants[2], best, bench::clock::wall).median);
  out.metric(what + ", queue with a ring / best",
             bench::ratio(variants[3], best, bench::clock::wall).median);
  out.goal(what + ", queue / best of 16 threads and a ring",
           bench::ratio(variants.back(), best, bench::clock::wall), 1.25);
}

void measure_warm(const settings& with, file_set& files, results& out) {
  const read_queue_config two{.threads = 2};
  const std::span<std::byte> room(files.room);
  file_queue queue(files, two);
  std::vector<bench::variant> warm{
      {"open, pread, close", [&] { plain_files(files, 2); }},
      {"queue", [&] { queue.read(files); }},
      {"queue, ring", [&] { queue_files(files, {.backend = read_backend::uring}); }},
      {"queue, made anew", [&] { queue_files(files, two); }},
      {"queue, ring without chains",
       [&] { queue_files(files, {.backend = read_backend::uring, .chains = false}); }},
      {"queue, ring into registered memory",
       [&] { queue_files(files, {.backend = read_backend::uring, .registered = {&room, 1}}); }},
  };
  bench::interleave(warm, with.rounds * 3, "warm");
  out.goal("warm loose files, wall, 2 threads: queue / plain",
           bench::ratio(warm[1], warm[0], bench::clock::wall), 1.10);
  out.metric("the same, CPU", bench::ratio(warm[1], warm[0], bench::clock::cpu).median);
  out.metric("the same, wall, with queue, cache and requests made anew in each round",
             bench::ratio(warm[3], warm[0], bench::clock::wall).median);
  out.metric("warm loose files, wall: queue with a ring / plain",
             bench::ratio(warm[2], warm[0], bench::clock::wall).median);
  out.metric("the same without chains / with",
             bench::ratio(warm[4], warm[2], bench::clock::wall).median);
  out.metric("the same without chains / with, CPU",
             bench::ratio(warm[4], warm[2], bench::clock::cpu).median);
  out.metric("the same into registered memory / into any other",
             bench::ratio(warm[5], warm[2], bench::clock::wall).median);
  out.metric("the same into registered memory / into any other, CPU",
             bench::ratio(warm[5], warm[2], bench::clock::cpu).median);
}

void measure_cold(const settings& with, file_set& files, results& out) {
  const auto drop_files = [&] {
    for (const std::string& path : files.paths) drop_cache(path);
  };
  drop_files();
  const read_queue_config many{.threads = 16};
  const read_queue_config ring{.backend = read_backend::uring, .threads = 16};
  read_queue_config unchained = ring;
  unchained.chains = false;
  const read_queue_config sized{};
  const auto ring_or = [](auto plain, auto instead) {
    if (bench::has_ring())
      plain();
    else
      instead();
  };
  std::vector<bench::variant> cold{
      {"16 threads", [&] { plain_files(files, 16); }, drop_files},
      {"ring", [&] { ring_or([&] { ring_files(files); }, [&] { plain_files(files, 16); }); },
       drop_files},
      {"queue, 16 threads", [&] { queue_files(files, many); }, drop_files},
      {"queue, ring", [&] { queue_files(files, ring); }, drop_files},
      {"queue, ring without chains", [&] { queue_files(files, unchained); }, drop_files},
      {"queue", [&] { queue_files(files, sized); }, drop_files},
  };
  bench::interleave(cold, with.rounds, "cold files");
  report_cold("cold loose files", cold, out);

  const auto drop_pack = [&] { drop_cache(files.pack); };
  drop_pack();
  std::vector<bench::variant> pack{
      {"16 threads", [&] { plain_pack(files, 16); }, drop_pack},
      {"ring", [&] { ring_or([&] { ring_pack(files); }, [&] { plain_pack(files, 16); }); },
       drop_pack},
      {"queue, 16 threads", [&] { queue_pack(files, many); }, drop_pack},
      {"queue, ring", [&] { queue_pack(files, ring); }, drop_pack},
      {"queue", [&] { queue_pack(files, sized); }, drop_pack},
  };
  bench::interleave(pack, with.rounds, "cold pack");
  report_cold("cold pack in random order", pack, out);
}

}  // namespace

void measure_files(const settings& with, bool warm, bool cold, results& out) {
  file_set files = make_files(with);
  if (warm) measure_warm(with, files, out);
  if (cold) measure_cold(with, files, out);
  std::error_code ignored;
  std::filesystem::remove_all(with.folder, ignored);
}

}  // namespace bench

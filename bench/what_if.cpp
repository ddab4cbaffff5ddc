// SPDX-License-Identifier: Zlib
//
// A load as a page could have foreseen it: with so many threads, decoders that decode everything
// so many times, a disk that is so slow, and without some files. tools/what_if.py compares the
// page of one with the time of another.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <fstream>
#include <optional>
#include <overture/base/thread.hpp>
#include <overture/overture.hpp>
#include <overture/report/write_report.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "options.hpp"

namespace bench {
namespace {

using namespace overture;

template <class T>
void check(const result<T>& outcome) {
  if (!outcome) throw std::runtime_error(outcome.error().reason);
}

class repeated_decoder final : public decoder {
 public:
  repeated_decoder(const decoder& of, int times) : of_(of), times_(times) {}
  const char* name() const noexcept override { return of_.name(); }
  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return of_.accepts(path, bytes);
  }
  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner& workers) const noexcept override {
    for (int i = 1; i < times_; ++i) {
      if (result<decoded_asset> once = of_.decode(bytes, memory, workers); !once) return once;
    }
    return of_.decode(bytes, memory, workers);
  }
  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    return of_.memory_needed(bytes);
  }

 private:
  const decoder& of_;
  int times_;
};

// One head, which takes as long to find the place of a read as to read 6,000 bytes (a tenth of a
// millisecond at 60 MB/s), and has nothing in memory.
class slow_disk final : public operating_system {
 public:
  explicit slow_disk(std::uint64_t bytes_per_second) : bytes_per_second_(bytes_per_second) {}
  result<os_handle> open(const char* path) noexcept override { return real_.open(path); }
  result<os_handle> open_below(os_handle folder, const char* path) noexcept override {
    return real_.open_below(folder, path);
  }
  void close(os_handle handle) noexcept override { real_.close(handle); }
  result<file_status> status(os_handle handle) noexcept override { return real_.status(handle); }
  result<file_status> status(const char* path, bool follow_links) noexcept override {
    return real_.status(path, follow_links);
  }
  result<void> list(const char* path,
                    function_ref<void(const folder_entry&) noexcept> visit) noexcept override {
    return real_.list(path, visit);
  }
  result<std::size_t> canonical_path(const char* path, std::span<char> text) noexcept override {
    return real_.canonical_path(path, text);
  }
  result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    const result<std::size_t> done = real_.read_at(handle, offset, bytes);
    if (done) serve(*done);
    return done;
  }
  result<std::size_t> read_parts_at(os_handle handle, std::uint64_t offset,
                                    std::span<const std::span<std::byte>> parts) noexcept override {
    const result<std::size_t> done = real_.read_parts_at(handle, offset, parts);
    if (done) serve(*done);
    return done;
  }
  result<mapping> map(os_handle) noexcept override {
    return tl::unexpected(error{.code = errc::unsupported, .reason = "a slow disk is not mapped"});
  }
  void unmap(mapping) noexcept override {}

 private:
  // The disk is free again when it has served all that came before.
  void serve(std::size_t bytes) noexcept {
    constexpr std::uint64_t seek_bytes = 6000;
    const std::uint64_t ns = (seek_bytes + bytes) * 1'000'000'000 / bytes_per_second_;
    std::uint64_t free = free_ns_.load();
    std::uint64_t end = 0;
    do {
      end = std::max(free, now_ns()) + ns;
    } while (!free_ns_.compare_exchange_weak(free, end));
    std::this_thread::sleep_for(std::chrono::nanoseconds(end - std::min(end, now_ns())));
  }

  operating_system& real_ = system_os();
  std::uint64_t bytes_per_second_;
  std::atomic<std::uint64_t> free_ns_{0};
};

class file_sink final : public text_sink {
 public:
  explicit file_sink(const std::string& path) : file_(path, std::ios::binary) {}
  result<void> write(std::string_view text) override {
    file_ << text;
    if (!file_) throw std::runtime_error("cannot write the page");
    return {};
  }

 private:
  std::ofstream file_;
};

struct wanted_load {
  std::vector<std::string> mounts;
  std::vector<std::string> left_out;
  unsigned threads = 1;
  int decode_times = 1;
  std::uint64_t disk_megabytes = 0;  // a second; 0: the disk of this machine
};

// Writes the page if `page` is not empty. Returns the seconds from the first mount to the end.
double load_once(const wanted_load& wanted, const std::string& page) {
  slow_disk slow(std::max<std::uint64_t>(wanted.disk_megabytes, 1) * 1'000'000);
  file_system files({.os = wanted.disk_megabytes != 0 ? &slow : nullptr});
  timeline record({.events_per_thread = 1u << 20});
  check(record.attach_thread("main"));
  thread_pool jobs({.workers = wanted.threads - 1, .record = &record});
  read_queue reads(files, {.record = &record});
  std::deque<repeated_decoder> repeated;
  std::vector<const decoder*> decoders;
  for (const decoder* const each : all_decoders()) {
    decoders.push_back(&repeated.emplace_back(*each, wanted.decode_times));
  }
  const std::uint64_t begin = now_ns();
  for (const std::string& mount : wanted.mounts) check(files.mount(mount.c_str()));
  check(files.freeze());
  const std::vector<std::string_view> exclude(wanted.left_out.begin(), wanted.left_out.end());
  load_scope load(files, reads, jobs, {.decoders = decoders, .exclude = exclude});
  check(load.start());
  while (!load.wait_for(std::chrono::seconds(10))) {
  }
  const double seconds = static_cast<double>(now_ns() - begin) / 1e9;
  record.detach_thread();
  if (!page.empty()) {
    file_sink sink(page);
    check(write_report(sink, record, files, load));
  }
  return seconds;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  int rounds = 1;
  std::string json;
  std::string page;
  std::string left_out;
  bench::wanted_load wanted;
  bench::options line("Loads as a page could have foreseen it", rounds, json);
  line.words("--mount", wanted.mounts, "folders and archives");
  line.number("--threads", wanted.threads, "on so many threads");
  line.number("--decode-times", wanted.decode_times, "decodes each file so many times");
  line.number("--disk", wanted.disk_megabytes, "megabytes a second of a disk", {0, 100'000});
  line.word("--leave-out", left_out, "a file with a path on each line");
  line.word("--page", page, "writes the page of the last load to this file");
  if (const std::optional<int> over = line.parse(count, words)) return *over;
  if (!left_out.empty()) wanted.left_out = bench::lines_of(left_out);
  bench::results out("what_if");
  for (int i = 1; i <= rounds; ++i) {
    const double seconds = bench::load_once(wanted, i == rounds ? page : std::string());
    out.metric(fmt::format("load {}, s", i), seconds);
  }
  return out.finish(json);
}

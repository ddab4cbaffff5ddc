// SPDX-License-Identifier: Zlib
#include "watch/model/decode_replay.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "watch/model/ordering.hpp"

namespace overture::watch {

namespace {

using time_span = std::pair<std::uint64_t, std::uint64_t>;

bool sleeps(const watched_event& event) {
  return event.kind == event_kind::wait_condition || event.kind == event_kind::wait_semaphore ||
         event.kind == event_kind::wait_futex || event.kind == event_kind::wait_join ||
         event.kind == event_kind::wait_sleep;
}

struct turn {
  std::uint64_t at_ns = 0;
  std::uint32_t thread = 0;
  bool is_sleep = false;  // of the main thread; else a decode
  bool begins = false;
};

std::vector<turn> turns_of(const load_view& view) {
  std::vector<turn> list;
  for (std::uint32_t i = 0; i < view.process.threads.size(); ++i) {
    const watched_thread& thread = view.process.threads[i];
    const auto add = [&](bool is_sleep) {
      return [&list, i, is_sleep](std::uint64_t begin, std::uint64_t end, const watched_event&) {
        list.push_back({begin, i, is_sleep, true});
        list.push_back({end, i, is_sleep, false});
      };
    };
    each_outermost(thread, view.end_ns(), is_decoding, add(false));
    if (thread.is_main) each_outermost(thread, view.end_ns(), sleeps, add(true));
  }
  order(list, [](const turn& a, const turn& b) { return a.at_ns < b.at_ns; });
  return list;
}

// When exactly one thread decoded and the main thread was that, or slept.
std::map<std::uint32_t, std::vector<time_span>> lone_spans(const load_view& view) {
  std::map<std::uint32_t, std::vector<time_span>> spans;
  std::set<std::uint32_t> decoding;
  bool main_sleeps = false;
  std::uint64_t now = 0;
  for (const turn& each : turns_of(view)) {
    if (decoding.size() == 1 && each.at_ns > now) {
      const std::uint32_t thread = *decoding.begin();
      if (main_sleeps || view.process.threads[thread].is_main) {
        spans[thread].emplace_back(now, each.at_ns);
      }
    }
    now = each.at_ns;
    if (each.is_sleep) {
      main_sleeps = each.begins;
    } else if (each.begins) {
      decoding.insert(each.thread);
    } else {
      decoding.erase(each.thread);
    }
  }
  return spans;
}

std::uint64_t sum_of(const std::vector<time_span>& spans) {
  std::uint64_t ns = 0;
  for (const auto& [begin, end] : spans) ns += end - begin;
  return ns;
}

// How a call belongs to those before it.
enum class call_part : std::uint8_t { whole, begins, goes_on };

call_part part_of(std::uint32_t zone) {
  switch (static_cast<zone_number>(zone)) {
    case zone_number::jpeg_read_header:
    case zone_number::ov_open_callbacks:
    case zone_number::ov_open:
    case zone_number::ov_fopen:
    case zone_number::op_open_callbacks:
      return call_part::begins;
    case zone_number::png_read_row:
    case zone_number::png_read_rows:
    case zone_number::jpeg_start_decompress:
    case zone_number::jpeg_read_scanlines:
    case zone_number::jpeg_finish_decompress:
    case zone_number::ov_read:
    case zone_number::ov_read_float:
    case zone_number::op_read:
    case zone_number::op_read_stereo:
    case zone_number::mpg123_read:
    case zone_number::mpg123_decode_frame:
    case zone_number::FLAC__stream_decoder_process_single:
    case zone_number::sf_read_short:
    case zone_number::sf_readf_short:
    case zone_number::sf_readf_float:
    case zone_number::inflate:
    case zone_number::gzread:
    case zone_number::gzgets:
    case zone_number::BZ2_bzDecompress:
    case zone_number::BZ2_bzRead:
    case zone_number::lzma_code:
    case zone_number::ZSTD_decompressStream:
    case zone_number::LZ4F_decompress:
      return call_part::goes_on;
    default:
      return call_part::whole;
  }
}

// Whether what is decoded next is something else.
bool ends_stream(const watched_process& process, const watched_event& event) {
  if (event.kind == event_kind::frame || opens_content(process, event)) return true;
  if (event.kind != event_kind::zone || is_decoding(event)) return false;
  return zone_of(event.id).work != zone_work::files ||
         event.id == static_cast<std::uint32_t>(zone_number::PHYSFS_openRead);
}

// Joins the decodes of a thread to jobs.
class job_list {
 public:
  explicit job_list(const std::vector<time_span>& alone) : alone_(alone) {}

  void end_stream() { add_alike(std::exchange(stream_ns_, 0), 1); }
  void add(const watched_event& event, std::uint64_t end_ns) {
    const std::uint64_t ns = alone_in(event.begin_ns, std::min(event.end_ns, end_ns));
    const call_part part = part_of(event.id);
    if (part == call_part::whole) {
      end_stream();
      add_alike(ns, event.calls());
      return;
    }
    const std::string_view library = zone_of(event.id).library;
    if (part == call_part::begins || library != library_) end_stream();
    library_ = library;
    stream_ns_ += ns;
  }
  void finish(lone_decodes& to) {
    end_stream();
    to.job_ns = std::move(jobs_);
    to.count = count_;
    to.longest_ns = longest_ns_;
    to.ns = 0;
    for (const std::uint64_t each : to.job_ns) to.ns += each;
  }

 private:
  // Calls that were put together: there may be very many.
  void add_alike(std::uint64_t ns, std::uint64_t calls) {
    constexpr std::uint64_t pieces_max = 64;
    if (ns == 0) return;
    const std::uint64_t pieces = std::min(calls, pieces_max);
    jobs_.insert(jobs_.end(), pieces, ns / pieces);
    count_ += calls;
    longest_ns_ = std::max(longest_ns_, ns / calls);
  }

  // Asked in the order of time.
  std::uint64_t alone_in(std::uint64_t begin_ns, std::uint64_t end_ns) {
    while (next_ < alone_.size() && alone_[next_].second <= begin_ns) ++next_;
    std::uint64_t ns = 0;
    for (std::size_t i = next_; i < alone_.size() && alone_[i].first < end_ns; ++i) {
      const std::uint64_t from = std::max(begin_ns, alone_[i].first);
      const std::uint64_t to = std::min(end_ns, alone_[i].second);
      if (to > from) ns += to - from;
    }
    return ns;
  }

  const std::vector<time_span>& alone_;
  std::size_t next_ = 0;
  std::string_view library_;  // of the stream
  std::uint64_t stream_ns_ = 0;
  std::vector<std::uint64_t> jobs_;
  std::uint64_t count_ = 0;
  std::uint64_t longest_ns_ = 0;
};

}  // namespace

lone_decodes lone_decodes_of(const load_view& view) {
  lone_decodes made;
  const auto spans = lone_spans(view);
  for (const auto& [thread, list] : spans) {
    if (const std::uint64_t ns = sum_of(list); ns > made.ns) {
      made.thread = thread;
      made.ns = ns;
    }
  }
  if (made.ns == 0) return made;
  job_list jobs(spans.at(made.thread));
  std::uint64_t done_ns = 0;
  for (const watched_event& each : view.process.threads[made.thread].events) {
    if (each.begin_ns >= view.end_ns()) break;
    if (each.begin_ns < done_ns) continue;
    if (is_decoding(each)) {
      done_ns = each.end_ns;
      jobs.add(each, view.end_ns());
    } else if (ends_stream(view.process, each)) {
      jobs.end_stream();
    }
  }
  jobs.finish(made);
  return made;
}

std::uint64_t time_on_threads(const std::vector<std::uint64_t>& job_ns, unsigned threads) {
  std::multiset<std::uint64_t> free_at;
  for (unsigned i = 0; i < std::max(threads, 1u); ++i) free_at.insert(0);
  for (const std::uint64_t each : job_ns) {
    const std::uint64_t begin = *free_at.begin();
    free_at.erase(free_at.begin());
    free_at.insert(begin + each);
  }
  return *free_at.rbegin();
}

}  // namespace overture::watch

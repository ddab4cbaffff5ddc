// SPDX-License-Identifier: Zlib
#include "report/page/critical_path.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "overture/load/load_scope.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture::report_detail {

namespace {

// The outermost spans of a thread.
struct flat_lane {
  std::vector<picture_span> spans;  // by begin, which is also by end
  std::vector<std::uint32_t> work;  // those that are no waits
};

struct cause {
  std::uint32_t lane = path_step::in_read;
  std::uint64_t end_ns = 0;
  const picture_read* read = nullptr;
};

class path_finder {
 public:
  explicit path_finder(const timeline_picture& picture) : picture_(picture) {
    for (const picture_lane& lane : picture.lanes) lanes_.push_back(flat(lane));
    for (const picture_read& read : picture.reads) by_end_.push_back(&read);
    std::sort(by_end_.begin(), by_end_.end(),
              [](const auto* a, const auto* b) { return a->end_ns < b->end_ns; });
    std::ranges::copy_if(by_end_, std::back_inserter(by_block_),
                         [](const auto* read) { return read->block_wait_ns != 0; });
    std::sort(by_block_.begin(), by_block_.end(),
              [](const auto* a, const auto* b) { return a->read_begin_ns() < b->read_begin_ns(); });
  }

  std::vector<path_step> run() {
    std::optional<cause> at = last_work(picture_.total_ns + 1, path_step::in_read);
    if (!at) return {};
    std::uint32_t lane = at->lane;
    std::uint64_t now = at->end_ns;
    if (now < picture_.total_ns) add(lane, now, picture_.total_ns, "other", false, no_subject);
    // A step to another thread may take no time, and the next one does.
    for (bool is_still = false; now > 0;) {
      const std::uint64_t before = std::exchange(now, step(lane, now));
      if (now > before || (now == before && std::exchange(is_still, true))) break;
      is_still = now == before;
    }
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  flat_lane flat(const picture_lane& lane) const {
    flat_lane made;
    std::uint64_t end = 0;
    for (const picture_span& span : lane.spans) {
      if (!made.spans.empty() && span.begin_ns < end) continue;
      end = span.end_ns;
      if (!picture_.names[span.name].is_wait) {
        made.work.push_back(static_cast<std::uint32_t>(made.spans.size()));
      }
      made.spans.push_back(span);
    }
    return made;
  }

  // One step back from `now` on `lane`, which changes where the path goes over to another thread.
  // Returns the new time.
  std::uint64_t step(std::uint32_t& lane, std::uint64_t now) {
    const std::vector<picture_span>& spans = lanes_[lane].spans;
    const auto after = std::partition_point(
        spans.begin(), spans.end(), [&](const picture_span& s) { return s.begin_ns < now; });
    if (after == spans.begin()) {
      // The thread did nothing before: whoever worked then made it begin.
      return cross(lane, 0, now, "not running yet", no_subject);
    }
    const picture_span& span = *(after - 1);
    const picture_name& name = picture_.names[span.name];
    if (span.end_ns < now) {
      add(lane, span.end_ns, now, "other", false, no_subject);
      return span.end_ns;
    }
    if (name.is_wait) return cross(lane, span.begin_ns, now, name.name, span.file);
    add(lane, span.begin_ns, now, name.name, false, span.file);
    return span.begin_ns;
  }

  // The thread waited until `end`, and has been woken before that. Null if that is not recorded.
  [[nodiscard]] const picture_wake* wake_before(std::uint32_t lane, std::uint64_t end) const {
    const picture_wake* const last = picture_.wakes.data() + picture_.wakes.size();
    const picture_wake* const found =
        std::partition_point(picture_.wakes.data(), last, [&](const picture_wake& each) {
          return std::tie(each.to_lane, each.to_ns) < std::tie(lane, end);
        });
    return found != last && found->to_lane == lane && found->from_ns < end ? found : nullptr;
  }

  // The thread waited from `begin` to `end`. Goes to what woke it, or else to what ended last in
  // between.
  std::uint64_t cross(std::uint32_t& lane, std::uint64_t begin, std::uint64_t end,
                      const std::string& reason, std::uint32_t file) {
    if (const picture_wake* const wake = wake_before(lane, end)) {
      add(lane, wake->from_ns, end, reason, true, file, path_step::turn::recorded);
      if (wake->from_lane == picture_wake::by_read) {
        return through(picture_.reads[wake->from_read], lane);
      }
      lane = wake->from_lane;
      return wake->from_ns;
    }
    std::optional<cause> found = last_work(end + 1, lane);
    const std::optional<cause> read = last_read(end + 1);
    if (read && (!found || read->end_ns > found->end_ns)) found = read;
    if (!found || found->end_ns <= begin) {
      add(lane, begin, end, reason, true, file);
      return begin;
    }
    add(lane, found->end_ns, end, reason, true, file, path_step::turn::guessed);
    if (found->read) return through(*found->read, lane);
    lane = found->lane;
    return found->end_ns;
  }

  // Back through a read to the thread that asked for it; or to the one that unpacked the solid
  // block that the read has waited for.
  std::uint64_t through(const picture_read& done, std::uint32_t& lane) {
    add(path_step::in_read, done.read_end_ns(), done.end_ns, to_string(load_stage::unpack), false,
        done.file);
    add(path_step::in_read, done.read_begin_ns(), done.read_end_ns(),
        done.is_cached ? "read from the page cache" : "read from the disk", false, done.file);
    if (done.block_wait_ns != 0) {
      if (const std::optional<cause> by = unpacked_for(done)) return past_block(done, *by, lane);
      add(path_step::in_read, done.served_ns, done.read_begin_ns(), wait_reasons::solid_block, true,
          done.file);
    } else if (const picture_read* const other = held_up_by(done)) {
      // The threads that read all waited for a block.
      if (const std::optional<cause> by = unpacked_for(*other)) {
        add(path_step::in_read, other->read_begin_ns(), done.served_ns, "in the queue", true,
            done.file);
        return past_block(*other, *by, lane);
      }
    }
    add(path_step::in_read, done.begin_ns, done.served_ns, "in the queue", true, done.file);
    if (const std::optional<std::uint32_t> asker = asker_of(done)) lane = *asker;
    return done.begin_ns;
  }

  // From a read that has waited for its block to the thread that unpacked it.
  std::uint64_t past_block(const picture_read& read, const cause& by, std::uint32_t& lane) {
    add(path_step::in_read, by.end_ns, read.read_begin_ns(), wait_reasons::solid_block, true,
        read.file, path_step::turn::guessed);
    lane = by.lane;
    return by.end_ns;
  }
  [[nodiscard]] std::optional<cause> unpacked_for(const picture_read& read) const {
    return last_unpacking(read.served_ns, read.read_begin_ns());
  }
  // The read that waited for its block until last, while this one was in the queue. Null if none.
  [[nodiscard]] const picture_read* held_up_by(const picture_read& read) const {
    const auto after = std::partition_point(
        by_block_.begin(), by_block_.end(),
        [&](const picture_read* each) { return each->read_begin_ns() <= read.served_ns; });
    if (after == by_block_.begin() || (*(after - 1))->read_begin_ns() <= read.begin_ns) {
      return nullptr;
    }
    return *(after - 1);
  }

  // The work that ended last before `time`, on other threads.
  [[nodiscard]] std::optional<cause> last_work(std::uint64_t time, std::uint32_t except) const {
    std::optional<cause> last;
    for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
      if (i == except) continue;
      const flat_lane& lane = lanes_[i];
      const auto after = std::partition_point(
          lane.work.begin(), lane.work.end(),
          [&](std::uint32_t index) { return lane.spans[index].end_ns < time; });
      // One that still runs has ended nothing.
      if (after == lane.work.begin()) continue;
      const std::uint64_t end = lane.spans[*(after - 1)].end_ns;
      if (!last || end > last->end_ns) last = cause{i, end, nullptr};
    }
    return last;
  }

  // What was unpacked last between the two times, whatever it was.
  [[nodiscard]] std::optional<cause> last_unpacking(std::uint64_t after_ns,
                                                    std::uint64_t until_ns) const {
    std::optional<cause> last;
    for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
      const flat_lane& lane = lanes_[i];
      auto at = std::partition_point(lane.work.begin(), lane.work.end(), [&](std::uint32_t index) {
        return lane.spans[index].end_ns <= until_ns;
      });
      while (at != lane.work.begin()) {
        const picture_span& span = lane.spans[*--at];
        if (span.end_ns <= std::max(after_ns, last ? last->end_ns : 0)) break;
        if (picture_.names[span.name].name != to_string(load_stage::unpack)) continue;
        last = cause{i, span.end_ns, nullptr};
        break;
      }
    }
    return last;
  }

  [[nodiscard]] std::optional<cause> last_read(std::uint64_t time) const {
    const auto after =
        std::partition_point(by_end_.begin(), by_end_.end(),
                             [&](const picture_read* read) { return read->end_ns < time; });
    if (after == by_end_.begin()) return {};
    const picture_read* const read = *(after - 1);
    return cause{path_step::in_read, read->end_ns, read};
  }

  // The thread that worked on the same file when the read was queued, or else one that worked.
  [[nodiscard]] std::optional<std::uint32_t> asker_of(const picture_read& read) const {
    const std::uint64_t time = read.begin_ns;
    std::optional<std::uint32_t> any;
    for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
      const std::vector<picture_span>& spans = lanes_[i].spans;
      auto at = std::partition_point(spans.begin(), spans.end(),
                                     [&](const picture_span& s) { return s.begin_ns <= time; });
      // The span that ended when the read was queued, and the one that began.
      for (int looks = 0; looks < 2 && at != spans.begin(); ++looks) {
        const picture_span& span = *--at;
        if (span.end_ns < time) break;
        if (picture_.names[span.name].is_wait) continue;
        if (span.file == read.file && read.file != no_subject) return i;
        if (!any) any = i;
      }
    }
    return any;
  }

  void add(std::uint32_t lane, std::uint64_t begin, std::uint64_t end, const std::string& name,
           bool is_wait, std::uint32_t file, path_step::turn leads = path_step::turn::none) {
    if (begin < end) path_.push_back({lane, begin, end, name, is_wait, file, leads});
  }

  const timeline_picture& picture_;
  std::vector<flat_lane> lanes_;
  std::vector<const picture_read*> by_end_;
  std::vector<const picture_read*>
      by_block_;  // those that waited for a block, by when it was there
  std::vector<path_step> path_;
};

}  // namespace

std::vector<path_step> critical_path(const timeline_picture& picture) {
  return path_finder(picture).run();
}

}  // namespace overture::report_detail

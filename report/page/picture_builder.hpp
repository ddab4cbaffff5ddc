// SPDX-License-Identifier: Zlib
//
// Puts a picture together, whatever its events come from.
//
//   picture_builder paint;
//   picture_lane lane;
//   paint.add_span(lane, {0, 10, paint.number_of("decode", false), 812});
//   paint.add_lane(std::move(lane));
//   timeline_picture made = paint.finish(total_ns, load_begin_ns);
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/page/picture.hpp"

namespace overture::report_detail {

// Times are since the start of the picture.
class picture_builder {
 public:
  [[nodiscard]] std::uint32_t number_of(std::string_view name, bool is_wait);
  // A read that has not been queued is served at once. Valid until the next one is added.
  picture_read& add_read(const picture_read& read);
  template <class Visit>
  void each_read(Visit visit) {
    for (picture_read& read : made_.reads) visit(read);
  }
  void add_delay(const picture_delay& delay) { made_.delays.push_back(delay); }
  template <class Visit>
  void each_delay(Visit visit) {
    for (picture_delay& delay : made_.delays) visit(delay);
  }
  void add_value(std::string_view counter, counter_value value);
  // With its spans in any order, of two that are alike the outer one last. `track`: its number for
  // wakes.
  void add_lane(picture_lane lane, std::uint32_t track);
  // Tracks that have no lane, and reads by their number, in the order in which they were added.
  struct wake {
    std::uint32_t to_track = 0;
    std::uint64_t to_ns = 0;
    std::uint32_t from_track = picture_wake::by_read;
    std::uint32_t from_read = 0;
    std::uint64_t from_ns = 0;
  };
  void add_wake(const wake& of) { wakes_.push_back(of); }
  [[nodiscard]] std::uint32_t reads() const {
    return static_cast<std::uint32_t>(made_.reads.size());
  }
  // What lasts longer than the load ends with it.
  [[nodiscard]] timeline_picture finish(std::uint64_t total_ns, std::uint64_t load_begin_ns);

 private:
  void end_with_load();
  void order();
  void order_names();
  [[nodiscard]] std::vector<std::uint32_t> order_reads();
  [[nodiscard]] std::map<std::uint32_t, std::uint32_t> order_lanes();
  void place_wakes(const std::map<std::uint32_t, std::uint32_t>& lane_of_track,
                   const std::vector<std::uint32_t>& read_of_old);

  timeline_picture made_;
  std::vector<std::uint32_t> tracks_;  // of the lanes
  std::vector<wake> wakes_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_[2];  // of work, of waits
};

}  // namespace overture::report_detail

// SPDX-License-Identifier: Zlib
//
// What the frames of a loading screen took, without drawing and showing them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "overture/base/thread.hpp"

class frame_times {
 public:
  void begin() {
    began_ns_ = overture::now_ns();
    began_cpu_ns_ = overture::thread_cpu_ns();
  }
  void pumped() {
    longest_pump_ns_ = std::max(longest_pump_ns_, overture::now_ns() - began_ns_);
    longest_pump_cpu_ns_ =
        std::max(longest_pump_cpu_ns_, overture::thread_cpu_ns() - began_cpu_ns_);
  }
  void end() {
    ns_.push_back(overture::now_ns() - began_ns_);
    cpu_ns_.push_back(overture::thread_cpu_ns() - began_cpu_ns_);
  }

  [[nodiscard]] std::size_t count() const { return ns_.size(); }
  // The time that `percent` of the frames did not exceed; 0 if there are none. Those with `cpu` are
  // of the thread's processor time: without what other programs took meanwhile.
  [[nodiscard]] std::uint64_t percentile_ns(unsigned percent) const {
    return percentile(ns_, percent);
  }
  [[nodiscard]] std::uint64_t percentile_cpu_ns(unsigned percent) const {
    return percentile(cpu_ns_, percent);
  }
  [[nodiscard]] std::uint64_t longest_pump_ns() const { return longest_pump_ns_; }
  [[nodiscard]] std::uint64_t longest_pump_cpu_ns() const { return longest_pump_cpu_ns_; }

 private:
  static std::uint64_t percentile(std::vector<std::uint64_t> of, unsigned percent) {
    if (of.empty()) return 0;
    std::sort(of.begin(), of.end());
    const std::size_t place = (of.size() * percent + 99) / 100;
    return of[std::max<std::size_t>(place, 1) - 1];
  }

  std::vector<std::uint64_t> ns_;
  std::vector<std::uint64_t> cpu_ns_;
  std::uint64_t began_ns_ = 0;
  std::uint64_t began_cpu_ns_ = 0;
  std::uint64_t longest_pump_ns_ = 0;
  std::uint64_t longest_pump_cpu_ns_ = 0;
};

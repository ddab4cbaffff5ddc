// SPDX-License-Identifier: Zlib
#include "page/trace_events.hpp"

#include <cmath>
#include <istream>
#include <nlohmann/json.hpp>

namespace overture::cli {

namespace {

// A hundred days. A time beyond it is refused: its nanoseconds are exact in a double.
constexpr double microseconds_max = 8.64e12;

std::optional<std::uint64_t> ns_of(double microseconds) {
  const bool is_time = microseconds >= 0 && microseconds <= microseconds_max;
  if (!is_time) return {};
  return static_cast<std::uint64_t>(std::llround(microseconds * 1000));
}

std::optional<std::uint64_t> whole(double value) {
  constexpr double exact_max = 9007199254740992;  // 2^53
  const bool is_exact = value >= 0 && value <= exact_max;
  if (!is_exact) return {};
  return static_cast<std::uint64_t>(value);
}

// The parser calls it for each token. Lists of events are those under "traceEvents", or the whole
// file; what an event has beside plain values and arguments is skipped.
class event_handler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  event_handler(trace_reading& reading, function_ref<void(const trace_line&)> visit)
      : reading_(reading), visit_(visit) {}

  bool null() override { return true; }
  bool boolean(bool value) override {
    if (!value || !is_argument()) return true;
    if (key_ == "cached") line_.is_cached = true;
    if (key_ == "sync") line_.is_sync = true;
    if (key_ == "block") line_.is_block = true;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return number(value);
  }
  bool string(string_t& value) override {
    if (is_argument()) {
      if (key_ == "subject") {
        line_.subject = std::move(value);
        line_.has_subject = true;
      } else if (key_ == "name") {
        line_.given_name = std::move(value);
      } else if (key_ == "layer") {
        line_.layer = std::move(value);
      } else if (key_ == "held_by" || key_ == "ended_by") {
        line_.ended_by = std::move(value);
      }
    } else if (is_in_event()) {
      if (key_ == "ph") {
        line_.phase = value.size() == 1 ? value[0] : '?';
      } else if (key_ == "name") {
        line_.name = std::move(value);
      } else if (key_ == "cat") {
        line_.category = std::move(value);
      }
    }
    return true;
  }
  bool binary(binary_t& /*value*/) override { return true; }

  bool start_object(std::size_t /*elements*/) override {
    ++depth_;
    if (depth_ == event_depth_) line_ = {};
    if (depth_ == event_depth_ + 1) is_in_arguments_ = key_ == "args";
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      top_key_ = name;
      if (name == "verdict_shares") reading_.is_report = true;
    }
    key_ = std::move(name);
    return true;
  }
  bool end_object() override {
    if (depth_ == event_depth_) {
      ++reading_.events;
      visit_(line_);
    }
    --depth_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    const bool is_list = depth_ == 0 || (depth_ == 1 && top_key_ == "traceEvents");
    ++depth_;
    if (depth_ == event_depth_ + 1) is_in_arguments_ = false;
    if (is_list) {
      event_depth_ = depth_ + 1;
      reading_.is_trace = true;
    }
    return true;
  }
  bool end_array() override {
    if (depth_ + 1 == event_depth_) event_depth_ = none;
    --depth_;
    return true;
  }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*why*/) override {
    return false;
  }

 private:
  static constexpr std::size_t none = SIZE_MAX / 2;

  [[nodiscard]] bool is_in_event() const { return depth_ == event_depth_; }
  [[nodiscard]] bool is_argument() const { return depth_ == event_depth_ + 1 && is_in_arguments_; }

  bool number(double value) {
    if (is_argument()) {
      argument(value);
    } else if (is_in_event()) {
      if (key_ == "ts") line_.begin_ns = ns_of(value);
      if (key_ == "dur") line_.duration_ns = ns_of(value);
      if (key_ == "tid") line_.thread = whole(value).value_or(0);
      if (key_ == "pid") line_.process = whole(value).value_or(0);
      if (key_ == "id") line_.id = whole(value).value_or(0);
    }
    return true;
  }
  void argument(double value) {
    const std::uint64_t count = whole(value).value_or(0);
    if (key_ == line_.name || key_ == "value") line_.value = whole(value);
    if (key_ == "subject") {
      line_.subject = std::to_string(count);
      line_.has_subject = true;
    } else if (key_ == "number") {
      // Names that are alike only because they cannot be written.
      line_.subject += " (" + std::to_string(count) + ')';
    } else if ((key_ == "held_by_number" || key_ == "ended_by_number") && line_.ended_by) {
      *line_.ended_by += " (" + std::to_string(count) + ')';
    } else if (key_ == "held_by" || key_ == "ended_by") {
      line_.ended_by = std::to_string(count);
    } else if (key_ == "bytes") {
      line_.bytes = count;
    } else if (key_ == "queue_us") {
      line_.queue_ns = ns_of(value).value_or(0);
    } else if (key_ == "packed_bytes") {
      line_.is_block = true;
      line_.packed_bytes = count;
    } else if (key_ == "unpack_us") {
      line_.unpack_ns = ns_of(value).value_or(0);
    } else if (key_ == "block_wait_us") {
      line_.block_wait_ns = ns_of(value).value_or(0);
    } else if (key_ == "cpu_us") {
      line_.cpu_ns = ns_of(value).value_or(0);
    } else if (key_ == "events_lost") {
      line_.events_lost = count;
    }
  }

  trace_reading& reading_;
  function_ref<void(const trace_line&)> visit_;
  trace_line line_;
  std::string key_;
  std::string top_key_;
  std::size_t depth_ = 0;
  std::size_t event_depth_ = none;  // of the objects that are events
  bool is_in_arguments_ = false;
};

}  // namespace

trace_reading read_trace_events(std::istream& file, function_ref<void(const trace_line&)> visit) {
  trace_reading reading;
  event_handler handler(reading, visit);
  try {
    reading.is_whole = nlohmann::json::sax_parse(file, &handler);
    reading.is_refused = file.bad();
  } catch (const std::ios_base::failure&) {
    reading.is_refused = true;
  }
  return reading;
}

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
#include "watch/model/read_process.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

#include "watch/model/ordering.hpp"
#include "watch/model/wakes.hpp"
#include "watch/model/whole_file.hpp"

namespace overture::watch {

namespace {

// The structures of the file, read from bytes that nothing vouches for.
class file_view {
 public:
  explicit file_view(std::string_view bytes) : bytes_(bytes) {}

  // 0 past the end.
  [[nodiscard]] std::uint64_t word(std::size_t at) const {
    std::uint64_t value = 0;
    if (at <= bytes_.size() && bytes_.size() - at >= sizeof value) {
      std::memcpy(&value, bytes_.data() + at, sizeof value);
    }
    return value;
  }
  // What there is of a text.
  [[nodiscard]] std::string_view text(std::size_t at, std::size_t bytes) const {
    return at < bytes_.size() ? bytes_.substr(at, bytes) : std::string_view();
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

#define OVERTURE_WATCH_HEAD(MEMBER) file_.word(offsetof(process_head, MEMBER))
#define OVERTURE_WATCH_THREAD(MEMBER) file_.word(at + offsetof(thread_entry, MEMBER))
#define OVERTURE_WATCH_KERNEL(MEMBER) \
  file_.word(at + offsetof(thread_entry, kernel) + offsetof(kernel_counts, MEMBER))

class process_reader {
 public:
  process_reader(std::string_view bytes, std::uint64_t ended_ns)
      : file_(bytes), ended_ns_(ended_ns) {}

  std::optional<watched_process> read() {
    if (file_.text(0, sizeof magic) != std::string_view(magic, sizeof magic)) return {};
    if (file_.size() < names_at) return {};
    read_times();
    read_names();
    made_.program = made_.name(name_of(OVERTURE_WATCH_HEAD(program)));
    read_modules();
    read_threads();
    read_chunks();
    for (auto& [place, thread] : threads_) finish(thread);
    order_threads();
    made_.lost_events += OVERTURE_WATCH_HEAD(lost_events);
    made_.lost_names = OVERTURE_WATCH_HEAD(lost_names);
    made_.unknown = OVERTURE_WATCH_HEAD(unknown);
    made_.lost_threads = OVERTURE_WATCH_HEAD(lost_threads);
    made_.wakes = find_wakes(made_.threads);
    return std::move(made_);
  }

 private:
  // From the time of a recorder; 0 stays 0.
  [[nodiscard]] std::uint64_t time_of(std::uint64_t ns) const {
    return ns == 0 ? 0 : at_most(ns, 48) + shift_ns_;
  }

  void read_times() {
    const std::uint64_t begin = OVERTURE_WATCH_HEAD(begin_ns);
    const std::uint64_t started = OVERTURE_WATCH_HEAD(started_ns);
    made_.pid = OVERTURE_WATCH_HEAD(pid);
    made_.is_first = started != 0;
    constexpr std::uint64_t believable_ns = std::uint64_t{1} << 46;  // 19 hours
    if (started != 0 && started < begin && begin - started < believable_ns) {
      shift_ns_ = begin - started;
    }
    made_.recorder_ns = shift_ns_;
    made_.zero_ns = begin - std::min(begin, shift_ns_);
    if (const std::uint64_t main = OVERTURE_WATCH_HEAD(main_ns); main != 0) {
      made_.main_ns = time_of(main);
    }
    const std::uint64_t end = OVERTURE_WATCH_HEAD(end_ns);
    made_.has_ended = end != 0;
    if (made_.has_ended) {
      made_.end_ns = time_of(end);
    } else if (ended_ns_ > begin) {
      made_.end_ns = time_of(ended_ns_ - begin);
    }
  }

  void read_names() {
    for (std::size_t slot = 0; slot < name_slots; ++slot) {
      const std::uint64_t there = file_.word(slots_at + slot * sizeof(counter));
      const std::uint64_t place = there >> 32;
      if (place == 0 || place > names_bytes_max) continue;
      const std::size_t at = names_at + place - 1;
      const auto bytes = static_cast<std::uint32_t>(file_.word(at));
      if (bytes > name_bytes_max) continue;
      made_.names.emplace_back(file_.text(at + sizeof bytes, bytes));
      numbers_[slot + 1] = static_cast<std::uint32_t>(made_.names.size());
    }
  }
  [[nodiscard]] std::uint32_t name_of(std::uint64_t in_file) const {
    const auto found = numbers_.find(in_file);
    return found == numbers_.end() ? 0 : found->second;
  }

  void read_modules() {
    const std::size_t count = std::min<std::size_t>(OVERTURE_WATCH_HEAD(module_count), modules_max);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = offsetof(process_head, modules) + i * sizeof(code_module);
      const std::uint32_t name = name_of(file_.word(at + offsetof(code_module, name)));
      if (name == 0) continue;
      made_.modules.push_back({file_.word(at + offsetof(code_module, begin)),
                               file_.word(at + offsetof(code_module, end)),
                               std::string(made_.name(name))});
    }
  }

  void read_threads() {
    const std::size_t count = std::min<std::size_t>(OVERTURE_WATCH_HEAD(thread_count), threads_max);
    for (std::size_t place = 0; place < count; ++place) {
      const std::size_t at = threads_at + place * sizeof(thread_entry);
      const std::uint64_t number = OVERTURE_WATCH_THREAD(number);
      if (number == 0) continue;  // it could not be made, or was not, yet
      watched_thread& made = threads_[place];
      made.number = number;
      made.is_main = number == made_.pid;
      const std::string_view name =
          file_.text(at + offsetof(thread_entry, name), sizeof thread_entry::name);
      made.name = std::string(name.substr(0, name.find('\0')));
      made.handle = OVERTURE_WATCH_THREAD(handle);
      made.start = OVERTURE_WATCH_THREAD(start);
      made.begin_ns = time_of(OVERTURE_WATCH_THREAD(begin_ns));
      made.end_ns = time_of(OVERTURE_WATCH_THREAD(end_ns));
      made.has_ended = made.end_ns != 0;
      made.lost_events = OVERTURE_WATCH_THREAD(lost_events);
      made_.lost_events += made.lost_events;
      if (const std::uint64_t known_at = OVERTURE_WATCH_KERNEL(at_ns); known_at != 0) {
        made.kernel = {.core_ns = OVERTURE_WATCH_KERNEL(core_ns),
                       .queued_ns = OVERTURE_WATCH_KERNEL(queued_ns),
                       .major_faults = OVERTURE_WATCH_KERNEL(major_faults),
                       .minor_faults = OVERTURE_WATCH_KERNEL(minor_faults),
                       .read_bytes = OVERTURE_WATCH_KERNEL(read_bytes),
                       .at_ns = time_of(known_at)};
      }
      read_open_wait(at, made);
    }
  }

  // That had not ended when the process did.
  void read_open_wait(std::size_t at, watched_thread& of) {
    const std::uint64_t since = OVERTURE_WATCH_THREAD(waits_since_ns);
    const std::uint64_t kind = OVERTURE_WATCH_THREAD(waits_kind);
    if (since == 0 || kind >= event_kinds || of.has_ended) return;
    const auto known = static_cast<event_kind>(kind);
    const std::uint64_t begin = time_of(since) - 1;
    if (!is_wait(known) || begin >= made_.end_ns) return;
    of.events.push_back({.kind = known,
                         .begin_ns = begin,
                         .end_ns = made_.end_ns,
                         .took_ns = made_.end_ns - begin,
                         .caller = OVERTURE_WATCH_THREAD(waits_at),
                         .value = OVERTURE_WATCH_THREAD(waits_for)});
  }

  void read_chunks() {
    const std::size_t there =
        file_.size() > chunks_at ? (file_.size() - chunks_at) / chunk_bytes : 0;
    const std::size_t count = std::min<std::size_t>(OVERTURE_WATCH_HEAD(chunk_count), there);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = chunks_at + i * chunk_bytes;
      const auto owner = threads_.find(file_.word(at + offsetof(chunk_head, thread)) - 1);
      if (owner == threads_.end()) continue;
      for (std::size_t slot = 1; slot <= chunk_events; ++slot) {
        add_event(at + slot * sizeof(packed_event), owner->second);
      }
    }
  }

  void add_event(std::size_t at, watched_thread& to) {
    const std::uint64_t words[4] = {file_.word(at), file_.word(at + 8), file_.word(at + 16),
                                    file_.word(at + 24)};
    const plain_event from = unpacked(words);
    if (from.kind == event_kind::none) return;
    const bool is_zone = from.kind == event_kind::zone;
    if (is_zone && from.id >= static_cast<std::uint32_t>(zone_number::count)) return;
    const bool is_spin = from.kind == event_kind::spin;
    if (is_spin && from.id >= spin_calls) return;
    const bool is_name = !is_zone && !is_spin && from.kind != event_kind::release;
    const std::uint64_t begin = from.begin_ns + shift_ns_;
    to.events.push_back({.kind = from.kind,
                         .flags = from.flags,
                         .detail = from.detail,
                         .id = is_name ? name_of(from.id) : from.id,
                         .begin_ns = begin,
                         .end_ns = begin + from.took_ns,
                         .took_ns = from.took_ns,
                         .caller = from.caller,
                         .value = from.value});
  }

  void finish(watched_thread& thread) {
    if (thread.name.empty() && thread.is_main) thread.name = "main";
    nest(thread.events);
    name_callers(thread.events);
    std::uint64_t last = thread.begin_ns;
    for (const watched_event& each : thread.events) last = std::max(last, each.end_ns);
    if (thread.has_ended) thread.end_ns = std::max(thread.end_ns, last);
    made_.end_ns = std::max({made_.end_ns, last, thread.end_ns});
  }

  // A listing stands for calls between which others were made; of what overlaps otherwise, the end
  // is cut.
  static void nest(std::vector<watched_event>& events) {
    const auto is_before = [](const watched_event& a, const watched_event& b) {
      return std::tuple(a.begin_ns, b.end_ns) < std::tuple(b.begin_ns, a.end_ns);
    };
    order(events, is_before);
    std::vector<std::uint64_t> open;
    for (watched_event& each : events) {
      while (!open.empty() && open.back() <= each.begin_ns) open.pop_back();
      if (!open.empty()) each.end_ns = std::min(each.end_ns, open.back());
      open.push_back(each.end_ns);
    }
    order(events, is_before);
  }

  // A function that ends with a jump to a watched one seems to be called by the recorder.
  void name_callers(std::vector<watched_event>& events) const {
    std::vector<const watched_event*> open;
    for (watched_event& each : events) {
      while (!open.empty() && open.back()->end_ns <= each.begin_ns) open.pop_back();
      const watched_module* const module = made_.module_of(each.caller);
      if (module && module->path.ends_with(recorder_file) && !open.empty()) {
        each.caller = open.back()->caller;
      }
      // Of what libraries call, the program has called what is around it.
      if (made_.is_own(each.caller)) {
        each.from = each.caller;
      } else if (!open.empty()) {
        each.from = open.back()->from;
      }
      open.push_back(&each);
    }
  }

  void order_threads() {
    for (auto& [place, thread] : threads_) {
      if (!thread.has_ended) thread.end_ns = made_.end_ns;
      made_.threads.push_back(std::move(thread));
    }
    order(made_.threads, [](const watched_thread& a, const watched_thread& b) {
      return std::tuple(!a.is_main, a.begin_ns) < std::tuple(!b.is_main, b.begin_ns);
    });
  }

  file_view file_;
  std::uint64_t ended_ns_;
  std::uint64_t shift_ns_ = 0;
  watched_process made_;
  std::map<std::uint64_t, std::uint32_t> numbers_;
  std::map<std::uint64_t, watched_thread> threads_;  // by their place in the file
};

#undef OVERTURE_WATCH_HEAD
#undef OVERTURE_WATCH_THREAD
#undef OVERTURE_WATCH_KERNEL

}  // namespace

std::optional<watched_process> read_process(std::string_view bytes, std::uint64_t ended_ns) {
  return process_reader(bytes, ended_ns).read();
}

std::vector<watched_process> read_folder(const std::string& path, std::uint64_t ended_ns) {
  namespace fs = std::filesystem;
  std::map<std::pair<std::uint64_t, std::string>, watched_process> by_begin;
  std::error_code failed;
  for (const fs::directory_entry& each : fs::directory_iterator(path, failed)) {
    if (each.path().extension() != ".watch") continue;
    const std::string bytes = whole_file(each.path().string());
    std::optional<watched_process> read = read_process(bytes, ended_ns);
    if (!read) continue;
    const std::uint64_t begin = file_view(bytes).word(offsetof(process_head, begin_ns));
    by_begin.emplace(std::pair(begin, each.path().string()), std::move(*read));
  }
  std::vector<watched_process> all;
  all.reserve(by_begin.size());
  for (auto& [key, process] : by_begin) all.push_back(std::move(process));
  return all;
}

}  // namespace overture::watch

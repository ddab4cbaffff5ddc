// SPDX-License-Identifier: Zlib
//
// Changes the recording of a small program as the bytes say, and reads it. A recording has 18 MB
// and more, most of it room, so inputs are changes, one after the other:
//
//   'e' thread, slot, 32 bytes       an event, in the chunk of that thread
//   'n' slot, length, text           a name
//   't' thread, word, 8 bytes        of the thread's entry
//   'h' word, 8 bytes                of the head
//   'r' 4 bytes of place, 8 bytes    anywhere
//   'c' 4 bytes                      the file ends there
//
// What comes of it is a page, a list of findings and a list of first uses, whatever it says.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "watch/findings/gain.hpp"
#include "watch/model/anonymous.hpp"
#include "watch/model/first_uses.hpp"
#include "watch/model/read_process.hpp"
#include "watch/model/samples.hpp"
#include "watch/page/watch_page.hpp"
#include "watch/recorder/layout.hpp"

namespace {

using namespace overture::watch;

constexpr std::size_t threads = 4;
constexpr std::size_t file_bytes = chunks_at + threads * chunk_bytes;

void require(bool kept) {
  if (!kept) std::abort();
}

// A file that goes back to what it was.
class changing_file {
 public:
  changing_file() : bytes_(file_bytes, '\0') {
    std::memcpy(bytes_.data(), magic, sizeof magic);
    set(offsetof(process_head, pid), 42);
    set(offsetof(process_head, begin_ns), 1'000'000);
    set(offsetof(process_head, thread_count), threads);
    set(offsetof(process_head, chunk_count), threads);
    for (std::size_t i = 0; i < threads; ++i) {
      set(threads_at + i * sizeof(thread_entry) + offsetof(thread_entry, number), 42 + i);
      set(chunks_at + i * chunk_bytes, i + 1);
    }
    std::size_t slot = 0;
    for (const char* const each : {"/data/a.png", "/data/b.ogg", "/dev/null", "/home/me/c"}) {
      set_name(slot++, each);
    }
  }

  void set(std::size_t at, std::uint64_t value) { change(at, &value, sizeof value); }
  void set_name(std::size_t slot, std::string_view text) {
    const std::size_t place = slot * 64;
    set(slots_at + slot * sizeof(counter), std::uint64_t{place + 1} << 32);
    const auto length = static_cast<std::uint32_t>(text.size());
    change(names_at + place, &length, sizeof length);
    change(names_at + place + sizeof length, text.data(), text.size());
  }
  void change(std::size_t at, const void* bytes, std::size_t count) {
    if (at > bytes_.size() || bytes_.size() - at < count) return;
    before_.push_back({at, bytes_.substr(at, count)});
    std::memcpy(bytes_.data() + at, bytes, count);
  }
  // What was set up to now stays.
  void keep() { before_.clear(); }
  void undo() {
    for (auto each = before_.rbegin(); each != before_.rend(); ++each) {
      std::memcpy(bytes_.data() + each->first, each->second.data(), each->second.size());
    }
    before_.clear();
  }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::vector<std::pair<std::size_t, std::string>> before_;
};

class input {
 public:
  input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  [[nodiscard]] bool has_more() const { return left_ > 0; }
  std::string_view bytes(std::size_t count) {
    count = count < left_ ? count : left_;
    const std::string_view taken(reinterpret_cast<const char*>(data_), count);
    data_ += count;
    left_ -= count;
    return taken;
  }
  std::uint64_t number(std::size_t bytes_wide) {
    std::uint64_t value = 0;
    const std::string_view taken = bytes(bytes_wide);
    std::memcpy(&value, taken.data(), taken.size());
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

// Where the file ends.
std::size_t change_file(changing_file& file, input& from) {
  std::size_t end = file_bytes;
  while (from.has_more()) {
    switch (from.number(1)) {
      case 'e': {
        const std::size_t thread = from.number(1) % threads;
        const std::size_t slot = from.number(1) % chunk_events;
        const std::string_view event = from.bytes(sizeof(packed_event));
        file.change(chunks_at + thread * chunk_bytes + (slot + 1) * sizeof(packed_event),
                    event.data(), event.size());
        break;
      }
      case 'n': {
        const std::size_t slot = from.number(1);
        file.set_name(slot, from.bytes(from.number(1)));
        break;
      }
      case 't': {
        const std::size_t entry = threads_at + from.number(1) % threads * sizeof(thread_entry);
        const std::size_t word = from.number(1) % (sizeof(thread_entry) / 8);
        file.set(entry + word * 8, from.number(8));
        break;
      }
      case 'h': {
        const std::size_t word = from.number(1);
        file.set(word * 8, from.number(8));
        break;
      }
      case 'r': {
        const std::size_t at = from.number(4);
        file.set(at % file_bytes, from.number(8));
        break;
      }
      case 'c':
        end = from.number(4) % (file_bytes + 1);
        break;
      default:
        break;
    }
  }
  return end;
}

void look_at(watched_process& process) {
  sampling samples{.period_ns = 1'000'000, .samples = {}};
  for (std::uint64_t i = 0; i < 16; ++i) {
    samples.samples.push_back({process.pid, process.pid + i % 4, i * 1'000'000, i * 0x1000});
  }
  add_samples(process, samples);
  const load_view view = view_of(process);
  const std::vector<finding> findings = findings_of(view);
  for (const finding& each : findings) require(!each.what.empty() && !each.advice.empty());
  const std::vector<gain> gains = gains_of(view, 4);
  for (const gain& each : gains) require(!each.ns || *each.ns <= view.end_ns());
  std::uint64_t sum = 0;
  for (const main_part& each : main_parts(view)) sum += each.ns;
  require(!view.main() || sum >= view.end_ns());
  for (const first_use& each : first_uses(view, "/data")) require(!each.path.empty());
  require(!verdict_of(view).empty());
  require(watch_page({view, findings, gains, ""}).ends_with("</html>\n"));
  hide_home(process, "/home/me");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static changing_file& file = *[] {
    auto* const made = new changing_file;
    made->keep();
    return made;
  }();
  input from(data, size);
  const std::size_t end = change_file(file, from);
  if (auto process = read_process(file.bytes().substr(0, end), size % 2 == 0 ? 0 : 5'000'000'000)) {
    look_at(*process);
  }
  file.undo();
  return 0;
}

// SPDX-License-Identifier: Zlib
//
// The timeline: overture/c/trace.h.
#include "overture/c/trace.h"

#include <algorithm>

#include "c/handles.hpp"
#include "overture/base/os.hpp"
#include "overture/base/replace_file.hpp"
#include "overture/base/thread.hpp"

using namespace overture;
using namespace overture::c;

namespace {

constexpr const char* no_timeline = "the timeline is NULL";

// Writes text to an open file in large pieces.
class file_sink final : public text_sink {
 public:
  explicit file_sink(os_handle file) noexcept : file_(file) {}

  result<void> write(std::string_view text) override {
    while (!text.empty()) {
      if (used_ == room_.size()) {
        if (result<void> flushed = flush(); !flushed) return flushed;
      }
      const std::size_t fitting = std::min(text.size(), room_.size() - used_);
      std::memcpy(room_.data() + used_, text.data(), fitting);
      used_ += fitting;
      text.remove_prefix(fitting);
    }
    return {};
  }
  result<void> flush() noexcept {
    if (used_ == 0) return {};
    const std::span<const char> part(room_.data(), used_);
    result<void> written = write_fully(system_os(), file_, at_, std::as_bytes(part));
    at_ += used_;
    used_ = 0;
    return written;
  }

 private:
  os_handle file_;
  std::uint64_t at_ = 0;
  std::size_t used_ = 0;
  std::array<char, 16384> room_;
};

}  // namespace

overture_code overture_timeline_make(const overture_timeline_config* config,
                                     overture_timeline** timeline, overture_error* error) {
  if (timeline == nullptr) return invalid(error, "there is no place for the timeline");
  *timeline = nullptr;
  overture_timeline_config wanted;
  if (const overture_code flaw = read_options(config, wanted, error)) return flaw;
  if (wanted.events_per_thread > limits::timeline_events_max) {
    return failed(error, errc::limit, "more events than a thread may record");
  }
  timeline_config how;
  if (wanted.events_per_thread != 0) how.events_per_thread = wanted.events_per_thread;
  given_allocator memory;
  if (const char* const flaw = memory.set(wanted.memory)) return invalid(error, flaw);
  *timeline = make<overture_timeline>(how, memory);
  return *timeline == nullptr ? out_of_memory(error) : fine(error);
}

overture_code overture_timeline_free(overture_timeline* timeline, overture_error* error) {
  return end_unused(timeline, "a pool or reads still record into the timeline", error);
}

overture_code overture_timeline_attach(overture_timeline* timeline, const char* thread_name,
                                       overture_error* error) {
  if (timeline == nullptr) return invalid(error, no_timeline);
  if (thread_name == nullptr) return invalid(error, "the thread has no name");
  const result<void> attached = timeline->record.attach_thread(thread_name);
  return attached ? fine(error) : failed(error, attached.error());
}

overture_code overture_timeline_detach(overture_timeline* timeline, overture_error* error) {
  if (timeline == nullptr) return invalid(error, no_timeline);
  timeline->record.detach_thread();
  return fine(error);
}

overture_zone overture_zone_begin(const char* name) {
  return {name, name != nullptr && is_recording() ? now_ns() : 0};
}

void overture_zone_end(overture_zone* zone) {
  if (zone == nullptr || zone->begin_ns == 0) return;
  record({.begin_ns = zone->begin_ns, .end_ns = now_ns(), .name = zone->name});
  zone->begin_ns = 0;
}

void overture_trace_count(const char* name, uint64_t value) {
  if (name != nullptr) count(name, value);
}

void overture_trace_mark(const char* name) {
  if (name != nullptr) mark(name);
}

overture_code overture_timeline_write_json(const overture_timeline* timeline,
                                           const overture_trace_names* names, const char* path,
                                           overture_error* error) {
  if (timeline == nullptr) return invalid(error, no_timeline);
  if (path == nullptr) return invalid(error, "the path is NULL");
  overture_trace_names known;
  if (const overture_code flaw = read_options(names, known, error)) return flaw;
  const auto name = [&](std::uint32_t subject, std::span<char> text) noexcept -> std::size_t {
    if (subject >= first_asset_subject) {
      return known.store == nullptr ? 0 : known.store->assets.subject_name(subject, text);
    }
    if (known.files == nullptr) return 0;
    return known.files->tree.entry(subject).path.copy(text.data(), text.size());
  };
  function_ref<std::size_t(std::uint32_t, std::span<char>)> name_of = name;
  const auto write = [&](os_handle file) -> result<void> {
    file_sink sink(file);
    return write_chrome_json(timeline->record, sink, {.subject_name = &name_of}).and_then([&] {
      return sink.flush();
    });
  };
  const result<void> written = replace_file(system_os(), path, write);
  return written ? fine(error) : failed(error, written.error(), path);
}

// SPDX-License-Identifier: Zlib
#include "overture/sounds/sound_stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/vec.hpp"
#include "overture/vfs/file_system.hpp"
#include "sounds/stream_state.hpp"

namespace overture {

using namespace base_detail;
using namespace sounds_detail;

namespace {

// What is larger is unpacked in pieces. Restart points take 32 KiB each.
constexpr file_reader_config song_reader{
    .buffer_bytes = 16u << 10, .unpacked_bytes_max = 128u << 10, .restart_points_max = 8};
constexpr std::uint64_t stored_reader_bytes = 20u << 10;
constexpr std::uint64_t packed_reader_bytes = (160u << 10) + 8 * (32u << 10);

// On whose read() this thread is.
thread_local const void* reads_now = nullptr;

template <class Sample>
void copy_samples(const std::byte* from, sound_samples kind, Sample* to,
                  std::size_t samples) noexcept {
  constexpr bool wants_floats = std::is_same_v<Sample, float>;
  if ((kind == sound_samples::float32) == wants_floats) {
    std::memcpy(to, from, samples * sizeof(Sample));
  } else if constexpr (wants_floats) {
    const auto* const integers = reinterpret_cast<const std::int16_t*>(from);
    std::transform(integers, integers + samples, to,
                   [](std::int16_t sample) { return to_float(sample); });
  } else {
    const auto* const floats = reinterpret_cast<const float*>(from);
    std::transform(floats, floats + samples, to, [](float sample) { return to_int16(sample); });
  }
}

}  // namespace

struct sound_stream::state final : stream_state {
  using stream_state::stream_state;

  [[nodiscard]] result<void> attach(const sound_stream_config& config) noexcept;
  void wake() noexcept;
  void run_job() noexcept;
  template <class Sample>
  std::size_t read(std::span<Sample> to) noexcept;
  // The thread and the jobs leave the stream.
  void detach() noexcept;

  static result<sound_stream> make(file_reader file, const sound_stream_config& config,
                                   const song_file& where) noexcept;
};

result<void> sound_stream::state::attach(const sound_stream_config& config) noexcept {
  if (config.thread) {
    slot = config.thread->state_->slots.add(*this);
    if (!slot) return fail(errc::limit, "more than 64 streams of one sound_thread");
    thread = config.thread->state_;
  } else if (config.jobs) {
    jobs.emplace(*config.jobs);
  }
  wake();
  return {};
}

void sound_stream::state::detach() noexcept {
  closing.store(true, std::memory_order_release);
  if (slot) thread->slots.remove(*slot);
  if (jobs) jobs->wait();
}

void sound_stream::state::wake() noexcept {
  if (thread) {
    thread->wake();
  } else if (jobs && !queued.exchange(true, std::memory_order_acq_rel)) {
    jobs->run([this] { run_job(); }, {.name = "decode a sound"});
  }
}

// A pool whose queues are full runs the job inside of submit(): not in an audio callback. The next
// read() tries again.
void sound_stream::state::run_job() noexcept {
  (void)queued.exchange(false, std::memory_order_acq_rel);
  if (reads_now == this) return;
  turns.run([this] { return !closing.load(std::memory_order_acquire) && wants_turn(); },
            [this] { take_turn(); });
}

template <class Sample>
std::size_t sound_stream::state::read(std::span<Sample> to) noexcept {
  const std::size_t channels = codec_format.channels;
  const std::size_t wanted = to.size() / channels;
  bool freed = false;
  Sample* at = to.data();
  const std::size_t done =
      play->read(wanted, frame_bytes, freed, [&](const std::byte* from, std::size_t frames) {
        copy_samples(from, samples, at, frames * channels);
        at += frames * channels;
      });
  std::fill(at, to.data() + to.size(), Sample{});
  // Woken at the half, the decoder fills several pieces at a time.
  const bool is_low = freed && ring->pieces() <= infos.size() / 2;
  if (is_low || (done < wanted && play->wants_frames())) {
    const void* const before = std::exchange(reads_now, this);
    wake();
    reads_now = before;
  }
  return done;
}

result<sound_stream> sound_stream::state::make(file_reader file, const sound_stream_config& config,
                                               const song_file& where) noexcept {
  if (config.thread && config.jobs) {
    return fail(errc::invalid, "a stream is decoded by a thread or by jobs, not by both");
  }
  if (config.jobs && !config.jobs->is_of_this_version()) {
    return fail(errc::unsupported, "the job system is one of another version of Overture");
  }
  if (config.thread) {
    if (const result<void> runs = config.thread->status(); !runs) {
      return tl::unexpected<error>(runs.error());
    }
  }
  allocator& memory = config.memory ? *config.memory : default_allocator();
  state* const made =
      make_object<state>(memory, memory_tag::decode, memory, std::move(file), where);
  if (!made) return fail(errc::out_of_memory, codec_out_of_memory);
  sound_stream stream(made);
  result<void> begun = made->begin(config);
  if (begun) begun = made->attach(config);
  if (!begun) {
    return tl::unexpected<error>(made->log.about_the_file(begun.error(), made->file.position()));
  }
  return stream;
}

result<sound_stream> sound_stream::open(file_system& files, asset_path path,
                                        const sound_stream_config& config) noexcept {
  result<opened_file> opened = files.open_any_size(path);
  if (!opened) return tl::unexpected<error>(opened.error());
  const file_place place = opened->place();
  const bool is_packed = place.method != compression::none;
  const song_file where{.path = path.id,
                        .source = place.source,
                        .offset = place.offset,
                        .is_loose = !place.framed && !place.has_crc,
                        .is_packed = is_packed,
                        .reader_bytes = is_packed ? packed_reader_bytes : stored_reader_bytes};
  file_reader_config how = song_reader;
  how.memory = config.memory;
  result<file_reader> reader = file_reader::open(files, *std::move(opened), how);
  if (!reader) return about(path.id, result<sound_stream>(tl::unexpected<error>(reader.error())));
  return state::make(*std::move(reader), config, where);
}

result<sound_stream> sound_stream::open(file_reader file,
                                        const sound_stream_config& config) noexcept {
  return state::make(std::move(file), config, {.is_packed = true});
}

sound_stream::~sound_stream() {
  if (!state_) return;
  state_->detach();
  destroy_object(state_->memory, memory_tag::decode, state_);
}

std::uint32_t sound_stream::channels() const noexcept {
  return state_->codec_format.channels;
}
std::uint32_t sound_stream::sample_rate() const noexcept {
  return state_->codec_format.rate;
}
const char* sound_stream::format() const noexcept {
  return state_->codec_format.name;
}

std::size_t sound_stream::read(std::span<float> to) noexcept {
  return state_->read(to);
}
std::size_t sound_stream::read(std::span<std::int16_t> to) noexcept {
  return state_->read(to);
}

void sound_stream::seek(std::uint64_t frame) noexcept {
  state_->play->seek(frame);
  state_->wake();
}

std::uint64_t sound_stream::position() const noexcept {
  const std::uint64_t position = state_->play->position();
  // A seek beyond the end, on its way.
  const std::uint64_t end = state_->length.load(std::memory_order_relaxed);
  return end == 0 ? position : std::min(position, end);
}
std::uint64_t sound_stream::length() const noexcept {
  const std::uint64_t known = state_->length.load(std::memory_order_relaxed);
  if (known == 0) state_->length_asked.store(true, std::memory_order_relaxed);
  return known;
}
std::uint64_t sound_stream::loops() const noexcept {
  return state_->play->loops();
}
sound_loop sound_stream::loop() const noexcept {
  return state_->loop;
}
bool sound_stream::ended() const noexcept {
  return state_->play->ended();
}
std::uint64_t sound_stream::underruns() const noexcept {
  return state_->play->underruns();
}
sound_status sound_stream::status() const noexcept {
  return state_->log.status();
}

bool sound_stream::decode(std::size_t pieces) noexcept {
  if (state_->slot || state_->jobs) return false;
  for (; pieces != 0 && state_->wants_turn(); --pieces) state_->take_turn();
  return state_->wants_turn();
}

}  // namespace overture

// SPDX-License-Identifier: Zlib
#include "overture/sounds/sound_thread.hpp"

#include "base/guarded_call.hpp"
#include "base/vec.hpp"
#include "sounds/decode_thread.hpp"

namespace overture {

using namespace base_detail;
using sounds_detail::decode_thread;

void decode_thread::run() noexcept {
  for (;;) {
    if (slots.take_turns()) continue;
    const event_count::key_type key = changed.prepare_wait();
    if (stops.load(std::memory_order_acquire)) return changed.cancel_wait();
    if (slots.take_turns()) {
      changed.cancel_wait();
      continue;
    }
    // A piece takes long to play: spinning would only cost.
    changed.wait(key, {.reason = "full rings of sounds", .spin = spin_policy::none()});
  }
}

sound_thread::sound_thread(const sound_thread_config& config) noexcept {
  allocator& memory = config.memory ? *config.memory : default_allocator();
  thread_factory& threads = config.threads ? *config.threads : default_thread_factory();
  decode_thread* const made =
      make_object<decode_thread>(memory, memory_tag::decode, memory, threads);
  if (!made) {
    failure_ = {.code = errc::out_of_memory, .reason = "out of memory for a thread of sounds"};
    return;
  }
  const auto entry = [](void* self) noexcept { static_cast<decode_thread*>(self)->run(); };
  const result<thread_handle> started = guarded_result(
      thread_factory_threw, [&] { return threads.start(config.thread, entry, made); });
  if (started) {
    made->thread = *started;
    state_ = made;
    return;
  }
  failure_ = started.error();
  destroy_object(memory, memory_tag::decode, made);
}

sound_thread::~sound_thread() {
  if (!state_) return;
  state_->stops.store(true, std::memory_order_release);
  state_->wake();
  state_->threads.join(state_->thread);
  destroy_object(state_->memory, memory_tag::decode, state_);
}

result<void> sound_thread::status() const noexcept {
  if (state_) return {};
  return tl::unexpected<error>(failure_);
}

}  // namespace overture

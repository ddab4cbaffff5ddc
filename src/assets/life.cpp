// SPDX-License-Identifier: Zlib
#include "assets/life.hpp"

namespace overture::assets_detail {

namespace {

class stepping {
 public:
  stepping(const life& now, const life_facts& is) noexcept : next{now}, is_(is) {}

  life_step result() const noexcept { return {next, todo}; }

  life next;
  life_actions todo;

  [[nodiscard]] bool is_wanted() const noexcept { return is_.held && !is_.ending; }

  // To be read, or once the old value has left and those who waited for it know.
  void queue() noexcept {
    next.state = asset_state::queued;
    next.again = next.leaving || next.settling;
    // Those who wait are told of the last time before they wait anew.
    todo.raise = !next.settling;
    if (!next.again) next.in = place::to_read;
  }
  void queue_if_again() noexcept {
    if (next.again && !next.leaving && !next.settling) queue();
  }
  void settle(asset_state as) noexcept {
    next.state = as;
    next.settling = true;
    todo.settle = true;
  }
  // Its value goes, with what it needs.
  void leave() noexcept {
    todo.drop_needs = true;
    if (!is_.has_value || next.leaving) return;
    next.leaving = true;
    // What was never finalized has nothing to undo, and need not wait for pump().
    const bool anywhere = is_.free_threaded || !next.begun;
    next.in = anywhere ? place::unload_any : place::unload_main;
    (anywhere ? todo.unload_job : todo.wake_main) = true;
  }
  void leave_as(asset_state as) noexcept {
    if (!next.leaving) next.in = place::none;
    next.building = next.built = false;
    next.state = as;
    leave();
  }
  void fail() noexcept {
    leave_as(asset_state::failed);
    settle(asset_state::failed);
  }
  void wait_for_finalize() noexcept {
    next.built = false;
    next.state = asset_state::finalizing;
    next.in = is_.free_threaded ? place::for_workers : place::for_main;
    (is_.free_threaded ? todo.finalize_job : todo.wake_main) = true;
  }
  // Decoded, and waits for nothing.
  void go_on() noexcept {
    if (is_.need_failed) return fail();
    if (!is_.builds || next.built) return wait_for_finalize();
    next.state = asset_state::finalizing;
    next.in = place::for_workers;
    next.building = true;
    todo.finalize_job = true;
  }
  void has_built() noexcept {
    next.building = false;
    if (!is_wanted()) return leave_as(asset_state::unloaded);
    next.built = true;
    if (is_.needs_pending) {
      next.state = asset_state::needing;
    } else {
      go_on();
    }
  }

  void file_has_come() noexcept {
    if (is_wanted()) {
      next.state = asset_state::decoding;
      next.in = place::to_decode;
    } else {
      todo.drop_file = true;
      next.state = asset_state::unloaded;
    }
  }
  // It is read once there is room.
  void could_not_read_yet() noexcept {
    todo.drop_file = true;
    next.state = asset_state::unloaded;
    if (is_wanted()) queue();
  }
  void begin_decode() noexcept {
    next.in = place::none;
    if (is_wanted()) return;
    todo.drop_file = true;
    next.state = asset_state::unloaded;
  }
  void decoded() noexcept {
    todo.drop_file = true;
    if (!is_wanted()) return leave_as(asset_state::unloaded);
    if (is_.needs_pending) {
      next.state = asset_state::needing;
    } else {
      go_on();
    }
  }
  // The beginning of its file was too little.
  void read_more() noexcept {
    todo.drop_file = true;
    todo.drop_needs = true;
    queue();
  }
  void could_not_load() noexcept {
    todo.drop_file = true;
    todo.drop_needs = true;
    if (is_.held) {
      settle(asset_state::failed);
    } else {
      next.state = asset_state::unloaded;
    }
  }
  void let_go() noexcept {
    const bool is_running = next.in == place::none;
    switch (next.state) {
      case asset_state::queued:
        if (!next.again) next.in = place::none;
        next.again = false;
        next.state = asset_state::unloaded;
        return;
      case asset_state::decoding:
        if (is_running) return;
        todo.drop_file = true;
        next.in = place::none;
        next.state = asset_state::unloaded;
        return;
      case asset_state::finalizing:
        if (is_running) return;  // it goes after that step
        return leave_as(asset_state::unloaded);
      case asset_state::needing:
        return leave_as(asset_state::unloaded);
      case asset_state::ready:
        next.in = place::kept;
        return;
      case asset_state::failed:
        next.state = asset_state::unloaded;
        return;
      case asset_state::unloaded:
      case asset_state::reading:  // it goes once its file has come
        return;
    }
  }

 private:
  const life_facts& is_;
};

// What has to be so for an event.
bool can_be(const life& now, life_event event) noexcept {
  using enum asset_state;
  switch (event) {
    case life_event::asked:
      return now.state == unloaded || now.in == place::kept;
    case life_event::refused:
      return now.state == unloaded;
    case life_event::retried:
      return now.state == failed;
    case life_event::read_begins:
      return now.in == place::to_read;
    case life_event::read_ends:
    case life_event::read_fails:
    case life_event::read_refused:
      return now.state == reading;
    case life_event::decode_begins:
      return now.in == place::to_decode;
    case life_event::decode_ends:
    case life_event::decode_fails:
      return now.state == decoding && now.in == place::none;
    case life_event::needs_settle:
    case life_event::superseded:
      return now.state == needing;
    case life_event::step_begins:
      return now.in == place::for_main || now.in == place::for_workers;
    case life_event::built:
      return now.building && now.in == place::none;
    case life_event::step_again:
    case life_event::step_ends:
      return now.state == finalizing && now.in == place::none && !now.building;
    case life_event::step_fails:
      return now.state == finalizing && now.in == place::none;
    case life_event::told:
      return now.settling;
    case life_event::let_go:
      return !now.settling && now.in != place::kept;
    case life_event::evicted:
      return now.in == place::kept;
    case life_event::exchanged:
      return is_settled(now.state) && !now.settling;
    case life_event::unload_begins:
      return now.in == place::unload_main || now.in == place::unload_any;
    case life_event::unload_ends:
      return now.leaving;
    case life_event::store_ends:
      return !now.settling;
  }
  return false;
}

}  // namespace

life_step step(const life& now, life_event event, const life_facts& is) noexcept {
  stepping it(now, is);
  if (!can_be(now, event)) return it.result();
  switch (event) {
    case life_event::asked:
      now.in == place::kept ? void(it.next.in = place::none) : it.queue();
      break;
    case life_event::refused:
      it.settle(asset_state::failed);
      break;
    case life_event::retried:
      it.queue();
      break;
    case life_event::read_begins:
      it.next.in = place::none;
      it.next.state = asset_state::reading;
      break;
    case life_event::read_ends:
      it.file_has_come();
      break;
    case life_event::read_fails:
      it.could_not_load();
      break;
    case life_event::decode_fails:
      it.is_wanted() && is.is_part ? it.read_more() : it.could_not_load();
      break;
    case life_event::read_refused:
      it.could_not_read_yet();
      break;
    case life_event::decode_begins:
      it.begin_decode();
      break;
    case life_event::decode_ends:
      it.decoded();
      break;
    case life_event::needs_settle:
      if (!is.needs_pending) it.go_on();
      break;
    case life_event::superseded:
      it.leave_as(asset_state::unloaded);
      it.queue();
      break;
    case life_event::step_begins:
      it.next.in = place::none;
      it.next.begun |= !now.building;
      break;
    case life_event::built:
      it.has_built();
      break;
    case life_event::step_again:
      it.is_wanted() ? it.wait_for_finalize() : it.leave_as(asset_state::unloaded);
      break;
    case life_event::step_ends:
      it.settle(asset_state::ready);
      break;
    case life_event::step_fails:
      it.fail();
      break;
    case life_event::told:
      it.next.settling = false;
      it.todo.raise = it.next.again;
      it.queue_if_again();
      it.todo.exchange = it.todo.wake_main = is.is_reload;
      break;
    case life_event::let_go:
      it.let_go();
      break;
    case life_event::evicted:
    case life_event::exchanged:
      it.leave_as(asset_state::unloaded);
      break;
    case life_event::unload_begins:
      it.next.in = place::none;
      break;
    case life_event::unload_ends:
      it.next.leaving = it.next.begun = false;
      it.queue_if_again();
      break;
    case life_event::store_ends:
      it.next.again = false;
      it.next.state = asset_state::unloaded;
      if (now.leaving) break;
      it.leave_as(asset_state::unloaded);
      break;
  }
  return it.result();
}

}  // namespace overture::assets_detail

// SPDX-License-Identifier: Zlib
//
// asset_store: loads the assets that a game asks for, once each, and keeps them while they are
// used.
//
//   thread_pool jobs = thread_pool::for_this_machine();
//   read_queue reads{files};
//   texture_loader textures;                       // loader<texture>: see loader.hpp
//   material_loader materials;
//   asset_store store{files, reads, jobs};
//   if (auto added = store.add(textures); !added) return report(added.error());
//   if (auto added = store.add(materials); !added) return report(added.error());
//
//   asset<material> wall = store.get<material>("materials/wall.txt"_path);
//   asset<sound> later = store.get<sound>("music/2.ogg"_path, asset_priority::background);
//   while (playing) {
//     store.pump(4ms);                             // uploads, unloads
//     draw(wall);
//   }
//
// What is asked for loads in order of priority; at the same priority what others wait for is read
// first, and then the order is that of asking, in whatever order the disk brings the files. A need
// has the turn of the first that needs it.
// Raising an asset raises all that it needs, queued or not; once it is lowered or let go of, they
// are as urgent as others want them. Background assets are read after all others, and decoded,
// built and finalized on threads of the lowest priority of the system (in pump(), if the loader is
// not free_threaded()), so they never stand in the way of a frame.
// A call of a loader that has begun is never interrupted: what becomes urgent waits for one.
//
// An asset is read whole, unless its loader has stages (asset_stage.hpp), decoded, and finalized
// once all that it needs is ready: see loader.hpp. Assets of one file that wait for their turn, as
// types or with settings, are read and unpacked once. One that fails keeps its error; retry() tries
// again. The tree need not be frozen. In one that ignores case, paths that differ only by case are
// one asset, under the folded path.
//
// Memory:
//   waiting  what is read, unpacked, decoded and not finalized yet, or waits to be unloaded: up to
//            config.budget_bytes, and one asset more for each class of priority, or all that was
//            dropped at once. What is lowered makes no room for others before it is finalized. A
//            file is read once there is room for it. A loader says beforehand what it needs
//            (memory_needed()), or one asset for each thread that decodes may come on top, and what
//            build() takes of all that wait for it; what has no room for that waits with its file.
//            Nothing of its priority or lower begins before what was given up is cancelled or
//            unloaded, so a level that is dropped makes room for the next. A quarter of the budget
//            is for assets of high priority only, half of it for those above low, and three
//            quarters for those above background: they never wait for a pile of others. An asset
//            that does not fit at all goes alone. What waits for its needs cannot be given back, so
//            a chain of needs goes on past the budget, one asset at a time, and no other of its
//            class of priority, or below, begins while it has needs that wait to be read. Its bound
//            is the sum of all chains that have begun, and one asset more: a chain of 50 assets is
//            50 assets, whatever the budget.
//   held     never unloaded.
//   kept     loaded, though no handle holds it: up to config.keep_bytes. It counts with what only
//            such assets keep loaded, levels with their textures, up to 64 needs deep; what several
//            of them share counts once. What was given up first goes first.
// A record of about 1,000 bytes stays for each asset ever asked for, and sizeof(T) for each value
// of the most that were loaded at once: for the next ones of that type, until the store ends. The
// files themselves are read within the file system's ledger (file_system_config::ledger) too. Give
// the store the same ledger, and one bound holds for both.
//
// Cost: asking for an asset that is known is one look-up under a lock, which pump() takes for a few
// microseconds at a time; loading one takes some microseconds beside the work of its loader,
// however long the chain of its needs, and no memory from the allocator once the store has held as
// many before.
//
// A timeline shows each step of an asset, on each thread that is attached to one: the zones "read"
// (which unpacks too), "decode", "finalize" and "unload", and the requests of the read queue, with
// the number of the asset as their subject, and "pump" around what runs in pump(). In between it
// has what the asset waited for, and which need let it go on: see asset_waits.hpp.
// write_report() makes a page of it (overture/report/write_report.hpp), write_chrome_json() a file:
//
//   const auto name = [&](std::uint32_t subject, std::span<char> text) {
//     return store.subject_name(subject, text);
//   };
//   function_ref<std::size_t(std::uint32_t, std::span<char>)> names = name;
//   auto written = write_chrome_json(record, sink, {.subject_name = &names});
//
// Threads: "Any thread" below includes jobs and loaders. The one thread that calls pump() is the
// store's main thread; on it everything is finalized and unloaded whose loader is not
// free_threaded().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/assets/asset.hpp"
#include "overture/assets/asset_stage.hpp"
#include "overture/assets/loader.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/base/path.hpp"
#include "overture/base/thread.hpp"

namespace overture {

class asset_event;
class file_system;
class job_system;
class load_record;
class memory_ledger;
class read_queue;
class timeline;
struct asset_group_progress;
struct mount_id;

namespace detail {
struct group_head;
}

// A number from 0 to 255: the highest goes first. The names are the middles of four classes of 64
// numbers each. The class says which threads work for an asset, and what share of the budget it may
// use; the number within the class only says which goes first.
enum class asset_priority : std::uint8_t { background = 32, low = 96, normal = 160, high = 224 };
inline constexpr std::size_t asset_priority_class_count = 4;

// The priority in the class of `of` for a nearness from 0 (the lowest number of the class) to 1
// (the highest), which may be an importance as well. Other values are clamped, NaN is 0.
//
//   within(asset_priority::normal, 1 - distance / view_distance)
[[nodiscard]] constexpr asset_priority within(asset_priority of, float nearness) noexcept {
  constexpr unsigned count = 64;
  const float share = nearness >= 1 ? 1 : nearness > 0 ? nearness : 0;
  const auto step = static_cast<unsigned>(share * static_cast<float>(count));
  const unsigned first = static_cast<unsigned>(of) / count * count;
  return static_cast<asset_priority>(first + (step < count ? step : count - 1));
}

// For asset_store::set_priorities().
class priority_change {
 public:
  priority_change() = default;  // of nothing
  // The asset must be held until then.
  template <class T>
  priority_change(const asset<T>& of, asset_priority priority) noexcept
      : to(priority), head_(of.head_) {}

  asset_priority to = asset_priority::normal;

  // For the store.
  [[nodiscard]] detail::asset_head* head() const noexcept { return head_; }

 private:
  detail::asset_head* head_ = nullptr;
};

struct asset_store_config {
  std::uint64_t keep_bytes = 64u << 20;  // of assets that no handle holds
  // For what is not finalized yet, see above. It bounds the memory, files_max how many reads there
  // are at once. A quarter of it, up to 64 MiB, is kept for the next files.
  std::uint64_t budget_bytes = 256u << 20;
  memory_ledger* ledger = nullptr;  // instead of budget_bytes: a bound shared with others
  // Being read, or read and not decoded yet, but for those that wait for room; at least 1.
  unsigned files_max = 64;
  // Threads for decoding background assets. 0, or if all are refused: they are decoded on the job
  // system, with its lowest priority.
  unsigned background_threads = 1;
  // How long a file must be left alone after reload(): what writes it may not have finished. One
  // that is reported more often than this is not loaded again until that ends.
  std::chrono::nanoseconds reload_delay{100'000'000};
  allocator* memory = nullptr;        // null = default_allocator()
  thread_factory* factory = nullptr;  // null = default_thread_factory(); of the background threads
  timeline* record = nullptr;         // they record into it, see below; it must outlive the store
};

struct asset_progress {
  // Assets that are held, by handles or by others that need them. What has failed counts while what
  // could do without it is kept.
  std::uint64_t asked = 0;
  std::uint64_t ready = 0;  // of those
  std::uint64_t failed = 0;
  std::uint64_t for_pump = 0;       // wait for pump() on the main thread
  std::uint64_t kept = 0;           // loaded, though no handle holds them, and what only they need
  std::uint64_t kept_bytes = 0;     // of those
  std::uint64_t held_bytes = 0;     // of all else that is ready
  std::uint64_t waiting_bytes = 0;  // of what is not ready yet, or waits to be unloaded
};

// What pump() did.
struct pump_result {
  std::size_t steps = 0;     // of finalize()
  std::size_t unloaded = 0;  // assets
};

// In a timeline assets are the subjects from this number on, in the order in which they were first
// asked for; those below are entries of the tree, of a load_scope for example.
inline constexpr std::uint32_t first_asset_subject = std::uint32_t{1} << 31;

// An asset that is neither ready nor failed, and what it waits for.
struct unsettled_asset {
  asset_path path;
  std::string_view part = {};      // of the file; empty: all of it
  std::string_view settings = {};  // their bytes, for settings_text()
  std::uint32_t subject = 0;       // as asset::subject()
  asset_state state = asset_state::queued;
  asset_path needs;                  // if `needing`: the first that is not ready
  std::string_view needs_part = {};  // likewise
  std::uint32_t needs_subject = 0;   // likewise
  std::uint64_t ns = 0;              // since it came into this state
  const char* what = "";             // what it waits for, in a few words
};

// What keeps an asset loaded.
enum class asset_holder : std::uint8_t {
  nothing,
  handle,  // of the program, or of a value that waits to be unloaded
  asset,   // others that have a handle on it
  store,   // it is kept for a while, or is being reloaded
  circle,  // only assets that keep each other loaded: they will never be unloaded
};
inline constexpr std::size_t asset_holder_count = 5;
// The name as spelled above. Any thread.
[[nodiscard]] OVERTURE_API const char* to_string(asset_holder holder) noexcept;

// An asset that the store knows.
struct known_asset {
  asset_path path;
  std::string_view part = {};      // of the file; empty: all of it
  std::string_view settings = {};  // their bytes, for settings_text()
  std::string_view type;           // as asset_type.hpp says; empty before there is a loader for it
  std::uint32_t subject = 0;       // as asset::subject()
  asset_state state = asset_state::unloaded;
  asset_priority priority = asset_priority::normal;  // its own, or of what waits for it
  std::uint64_t bytes = 0;                           // as its loader says, once it is decoded
  error failure;                                     // if it has failed
  asset_holder held_by = asset_holder::nothing;
  asset_path holder;  // one of the assets that have a handle on it, if there are any
  std::string_view holder_part = {};
  std::uint32_t holder_subject = 0;
  // Of the program and in values of others. Each that needs it has one more, which does not count:
  // so there are none, though `held_by` is asset, where decode() has dropped the handle of need().
  std::uint32_t handles = 0;
};

class OVERTURE_API asset_store {
 public:
  // All arguments, and the config's pointers, must outlive the store.
  asset_store(file_system& files, read_queue& reads, job_system& jobs,
              const asset_store_config& config = {}) noexcept;
  // Ends what is running, and unloads everything on the calling thread, which must be the main
  // thread. All handles outside assets must be gone. If the host runs the read queue, this and
  // wait_for() poll it.
  ~asset_store();
  asset_store(const asset_store&) = delete;
  asset_store& operator=(const asset_store&) = delete;

  // An error if memory or threads were refused. Without background threads everything loads all the
  // same, see asset_store_config::background_threads. Without memory for the store itself every
  // asset fails with out_of_memory. Memory that is refused later fails one asset, which retry()
  // loads. Any thread.
  [[nodiscard]] result<void> status() const noexcept;

  // Makes a type known. The loader must outlive the store. Errors: exists (there is one for this
  // type), unsupported (there is one for another type of this name: see asset_type.hpp),
  // out_of_memory. Before the first asset of this type is asked for.
  template <class T>
  result<void> add(loader<T>& of) noexcept {
    return add_any(of);
  }

  // A handle on the asset of this type that is made from this file. It begins to load unless it has
  // loaded, and is raised if it has a lower priority. `as` says which part of the file it is, and
  // with which settings it is made: see asset_variant.hpp. Never fails: see asset::status().
  // Without a loader for the type it is unsupported. Any thread.
  template <class T>
  [[nodiscard]] asset<T> get(const asset_path& path,
                             asset_priority priority = asset_priority::normal,
                             const asset_variant<T>& as = {}) noexcept {
    return asset<T>(get_any(path, detail::wanted_of(as), priority));
  }
  // The same for a path from outside, which may be bad_path.
  template <class T>
  [[nodiscard]] asset<T> get(std::string_view path,
                             asset_priority priority = asset_priority::normal,
                             const asset_variant<T>& as = {}) noexcept {
    return asset<T>(get_any(path, detail::wanted_of(as), priority));
  }
  // The same, for what differs by part or settings only:
  // get<texture>(path, {.settings = {.srgb = false}}).
  template <class T>
  [[nodiscard]] asset<T> get(const asset_path& path, const asset_variant<T>& as,
                             asset_priority priority = asset_priority::normal) noexcept {
    return get<T>(path, priority, as);
  }
  template <class T>
  [[nodiscard]] asset<T> get(std::string_view path, const asset_variant<T>& as,
                             asset_priority priority = asset_priority::normal) noexcept {
    return get<T>(path, priority, as);
  }
  // Names an asset without loading or keeping it, as load_context::name() does. Any thread.
  template <class T>
  [[nodiscard]] soft_asset<T> name(const asset_path& path,
                                   const asset_variant<T>& as = {}) noexcept {
    return soft_asset<T>(name_any(path, detail::wanted_of(as)));
  }
  template <class T>
  [[nodiscard]] soft_asset<T> name(std::string_view path,
                                   const asset_variant<T>& as = {}) noexcept {
    return soft_asset<T>(name_any(path, detail::wanted_of(as)));
  }
  // The asset of a name, loaded as by get(path). No handle if the name is of nothing. Any thread.
  template <class T>
  [[nodiscard]] asset<T> get(const soft_asset<T>& named,
                             asset_priority priority = asset_priority::normal) noexcept {
    return asset<T>(get_known(named.head_, priority));
  }
  // The same if it is ready now, which costs no load; otherwise no handle. Any thread.
  template <class T>
  [[nodiscard]] asset<T> get_if_ready(const soft_asset<T>& named) noexcept {
    return asset<T>(get_if_ready_any(named.head_));
  }
  // Gives it, and all that it needs, at least this priority. Does nothing to what is loaded. Any
  // thread.
  template <class T>
  void raise(const asset<T>& wanted, asset_priority priority) noexcept {
    raise_any(wanted.head_, priority);
  }
  // Gives it this priority, up or down, and what it needs with it: that stays as urgent as any
  // other that waits for it is, and as get(), raise() or this have asked for it itself, for as long
  // as anything holds it. Among those of its new priority it becomes the last; nothing moves if it
  // has this priority. What is loaded keeps it for a reload. Any thread.
  template <class T>
  void set_priority(const asset<T>& of, asset_priority priority) noexcept {
    const priority_change one(of, priority);
    set_priorities({&one, 1});
  }
  // The same for many, distances to the player in each frame for example: 0.1 to 0.2 us each.
  // Assets that share what they need are better lowered by one call. Any thread.
  void set_priorities(std::span<const priority_change> changes) noexcept;
  // Loads one that has failed again, and what it needs and has failed, also what its decode() did
  // not come to ask for. Does nothing to others. Any thread.
  template <class T>
  void retry(const asset<T>& failed) noexcept {
    retry_any(failed.head_);
  }

  // Says that a file has changed. Its assets are loaded again, of whatever type (parts after the
  // asset of the whole file that they need), config.reload_delay after the last call, and pump()
  // puts the new values in place of the old, which are unloaded. What fails keeps its old value,
  // see reload_status(). What had failed is tried again, and so is what failed, or could not be
  // reloaded, because of it, or because its needs closed a circle, which a new value may open.
  // Assets whose loader is dependent() are loaded again after what they need. One save may turn a
  // need round: a circle of needs (see load_context::need()) is one of the new values, and what
  // might close one waits for the other reloads. For a file_watch:
  //
  //   (void)watch.poll([&](const file_change& change) {
  //     if (change.kind == change_kind::rescan) return store.reload_mount(change.mount);
  //     store.reload(change.path);
  //   });
  //
  // What is only kept is unloaded, and loaded when it is asked for again. Without pump() or
  // wait_for() no reload begins. What keeps failing is tried again by the store itself a few times
  // at most (8), until the program reloads, retries or asks for something. Any thread.
  void reload(std::string_view path) noexcept;
  // The same for all assets whose file this mount has (the winning one), or takes away by a removal
  // marker. Call it after the mount() or remount() that brings the mount, and before the unmount()
  // or remount() that ends it, on the main thread: no reload begins before the next pump(). Cost:
  // two look-ups by path for each known asset. Any thread.
  void reload_mount(mount_id mount) noexcept;
  // Why the last reload failed, if it did; ok after the asset was loaded anew. Any thread.
  template <class T>
  [[nodiscard]] result<void> reload_status(const asset<T>& of) const noexcept {
    return reload_status_any(of.head_);
  }

  // Which stage the value is of; of one that is not ready, nothing. Any thread.
  template <class T>
  [[nodiscard]] asset_stage stage(const asset<T>& of) const noexcept {
    return stage_any(of.head_);
  }
  // Makes the value of this stage, if it has one of a later stage, and none of later ones: see
  // asset_stage.hpp. Any thread.
  template <class T>
  void set_last_stage(const asset<T>& of, unsigned stage) noexcept {
    set_last_stage_any(of.head_, stage);
  }

  // For each frame: finalizes what waits for this thread, first things first, and unloads what is
  // not held any more, until `budget` has passed. Makes one step at least, if there is any. With a
  // job system without workers it also reads and decodes, or nothing would ever load. A great many
  // assets that are dropped or reloaded at once take several frames. Always the same thread, and
  // never from within a function of a loader.
  pump_result pump(std::chrono::nanoseconds budget) noexcept;
  // Pumps until the asset is ready or has failed (true), or until `duration` has passed (false).
  // For the main thread; others use asset::settled(), but not in a job if there is one worker only,
  // which could be the one that the asset needs. Never from within a function of a loader:
  // decode() asks for other assets with load_context::need().
  template <class T>
  bool wait_for(const asset<T>& wanted, std::chrono::nanoseconds duration) noexcept {
    return wait_for_any(wanted.head_, duration);
  }

  // Cost: some nanoseconds, and for each asset that was let go of since pump() or this was last
  // called 0.2 to 0.3 us, and some 50 ns for each of its needs. Any thread.
  [[nodiscard]] asset_progress progress() const noexcept;
  // Adds the files that have been loaded, in the order in which they were first read, with what
  // they cost: `overture pack --recorded` lays an archive out by it, so that the next run reads it
  // from front to back. Not those that loaders open themselves (music). Errors: those of
  // load_record::add(). Any thread.
  result<void> record(load_record& into) const noexcept;
  // Writes the name of the asset with this number in a timeline: its path, for a part "path#part".
  // Cut to fit. Returns the length, 0 if no asset has this number. Any thread.
  std::size_t subject_name(std::uint32_t subject, std::span<char> text) const noexcept;
  // Writes why the asset with this number failed, as explain() does; if nothing holds it any more,
  // why it failed the last time, unless it has loaded since. Any thread.
  std::size_t subject_failure(std::uint32_t subject, std::span<char> text) const noexcept;
  // Visits every asset that is asked for and neither ready nor failed: what a load that does not
  // end waits for. The visitor must not call the store. Error: threw (the visitor; it ends there).
  // Any thread.
  result<void> for_each_unsettled(function_ref<void(const unsettled_asset&)> visit) const noexcept;
  // Visits every asset that was ever asked for or named. Otherwise as above.
  result<void> for_each_asset(function_ref<void(const known_asset&)> visit) const noexcept;
  // Visits what has become of assets since the last call, the first that changed first, and returns
  // the number of events: see asset_event.hpp. The visitor may call the store, but not this; what
  // it causes comes the next time. Error: threw (the visitor; it ends there, and the rest comes the
  // next time). One thread at a time, usually the main thread in each frame.
  result<std::size_t> take_events(function_ref<void(const asset_event&)> visit) noexcept;
  // Writes why an asset failed, or, of one that is ready, why its last reload did, with the chain
  // of assets that need what is missing: "maps/1.map needs gfx/wall.png: no mount has this path".
  // Of more than 16 assets the middle is left out, and what has loaded since is named as such.
  // Types and settings are named where paths and parts alone would not tell assets apart:
  // "car.gltf (game::mesh) needs car.gltf (game::model): ...", "a.png (settings 0x01): ...".
  // Control characters of a path are '?'. Cut to fit and NUL-terminated, unless `text` is empty.
  // Returns the length without the NUL; 0 if neither has failed. Any thread.
  template <class T>
  std::size_t explain(const asset<T>& failed, std::span<char> text) const noexcept {
    return explain_any(failed.head_, text);
  }

 private:
  friend class asset_group;
  friend class detail::typed_at_run_time;
  struct state;

  [[nodiscard]] detail::asset_head* get_for(detail::group_head& group, const asset_path& path,
                                            const detail::asset_wanted& what) noexcept;
  [[nodiscard]] detail::asset_head* get_for(detail::group_head& group, std::string_view path,
                                            const detail::asset_wanted& what) noexcept;
  result<void> join(detail::group_head& group, detail::asset_head* one) noexcept;
  void set_priority_of(detail::group_head& group, asset_priority to) noexcept;
  [[nodiscard]] asset_group_progress progress_of(const detail::group_head& group) const noexcept;
  bool wait_for_all(const detail::group_head& group, std::chrono::nanoseconds duration) noexcept;
  [[nodiscard]] detail::asset_head* failed_of(const detail::group_head& group) const noexcept;
  [[nodiscard]] result<void> failure_of(const detail::group_head& group) const noexcept;
  void leave(detail::group_head& group) noexcept;
  void take_over(detail::group_head& to, detail::group_head& from) noexcept;
  result<void> add_any(detail::any_loader& of) noexcept;
  [[nodiscard]] detail::asset_head* get_any(const asset_path& path,
                                            const detail::asset_wanted& what,
                                            asset_priority priority) noexcept;
  [[nodiscard]] detail::asset_head* get_any(std::string_view path, const detail::asset_wanted& what,
                                            asset_priority priority) noexcept;
  [[nodiscard]] detail::asset_head* name_any(const asset_path& path,
                                             const detail::asset_wanted& what) noexcept;
  [[nodiscard]] detail::asset_head* name_any(std::string_view path,
                                             const detail::asset_wanted& what) noexcept;
  [[nodiscard]] detail::asset_head* get_known(detail::asset_head* named,
                                              asset_priority priority) noexcept;
  [[nodiscard]] detail::asset_head* get_if_ready_any(detail::asset_head* named) noexcept;
  void raise_any(detail::asset_head* wanted, asset_priority priority) noexcept;
  void retry_any(detail::asset_head* failed) noexcept;
  [[nodiscard]] result<void> reload_status_any(const detail::asset_head* of) const noexcept;
  [[nodiscard]] asset_stage stage_any(const detail::asset_head* of) const noexcept;
  void set_last_stage_any(detail::asset_head* of, unsigned stage) noexcept;
  bool wait_for_any(detail::asset_head* wanted, std::chrono::nanoseconds duration) noexcept;
  std::size_t explain_any(const detail::asset_head* failed, std::span<char> text) const noexcept;

  state* state_ = nullptr;
};

}  // namespace overture

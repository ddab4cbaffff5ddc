// SPDX-License-Identifier: Zlib
//
// asset_store: loads the assets that a game asks for, each one once, and keeps them while they are
// in use.
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
// Order: assets load by priority. Within one priority, assets that others wait for are read first,
// and the rest in the order in which they were asked for, whatever order the disk returns them in.
// A need takes the place in line of the first asset that needs it. Raising an asset raises
// everything that it needs, queued or not; lowering or dropping it leaves its needs as urgent as
// others want them. Background assets are read after all others, and are decoded, built and
// finalized on threads of the system's lowest priority (in pump(), if the loader is not
// free_threaded()), so they never delay a frame. A loader's function is never interrupted: an asset
// that becomes urgent waits for the calls that run.
//
// A file is read whole, unless its loader has stages (asset_stage.hpp). The asset is decoded, and
// finalized once everything that it needs is ready: see loader.hpp. Several assets of one file (of
// other types, parts or settings) that wait to be read share one read. A failed asset keeps its
// error; retry() tries again. The tree need not be frozen. In a tree that ignores case, paths that
// differ only in case are one asset, under the folded path.
//
// Memory:
//   waiting  Assets that have been read, unpacked or decoded and are not finalized yet, or wait to
//            be unloaded. Bound: config.budget_bytes, plus one asset for each class of priority or
//            everything that was dropped at once. Lowering an asset frees no room before it is
//            finalized.
//              A file is read only when there is room for it. Loaders should tell beforehand what
//            they need (memory_needed()). If they do not, one asset for each thread that decodes
//            may come on top, and whatever build() takes for the assets that wait for it. An asset
//            without room to be decoded waits with its file in memory.
//              When an asset is given up, nothing of its priority or lower begins before it is
//            cancelled or unloaded, so a dropped level makes room for the next. A quarter of the
//            budget is reserved for assets of high priority, half of it for those above low, and
//            three quarters for those above background: they never wait for a pile of others. An
//            asset larger than the budget loads alone.
//              An asset that waits for its needs cannot give its memory back, so a chain of needs
//            may exceed the budget, one asset at a time. While it has needs to read, no other asset
//            of its class of priority or lower may. The bound is then the sum of all chains that
//            have begun, plus one asset: a chain of 50 assets takes the memory of 50, whatever the
//            budget.
//   held     Assets with a handle are never unloaded.
//   kept     Assets that stay loaded without a handle, up to config.keep_bytes: the one that was
//            dropped first goes first. Each counts with everything that it alone keeps loaded (a
//            level with its textures), up to 64 needs deep; what several of them share counts once.
// A record of about 1,000 bytes stays for each asset ever asked for. For each type, the store keeps
// room for as many values as were ever loaded at once, sizeof(T) each, until it ends. The files are
// also counted in the file system's ledger (file_system_config::ledger): give the store the same
// ledger, and one bound holds for both.
//
// Cost: asking for a known asset is one look-up under a lock, which pump() takes for a few
// microseconds at a time. Loading an asset takes some microseconds on top of its loader's work,
// however long its chain of needs, and no memory from the allocator once the store has held as many
// before.
//
// A timeline shows each step of an asset, on each thread that is attached to one: the zones "read"
// (which unpacks too), "decode", "finalize" and "unload", and the requests of the read queue, with
// the asset's number as their subject, and "pump" around whatever runs in pump(). Between them it
// shows what the asset waited for, and which need released it: see asset_waits.hpp.
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

// A priority within the class of `of`, for a nearness (or importance) from 0, the lowest number of
// the class, to 1, the highest. Other values are clamped; NaN counts as 0.
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
  // For assets that are not finalized yet, see above. It bounds their memory; files_max bounds how
  // many are read at once. A quarter of it, up to 64 MiB, is kept for the next files.
  std::uint64_t budget_bytes = 256u << 20;
  // Instead of budget_bytes: a bound shared with others. Pump each store that shares it, also while
  // one of them is waited for: what waits for another store's pump() holds its room until then.
  memory_ledger* ledger = nullptr;
  // How many may be in reading, or read and not decoded yet, those that wait for room aside; at
  // least 1.
  unsigned files_max = 64;
  // Threads that decode background assets. With 0, or if the system refuses them, the job system
  // decodes these assets, with its lowest priority.
  unsigned background_threads = 1;
  // How long a file must be left alone after reload(), because its writer may not have finished. A
  // file that is reported more often than this is not loaded again until the reports stop.
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
  // It is ready or has failed, and is to be loaded again, or another value of it is on its way.
  bool reloads = false;
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
  // Waits for the calls that run, and unloads everything on the calling thread, which must be the
  // main thread. All handles outside of assets must be gone. If the host runs the read queue, this
  // and wait_for() poll it.
  ~asset_store();
  asset_store(const asset_store&) = delete;
  asset_store& operator=(const asset_store&) = delete;

  // An error if memory or threads were refused. Without background threads everything still loads,
  // see asset_store_config::background_threads. Without memory for the store itself every asset
  // fails with out_of_memory. If memory is refused later, one asset fails, and retry() loads it.
  // Any thread.
  [[nodiscard]] result<void> status() const noexcept;

  // Adds the loader of a type, which must outlive the store. Call it before the first asset of the
  // type is asked for. Errors: exists (the type has a loader), unsupported (another type of the
  // same name has one: see asset_type.hpp), out_of_memory.
  template <class T>
  result<void> add(loader<T>& of) noexcept {
    return add_any(of);
  }

  // A handle on the asset of this type that is made from this file. It begins to load if it is not
  // loaded, and is raised if its priority is lower. `as` says which part of the file it is, and
  // with which settings it is made: see asset_variant.hpp. Never fails: asset::status() tells the
  // error, which is unsupported if the type has no loader. Any thread.
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
  // Gives the asset, and everything that it needs, at least this priority. Has no effect on what is
  // loaded. Any thread.
  template <class T>
  void raise(const asset<T>& wanted, asset_priority priority) noexcept {
    raise_any(wanted.head_, priority);
  }
  // Gives the asset this priority, up or down, and its needs with it. A need stays as urgent as the
  // most urgent asset that waits for it, and as get(), raise() or set_priority() asked for it by
  // name, for as long as anything holds it. The asset goes to the end of the line of its new
  // priority; nothing moves if it has that priority already. A loaded asset keeps the priority for
  // a reload. Any thread.
  template <class T>
  void set_priority(const asset<T>& of, asset_priority priority) noexcept {
    const priority_change one(of, priority);
    set_priorities({&one, 1});
  }
  // The same for many, distances to the player in each frame for example: 0.1 to 0.2 us each.
  // Assets that share what they need are better lowered by one call. Any thread.
  void set_priorities(std::span<const priority_change> changes) noexcept;
  // Loads a failed asset again, and its failed needs with it. Has no effect on others. Any thread.
  template <class T>
  void retry(const asset<T>& failed) noexcept {
    retry_any(failed.head_);
  }

  // Tells the store that a file has changed. config.reload_delay after the last call, all assets of
  // the file are loaded again (parts after the asset of the whole file), and pump() replaces and
  // unloads the old values. An asset whose reload fails keeps its old value, see reload_status().
  // Failed assets of the file are tried again, and so are others that failed because of them, or
  // whose needs closed a circle, which the new value may open. Assets whose loader is dependent()
  // are loaded again after what they need. One save may reverse a need: only a circle among the new
  // values is an error (see load_context::need()), so an asset that might close one waits for the
  // other reloads. For a file_watch:
  //
  //   (void)watch.poll([&](const file_change& change) {
  //     if (change.kind == change_kind::rescan) return store.reload_mount(change.mount);
  //     store.reload(change.path);
  //   });
  //
  // An asset that is only kept is unloaded, and loaded when it is asked for again. No reload begins
  // without pump() or wait_for(). The store tries an asset that keeps failing up to 8 times by
  // itself, then only when the program reloads, retries or asks for something. Any thread.
  void reload(std::string_view path) noexcept;
  // The same for all assets whose file comes from this mount, or is hidden by a removal marker in
  // it. Call it on the main thread, after the mount() or remount() that adds the mount, and before
  // the unmount() or remount() that removes it: no reload begins before the next pump(). Cost: two
  // look-ups by path for each known asset. Any thread.
  void reload_mount(mount_id mount) noexcept;
  // Why the last reload failed, if it did; ok after the asset was loaded anew. For a part also why
  // that of the whole file failed. Any thread.
  template <class T>
  [[nodiscard]] result<void> reload_status(const asset<T>& of) const noexcept {
    return reload_status_any(of.head_);
  }

  // The stage of the value; an empty one if the asset is not ready. Any thread.
  template <class T>
  [[nodiscard]] asset_stage stage(const asset<T>& of) const noexcept {
    return stage_any(of.head_);
  }
  // Sets the last stage that is loaded. A value of a later stage is replaced by one of this stage:
  // see asset_stage.hpp. Any thread.
  template <class T>
  void set_last_stage(const asset<T>& of, unsigned stage) noexcept {
    set_last_stage_any(of.head_, stage);
  }

  // Call it in each frame. Finalizes the assets that wait for this thread, the most urgent first,
  // and unloads those that are not held any more, until `budget` has passed; takes at least one
  // step if there is one. With a job system that has no workers it also reads and decodes. Very
  // many assets that are dropped or reloaded at once take several frames. Always the same thread,
  // and never from within a loader's function.
  pump_result pump(std::chrono::nanoseconds budget) noexcept;
  // Pumps until the asset is ready or has failed (true), or until `duration` has passed (false).
  // For the main thread; others use asset::settled(), but not in a job if there is only one worker,
  // which the asset may need. Never from within a loader's function: decode() asks for other assets
  // with load_context::need().
  template <class T>
  bool wait_for(const asset<T>& wanted, std::chrono::nanoseconds duration) noexcept {
    return wait_for_any(wanted.head_, duration);
  }

  // Cost: some nanoseconds, plus 0.2 to 0.3 us for each asset dropped since the last call of this
  // or of pump(), plus some 50 ns for each of their needs. Any thread.
  [[nodiscard]] asset_progress progress() const noexcept;
  // Adds the files that have been loaded to a record, in the order in which they were first read,
  // with what they cost: `overture pack --recorded` lays out an archive by it, so that the next run
  // reads it from front to back. Files that loaders open themselves (music) are not in it. Errors:
  // those of load_record::add(). Any thread.
  result<void> record(load_record& into) const noexcept;
  // Writes the name of the asset with this number in a timeline: its path, for a part "path#part".
  // Cut to fit. Returns the length, 0 if no asset has this number. Any thread.
  std::size_t subject_name(std::uint32_t subject, std::span<char> text) const noexcept;
  // Writes why the asset with this number failed, as explain() does; if nothing holds it any more,
  // why it failed the last time, unless it has loaded since. Any thread.
  std::size_t subject_failure(std::uint32_t subject, std::span<char> text) const noexcept;
  // Visits every asset that is wanted and neither ready nor failed: it shows what a load that does
  // not end waits for. The visitor must not call the store. Error: threw (the visitor threw, which
  // ends the visit). Any thread.
  result<void> for_each_unsettled(function_ref<void(const unsettled_asset&)> visit) const noexcept;
  // Visits every asset that was ever asked for or named. Otherwise as above.
  result<void> for_each_asset(function_ref<void(const known_asset&)> visit) const noexcept;
  // Visits the events since the last call, in the order in which the assets changed, and returns
  // their number: see asset_event.hpp. The visitor may call the store, except this function; events
  // that it causes come with the next call. Error: threw (the visitor threw; the rest comes with
  // the next call). One thread at a time, usually the main thread in each frame.
  result<std::size_t> take_events(function_ref<void(const asset_event&)> visit) noexcept;
  // Writes why an asset failed, or why the last reload of a ready one did, with the chain of assets
  // that leads to the cause: "maps/1.map needs gfx/wall.png: no mount has this path". The middle of
  // a chain of more than 16 is left out, and a cause that has loaded since is named as such. Types
  // and settings are named where paths and parts alone would not tell assets apart:
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

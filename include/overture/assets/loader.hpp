// SPDX-License-Identifier: Zlib
//
// loader<T>: how one type of asset is made from the bytes of its file.
//
//   struct material {
//     asset<texture> diffuse;
//     float shininess = 0;
//   };
//
//   class material_loader final : public loader<material> {
//    public:
//     result<material> decode(std::span<const std::byte> bytes, load_context& context) override {
//       const auto text = parse(bytes);
//       if (!text) return tl::unexpected(text.error());
//       return material{.diffuse = context.need<texture>(text->diffuse), .shininess = text->shine};
//     }
//     bool free_threaded() const noexcept override { return true; }  // has no finalize()
//   };
//
// An asset passes these steps:
//   decode     on any worker, many at a time; asks for the assets that it needs
//   build      once all of those are ready: on any worker, if the loader builds(); may ask for more
//   finalize   once all of those are ready: on the thread that calls asset_store::pump(), in steps
//              that share a frame's budget; on any worker if the loader is free_threaded()
//   unload     once its last handle is gone, on the same kind of thread as finalize; a value for
//              which finalize() was never called is only destroyed, on any thread
//
// A function that throws fails that asset: with out_of_memory for std::bad_alloc, with threw for
// all else, whose what() is lost, so return errors that say more. The others load on. What unload()
// throws is ignored. One that returns errc::busy, which is the status of an asset that is loading,
// fails it with errc::invalid.
//
// A loader may call every function of its store but pump(), wait_for() and the destructor.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "overture/assets/asset.hpp"
#include "overture/assets/asset_type.hpp"
#include "overture/assets/asset_variant.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/error.hpp"
#include "overture/base/executor.hpp"

namespace overture {

enum class finalize_step : std::uint8_t {
  done,
  again,  // call finalize() again, in the next pump()
};

class asset_context;
class load_context;

namespace detail {

// How one asset names another.
enum class naming : std::uint8_t { want, need, need_or_placeholder };

class any_loader;
// Finds loaders that end before their stores, in builds with contracts.
OVERTURE_API void expects_no_store(const any_loader& ends) noexcept;
template <bool Contracts = contracts>
void loader_ends(const any_loader& one) noexcept {
  if constexpr (Contracts) expects_no_store(one);
}

// loader<T> for the library, which does not know T.
class any_loader {
 public:
  any_loader() = default;
  any_loader(const any_loader&) = default;
  any_loader& operator=(const any_loader&) = default;
  virtual ~any_loader() { loader_ends(*this); }
  // Makes a value at `place`.
  virtual result<void> decode_at(void* place, std::span<const std::byte> bytes,
                                 load_context& context) = 0;
  virtual result<void> build_at(void* value, asset_context& context) = 0;
  virtual result<finalize_step> finalize_at(void* value, std::chrono::nanoseconds budget) = 0;
  [[nodiscard]] virtual std::uint64_t needed_for(
      const asset_path& path, std::span<const std::byte> bytes) const noexcept = 0;
  // Calls unload() if the value was finalized.
  virtual void unload_at(void* value, bool finalized) = 0;
  virtual void destroy_at(void* value) noexcept = 0;
  [[nodiscard]] virtual std::uint64_t bytes_at(const void* value) const noexcept = 0;
  [[nodiscard]] virtual const void* placeholder_at() const noexcept = 0;
  [[nodiscard]] virtual bool is_free_threaded() const noexcept = 0;
  [[nodiscard]] virtual bool is_builder() const noexcept = 0;
  [[nodiscard]] virtual bool is_reader() const noexcept = 0;
  [[nodiscard]] virtual bool is_dependent() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t bytes_of_stage(unsigned stage) const noexcept = 0;
  [[nodiscard]] virtual const asset_type& type() const noexcept = 0;
};

}  // namespace detail

// Passed to loader::build(), for that call and its thread only. What build() needs is loaded before
// finalize().
class OVERTURE_API asset_context {
 public:
  asset_context(const asset_context&) = delete;
  asset_context& operator=(const asset_context&) = delete;

  // Of the file.
  [[nodiscard]] asset_path path() const noexcept { return path_; }
  // True once no handle holds the asset any more, or the store ends: long work may give up, by
  // returning errc::cancelled.
  [[nodiscard]] bool is_cancelled() const noexcept;
  // The size of the file, of which decode() may have the beginning only: see asset_stage.hpp. 0 if
  // the loader does not read it.
  [[nodiscard]] std::uint64_t file_bytes() const noexcept;
  // Which part of the file is wanted, and with which settings: see asset_variant.hpp.
  [[nodiscard]] std::string_view part() const noexcept;
  template <class T>
  [[nodiscard]] settings_of<T> settings() const noexcept {
    return detail::settings_from<T>(settings_bytes());
  }
  // In build(): the value that decode() asked for by need<T>(), of the same file; null if it did
  // not. Stays until build() returns.
  template <class T>
  [[nodiscard]] const T* needed() const noexcept {
    return static_cast<const T*>(needed_any(detail::type_of<T>));
  }

  // A handle on an asset that this one needs. It begins to load at once, with this one's priority;
  // this asset waits for it, before build() or else before finalize(), and fails if it fails. Add
  // the loader of its type to the store beforehand. An asset whose need would close a circle fails,
  // at the first load as at a reload.
  template <class T>
  [[nodiscard]] asset<T> need(asset_path path, const asset_variant<T>& as = {}) noexcept {
    return asset<T>(ask(path, detail::wanted_of(as), detail::naming::need));
  }
  // The same, but this asset does not fail with it (a circle fails it all the same): the handle
  // then shows the placeholder of its loader, and its value once that can be loaded after all. For
  // what a level can do without: a missing picture, a sound.
  template <class T>
  [[nodiscard]] asset<T> need_or_placeholder(asset_path path,
                                             const asset_variant<T>& as = {}) noexcept {
    return asset<T>(ask(path, detail::wanted_of(as), detail::naming::need_or_placeholder));
  }
  // The same as need(), but this asset neither waits for it nor fails with it. It begins with this
  // one's priority, and is not raised or lowered with it, nor in a group with it: set the priority
  // of its handle. It is still kept loaded: assets that want each other are never unloaded. Use
  // name() for neighbours.
  template <class T>
  [[nodiscard]] asset<T> want(asset_path path, const asset_variant<T>& as = {}) noexcept {
    return asset<T>(ask(path, detail::wanted_of(as), detail::naming::want));
  }
  // Names an asset without loading or keeping it: see soft_asset. Not valid if the path cannot be,
  // or without memory.
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
  // A path from outside. Error: bad_path, which also makes this asset fail unless you return
  // something better.
  template <class T>
  [[nodiscard]] asset<T> need(std::string_view path, const asset_variant<T>& as = {}) noexcept {
    return asset<T>(ask(path, detail::wanted_of(as), detail::naming::need));
  }
  template <class T>
  [[nodiscard]] asset<T> need_or_placeholder(std::string_view path,
                                             const asset_variant<T>& as = {}) noexcept {
    return asset<T>(ask(path, detail::wanted_of(as), detail::naming::need_or_placeholder));
  }
  template <class T>
  [[nodiscard]] asset<T> want(std::string_view path, const asset_variant<T>& as = {}) noexcept {
    return asset<T>(ask(path, detail::wanted_of(as), detail::naming::want));
  }

 protected:
  asset_context(detail::asset_head& of, asset_path path) noexcept : of_(of), path_(path) {}
  ~asset_context() = default;

  detail::asset_head& of_;

 private:
  friend class detail::typed_at_run_time;
  [[nodiscard]] std::string_view settings_bytes() const noexcept;
  [[nodiscard]] const void* needed_any(const detail::asset_type& type) const noexcept;
  [[nodiscard]] detail::asset_head* ask(const asset_path& path, const detail::asset_wanted& what,
                                        detail::naming how) noexcept;
  [[nodiscard]] detail::asset_head* ask(std::string_view path, const detail::asset_wanted& what,
                                        detail::naming how) noexcept;
  [[nodiscard]] detail::asset_head* name_any(const asset_path& path,
                                             const detail::asset_wanted& what) noexcept;
  [[nodiscard]] detail::asset_head* name_any(std::string_view path,
                                             const detail::asset_wanted& what) noexcept;

  asset_path path_;
};

// Passed to loader::decode(), for that call and its thread only.
class OVERTURE_API load_context : public asset_context {
 protected:
  using asset_context::asset_context;
  ~load_context() = default;
};

// Makes assets of one type. Derive from it, and add it to the store. T must be movable without
// exceptions.
template <class T>
class loader : public detail::any_loader {
  static_assert(std::is_nothrow_move_constructible_v<T>,
                "an asset is moved into the store: it must be movable without exceptions");

 public:
  // Makes the asset. `bytes` is the whole file, or its beginning if the loader has stages; valid
  // during the call only. Any worker, several calls at once.
  virtual result<T> decode(std::span<const std::byte> bytes, load_context& context) = 0;
  // For work that uses the values of needs: a mesh with its materials, a shader with its includes.
  // All that decode() asked for by need() is ready, so the handles in `value` show it. It may need
  // more, which is ready before finalize(). An error fails the asset. Called only if builds():
  // once, on any worker, for several assets at once.
  virtual result<void> build(T& value, asset_context& context) {
    (void)value, (void)context;
    return {};
  }
  // Does what must happen on one thread, uploads for example. Work in slices for as long as
  // `budget` lasts, then return `again`: an asset has one call in each pump(), and `budget` is what
  // is left of that of pump(). One asset at least gets a call. An error fails the asset. Called on
  // the thread in pump(); with free_threaded(), on any worker, but for one asset by one thread at a
  // time.
  virtual result<finalize_step> finalize(T& value, std::chrono::nanoseconds budget) {
    (void)value, (void)budget;
    return finalize_step::done;
  }
  // Undoes what finalize() did, even if that has failed or was not finished. The value is destroyed
  // afterwards. Called where finalize() is called.
  virtual void unload(T& value) { (void)value; }
  // Must always return the same value.
  [[nodiscard]] virtual bool free_threaded() const noexcept { return false; }
  // False: there is no file to read, and decode() gets no bytes. For parts of files: see
  // part_loader.hpp. Must always return the same value.
  [[nodiscard]] virtual bool reads() const noexcept { return true; }
  // Whether there is a build(). Must always return the same value.
  [[nodiscard]] virtual bool builds() const noexcept { return false; }
  // True: the value copies from what it needs, instead of asking its handles each time. It is then
  // loaded again after any of those: see asset_store::reload(). Must always return the same value.
  [[nodiscard]] virtual bool dependent() const noexcept { return false; }
  // How much of a file's beginning the value of this stage is made of; 0: all of it, which is the
  // last stage. More with each stage; asset_stages_max are asked for. See asset_stage.hpp. Must
  // always return the same values.
  [[nodiscard]] virtual std::uint64_t stage_bytes(unsigned stage) const noexcept {
    (void)stage;
    return 0;
  }
  // How much memory decode() and build() will take for this file, the value included: counted
  // against asset_store_config::budget_bytes before it begins. 0: it is not known, and what
  // bytes_of() says is counted afterwards; say it where build() takes much, because many assets may
  // wait for that at once. Any worker.
  [[nodiscard]] virtual std::uint64_t memory_needed(
      const asset_path& path, std::span<const std::byte> bytes) const noexcept {
    (void)path, (void)bytes;
    return 0;
  }
  // How much memory the asset takes: counted against asset_store_config::budget_bytes until it is
  // ready, and against keep_bytes once no handle holds it; more than 1 TiB counts as that. Asked
  // after decode(), on that thread, and again after build() and finalize(). Override it for what T
  // points to or has uploaded: a texture that seems to take 24 bytes is kept for ever.
  [[nodiscard]] virtual std::uint64_t bytes_of(const T& value) const noexcept {
    (void)value;
    return sizeof(T);
  }
  // What handles show until the asset is ready, or if it fails; it must outlive the store. May be
  // null.
  [[nodiscard]] virtual const T* placeholder() const noexcept { return nullptr; }

 private:
  result<void> decode_at(void* place, std::span<const std::byte> bytes,
                         load_context& context) final {
    result<T> made = decode(bytes, context);
    if (!made) return tl::unexpected<error>(made.error());
    ::new (place) T(std::move(*made));
    return {};
  }
  result<void> build_at(void* value, asset_context& context) final {
    return build(*static_cast<T*>(value), context);
  }
  result<finalize_step> finalize_at(void* value, std::chrono::nanoseconds budget) final {
    return finalize(*static_cast<T*>(value), budget);
  }
  std::uint64_t needed_for(const asset_path& path,
                           std::span<const std::byte> bytes) const noexcept final {
    return memory_needed(path, bytes);
  }
  void unload_at(void* value, bool finalized) final {
    if (finalized) unload(*static_cast<T*>(value));
  }
  void destroy_at(void* value) noexcept final { static_cast<T*>(value)->~T(); }
  std::uint64_t bytes_at(const void* value) const noexcept final {
    return bytes_of(*static_cast<const T*>(value));
  }
  const void* placeholder_at() const noexcept final { return placeholder(); }
  bool is_free_threaded() const noexcept final { return free_threaded(); }
  bool is_builder() const noexcept final { return builds(); }
  bool is_reader() const noexcept final { return reads(); }
  bool is_dependent() const noexcept final { return dependent(); }
  std::uint64_t bytes_of_stage(unsigned stage) const noexcept final { return stage_bytes(stage); }
  const detail::asset_type& type() const noexcept final { return detail::type_of<T>; }
};

}  // namespace overture

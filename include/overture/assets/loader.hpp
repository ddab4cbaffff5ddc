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
//   decode     on any worker, for many assets at a time; asks for the assets that this one needs
//   build      once those are ready: on any worker, if the loader builds(); may ask for more
//   finalize   once those are ready: on the thread that calls asset_store::pump(), in steps that
//              share a frame's budget; on any worker if the loader is free_threaded()
//   unload     once the last handle is gone, on the same kind of thread as finalize; a value that
//              was never passed to finalize() is only destroyed, on any thread
//
// A function that throws fails its asset, and only that: with out_of_memory for std::bad_alloc, and
// with threw for everything else. what() is lost, so return errors, which say more. What unload()
// throws is ignored. errc::busy is the status of an asset that is loading: a function that returns
// it fails the asset with errc::invalid.
//
// An asset whose build() or finalize() fails, other than for lack of memory, may have failed with
// the values of its needs: they stay loaded for as long as it is held, and it is tried again when
// one of them has another value.
//
// A loader may call every function of its store except pump(), wait_for() and the destructor.
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

// Passed to loader::build(), for that call and its thread only. Assets that build() asks for are
// loaded before finalize().
class OVERTURE_API asset_context {
 public:
  asset_context(const asset_context&) = delete;
  asset_context& operator=(const asset_context&) = delete;

  // Of the file.
  [[nodiscard]] asset_path path() const noexcept { return path_; }
  // True once no handle holds the asset any more, or the store ends: long work may give up, by
  // returning errc::cancelled.
  [[nodiscard]] bool is_cancelled() const noexcept;
  // The size of the whole file, although decode() may get only its beginning: see asset_stage.hpp.
  // 0 if the loader does not read it.
  [[nodiscard]] std::uint64_t file_bytes() const noexcept;
  // Which part of the file is wanted, and with which settings: see asset_variant.hpp.
  [[nodiscard]] std::string_view part() const noexcept;
  template <class T>
  [[nodiscard]] settings_of<T> settings() const noexcept {
    return detail::settings_from<T>(settings_bytes());
  }
  // In build(): the value that decode() asked for with need<T>(), of the same file; null if it did
  // not. Valid until build() returns.
  template <class T>
  [[nodiscard]] const T* needed() const noexcept {
    return static_cast<const T*>(needed_any(detail::type_of<T>));
  }

  // A handle on an asset that this one needs. It begins to load at once, with this asset's
  // priority. This asset waits for it, before build() or else before finalize(), and fails if it
  // fails. The loader of its type must be in the store. An asset whose need would close a circle
  // fails, when it is first loaded and when it is reloaded.
  template <class T>
  [[nodiscard]] asset<T> need(asset_path path, const asset_variant<T>& as = {}) noexcept {
    return asset<T>(ask(path, detail::wanted_of(as), detail::naming::need));
  }
  // The same, but this asset does not fail with it (a circle still fails it): the handle then shows
  // the placeholder of its loader, and the value if it can be loaded later. For what a level can do
  // without: a missing picture, a sound.
  template <class T>
  [[nodiscard]] asset<T> need_or_placeholder(asset_path path,
                                             const asset_variant<T>& as = {}) noexcept {
    return asset<T>(ask(path, detail::wanted_of(as), detail::naming::need_or_placeholder));
  }
  // The same as need(), but this asset neither waits for the other nor fails with it. The other
  // begins with this asset's priority, but does not follow it later, nor join its groups: set the
  // priority of its handle. It is kept loaded, so assets that want each other are never unloaded:
  // use name() for neighbours.
  template <class T>
  [[nodiscard]] asset<T> want(asset_path path, const asset_variant<T>& as = {}) noexcept {
    return asset<T>(ask(path, detail::wanted_of(as), detail::naming::want));
  }
  // Names an asset without loading or keeping it: see soft_asset. Not valid() if the path is bad or
  // memory was refused.
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
  // Everything that decode() asked for with need() is ready, so the handles in `value` show it. It
  // may ask for more, which is ready before finalize(). An error fails the asset. Called only if
  // builds(): once, on any worker, for several assets at once.
  virtual result<void> build(T& value, asset_context& context) {
    (void)value, (void)context;
    return {};
  }
  // Does what must happen on one thread, such as uploads. Work for as long as `budget` lasts, then
  // return `again`: an asset gets one call in each pump(), and `budget` is what is left of pump()'s
  // own. At least one asset gets a call. An error fails the asset. Called on the thread of pump();
  // with free_threaded() on any worker, but never on two threads at once for one asset.
  virtual result<finalize_step> finalize(T& value, std::chrono::nanoseconds budget) {
    (void)value, (void)budget;
    return finalize_step::done;
  }
  // Undoes what finalize() did, even if finalize() failed or was not finished. The value is
  // destroyed afterwards. Called where finalize() is called.
  virtual void unload(T& value) { (void)value; }
  // Must always return the same value.
  [[nodiscard]] virtual bool free_threaded() const noexcept { return false; }
  // If false, no file is read, and decode() gets no bytes. For parts of files: see part_loader.hpp.
  // Must always return the same value.
  [[nodiscard]] virtual bool reads() const noexcept { return true; }
  // Whether there is a build(). Must always return the same value.
  [[nodiscard]] virtual bool builds() const noexcept { return false; }
  // Return true if values copy from their needs, instead of asking the handles each time. Then an
  // asset is loaded again after any of its needs: see asset_store::reload(). Must always return the
  // same value.
  [[nodiscard]] virtual bool dependent() const noexcept { return false; }
  // How many bytes of the file's beginning this stage needs, more with each stage; 0: the whole
  // file, which is the last stage. Asked for up to asset_stages_max stages. See asset_stage.hpp.
  // Must always return the same values.
  [[nodiscard]] virtual std::uint64_t stage_bytes(unsigned stage) const noexcept {
    (void)stage;
    return 0;
  }
  // How much memory decode() and build() will take for this file, the value included: counted
  // against asset_store_config::budget_bytes before they begin. 0: unknown, so what bytes_of()
  // returns is counted afterwards. Do return it where build() takes much, because many assets may
  // wait for build() at once. Any worker.
  [[nodiscard]] virtual std::uint64_t memory_needed(
      const asset_path& path, std::span<const std::byte> bytes) const noexcept {
    (void)path, (void)bytes;
    return 0;
  }
  // How much memory the asset takes: counted against asset_store_config::budget_bytes until it is
  // ready, and against keep_bytes once no handle holds it. More than 1 TiB counts as 1 TiB. Called
  // after decode(), on its thread, and again after build() and finalize(). Override it if T points
  // to memory or has uploaded some: a texture that seems to take 24 bytes is kept for ever.
  [[nodiscard]] virtual std::uint64_t bytes_of(const T& value) const noexcept {
    (void)value;
    return sizeof(T);
  }
  // What handles show until the asset is ready, or if it fails. May be null; must outlive the
  // store.
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

// SPDX-License-Identifier: Zlib
//
// The asset store: overture/c/assets.h.
//
// The library tells types of assets apart by their C++ types. Those of the C interface are numbers,
// so there is a C++ type for each number up to OVERTURE_ASSET_TYPES_MAX, and a table of functions.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "c/duration.hpp"
#include "c/handles.hpp"
#include "c/store_parts.hpp"
#include "overture/assets/asset_store.hpp"
#include "overture/c/assets.h"

using namespace overture;
using namespace overture::c;

struct overture_needs {
  load_context& context;
  overture_store& store;
  c_path part;
};

namespace {

// A value of the program, freed where it ends.
class program_value {
 public:
  program_value(void* value, const overture_loader* how) noexcept : value_(value), how_(how) {}
  program_value(program_value&& other) noexcept
      : value_(std::exchange(other.value_, nullptr)), how_(other.how_) {}
  program_value& operator=(program_value&&) = delete;
  program_value(const program_value&) = delete;
  program_value& operator=(const program_value&) = delete;
  ~program_value() { end(); }
  [[nodiscard]] void* get() const noexcept { return value_; }

 private:
  void end() noexcept;

  void* value_;
  const overture_loader* how_;
};

void program_value::end() noexcept {
  if (value_ != nullptr) how_->unload(how_->context, value_);
}

// As the program has given them.
struct program_settings {
  std::array<std::byte, OVERTURE_ASSET_SETTINGS_MAX> bytes{};
  std::uint32_t size = 0;
};

template <unsigned Type>
class value_of : public program_value {
 public:
  using settings = program_settings;
  using program_value::program_value;
};

struct program_variant {
  std::string_view part;
  program_settings settings;
};
template <unsigned Type>
asset_variant<value_of<Type>> variant_for(const program_variant& as) noexcept {
  return {.part = as.part, .settings = as.settings};
}

// Calls the functions of one loader, whatever its type.
struct loader_calls {
  [[nodiscard]] result<void*> decode(std::span<const std::byte> bytes,
                                     load_context& context) const noexcept;
  [[nodiscard]] result<void> build(void* value) const noexcept;
  [[nodiscard]] result<finalize_step> finalize(void* value,
                                               std::chrono::nanoseconds budget) const noexcept;
  [[nodiscard]] std::uint64_t memory_needed(const asset_path& path,
                                            std::span<const std::byte> bytes) const noexcept;

  overture_store* store = nullptr;
  overture_loader how = {};
};

result<void*> loader_calls::decode(std::span<const std::byte> bytes,
                                   load_context& context) const noexcept {
  const c_path path(context.path().text);
  overture_needs needs{context, *store, c_path(context.part())};
  void* value = nullptr;
  const char* reason = "the loader has refused it";
  const overture_code code =
      how.decode(how.context, path.text(), bytes.data(), bytes.size(), &needs, &value, &reason);
  if (code != OVERTURE_OK) return fail(errc_of(code), reason);
  if (value == nullptr) return fail(errc::invalid, "the loader has made no value");
  return value;
}

result<void> loader_calls::build(void* value) const noexcept {
  const char* reason = "the loader could not build it";
  const overture_code code = how.build(how.context, value, &reason);
  if (code != OVERTURE_OK) return fail(errc_of(code), reason);
  return {};
}

result<finalize_step> loader_calls::finalize(void* value,
                                             std::chrono::nanoseconds budget) const noexcept {
  if (how.finalize == nullptr) return finalize_step::done;
  bool again = false;
  const char* reason = "the loader could not finish it";
  const auto ns = static_cast<std::uint64_t>(budget.count() > 0 ? budget.count() : 0);
  const overture_code code = how.finalize(how.context, value, ns, &again, &reason);
  if (code != OVERTURE_OK) return fail(errc_of(code), reason);
  return again ? finalize_step::again : finalize_step::done;
}

std::uint64_t loader_calls::memory_needed(const asset_path& path,
                                          std::span<const std::byte> bytes) const noexcept {
  if (how.memory_needed == nullptr) return 0;
  const c_path text(path.text);
  return how.memory_needed(how.context, text.text(), bytes.data(), bytes.size());
}

template <unsigned Type>
class program_loader final : public loader<value_of<Type>> {
 public:
  loader_calls calls;

  result<value_of<Type>> decode(std::span<const std::byte> bytes,
                                load_context& context) noexcept override {
    const result<void*> made = calls.decode(bytes, context);
    if (!made) return tl::unexpected<error>(made.error());
    return value_of<Type>(*made, &calls.how);
  }
  result<void> build(value_of<Type>& value, asset_context& /*context*/) noexcept override {
    return calls.build(value.get());
  }
  [[nodiscard]] bool builds() const noexcept override { return calls.how.build != nullptr; }
  result<finalize_step> finalize(value_of<Type>& value,
                                 std::chrono::nanoseconds budget) noexcept override {
    return calls.finalize(value.get(), budget);
  }
  std::uint64_t memory_needed(const asset_path& path,
                              std::span<const std::byte> bytes) const noexcept override {
    return calls.memory_needed(path, bytes);
  }
  bool free_threaded() const noexcept override { return calls.how.finalize == nullptr; }
  [[nodiscard]] bool reads() const noexcept override { return !calls.how.without_file; }
  [[nodiscard]] bool dependent() const noexcept override { return calls.how.without_file; }
  std::uint64_t bytes_of(const value_of<Type>& value) const noexcept override {
    const overture_loader& how = calls.how;
    return how.bytes_of == nullptr ? 0 : how.bytes_of(how.context, value.get());
  }
};

template <unsigned Type>
class asset_of final : public overture_asset {
 public:
  explicit asset_of(asset<value_of<Type>> handle) noexcept : handle_(std::move(handle)) {}

  void* value() const noexcept override {
    const value_of<Type>* const shown = handle_.get();
    return shown == nullptr ? nullptr : shown->get();
  }
  result<void> status() const noexcept override { return handle_.status(); }
  bool wait_for(asset_store& in, std::uint64_t ns) noexcept override {
    return in.wait_for(handle_, duration_of(ns));
  }
  std::size_t explain(const asset_store& in, std::span<char> text) const noexcept override {
    return in.explain(handle_, text);
  }
  void raise(asset_store& in, asset_priority to) const noexcept override { in.raise(handle_, to); }
  [[nodiscard]] priority_change to_priority(asset_priority to) const noexcept override {
    return {handle_, to};
  }
  [[nodiscard]] result<void> join(asset_group& group) const noexcept override {
    return group.add(handle_);
  }
  void retry(asset_store& in) const noexcept override { in.retry(handle_); }
  [[nodiscard]] result<void> reload_status(const asset_store& in) const noexcept override {
    return in.reload_status(handle_);
  }
  [[nodiscard]] bool is_at(const void* head) const noexcept override {
    return std::bit_cast<const void*>(soft_asset(handle_)) == head;
  }
  void end() noexcept override { destroy(this); }

 private:
  asset<value_of<Type>> handle_;
};

template <class Numbers>
struct all_loaders;
template <unsigned... Type>
struct all_loaders<std::integer_sequence<unsigned, Type...>> {
  std::tuple<program_loader<Type>...> each;
};
using type_numbers = std::make_integer_sequence<unsigned, OVERTURE_ASSET_TYPES_MAX>;

struct made_store : overture_store {
  made_store(overture_reads* from, const asset_store_config& config) noexcept
      : overture_store(from, own), own(from->files->tree, from->queue, from->pool->jobs, config) {}

  all_loaders<type_numbers> loaders;
  asset_store own;  // ends before its loaders
};

constexpr const char* no_type = "this type was not added to the store";

// What can be done with one type.
struct type_functions {
  result<void> (*add)(overture_store& store, const overture_loader& how) noexcept;
  overture_asset* (*get)(asset_store& store, const asset_path& path, asset_priority priority,
                         const program_variant& as) noexcept;
  overture_asset* (*need)(load_context& context, const asset_path& path,
                          const program_variant& as) noexcept;
  const void* (*name)(load_context& context, const asset_path& path) noexcept;
  overture_asset* (*get_named)(asset_store& store, const void* name,
                               asset_priority priority) noexcept;
};

template <unsigned Type>
constexpr type_functions functions_of() noexcept {
  using value = value_of<Type>;
  return {[](overture_store& store, const overture_loader& how) noexcept {
            auto& with = std::get<Type>(static_cast<made_store&>(store).loaders.each);
            with.calls = {.store = &store, .how = how};
            return store.assets.add(with);
          },
          [](asset_store& store, const asset_path& path, asset_priority priority,
             const program_variant& as) noexcept -> overture_asset* {
            asset<value> handle = store.get<value>(path, priority, variant_for<Type>(as));
            return handle.valid() ? make<asset_of<Type>>(std::move(handle)) : nullptr;
          },
          [](load_context& context, const asset_path& path,
             const program_variant& as) noexcept -> overture_asset* {
            asset<value> handle = context.need<value>(path, variant_for<Type>(as));
            return handle.valid() ? make<asset_of<Type>>(std::move(handle)) : nullptr;
          },
          [](load_context& context, const asset_path& path) noexcept {
            return std::bit_cast<const void*>(context.name<value>(path));
          },
          [](asset_store& store, const void* name,
             asset_priority priority) noexcept -> overture_asset* {
            asset<value> handle = store.get(std::bit_cast<soft_asset<value>>(name), priority);
            return handle.valid() ? make<asset_of<Type>>(std::move(handle)) : nullptr;
          }};
}

template <unsigned... Type>
constexpr auto table_of(std::integer_sequence<unsigned, Type...> /*numbers*/) noexcept {
  return std::array{functions_of<Type>()...};
}
constexpr auto types_table = table_of(type_numbers{});

// Hands a handle over, with what it counts as.
overture_code hand_over(overture_asset* made, overture_store& store, bool is_counted,
                        overture_asset** asset, overture_error* error) noexcept {
  if (made == nullptr) return out_of_memory(error);
  made->store = &store;
  made->is_counted = is_counted;
  if (is_counted) store.users.add();
  *asset = made;
  return fine(error);
}

overture_code read_variant(const overture_asset_variant* given, program_variant& as,
                           overture_error* error) noexcept {
  if (given == nullptr) return fine(error);
  overture_asset_variant wanted;
  if (const overture_code flaw = read_options(given, wanted, error)) return flaw;
  if (wanted.settings_size > as.settings.bytes.size()) {
    return failed(error, errc::limit, "more settings than OVERTURE_ASSET_SETTINGS_MAX");
  }
  if (wanted.settings_size != 0 && wanted.settings == nullptr) {
    return invalid(error, "the settings are NULL");
  }
  as.part = wanted.part == nullptr ? "" : wanted.part;
  if (wanted.settings_size == 0) return fine(error);
  std::memcpy(as.settings.bytes.data(), wanted.settings, wanted.settings_size);
  as.settings.size = static_cast<std::uint32_t>(wanted.settings_size);
  return fine(error);
}

}  // namespace

overture_code overture_store_make(overture_reads* reads, const overture_store_config* config,
                                  overture_store** store, overture_error* error) {
  if (store == nullptr) return invalid(error, "there is no place for the store");
  *store = nullptr;
  if (reads == nullptr) return invalid(error, "the reads are NULL");
  overture_store_config wanted;
  if (const overture_code flaw = read_options(config, wanted, error)) return flaw;
  asset_store_config how;
  if (wanted.keep_bytes != 0) how.keep_bytes = wanted.keep_bytes;
  if (wanted.files_max != 0) how.files_max = wanted.files_max;
  if (wanted.budget_bytes != 0) how.budget_bytes = wanted.budget_bytes;
  if (reads->timeline.get() != nullptr) how.record = &reads->timeline->record;
  made_store* const made = make<made_store>(reads, how);
  if (made == nullptr) return out_of_memory(error);
  if (const result<void> status = made->assets.status(); !status) {
    destroy(made);
    return failed(error, status.error());
  }
  *store = made;
  return fine(error);
}

overture_code overture_store_free(overture_store* store, overture_error* error) {
  return end_unused(static_cast<made_store*>(store), "assets of the store are still held", error);
}

overture_code overture_store_add(overture_store* store, const overture_loader* loader,
                                 overture_asset_type* type, overture_error* error) {
  if (type == nullptr) return invalid(error, "there is no place for the type");
  *type = UINT32_MAX;
  if (store == nullptr) return invalid(error, no_store);
  if (loader == nullptr) return invalid(error, "the loader is NULL");
  overture_loader wanted;
  if (const overture_code flaw = read_options(loader, wanted, error)) return flaw;
  if (wanted.decode == nullptr) return invalid(error, "the loader has no decode()");
  if (wanted.unload == nullptr) return invalid(error, "the loader has no unload()");
  if (store->types == types_table.size()) {
    return failed(error, errc::limit, "the store has as many types as it may have");
  }
  const result<void> added = types_table[store->types].add(*store, wanted);
  if (!added) return failed(error, added.error());
  *type = store->types++;
  return fine(error);
}

overture_code overture_store_get(overture_store* store, overture_asset_type type, const char* path,
                                 int32_t priority, overture_asset** asset, overture_error* error) {
  return overture_store_get_variant(store, type, path, nullptr, priority, asset, error);
}

overture_code overture_store_get_variant(overture_store* store, overture_asset_type type,
                                         const char* path, const overture_asset_variant* variant,
                                         int32_t priority, overture_asset** asset,
                                         overture_error* error) {
  if (asset == nullptr) return invalid(error, "there is no place for the asset");
  *asset = nullptr;
  if (store == nullptr) return invalid(error, no_store);
  if (type >= store->types) return invalid(error, no_type);
  const std::optional<asset_priority> urgency = asset_priority_of(priority);
  if (!urgency) return invalid(error, no_such_priority);
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) return failed(error, normal.error(), path == nullptr ? "" : path);
  program_variant as;
  if (const overture_code flaw = read_variant(variant, as, error)) return flaw;
  overture_asset* const made = types_table[type].get(store->assets, *normal, *urgency, as);
  return hand_over(made, *store, true, asset, error);
}

overture_code overture_needs_asset(overture_needs* needs, overture_asset_type type,
                                   const char* path, overture_asset** asset,
                                   overture_error* error) {
  return overture_needs_variant(needs, type, path, nullptr, asset, error);
}

overture_code overture_needs_variant(overture_needs* needs, overture_asset_type type,
                                     const char* path, const overture_asset_variant* variant,
                                     overture_asset** asset, overture_error* error) {
  if (asset == nullptr) return invalid(error, "there is no place for the asset");
  *asset = nullptr;
  if (needs == nullptr) return invalid(error, "the needs are NULL");
  if (type >= needs->store.types) return invalid(error, no_type);
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) return failed(error, normal.error(), path == nullptr ? "" : path);
  program_variant as;
  if (const overture_code flaw = read_variant(variant, as, error)) return flaw;
  overture_asset* const made = types_table[type].need(needs->context, *normal, as);
  return hand_over(made, needs->store, false, asset, error);
}

const char* overture_needs_part(const overture_needs* needs) {
  return needs == nullptr ? "" : needs->part.text();
}

size_t overture_needs_settings(const overture_needs* needs, void* settings, size_t size) {
  if (needs == nullptr) return 0;
  const program_settings given = needs->context.settings<value_of<0>>();
  const std::size_t copied = std::min<std::size_t>(size, given.size);
  if (copied != 0 && settings != nullptr) std::memcpy(settings, given.bytes.data(), copied);
  return given.size;
}

overture_code overture_needs_name(overture_needs* needs, overture_asset_type type, const char* path,
                                  overture_asset_name* name, overture_error* error) {
  if (name == nullptr) return invalid(error, "there is no place for the name");
  *name = {.of = nullptr, .type = type};
  if (needs == nullptr) return invalid(error, "the needs are NULL");
  if (type >= needs->store.types) return invalid(error, no_type);
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) return failed(error, normal.error(), path == nullptr ? "" : path);
  name->of = types_table[type].name(needs->context, *normal);
  return name->of == nullptr ? out_of_memory(error) : fine(error);
}

overture_code overture_store_get_named(overture_store* store, overture_asset_name name,
                                       int32_t priority, overture_asset** asset,
                                       overture_error* error) {
  if (asset == nullptr) return invalid(error, "there is no place for the asset");
  *asset = nullptr;
  if (store == nullptr) return invalid(error, no_store);
  if (name.of == nullptr) return invalid(error, "the name is of nothing");
  if (name.type >= store->types) return invalid(error, no_type);
  const std::optional<asset_priority> urgency = asset_priority_of(priority);
  if (!urgency) return invalid(error, no_such_priority);
  overture_asset* const made = types_table[name.type].get_named(store->assets, name.of, *urgency);
  return hand_over(made, *store, true, asset, error);
}

overture_code overture_asset_free(overture_asset* asset, overture_error* error) {
  if (asset == nullptr) return fine(error);
  overture_store* const store = asset->store;
  const bool is_counted = asset->is_counted;
  asset->end();
  if (is_counted) store->users.remove();
  return fine(error);
}

void* overture_asset_value(const overture_asset* asset) {
  return asset == nullptr ? nullptr : asset->value();
}

overture_code overture_store_pump(overture_store* store, uint64_t budget_ns,
                                  overture_error* error) {
  if (store == nullptr) return invalid(error, no_store);
  store->assets.pump(duration_of(budget_ns));
  return fine(error);
}

overture_code overture_store_reload(overture_store* store, const char* path,
                                    overture_error* error) {
  if (store == nullptr) return invalid(error, no_store);
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) return failed(error, normal.error(), path == nullptr ? "" : path);
  store->assets.reload(normal->text);
  return fine(error);
}

overture_code overture_store_get_progress(const overture_store* store,
                                          overture_store_progress* progress,
                                          overture_error* error) {
  if (store == nullptr) return invalid(error, no_store);
  const asset_progress now = store->assets.progress();
  return write_result(progress,
                      overture_store_progress{.size = 0,
                                              .asked = now.asked,
                                              .ready = now.ready,
                                              .failed = now.failed,
                                              .kept = now.kept,
                                              .kept_bytes = now.kept_bytes,
                                              .held_bytes = now.held_bytes,
                                              .waiting_bytes = now.waiting_bytes},
                      error);
}

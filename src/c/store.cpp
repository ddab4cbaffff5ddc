// SPDX-License-Identifier: Zlib
//
// The asset store: overture/c/assets.h.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "c/duration.hpp"
#include "c/handles.hpp"
#include "c/store_parts.hpp"
#include "overture/assets/asset_store.hpp"
#include "overture/c/assets.h"

using namespace overture;
using namespace overture::c;

namespace {

using typed = overture::detail::typed_at_run_time;
using overture::detail::naming;
using wanted_asset = overture::detail::asset_wanted;

struct made_store : overture_store {
  made_store(overture_reads* from, const asset_store_config& config,
             const given_allocator& given) noexcept
      : overture_store(from, own),
        memory(given),
        reasons(memory.get() != nullptr ? memory : default_allocator()),
        own(from->files->tree, from->queue, from->pool->jobs, with_memory(config, memory)) {}

  given_allocator memory;
  reason_texts reasons;  // of failures, so it ends after the store
  std::array<program_loader, OVERTURE_ASSET_TYPES_MAX> loaders;
  asset_store own;  // ends before its loaders
};

constexpr const char* no_needs = "the needs are NULL";
constexpr const char* no_type = "this type was not added to the store";

const overture::detail::asset_type& type_of(const overture_store& store,
                                            overture_asset_type number) noexcept {
  return static_cast<const made_store&>(store).loaders[number].type();
}

// Hands a handle over, with what it counts as.
overture_code hand_over(asset<program_value> handle, overture_store& store,
                        overture_asset_type type, bool is_counted, overture_asset** asset,
                        overture_error* error) noexcept {
  overture_asset* const made = handle.valid() ? make<overture_asset>() : nullptr;
  if (made == nullptr) return out_of_memory(error);
  made->handle = std::move(handle);
  made->store = &store;
  made->type = type;
  made->is_counted = is_counted;
  if (is_counted) store.users.add();
  *asset = made;
  return fine(error);
}

overture_code read_variant(const overture_asset_variant* given, wanted_asset& as,
                           overture_error* error) noexcept {
  if (given == nullptr) return fine(error);
  overture_asset_variant wanted;
  if (const overture_code flaw = read_options(given, wanted, error)) return flaw;
  if (wanted.settings_size > OVERTURE_ASSET_SETTINGS_MAX) {
    return failed(error, errc::limit, "more settings than OVERTURE_ASSET_SETTINGS_MAX");
  }
  if (wanted.settings_size != 0 && wanted.settings == nullptr) {
    return invalid(error, "the settings are NULL");
  }
  as.part = wanted.part == nullptr ? "" : wanted.part;
  as.settings = {static_cast<const char*>(wanted.settings), wanted.settings_size};
  return fine(error);
}

// What decode() asks for.
struct named_asset {
  overture_code read(const overture_needs* needs, overture_asset_type type, const char* given,
                     const overture_asset_variant* variant, overture_error* error) noexcept {
    if (needs == nullptr) return invalid(error, no_needs);
    if (type >= needs->store.types) return invalid(error, no_type);
    const result<asset_path> normal = room_.read(given);
    if (!normal) return failed(error, normal.error(), given == nullptr ? "" : given);
    path = *normal;
    what.type = &type_of(needs->store, type);
    return read_variant(variant, what, error);
  }

  asset_path path;
  wanted_asset what;

 private:
  given_path room_;  // of the path
};

overture_code ask(overture_needs* needs, overture_asset_type type, const char* path,
                  const overture_asset_variant* variant, overture_asset** asset,
                  overture_error* error, naming how) noexcept {
  if (asset == nullptr) return invalid(error, "there is no place for the asset");
  *asset = nullptr;
  named_asset named;
  if (const overture_code flaw = named.read(needs, type, path, variant, error)) return flaw;
  return hand_over(typed::ask<program_value>(needs->context, named.path, named.what, how),
                   needs->store, type, false, asset, error);
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
  if (wanted.reload_delay_ns != 0) how.reload_delay = duration_of(wanted.reload_delay_ns);
  if (reads->timeline.get() != nullptr) how.record = &reads->timeline->record;
  given_allocator memory;
  if (const char* const flaw = memory.set(wanted.memory)) return invalid(error, flaw);
  made_store* const made = make<made_store>(reads, how, memory);
  if (made == nullptr) return out_of_memory(error);
  if (const result<void> status = made->assets.status(); !status) {
    destroy(made);
    return failed(error, status.error());
  }
  *store = made;
  return fine(error);
}

overture_code overture_store_free(overture_store* store, overture_error* error) {
  return end_unused(static_cast<made_store*>(store),
                    "handles on assets of the store, or groups of it, are left: free them first",
                    error);
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
  if (store->types == OVERTURE_ASSET_TYPES_MAX) {
    return failed(error, errc::limit, "the store has as many types as it may have");
  }
  program_loader& of = static_cast<made_store*>(store)->loaders[store->types];
  of.set(*store, static_cast<made_store*>(store)->reasons, wanted);
  const result<void> added = typed::add(store->assets, of);
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
  wanted_asset what{.type = &type_of(*store, type)};
  if (const overture_code flaw = read_variant(variant, what, error)) return flaw;
  return hand_over(typed::get<program_value>(store->assets, *normal, what, *urgency), *store, type,
                   true, asset, error);
}

overture_code overture_needs_asset(overture_needs* needs, overture_asset_type type,
                                   const char* path, overture_asset** asset,
                                   overture_error* error) {
  return overture_needs_variant(needs, type, path, nullptr, asset, error);
}

overture_code overture_needs_variant(overture_needs* needs, overture_asset_type type,
                                     const char* path, const overture_asset_variant* variant,
                                     overture_asset** asset, overture_error* error) {
  return ask(needs, type, path, variant, asset, error, naming::need);
}

overture_code overture_needs_or_placeholder(overture_needs* needs, overture_asset_type type,
                                            const char* path, const overture_asset_variant* variant,
                                            overture_asset** asset, overture_error* error) {
  return ask(needs, type, path, variant, asset, error, naming::need_or_placeholder);
}

overture_code overture_needs_want(overture_needs* needs, overture_asset_type type, const char* path,
                                  const overture_asset_variant* variant, overture_asset** asset,
                                  overture_error* error) {
  return ask(needs, type, path, variant, asset, error, naming::want);
}

bool overture_needs_is_cancelled(const overture_needs* needs) {
  return needs != nullptr && needs->context.is_cancelled();
}

const char* overture_needs_part(const overture_needs* needs) {
  return needs == nullptr ? "" : needs->part.text();
}

uint64_t overture_needs_file_bytes(const overture_needs* needs) {
  return needs == nullptr ? 0 : needs->context.file_bytes();
}

size_t overture_needs_settings(const overture_needs* needs, void* settings, size_t size) {
  if (needs == nullptr) return 0;
  const std::string_view given = typed::settings(needs->context);
  const std::size_t copied = std::min(size, given.size());
  if (copied != 0 && settings != nullptr) std::memcpy(settings, given.data(), copied);
  return given.size();
}

overture_code overture_needs_name(overture_needs* needs, overture_asset_type type, const char* path,
                                  overture_asset_name* name, overture_error* error) {
  return overture_needs_name_variant(needs, type, path, nullptr, name, error);
}

overture_code overture_needs_name_variant(overture_needs* needs, overture_asset_type type,
                                          const char* path, const overture_asset_variant* variant,
                                          overture_asset_name* name, overture_error* error) {
  if (name == nullptr) return invalid(error, "there is no place for the name");
  *name = {.of = nullptr, .store = nullptr, .type = type};
  named_asset named;
  if (const overture_code flaw = named.read(needs, type, path, variant, error)) return flaw;
  name->store = &needs->store;
  name->of = typed::name(needs->context, named.path, named.what);
  return name->of == nullptr ? out_of_memory(error) : fine(error);
}

overture_code overture_store_get_named(overture_store* store, overture_asset_name name,
                                       int32_t priority, overture_asset** asset,
                                       overture_error* error) {
  if (asset == nullptr) return invalid(error, "there is no place for the asset");
  *asset = nullptr;
  if (store == nullptr) return invalid(error, no_store);
  if (name.of == nullptr) return invalid(error, "the name is of nothing");
  if (name.store != store) return invalid(error, "a name of another store");
  if (name.type >= store->types) return invalid(error, no_type);
  const std::optional<asset_priority> urgency = asset_priority_of(priority);
  if (!urgency) return invalid(error, no_such_priority);
  const auto named = std::bit_cast<soft_asset<program_value>>(name.of);
  return hand_over(store->assets.get(named, *urgency), *store, name.type, true, asset, error);
}

overture_asset_name overture_asset_name_of(const overture_asset* asset) {
  if (asset == nullptr) return {};
  return {.of = std::bit_cast<const void*>(soft_asset(asset->handle)),
          .store = asset->store,
          .type = asset->type};
}

overture_code overture_asset_copy(const overture_asset* asset, overture_asset** copy,
                                  overture_error* error) {
  if (copy == nullptr) return invalid(error, "there is no place for the copy");
  *copy = nullptr;
  if (asset == nullptr) return invalid(error, no_asset);
  return hand_over(asset->handle, *asset->store, asset->type, true, copy, error);
}

overture_code overture_asset_free(overture_asset* asset, overture_error* error) {
  if (asset == nullptr) return fine(error);
  overture_store* const store = asset->store;
  const bool is_counted = asset->is_counted;
  destroy(asset);
  if (is_counted) store->users.remove();
  return fine(error);
}

void* overture_asset_value(const overture_asset* asset) {
  if (asset == nullptr) return nullptr;
  const program_value* const shown = asset->handle.get();
  return shown == nullptr ? nullptr : shown->get();
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

overture_code overture_store_reload_mount(overture_store* store, overture_mount mount,
                                          overture_error* error) {
  if (store == nullptr) return invalid(error, no_store);
  store->assets.reload_mount({mount});
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

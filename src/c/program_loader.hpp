// SPDX-License-Identifier: Zlib
//
// Loaders of the C interface. Their types are known when the program runs: all have values of one
// C++ type, and are told apart by the address of what describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "c/reason_texts.hpp"
#include "overture/assets/asset_store.hpp"
#include "overture/c/assets.h"

struct overture_store;

namespace overture::detail {

// What is done by type elsewhere.
class typed_at_run_time {
 public:
  [[nodiscard]] static result<void> add(asset_store& store, any_loader& of) noexcept {
    return store.add_any(of);
  }
  template <class T>
  [[nodiscard]] static asset<T> get(asset_store& store, const asset_path& path,
                                    const asset_wanted& what, asset_priority priority) noexcept {
    return asset<T>(store.get_any(path, what, priority));
  }
  template <class T>
  [[nodiscard]] static asset<T> ask(asset_context& context, const asset_path& path,
                                    const asset_wanted& what, naming how) noexcept {
    return asset<T>(context.ask(path, what, how));
  }
  [[nodiscard]] static const asset_head* name(asset_context& context, const asset_path& path,
                                              const asset_wanted& what) noexcept {
    return context.name_any(path, what);
  }
  [[nodiscard]] static std::string_view settings(const asset_context& context) noexcept {
    return context.settings_bytes();
  }
};

}  // namespace overture::detail

namespace overture::c {

// A value of the program, freed where it ends, or one that it lends.
class program_value {
 public:
  explicit program_value(void* lent) noexcept : value_(lent) {}
  program_value(void* value, const overture_loader* how) noexcept : value_(value), how_(how) {}
  program_value(const program_value&) = delete;
  program_value& operator=(const program_value&) = delete;
  ~program_value() {
    if (how_ != nullptr) how_->unload(how_->context, value_);
  }
  [[nodiscard]] void* get() const noexcept { return value_; }

 private:
  void* value_;
  const overture_loader* how_ = nullptr;
};

class program_loader final : public detail::any_loader {
 public:
  program_loader() = default;
  // Before it is added.
  void set(overture_store& store, reason_texts& reasons, const overture_loader& how) noexcept {
    store_ = &store;
    reasons_ = &reasons;
    how_ = how;
    if (how.placeholder != nullptr) placeholder_.emplace(const_cast<void*>(how.placeholder));
  }

  result<void> decode_at(void* place, std::span<const std::byte> bytes,
                         load_context& context) noexcept override;
  result<void> build_at(void* value, asset_context& context) noexcept override;
  result<finalize_step> finalize_at(void* value, std::chrono::nanoseconds budget) noexcept override;
  [[nodiscard]] std::uint64_t needed_for(const asset_path& path,
                                         std::span<const std::byte> bytes) const noexcept override;
  void unload_at(void* /*value*/, bool /*finalized*/) noexcept override {}  // destroy_at() does
  void destroy_at(void* value) noexcept override {
    static_cast<program_value*>(value)->~program_value();
  }
  [[nodiscard]] std::uint64_t bytes_at(const void* value) const noexcept override;
  [[nodiscard]] const void* placeholder_at() const noexcept override {
    return placeholder_ ? &*placeholder_ : nullptr;
  }
  [[nodiscard]] bool is_free_threaded() const noexcept override { return how_.finalize == nullptr; }
  [[nodiscard]] bool is_builder() const noexcept override { return how_.build != nullptr; }
  [[nodiscard]] bool is_reader() const noexcept override { return !how_.without_file; }
  [[nodiscard]] bool is_dependent() const noexcept override {
    return how_.dependent || how_.without_file;
  }
  [[nodiscard]] std::uint64_t bytes_of_stage(unsigned stage) const noexcept override {
    return how_.stage_bytes == nullptr ? 0 : how_.stage_bytes(how_.context, stage);
  }
  [[nodiscard]] const detail::asset_type& type() const noexcept override { return type_; }

 private:
  [[nodiscard]] result<void> failure(overture_code code, const char* reason,
                                     const char* instead) noexcept;

  overture_store* store_ = nullptr;
  reason_texts* reasons_ = nullptr;
  overture_loader how_ = {};
  std::optional<program_value> placeholder_;
  detail::asset_type type_{.name = "a type of the C interface",
                           .id = 0,
                           .bytes = sizeof(program_value),
                           .alignment = alignof(program_value)};
};

}  // namespace overture::c

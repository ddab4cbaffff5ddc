// SPDX-License-Identifier: Zlib
#include "c/program_loader.hpp"

#include <new>

#include "c/store_parts.hpp"

namespace overture::c {

// Of what the program returned: its reason need not stay.
result<void> program_loader::failure(overture_code code, const char* reason,
                                     const char* instead) noexcept {
  return fail(errc_of(code), reason == instead ? instead : reasons_->keep(reason, instead));
}

result<void> program_loader::decode_at(void* place, std::span<const std::byte> bytes,
                                       load_context& context) noexcept {
  const c_path path(context.path().text);
  overture_needs needs{context, &context, *store_, c_path(context.part())};
  void* value = nullptr;
  constexpr const char* refused = "the loader has refused it";
  const char* reason = refused;
  const overture_code code =
      how_.decode(how_.context, path.text(), bytes.data(), bytes.size(), &needs, &value, &reason);
  if (code != OVERTURE_OK) return failure(code, reason, refused);
  if (value == nullptr) return fail(errc::invalid, "the loader has made no value");
  ::new (place) program_value(value, &how_);
  return {};
}

result<void> program_loader::build_at(void* value, asset_context& context) noexcept {
  overture_needs needs{context, nullptr, *store_, c_path(context.part())};
  constexpr const char* not_built = "the loader could not build it";
  const char* reason = not_built;
  const overture_code code =
      how_.build(how_.context, static_cast<program_value*>(value)->get(), &needs, &reason);
  if (code != OVERTURE_OK) return failure(code, reason, not_built);
  return {};
}

result<finalize_step> program_loader::finalize_at(void* value,
                                                  std::chrono::nanoseconds budget) noexcept {
  if (how_.finalize == nullptr) return finalize_step::done;
  bool again = false;
  constexpr const char* not_finished = "the loader could not finish it";
  const char* reason = not_finished;
  const auto ns = static_cast<std::uint64_t>(budget.count() > 0 ? budget.count() : 0);
  const overture_code code =
      how_.finalize(how_.context, static_cast<program_value*>(value)->get(), ns, &again, &reason);
  if (code != OVERTURE_OK) {
    return tl::unexpected(failure(code, reason, not_finished).error());
  }
  return again ? finalize_step::again : finalize_step::done;
}

std::uint64_t program_loader::needed_for(const asset_path& path,
                                         std::span<const std::byte> bytes) const noexcept {
  if (how_.memory_needed == nullptr) return 0;
  const c_path text(path.text);
  return how_.memory_needed(how_.context, text.text(), bytes.data(), bytes.size());
}

std::uint64_t program_loader::bytes_at(const void* value) const noexcept {
  if (how_.bytes_of == nullptr) return 0;
  return how_.bytes_of(how_.context, static_cast<const program_value*>(value)->get());
}

}  // namespace overture::c

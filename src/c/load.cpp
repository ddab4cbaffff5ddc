// SPDX-License-Identifier: Zlib
//
// Loads of a tree: overture/c/load.h.
#include "overture/c/load.h"

#include "c/duration.hpp"
#include "c/handles.hpp"
#include "overture/load/load_scope.hpp"

using namespace overture;
using namespace overture::c;

namespace {

constexpr const char* no_load = "the load is NULL";
// A program waits while something is busy, which would never end for a file that has failed.
constexpr const char* took_busy =
    "take() returned OVERTURE_BUSY, which says that something is not done yet: return another "
    "error";

// Hands each file to the program.
class program_sink final : public asset_sink {
 public:
  program_sink(const file_system& files, const overture_load_options& options) noexcept
      : files_(files), options_(options) {}

  result<void> finalize(entry_index entry, decoded_asset& asset,
                        std::span<const std::byte> bytes) noexcept override {
    overture_decoded* decoded = nullptr;
    if (asset.kind() != asset_kind::none) {
      decoded = make<overture_decoded>(std::move(asset));
      if (decoded == nullptr) return fail(errc::out_of_memory, no_memory);
    }
    const c_path path(files_.entry(entry).path);
    const overture_loaded file = {.size = sizeof(overture_loaded),
                                  .path = path.text(),
                                  .bytes = bytes.data(),
                                  .byte_count = bytes.size(),
                                  .decoded = &decoded};
    const overture_code code = options_.take(options_.context, &file);
    if (decoded != nullptr) destroy(decoded);
    if (code == OVERTURE_BUSY) return fail(errc::invalid, took_busy);
    if (code != OVERTURE_OK) return fail(errc_of(code), "take() has refused it");
    return {};
  }
  bool one_thread() const noexcept override { return options_.one_thread; }

 private:
  const file_system& files_;
  const overture_load_options& options_;
};

// The patterns of the options, as the library takes them.
class pattern_list {
 public:
  ~pattern_list() {
    if (patterns_ == nullptr) return;
    default_allocator().deallocate(patterns_, bytes(), alignof(std::string_view), memory_tag::host);
  }
  pattern_list() = default;
  pattern_list(const pattern_list&) = delete;
  pattern_list& operator=(const pattern_list&) = delete;

  overture_code read(const char* const* only, std::size_t count, overture_error* error) noexcept {
    if (count == 0) return OVERTURE_OK;
    if (only == nullptr) return invalid(error, "there are no patterns");
    if (count > limits::entries_max) return failed(error, errc::limit, "too many patterns");
    count_ = count;
    void* const memory =
        default_allocator().allocate(bytes(), alignof(std::string_view), memory_tag::host);
    if (memory == nullptr) return out_of_memory(error);
    patterns_ = static_cast<std::string_view*>(memory);
    for (std::size_t i = 0; i < count; ++i) {
      if (only[i] == nullptr) return invalid(error, "a pattern is NULL");
      ::new (static_cast<void*>(patterns_ + i)) std::string_view(only[i]);
    }
    return OVERTURE_OK;
  }
  [[nodiscard]] std::span<const std::string_view> all() const noexcept {
    return {patterns_, patterns_ == nullptr ? 0 : count_};
  }

 private:
  [[nodiscard]] std::size_t bytes() const noexcept { return count_ * sizeof(std::string_view); }

  std::string_view* patterns_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace

struct overture_load {
  overture_load(overture_reads* from, const overture_load_options& wanted,
                const given_allocator& given) noexcept
      : reads(from), options(wanted), memory(given), sink(from->files->tree, options) {
    reads->files->loads.add();
  }
  ~overture_load() {
    if (begun) scope().~load_scope();
    reads->files->loads.remove();
  }
  overture_load(const overture_load&) = delete;
  overture_load& operator=(const overture_load&) = delete;

  load_scope& begin(const load_options& how) noexcept {
    begun = true;
    return *::new (static_cast<void*>(room))
        load_scope(reads->files->tree, reads->queue, reads->pool->jobs, with_memory(how, memory));
  }
  [[nodiscard]] load_scope& scope() noexcept {
    return *std::launder(reinterpret_cast<load_scope*>(room));
  }
  [[nodiscard]] const load_scope& scope() const noexcept {
    return *std::launder(reinterpret_cast<const load_scope*>(room));
  }

  use_of<overture_reads> reads;
  const overture_load_options options;
  given_allocator memory;
  pattern_list only;
  program_sink sink;
  bool begun = false;
  alignas(load_scope) std::byte room[sizeof(load_scope)];
};

overture_code overture_load_start(overture_reads* reads, const overture_load_options* options,
                                  overture_load** load, overture_error* error) {
  if (load == nullptr) return invalid(error, "there is no place for the load");
  *load = nullptr;
  if (reads == nullptr) return invalid(error, "the reads are NULL");
  overture_load_options wanted;
  if (const overture_code flaw = read_options(options, wanted, error)) return flaw;
  given_allocator memory;
  if (const char* const flaw = memory.set(wanted.memory)) return invalid(error, flaw);
  overture_load* const made = make<overture_load>(reads, wanted, memory);
  if (made == nullptr) return out_of_memory(error);
  if (const overture_code flaw = made->only.read(wanted.only, wanted.only_count, error)) {
    destroy(made);
    return flaw;
  }
  load_options how{.only = made->only.all(), .decode = !wanted.no_decoding};
  if (wanted.budget_bytes != 0) how.budget_bytes = wanted.budget_bytes;
  if (wanted.take != nullptr) how.sink = &made->sink;
  if (const result<void> started = made->begin(how).start(); !started) {
    const overture_code code = failed(error, started.error());
    destroy(made);
    return code;
  }
  *load = made;
  return fine(error);
}

overture_code overture_load_free(overture_load* load, overture_error* error) {
  if (load != nullptr) destroy(load);
  return fine(error);
}

overture_code overture_load_wait_for(overture_load* load, uint64_t timeout_ns,
                                     overture_error* error) {
  if (load == nullptr) return invalid(error, no_load);
  if (load->scope().wait_for(duration_of(timeout_ns))) return fine(error);
  return failed(error, errc::busy, "the load is not done");
}

overture_code overture_load_cancel(overture_load* load, overture_error* error) {
  if (load == nullptr) return invalid(error, no_load);
  load->scope().cancel();
  return fine(error);
}

overture_code overture_load_get_progress(const overture_load* load,
                                         overture_load_progress* progress, overture_error* error) {
  if (load == nullptr) return invalid(error, no_load);
  const load_progress now = load->scope().progress();
  return write_result(progress,
                      overture_load_progress{.size = 0,
                                             .files_done = now.files_done,
                                             .files_total = now.files_total,
                                             .bytes_done = now.bytes_done,
                                             .fraction = now.fraction},
                      error);
}

overture_code overture_load_get_summary(const overture_load* load, overture_load_summary* summary,
                                        overture_error* error) {
  if (load == nullptr) return invalid(error, no_load);
  if (!load->scope().done()) return failed(error, errc::busy, "the load is not done");
  const load_summary sum = load->scope().summary();
  return write_result(summary,
                      overture_load_summary{.size = 0,
                                            .files = sum.files,
                                            .failed = sum.failed,
                                            .warnings = sum.warnings,
                                            .cancelled = sum.cancelled,
                                            .bytes = sum.bytes,
                                            .packed_bytes = sum.packed_bytes,
                                            .decoded_bytes = sum.decoded_bytes,
                                            .ns = sum.ns,
                                            .hash = sum.hash},
                      error);
}

namespace {

// Visits the files with such an outcome.
overture_code visit_files(const overture_load* load, const error* loaded_file::* outcome,
                          overture_load_failed visit, void* context,
                          overture_error* error) noexcept {
  if (load == nullptr) return invalid(error, no_load);
  if (visit == nullptr) return invalid(error, "the visitor is NULL");
  if (!load->scope().done()) return failed(error, errc::busy, "the load is not done");
  const result<void> visited = load->scope().for_each_file([&](const loaded_file& file) noexcept {
    if (file.*outcome == nullptr) return;
    overture_error why = {};
    why.size = sizeof why;
    failed(&why, *(file.*outcome), load->reads->files->tree);
    const c_path path(file.path);
    visit(context, path.text(), &why);
  });
  return visited ? fine(error) : failed(error, visited.error());
}

}  // namespace

overture_code overture_load_failures(const overture_load* load, overture_load_failed visit,
                                     void* context, overture_error* error) {
  return visit_files(load, &loaded_file::failure, visit, context, error);
}

overture_code overture_load_warnings(const overture_load* load, overture_load_failed visit,
                                     void* context, overture_error* error) {
  return visit_files(load, &loaded_file::warning, visit, context, error);
}

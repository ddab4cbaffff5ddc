// SPDX-License-Identifier: Zlib
#include "archives/tables/plain_table.hpp"

#include <algorithm>
#include <cstring>

#include "archives/names/skip_reason.hpp"
#include "base/limit_text.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

tl::unexpected<error> no_memory_for_table() {
  return fail(errc::out_of_memory, "out of memory for the archive's directory");
}

}  // namespace

plain_table::plain_table(const archive_input& input, archive& into) noexcept
    : input_(input),
      into_(into),
      builder_(into, input.prefix, input.names),
      window_(into.names.memory(), memory_tag::vfs) {}

result<const std::byte*> plain_table::window(std::uint64_t offset, std::size_t bytes,
                                             std::size_t wanted) noexcept {
  if (!fits(offset, 1, bytes, file_bytes())) return table_outside(offset);
  const bool inside = offset >= window_offset_ && offset - window_offset_ <= window_.size() &&
                      bytes <= window_.size() - (offset - window_offset_);
  if (!inside) {
    const std::size_t size =
        std::max<std::size_t>(bytes, std::min<std::uint64_t>(wanted, file_bytes() - offset));
    if (!window_.resize_for_overwrite(size)) return no_memory_for_table();
    window_offset_ = offset;
    result<void> read = read_fully(input_.os, into_.handle.get(), offset, {window_.data(), size});
    if (!read) {
      window_.clear();
      return tl::unexpected(read.error());
    }
  }
  return window_.data() + (offset - window_offset_);
}

result<void> plain_table::read_into(vec<char>& text, std::uint64_t offset,
                                    std::uint64_t bytes) noexcept {
  if (!fits(offset, 1, bytes, file_bytes())) return table_outside(offset);
  if (bytes > limits::archive_directory_bytes_max) {
    return fail(errc::limit, limit_text::archive_directory);
  }
  if (!text.resize_for_overwrite(bytes)) return no_memory_for_table();
  const std::span<char> room(text.data(), text.size());
  return read_fully(input_.os, into_.handle.get(), offset, std::as_writable_bytes(room));
}

result<void> plain_table::each(const record_table& records,
                               function_ref<result<void>(const std::byte* record)> act) noexcept {
  if (!has(records)) return table_outside(records.offset);
  if (records.count > limits::entries_max) {
    return fail(errc::limit, limit_text::files);
  }
  const std::size_t size = records.record_bytes;
  const std::size_t wanted = table_window_bytes / size * size;
  for (std::uint64_t at = records.offset; at < records.end(); at += size) {
    const std::size_t left = std::min<std::uint64_t>(wanted, records.end() - at);
    const result<const std::byte*> record = window(at, size, left);
    if (!record) return tl::unexpected(record.error());
    if (result<void> done = act(*record); !done) return done;
  }
  return {};
}

result<void> plain_table::add(std::string_view name, std::uint64_t offset, std::uint64_t bytes,
                              const entry_origin& origin) noexcept {
  archive_entry entry;
  entry.origin = origin;
  entry.offset = offset;
  entry.packed_bytes = bytes;
  entry.bytes = bytes;
  if (bytes == 0) {
    entry.offset = 0;  // empty entries are markers with arbitrary offsets
  } else if (!fits(offset, 1, bytes, file_bytes())) {
    entry.flaw = entry_flaw::outside;
  } else if (bytes > limits::entry_bytes_max) {
    entry.flaw = entry_flaw::too_large;
  }
  return add_entry(name, entry);
}

result<bool> plain_table::finish(const result<void>& done,
                                 std::span<const std::uint32_t> named_twice) noexcept {
  if (!done) return tl::unexpected(done.error());
  path_index index(into_.names.memory());
  return complete(index_last(index, named_twice), index);
}

result<bool> plain_table::finish_links(const result<void>& done,
                                       std::span<const std::uint32_t> links,
                                       link_reader read) noexcept {
  if (!done) return tl::unexpected(done.error());
  path_index index(into_.names.memory());
  result<void> indexed = index_last(index, {});
  if (indexed && !links.empty()) {
    indexed = resolve_links(links, index, input_.names, read, into_, builder_);
  }
  return complete(indexed, index);
}

result<void> plain_table::index_last(path_index& index,
                                     std::span<const std::uint32_t> named_twice) noexcept {
  return builder_.index_each_once(
      index, [&](std::uint32_t earlier, std::uint32_t later) -> result<std::uint32_t> {
        if (std::binary_search(named_twice.begin(), named_twice.end(), earlier)) {
          builder_.drop(earlier);
          return later;
        }
        return builder_.take_back(earlier, skip_reason::duplicate).map([later] { return later; });
      });
}

result<bool> plain_table::complete(const result<void>& indexed, const path_index& index) noexcept {
  const result<void> done = indexed.and_then([&] { return builder_.take_back_folders(index); });
  if (!done) return tl::unexpected(done.error());
  builder_.finish();
  return true;
}

std::string_view text_of(const std::byte* field, std::size_t bytes) noexcept {
  const auto* const text = reinterpret_cast<const char*>(field);
  return {text, static_cast<std::size_t>(std::find(text, text + bytes, '\0') - text)};
}

result<opened_entry> open_plain(const archive&, const archive_entry& entry,
                                operating_system&) noexcept {
  if (entry.flaw != entry_flaw::none) {
    error why = error_of(entry.flaw);
    why.offset = entry.offset;
    return tl::unexpected(why);
  }
  file_place place;
  place.offset = entry.offset;
  place.read_bytes = entry.bytes;
  place.packed_bytes = entry.bytes;
  place.bytes = entry.bytes;
  return opened_entry{place, {}};
}

}  // namespace overture::archives_detail

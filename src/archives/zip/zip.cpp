// SPDX-License-Identifier: Zlib
//
// ZIP archives: stored, DEFLATE and zstd entries, Zip64, self-extractors, archive comments,
// traditional encryption.
//
//   for each entry: a local header, its data
//   central directory: a record for each entry
//   end record, preceded by a Zip64 end record and locator in large archives
//
// The central directory is authoritative. It is read when the archive is mounted, in two reads (one
// for a small archive). An entry's local header is read together with its data.
#include "archives/zip/zip.hpp"

#include <algorithm>

#include "archives/archive_builder.hpp"
#include "archives/bomb.hpp"
#include "archives/names/skip_reason.hpp"
#include "archives/zip/zip_decrypter.hpp"
#include "archives/zip/zip_finder.hpp"
#include "archives/zip/zip_links.hpp"
#include "archives/zip/zip_record.hpp"
#include "archives/zip/zip_wrapped.hpp"
#include "base/limit_text.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

// How many bytes to read for the extra field of a local header, which may be longer than the one in
// the directory. Enough for Zip64, time stamps and padding: zipalign and our zip_builder align
// large stored entries to pages.
constexpr std::size_t extra_bytes_guess(const zip_record& record) noexcept {
  constexpr std::uint64_t paged_bytes_min = 64u << 10;
  constexpr std::size_t usual = 128;
  constexpr std::size_t page = 4096;
  const bool paged = record.method == zip_method_stored && record.bytes >= paged_bytes_min;
  return paged ? usual + page : usual;
}

// Mounting reads local headers only of entries that overlap, and at most this many.
constexpr std::size_t headers_looked_at_max = 256;

class zip_list {
 public:
  zip_list(const archive_input& input, archive& into) noexcept
      : input_(input),
        into_(into),
        builder_(into, input.prefix, input.names),
        finder_(input, into.handle.get(), into.names.memory()),
        places_(into.names.memory(), memory_tag::vfs),
        links_(into.names.memory(), memory_tag::vfs),
        encrypted_(into.names.memory(), memory_tag::vfs) {}

  // False if this is not a ZIP archive.
  result<bool> run() noexcept;

 private:
  result<void> read(std::uint64_t offset, std::span<std::byte> bytes) noexcept {
    return read_fully(input_.os, into_.handle.get(), offset, bytes);
  }
  static tl::unexpected<error> no_memory() {
    return fail(errc::out_of_memory, "out of memory for the archive's directory");
  }
  result<void> make_room() noexcept;
  result<void> unwrap() noexcept;
  result<void> add_records() noexcept;
  result<void> add(const zip_record& record) noexcept;
  result<void> prepare_decrypter() noexcept;
  [[nodiscard]] archive_entry entry_of(const zip_record& record) const noexcept;
  result<void> find_overlaps() noexcept;
  // Whether the entry's local header is where the directory says.
  bool has_header(const archive_entry& entry) noexcept;

  const archive_input& input_;
  archive& into_;
  archive_builder builder_;
  zip_finder finder_;
  zip_directory directory_;
  vec<zip_true_place> places_;  // of the records, if their own have wrapped
  vec<std::uint32_t> links_;
  struct encrypted_entry {
    std::uint32_t entry = 0;
    std::uint8_t check = 0;
  };
  vec<encrypted_entry> encrypted_;
  std::size_t headers_looked_at_ = 0;
};

result<bool> zip_list::run() noexcept {
  const result<bool> found = finder_.run(directory_);
  if (!found || !*found) return found;
  path_index index(into_.names.memory());
  result<void> done = make_room()
                          .and_then([&] { return unwrap(); })
                          .and_then([&] { return add_records(); })
                          .and_then([&] { return find_overlaps(); })
                          .and_then([&] { return builder_.index_last_of_each(index); })
                          .and_then([&] { return prepare_decrypter(); });
  if (done && !links_.empty()) {
    zip_link_reader reader(input_.os, into_);
    const auto read = [&](const archive_entry& entry, std::span<char> target) {
      return reader.read(entry, target);
    };
    done = resolve_links(links_.span(), index, input_.names, read, into_, builder_);
  }
  if (done) done = builder_.take_back_folders(index);
  if (!done) return tl::unexpected(done.error());
  builder_.finish();
  return true;
}

result<void> zip_list::make_room() noexcept {
  const std::uint64_t records = directory_.records;
  const std::uint64_t names_bytes = directory_.name_bytes + records * (input_.prefix.size() + 1);
  if (names_bytes > UINT32_MAX) return fail(errc::limit, "more than 4 GiB of names");
  if (!into_.entries.reserve(records) || !into_.names.reserve(names_bytes)) return no_memory();
  return {};
}

// If the offsets have wrapped, entries are where the records say from the start of the file.
result<void> zip_list::unwrap() noexcept {
  if (!directory_.may_have_wrapped) return {};
  const auto reader = [this](std::uint64_t offset, std::span<std::byte> to) {
    return read(offset, to);
  };
  const result<bool> wrapped =
      find_wrapped_places(directory_.bytes, directory_.offset, reader, places_);
  if (!wrapped) return tl::unexpected(wrapped.error());
  if (*wrapped) directory_.base = 0;
  return {};
}

result<void> zip_list::add_records() noexcept {
  std::span<const std::byte> rest = directory_.bytes;
  for (std::size_t i = 0; !rest.empty(); ++i) {
    zip_record record;
    rest = rest.subspan(read_zip_record(rest, record));
    if (!places_.empty()) {
      record.header = places_[i].header;
      record.packed_bytes = places_[i].packed_bytes;
      record.bytes = places_[i].bytes;
    }
    if (result<void> added = add(record); !added) return added;
  }
  return {};
}

result<void> zip_list::add(const zip_record& record) noexcept {
  const zip_kind kind = kind_of(record);
  const std::string_view name = name_of(record);
  if (kind == zip_kind::folder && record.bytes == 0) return {};
  if (kind == zip_kind::folder) return builder_.skip(name, skip_reason::folder_with_data);
  if (kind == zip_kind::special) return builder_.skip(name, skip_reason::not_a_file);
  const result<bool> added = builder_.add(name, entry_of(record));
  if (!added) return tl::unexpected(added.error());
  if (!*added) return {};
  const auto number = static_cast<std::uint32_t>(into_.entries.size() - 1);
  if (kind == zip_kind::link && !links_.push_back(number)) return no_memory();
  if (into_.entries[number].flaw == entry_flaw::encrypted) {
    const bool sizes_in_descriptor = (record.flags & zip_flag_sizes_after_data) != 0;
    const std::uint32_t check = sizes_in_descriptor ? record.time >> 8u : record.crc32 >> 24;
    if (!encrypted_.push_back({number, static_cast<std::uint8_t>(check)})) return no_memory();
  }
  return {};
}

// With a password, encrypted entries without another flaw can be opened.
result<void> zip_list::prepare_decrypter() noexcept {
  if (encrypted_.empty() || input_.password.empty()) return {};
  auto* const store = into_.store.make<zip_decrypter>(into_.names.memory(), input_.os, into_.handle,
                                                      input_.password);
  if (!store) return no_memory();
  const auto entry_of = [this](const encrypted_entry& one) -> const archive_entry& {
    return into_.entries[one.entry];
  };
  std::sort(encrypted_.begin(), encrypted_.end(),
            [&](const encrypted_entry& a, const encrypted_entry& b) {
              return entry_of(a).offset < entry_of(b).offset;
            });
  for (const encrypted_entry& one : encrypted_) {
    const archive_entry& entry = entry_of(one);
    const bool left = entry.flaw == entry_flaw::encrypted && entry.name_bytes > 0;
    if (!left || entry.bytes == 0) continue;
    if (result<void> added = store->add(entry, one.check); !added) return added;
  }
  return {};
}

archive_entry zip_list::entry_of(const zip_record& record) const noexcept {
  archive_entry entry;
  entry.flaw = flaw_of(record);
  const bool can_be_read = entry.flaw == entry_flaw::none || entry.flaw == entry_flaw::encrypted;
  if (can_be_read && !input_.allow_bombs && is_bomb(record.bytes, record.packed_bytes)) {
    entry.flaw = entry_flaw::bomb;
  }
  entry.packed_bytes = record.packed_bytes;
  entry.bytes = record.bytes;
  entry.crc32 = record.crc32;
  entry.origin = origin_of(record);
  (void)to_compression(record.method, entry.method);
  // The local header need not have the name and the extra field of the directory.
  constexpr std::uint64_t least = zip_local_header_bytes;
  const std::uint64_t archive_bytes = directory_.offset - directory_.base;
  entry.offset =
      record.header > UINT64_MAX - directory_.base ? UINT64_MAX : directory_.base + record.header;
  if (record.header > archive_bytes || least > archive_bytes - record.header ||
      record.packed_bytes > archive_bytes - record.header - least) {
    entry.flaw = entry_flaw::outside;
    return entry;
  }
  const std::uint64_t guess = least + record.name.size() +
                              std::max<std::size_t>(record.extra_bytes, extra_bytes_guess(record));
  entry.frame_bytes = static_cast<std::uint32_t>(
      std::min(guess, directory_.offset - entry.offset - record.packed_bytes));
  return entry;
}

// Entries must not overlap. If two do, the second begins within the first: either it has no local
// header there, or the first one lies about its size.
result<void> zip_list::find_overlaps() noexcept {
  vec<std::uint32_t> order(into_.names.memory(), memory_tag::vfs);
  if (!order.reserve(into_.entries.size())) return no_memory();
  const auto before = [this](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t at = into_.entries[a].offset;
    const std::uint64_t other = into_.entries[b].offset;
    return at != other ? at < other : a < b;
  };
  bool sorted = true;
  for (std::uint32_t i = 0; i < into_.entries.size(); ++i) {
    if (into_.entries[i].flaw == entry_flaw::outside) continue;
    sorted = sorted && (order.empty() || before(order.back(), i));
    (void)order.push_back(i);  // has room
  }
  if (!sorted) std::sort(order.begin(), order.end(), before);
  archive_entry* last = nullptr;
  for (const std::uint32_t i : order) {
    archive_entry& next = into_.entries[i];
    if (last && next.offset - last->offset < zip_local_header_bytes + last->packed_bytes) {
      archive_entry& liar = has_header(next) ? *last : next;
      if (liar.flaw == entry_flaw::none || liar.flaw == entry_flaw::encrypted) {
        liar.flaw = entry_flaw::overlap;
      }
      if (&liar == &next) continue;
    } else if (last) {
      last->frame_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(
          last->frame_bytes, next.offset - last->offset - last->packed_bytes));
    }
    last = &next;
  }
  return {};
}

bool zip_list::has_header(const archive_entry& entry) noexcept {
  if (++headers_looked_at_ > headers_looked_at_max) return true;
  std::byte bytes[zip_local_header_bytes];
  zip_local_header header;
  return read(entry.offset, bytes) && read_zip_local_header(bytes, header) &&
         is_header_of(header, entry.packed_bytes, entry.crc32);
}

result<bool> list_zip(const archive_input& input, archive& into) noexcept {
  return zip_list(input, into).run();
}

opened_entry open_encrypted(const archive_entry& entry, block_store& store,
                            std::uint64_t offset) noexcept {
  file_place place;
  place.offset = offset;
  place.read_bytes = entry.bytes;
  place.packed_bytes = entry.bytes;
  place.bytes = entry.bytes;
  place.crc32 = entry.crc32;
  place.has_crc = true;
  return {place, store.open_all()};
}

result<opened_entry> open_zip(const archive& from, const archive_entry& entry,
                              operating_system&) noexcept {
  if (entry.flaw == entry_flaw::encrypted && from.store.get()) {
    auto& store = static_cast<zip_decrypter&>(*from.store.get());
    std::uint64_t offset = 0;
    if (entry.bytes == 0 || store.find(entry, offset)) return open_encrypted(entry, store, offset);
  }
  if (entry.flaw != entry_flaw::none) {
    error why = error_of(entry.flaw);
    why.offset = entry.offset;
    return tl::unexpected(why);
  }
  return opened_entry{zip_place(entry), {}};
}

}  // namespace

file_place zip_place(const archive_entry& entry) noexcept {
  file_place place;
  place.offset = entry.offset;
  place.read_bytes = entry.frame_bytes + entry.packed_bytes;
  place.packed_bytes = entry.packed_bytes;
  place.bytes = entry.bytes;
  place.crc32 = entry.crc32;
  place.method = entry.method;
  place.has_crc = true;
  place.framed = true;
  return place;
}

result<std::span<const std::byte>> zip_packed_part(const file_place& place,
                                                   std::span<const std::byte> read) noexcept {
  const auto broken = [&](const char* reason) {
    return fail(errc::corrupt, reason, place.source, place.offset);
  };
  zip_local_header header;
  if (!read_zip_local_header(read, header)) return broken("the file has no local header");
  compression method = compression::none;
  if (!to_compression(header.method, method) || method != place.method) {
    return broken("the local header states a different compression method");
  }
  const bool has_size = (header.flags & zip_flag_sizes_after_data) == 0 &&
                        header.packed_bytes != 0 && header.packed_bytes != UINT32_MAX;
  if (has_size && header.packed_bytes != (place.packed_bytes & UINT32_MAX)) {
    return broken("the local header states a different size");
  }
  if (place.packed_bytes > UINT64_MAX - header.header_bytes)
    return broken("the file's size overflows");
  const std::uint64_t needed = header.header_bytes + place.packed_bytes;
  if (needed > read.size()) {
    return fail(errc::truncated, "the local header is longer than expected", place.source, needed);
  }
  return read.subspan(header.header_bytes, place.packed_bytes);
}

const archive_format zip_format{
    .id = mount_format::zip,
    .name = "zip",
    .files = "ZIP, PK3, PK4, WZ",
    .libraries = "libdeflate, zlib, libzstd",
    .reads_no_front = true,
    .extensions = "zip pk3 pk4 pkz wz",
    .list = list_zip,
    .open = open_zip,
};

}  // namespace overture::archives_detail

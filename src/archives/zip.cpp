// ZIP archives: stored, DEFLATE and zstd entries, Zip64, self-extractors, archive comments,
// traditional encryption.
//
//   for each entry: a local header, its data
//   central directory: a record for each entry
//   end record, preceded by a Zip64 end record and locator in large archives
//
// The central directory is authoritative. It is read when the archive is mounted, in two reads (one
// for a small archive). An entry's local header is read together with its data.
#include "archives/zip.hpp"

#include <algorithm>

#include "archives/skip_reason.hpp"
#include "archives/zip_decrypter.hpp"
#include "archives/zip_directory.hpp"
#include "archives/zip_links.hpp"
#include "base/limit_text.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

// How many bytes to read for the extra field of a local header, which may be longer than the one in
// the directory. Enough for Zip64 and time stamps.
constexpr std::size_t extra_bytes_guess = 64;

// Mounting reads local headers only of entries that overlap, and at most this many.
constexpr std::size_t headers_looked_at_max = 256;

// File types in the upper half of the attributes, if the archive was made on Unix.
constexpr unsigned unix_kind_mask = 0170000;
constexpr unsigned unix_folder = 0040000;
constexpr unsigned unix_regular = 0100000;
constexpr unsigned unix_link = 0120000;

unsigned unix_kind_of(const zip_record& record) noexcept {
  const auto system = static_cast<zip_system>(record.made_on);
  if (system != zip_system::posix && system != zip_system::darwin) return 0;
  return record.attributes >> 16 & unix_kind_mask;
}

bool writes_backslashes(std::uint8_t made_on) noexcept {
  switch (static_cast<zip_system>(made_on)) {
    case zip_system::dos:
    case zip_system::ntfs:
    case zip_system::ntfs_of_info_zip:
    case zip_system::vfat:
      return true;
    case zip_system::posix:
    case zip_system::darwin:
      break;
  }
  return false;
}

// False if the method is unsupported.
bool to_compression(std::uint16_t zip_method, compression& method) noexcept {
  switch (zip_method) {
    case zip_method_stored:
      method = compression::none;
      return true;
    case zip_method_deflate:
      method = compression::deflate;
      return true;
    case zip_method_zstd:
    case zip_method_first_zstd:
      method = compression::zstd;
      return true;
    default:
      return false;
  }
}

entry_flaw flaw_of_method(std::uint16_t zip_method) noexcept {
  switch (zip_method) {
    case zip_method_deflate64:
      return entry_flaw::deflate64;
    case zip_method_bzip2:
      return entry_flaw::bzip2;
    case zip_method_lzma:
      return entry_flaw::lzma;
    case zip_method_xz:
      return entry_flaw::xz;
    case zip_method_ppmd:
      return entry_flaw::ppmd;
    case zip_method_aes:
      return entry_flaw::strongly_encrypted;
    default:
      return entry_flaw::method;
  }
}

entry_flaw flaw_of_sizes(compression method, std::uint64_t packed, std::uint64_t bytes) noexcept {
  if (method == compression::none) {
    return bytes == packed ? entry_flaw::none : entry_flaw::stored_size;
  }
  const std::uint64_t ratio =
      method == compression::zstd ? limits::zstd_ratio_max : limits::deflate_ratio_max;
  return bytes / ratio <= packed ? entry_flaw::none : entry_flaw::ratio;
}

// Checks in this order, so `encrypted` means that nothing else is wrong.
entry_flaw flaw_of(const zip_record& record) noexcept {
  if (record.sizes_missing) return entry_flaw::sizes;
  if (record.in_another_part) return entry_flaw::in_parts;
  if ((record.flags & (zip_flag_strongly_encrypted | zip_flag_masked)) != 0) {
    return entry_flaw::strongly_encrypted;
  }
  compression method = compression::none;
  if ((record.flags & zip_flag_patch) != 0) return entry_flaw::method;
  if (!to_compression(record.method, method)) return flaw_of_method(record.method);
  if ((record.flags & zip_flag_encrypted) == 0) {
    return flaw_of_sizes(method, record.packed_bytes, record.bytes);
  }
  if (record.packed_bytes < zip_encryption_header_bytes) return entry_flaw::stored_size;
  const entry_flaw flaw =
      flaw_of_sizes(method, record.packed_bytes - zip_encryption_header_bytes, record.bytes);
  if (flaw != entry_flaw::none) return flaw;
  const std::uint64_t larger = std::max(record.bytes, record.packed_bytes);
  return larger > limits::block_bytes_max ? entry_flaw::encrypted_too_large : entry_flaw::encrypted;
}

// The central directory.
struct zip_directory {
  std::uint64_t base = 0;    // where the archive begins, after a self-extractor for instance
  std::uint64_t offset = 0;  // of the directory in the file
  std::span<const std::byte> bytes;
};

class zip_list {
 public:
  zip_list(const archive_input& input, archive& into) noexcept
      : input_(input),
        into_(into),
        builder_(into, input.prefix),
        tail_(into.names.memory(), memory_tag::vfs),
        room_(into.names.memory(), memory_tag::vfs),
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
  result<bool> looks_cut() noexcept;
  result<std::span<const std::byte>> bytes_at(std::uint64_t offset, std::uint64_t count) noexcept;
  result<void> find_directory(const zip_end& end) noexcept;
  result<void> make_room(const zip_end& end) noexcept;
  result<void> add_records() noexcept;
  result<void> add(const zip_record& record) noexcept;
  result<bool> add_named(const zip_record& record, const archive_entry& entry) noexcept;
  result<void> prepare_decrypter() noexcept;
  [[nodiscard]] archive_entry entry_of(const zip_record& record) const noexcept;
  result<void> find_overlaps() noexcept;
  // The size of the local header without its extra field.
  [[nodiscard]] std::uint64_t least_frame_bytes(const archive_entry& entry) const noexcept;
  // Whether the entry's local header is where the directory says.
  bool has_header(const archive_entry& entry) noexcept;

  const archive_input& input_;
  archive& into_;
  archive_builder builder_;
  vec<std::byte> tail_;  // of the file
  vec<std::byte> room_;  // the directory, if it is not in the tail
  zip_directory directory_;
  vec<std::uint32_t> links_;
  struct encrypted_entry {
    std::uint32_t entry = 0;
    std::uint8_t check = 0;
  };
  vec<encrypted_entry> encrypted_;
  std::size_t headers_looked_at_ = 0;
};

result<bool> zip_list::run() noexcept {
  const std::uint64_t file_bytes = input_.status.size;
  if (!tail_.resize_for_overwrite(std::min<std::uint64_t>(file_bytes, zip_tail_bytes)))
    return no_memory();
  result<void> done = read(file_bytes - tail_.size(), {tail_.data(), tail_.size()});
  if (!done) return tl::unexpected(done.error());
  const result<zip_end> end = find_zip_end(
      tail_.span(), file_bytes,
      [this](std::uint64_t offset, std::span<std::byte> to) { return read(offset, to); });
  if (!end && end.error().code != errc::not_found) return tl::unexpected(end.error());
  if (!end) {
    const result<bool> cut = looks_cut();
    if (!cut) return cut;
    if (*cut) return fail(errc::corrupt, "the archive has no end record and is probably truncated");
    return false;
  }
  path_index index(into_.names.memory());
  done = find_directory(*end)
             .and_then([&] { return make_room(*end); })
             .and_then([&] { return add_records(); })
             .and_then([&] { return find_overlaps(); })
             .and_then([&] { return builder_.index_last_of_each(index); })
             .and_then([&] { return prepare_decrypter(); });
  if (done && !links_.empty()) {
    done = resolve_zip_links(links_.span(), index, input_.os, into_, builder_);
  }
  if (!done) return tl::unexpected(done.error());
  builder_.finish();
  return true;
}

result<bool> zip_list::looks_cut() noexcept {
  if (tail_.size() == input_.status.size) return begins_like_zip(tail_.span());
  std::byte front[4];
  return read(0, front).map([&] { return begins_like_zip(front); });
}

result<std::span<const std::byte>> zip_list::bytes_at(std::uint64_t offset,
                                                      std::uint64_t count) noexcept {
  const std::uint64_t tail_offset = input_.status.size - tail_.size();
  if (offset >= tail_offset) return tail_.span().subspan(offset - tail_offset, count);
  if (!room_.resize_for_overwrite(count)) return no_memory();
  return read(offset, {room_.data(), room_.size()}).map([this] { return room_.span(); });
}

// Normally the directory ends where the end records begin; otherwise unknown data is in between.
result<void> zip_list::find_directory(const zip_end& end) noexcept {
  if (end.directory_bytes > limits::archive_directory_bytes_max) {
    return fail(errc::limit, limit_text::archive_directory);
  }
  const std::uint64_t latest = end.offset - end.directory_bytes;
  const std::uint64_t stated = end.directory_offset;
  if (end.directory_bytes == 0) {
    directory_ = {0, latest, {}};
    return {};
  }
  for (const std::uint64_t offset : {latest, stated}) {
    if (offset < stated || offset > latest) continue;
    const result<std::span<const std::byte>> bytes = bytes_at(offset, end.directory_bytes);
    if (!bytes) return tl::unexpected(bytes.error());
    if (measure_zip_record(*bytes).record == 0) continue;
    directory_ = {offset - stated, offset, *bytes};
    return {};
  }
  return fail(errc::corrupt, "the archive's directory is not where the end record says", {},
              stated);
}

// Measures all records first: only their number reveals a broken one, and the tables can then be
// allocated at their final size.
result<void> zip_list::make_room(const zip_end& end) noexcept {
  std::span<const std::byte> rest = directory_.bytes;
  std::uint64_t records = 0;
  std::uint64_t names = 0;
  for (;;) {
    const zip_record_size size = measure_zip_record(rest);
    if (size.record == 0) break;
    rest = rest.subspan(size.record);
    names += size.name;
    ++records;
  }
  if ((end.entries_in_16_bits ? records & UINT16_MAX : records) != end.entries) {
    return fail(errc::corrupt,
                "the archive's directory does not list as many files as the end record says", {},
                directory_.offset + directory_.bytes.size() - rest.size());
  }
  if (records > limits::entries_max) {
    return fail(errc::limit, limit_text::files);
  }
  directory_.bytes = directory_.bytes.first(directory_.bytes.size() - rest.size());
  const std::uint64_t names_bytes = names + records * (input_.prefix.size() + 1);
  if (names_bytes > UINT32_MAX) return fail(errc::limit, "more than 4 GiB of names");
  if (!into_.entries.reserve(records) || !into_.names.reserve(names_bytes)) return no_memory();
  return {};
}

result<void> zip_list::add_records() noexcept {
  std::span<const std::byte> rest = directory_.bytes;
  while (!rest.empty()) {
    zip_record record;
    rest = rest.subspan(read_zip_record(rest, record));
    if (result<void> added = add(record); !added) return added;
  }
  return {};
}

result<void> zip_list::add(const zip_record& record) noexcept {
  const unsigned kind = unix_kind_of(record);
  if (kind == unix_folder) return {};
  if (kind != 0 && kind != unix_regular && kind != unix_link) {
    return builder_.skip(record.name, skip_reason::not_a_file);
  }
  const result<bool> added = add_named(record, entry_of(record));
  if (!added) return tl::unexpected(added.error());
  if (!*added) return {};
  const auto number = static_cast<std::uint32_t>(into_.entries.size() - 1);
  if (kind == unix_link && !links_.push_back(number)) return no_memory();
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

// Old archivers for Windows and DOS separate folders with backslashes.
result<bool> zip_list::add_named(const zip_record& record, const archive_entry& entry) noexcept {
  std::string_view name = record.name;
  char converted[limits::path_bytes_max];
  if (writes_backslashes(record.made_on) && name.size() <= sizeof converted &&
      name.find('\\') != std::string_view::npos) {
    std::replace_copy(name.begin(), name.end(), converted, '\\', '/');
    name = {converted, name.size()};
  }
  if (name.ends_with('/')) return false;  // a folder
  if (const char* flaw = name == record.name ? nullptr : path_flaw(name)) {
    return builder_.skip(record.name, flaw).map([] { return false; });
  }
  return builder_.add(name, entry);
}

archive_entry zip_list::entry_of(const zip_record& record) const noexcept {
  archive_entry entry;
  entry.flaw = flaw_of(record);
  entry.packed_bytes = record.packed_bytes;
  entry.bytes = record.bytes;
  entry.crc32 = record.crc32;
  (void)to_compression(record.method, entry.method);
  const std::uint64_t least = zip_local_header_bytes + record.name.size();
  const std::uint64_t archive_bytes = directory_.offset - directory_.base;
  entry.offset =
      record.header > UINT64_MAX - directory_.base ? UINT64_MAX : directory_.base + record.header;
  if (record.header > archive_bytes || least > archive_bytes - record.header ||
      record.packed_bytes > archive_bytes - record.header - least) {
    entry.flaw = entry_flaw::outside;
    return entry;
  }
  const std::uint64_t guess = least + std::max<std::size_t>(record.extra_bytes, extra_bytes_guess);
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
    if (last && next.offset - last->offset < least_frame_bytes(*last) + last->packed_bytes) {
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

std::uint64_t zip_list::least_frame_bytes(const archive_entry& entry) const noexcept {
  return zip_local_header_bytes + entry.name_bytes - into_.prefix_bytes;
}

bool zip_list::has_header(const archive_entry& entry) noexcept {
  if (++headers_looked_at_ > headers_looked_at_max) return true;
  std::byte room[zip_local_header_bytes + limits::path_bytes_max];
  const std::span<std::byte> bytes(room, least_frame_bytes(entry));
  zip_local_header header;
  if (!read(entry.offset, bytes) || !read_zip_local_header(bytes, header)) return false;
  const std::string_view name = into_.path_of(entry).substr(into_.prefix_bytes);
  if (header.name_bytes != name.size()) return false;
  const auto* const found = reinterpret_cast<const char*>(room) + zip_local_header_bytes;
  return std::equal(name.begin(), name.end(), found,
                    [](char a, char b) { return a == b || (a == '/' && b == '\\'); });
}

result<bool> list(const archive_input& input, archive& into) noexcept {
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

result<opened_entry> open(const archive& from, const archive_entry& entry,
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
  if (has_size && header.packed_bytes != place.packed_bytes) {
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

const archive_format zip_format{mount_format::zip,    "zip", false, true,
                                "zip pk3 pk4 pkz wz", list,  open};

}  // namespace overture::archives_detail

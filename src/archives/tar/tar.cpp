// SPDX-License-Identifier: Zlib
//
// tar, and tar packed as a whole by gzip, xz, zstd or BZip2.
//
//   for each file a header (see tar_header.hpp) and its data, filled up to 512 bytes; in the end
//   two blocks of zeros
//
// There is no directory, so listing reads every header, and of a packed archive everything. Hard
// links are followed as symbolic ones are. Unsupported: sparse files, archives in several volumes.
#include <algorithm>
#include <cstring>

#include "archives/bomb.hpp"
#include "archives/names/skip_reason.hpp"
#include "archives/tables/plain_table.hpp"
#include "archives/tar/packed_tar.hpp"
#include "archives/tar/tar_header.hpp"
#include "base/limit_text.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t pax_bytes_max = 1u << 20;
constexpr const char* unpack_first_limit =
    "the packed archive unpacks to more than 1 GiB; unpack it first";
static_assert(limits::block_bytes_max == limit_text::gib);
constexpr const char* unpack_first_budget =
    "the packed archive unpacks to more than the memory budget; unpack it first, or allow more";

std::uint64_t whole_blocks(std::uint64_t bytes) noexcept {
  return (bytes + tar_block_bytes - 1) / tar_block_bytes * tar_block_bytes;
}

// The bytes of an archive, which is unpacked if need be. Offsets do not go back.
class tar_bytes {
 public:
  virtual ~tar_bytes() = default;
  // False if the archive ends first.
  virtual result<bool> read(std::uint64_t offset, std::span<std::byte> to) noexcept = 0;
  // Once all headers are read. Returns whether bytes follow that are not part of the archive.
  virtual result<bool> read_to_end() noexcept { return false; }
};

class stored_bytes final : public tar_bytes {
 public:
  explicit stored_bytes(plain_table& table) noexcept : table_(table) {}
  result<bool> read(std::uint64_t offset, std::span<std::byte> to) noexcept override {
    if (!fits(offset, 1, to.size(), table_.file_bytes())) return false;
    return table_.read(offset, to.size()).map([&](const std::byte* from) {
      std::copy_n(from, to.size(), to.begin());
      return true;
    });
  }

 private:
  plain_table& table_;
};

class unpacked_bytes final : public tar_bytes {
 public:
  unpacked_bytes(const archive_input& input, allocator& memory, tar_packing packing,
                 archive_reader packed) noexcept
      : input_(input),
        stream_(memory, packing, checksums::ignored, input.status.size, packed),
        skipped_(memory, memory_tag::vfs) {}
  result<bool> read(std::uint64_t offset, std::span<std::byte> to) noexcept override;
  result<bool> read_to_end() noexcept override;
  // How many there are up to where it was read.
  [[nodiscard]] std::uint64_t size() const noexcept { return at_; }

 private:
  static constexpr std::size_t skipped_bytes = 64u << 10;
  // False at the end.
  result<bool> skip(std::uint64_t bytes) noexcept;
  [[nodiscard]] result<void> check_size() const noexcept;

  const archive_input& input_;
  tar_stream stream_;
  vec<std::byte> skipped_;
  std::uint64_t at_ = 0;
};

// As soon as it is known that it will not do: a small file may unpack for hours.
result<void> unpacked_bytes::check_size() const noexcept {
  if (at_ > limits::block_bytes_max) return fail(errc::limit, unpack_first_limit);
  if (!input_.allow_bombs && is_bomb(at_, input_.status.size)) {
    return fail(errc::limit, limit_text::bomb);
  }
  if (input_.ledger && at_ > input_.ledger->limit()) return fail(errc::limit, unpack_first_budget);
  return {};
}

result<bool> unpacked_bytes::skip(std::uint64_t bytes) noexcept {
  if (skipped_.empty() && !skipped_.resize_for_overwrite(skipped_bytes)) {
    return fail(errc::out_of_memory, "out of memory for unpacking the archive");
  }
  while (bytes > 0) {
    const std::size_t count = std::min<std::uint64_t>(bytes, skipped_bytes);
    std::size_t made = 0;
    if (result<void> done = stream_.read({skipped_.data(), count}, made); !done) {
      return tl::unexpected(done.error());
    }
    at_ += made;
    if (result<void> small = check_size(); !small) return tl::unexpected(small.error());
    if (made < count) return false;
    bytes -= made;
  }
  return true;
}

result<bool> unpacked_bytes::read(std::uint64_t offset, std::span<std::byte> to) noexcept {
  if (const result<bool> there = skip(offset - at_); !there || !*there) return there;
  std::size_t made = 0;
  if (result<void> done = stream_.read(to, made); !done) return tl::unexpected(done.error());
  at_ += made;
  return made == to.size();
}

result<bool> unpacked_bytes::read_to_end() noexcept {
  const result<bool> more = skip(UINT64_MAX);
  if (!more) return more;
  return stream_.has_rest();
}

// What the headers in front of a file's own say of it.
struct long_texts {
  explicit long_texts(allocator& memory) noexcept
      : name(memory, memory_tag::vfs),
        link(memory, memory_tag::vfs),
        pax(memory, memory_tag::vfs) {}
  void clear() noexcept {
    name.clear();
    link.clear();
    pax.clear();
  }

  vec<char> name;
  vec<char> link;
  vec<char> pax;
};

class tar_list {
 public:
  tar_list(const archive_input& input, archive& into, plain_table& table, tar_bytes& bytes,
           bool is_stored) noexcept
      : input_(input),
        table_(table),
        bytes_(bytes),
        is_stored_(is_stored),
        before_(into.names.memory()),
        path_(into.names.memory(), memory_tag::vfs),
        links_(into.names.memory(), memory_tag::vfs),
        targets_(into.names.memory(), memory_tag::vfs) {}

  // False if it is no tar archive.
  result<bool> run() noexcept;

 private:
  // False if nothing follows.
  result<bool> take_next() noexcept;
  result<void> take(tar_header& header) noexcept;
  result<void> take_file(const tar_header& header, std::string_view path, bool sparse) noexcept;
  result<void> take_link(std::string_view path, std::string_view target, bool hard) noexcept;
  result<bool> keep_text(const tar_header& header, vec<char>& text) noexcept;
  result<bool> lose_rest(const char* reason) noexcept {
    return table_.lose({}, reason).map([] { return false; });
  }
  static tl::unexpected<error> no_memory() {
    return fail(errc::out_of_memory, "out of memory for the archive's names");
  }

  const archive_input& input_;
  plain_table& table_;
  tar_bytes& bytes_;
  const bool is_stored_;
  std::uint64_t at_ = 0;  // of the next header, or of the data behind the one just read
  bool was_empty_ = false;
  tar_block block_{};
  long_texts before_;
  vec<char> path_;
  vec<std::uint32_t> links_;  // entries, whose offset and bytes are those of their target here:
  vec<char> targets_;
};

result<bool> tar_list::run() noexcept {
  const result<bool> first = bytes_.read(0, block_);
  if (!first || !*first) return first;
  const bool is_tar =
      is_tar_header(block_) && (has_tar_magic(block_) || input_.has_extension_of("tar"));
  if (!is_tar) return false;
  result<bool> more = true;
  while (more && *more) more = take_next();
  if (more) more = bytes_.read_to_end();
  result<void> done = more ? result<void>() : tl::unexpected(more.error());
  if (done && *more) done = table_.skip("data after the end", skip_reason::not_in_packed_tar);
  const auto target = [this](const archive_entry& link, std::span<char> to) -> result<link_text> {
    std::copy_n(targets_.data() + link.offset, link.bytes, to.data());
    return link_text{link.bytes};
  };
  return table_.finish_links(done, links_.span(), target);
}

result<bool> tar_list::take_next() noexcept {
  if (at_ > 0) {
    const result<bool> there = bytes_.read(at_, block_);
    if (!there || !*there) return there;
  }
  at_ += tar_block_bytes;
  if (is_empty(block_)) {
    if (was_empty_) return false;
    was_empty_ = true;
    return true;
  }
  was_empty_ = false;
  tar_header header;
  if (!is_tar_header(block_) || !read_tar_header(block_, header)) {
    return lose_rest(skip_reason::tar_broken_header);
  }
  switch (header.type) {
    case 'L':
      return keep_text(header, before_.name);
    case 'K':
      return keep_text(header, before_.link);
    case 'x':
    case 'X':
      return keep_text(header, before_.pax);
    default:
      break;
  }
  if (result<void> done = take(header); !done) return tl::unexpected(done.error());
  before_.clear();
  if (header.bytes > INT64_MAX - tar_block_bytes) return false;
  at_ += whole_blocks(header.bytes);
  return true;
}

// The data of a header that is about the next one.
result<bool> tar_list::keep_text(const tar_header& header, vec<char>& text) noexcept {
  if (header.bytes > pax_bytes_max) return lose_rest(skip_reason::tar_broken_header);
  if (!text.resize_for_overwrite(header.bytes)) return no_memory();
  const std::span<std::byte> room(reinterpret_cast<std::byte*>(text.data()), text.size());
  const result<bool> there = bytes_.read(at_, room);
  if (!there) return there;
  if (!*there) return lose_rest(skip_reason::cut_in_header);
  at_ += whole_blocks(header.bytes);
  return true;
}

std::string_view up_to_nul(const vec<char>& text) noexcept {
  const std::string_view all(text.data(), text.size());
  return all.substr(0, all.find('\0'));
}

result<void> tar_list::take(tar_header& header) noexcept {
  pax_values pax;
  if (!read_pax({before_.pax.data(), before_.pax.size()}, pax)) {
    return table_.lose(header.name, skip_reason::tar_broken_header);
  }
  std::uint64_t seconds = 0;
  if (read_pax_number(pax.mtime, seconds) && seconds <= UINT32_MAX) {
    header.modified_s = static_cast<std::uint32_t>(seconds);
  }
  if (!pax.size.empty() && !read_pax_number(pax.size, header.bytes)) {
    return table_.lose(header.name, skip_reason::tar_broken_header);
  }
  path_.clear();
  const auto append = [this](std::string_view text) {
    return path_.append(text.data(), text.size());
  };
  if (!pax.path.empty() || !before_.name.empty()) {
    if (!append(!pax.path.empty() ? pax.path : up_to_nul(before_.name))) return no_memory();
  } else if ((!header.prefix.empty() && (!append(header.prefix) || !append("/"))) ||
             !append(header.name)) {
    return no_memory();
  }
  const std::string_view path(path_.data(), path_.size());
  const std::string_view link = !pax.link.empty()       ? pax.link
                                : !before_.link.empty() ? up_to_nul(before_.link)
                                                        : header.link;
  switch (header.type) {
    case '1':
    case '2':
      header.bytes = 0;
      return take_link(path, link, header.type == '1');
    case '3':
    case '4':
    case '6':
      header.bytes = 0;
      return table_.skip(path, skip_reason::not_a_file);
    case '5':
      header.bytes = 0;
      return {};
    case 'D':  // a folder's list
    case 'V':  // the name of the archive
    case 'g':  // pax, about all files
      return {};
    case 'M':
      return table_.lose(path, skip_reason::tar_volume);
    default:
      return take_file(header, path, pax.sparse || header.type == 'S');
  }
}

result<void> tar_list::take_file(const tar_header& header, std::string_view path,
                                 bool sparse) noexcept {
  archive_entry entry;
  entry.offset = at_;
  entry.packed_bytes = header.bytes;
  entry.bytes = header.bytes;
  entry.origin = {.modified_s = header.modified_s, .executable = header.executable};
  // How much a packed archive has is known only in the end.
  const bool outside = is_stored_ && !fits(at_, 1, header.bytes, table_.file_bytes());
  if (outside) entry.flaw = entry_flaw::outside;
  if (sparse) entry.flaw = entry_flaw::sparse;
  return table_.add_entry(path, entry);
}

// The target of a hard link is a path of the archive, that of a symbolic one begins where it is.
result<void> tar_list::take_link(std::string_view path, std::string_view target,
                                 bool hard) noexcept {
  constexpr std::string_view up = "../";
  while (path.starts_with("./")) path.remove_prefix(2);
  const auto depth = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
  const std::size_t bytes = target.size() + (hard ? depth * up.size() : 0);
  if (bytes > limits::link_target_bytes_max) {
    return table_.skip(path, skip_reason::link_target_too_long);
  }
  archive_entry entry;
  entry.offset = targets_.size();
  entry.bytes = bytes;
  const std::uint32_t number = table_.entry_count();
  if (result<void> added = table_.add_entry(path, entry); !added) return added;
  if (table_.entry_count() == number) return {};  // skipped
  if (!links_.push_back(number)) return no_memory();
  for (std::size_t i = 0; hard && i < depth; ++i) {
    if (!targets_.append(up.data(), up.size())) return no_memory();
  }
  return targets_.append(target.data(), target.size()) ? result<void>() : no_memory();
}

// --- The format ----------------------------------------------------------------------------------

result<bool> list_stored(const archive_input& input, archive& into) noexcept {
  plain_table table(input, into);
  stored_bytes bytes(table);
  return tar_list(input, into, table, bytes, true).run();
}

result<bool> list_packed(const archive_input& input, archive& into, tar_packing packing) noexcept {
  allocator& memory = into.names.memory();
  const auto packed = [&](std::uint64_t offset, std::span<std::byte> to) {
    return read_fully(input.os, into.handle.get(), offset, to);
  };
  unpacked_bytes bytes(input, memory, packing, packed);
  plain_table table(input, into);
  const result<bool> listed = tar_list(input, into, table, bytes, false).run();
  if (!listed) {
    // What is packed like this, and broken from the beginning on, may be anything.
    const bool is_other = into.entries.empty() && into.lost.empty() &&
                          listed.error().code == errc::corrupt &&
                          !input.has_extension_of("tgz txz tzst tbz tbz2");
    return is_other ? result<bool>(false) : listed;
  }
  if (!*listed) return listed;
  auto* const store =
      into.store.make<packed_tar>(memory, input.os, into.handle, packing, input.status.size);
  if (!store) return fail(errc::out_of_memory, "out of memory for the archive");
  if (const result<std::uint64_t> added = store->add_all(bytes.size()); !added) {
    return tl::unexpected(added.error());
  }
  for (archive_entry& entry : into.entries) {
    const bool whole = fits(entry.offset, 1, entry.bytes, bytes.size());
    if (!whole && entry.flaw == entry_flaw::none) entry.flaw = entry_flaw::outside;
  }
  return true;
}

result<bool> list_tar(const archive_input& input, archive& into) noexcept {
  const tar_packing packing = packing_of(input.front);
  return packing == tar_packing::none ? list_stored(input, into)
                                      : list_packed(input, into, packing);
}

result<opened_entry> open_tar(const archive& from, const archive_entry& entry,
                              operating_system& os) noexcept {
  result<opened_entry> opened = open_plain(from, entry, os);
  if (opened && from.store.get() && entry.bytes > 0) opened->handle = from.store.get()->open_all();
  return opened;
}

}  // namespace

const archive_format tar_format{
    .id = mount_format::tar,
    .name = "tar",
    .files = "tar, also packed with gzip, xz, zstd or BZip2",
    .libraries = "Overture, zlib, liblzma, libzstd, libbz2",
    .extensions = "tar tgz txz tzst tbz tbz2",
    .list = list_tar,
    .open = open_tar,
    .keeps_backslashes = true,
};

}  // namespace overture::archives_detail

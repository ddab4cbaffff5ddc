// Symbolic links in ZIP archives: the data of such an entry is the target's path.
#include <algorithm>

#include "overture/unpack.hpp"
#include "vfs/formats/zip.hpp"

namespace overture::vfs {
namespace {

struct zip_link {
  std::uint32_t entry = 0;
  std::uint32_t target = 0;  // where in the texts
  std::uint32_t target_bytes = 0;
  const char* flaw = nullptr;  // why it leads nowhere
  std::uint32_t leads_to = 0;  // a file's entry
};

class link_resolver {
 public:
  link_resolver(const path_index& index, operating_system& os, archive& into) noexcept
      : index_(index),
        os_(os),
        into_(into),
        links_(into.names.memory(), memory_tag::vfs),
        targets_(into.names.memory(), memory_tag::vfs),
        room_(into.names.memory(), memory_tag::vfs) {}

  result<void> run(std::span<const std::uint32_t> entries, archive_builder& builder) noexcept;

 private:
  static tl::unexpected<error> no_memory() {
    return fail(errc::out_of_memory, "no memory to resolve the archive's links");
  }
  result<void> read_target(zip_link& link) noexcept;
  result<std::span<const std::byte>> read_packed(const file_place& place) noexcept;
  void follow(zip_link& link) const noexcept;
  [[nodiscard]] const zip_link* link_at(std::uint32_t entry) const noexcept;

  const path_index& index_;
  operating_system& os_;
  archive& into_;
  vec<zip_link> links_;  // by entry
  vec<char> targets_;
  vec<std::byte> room_;
  unpacker unpacker_;
};

result<void> link_resolver::run(std::span<const std::uint32_t> entries,
                                archive_builder& builder) noexcept {
  if (!links_.reserve(entries.size())) return no_memory();
  for (const std::uint32_t entry : entries) {
    if (into_.entries[entry].name_bytes == 0) continue;  // taken back
    zip_link link;
    link.entry = entry;
    if (result<void> read = read_target(link); !read) return read;
    (void)links_.push_back(link);  // has room
  }
  for (zip_link& link : links_) follow(link);
  for (const zip_link& link : links_) {
    if (link.flaw) {
      if (result<void> taken = builder.take_back(link.entry, link.flaw); !taken) return taken;
      continue;
    }
    archive_entry& entry = into_.entries[link.entry];
    archive_entry target = into_.entries[link.leads_to];
    target.id = entry.id;
    target.name = entry.name;
    target.name_bytes = entry.name_bytes;
    entry = target;
  }
  return {};
}

// Fails only for want of memory; what else is wrong is the link's flaw.
result<void> link_resolver::read_target(zip_link& link) noexcept {
  const archive_entry& entry = into_.entries[link.entry];
  if (entry.flaw != entry_flaw::none) {
    link.flaw = error_of(entry.flaw).reason;
    return {};
  }
  if (entry.bytes > limits::link_target_bytes_max ||
      entry.packed_bytes > limits::link_target_bytes_max) {
    link.flaw = "the link's target is too long";
    return {};
  }
  const file_place place = zip_place(entry);
  const result<std::span<const std::byte>> packed = read_packed(place);
  if (!packed && packed.error().code == errc::out_of_memory) return tl::unexpected(packed.error());
  std::byte target[limits::link_target_bytes_max];
  const std::span<std::byte> bytes(target, entry.bytes);
  if (packed) {
    const result<void> unpacked = unpacker_.unpack(entry.method, *packed, bytes);
    if (!unpacked && unpacked.error().code == errc::out_of_memory) return unpacked;
    if (unpacked && crc32(bytes) == entry.crc32) {
      link.target = static_cast<std::uint32_t>(targets_.size());
      link.target_bytes = static_cast<std::uint32_t>(bytes.size());
      if (targets_.size() > UINT32_MAX || !targets_.append(bytes.data(), bytes.size())) {
        return no_memory();
      }
      return {};
    }
  }
  link.flaw = "the link's target cannot be read";
  return {};
}

result<std::span<const std::byte>> link_resolver::read_packed(const file_place& place) noexcept {
  file_place longer = place;
  for (;;) {
    if (!room_.resize_for_overwrite(longer.read_bytes)) return no_memory();
    const std::span<std::byte> bytes(room_.data(), room_.size());
    result<void> read = read_fully(os_, into_.handle.get(), longer.offset, bytes);
    if (!read) return tl::unexpected(read.error());
    const result<std::span<const std::byte>> packed = zip_packed_part(longer, bytes);
    const bool once_more =
        !packed && packed.error().code == errc::truncated && longer.read_bytes == place.read_bytes;
    if (!once_more) return packed;
    longer.read_bytes = packed.error().offset;
  }
}

const zip_link* link_resolver::link_at(std::uint32_t entry) const noexcept {
  const zip_link* const found =
      std::lower_bound(links_.begin(), links_.end(), entry,
                       [](const zip_link& link, std::uint32_t at) { return link.entry < at; });
  return found != links_.end() && found->entry == entry ? found : nullptr;
}

// The path that a link's target means: `text` begins as the path of the link's folder, whose first
// `floor` bytes belong to the mount point.
class target_path {
 public:
  target_path(std::string_view link, std::size_t floor) noexcept : floor_(floor) {
    std::copy(link.begin(), link.end(), text_);
    bytes_ = link.size();
    drop_element();
  }

  // False: the target is not in the archive.
  [[nodiscard]] bool apply(std::string_view target) noexcept {
    if (target.starts_with('/')) return false;
    while (!target.empty()) {
      const std::size_t slash = target.find('/');
      const std::string_view element = target.substr(0, slash);
      target.remove_prefix(slash == std::string_view::npos ? target.size() : slash + 1);
      if (element.empty() || element == ".") continue;
      if (element == "..") {
        if (bytes_ == floor_) return false;
        drop_element();
      } else if (!add_element(element)) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] std::string_view text() const noexcept { return {text_, bytes_}; }

 private:
  void drop_element() noexcept {
    const std::size_t slash = text().substr(floor_).rfind('/');
    bytes_ = slash == std::string_view::npos ? floor_ : floor_ + slash;
  }
  bool add_element(std::string_view element) noexcept {
    const std::size_t separator = bytes_ == floor_ ? 0 : 1;
    if (element.size() + separator > sizeof text_ - bytes_) return false;
    if (separator != 0) text_[bytes_++] = '/';
    std::copy(element.begin(), element.end(), text_ + bytes_);
    bytes_ += element.size();
    return true;
  }

  std::size_t floor_;
  std::size_t bytes_ = 0;
  char text_[limits::path_bytes_max];
};

void link_resolver::follow(zip_link& link) const noexcept {
  const zip_link* step = &link;
  for (unsigned followed = 0; followed < limits::archive_links_followed_max; ++followed) {
    if (step->flaw) {
      link.flaw = step->flaw;
      return;
    }
    target_path path(into_.path_of(into_.entries[step->entry]), into_.prefix_bytes);
    if (!path.apply({targets_.data() + step->target, step->target_bytes})) {
      link.flaw = "the link leaves the tree";
      return;
    }
    const path_index::slot& found = index_.find({path.text(), {hash64(path.text())}});
    if (found.path == nullptr) {
      link.flaw = "the link leads to no file of the archive";
      return;
    }
    link.leads_to = found.value;
    step = link_at(found.value);
    if (!step) return;
  }
  link.flaw = "the link makes a loop";
}

}  // namespace

result<void> resolve_zip_links(std::span<const std::uint32_t> links, const path_index& index,
                               operating_system& os, archive& into,
                               archive_builder& builder) noexcept {
  return link_resolver(index, os, into).run(links, builder);
}

}  // namespace overture::vfs

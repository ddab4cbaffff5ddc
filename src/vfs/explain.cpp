// SPDX-License-Identifier: Zlib
//
// file_system::explain() and describe(): sentences about errors and sources.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/system/system_text.hpp"
#include "overture/vfs/file_system.hpp"
#include "vfs/state.hpp"

namespace overture {
namespace {

// Appends text, cut to the room and terminated with NUL.
class sentence {
 public:
  explicit sentence(std::span<char> room) noexcept : room_(room) {
    if (!room_.empty()) room_[0] = '\0';
  }

  sentence& operator<<(std::string_view part) noexcept {
    if (room_.empty()) return *this;
    const std::size_t fitting = std::min(part.size(), room_.size() - 1 - length_);
    if (fitting > 0) std::memcpy(room_.data() + length_, part.data(), fitting);
    length_ += fitting;
    room_[length_] = '\0';
    return *this;
  }
  sentence& operator<<(std::uint64_t number) noexcept {
    char digits[20];
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

 private:
  std::span<char> room_;
  std::size_t length_ = 0;
};

void write_os_error(sentence& out, int os_error) noexcept {
  char room[128];
  out << " (" << base_detail::error_text(os_error, room) << ")";
}

void write_path(sentence& out, const vfs_detail::mount& from,
                const archives_detail::archive_entry& entry) noexcept {
  out << from.content.path_of(entry) << " in " << from.path_text();
}

void write_loose_path(sentence& out, const vfs_detail::mount& from, std::uint32_t number) noexcept {
  constexpr std::uint32_t written = vfs_detail::source_owner::written_bit;
  if ((number & written) == 0) return write_path(out, from, from.content.entries[number]);
  const vfs_detail::written_name* name = from.written.newest();
  while (name && name->number != (number & ~written)) name = name->older;
  if (name) out << name->path() << " in ";
  out << from.path_text();
}

// The entry that begins at an offset of an archive, or else the one that contains it.
const archives_detail::archive_entry* entry_at(const archives_detail::archive& content,
                                               std::uint64_t offset) noexcept {
  const archives_detail::archive_entry* around = nullptr;
  for (const archives_detail::archive_entry& entry : content.entries) {
    if (entry.offset == offset) return &entry;
    if (entry.flaw == archives_detail::entry_flaw::outside || offset < entry.offset) continue;
    if (offset - entry.offset < entry.frame_bytes + entry.packed_bytes) around = &entry;
  }
  return around;
}

// "path id 0123456789abcdef": a path that is not in the tree has no text there.
struct id_text {
  char room[24] = "path id ";
};

std::string_view path_in(const vfs_detail::snapshot& now, const vfs_detail::tree* frozen,
                         path_id path, id_text& room) noexcept {
  const entry_index entry = frozen ? frozen->find(path) : vfs_detail::frozen_index::none;
  if (entry != vfs_detail::frozen_index::none) return (*frozen)[entry].path();
  const std::string_view text = now.index.text_of(path);
  if (!text.empty()) return text;
  for (std::size_t i = 0; i < 16; ++i) {
    room.room[8 + i] = "0123456789abcdef"[path.value >> (60 - 4 * i) & 15];
  }
  return {room.room, sizeof room.room};
}

}  // namespace

std::size_t file_system::explain(const error& failure, std::span<char> text) const noexcept {
  sentence out(text);
  os_handle handle;
  vfs_detail::source_owner owner;
  id_text hex;
  if (state_ && failure.code == errc::collision && state_->colliding[0].text) {
    const vfs_detail::tree_entry(&paths)[2] = state_->colliding;
    out << failure.reason << ": " << paths[0].path();
    out << " in " << state_->mount_at(paths[0].mount).path_text() << " and " << paths[1].path();
    out << " in " << state_->mount_at(paths[1].mount).path_text();
    return out.length();
  }
  const bool has_place =
      failure.offset != 0 && failure.code != errc::password && failure.code != errc::out_of_memory;
  const bool known = state_ && state_->mounts.sources().find(failure.source, handle, owner);
  const bool has_path = state_ && failure.path != path_id{};
  std::optional<reading> now;
  if (known || has_path) now.emplace(*state_);
  const vfs_detail::mount* const from = known ? (**now).find(owner.mount) : nullptr;
  if (!from && has_path) {
    out << path_in(**now, state_->frozen_tree(), failure.path, hex);
    out << (has_place ? " " : ": ");
  }
  if (from) {
    const bool is_archive = owner.entry == vfs_detail::source_owner::whole_archive;
    const archives_detail::archive_entry* const entry =
        is_archive && failure.code != errc::out_of_memory && !has_path
            ? entry_at(from->content, failure.offset)
            : nullptr;
    if (has_path) {
      out << path_in(**now, state_->frozen_tree(), failure.path, hex) << " in "
          << from->path_text();
    } else if (!is_archive) {
      write_loose_path(out, *from, owner.entry);
    } else if (entry) {
      write_path(out, *from, *entry);
    } else {
      out << from->path_text();
    }
    if (has_place) out << " at byte " << failure.offset;
    out << ": ";
  } else if (has_place) {
    out << "at byte " << failure.offset << ": ";
  }
  out << failure.reason;
  if (failure.code == errc::out_of_memory && failure.offset != 0) {
    out << " (" << failure.offset << " bytes asked for)";
  }
  if (failure.os_error != 0) write_os_error(out, failure.os_error);
  return out.length();
}

std::size_t file_system::describe(source_id id, std::span<char> text) const noexcept {
  sentence out(text);
  os_handle handle;
  vfs_detail::source_owner owner;
  const bool known = state_ && state_->mounts.sources().find(id, handle, owner);
  std::optional<reading> now;
  if (known) now.emplace(*state_);
  const vfs_detail::mount* const from = known ? (**now).find(owner.mount) : nullptr;
  if (!from) return 0;
  if (owner.entry == vfs_detail::source_owner::whole_archive) {
    out << from->path_text();
  } else {
    write_loose_path(out, *from, owner.entry);
  }
  return out.length();
}

}  // namespace overture

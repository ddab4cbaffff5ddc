// What every format implements, and what it makes of a folder or an archive file.
//
// A format is one file with one archive_format in it, and one line in formats.cpp. Its `list` reads
// the whole directory once, at mount, into the flat tables of an archive; its `open` says, for one
// entry of them, where the bytes lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "archives/block_store.hpp"
#include "archives/handle.hpp"
#include "archives/path_index.hpp"
#include "base/vec.hpp"
#include "overture/archives/file_place.hpp"
#include "overture/archives/mount_format.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/base/os.hpp"
#include "overture/base/path.hpp"

namespace overture::vfs {

// Why an entry that is in the tree cannot be opened.
enum class entry_flaw : std::uint8_t {
  none,
  outside,      // its data are not all in the archive
  overlap,      // its data reach into another entry's
  stored_size,  // stored, but packed and unpacked sizes differ
  ratio,        // claims to unpack to more than its method can make
  sizes,        // its sizes are missing
  too_large,
  block_too_large,      // it is unpacked with a block that is
  encrypted_too_large,  // it is unpacked as a whole
  encrypted,            // and there is no password
  strongly_encrypted,   // in a way that is not read
  method,
  bzip2,  // methods that are known by name, but not read
  deflate64,
  lzma,
  ppmd,
  xz,
  bcj2,
  in_parts,
  removal,  // no file: it removes those of other mounts
};
[[nodiscard]] error error_of(entry_flaw flaw) noexcept;

struct archive_entry {
  path_id id;
  std::uint64_t offset = 0;  // archives: where to read; folders: where the name on disk is in names
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint32_t frame_bytes = 0;  // read this much more than packed_bytes, see file_place::framed
  std::uint32_t crc32 = 0;
  std::uint32_t name = 0;  // where in names
  std::uint16_t name_bytes = 0;
  compression method = compression::none;
  entry_flaw flaw = entry_flaw::none;
};
static_assert(sizeof(archive_entry) == 48);

struct skipped_entry {
  const char* reason = "";
  std::uint32_t name = 0;
  std::uint16_t name_bytes = 0;
};

// A block_store of some kind, which ends with its archive.
class owned_store {
 public:
  owned_store() = default;
  owned_store(const owned_store&) = delete;
  owned_store& operator=(const owned_store&) = delete;
  ~owned_store() {
    if (store_) end_(*memory_, store_);
  }

  // Null if the memory was refused. Once.
  template <class Store, class... Args>
  Store* make(allocator& memory, Args&&... args) noexcept {
    Store* const made =
        make_object<Store>(memory, memory_tag::vfs, memory, std::forward<Args>(args)...);
    memory_ = &memory;
    store_ = made;
    end_ = [](allocator& from, block_store* store) noexcept {
      destroy_object(from, memory_tag::vfs, static_cast<Store*>(store));
    };
    return made;
  }
  [[nodiscard]] block_store* get() const noexcept { return store_; }

 private:
  allocator* memory_ = nullptr;
  block_store* store_ = nullptr;
  void (*end_)(allocator&, block_store*) noexcept = nullptr;
};

struct archive_format;

// Does not change once it is mounted.
struct archive {
  explicit archive(allocator& memory) noexcept
      : names(memory, memory_tag::vfs),
        entries(memory, memory_tag::vfs),
        skipped(memory, memory_tag::vfs) {}

  const archive_format* format = nullptr;
  owned_handle handle;             // the archive file, or the folder
  owned_store store;               // of a format that unpacks entries for their readers
  vec<char> names;                 // each ended by NUL; paths begin with the mount point
  vec<archive_entry> entries;      // no two of one path
  vec<skipped_entry> skipped;      // in the order of their names' bytes
  std::uint32_t removals = 0;      // how many of the entries are
  std::uint32_t prefix_bytes = 0;  // how much of each path is the mount point

  [[nodiscard]] std::string_view path_of(const archive_entry& entry) const noexcept {
    return {names.data() + entry.name, entry.name_bytes};
  }
};

struct archive_input {
  operating_system& os;
  const char* path;  // as it was given to mount()
  file_status status;
  std::string_view prefix;  // put in front of every path: the mount point and a '/', or nothing
  std::span<const std::byte> front =
      {};  // an archive file's first bytes, front_bytes if it has them

  std::string_view password = {};  // for what is encrypted

  // How much of a file is read for all formats to look at.
  static constexpr std::size_t front_bytes = 512;
  [[nodiscard]] bool begins_with(std::string_view magic, std::size_t at = 0) const noexcept;
  // Whether the path ends with '.' and one of these words, in capitals or not. Extensions decide
  // nothing by themselves: files are renamed, and one extension serves many formats.
  [[nodiscard]] bool has_extension_of(std::string_view words) const noexcept;
};

struct opened_entry {
  file_place place;     // but for the source
  owned_handle handle;  // of the entry's own, a descriptor or the archive's store; or none
};

// A file below a folder. Error: not_a_file, and those of the system.
[[nodiscard]] result<opened_entry> open_loose_file(operating_system& os, os_handle folder,
                                                   const char* name) noexcept;

struct archive_format {
  mount_format id = mount_format::folder;
  const char* name = "";
  bool lists_folders = false;   // or else regular files
  bool reads_no_front = false;  // it looks elsewhere than into archive_input::front
  const char* extensions = "";  // in small letters, a space between; tried first for such a file
  // Fills the archive, whose handle is open already; false: the file is of another format.
  result<bool> (*list)(const archive_input& input, archive& into) noexcept = nullptr;
  // Any thread.
  result<opened_entry> (*open)(const archive& from, const archive_entry& entry,
                               operating_system& os) noexcept = nullptr;
};

// All formats, in the order in which they are tried.
[[nodiscard]] std::span<const archive_format* const> formats() noexcept;

extern const archive_format folder_format;
extern const archive_format pak_format;
extern const archive_format wad_format;
extern const archive_format grp_format;
extern const archive_format hog_format;
extern const archive_format mvl_format;
extern const archive_format vdf_format;
extern const archive_format chasm_format;
extern const archive_format gob_format;
extern const archive_format lab_format;
extern const archive_format lfd_format;
extern const archive_format slb_format;
extern const archive_format pod_format;
extern const archive_format seven_zip_format;
extern const archive_format rofs_format;
extern const archive_format iso_format;
extern const archive_format zip_format;

// Fills the tables of an archive and sees to what all formats have in common: names are checked,
// put under the mount point and hashed, limits are kept, duplicates sorted out.
class archive_builder {
 public:
  archive_builder(archive& into, std::string_view prefix) noexcept;
  // For one that is filled already, whose mount point takes so many bytes of each path.
  archive_builder(archive& into, std::uint32_t prefix_bytes) noexcept : into_(into) {
    into_.prefix_bytes = prefix_bytes;
  }

  // Takes `name` as a path below the mount point; one that cannot be in the tree is skipped.
  // True if an entry was added.
  result<bool> add(std::string_view name, const archive_entry& entry) noexcept;
  result<void> skip(std::string_view name, const char* reason) noexcept;
  // The same for an entry that was added; before finish().
  result<void> take_back(std::uint32_t entry, const char* reason) noexcept;
  // The same without a word, for one that others take the place of.
  void drop(std::uint32_t entry) noexcept {
    into_.entries[entry].name_bytes = 0;
    gaps_ = true;
  }
  // Keeps a text in the archive's names, ended by NUL; returns where.
  result<std::uint32_t> keep(std::string_view text) noexcept;

  // Takes back all entries but the last of each path, and makes `index` of the rest; nothing may
  // be added from then on.
  result<void> index_last_of_each(path_index& index) noexcept;
  // The same for another choice: `choose` gets two entries of one path, takes one of them back and
  // says which stays.
  result<void> index_each_once(
      path_index& index,
      function_ref<result<std::uint32_t>(std::uint32_t, std::uint32_t)> choose) noexcept;
  // Closes the gaps that take_back() has left and puts the skipped names in order.
  void finish() noexcept;

 private:
  result<std::uint32_t> append(std::string_view front, std::string_view back) noexcept;
  result<void> make_room() const noexcept;

  archive& into_;
  std::string_view prefix_;
  bool gaps_ = false;
};

}  // namespace overture::vfs

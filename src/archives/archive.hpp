// SPDX-License-Identifier: Zlib
//
// The interface every archive format implements.
//
// A format has two functions. `list` reads the whole directory once, when the archive is mounted,
// and fills the flat tables of an `archive`. `open` says where the bytes of one entry are.
//
// To add a format:
//   1. Write src/archives/NAME.cpp: the grammar as a comment at the top, then `list`, `open` and
//      one `const archive_format NAME_format`. wad.cpp is a good model. A format that only stores
//      files uncompressed builds on plain_table.hpp; one that compresses several files together
//      derives from block_store.hpp. All numbers in the archive are hostile: check each before
//      use, against base/limits.hpp.
//   2. Register it: NAME.cpp in src/archives/CMakeLists.txt, NAME_format in the declarations below
//      and in formats.cpp (the order matters), NAME in mount_format
//      (overture/archives/mount_format.hpp), and its extension, if no other kind of file has it, in
//      has_archive_extension() (cli/mounts/mounting.cpp).
//   3. Document it: the table of formats in docs/guide/vfs.md, and CHANGELOG.md.
//   4. Test it. A format on plain_table.hpp needs a writer in tests/support/table_writer.cpp, with
//      a row in table_kinds() and a case in write_table(). That brings all of plain_table_test.cpp;
//      formats with folders or without a signature are also listed there by hand. Add its name to
//      fuzz/CMakeLists.txt, its signature to fuzz/dictionaries/tables.dict and a line to
//      tools/tidy/modules.py.
//      Any other needs a writer in tests/support, a NAME_test.cpp that truncates archives and flips
//      their bits (tests/archives/archive_checks.hpp), a fuzzer fuzz/NAME.cpp with its lines in
//      fuzz/CMakeLists.txt, a dictionary, and a function in fuzz/make_archive_corpus.cpp.
//      make_archive_corpus writes the seeds of either kind; commit them in fuzz/corpus/NAME.
//
// Where texts come from: what the directory says against an entry is in error_of(entry_flaw) in
// archive.cpp, reasons why a name is skipped in skip_reason.hpp, all other errors (wrong password,
// checksum, a whole archive) where they are detected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "archives/block_store.hpp"
#include "archives/handle.hpp"
#include "archives/names/entry_name.hpp"
#include "archives/names/entry_origin.hpp"
#include "base/vec.hpp"
#include "overture/archives/file_place.hpp"
#include "overture/archives/mount_format.hpp"
#include "overture/base/error.hpp"
#include "overture/base/os.hpp"
#include "overture/base/path.hpp"

namespace overture::archives_detail {

// Why an entry that is in the tree cannot be opened. error_of() has the text for each.
enum class entry_flaw : std::uint8_t {
  none,
  outside,      // its data is not all in the archive
  overlap,      // its data overlaps another entry's
  stored_size,  // stored, but packed and unpacked sizes differ
  ratio,        // claims to unpack to more than its method can produce
  sizes,        // its sizes are missing
  too_large,
  block_too_large,      // its solid block is
  encrypted_too_large,  // encrypted entries are unpacked whole
  bomb,                 // see bomb.hpp
  encrypted,            // and there is no password
  strongly_encrypted,   // with an unsupported method
  method,               // unknown compression method
  bzip2,                // known but unsupported ones, from here on
  deflate64,
  lzma,
  ppmd,
  xz,
  method_in_7z,
  deflate64_in_7z,
  ppmd_in_7z,
  brotli_in_7z,
  lz4_in_7z,
  encryption_of_7z,  // by a build without AES
  in_parts,
  zisofs,  // a version or size of block that is unknown
  interleaved,
  sparse,
  removal,  // not a file: a removal marker, which removes files of other mounts
};
[[nodiscard]] error error_of(entry_flaw flaw) noexcept;

struct archive_entry {
  path_id id;
  std::uint64_t offset =
      0;  // of the data in the archive; in a folder, of the name on disk in names
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint32_t frame_bytes = 0;  // header to read in front, see file_place::framed
  std::uint32_t crc32 = 0;
  std::uint32_t name = 0;  // offset in names
  std::uint16_t name_bytes = 0;
  compression method = compression::none;
  entry_flaw flaw = entry_flaw::none;
  entry_origin origin;  // of an archive; a loose file is asked when it matters
};
static_assert(sizeof(archive_entry) == 56);

struct skipped_entry {
  const char* reason = "";
  std::uint32_t name = 0;
  std::uint16_t name_bytes = 0;
};

// A folder, link, name or header that could not be read, so that files are missing from the tree.
struct lost_entry {
  error why;
  std::uint32_t name = 0;
  std::uint16_t name_bytes = 0;
};

// Owns a block_store of any derived type.
class owned_store {
 public:
  owned_store() = default;
  owned_store(const owned_store&) = delete;
  owned_store& operator=(const owned_store&) = delete;
  ~owned_store() {
    if (store_) end_(*memory_, store_);
  }

  // Null if out of memory. Call it once.
  template <class Store, class... Args>
  Store* make(allocator& memory, Args&&... args) noexcept {
    Store* const made = base_detail::make_object<Store>(memory, memory_tag::vfs, memory,
                                                        std::forward<Args>(args)...);
    memory_ = &memory;
    store_ = made;
    end_ = [](allocator& from, block_store* store) noexcept {
      base_detail::destroy_object(from, memory_tag::vfs, static_cast<Store*>(store));
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

// The tables of a mounted folder or archive. They do not change once it is mounted.
struct archive {
  explicit archive(allocator& memory) noexcept
      : names(memory, memory_tag::vfs),
        entries(memory, memory_tag::vfs),
        skipped(memory, memory_tag::vfs),
        lost(memory, memory_tag::vfs) {}

  const archive_format* format = nullptr;
  owned_handle handle;                      // the archive file, or the folder
  owned_store store;                        // if the format unpacks blocks of entries
  base_detail::vec<char> names;             // each NUL-terminated; paths begin with the mount point
  base_detail::vec<archive_entry> entries;  // paths are unique
  base_detail::vec<skipped_entry> skipped;  // in byte order of the names
  base_detail::vec<lost_entry> lost;        // likewise
  std::uint32_t removals = 0;               // how many entries are removal markers
  std::uint32_t prefix_bytes = 0;           // length of the mount point in each path, with its '/'

  [[nodiscard]] std::string_view path_of(const archive_entry& entry) const noexcept {
    return {names.data() + entry.name, entry.name_bytes};
  }
};

struct archive_input {
  operating_system& os;
  const char* path;  // as passed to mount()
  file_status status;
  std::string_view prefix;  // in front of every path: the mount point and a '/', or nothing
  std::span<const std::byte> front =
      {};  // the first front_bytes of the archive, or all of a shorter one

  name_rules names = {};
  std::string_view password = {};   // for encrypted entries
  memory_ledger* ledger = nullptr;  // bounds what listing unpacks
  bool allow_bombs = false;

  static constexpr std::size_t front_bytes = 512;
  [[nodiscard]] bool begins_with(std::string_view magic, std::size_t at = 0) const noexcept;
  // Whether the path ends with '.' and one of these space-separated words, ignoring case.
  // Extensions decide nothing by themselves: files get renamed, and formats share extensions.
  [[nodiscard]] bool has_extension_of(std::string_view words) const noexcept;
};

struct opened_entry {
  file_place place;     // without the source
  owned_handle handle;  // the entry's own descriptor or the archive's store; or none
};

// Opens a file below a folder. Errors: not_a_file, those of the system.
[[nodiscard]] result<opened_entry> open_loose_file(operating_system& os, os_handle folder,
                                                   const char* name) noexcept;

struct archive_format {
  mount_format id = mount_format::folder;
  const char* name = "";   // for people, in to_string(mount_format)
  const char* files = "";  // what mount_formats() says of these two
  const char* libraries = "Overture";
  bool lists_folders = false;   // mounts folders, not regular files
  bool reads_no_front = false;  // does not use archive_input::front
  // In lower case, separated by spaces. The format is tried first for files that have one of them.
  const char* extensions = "";
  // Fills the archive, whose handle is open. Returns false if the file is of another format.
  result<bool> (*list)(const archive_input& input, archive& into) noexcept = nullptr;
  // Any thread.
  result<opened_entry> (*open)(const archive& from, const archive_entry& entry,
                               operating_system& os) noexcept = nullptr;
  bool keeps_backslashes = false;  // in names, instead of taking them for '/'
  // Some files have two paths: one and, right after it in `entries`, its last element alone.
  bool names_twice = false;
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
extern const archive_format tar_format;
extern const archive_format rofs_format;
extern const archive_format iso_format;
extern const archive_format zip_format;

}  // namespace overture::archives_detail

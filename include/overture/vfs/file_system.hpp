// SPDX-License-Identifier: Zlib
//
// A virtual file system: folders and archives merged into one tree.
//
//   using namespace overture::literals;                  // for "..."_path
//   file_system files;
//   if (auto base = files.mount("base.pk3"); !base) return report(base.error());
//   if (auto mod = files.mount("mods/better_ai/"); !mod) return report(mod.error());  // wins
//   if (auto frozen = files.freeze(); !frozen) return report(frozen.error());
//   result<file_stat> rome = files.stat("maps/rome.txt"_path);
//   buffer_pool buffers;
//   result<blob> map = files.read_all("maps/rome.txt"_path, buffers);
//
// Mounting
//   Mounts are ordered. If several have the same path, the latest one wins, as mods expect;
//   file_system_config::first_wins reverses this, mount_options::wins_over and loses_to give a
//   mount another position.
//   A folder's names are listed when it is mounted; its files are not touched until they are
//   opened. An archive's directory is read when it is mounted, in a few large reads. Its format is
//   recognised by content. Archives inside a mounted folder are ordinary files.
//   A folder that the system cannot list fails to mount. One below it does not stop the mount, but
//   its files are missing: failure() says where and why. Look at mount_info::failures.
//   An archive may also be in memory (mount_memory()) or on storage of your own
//   (mount_options::os).
//   Mounting and unmounting cost in proportion to that mount, not to the whole tree.
//
// Looking up
//   Look-ups by path work at any time, on any thread, also while other threads mount and unmount:
//   each call sees all of a change or none of it. They take no lock, never wait and write only to
//   cache lines of their own thread. Their cost does not depend on the number of mounts.
//   Paths may come from outside: they are compared in full, never by hash alone. They are
//   case-sensitive unless file_system_config::ignore_case is set. Ignoring case costs a scan of the
//   path, and folding it if it is not in lower case.
//   An open file stays open when its mount is unmounted. The mount's memory and descriptor are
//   released when its last file is closed.
//
// Freezing
//   freeze() merges all mounts into one sorted list. From then on files have numbers (entry_index),
//   look-ups write nothing at all, and mounting or unmounting fails as `frozen`. thaw() ends that.
//
// Threads
//   Call anything from any thread at any time, with two exceptions: call thaw() only while no other
//   thread is inside a call of this file_system; use an entry_index only while frozen.
//   Texts in mount_info, skipped_name and entry_info are valid until their mount is unmounted.
//   A callback must return on the thread it was called on (this concerns hosts with fibers).
//   On Linux, create the first file_system of the process before its second thread if you can:
//   look-ups in a tree that is not frozen then cost two plain stores, and mounting pays instead (it
//   interrupts the processors that run this process, by membarrier). Otherwise, and on other
//   systems, such a look-up costs two locked writes, some 10 ns more.
//
// Memory
//   A thread's first mount, look-up or open allocates a block of 32 KiB, which is kept until the
//   file_system is destroyed.
//   What archives unpack to is bounded by a memory_ledger (file_system_config::ledger): solid
//   blocks, packed directories, and the files of read_all(). Amounts below 1 MiB are never refused.
//
// Descriptors
//   Each mount keeps one descriptor, until half of those the process had left at the first mount
//   are in use. Further mounts share a few (2 to 16: an eighth of what was left) and are reopened
//   when they are read. Three eighths remain for the host and for loose files. So 200 archives work
//   under a limit of 64.
//   If another file or folder is found in a mount's place when it is reopened (by device and inode;
//   for an archive also by size and modification time), the call fails as `replaced`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/archives/file_place.hpp"
#include "overture/archives/mount_format.hpp"
#include "overture/archives/name_encoding.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/blob.hpp"
#include "overture/base/error.hpp"
#include "overture/base/filesystem_path.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/base/os.hpp"
#include "overture/base/path.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/vfs/opened_file.hpp"

namespace overture {

struct mount_id {
  std::uint32_t value = UINT32_MAX;
  friend constexpr bool operator==(const mount_id&, const mount_id&) = default;
};

// A file of the frozen tree, numbered from 0 to entry_count() - 1 in byte order of the paths.
using entry_index = std::uint32_t;

class memory_ledger;

struct file_system_config {
  allocator* memory = nullptr;     // null = default_allocator()
  operating_system* os = nullptr;  // null = system_os()
  bool first_wins = false;         // earlier mounts win instead of later ones
  // Treat paths that differ only by case as one path (see case_fold.hpp); the tree has the folded
  // form. If names within one mount become equal, the last in byte order is used (usually the
  // lower-case one) and skipped() lists the others.
  bool ignore_case = false;
  // Bounds what is unpacked; may be shared. Null: one of the file system's own, 2 GiB.
  memory_ledger* ledger = nullptr;
  // Called when a change is refused as `frozen`, on the thread that tried: a place for a
  // breakpoint.
  void (*on_frozen_change)(void* context) noexcept = nullptr;
  void* context = nullptr;
};

// Called once, when a mount has been unmounted and its last file closed: on the thread that did the
// last of these, without any lock held.
struct mount_release {
  void (*call)(void* context) noexcept = nullptr;
  void* context = nullptr;
};

struct mount_options {
  std::string_view at = "";    // folder of the tree to mount into; "" = the root
  std::string_view from = "";  // mount only what is below this folder of the folder or archive
  // Position among the mounts: directly above or directly below this one. At most one of the two;
  // with neither, the mount becomes the last one.
  mount_id wins_over = {};
  mount_id loses_to = {};
  operating_system* os = nullptr;  // storage that `path` is on; null = the file_system's
  // A promise: the archive, or the folder's files, will not be changed or shortened while mounted
  // or mapped. Required for file_system::map(), because reading mapped memory of a file that has
  // shrunk faults. Archives in memory are always immutable.
  bool immutable_source = false;
  // Allow file_writer, make_folder(), remove() and rename(). Folders only, and without `from`.
  bool writable = false;
  mount_release release = {};
  // A file named `.wh.NAME` is a removal marker: it removes the file NAME in the same folder from
  // all mounts that lose to this one, and is not in the tree itself. It removes files, not folders.
  // Not for writable mounts. Layers of container images use the same convention (OCI image
  // specification, "Whiteouts").
  bool removal_markers = false;
  // Of encrypted entries of a ZIP or 7z, in UTF-8. Only read during the call. A wrong password is
  // noticed when such an entry is read, not before, unless the names in a 7z are encrypted too.
  std::string_view password = {};
  // Of names in archives that are not UTF-8 and do not say what they are.
  overture::name_encoding name_encoding = overture::name_encoding::cp437;
  // Read entries that unpack out of all proportion, too: to more than 64 MiB and 1,100 times their
  // packed size, or to more than 16 GiB and 100 times (limits::unpacked_bytes_always). Without it
  // they fail with errc::limit. One of a few bytes can take 1 GiB of memory, or minutes.
  bool allow_bombs = false;
};

// One mount of a remount().
struct mount_request {
  const char* path = "";
  mount_options options = {};
  std::span<const std::byte> bytes = {};  // an archive in memory; `path` is its name
};

enum class entry_kind : std::uint8_t { file, folder };

struct file_stat {
  entry_kind kind = entry_kind::file;
  std::uint64_t bytes = 0;      // unpacked; 0 for folders
  std::int64_t mtime_ns = 0;    // modification time, in ns since 1970; 0 if the archive has none
  mount_id mount;               // the winner
  bool executable = false;      // as far as the folder or archive says
  bool mtime_is_local = false;  // mtime_ns counts in the packer's time zone, which is not known
};

namespace vfs_detail {
struct mount;
struct lookup_hit;
}  // namespace vfs_detail

// A file or folder passed to the visitor of enumerate(), walk() or removals(). Valid during that
// visit only.
struct OVERTURE_API folder_item {
  std::string_view name;  // relative to the folder that was asked for
  std::string_view path;  // in the tree
  path_id id;
  entry_kind kind = entry_kind::file;
  mount_id mount;  // the winner; in removals(), the mount with the marker
  const vfs_detail::lookup_hit* winner = nullptr;  // for stat()

  // Like file_system::stat(), without looking the path up again; still describes `mount`'s file if
  // the tree has changed meanwhile. No system call, except for a loose file. Not for removals().
  // Errors: not_found if the file is gone; those of opening a loose file.
  [[nodiscard]] result<file_stat> stat() const noexcept;
};

struct mount_info {
  mount_id id;
  std::string_view path;  // as passed to mount()
  std::string_view at;
  mount_format format = mount_format::folder;
  std::uint32_t entries = 0;   // files in it, including those hidden by other mounts
  std::uint32_t skipped = 0;   // names in it that are not in the tree, see skipped()
  std::uint32_t failures = 0;  // parts of it that could not be read, see failure()
};

// A folder that could not be listed, or not to its end, a link that could not be followed, a
// damaged header in an archive, or a name that is too long or too deep for base/limits.hpp. Files
// are missing from the tree, though the mount succeeded.
struct mount_failure {
  mount_id mount;
  std::string_view path;  // in the mounted folder or archive, as stored; empty if not known
  error why;
};

// A name that a mount has but the tree does not.
struct skipped_name {
  mount_id mount;
  std::string_view name;    // as stored in the folder or archive, cut to path_bytes_max
  const char* reason = "";  // a string literal, such as "link leads outside the mount"
};

struct entry_info {
  std::string_view path;
  path_id id;
  mount_id mount;            // the winner
  std::uint64_t bytes = 0;   // unpacked, as the archive states; 0 for loose files
  std::uint32_t hidden = 0;  // how many losing mounts have the path too
};

// Bytes of an archive that are unpacked together: a solid block.
struct solid_block {
  mount_id mount;
  std::uint64_t offset = 0;  // tells the blocks of a mount apart
  std::uint64_t bytes = 0;   // unpacked; 0: no block
};

// A file hidden by another mount's file of the same path.
struct hidden_entry {
  entry_index entry;
  mount_id loser;
  mount_id winner;
};

class file_watch;
class file_writer;

class OVERTURE_API file_system final : public source_files {
 public:
  explicit file_system(const file_system_config& config = {}) noexcept;
  // All its files must be closed, and no read in flight.
  ~file_system() override;
  file_system(const file_system&) = delete;
  file_system& operator=(const file_system&) = delete;

  // --- Mounting -------------------------------------------------------------------------------
  // A call that fails changes nothing.

  // Mounts a folder or an archive; `path` is UTF-8, or a std::filesystem::path. Names that cannot
  // be in the tree are skipped, see skipped(); what cannot be read, or is damaged, is left out, see
  // failure(). Errors:
  //   frozen         thaw() first
  //   not_found      no such path, no options.from in it, or no mount options.wins_over/loses_to
  //   not_a_file     neither a folder nor a regular file
  //   unsupported    unrecognised format, or a variant that is not supported
  //   corrupt        the archive's directory is broken
  //   limit          exceeds a limit of base/limits.hpp
  //   collision      many names were crafted to share a hash
  //   bad_path       options.at or options.from breaks the rules for paths
  //   invalid        wins_over and loses_to together, or options that exclude each other
  //   io, permission, out_of_memory
  result<mount_id> mount(const char* path, const mount_options& options = {}) noexcept;
  template <filesystem_path Path>
  result<mount_id> mount(const Path& path, const mount_options& options = {}) {
    return mount(detail::utf8_path(path).c_str(), options);
  }
  // The same for an archive in memory. `bytes` must stay until the mount is gone:
  // options.release tells when.
  result<mount_id> mount_memory(const char* name, std::span<const std::byte> bytes,
                                const mount_options& options = {}) noexcept;
  // Mounts an archive that is a file of the tree, as it is now. It is read and unpacked into
  // memory, which counts in the ledger until it is unmounted. options.os is not used. Errors: those
  // of open_any_size(), reading and mount(); limit, if the ledger has no room for it.
  result<mount_id> mount_inside(asset_path archive, const mount_options& options = {}) noexcept;
  // Errors: frozen, not_found, out_of_memory.
  result<void> unmount(mount_id mount) noexcept;
  // Unmounts `out`, then mounts `in`, in one step: other threads see all of it or nothing. Writes
  // the new ids to `ids`, which must be at least as long as `in` (otherwise: invalid) and may be
  // `out` itself. The options must not refer to mounts in `out`. Errors: those of mount() and
  // unmount(). `culprit`, if given, is set to the place in `in` of what could not be mounted, or to
  // in.size() if the error is about none of them alone.
  result<void> remount(std::span<const mount_id> out, std::span<const mount_request> in,
                       std::span<mount_id> ids, std::size_t* culprit = nullptr) noexcept;

  // Freezing a frozen tree succeeds. Errors: collision (explain() names both paths and their
  // mounts), limit, out_of_memory.
  result<void> freeze() noexcept;
  void thaw() noexcept;
  [[nodiscard]] bool frozen() const noexcept;
  // The ledger that bounds what is unpacked. Null if the constructor ran out of memory.
  [[nodiscard]] memory_ledger* ledger() const noexcept;

  [[nodiscard]] std::size_t mount_count() const noexcept;
  // In order of priority, the lowest first (with first_wins, the highest first). An empty
  // mount_info if there is no such mount.
  [[nodiscard]] mount_info mount_at(std::size_t index) const noexcept;
  [[nodiscard]] mount_info mount_of(mount_id mount) const noexcept;
  [[nodiscard]] std::size_t skipped_count() const noexcept;
  [[nodiscard]] skipped_name skipped(std::size_t index) const noexcept;
  // What could not be read while mounting, mount by mount in the order of mount_at().
  [[nodiscard]] std::size_t failure_count() const noexcept;
  [[nodiscard]] mount_failure failure(std::size_t index) const noexcept;

  // --- Looking up by path ---------------------------------------------------------------------
  // Frozen or not, from any thread. The root of the tree is asset_path{} or ""_path, and always
  // exists. A folder exists if there is a file in it.

  // Archive entries and folders need no system call. A loose file is opened and looked at, which
  // may fail as open() does. Error: not_found.
  [[nodiscard]] result<file_stat> stat(asset_path path) noexcept;
  // Whether a file or folder of this path is mounted. No system call.
  [[nodiscard]] bool exists(const asset_path& path) noexcept;
  // All mounts that have a file or folder of this path, the winner first. Returns their number;
  // writes as many as fit.
  std::size_t providers(asset_path path, std::span<mount_id> mounts) noexcept;
  // The first mount, in the order of providers(), with a removal marker for this path. Mounts that
  // win over it may still have the path. Error: not_found.
  [[nodiscard]] result<mount_id> remover(asset_path path) noexcept;
  // Calls `visit` for every removal marker, mount by mount in the order of mount_at(), until it
  // returns false. folder_item::path is what is removed, folder_item::mount has the marker. Error:
  // threw (the visitor).
  result<void> removals(function_ref<bool(const folder_item&)> visit) noexcept;
  // Calls `visit` for each file and folder directly in `folder`, each name once, in byte order,
  // until it returns false. Mounting and unmounting do not affect an enumeration in progress. A
  // folder whose files are all removed by markers is left out, although exists() finds it. Errors:
  // not_found, not_a_file (not a folder), threw (the visitor), out_of_memory.
  [[nodiscard]] result<void> enumerate(asset_path folder,
                                       function_ref<bool(const folder_item&)> visit) noexcept;
  // The same for all files, not folders, at any depth; folder_item::name is relative to `folder`.
  [[nodiscard]] result<void> walk(asset_path folder,
                                  function_ref<bool(const folder_item&)> visit) noexcept;

  // As file_system_config::ignore_case says. Any thread.
  [[nodiscard]] bool ignores_case() const noexcept { return config_.ignore_case; }

  // --- The frozen tree ------------------------------------------------------------------------
  // Without one there are no entries.

  [[nodiscard]] std::size_t entry_count() const noexcept;
  [[nodiscard]] entry_info entry(entry_index index) const noexcept;
  // In a WAD maps/MAP01/THINGS is also THINGS, unless a later lump has that name. Given the number
  // of the shorter path, this is the other's; otherwise `index`.
  [[nodiscard]] entry_index same_file(entry_index index) const noexcept;
  [[nodiscard]] std::size_t hidden_count() const noexcept;
  // The block that the file is read from, if its archive has any. Read the files of one after
  // another where memory is short, and it is unpacked once.
  [[nodiscard]] solid_block block_of(entry_index index) const noexcept;
  // index < hidden_count().
  [[nodiscard]] hidden_entry hidden(std::size_t index) const noexcept;
  // Error: not_found. No lock, no allocation, no write to shared memory.
  [[nodiscard]] result<entry_index> find(const asset_path& path) const noexcept;
  // As providers() above, by number; files only.
  std::size_t providers(entry_index index, std::span<mount_id> mounts) const noexcept;

  // --- Reading --------------------------------------------------------------------------------
  // From any thread.

  // Prepares a file for reading. An archive entry costs a table look-up, a loose file a system call
  // to open it and one for its size. Errors:
  //   not_found    no such path, or the loose file is gone
  //   not_a_file   a folder, or not a regular file
  //   corrupt      the archive's directory contradicts itself about this entry
  //   unsupported  compression or encryption that is not supported
  //   limit        larger than limits::entry_bytes_max, see open_any_size(), or too many open files
  //   permission   refused by the system
  //   password     encrypted, and the mount has no password or a wrong one
  //   replaced     the mount is not the same file on disk any more
  //   io, out_of_memory
  [[nodiscard]] result<opened_file> open(entry_index index) noexcept;
  [[nodiscard]] result<opened_file> open(asset_path path) noexcept;
  // The same without a limit on the size, for reading in pieces as file_reader does.
  [[nodiscard]] result<opened_file> open_any_size(asset_path path) noexcept;
  // A hint that open(index) follows soon: loads its table entry into the cache. For loops over many
  // small files. Ignores an index out of range. Only while frozen.
  void fetch_ahead(entry_index index) const noexcept;
  // The packed bytes within what was read for a `framed` place. Errors: corrupt; truncated if the
  // header is longer than expected, error::offset then being how many bytes to read at place.offset
  // instead.
  [[nodiscard]] static result<std::span<const std::byte>> packed_part(
      const file_place& place, std::span<const std::byte> read) noexcept;

  // Opens, reads, unpacks and verifies one file on the calling thread. Errors: those of open();
  // corrupt (wrong checksum, broken data; also one wrong password in 256), truncated, io, password
  // (wrong), out_of_memory.
  [[nodiscard]] result<blob> read_all(asset_path path, buffer_pool& buffers) noexcept;
  // The same through a read queue over this file_system: what is not in the page cache is read by
  // the queue's threads, in its order, and counted in its statistics. Waits for the read and
  // unpacks on the calling thread.
  [[nodiscard]] result<blob> read_all(asset_path path, buffer_pool& buffers,
                                      read_queue& reads) noexcept;

  // The bytes of a file where they lie, without a copy: in the page cache, or in an archive in
  // memory. Verifies no checksum. Errors: those of open(); unsupported if its bytes lie nowhere as
  // they are, and error::reason says why: the file is compressed, encrypted, in a solid block or in
  // several pieces, its mount is not an immutable_source, or the system cannot map it (then
  // os_error is set, if the system said why).
  [[nodiscard]] result<mapped_file> map(asset_path path) noexcept;

  // --- Writing, see file_writer.hpp -----------------------------------------------------------
  // In a mount that is `writable`; a path is one of the tree and begins with the mount point. Works
  // while frozen. Look-ups by path see the change at once. Entry numbers stay as they are: a new
  // file has none until its folder is mounted again (remount() does it in one step). The same goes
  // for files that other programs create in the folder.
  // Errors: not_found (also for the mount), permission (the mount is not writable, or a link leads
  // out of it), bad_path, exists, no_space, io, unsupported (read-only storage), limit (a path
  // would become too long), out_of_memory.

  // Creates a folder and those above it; succeeds if it is there already. A folder without files is
  // on disk but not in the tree.
  result<void> make_folder(mount_id mount, asset_path path) noexcept;
  // Removes a file or an empty folder.
  result<void> remove(mount_id mount, asset_path path) noexcept;
  // Renames in one step, replacing a file named `to`. A folder takes its contents with it.
  result<void> rename(mount_id mount, asset_path from, asset_path to) noexcept;

  // Writes a sentence about an error of this file_system to `text`, with the paths it knows: cut to
  // fit, NUL-terminated unless `text` is empty. Returns its length without the NUL. Any thread.
  std::size_t explain(const error& failure, std::span<char> text) const noexcept;

  // For the read queue, see io/read_queue.hpp.
  [[nodiscard]] result<open_source> source(source_id id) noexcept override;
  [[nodiscard]] result<open_source> pin(source_id id, bool may_wait) noexcept override;
  void unpin(source_id id) noexcept override;
  std::size_t describe(source_id id, std::span<char> text) const noexcept override;

 private:
  friend class opened_file;
  friend class file_watch;
  friend class file_writer;
  struct state;
  class reading;
  // The error of a change while frozen; tells on_frozen_change.
  [[nodiscard]] tl::unexpected<error> refuse_change() const noexcept;
  result<opened_file> open_entry(const vfs_detail::lookup_hit& found) noexcept;
  result<void> open_entry(const vfs_detail::lookup_hit& found, opened_file& file) noexcept;
  // Calls `act` with the file that a path names; its mount stays during the call.
  template <class T, class Act>
  result<T> with_entry(asset_path path, Act act) noexcept;
  void close(const opened_file& file) noexcept;
  // Finds a writable mount and pins it; release_writable() unpins it.
  result<const vfs_detail::mount*> pin_writable(mount_id mount) noexcept;
  void release_writable(const vfs_detail::mount& pinned) noexcept;

  file_system_config config_;
  state* state_ = nullptr;
};

}  // namespace overture

// One tree of folders and archives, in which priority decides.
//
//   file_system files;
//   files.mount("base.pk3");                            // later mounts win, as mods do
//   files.mount("mods/better_ai/");
//   if (auto ok = files.freeze(); !ok) print(files.explain(ok.error()));
//   result<file_stat> rome = files.stat("maps/rome.txt"_path);
//
// A folder's names are listed at mount; its files are looked at when they are opened. An archive is
// recognised by its content; its directory is read at mount, in a few large reads. Archives inside
// a mounted folder are plain files. An archive may also lie in memory (mount_memory), or on storage
// of the host's own (mount_options::os).
//
// Look-ups by path work at any time, on any thread, while other threads mount and unmount: each
// call sees all of a mount or nothing of it. They take no lock, never wait, and write only to lines
// of their own thread, whatever the number of mounts. A file that is open stays so when its mount
// is unmounted; the mount's memory and descriptor go when its last file is closed. A change costs
// in proportion to what is mounted or unmounted, not to what is there.
//
// freeze() makes one sorted list of all mounts and makes the configuration read-only: files are
// numbers then (entry_index), look-ups write nothing at all, and a change is refused as `frozen`.
//
// Threads: everything from any thread at any time, but for two: thaw() only while no other thread
// is in a call of this file_system, and what is named by entry_index only while it is frozen. Texts
// in mount_info, skipped_name and entry_info are valid until the mount they belong to is unmounted.
// A callback must return on the thread on which it was called (hosts with fibers).
//
// Make the first file_system of a process before its second thread, if you can: on Linux look-ups
// that are not frozen then announce themselves by two plain stores, and who mounts has the system
// interrupt the processors that run other threads of the process (membarrier). Otherwise, and
// elsewhere, they take two locked writes, some 10 ns more.
// Memory: a thread's first mount, look-up or open takes a block of 32 KiB, kept as long as this.
//
// Descriptors: each mounted folder or archive keeps one, up to half of those that the process has
// left at the first mount. More mounts than that share a few (2 to 16, an eighth of what was left),
// and are opened again when they are read; three eighths stay with the host and its loose files.
// With a limit of 64 two hundred archives work. One that is not the same file any more when it is
// opened again (by device, inode, size and time of change) gives the error `replaced`.
//
// Paths may come from outside: they are compared as a whole, never by hash alone. They are taken by
// their bytes, or with file_system_config::ignore_case without regard to case: a look-up then costs
// a glance at the path, and folding it if it is not in small letters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/archives/file_place.hpp"
#include "overture/archives/mount_format.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/blob.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/base/os.hpp"
#include "overture/base/path.hpp"
#include "overture/io/read_queue.hpp"

namespace overture {

struct mount_id {
  std::uint32_t value = UINT32_MAX;
  friend constexpr bool operator==(const mount_id&, const mount_id&) = default;
};

// A file of the frozen tree: a number from 0 to entry_count()-1, in the order of the paths' bytes.
using entry_index = std::uint32_t;

struct file_system_config {
  allocator* memory = nullptr;     // null = default_allocator()
  operating_system* os = nullptr;  // null = system_os()
  bool first_wins = false;         // earlier mounts win instead of later ones
  // Paths that differ only by case are one path, see case_fold.hpp; the tree has them folded. Of
  // names of one mount that are alike then, the last in the order of bytes is in the tree (the one
  // in small letters), and the others are listed by skipped(). Of several mounts the winner's is.
  bool ignore_case = false;
  // Called when a change is refused as `frozen`, on the thread that tried, for a host that would
  // rather stop in the debugger.
  void (*on_frozen_change)(void* context) noexcept = nullptr;
  void* context = nullptr;
};

// Called once when a mount has ended: unmounted, its last file closed. On the thread that did the
// last of these, under no lock.
struct mount_release {
  void (*call)(void* context) noexcept = nullptr;
  void* context = nullptr;
};

struct mount_options {
  std::string_view at = "";    // where in the tree; "" is its root
  std::string_view from = "";  // mount only what is below this folder of the folder or archive
  // Its place among the mounts, instead of the last one: directly before or behind another.
  mount_id wins_over = {};
  mount_id loses_to = {};
  operating_system* os = nullptr;  // where the path is looked up; null = the file_system's
  // Nobody changes or shortens the archive, or the folder's files, as long as it is mounted and
  // what was mapped of it is held: file_system::map() works then. Reading memory of a file that
  // has shrunk faults. An archive in memory is so by itself.
  bool immutable_source = false;
  // A folder that file_writer and make_folder(), remove() and rename() may change; without `from`.
  bool writable = false;
  mount_release release = {};
  // A file called `.wh.NAME` in it is a marker: it removes the file NAME of this folder from all
  // mounts that lose to this one, and is not in the tree itself. Not of a writable mount, and of
  // files only. So do the layers of container images (OCI image specification, "Whiteouts").
  bool removal_markers = false;
  // For encrypted entries of a ZIP; looked at during the call only. One that does not fit is
  // noticed when such an entry is read.
  std::string_view password = {};
};

// One mount of a remount().
struct mount_request {
  const char* path = "";
  mount_options options = {};
  std::span<const std::byte> bytes = {};  // an archive in memory, `path` is its name then
};

enum class entry_kind : std::uint8_t { file, folder };

struct file_stat {
  entry_kind kind = entry_kind::file;
  std::uint64_t bytes = 0;    // unpacked; 0 for a folder
  std::int64_t mtime_ns = 0;  // of loose files, nanoseconds since 1970; 0 in archives
  mount_id mount;             // who wins
};

namespace vfs {
struct mount;
struct path_owner;
}  // namespace vfs

// A file or folder in a folder, see enumerate().
struct folder_item {
  std::string_view name;  // one element of a path; valid during the visit, as `path`
  std::string_view path;  // the whole of it
  path_id id;
  entry_kind kind = entry_kind::file;
  mount_id mount;                           // who wins
  const vfs::path_owner* winner = nullptr;  // for stat()

  // As file_system::stat() says of the path, but without looking it up, and of `mount` even if
  // others came meanwhile. No system call but for a loose file. During the visit only, of
  // enumerate() and walk(). Error: not_found if the file is gone by now.
  [[nodiscard]] result<file_stat> stat() const noexcept;
};

struct mount_info {
  mount_id id;
  std::string_view path;  // as it was given to mount()
  std::string_view at;
  mount_format format = mount_format::folder;
  std::uint32_t entries = 0;  // files it brings, hidden ones included
  std::uint32_t skipped = 0;  // names it has that are not in the tree, see skipped()
};

// A name that a mount has but the tree does not, and why.
struct skipped_name {
  mount_id mount;
  std::string_view name;    // as the folder or archive has it; may be cut to path_bytes_max
  const char* reason = "";  // a literal, such as "the link leaves the tree"
};

struct entry_info {
  std::string_view path;
  path_id id;
  mount_id mount;            // who wins
  std::uint64_t bytes = 0;   // unpacked, as an archive tells it; 0 for loose files until opened
  std::uint32_t hidden = 0;  // how many mounts have it too and lose
};

// A file that another mount's file of the same path hides.
struct hidden_entry {
  entry_index entry;
  mount_id loser;
  mount_id winner;
};

class file_system;
class file_watch;
class file_writer;
// A file_place, which keeps the mount it lies in and, for a loose file, the descriptor it needs;
// closes that at its end, on any thread. Move-only.
class opened_file {
 public:
  opened_file() = default;
  opened_file(opened_file&& other) noexcept;
  opened_file& operator=(opened_file&& other) noexcept;
  opened_file(const opened_file&) = delete;
  opened_file& operator=(const opened_file&) = delete;
  ~opened_file();

  [[nodiscard]] const file_place& place() const noexcept { return place_; }

 private:
  friend class file_system;
  friend class mapped_file;
  file_system* files_ = nullptr;  // null: nothing is open
  const vfs::mount* mount_ = nullptr;
  bool owns_source_ = false;
  file_place place_;
};

// The bytes of a stored or loose file where they are, read-only: the page cache itself, see
// file_system::map(). Keeps its mount as an opened_file does. Move-only; may end on any thread.
class mapped_file {
 public:
  mapped_file() = default;
  mapped_file(mapped_file&& other) noexcept { swap(other); }
  mapped_file& operator=(mapped_file&& other) noexcept;
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file();

  [[nodiscard]] std::span<const std::byte> span() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

 private:
  friend class file_system;
  void swap(mapped_file& other) noexcept;

  opened_file file_;                // of an archive's entry
  operating_system* os_ = nullptr;  // of a loose file, whose mapping is its own
  mapping own_;
  std::span<const std::byte> bytes_;
};

class file_system final : public source_files {
 public:
  explicit file_system(const file_system_config& config = {}) noexcept;
  ~file_system() override;  // no opened_file may be left, no read may be in flight
  file_system(const file_system&) = delete;
  file_system& operator=(const file_system&) = delete;

  // Mounts a folder or an archive over (or with first_wins, under) what is mounted. Names in it
  // that cannot be in the tree are skipped and listed. Errors: frozen, not_found (the path,
  // options.from, or a mount that the options name), not_a_file (neither a folder nor a regular
  // file), unsupported (no format knows it), corrupt, limit, collision (many names that were made
  // to share a hash), io, permission, bad_path (options.at or from), invalid (wins_over and
  // loses_to at once), out_of_memory; nothing is mounted then.
  result<mount_id> mount(const char* path, const mount_options& options = {}) noexcept;
  // The same with an archive in memory, which must stay until options.release is called.
  result<mount_id> mount_memory(const char* name, std::span<const std::byte> bytes,
                                const mount_options& options = {}) noexcept;
  // Errors: frozen, not_found, out_of_memory.
  result<void> unmount(mount_id mount) noexcept;
  // Unmounts the ones and mounts the others, in the order given, in one step: other threads see all
  // of it or nothing. Writes the ids of the new ones to `ids`, which has room for as many. What
  // `options` name must not be among `out`. Errors: as above; nothing is changed then.
  result<void> remount(std::span<const mount_id> out, std::span<const mount_request> in,
                       std::span<mount_id> ids) noexcept;

  // Errors: collision (explain() names both paths and mounts), limit, out_of_memory; the
  // file_system stays as it was. Freezing twice is no error.
  result<void> freeze() noexcept;
  void thaw() noexcept;
  [[nodiscard]] bool frozen() const noexcept;

  [[nodiscard]] std::size_t mount_count() const noexcept;
  // From the one that loses to all to the one that wins over all, or with first_wins the other way
  // round. An empty mount_info where there is none.
  [[nodiscard]] mount_info mount_at(std::size_t index) const noexcept;
  [[nodiscard]] mount_info mount_of(mount_id mount) const noexcept;
  [[nodiscard]] std::size_t skipped_count() const noexcept;
  [[nodiscard]] skipped_name skipped(std::size_t index) const noexcept;

  // The root of the tree is asset_path{} or ""_path below; it is always there.
  // Error: not_found. Of an archive's entry and of a folder without a system call; a loose file is
  // looked at, which may fail as open() does.
  [[nodiscard]] result<file_stat> stat(asset_path path) noexcept;
  // Whether a file or folder of this path is mounted; no system call.
  [[nodiscard]] bool exists(const asset_path& path) noexcept;
  // Every mount that has a file or folder of this path, the winner first; returns how many there
  // are, writes what fits.
  std::size_t providers(asset_path path, std::span<mount_id> mounts) noexcept;
  // The first mount, in the order of providers(), whose marker removes the files that others have
  // of this path, see mount_options::removal_markers; mounts that win over it may have the path all
  // the same. Error: not_found.
  [[nodiscard]] result<mount_id> remover(asset_path path) noexcept;
  // Calls `visit` with each file that a mount's marker removes, `mount` being that mount, until it
  // returns false; the mounts as mount_at() numbers them.
  void removals(function_ref<bool(const folder_item&)> visit) noexcept;
  // Calls `visit` for each file and folder in a folder, each name once, in the order of the names'
  // bytes, until it returns false; folder_item::stat() has size and time. What is mounted or
  // unmounted meanwhile makes no difference to this enumeration. Folders are there by the files in
  // them: empty ones are not (but to exists() one is whose files are all removed by markers).
  // Errors: not_found, not_a_file if it is no folder, out_of_memory.
  [[nodiscard]] result<void> enumerate(asset_path folder,
                                       function_ref<bool(const folder_item&)> visit) noexcept;
  // The same for all files below a folder, at any depth; a folder's files and folders in order,
  // names are the paths below `folder`.
  [[nodiscard]] result<void> walk(asset_path folder,
                                  function_ref<bool(const folder_item&)> visit) noexcept;

  // The frozen tree.
  [[nodiscard]] std::size_t entry_count() const noexcept;
  [[nodiscard]] entry_info entry(entry_index index) const noexcept;
  [[nodiscard]] std::size_t hidden_count() const noexcept;
  [[nodiscard]] hidden_entry hidden(std::size_t index) const noexcept;
  // Error: not_found. No lock, no allocation, no write to shared memory.
  [[nodiscard]] result<entry_index> find(const asset_path& path) const noexcept;
  // Every mount that has the path, the winner first; returns how many there are, writes what fits.
  std::size_t providers(entry_index index, std::span<mount_id> mounts) const noexcept;

  // Makes a file ready to be read: for an archive's entry a look into the index, for a loose file
  // an open and a status. Errors: not_found (it vanished), not_a_file, corrupt (the archive's
  // directory lies about this entry), unsupported (method, encryption), limit, io, permission (of
  // the system; or the entry is encrypted and the mount has no password), replaced.
  [[nodiscard]] result<opened_file> open(entry_index index) noexcept;
  // A hint that open() of this index comes soon, for loops over many small files: brings what is
  // known of it into the cache. Does nothing for a number that is none. Any thread; frozen only.
  void fetch_ahead(entry_index index) const noexcept;
  [[nodiscard]] result<opened_file> open(asset_path path) noexcept;
  // The same for a file of any size, where open() refuses what is larger than
  // limits::entry_bytes_max: for those who read in pieces, as file_reader does.
  [[nodiscard]] result<opened_file> open_any_size(asset_path path) noexcept;
  // The packed file within what was read for a framed place. Errors: corrupt; truncated if the
  // header turns out longer than expected: error::offset then says how many bytes to read from
  // place.offset on instead. Any thread.
  [[nodiscard]] static result<std::span<const std::byte>> packed_part(
      const file_place& place, std::span<const std::byte> read) noexcept;

  // Opens, reads, unpacks and verifies one file on the calling thread. Errors: all of the above.
  [[nodiscard]] result<blob> read_all(asset_path path, buffer_pool& buffers) noexcept;
  // The same by a queue over this file system, for programs that have one: what is not in the page
  // cache is read in its order, by its threads, and appears in its statistics. The calling thread
  // waits for it and unpacks.
  [[nodiscard]] result<blob> read_all(asset_path path, buffer_pool& buffers,
                                      read_queue& reads) noexcept;

  // A file without a copy, and without a checksum verified. Errors: those of open(); unsupported if
  // it is compressed, or its mount not an immutable_source, or where the system maps no files.
  [[nodiscard]] result<mapped_file> map(asset_path path) noexcept;

  // --- Writing, see file_writer.hpp -----------------------------------------------------------
  // In a mount that was made `writable`; a path is one of the tree and begins with its mount
  // point. Writing is no change of the configuration and may be done while frozen. What is written,
  // removed and renamed here is so in the tree at once, for all look-ups by path; files keep their
  // numbers, and a new one has none (find(), entry(), freeze()) before the folder is mounted again,
  // by remount() in one step. So have names that others make in the folder. Errors:
  // not_found (the mount, too), permission (the mount is not writable, or a link leaves it),
  // bad_path, exists, no_space, io, unsupported (storage that is only read).

  // With all folders above it; that it is there already is no error. A folder without files is on
  // the disk and not in the tree.
  result<void> make_folder(mount_id mount, asset_path path) noexcept;
  // A file or an empty folder.
  result<void> remove(mount_id mount, asset_path path) noexcept;
  // In one step; a file that has the new name goes. A folder takes with it all that is in it.
  result<void> rename(mount_id mount, asset_path from, asset_path to) noexcept;

  // Writes a sentence about an error of this file_system, with the names it knows, into `text`;
  // returns its length.
  std::size_t explain(const error& failure, std::span<char> text) const noexcept;

  // For the read queue.
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
  [[nodiscard]] tl::unexpected<error> trapped() const noexcept;
  result<opened_file> open_entry(const vfs::path_owner& found) noexcept;
  result<void> open_entry(const vfs::path_owner& found, opened_file& file) noexcept;
  // Calls `act` with the file that a path names, which stays for the call.
  template <class T, class Act>
  result<T> with_entry(asset_path path, Act act) noexcept;
  void close(const opened_file& file) noexcept;
  // A mount that may be written to, pinned; give_up() unpins it.
  result<const vfs::mount*> claim_writable(mount_id mount) noexcept;
  void give_up(const vfs::mount& claimed) noexcept;

  file_system_config config_;
  state* state_ = nullptr;
};

}  // namespace overture

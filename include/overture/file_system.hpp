// One tree of folders and archives, in which priority decides.
//
//   file_system files;
//   files.mount("base.pk3");                            // later mounts win, as mods do
//   files.mount("mods/better_ai/");
//   if (auto ok = files.freeze(); !ok) print(files.explain(ok.error()));
//   result<file_place> place = files.resolve("maps/rome.txt"_path);   // no lock, no allocation
//
// A folder's names are listed at mount; its files are looked at when they are opened. An archive is
// recognised by its content; its directory is read at mount, in a few large reads. Archives inside
// a mounted folder are plain files.
//
// freeze() merges all mounts into one index and makes the configuration read-only: look-ups take
// no lock and write nothing, whatever the number of mounts, and a change is refused as `frozen`.
// Look-ups and everything named by entry_index need a frozen file_system.
//
// Threads: mount, unmount, freeze and thaw from one thread at a time, and thaw only while no other
// thread looks up or reads. Everything else from any thread while frozen.
//
// Paths may come from outside: they are compared as a whole, never by hash alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/allocator.hpp"
#include "overture/blob.hpp"
#include "overture/error.hpp"
#include "overture/os.hpp"
#include "overture/path.hpp"
#include "overture/read_queue.hpp"
#include "overture/unpack.hpp"

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
};

struct mount_options {
  std::string_view at = "";  // where in the tree; "" is its root
};

enum class mount_format : std::uint8_t { folder, zip };
[[nodiscard]] const char* to_string(mount_format format) noexcept;

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

// Where the bytes of one file lie, and how to make the file of them.
struct file_place {
  source_id source;
  std::uint64_t offset = 0;        // where to read in the source
  std::uint64_t read_bytes = 0;    // how much to read there: the packed file and, in front of it,
                                   // the archive's header if `framed`
  std::uint64_t packed_bytes = 0;  // the file as it is stored
  std::uint64_t bytes = 0;         // the file unpacked
  std::uint32_t crc32 = 0;
  compression method = compression::none;
  bool has_crc = false;  // crc32 is known beforehand and must be met
  bool framed = false;   // pass what was read to packed_part()
};

// A file_place and, for a loose file, the descriptor it needs; closes that at its end. Move-only.
class file_system;
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
  file_system* files_ = nullptr;  // null: nothing to close
  file_place place_;
};

class file_system final : public source_files {
 public:
  explicit file_system(const file_system_config& config = {}) noexcept;
  ~file_system() override;  // no opened_file may be left, no read may be in flight
  file_system(const file_system&) = delete;
  file_system& operator=(const file_system&) = delete;

  // Mounts a folder or an archive over (or with first_wins, under) what is mounted. Names in it
  // that cannot be in the tree are skipped and listed. Errors: frozen, not_found, not_a_file
  // (neither a folder nor a regular file), unsupported (no format knows it), corrupt, limit, io,
  // permission, bad_path (options.at), out_of_memory; nothing is mounted then.
  result<mount_id> mount(const char* path, const mount_options& options = {}) noexcept;
  // Errors: frozen, not_found.
  result<void> unmount(mount_id mount) noexcept;

  // Errors: collision (explain() names both paths and mounts), limit, out_of_memory; the
  // file_system stays as it was. Freezing twice is no error.
  result<void> freeze() noexcept;
  void thaw() noexcept;
  [[nodiscard]] bool frozen() const noexcept;

  [[nodiscard]] std::size_t mount_count() const noexcept;
  // In the order of mounting. `index` < mount_count().
  [[nodiscard]] mount_info mount_at(std::size_t index) const noexcept;
  [[nodiscard]] mount_info mount_of(mount_id mount) const noexcept;
  [[nodiscard]] std::size_t skipped_count() const noexcept;
  [[nodiscard]] skipped_name skipped(std::size_t index) const noexcept;

  // The frozen tree.
  [[nodiscard]] std::size_t entry_count() const noexcept;
  [[nodiscard]] entry_info entry(entry_index index) const noexcept;
  [[nodiscard]] std::size_t hidden_count() const noexcept;
  [[nodiscard]] hidden_entry hidden(std::size_t index) const noexcept;
  // Error: not_found. No lock, no allocation, no write to shared memory.
  [[nodiscard]] result<entry_index> find(asset_path path) const noexcept;
  // Every mount that has the path, the winner first; returns how many there are, writes what fits.
  std::size_t providers(entry_index index, std::span<mount_id> mounts) const noexcept;

  // Makes a file ready to be read: for an archive's entry a look into the index, for a loose file
  // an open and a status. Errors: not_found (it vanished), not_a_file, corrupt (the archive's
  // directory lies about this entry), unsupported (method, encryption), limit, io, permission.
  [[nodiscard]] result<opened_file> open(entry_index index) noexcept;
  [[nodiscard]] result<opened_file> open(asset_path path) noexcept;
  // The packed file within what was read for a framed place. Errors: corrupt; truncated if the
  // header turns out longer than expected: error::offset then says how many bytes to read from
  // place.offset on instead. Any thread.
  [[nodiscard]] static result<std::span<const std::byte>> packed_part(
      const file_place& place, std::span<const std::byte> read) noexcept;

  // Opens, reads, unpacks and verifies one file on the calling thread. Errors: all of the above.
  [[nodiscard]] result<blob> read_all(asset_path path, buffer_pool& buffers) noexcept;

  // Writes a sentence about an error of this file_system, with the names it knows, into `text`;
  // returns its length.
  std::size_t explain(const error& failure, std::span<char> text) const noexcept;

  // For the read queue.
  [[nodiscard]] result<open_source> source(source_id id) noexcept override;
  std::size_t describe(source_id id, std::span<char> text) const noexcept override;

 private:
  friend class opened_file;
  struct state;
  void close_source(source_id id) noexcept;

  file_system_config config_;
  state* state_ = nullptr;
};

}  // namespace overture

// SPDX-License-Identifier: Zlib
//
// An archive, read by Overture: a file system of its own for each.
#include <mutex>
#include <optional>
#include <utility>

#include "errors.hpp"
#include "io/io_system.hpp"
#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"
#include "search/parsed_archives.hpp"
#include "search/search_path.hpp"
#include "start_pack/settling.hpp"
#include "storage.hpp"
#include "storage/boost.hpp"
#include "system/platform.hpp"

namespace physfs {
namespace {

using overture::asset_path;
using overture::result;

asset_path in_tree(std::string_view path) noexcept {
  return {path, {overture::hash64(path)}};
}

// Nothing of it is read or unpacked before the first read.
class archived_file final : public content {
 public:
  archived_file(overture::file_system& files, overture::opened_file file) noexcept
      : files_(files), file_(std::move(file)) {
    expected_length_ = static_cast<std::int64_t>(file_.place().bytes);
  }

  std::int64_t read(std::uint64_t position, void* to, std::size_t bytes) noexcept override {
    if (position >= static_cast<std::uint64_t>(expected_length_) || bytes == 0) return 0;
    if (!reader_ && !begin(bytes >= static_cast<std::uint64_t>(expected_length_))) return -1;
    const result<std::size_t> got = reader_->seek(position).and_then(
        [&] { return reader_->read({static_cast<std::byte*>(to), bytes}); });
    if (got) return static_cast<std::int64_t>(*got);
    set_error(code_of(got.error()));
    return -1;
  }
  std::int64_t length() noexcept override { return expected_length_; }
  bool may_seek(std::uint64_t position) noexcept override {
    return position <= static_cast<std::uint64_t>(expected_length_) || refuse(PHYSFS_ERR_PAST_EOF);
  }

 private:
  // The buffer is that of the handle. Only DEFLATE can be unpacked in pieces; what the game reads
  // at once goes straight to its memory.
  [[nodiscard]] bool begin(bool at_once) noexcept {
    if (failed_ != PHYSFS_ERR_OK) return refuse(failed_);
    overture::file_reader_config config{.memory = &memory(), .buffer_bytes = 0};
    if (file_.place().method != overture::compression::deflate) {
      config.unpacked_bytes_max = overture::limits::entry_bytes_max;
    } else if (at_once) {
      config.unpacked_bytes_max = 0;
    }
    result<overture::file_reader> opened =
        overture::file_reader::open(files_, std::move(file_), config);
    if (!opened) return refuse(failed_ = code_of(opened.error()));
    reader_.emplace(*std::move(opened));
    return true;
  }

  overture::file_system& files_;
  overture::opened_file file_;  // until the first read
  std::optional<overture::file_reader> reader_;
  PHYSFS_ErrorCode failed_ = PHYSFS_ERR_OK;
};

// Gives the host's things up when the archive is gone.
class borrowed {
 public:
  explicit borrowed(const loan& lent) noexcept : lent_(lent) {}
  ~borrowed() {
    if (lent_.io && lent_.io->destroy) lent_.io->destroy(lent_.io);
    if (lent_.file) (void)PHYSFS_close(lent_.file);
    if (lent_.bytes && lent_.release) lent_.release(const_cast<void*>(lent_.bytes));
  }
  borrowed(const borrowed&) = delete;
  borrowed& operator=(const borrowed&) = delete;
  void give_back() noexcept { lent_ = {}; }
  [[nodiscard]] const loan& get() const noexcept { return lent_; }
  [[nodiscard]] bool is_empty() const noexcept { return !lent_.io && !lent_.file && !lent_.bytes; }

 private:
  loan lent_;
};

// Without the padding of overture::tracking_allocator, which needs aligned memory.
class counting_allocator final : public overture::allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment,
                 overture::memory_tag tag) noexcept override {
    void* const given = memory().allocate(bytes, alignment, tag);
    if (given) bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return given;
  }
  void deallocate(void* given, std::size_t bytes, std::size_t alignment,
                  overture::memory_tag tag) noexcept override {
    if (given) bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    memory().deallocate(given, bytes, alignment, tag);
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return bytes_.load(std::memory_order_relaxed);
  }

 private:
  overture::atomic<std::uint64_t> bytes_{0};
};

// The archive once more, for what a password opens.
struct unlocked {
  explicit unlocked(const char* kept_password) noexcept
      : password(kept_password), files({.memory = &memory()}) {}
  const char* password;
  overture::file_system files;
  unlocked* next = nullptr;
};

class archive_storage final : public storage {
 public:
  archive_storage(const char* kept_path, const loan& lent,
                  const overture::file_status& status) noexcept
      : path_(kept_path), lent_(lent), os_(lent.io, lent.file), status_(status) {}
  ~archive_storage() override {
    while (unlocked_) destroy(std::exchange(unlocked_, unlocked_->next));
  }

  [[nodiscard]] bool begin() noexcept { return mount_in(files_, {}); }
  void give_back() noexcept override { lent_.give_back(); }
  void retire() noexcept override {
    if (status_.number == 0) return destroy(this);
    keep_archive(this, path_, status_, opened_ns_, used_.bytes());
  }

  bool stat(std::string_view path, PHYSFS_Stat& found) noexcept override {
    const result<overture::file_stat> asked = files_.stat(in_tree(path));
    if (!asked) return refuse(asked.error());
    const bool is_file = asked->kind == overture::entry_kind::file;
    long long modified = asked->mtime_ns / 1'000'000'000;
    if (asked->mtime_is_local) modified = from_local_time(modified);
    found = unknown_stat();
    found.filetype = is_file ? PHYSFS_FILETYPE_REGULAR : PHYSFS_FILETYPE_DIRECTORY;
    found.filesize = is_file ? static_cast<PHYSFS_sint64>(asked->bytes) : 0;
    if (asked->mtime_ns != 0) found.modtime = found.createtime = modified;
    return true;
  }

  bool exists(std::string_view path) noexcept override {
    return files_.exists(in_tree(path)) || refuse(PHYSFS_ERR_NOT_FOUND);
  }

  content* open(std::string_view path) noexcept override {
    overture::file_system* files = &files_;
    const std::size_t dollar = path.rfind('$');
    const bool has_password = dollar != std::string_view::npos && is_zip() &&
                              !files_.exists(in_tree(path)) && is_locked(path.substr(0, dollar));
    if (has_password) {
      files = unlocked_by(path.substr(dollar + 1));
      if (!files) return nullptr;
      path = path.substr(0, dollar);
    } else if (is_boosted() && lent_.is_empty() && files_.exists(in_tree(path))) {
      if (content* const packed = boosted(path_, path)) return packed;
    }
    result<overture::opened_file> opened = files->open_any_size(in_tree(path));
    if (!opened) {
      set_error(code_of(opened.error()));
      return nullptr;
    }
    content* const file = make<archived_file>(*files, *std::move(opened));
    std::byte first{};
    if (file && has_password && file->read(0, &first, 1) < 0) {  // that is how it shows
      destroy(file);
      return nullptr;
    }
    return file;
  }

  bool list(std::string_view path, text_list& names) noexcept override {
    bool fits = true;
    const result<void> listed =
        files_.enumerate(in_tree(path), [&](const overture::folder_item& item) {
          fits = names.push(item.name);
          return fits;
        });
    if (listed || listed.error().code == overture::errc::not_found ||
        listed.error().code == overture::errc::not_a_file) {
      return fits;
    }
    return refuse(listed.error());
  }

  std::uint64_t known_files() const noexcept override { return files_.mount_at(0).entries; }
  bool visit_files(std::string_view folder,
                   overture::function_ref<bool(std::string_view path)> visit) noexcept override {
    bool goes_on = true;
    const result<void> walked =
        files_.walk(in_tree(folder), [&](const overture::folder_item& item) {
          goes_on = visit(item.name);
          return goes_on;
        });
    return goes_on && (walked || walked.error().code != overture::errc::out_of_memory);
  }

 private:
  [[nodiscard]] bool mount_in(overture::file_system& files, std::string_view password) noexcept {
    const loan& lent = lent_.get();
    overture::mount_options options{.password = password};
    if (lent.io || lent.file) options.os = &os_;
    const result<overture::mount_id> mounted =
        lent.bytes ? files.mount_memory(
                         path_, {static_cast<const std::byte*>(lent.bytes), lent.size}, options)
                   : files.mount(path_, options);
    return mounted || refuse(mounted.error());
  }

  [[nodiscard]] bool is_zip() const noexcept {
    return files_.mount_at(0).format == overture::mount_format::zip;
  }

  [[nodiscard]] bool is_locked(std::string_view path) noexcept {
    const result<overture::opened_file> opened = files_.open_any_size(in_tree(path));
    return !opened && opened.error().code == overture::errc::password;
  }

  [[nodiscard]] overture::file_system* unlocked_by(std::string_view password) noexcept {
    const std::scoped_lock lock(unlocking_);
    for (unlocked* each = unlocked_; each; each = each->next) {
      if (password == each->password) return &each->files;
    }
    const char* const kept = kept_text(password);
    unlocked* const made = kept ? make<unlocked>(kept) : nullptr;
    if (!made) return nullptr;
    if (!mount_in(made->files, password)) {
      destroy(made);
      return nullptr;
    }
    made->next = std::exchange(unlocked_, made);
    return &made->files;
  }

  const char* path_;
  borrowed lent_;
  io_system os_;
  const overture::file_status status_;
  const std::int64_t opened_ns_ = overture::start_pack::wall_clock_ns();
  counting_allocator used_;
  overture::file_system files_{{.memory = &used_}};
  std::mutex unlocking_;
  unlocked* unlocked_ = nullptr;
};

}  // namespace

storage* open_archive(const char* name, const loan& lent,
                      const overture::file_status& status) noexcept {
  const char* const kept = kept_text(name);
  auto* const made = kept ? make<archive_storage>(kept, lent, status) : nullptr;
  if (made && !made->begin()) {
    made->give_back();
    destroy(made);
    return nullptr;
  }
  return made;
}

}  // namespace physfs

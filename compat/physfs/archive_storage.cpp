// An archive, read by Overture: a file system of its own for each.
#include "errors.hpp"
#include "io_system.hpp"
#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"
#include "platform.hpp"
#include "storage.hpp"

namespace physfs {
namespace {

using overture::asset_path;
using overture::result;

asset_path in_tree(std::string_view path) noexcept {
  return {path, {overture::hash64(path)}};
}

class archived_file final : public content {
 public:
  explicit archived_file(overture::file_reader reader) noexcept : reader_(std::move(reader)) {
    expected_length_ = length();
  }

  std::int64_t read(std::uint64_t position, void* to, std::size_t bytes) noexcept override {
    if (position >= reader_.size()) return 0;
    if (!reader_.seek(position)) return 0;
    const result<std::size_t> got = reader_.read({static_cast<std::byte*>(to), bytes});
    if (got) return static_cast<std::int64_t>(*got);
    set_error(code_of(got.error()));
    return -1;
  }
  std::int64_t length() noexcept final { return static_cast<std::int64_t>(reader_.size()); }
  bool may_seek(std::uint64_t position) noexcept override {
    return position <= reader_.size() || refuse(PHYSFS_ERR_PAST_EOF);
  }

 private:
  overture::file_reader reader_;
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

 private:
  loan lent_;
};

class archive_storage final : public storage {
 public:
  explicit archive_storage(const loan& lent) noexcept
      : lent_(lent), os_(lent.io, lent.file), files_({.memory = &memory()}) {}

  [[nodiscard]] bool begin(const char* path) noexcept {
    const loan& lent = lent_.get();
    const bool through_io = lent.io || lent.file;
    const result<overture::mount_id> mounted =
        lent.bytes
            ? files_.mount_memory(path, {static_cast<const std::byte*>(lent.bytes), lent.size})
            : files_.mount(path, {.os = through_io ? &os_ : nullptr});
    return mounted || refuse(mounted.error());
  }

  void give_back() noexcept override { lent_.give_back(); }

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
    // The buffer is that of the handle.
    result<overture::file_reader> opened = overture::file_reader::open(
        files_, in_tree(path), {.memory = &memory(), .buffer_bytes = 0});
    if (opened) return make<archived_file>(*std::move(opened));
    const bool is_folder =
        opened.error().code == overture::errc::not_found && files_.exists(in_tree(path));
    set_error(is_folder ? PHYSFS_ERR_NOT_A_FILE : code_of(opened.error()));
    return nullptr;
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

 private:
  borrowed lent_;
  io_system os_;
  overture::file_system files_;
};

}  // namespace

storage* open_archive(const char* path) noexcept {
  return open_loan(path, {});
}

storage* open_loan(const char* name, const loan& lent) noexcept {
  auto* const made = make<archive_storage>(lent);
  if (made && !made->begin(name)) {
    made->give_back();
    destroy(made);
    return nullptr;
  }
  return made;
}

}  // namespace physfs

#include "boost.hpp"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "names.hpp"
#include "overture/base/hash.hpp"
#include "overture/base/limits.hpp"
#include "start_pack/pack_reader.hpp"

namespace physfs {
namespace {

using overture::blob;
using overture::file_status;
using overture::os_handle;
using overture::result;
using overture::start_pack::identity_of;
using overture::start_pack::pack_reader;

pack_reader* pack = nullptr;
overture::atomic<bool> active{false};

// What was opened, for the command.
class recording {
 public:
  [[nodiscard]] bool begin(const char* path) noexcept {
    file_ = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    return file_ >= 0;
  }
  void end() noexcept {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
    seen_.shorten(0);
  }
  [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }

  void note(std::string_view path, std::string_view name) noexcept {
    const std::scoped_lock hold(lock_);
    const std::uint64_t id = overture::hash64(path) + 31 * overture::hash64(name);
    if (std::find(seen_.begin(), seen_.end(), id) != seen_.end() || !seen_.push(id)) return;
    list<char> record;
    const auto put_size = [&record](std::size_t size) {
      char bytes[4];
      for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(size >> (8 * i));
      return record.append(bytes, sizeof bytes);
    };
    const bool whole = put_size(path.size()) && put_size(name.size()) &&
                       record.append(path.data(), path.size()) &&
                       record.append(name.data(), name.size());
    // In one call, so that a game that ends in the middle leaves whole records.
    if (whole) (void)!::write(file_, record.data(), record.size());
  }

 private:
  std::mutex lock_;
  int file_ = -1;
  list<std::uint64_t> seen_;
};

recording& record() noexcept {
  static recording one;
  return one;
}

class packed_content final : public content {
 public:
  explicit packed_content(blob&& bytes) noexcept : bytes_(std::move(bytes)) {
    expected_length_ = static_cast<std::int64_t>(bytes_.size());
  }

  std::int64_t read(std::uint64_t position, void* to, std::size_t bytes) noexcept override {
    if (position >= bytes_.size()) return 0;
    const std::size_t count = std::min(bytes, bytes_.size() - static_cast<std::size_t>(position));
    if (count != 0) std::memcpy(to, bytes_.data() + position, count);
    return static_cast<std::int64_t>(count);
  }
  std::int64_t length() noexcept override { return expected_length_; }
  bool may_seek(std::uint64_t position) noexcept override {
    return position <= bytes_.size() || refuse(PHYSFS_ERR_PAST_EOF);
  }

 private:
  blob bytes_;
};

// No other user can have made the pack: it and its folder are this user's, and the folder is closed
// to others.
bool is_private(const char* path) noexcept {
  struct stat file{};
  struct stat folder{};
  joined_name above;
  const std::string_view whole(path);
  const std::size_t slash = whole.rfind('/');
  if (slash == std::string_view::npos || !above.join(whole.substr(0, slash + 1), ".")) return false;
  if (::lstat(path, &file) != 0 || ::stat(above.c_str(), &folder) != 0) return false;
  const uid_t user = ::geteuid();
  return S_ISREG(file.st_mode) && file.st_uid == user && S_ISDIR(folder.st_mode) &&
         folder.st_uid == user && (folder.st_mode & 0077) == 0;
}

void open_pack(const char* path) noexcept {
  overture::operating_system& os = overture::system_os();
  if (!is_private(path)) return;
  const result<os_handle> file = os.open(path);
  if (!file) return;
  const result<pack_reader*> opened =
      pack_reader::open(os, *file, overture::default_thread_factory(), memory());
  if (opened) pack = *opened;
}

// An absolute path, because games change their folder.
bool make_absolute(std::string_view path, joined_name& room) noexcept {
  if (path.starts_with('/')) return room.join(path, "");
  char folder[overture::limits::path_bytes_max + 1];
  if (!::getcwd(folder, sizeof folder - 1)) return false;
  std::strcat(folder, "/");
  return room.join(folder, path);
}

}  // namespace

void begin_boost() noexcept {
  if (::getauxval(AT_SECURE) != 0) return;
  const char* const to = std::getenv("OVERTURE_BOOST_RECORD");
  const char* const from = std::getenv("OVERTURE_BOOST_PACK");
  if (to && *to) {
    (void)record().begin(to);
  } else if (from && *from) {
    open_pack(from);
  }
  active.store(pack || record().is_open(), std::memory_order_release);
}

void end_boost() noexcept {
  active.store(false, std::memory_order_release);
  record().end();
  if (pack) std::exchange(pack, nullptr)->close();
}

bool is_boosted() noexcept {
  return active.load(std::memory_order_acquire);
}

content* boosted(std::string_view path, std::string_view name) noexcept {
  joined_name whole;
  if (!make_absolute(path, whole)) return nullptr;
  const result<file_status> status = overture::system_os().status(whole.c_str(), true);
  if (!status || status->kind != overture::file_kind::file) return nullptr;
  if (record().is_open()) {
    record().note(whole.view(), name);
    return nullptr;
  }
  result<blob> bytes = pack->take(whole.view(), name, identity_of(*status));
  return bytes ? make<packed_content>(*std::move(bytes)) : nullptr;
}

}  // namespace physfs

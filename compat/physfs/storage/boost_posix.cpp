// SPDX-License-Identifier: Zlib
#include "storage/boost.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "overture/base/hash.hpp"
#include "overture/base/limits.hpp"
#include "start_pack/pack_reader.hpp"
#include "start_pack/private_file.hpp"
#include "system/names.hpp"

namespace physfs {
namespace {

using overture::blob;
using overture::file_status;
using overture::os_handle;
using overture::result;
using overture::start_pack::identity_of;
using overture::start_pack::pack_reader;

pack_reader* pack = nullptr;
pack_reader* abandoned = nullptr;  // of the parent process
overture::atomic<bool> active{false};

// What was opened, for the command.
class recording {
 public:
  [[nodiscard]] bool begin(const char* path) noexcept {
    // NFS shares a lock only of what is open for reading.
    file_ = ::open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (file_ < 0) return false;
    is_cut_off_ = ::flock(file_, LOCK_SH | LOCK_NB) != 0;  // the command has read it already
    return true;
  }
  void end() noexcept {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
    seen_.shorten(0);
  }
  [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }

  void note(std::string_view path, std::string_view name) noexcept {
    const std::scoped_lock hold(lock_);
    if (is_cut_off_) return;
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
    if (!whole) return;
    // In one call, so that a game that ends in the middle leaves whole records. Behind a part of
    // one, as a full disk leaves it, others could not be read.
    const ssize_t put = ::write(file_, record.data(), record.size());
    is_cut_off_ = put != static_cast<ssize_t>(record.size());
  }

 private:
  std::mutex lock_;
  int file_ = -1;
  bool is_cut_off_ = false;  // nothing more can be noted
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

// A child of the game has no thread that reads the pack: it reads its files where they are.
void forget_pack_in_child() noexcept {
  if (!pack) return;
  active.store(false, std::memory_order_release);
  abandoned = std::exchange(pack, nullptr);
}

// While it lives, threads that are started take no signals: those are the game's.
class signals_blocked {
 public:
  signals_blocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

 private:
  sigset_t before_{};
};

void open_pack(const char* path) noexcept {
  overture::operating_system& os = overture::system_os();
  if (!overture::start_pack::is_private_file(path)) return;
  static const int watches_forks = ::pthread_atfork(nullptr, nullptr, forget_pack_in_child);
  if (watches_forks != 0) return;
  const signals_blocked in_thread;
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

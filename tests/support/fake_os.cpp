// SPDX-License-Identifier: Zlib
#include "support/fake_os.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <stdexcept>

#include "overture/base/limits.hpp"
#include "support/fake_os_lock.hpp"

namespace overture::test {
namespace {

constexpr int links_max = 40;

tl::unexpected<error> failed(int os_error, const char* reason) {
  return tl::unexpected<error>(os_failure(os_error, reason));
}

std::deque<std::string> elements_of(std::string_view path) {
  std::deque<std::string> elements;
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) elements.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return elements;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string below(const std::string& folder, std::string_view name) {
  return (folder == "/" ? "" : folder) + "/" + std::string(name);
}

std::string absolute(std::string_view path) {
  std::string whole;
  for (const std::string& element : elements_of(path)) whole += "/" + element;
  return whole.empty() ? "/" : whole;
}

}  // namespace

fake_os::fake_os() {
  put("/", file_kind::folder);
}

fake_os::~fake_os() = default;

// --- The tree ---

void fake_os::add_file(std::string_view path, std::string_view bytes) {
  add_file(path, std::as_bytes(std::span{bytes.data(), bytes.size()}));
}

void fake_os::add_file(std::string_view path, std::span<const std::byte> bytes) {
  const lock guard{*this};
  set_bytes(put(path, file_kind::file), file_bytes(bytes.begin(), bytes.end()));
}

void fake_os::add_folder(std::string_view path) {
  const lock guard{*this};
  put(path, file_kind::folder);
}

void fake_os::add_link(std::string_view path, std::string_view target) {
  const lock guard{*this};
  put(path, file_kind::link).target = target;
}

void fake_os::remove(std::string_view path) {
  const lock guard{*this};
  erase(absolute(path));
}

void fake_os::truncate(std::string_view path, std::size_t size) {
  const lock guard{*this};
  node& file = file_at(path);
  file_bytes bytes = *file.bytes;
  bytes.resize(size);
  set_bytes(file, std::move(bytes));
}

void fake_os::append(std::string_view path, std::string_view more) {
  const lock guard{*this};
  node& file = file_at(path);
  file_bytes bytes = *file.bytes;
  for (const char byte : more) bytes.push_back(static_cast<std::byte>(byte));
  set_bytes(file, std::move(bytes));
}

fake_os::node& fake_os::put(std::string_view path, file_kind kind) {
  const std::string whole = absolute(path);
  if (kind == file_kind::folder) {
    const auto found = nodes_.find(whole);
    if (found != nodes_.end() && found->second->kind == kind) return *found->second;
  }
  if (whole != "/") {
    put(parent_of(whole), file_kind::folder);
    erase(whole);
  }
  auto fresh = std::make_shared<node>();
  fresh->kind = kind;
  fresh->mtime_ns = clock_ns_ += 1'000'000'000;
  return *(nodes_[whole] = std::move(fresh));
}

void fake_os::erase(const std::string& path) {
  std::erase_if(nodes_, [&](const auto& entry) {
    return entry.first == path || entry.first.starts_with(path + "/");
  });
}

void fake_os::set_bytes(node& file, file_bytes bytes) {
  file.bytes = std::make_shared<file_bytes>(std::move(bytes));
  file.mtime_ns = clock_ns_ += 1'000'000'000;
}

fake_os::node& fake_os::file_at(std::string_view path) {
  const auto found = nodes_.find(absolute(path));
  if (found == nodes_.end() || found->second->kind != file_kind::file) {
    throw std::invalid_argument("no such file: " + std::string(path));
  }
  return *found->second;
}

// --- The plan ---

void fake_os::fail_call(os_call kind, std::uint64_t index, int os_error, std::uint64_t count) {
  const lock guard{*this};
  rules_.push_back({kind, index, count, os_error, SIZE_MAX, {}});
}

void fake_os::shorten_reads(std::size_t bytes_max, std::uint64_t index, std::uint64_t count) {
  const lock guard{*this};
  rules_.push_back({os_call::read, index, count, 0, bytes_max, {}});
}

void fake_os::shorten_reads_at_random(std::uint64_t seed) {
  const lock guard{*this};
  random_lengths_ = std::make_unique<std::mt19937_64>(seed);
}

void fake_os::at_call(os_call kind, std::uint64_t index, std::function<void()> action) {
  const lock guard{*this};
  rules_.push_back({kind, index, 1, 0, SIZE_MAX, std::move(action)});
}

void fake_os::before_each_call(std::function<void(const os_call_info&)> hook) {
  const lock guard{*this};
  hook_ = std::move(hook);
}

void fake_os::set_cached(bool cached) {
  const lock guard{*this};
  cached_ = cached;
}

void fake_os::reset_plan() {
  const lock guard{*this};
  rules_.clear();
  hook_ = nullptr;
  random_lengths_.reset();
  calls_ = {};
  interrupted_calls_ = 0;
}

bool fake_os::rule::applies(os_call called, std::uint64_t index, std::uint64_t total_index) const {
  const std::uint64_t number = kind == os_call::any ? total_index : index;
  return (kind == os_call::any || kind == called) && number >= first && number - first < count;
}

fake_os::verdict fake_os::begin_call(os_call kind, std::string path, std::uint64_t offset,
                                     std::size_t size) {
  verdict outcome;
  std::function<void(const os_call_info&)> hook;
  std::vector<std::function<void()>> actions;
  os_call_info info{kind, 0, 0, std::move(path), offset, size};
  {
    const lock guard{*this};
    info.index = calls_[static_cast<std::size_t>(kind)]++;
    info.total_index = calls_[static_cast<std::size_t>(os_call::any)]++;
    hook = hook_;
    for (const rule& planned : rules_) {
      if (!planned.applies(kind, info.index, info.total_index)) continue;
      if (planned.action) actions.push_back(planned.action);
      if (planned.os_error == EINTR) {
        ++interrupted_calls_;
      } else if (planned.os_error != 0) {
        outcome.os_error = planned.os_error;
      }
      outcome.bytes_max = std::min(outcome.bytes_max, planned.bytes_max);
    }
    if (random_lengths_ && size > 0) {
      const std::size_t length = 1 + static_cast<std::size_t>((*random_lengths_)() % size);
      outcome.bytes_max = std::min(outcome.bytes_max, length);
    }
  }
  if (hook) hook(info);
  for (const auto& action : actions) action();
  return outcome;
}

fake_os::verdict fake_os::begin_call(os_call kind, os_handle handle, std::uint64_t offset,
                                     std::size_t size) {
  std::string path;
  {
    const lock guard{*this};
    const auto found = handles_.find(handle.value);
    if (found != handles_.end()) path = found->second.path;
  }
  return begin_call(kind, std::move(path), offset, size);
}

std::uint64_t fake_os::calls(os_call kind) const {
  const lock guard{*this};
  return calls_[static_cast<std::size_t>(kind)];
}

std::uint64_t fake_os::interrupted_calls() const {
  const lock guard{*this};
  return interrupted_calls_;
}

std::size_t fake_os::open_handles() const {
  const lock guard{*this};
  return handles_.size();
}

std::size_t fake_os::open_mappings() const {
  const lock guard{*this};
  return mappings_.size();
}

std::uint64_t fake_os::misuses() const {
  const lock guard{*this};
  return misuses_;
}

// --- Paths ---

// `root` is the folder that the path may not leave, or null.
fake_os::resolution fake_os::resolve(std::string_view path, bool follow_last,
                                     const std::string* root) const {
  const auto error_of = [](int os_error) { return resolution{os_error, {}, {}}; };
  if (path.empty()) return error_of(ENOENT);
  if (path.size() >= limits::path_bytes_max) return error_of(ENAMETOOLONG);
  if (root && path.front() == '/') return error_of(EXDEV);
  std::string here = root ? *root : "/";
  bool folder_wanted = path.back() == '/';
  int links = 0;
  std::deque<std::string> left = elements_of(path);
  while (!left.empty()) {
    const std::string element = std::move(left.front());
    left.pop_front();
    if (nodes_.at(here)->kind != file_kind::folder) return error_of(ENOTDIR);
    if (element == ".") continue;
    if (element == "..") {
      if (root && here == *root) return error_of(EXDEV);
      here = parent_of(here);
      continue;
    }
    if (element.size() > limits::path_element_bytes_max) return error_of(ENAMETOOLONG);
    const std::string next = below(here, element);
    const auto found = nodes_.find(next);
    if (found == nodes_.end()) return error_of(ENOENT);
    const bool last = left.empty() && !folder_wanted;
    if (found->second->kind != file_kind::link || (last && !follow_last)) {
      here = next;
      continue;
    }
    const std::string& target = found->second->target;
    if (++links > links_max) return error_of(ELOOP);
    if (target.empty()) return error_of(ENOENT);
    if (target.front() == '/') {
      if (root) return error_of(EXDEV);
      here = "/";
    }
    if (left.empty() && target.back() == '/') folder_wanted = true;
    const auto more = elements_of(target);
    left.insert(left.begin(), more.begin(), more.end());
  }
  const auto& what = nodes_.at(here);
  if (folder_wanted && what->kind != file_kind::folder) return error_of(ENOTDIR);
  return {0, here, what};
}

file_status fake_os::status_of(const node& what) const {
  return {what.kind, what.kind == file_kind::file ? what.bytes->size() : 0, what.mtime_ns};
}

result<os_handle> fake_os::open_resolved(const resolution& found) {
  if (found.os_error != 0) return failed(found.os_error, "cannot open");
  handles_[++last_handle_] = {found.what, found.path};
  return os_handle{last_handle_};
}

const fake_os::open_file* fake_os::find(os_handle handle) {
  const auto found = handles_.find(handle.value);
  if (found != handles_.end()) return &found->second;
  ++misuses_;
  return nullptr;
}

// --- The calls ---

result<os_handle> fake_os::open(const char* path) noexcept {
  const verdict outcome = begin_call(os_call::open, path);
  if (outcome.os_error != 0) return failed(outcome.os_error, "cannot open");
  const lock guard{*this};
  return open_resolved(resolve(path, true, nullptr));
}

result<os_handle> fake_os::open_below(os_handle folder, const char* path) noexcept {
  const verdict outcome = begin_call(os_call::open_below, path);
  if (outcome.os_error != 0) return failed(outcome.os_error, "cannot open");
  const lock guard{*this};
  const open_file* const opened = find(folder);
  if (!opened) return failed(EBADF, "cannot open");
  if (opened->what->kind != file_kind::folder) return failed(ENOTDIR, "cannot open");
  if (!nodes_.contains(opened->path)) return failed(ENOENT, "cannot open");
  return open_resolved(resolve(path, true, &opened->path));
}

void fake_os::close(os_handle handle) noexcept {
  (void)begin_call(os_call::close, handle);
  const lock guard{*this};
  if (find(handle)) handles_.erase(handle.value);
}

result<file_status> fake_os::status(os_handle handle) noexcept {
  const verdict outcome = begin_call(os_call::status, handle);
  if (outcome.os_error != 0) return failed(outcome.os_error, "cannot get the file status");
  const lock guard{*this};
  const open_file* const opened = find(handle);
  if (!opened) return failed(EBADF, "cannot get the file status");
  return status_of(*opened->what);
}

result<std::size_t> fake_os::read_at(os_handle handle, std::uint64_t offset,
                                     std::span<std::byte> bytes) noexcept {
  return read(os_call::read, handle, offset, bytes);
}

result<std::size_t> fake_os::read_cached_at(os_handle handle, std::uint64_t offset,
                                            std::span<std::byte> bytes) noexcept {
  return read(os_call::read_cached, handle, offset, bytes);
}

result<std::size_t> fake_os::read(os_call kind, os_handle handle, std::uint64_t offset,
                                  std::span<std::byte> bytes) {
  const verdict outcome = begin_call(kind, handle, offset, bytes.size());
  if (outcome.os_error != 0) return failed(outcome.os_error, "cannot read");
  const lock guard{*this};
  const open_file* const opened = find(handle);
  if (!opened) return failed(EBADF, "cannot read");
  if (opened->what->kind != file_kind::file) return failed(EISDIR, "cannot read");
  if (kind == os_call::read_cached && !cached_) return failed(EAGAIN, "not in the page cache");
  const file_bytes& content = *opened->what->bytes;
  if (offset >= content.size()) return std::size_t{0};
  const auto available = static_cast<std::size_t>(content.size() - offset);
  const std::size_t count = std::min({bytes.size(), available, outcome.bytes_max});
  if (count != 0) std::memcpy(bytes.data(), content.data() + offset, count);
  return count;
}

result<file_status> fake_os::status(const char* path, bool follow_links) noexcept {
  const verdict outcome = begin_call(os_call::status, path);
  if (outcome.os_error != 0) return failed(outcome.os_error, "cannot get the file status");
  const lock guard{*this};
  const resolution found = resolve(path, follow_links, nullptr);
  if (found.os_error != 0) return failed(found.os_error, "cannot get the file status");
  return status_of(*found.what);
}

result<void> fake_os::list(const char* path,
                           function_ref<void(const folder_entry&) noexcept> visit) noexcept {
  const verdict outcome = begin_call(os_call::list, path);
  if (outcome.os_error != 0) return failed(outcome.os_error, "cannot list the folder");
  std::vector<std::pair<std::string, file_kind>> entries;
  {
    const lock guard{*this};
    const resolution found = resolve(path, true, nullptr);
    if (found.os_error != 0) return failed(found.os_error, "cannot list the folder");
    if (found.what->kind != file_kind::folder) return failed(ENOTDIR, "cannot list the folder");
    const std::string prefix = below(found.path, "");
    for (auto at = nodes_.upper_bound(prefix); at != nodes_.end(); ++at) {
      if (!at->first.starts_with(prefix)) break;
      const std::string name = at->first.substr(prefix.size());
      if (name.find('/') == std::string::npos) entries.emplace_back(name, at->second->kind);
    }
  }
  for (const auto& [name, kind] : entries) visit({name, kind});
  return {};
}

result<std::size_t> fake_os::canonical_path(const char* path, std::span<char> text) noexcept {
  const verdict outcome = begin_call(os_call::canonical_path, path);
  if (outcome.os_error != 0) return failed(outcome.os_error, "cannot resolve the path");
  const lock guard{*this};
  const resolution found = resolve(path, true, nullptr);
  if (found.os_error != 0) return failed(found.os_error, "cannot resolve the path");
  if (found.path.size() >= text.size()) return fail(errc::limit, "the path is too long");
  std::memcpy(text.data(), found.path.c_str(), found.path.size() + 1);
  return found.path.size();
}

result<mapping> fake_os::map(os_handle handle) noexcept {
  const verdict outcome = begin_call(os_call::map, handle);
  if (outcome.os_error != 0) return failed(outcome.os_error, "cannot map");
  const lock guard{*this};
  const open_file* const opened = find(handle);
  if (!opened) return failed(EBADF, "cannot map");
  if (opened->what->kind != file_kind::file) return failed(ENODEV, "cannot map");
  const auto& bytes = opened->what->bytes;
  if (bytes->empty()) return mapping{};
  mappings_.push_back(bytes);
  return mapping{bytes->data(), bytes->size()};
}

void fake_os::unmap(mapping memory) noexcept {
  if (!memory.data) return;
  const lock guard{*this};
  const auto found = std::find_if(mappings_.begin(), mappings_.end(),
                                  [&](const auto& bytes) { return bytes->data() == memory.data; });
  if (found == mappings_.end()) {
    ++misuses_;
  } else {
    mappings_.erase(found);
  }
}

}  // namespace overture::test

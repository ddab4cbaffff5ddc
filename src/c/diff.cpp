// SPDX-License-Identifier: Zlib
//
// Compares two trees: overture/c/check.h.
#include <algorithm>
#include <optional>

#include "c/handles.hpp"
#include "overture/c/check.h"
#include "overture/vfs/file_reader.hpp"

using namespace overture;
using namespace overture::c;

namespace {

constexpr std::size_t compared_bytes = 64u << 10;

// Two trees, and the visitor that is told what differs.
class comparison {
 public:
  comparison(overture_files& left, overture_files& right, overture_difference visit,
             void* context) noexcept
      : left_(left), right_(right), visit_(visit), context_(context) {}

  result<void> run() noexcept;

 private:
  // The result of comparing two files, or which tree failed.
  struct outcome {
    bool same = false;
    std::optional<error> left_failed = {};
    std::optional<error> right_failed = {};
  };
  // Decides without reading, if that is possible.
  [[nodiscard]] std::optional<outcome> compare_places(const asset_path& path) noexcept;
  [[nodiscard]] outcome compare_bytes(const asset_path& path) noexcept;
  // False: the visitor has seen enough.
  bool tell(std::string_view path, std::int32_t kind) noexcept;
  bool tell_unreadable(std::string_view path, const error& why, const file_system& of) noexcept;
  bool compare(const asset_path& path) noexcept;

  overture_files& left_;
  overture_files& right_;
  overture_difference visit_;
  void* context_;
  blob left_room_;
  blob right_room_;
};

bool is_file(file_system& files, const asset_path& path) noexcept {
  const result<file_stat> found = files.stat(path);
  // A loose file that cannot be looked at is still one.
  return found ? found->kind == entry_kind::file : found.error().code != errc::not_found;
}

bool comparison::tell(std::string_view path, std::int32_t kind) noexcept {
  const c_path text(path);
  return visit_(context_, text.text(), kind, nullptr);
}

bool comparison::tell_unreadable(std::string_view path, const error& why,
                                 const file_system& of) noexcept {
  overture_error said = {};
  said.size = sizeof said;
  failed(&said, why, of);
  const c_path text(path);
  return visit_(context_, text.text(), OVERTURE_DIFF_UNREADABLE, &said);
}

std::optional<comparison::outcome> comparison::compare_places(const asset_path& path) noexcept {
  const result<opened_file> one = left_.tree.open_any_size(path);
  if (!one) return outcome{.left_failed = one.error()};
  const result<opened_file> other = right_.tree.open_any_size(path);
  if (!other) return outcome{.right_failed = other.error()};
  const file_place& a = one->place();
  const file_place& b = other->place();
  if (a.bytes != b.bytes) return outcome{.same = false};
  if (a.has_crc && b.has_crc) return outcome{.same = a.crc32 == b.crc32};
  return std::nullopt;
}

comparison::outcome comparison::compare_bytes(const asset_path& path) noexcept {
  result<file_reader> one = file_reader::open(left_.tree, path);
  if (!one) return {.left_failed = one.error()};
  result<file_reader> other = file_reader::open(right_.tree, path);
  if (!other) return {.right_failed = other.error()};
  for (;;) {
    const result<std::size_t> a = one->read(left_room_.span());
    if (!a) return {.left_failed = a.error()};
    const result<std::size_t> b = other->read(right_room_.span());
    if (!b) return {.right_failed = b.error()};
    if (*a != *b || std::memcmp(left_room_.data(), right_room_.data(), *a) != 0) return {};
    if (*a == 0) return {.same = true};
  }
}

bool comparison::compare(const asset_path& path) noexcept {
  std::optional<outcome> found = compare_places(path);
  if (!found) found = compare_bytes(path);
  if (found->left_failed) return tell_unreadable(path.text, *found->left_failed, left_.tree);
  if (found->right_failed) return tell_unreadable(path.text, *found->right_failed, right_.tree);
  return tell(path.text, found->same ? OVERTURE_DIFF_SAME : OVERTURE_DIFF_CHANGED);
}

result<void> comparison::run() noexcept {
  for (blob* const room : {&left_room_, &right_room_}) {
    result<blob> taken = left_.buffers.pool().take(compared_bytes);
    if (!taken) return tl::unexpected(taken.error());
    *room = *std::move(taken);
  }
  bool goes_on = true;
  const auto in_left = [&](const folder_item& item) noexcept {
    const asset_path path{item.path, item.id};
    goes_on = is_file(right_.tree, path) ? compare(path) : tell(item.path, OVERTURE_DIFF_LEFT);
    return goes_on;
  };
  if (result<void> walked = left_.tree.walk({}, in_left); !walked) return walked;
  if (!goes_on) return {};
  return right_.tree.walk({}, [&](const folder_item& item) noexcept {
    if (is_file(left_.tree, {item.path, item.id})) return true;
    return tell(item.path, OVERTURE_DIFF_RIGHT);
  });
}

}  // namespace

overture_code overture_diff(overture_files* left, overture_files* right, overture_difference visit,
                            void* context, overture_error* error) {
  if (left == nullptr || right == nullptr) return invalid(error, "the files are NULL");
  if (visit == nullptr) return invalid(error, "the visitor is NULL");
  const result<void> compared = comparison(*left, *right, visit, context).run();
  return compared ? fine(error) : failed(error, compared.error());
}

// SPDX-License-Identifier: Zlib
//
// Errors, versions and bytes: overture/c/base.h.
#include "overture/c/base.h"

#include <algorithm>

#include "c/handle.hpp"
#include "overture/base/thread.hpp"
#include "overture/base/version.hpp"

static_assert(OVERTURE_C_VERSION == overture::version_number);

struct overture_bytes {
  overture::blob bytes;
  overture::c::shared_buffers& from;
};

namespace overture::c {

namespace {

constexpr std::size_t text_at = offsetof(overture_error, text);

// The room for the text of an error, none if its size is not set.
std::span<char> room_of(overture_error* error) noexcept {
  if (error == nullptr || error->size <= text_at || error->size > structure_bytes_max) return {};
  return {error->text, std::min(error->size - text_at, sizeof error->text)};
}

std::size_t append(std::span<char> room, std::size_t at, std::string_view text) noexcept {
  if (room.empty()) return 0;
  const std::size_t length = std::min(text.size(), room.size() - 1 - at);
  if (length > 0) std::memcpy(room.data() + at, text.data(), length);
  room[at + length] = '\0';
  return at + length;
}

}  // namespace

overture_code fine(overture_error* error) noexcept {
  const std::span<char> room = room_of(error);
  if (room.empty()) return OVERTURE_OK;
  error->code = OVERTURE_OK;
  error->os_error = 0;
  room[0] = '\0';
  return OVERTURE_OK;
}

overture_code failed(overture_error* error, errc code, std::string_view text,
                     std::string_view more) noexcept {
  const std::span<char> room = room_of(error);
  if (!room.empty()) {
    error->code = code_of(code);
    error->os_error = 0;
    append(room, append(room, 0, text), more);
  }
  return code_of(code);
}

overture_code failed(overture_error* error, const overture::error& why,
                     const file_system& files) noexcept {
  const std::span<char> room = room_of(error);
  if (!room.empty()) {
    error->code = code_of(why.code);
    error->os_error = why.os_error;
    (void)files.explain(why, room);
  }
  return code_of(why.code);
}

overture_code failed(overture_error* error, const overture::error& why,
                     std::string_view subject) noexcept {
  const std::span<char> room = room_of(error);
  if (!room.empty()) {
    error->code = code_of(why.code);
    error->os_error = why.os_error;
    // The reason counts more than the whole of a long path.
    const std::string_view front = front_of(subject, room.size() / 2);
    std::size_t at = append(room, 0, front);
    if (front.size() < subject.size()) at = append(room, at, "...");
    if (at > 0) at = append(room, at, ": ");
    const file_system no_files;  // knows the texts of the system's errors
    overture::error plain = why;
    plain.path = {};
    (void)no_files.explain(plain, room.subspan(at));
  }
  return code_of(why.code);
}

overture_code failed(overture_error* error, const overture::error& why, std::string_view path,
                     const file_system& files) noexcept {
  return why.source != source_id{} ? failed(error, why, files) : failed(error, why, path);
}

overture_bytes* make_bytes(blob bytes, shared_buffers& from) noexcept {
  overture_bytes* const made = make<overture_bytes>(std::move(bytes), from);
  if (made != nullptr) from.hold();
  return made;
}

}  // namespace overture::c

using namespace overture;
using namespace overture::c;

uint32_t overture_version(void) {
  return version_number;
}

const char* overture_code_name(overture_code code) {
  if (code == OVERTURE_OK) return "ok";
  if (code < OVERTURE_OK || code > OVERTURE_THREW) return "unknown";
  return to_string(static_cast<errc>(code - 1));
}

uint32_t overture_processor_count(void) {
  return processor_count();
}

uint64_t overture_now_ns(void) {
  return now_ns();
}

void* overture_bytes_data(const overture_bytes* bytes) {
  return bytes == nullptr ? nullptr : bytes->bytes.data();
}

size_t overture_bytes_size(const overture_bytes* bytes) {
  return bytes == nullptr ? 0 : bytes->bytes.size();
}

void overture_bytes_free(overture_bytes* bytes) {
  if (bytes == nullptr) return;
  shared_buffers& from = bytes->from;
  destroy(bytes);
  from.drop();
}

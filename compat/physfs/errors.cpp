// SPDX-License-Identifier: Zlib
#include "errors.hpp"

#include <cerrno>
#include <iterator>

#include "error_texts.hpp"

namespace physfs {
namespace {

thread_local constinit PHYSFS_ErrorCode last_error = PHYSFS_ERR_OK;

PHYSFS_ErrorCode code_of_system(int number) noexcept {
  switch (number) {
    case EACCES:
    case EPERM:
    case EXDEV:
      return PHYSFS_ERR_PERMISSION;
#ifdef EDQUOT  // Windows has none
    case EDQUOT:
#endif
    case EMLINK:
    case ENOSPC:
      return PHYSFS_ERR_NO_SPACE;
    case EIO:
      return PHYSFS_ERR_IO;
    case ELOOP:
      return PHYSFS_ERR_SYMLINK_LOOP;
    case EILSEQ:
    case ENAMETOOLONG:
      return PHYSFS_ERR_BAD_FILENAME;
    case ENOENT:
    case ENOTDIR:
      return PHYSFS_ERR_NOT_FOUND;
    case EISDIR:
      return PHYSFS_ERR_NOT_A_FILE;
    case EROFS:
      return PHYSFS_ERR_READ_ONLY;
    case EBUSY:
    case ETXTBSY:
      return PHYSFS_ERR_BUSY;
    case ENOMEM:
      return PHYSFS_ERR_OUT_OF_MEMORY;
    case ENOTEMPTY:
      return PHYSFS_ERR_DIR_NOT_EMPTY;
    default:
      return PHYSFS_ERR_OS_ERROR;
  }
}

}  // namespace

void set_error(PHYSFS_ErrorCode code) noexcept {
  if (code != PHYSFS_ERR_OK) last_error = code;
}

PHYSFS_ErrorCode take_error() noexcept {
  const PHYSFS_ErrorCode code = last_error;
  last_error = PHYSFS_ERR_OK;
  return code;
}

PHYSFS_ErrorCode present_error() noexcept {
  return last_error;
}

PHYSFS_ErrorCode code_of(const overture::error& failure) noexcept {
  using overture::errc;
  if (failure.os_error != 0) return code_of_system(failure.os_error);
  switch (failure.code) {
    case errc::not_found:
      return PHYSFS_ERR_NOT_FOUND;
    case errc::not_a_file:
      return PHYSFS_ERR_NOT_A_FILE;
    case errc::bad_path:
      return PHYSFS_ERR_BAD_FILENAME;
    case errc::corrupt:
    case errc::truncated:
    case errc::collision:
      return PHYSFS_ERR_CORRUPT;
    case errc::io:
    case errc::replaced:
      return PHYSFS_ERR_IO;
    case errc::permission:
      return PHYSFS_ERR_PERMISSION;
    case errc::password:
      return PHYSFS_ERR_BAD_PASSWORD;
    case errc::out_of_memory:
      return PHYSFS_ERR_OUT_OF_MEMORY;
    case errc::limit:
    case errc::unsupported:
      return PHYSFS_ERR_UNSUPPORTED;
    case errc::no_space:
      return PHYSFS_ERR_NO_SPACE;
    case errc::busy:
      return PHYSFS_ERR_BUSY;
    case errc::invalid:
      return PHYSFS_ERR_INVALID_ARGUMENT;
    case errc::exists:
      return PHYSFS_ERR_DUPLICATE;
    case errc::threw:
      return PHYSFS_ERR_APP_CALLBACK;
    case errc::frozen:
    case errc::cancelled:
      break;
  }
  return PHYSFS_ERR_OTHER_ERROR;
}

}  // namespace physfs

PHYSFS_ErrorCode PHYSFS_getLastErrorCode(void) {
  return physfs::take_error();
}

void PHYSFS_setErrorCode(PHYSFS_ErrorCode code) {
  physfs::set_error(code);
}

const char* PHYSFS_getErrorByCode(PHYSFS_ErrorCode code) {
  const auto index = static_cast<unsigned>(code);
  return index < std::size(physfs::error_texts) ? physfs::error_texts[index] : nullptr;
}

const char* PHYSFS_getLastError(void) {
  const PHYSFS_ErrorCode code = physfs::take_error();
  return code == PHYSFS_ERR_OK ? nullptr : PHYSFS_getErrorByCode(code);
}

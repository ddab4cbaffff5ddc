// SPDX-License-Identifier: Zlib
#include "overture/base/error.hpp"

#include <cerrno>

namespace overture {

const char* to_string(errc code) noexcept {
  switch (code) {
    case errc::not_found:
      return "not_found";
    case errc::not_a_file:
      return "not_a_file";
    case errc::bad_path:
      return "bad_path";
    case errc::corrupt:
      return "corrupt";
    case errc::truncated:
      return "truncated";
    case errc::io:
      return "io";
    case errc::permission:
      return "permission";
    case errc::password:
      return "password";
    case errc::frozen:
      return "frozen";
    case errc::collision:
      return "collision";
    case errc::cancelled:
      return "cancelled";
    case errc::limit:
      return "limit";
    case errc::out_of_memory:
      return "out_of_memory";
    case errc::unsupported:
      return "unsupported";
    case errc::no_space:
      return "no_space";
    case errc::busy:
      return "busy";
    case errc::invalid:
      return "invalid";
    case errc::replaced:
      return "replaced";
    case errc::exists:
      return "exists";
    case errc::threw:
      return "threw";
  }
  return "unknown";
}

error os_failure(int os_error, const char* reason) noexcept {
  errc code = errc::io;
  switch (os_error) {
    case ENOENT:
    case ENOTDIR:
      code = errc::not_found;
      break;
    case EISDIR:
      code = errc::not_a_file;
      break;
    case EACCES:
    case EPERM:
    case ELOOP:
    case EXDEV:
    case EROFS:
      code = errc::permission;
      break;
    case ENOMEM:
      code = errc::out_of_memory;
      break;
    case EEXIST:
    case ENOTEMPTY:
      code = errc::exists;
      break;
#ifdef EDQUOT  // not everywhere
    case EDQUOT:
#endif
    case ENOSPC:
      code = errc::no_space;
      break;
    case EMFILE:
    case ENFILE:
    case ENAMETOOLONG:
      code = errc::limit;
      break;
    case EAGAIN:
      code = errc::busy;
      break;
    case ENOSYS:
    case ENOTSUP:
      code = errc::unsupported;
      break;
    case EINVAL:
      code = errc::invalid;
      break;
    default:
      break;
  }
  return error{code, os_error, reason, {}, 0};
}

}  // namespace overture

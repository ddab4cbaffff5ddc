// SPDX-License-Identifier: Zlib
#include <cerrno>
#include <system_error>

#include "system/system.hpp"

namespace overture::cli {

std::string system_message(int os_error) {
  return std::generic_category().message(os_error);
}

bool is_broken_pipe(int os_error) {
  return os_error == EPIPE;
}

bool lacks_room(int os_error) {
#if defined(EDQUOT)
  if (os_error == EDQUOT) return true;
#endif
  return os_error == ENOSPC;
}

bool lacks_resources(int os_error) {
  return os_error == EMFILE || os_error == ENFILE || os_error == ENOMEM;
}

bool is_of_output(int os_error) {
  return ends_all_writing(os_error) || lacks_resources(os_error) || os_error == EFBIG;
}

bool ends_all_writing(int os_error) {
  return lacks_room(os_error) || os_error == EROFS || os_error == EIO;
}

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
#include "system/page_cache.hpp"

namespace overture::cli {

void dropped_files::add(const dropped_files& more) {
  files += more.files;
  bytes += more.bytes;
  kept_bytes += more.kept_bytes;
  unknown_files += more.unknown_files;
  refused_files += more.refused_files;
}

}  // namespace overture::cli

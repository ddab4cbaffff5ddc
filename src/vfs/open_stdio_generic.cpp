// SPDX-License-Identifier: Zlib
#include "overture/vfs/open_stdio.hpp"

namespace overture {

result<std::FILE*> open_stdio(file_system&, asset_path, const file_reader_config&) noexcept {
  return fail(errc::unsupported,
              "this system cannot make a FILE* of a file in the tree: read it with a file_reader, "
              "or as a whole");
}

}  // namespace overture

// SPDX-License-Identifier: Zlib
//
// The comments of a ZIP's entries, such as where a packed file came from. Mounting skips them.
//
//   result<void> done = visit_zip_comments("game.zip", [](std::string_view name,
//                                                         std::string_view comment) { ... });
//
// Cost: reads the archive's directory, as mounting does. Names and comments are hostile bytes in
// whatever encoding the archive has.
#pragma once

#include <string_view>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/filesystem_path.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/base/os.hpp"

namespace overture {

// Visits each entry that has a comment, in the order of the directory. Both texts are valid during
// the visit. Errors: unsupported (the file is not a ZIP), corrupt, limit, threw (the visitor),
// out_of_memory, those of the system. Any thread.
[[nodiscard]] OVERTURE_API result<void> visit_zip_comments(
    const char* path, function_ref<void(std::string_view name, std::string_view comment)> visit,
    operating_system& os = system_os(), allocator& memory = default_allocator()) noexcept;
template <filesystem_path Path>
[[nodiscard]] result<void> visit_zip_comments(
    const Path& path, function_ref<void(std::string_view name, std::string_view comment)> visit,
    operating_system& os = system_os(), allocator& memory = default_allocator()) {
  return visit_zip_comments(detail::utf8_path(path).c_str(), visit, os, memory);
}

}  // namespace overture

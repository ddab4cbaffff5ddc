// SPDX-License-Identifier: Zlib
//
// The virtual file system: folders and archives merged into one tree. Start with file_system.hpp.
#pragma once

#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"
#include "overture/vfs/file_watch.hpp"
#include "overture/vfs/file_writer.hpp"
#include "overture/vfs/open_stdio.hpp"
#include "overture/vfs/opened_file.hpp"

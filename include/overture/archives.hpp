// SPDX-License-Identifier: Zlib
//
// The supported archive formats, where an entry's bytes are stored, and a writer of ZIPs. To mount
// archives, see overture/vfs.hpp.
#pragma once

#include "overture/archives/file_place.hpp"
#include "overture/archives/mount_format.hpp"
#include "overture/archives/mount_format_list.hpp"
#include "overture/archives/name_encoding.hpp"
#include "overture/archives/zip_builder.hpp"
#include "overture/archives/zip_comments.hpp"

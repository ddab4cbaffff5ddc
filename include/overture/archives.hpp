// The supported archive formats, and where an entry's bytes are stored. To mount archives, see
// overture/vfs.hpp.
#pragma once

#include "overture/archives/file_place.hpp"
#include "overture/archives/mount_format.hpp"
#include "overture/archives/mount_format_list.hpp"
#include "overture/archives/name_encoding.hpp"

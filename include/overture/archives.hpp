// Archive formats: which ones there are, and where a file's bytes are stored in one. To mount
// archives, see overture/vfs.hpp.
#pragma once

#include "overture/archives/file_place.hpp"
#include "overture/archives/mount_format.hpp"

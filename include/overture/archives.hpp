// Archive formats: the list of formats, and the place of a file in an archive.
#pragma once

#include "overture/archives/file_place.hpp"
#include "overture/archives/mount_format.hpp"

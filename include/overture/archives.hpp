// What the archive formats tell about files.
#pragma once

#include "overture/archives/file_place.hpp"
#include "overture/archives/mount_format.hpp"

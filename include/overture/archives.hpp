// Archive formats: which there are, and where in an archive a file lies.
#pragma once

#include "overture/archives/file_place.hpp"
#include "overture/archives/mount_format.hpp"

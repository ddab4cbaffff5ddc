// Folders and archives as one tree: mount, look up, read, write, watch.
#pragma once

#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"
#include "overture/vfs/file_watch.hpp"
#include "overture/vfs/file_writer.hpp"

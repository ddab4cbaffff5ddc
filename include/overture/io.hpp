// Bytes from the disk: the read queue, open files, unpacking.
#pragma once

#include "overture/io/handle_cache.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/io/simulated_disk.hpp"
#include "overture/io/unpack.hpp"

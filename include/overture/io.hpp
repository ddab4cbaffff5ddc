// SPDX-License-Identifier: Zlib
//
// Reading: the read queue, open files, compression.
#pragma once

#include "overture/io/handle_cache.hpp"
#include "overture/io/pack.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/io/simulated_disk.hpp"
#include "overture/io/unpack.hpp"

// SPDX-License-Identifier: Zlib
//
// Loading a whole game: the pipeline from mounted files to finished assets.
#pragma once

#include "overture/load/load_record.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/load/read_file.hpp"

// SPDX-License-Identifier: Zlib
//
// The foundation: errors, memory, paths, hashes, threads and the operating system.
#pragma once

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/blob.hpp"
#include "overture/base/case_fold.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/error.hpp"
#include "overture/base/exceptions.hpp"
#include "overture/base/executor.hpp"
#include "overture/base/filesystem_path.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/base/glob.hpp"
#include "overture/base/guards.hpp"
#include "overture/base/hash.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/os.hpp"
#include "overture/base/path.hpp"
#include "overture/base/path_id.hpp"
#include "overture/base/portable_name.hpp"
#include "overture/base/prefetch.hpp"
#include "overture/base/source_id.hpp"
#include "overture/base/spin.hpp"
#include "overture/base/thread.hpp"
#include "overture/base/version.hpp"

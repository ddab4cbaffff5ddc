// Overture: start here.
//
// This header brings everything in. Each module also stands alone, with a header of its own and a
// library to link (overture::sync, ...). From low to high, each may use those above it:
//
//   base.hpp      errors, memory, paths, hashes, threads, the operating system
//   sync.hpp      barricade, countdown, future: waiting that costs one load when there is no wait
//   trace.hpp     timeline: what happened when
//   jobs.hpp      thread_pool, job_system, parallel calls, graphs, coroutines
//   text.hpp      objects as text and back; saves
//   io.hpp        read_queue: asynchronous reads; handle_cache; unpacking
//   archives.hpp  which archive formats there are, and where a file lies in one
//   vfs.hpp       file_system: folders and archives as one tree
//   decoders.hpp  images, sounds, models and text from their file formats
//   load.hpp      load_scope: a whole game at once
//
// To load a game, read load/load_scope.hpp first. To read one file, vfs/file_system.hpp. To run
// work on all cores, jobs/thread_pool.hpp and jobs/parallel.hpp. To wait, sync/barricade.hpp.
// Headers in detail/ are not for callers.
#pragma once

#include "overture/archives.hpp"
#include "overture/base.hpp"
#include "overture/decoders.hpp"
#include "overture/io.hpp"
#include "overture/jobs.hpp"
#include "overture/load.hpp"
#include "overture/sync.hpp"
#include "overture/text.hpp"
#include "overture/trace.hpp"
#include "overture/vfs.hpp"

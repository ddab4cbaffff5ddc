// SPDX-License-Identifier: Zlib
//
// Overture: start here. Every public header begins with a manual page.
//
//   To ...                        read ...
//   load a whole game             load/load_scope.hpp
//   find and read one file        vfs/file_system.hpp
//   run work on all cores         jobs/thread_pool.hpp, jobs/parallel.hpp
//   wait for something            sync/barricade.hpp, sync/future.hpp
//   save and load objects         text/fields.hpp, text/save.hpp
//   see where the time goes       trace/timeline.hpp
//
// Texts named docs/guide/... are installed in share/doc/overture/guide.
//
// This header includes all modules. Not in it are the libraries apart, whose headers are in
// loaders/ (ready-made loaders for an asset_store), sounds/ (music), report/ (the page of a load),
// and c/ (the interface for C), and headers for programs that use SDL or streams: sdl/, streams/.
//
// The libraries are built without exceptions and RTTI: what the host throws becomes an error, but
// typeid and dynamic_cast do not know Overture's classes (the host does not link), and
// -fsanitize=undefined needs -fno-sanitize=vptr.
//
// To compile less, include one module and link its library
// (overture::sync, ...). From low to high; each module uses only those above it in this list:
//
//   base.hpp      errors, memory, paths, hashes, threads, the operating system
//   sync.hpp      barricade, countdown, future: a single load if nothing has to be waited for
//   trace.hpp     timeline: what happened when
//   jobs.hpp      thread_pool, job_system, parallel calls, graphs, coroutines
//   text.hpp      objects as text and back; saves
//   io.hpp        read_queue: asynchronous reads; decompression
//   archives.hpp  archive formats
//   vfs.hpp       file_system: folders and archives as one tree
//   decoders.hpp  images, textures, sounds, models and text
//   load.hpp      load_scope: a whole game at once
//   assets.hpp    asset_store: what a game asks for by name
//
// Everything is in namespace overture, objects as text in overture::text, and the suffix of
// "maps/rome.txt"_path in overture::literals. Namespaces called detail or NAME_detail and headers
// in detail/ are not for callers.
#pragma once

#include "overture/archives.hpp"
#include "overture/assets.hpp"
#include "overture/base.hpp"
#include "overture/decoders.hpp"
#include "overture/io.hpp"
#include "overture/jobs.hpp"
#include "overture/load.hpp"
#include "overture/sync.hpp"
#include "overture/text.hpp"
#include "overture/trace.hpp"
#include "overture/vfs.hpp"

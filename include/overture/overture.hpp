// Overture: start here.
//
// Everything at once. The parts also stand alone, from low to high:
//
//   error.hpp allocator.hpp blob.hpp os.hpp thread.hpp hash.hpp     what everything is made of
//   barricade.hpp countdown.hpp event_count.hpp parking_word.hpp    waiting
//   future.hpp spin.hpp wait_observer.hpp
//   guards.hpp                                                      who allocates, who locks
//   timeline.hpp                                                    what happened when
//   job.hpp job_system.hpp thread_pool.hpp                          work for every core
//   parallel.hpp job_batch.hpp job_graph.hpp wake_policy.hpp
//   single_threaded.hpp coroutine.hpp blocking_scope.hpp wake_profile.hpp
//   paged.hpp text_write.hpp text_read.hpp text_fields.hpp          objects as text, and back
//   text_save.hpp                                                   saves: whole or not at all
//   text_format.hpp text_number.hpp                                 sprintf without its lock
//   read_queue.hpp handle_cache.hpp simulated_disk.hpp unpack.hpp   bytes from the disk
//   path.hpp case_fold.hpp file_system.hpp                          folders, archives as one tree
//   file_reader.hpp file_writer.hpp file_watch.hpp
//   decoders.hpp model.hpp load.hpp                                 a whole game at once
#pragma once

#include "overture/allocator.hpp"
#include "overture/barricade.hpp"
#include "overture/blob.hpp"
#include "overture/blocking_scope.hpp"
#include "overture/case_fold.hpp"
#include "overture/coroutine.hpp"
#include "overture/countdown.hpp"
#include "overture/decoders.hpp"
#include "overture/error.hpp"
#include "overture/event_count.hpp"
#include "overture/executor.hpp"
#include "overture/file_reader.hpp"
#include "overture/file_system.hpp"
#include "overture/file_watch.hpp"
#include "overture/file_writer.hpp"
#include "overture/future.hpp"
#include "overture/guards.hpp"
#include "overture/handle_cache.hpp"
#include "overture/hash.hpp"
#include "overture/job.hpp"
#include "overture/job_batch.hpp"
#include "overture/job_graph.hpp"
#include "overture/job_system.hpp"
#include "overture/limits.hpp"
#include "overture/load.hpp"
#include "overture/model.hpp"
#include "overture/os.hpp"
#include "overture/paged.hpp"
#include "overture/parallel.hpp"
#include "overture/parking_word.hpp"
#include "overture/path.hpp"
#include "overture/prefetch.hpp"
#include "overture/read_queue.hpp"
#include "overture/simulated_disk.hpp"
#include "overture/single_threaded.hpp"
#include "overture/spin.hpp"
#include "overture/text_cursor.hpp"
#include "overture/text_digits.hpp"
#include "overture/text_fields.hpp"
#include "overture/text_follow.hpp"
#include "overture/text_format.hpp"
#include "overture/text_number.hpp"
#include "overture/text_pages.hpp"
#include "overture/text_read.hpp"
#include "overture/text_reflect.hpp"
#include "overture/text_save.hpp"
#include "overture/text_style.hpp"
#include "overture/text_write.hpp"
#include "overture/thread.hpp"
#include "overture/thread_pool.hpp"
#include "overture/timeline.hpp"
#include "overture/unpack.hpp"
#include "overture/version.hpp"
#include "overture/wait_observer.hpp"
#include "overture/wake_policy.hpp"
#include "overture/wake_profile.hpp"

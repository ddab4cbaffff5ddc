// SPDX-License-Identifier: Zlib
//
// A barricade: an event of four bytes. Raised it blocks, lowered it lets everyone through.
//
//   overture_barricade ready;
//   overture_barricade_init(&ready, false);    // raised
//   ...
//   overture_barricade_wait(&ready);           // in many threads
//   ...
//   overture_barricade_lower(&ready);          // in one: all go through together
//
// It needs no memory and no end. Once it is lowered, waiting is a single load. Everything that a
// thread wrote before it lowered the barricade is visible to those that it lets through. It may
// disappear as soon as every wait has returned. overture/sync/barricade.hpp says how it works.
//
// Each function returns OVERTURE_OK or, for NULL, OVERTURE_INVALID.
#pragma once

#include "overture/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where it is must not change while threads use it. Threads of one process only.
typedef struct overture_barricade {
  uint32_t word;  // for the library
} overture_barricade;

// Before the first use; not while a thread waits.
OVERTURE_C_API overture_code overture_barricade_init(overture_barricade* barricade, bool lowered);
// False for NULL. One load.
OVERTURE_C_API bool overture_barricade_is_lowered(const overture_barricade* barricade);
// Releases all that wait, and lets all others through until it is raised. Never blocks.
OVERTURE_C_API overture_code overture_barricade_lower(overture_barricade* barricade);
// Blocks every wait from now on. Never blocks itself.
OVERTURE_C_API overture_code overture_barricade_raise(overture_barricade* barricade);
// Returns once the barricade is lowered, or has been since the call. Do not wait in a job for what
// another job must do, unless there are workers left.
OVERTURE_C_API overture_code overture_barricade_wait(overture_barricade* barricade);
// The same for at most so many nanoseconds. OVERTURE_BUSY: the time has run out.
OVERTURE_C_API overture_code overture_barricade_wait_for(overture_barricade* barricade,
                                                         uint64_t timeout_ns);

#ifdef __cplusplus
}
#endif

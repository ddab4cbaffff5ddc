// SPDX-License-Identifier: Zlib
//
// How the process ends before its time: what is the same on every system, and what each says.
#pragma once

namespace overture::cli {

// Counts an interrupt. At the second it removes what is unfinished and exits with exit_interrupted.
// For a signal handler.
void note_interrupt();

// Of each system: removes a file or an empty folder. For a signal handler.
void remove_unfinished(const char* path);

}  // namespace overture::cli

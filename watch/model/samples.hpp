// SPDX-License-Identifier: Zlib
//
// Puts samples to the threads that they are of.
#pragma once

#include "watch/model/watched.hpp"

namespace overture::watch {

void add_samples(watched_process& process, const sampling& of);

}  // namespace overture::watch

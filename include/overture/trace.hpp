// SPDX-License-Identifier: Zlib
//
// The timeline: what each thread did, and when.
#pragma once

#include "overture/trace/timeline.hpp"

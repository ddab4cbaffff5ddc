// SPDX-License-Identifier: Zlib
//
// Waiting: barricade, countdown, futures, and the underlying primitives. Room: memory_ledger.
#pragma once

#include "overture/sync/barricade.hpp"
#include "overture/sync/countdown.hpp"
#include "overture/sync/event_count.hpp"
#include "overture/sync/future.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "overture/sync/parking_word.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/sync/when.hpp"

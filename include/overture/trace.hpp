// The timeline: what happened when, on which thread.
#pragma once

#include "overture/trace/timeline.hpp"

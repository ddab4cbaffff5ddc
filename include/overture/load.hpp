// A whole game at once: the loading pipeline.
#pragma once

#include "overture/load/load_scope.hpp"

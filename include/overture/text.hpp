// Objects as text and back, on every core, without allocating.
#pragma once

#include "overture/text/cursor.hpp"
#include "overture/text/fields.hpp"
#include "overture/text/format.hpp"
#include "overture/text/number.hpp"
#include "overture/text/pages.hpp"
#include "overture/text/read.hpp"
#include "overture/text/reflect.hpp"
#include "overture/text/save.hpp"
#include "overture/text/style.hpp"
#include "overture/text/write.hpp"

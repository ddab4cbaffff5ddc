// SPDX-License-Identifier: Zlib
//
// Game objects as text and back, on every core.
//
// Which header to open:
//
//   text/fields.hpp   describe a type once, for all the headers below
//   text/style.hpp    what the text looks like: script, blocks, rows, JSON
//   text/write.hpp    write objects: one, or a whole paged<T> (jobs/paged.hpp)
//   text/read.hpp     read them back; turn an error's offset into line and column
//   text/save.hpp     save a game and load it, with checksums, versions and recovery
//   text/format.hpp   format a line: snprintf() and format_to() without locale or allocation
//   text/number.hpp   one number to text and back
//   text/pages.hpp    write objects that are not in a paged<T>
//
// A first program needs write.hpp and read.hpp; docs/guide/text.md walks through it.
#pragma once

#include "overture/text/fields.hpp"
#include "overture/text/format.hpp"
#include "overture/text/number.hpp"
#include "overture/text/pages.hpp"
#include "overture/text/read.hpp"
#include "overture/text/save.hpp"
#include "overture/text/style.hpp"
#include "overture/text/write.hpp"

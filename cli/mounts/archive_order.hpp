// SPDX-License-Identifier: Zlib
//
// The order of the archives in a folder. Later ones win.
#pragma once

#include <string>
#include <vector>

namespace overture::cli {

enum class archive_order : unsigned char {
  nocase,   // as id Tech 3 and most games after it: Zmod.pk3 comes after assets0.pk3
  bytes,    // as the C locale: Zmod.pk3 comes before assets0.pk3
  natural,  // nocase, but numbers by their value: pak10.pk3 comes after pak9.pk3
};

// Names that are equal in this order are sorted by their bytes.
void sort_archives(std::vector<std::string>& paths, archive_order order);

}  // namespace overture::cli

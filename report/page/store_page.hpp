// SPDX-License-Identifier: Zlib
//
// What an asset_store loaded as one page: like that of a load, with assets instead of files.
#pragma once

#include <string>

#include "report/model/report_model.hpp"
#include "report/model/store_model.hpp"
#include "report/page/picture.hpp"

namespace overture::report_detail {

// `drawn` has the rows and threads of the same timeline.
[[nodiscard]] std::string store_page(const store_report& what, const load_report& drawn,
                                     const timeline_picture& picture);

}  // namespace overture::report_detail

// SPDX-License-Identifier: Zlib
//
// What a store's report says in words: the verdict, and what to change.
#pragma once

#include <string>
#include <vector>

#include "report/model/load_advice.hpp"
#include "report/model/store_model.hpp"

namespace overture::report_detail {

// What took most of the assets' time, without their needs, which have times of their own: "waiting
// for pump()". Empty if nothing took any.
[[nodiscard]] std::string bound_of(const store_report& what);
// One sentence.
[[nodiscard]] std::string verdict_sentence(const store_report& what);
// At most five; what saves most comes first. Nothing that is not worth it.
[[nodiscard]] std::vector<advice> store_advice(const store_report& what);

}  // namespace overture::report_detail

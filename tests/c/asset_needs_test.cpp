// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_asset_needs, build_may_need_more_and_do_without_what_is_missing)

// SPDX-License-Identifier: Zlib
//
// Files that are larger than the ledger's limit, and that no one needs as a whole, are unpacked and
// checksummed in pieces, so that they cost no more memory than a piece and a window.
#pragma once

#include "load/load_state.hpp"

namespace overture::load_detail {

// Whether to try: there is no sink, and the file does not fit, or must not take too long.
[[nodiscard]] bool may_go_in_pieces(const load_state& load, const load_item& item) noexcept;
// The room it takes.
[[nodiscard]] std::uint64_t room_for_pieces(const load_item& item) noexcept;

}  // namespace overture::load_detail

// Files that are larger than the ledger's limit, and that no one needs as a whole, are unpacked and
// checksummed in pieces, so that they cost no more memory than a piece and a window.
#pragma once

#include "load/loader.hpp"

namespace overture::load_detail {

// Whether to try: there is no sink, and the file does not fit.
[[nodiscard]] bool may_go_in_pieces(const load_state& load, const load_item& item) noexcept;
// The room it takes.
[[nodiscard]] std::uint64_t room_for_pieces(const load_item& item) noexcept;

// Reads, unpacks and verifies the file. Sets `wanted` if a decoder accepts it: it is then needed as
// a whole after all. Checks between pieces whether the load was cancelled.
[[nodiscard]] result<std::uint64_t> check_in_pieces(loader& by, load_item& item,
                                                    bool& wanted) noexcept;

// The first decoder that accepts the item's content, or null.
[[nodiscard]] const decoder* decoder_of(const load_state& load, const load_item& item) noexcept;

}  // namespace overture::load_detail

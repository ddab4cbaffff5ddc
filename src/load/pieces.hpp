// SPDX-License-Identifier: Zlib
//
// Files that are larger than the ledger's limit, and that no one needs as a whole, are unpacked and
// checksummed in pieces, so that they cost no more memory than a piece and a window.
#pragma once

#include "load/loader.hpp"

namespace overture::load_detail {

// load_options::file_time_max less what the item's stages have taken.
[[nodiscard]] std::chrono::nanoseconds time_left(const load_state& load,
                                                 const load_item& item) noexcept;
inline constexpr error takes_too_long{
    .code = errc::limit,
    .reason = "takes longer than the time for one file; allow more, or leave the file out"};

// Whether to try: there is no sink, and the file does not fit, or must not take too long.
[[nodiscard]] bool may_go_in_pieces(const load_state& load, const load_item& item) noexcept;
// The room it takes.
[[nodiscard]] std::uint64_t room_for_pieces(const load_item& item) noexcept;

// Reads, unpacks and verifies the file. Sets `wanted` if a decoder accepts it: it is then needed as
// a whole after all. Checks between pieces whether the load was cancelled, or the time is over.
[[nodiscard]] result<std::uint64_t> check_in_pieces(loader& by, load_item& item,
                                                    bool& wanted) noexcept;

// The number of the first decoder that accepts the item's content, or how many there are.
[[nodiscard]] std::size_t decoder_of(const load_state& load, const load_item& item) noexcept;

}  // namespace overture::load_detail

// SPDX-License-Identifier: Zlib
//
// How long a file's stages and reads have taken, in its record and in the timeline.
#pragma once

#include <chrono>

#include "load/loader.hpp"
#include "overture/sync/countdown.hpp"

namespace overture::load_detail {

// Ends a part of a stage: adds the time since the last part of this loader. If a solid block was
// unpacked meanwhile, that time goes to unpack.
void end_part(loader& by, const load_item& item, load_stage stage, std::uint64_t bytes) noexcept;

// Counts a read that the read queue has completed.
void note_read(load_state& load, const load_item& item, const read_request& request) noexcept;
// As read_queue::read_if_cached(), and counts it: what unpacked a solid block is a part of unpack.
[[nodiscard]] bool read_if_cached(loader& by, const load_item& item,
                                  const read_request& request) noexcept;
// Waits within a stage for a request that was submitted with this countdown. The wait is not part
// of the stage.
void wait_for_read(loader& by, const load_item& item, load_stage stage, read_request& request,
                   countdown& left) noexcept;

// load_options::file_time_max less what the item's stages have taken.
[[nodiscard]] std::chrono::nanoseconds time_left(const load_state& load,
                                                 const load_item& item) noexcept;
inline constexpr error takes_too_long{
    .code = errc::limit,
    .reason = "takes longer than the time for one file; allow more, or leave the file out"};

}  // namespace overture::load_detail

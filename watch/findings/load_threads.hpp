// SPDX-License-Identifier: Zlib
//
// Whose work makes a load longer: a thread that plays music may work as hard as it likes.
#pragma once

#include <vector>

#include "watch/model/load_view.hpp"

namespace overture::watch {

// By thread: the main thread, and those that it waited for.
[[nodiscard]] std::vector<bool> awaited_threads(const load_view& view);
// Likewise, and those that opened files of the game: a main thread that looks now and then whether
// they are done waits for none of them.
[[nodiscard]] std::vector<bool> loading_threads(const load_view& view);

// A thread that a driver has begun does no work of the game.
[[nodiscard]] bool is_of_graphics_driver(const watched_process& process,
                                         const watched_thread& thread);
[[nodiscard]] bool is_of_driver(const watched_process& process, const watched_thread& thread);

}  // namespace overture::watch

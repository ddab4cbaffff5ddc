// SPDX-License-Identifier: Zlib
//
// What the game of this test asks its plug-in for.
#pragma once

#include <overture/overture.hpp>

struct plug_in_calls {
  // Objects that each copy of Overture has once.
  overture::allocator& (*default_allocator)() noexcept;
  overture::wait_observer* (*current_wait_observer)() noexcept;
  // Adds up 0 to `count` - 1 on the game's pool, waiting for the game's barricade first.
  std::size_t (*sum)(overture::thread_pool& jobs, overture::barricade& door, std::size_t count);
  // An interface that the plug-in implements.
  overture::asset_sink& (*sink)() noexcept;
};

// nullptr if it cannot be loaded; prints why.
const plug_in_calls* load_plug_in();

// SPDX-License-Identifier: Zlib
//
// Decoders for images, textures, sounds, models and text.
#pragma once

#include "overture/decoders/decoder.hpp"
#include "overture/decoders/model.hpp"

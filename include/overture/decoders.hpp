// Decoders: images, textures, sounds, models and text from their file formats.
#pragma once

#include "overture/decoders/decoder.hpp"
#include "overture/decoders/model.hpp"

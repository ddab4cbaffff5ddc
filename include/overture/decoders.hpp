// File formats to assets: images, sounds, models, text.
#pragma once

#include "overture/decoders/decoder.hpp"
#include "overture/decoders/model.hpp"

// SPDX-License-Identifier: Zlib
//
// For the sources of fuzzers that mutate by structure.
#pragma once

#include "mutators/mutators.hpp"

// Defined by libFuzzer.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);
// Called by libFuzzer in place of its own mutations.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed);

// SPDX-License-Identifier: Zlib
//
// The mutators by structure, see structured.hpp.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "mutators/structured.hpp"

namespace overture::fuzz {

// The mutated bytes. Empty if they are not of this format, or would be larger than size_max.
using structure_mutator = std::string(std::string_view bytes, std::size_t size_max, unsigned seed,
                                      byte_mutator mutate_bytes);

structure_mutator mutate_zip;
structure_mutator mutate_seven_zip;
structure_mutator mutate_png;
structure_mutator mutate_ogg;

// The body of LLVMFuzzerCustomMutator: the first mutator that knows the format, or now and then,
// and for other bytes, plain mutation, which finds what no model can express.
inline std::size_t mutate_file(std::initializer_list<structure_mutator*> mutators,
                               std::uint8_t* bytes, std::size_t size, std::size_t size_max,
                               unsigned seed, byte_mutator mutate_bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  if (chance(~std::uint64_t{seed}).one_in(16)) return mutate_bytes(bytes, size, size_max);
  for (structure_mutator* const mutate : mutators) {
    const std::string mutated = mutate(text, size_max, seed, mutate_bytes);
    if (mutated.empty()) continue;
    std::copy(mutated.begin(), mutated.end(), bytes);
    return mutated.size();
  }
  return mutate_bytes(bytes, size, size_max);
}

}  // namespace overture::fuzz

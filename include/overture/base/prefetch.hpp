// Asks for memory before it is needed, so that the cache has it when it is.
//
//   prefetch_to_write(place);       // a while before it is written
//   prefetch_to_read(record);       // a while before it is read
//
// Each asks for the one cache line in which the address lies. They change nothing that a program
// can see and never fault, whatever the address; where the compiler has no word for them they do
// nothing. Cost: one instruction, and a line that something else may have wanted to keep. Any
// thread. A function that does nothing else must be in line (gnu::always_inline): GCC 12 holds it
// for one without effect and leaves its calls out.
#pragma once

namespace overture {

inline void prefetch_to_read([[maybe_unused]] const void* place) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(place);
#endif
}

// Takes the line away from other cores, which a read would not do, so that the write does not wait
// for a second way there. On x86-64 that is an instruction of its own, which every processor of the
// kind runs; Intel's older than 2014 do nothing for it. Compilers would use it only if they were
// told of the processor (-mprfchw), and make a fetch to read of it otherwise.
inline void prefetch_to_write([[maybe_unused]] const void* place) noexcept {
#if defined(__GNUC__) && defined(__x86_64__)
  asm volatile("prefetchw {(%0)|[%0]}" : : "r"(place));  // in either dialect (-masm)
#elif defined(__GNUC__)
  __builtin_prefetch(place, 1);
#endif
}

}  // namespace overture

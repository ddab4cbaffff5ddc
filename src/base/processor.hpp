// Where the calling thread runs at the moment.
#pragma once

#include <cstdint>

namespace overture {

// The number of the processor; old by the time it returns. The same for all threads where the
// system does not tell. Any thread; costs no system call.
[[nodiscard]] unsigned this_processor() noexcept;

// How often the calling thread was taken off a processor while it had something to do. 0 where the
// system does not tell. A system call.
[[nodiscard]] std::uint64_t thread_preemptions() noexcept;

// Moves the calling thread to another one of the processors that it may run on, which stay the
// same. False if there is none. Costs some 40 microseconds. A change of those processors by another
// thread at the same time may be lost.
bool leave_processor() noexcept;

inline constexpr unsigned no_processor = ~0u;

// Takes `number` from the processors that the calling thread may run on, if it is one of several,
// and gives back the one that an earlier call has taken. True if it has taken it; a thread that
// runs there moves at once, for some 40 microseconds. no_processor: takes none, gives none back. A
// change of those processors by another thread at the same time may be lost.
bool keep_off_processor(unsigned number, unsigned give_back) noexcept;

// From now on timed waits of the calling thread end at their time, where the system would gather
// them for some 50 microseconds else.
void sharpen_timers() noexcept;

}  // namespace overture

// Where the calling thread runs at the moment.
#pragma once

namespace overture {

// The number of the processor; old by the time it returns. The same for all threads where the
// system does not tell. Any thread; costs no system call.
[[nodiscard]] unsigned this_processor() noexcept;

}  // namespace overture

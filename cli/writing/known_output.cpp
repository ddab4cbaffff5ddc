// SPDX-License-Identifier: Zlib
#include "writing/known_output.hpp"

namespace overture::cli {

result<void> known_output::commit(file_replacement& file) {
  const result<file_status> own = system_os().status(file.file());
  const result<void> done = file.commit([&]() noexcept -> result<void> {
    if (state_at_end_of(file.target_path()) == known_) return {};
    return fail(errc::exists, changed_meanwhile);
  });
  if (!file.is_in_place() || !own) return done;
  // Another program may have been there since.
  const std::optional<file_state> placed = state_at_end_of(file.target_path());
  if (placed && placed->volume == own->volume && placed->number == own->number) known_ = placed;
  return done;
}

}  // namespace overture::cli

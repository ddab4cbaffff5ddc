// SPDX-License-Identifier: Zlib
//
// A source that forgets its lock. It is not built: `./dev lint` makes sure that clang refuses it.
#include "sync/mutex.hpp"

namespace overture {

class counter {
 public:
  void add() noexcept { ++count_; }

 private:
  sync_detail::mutex lock_;
  int count_ GUARDED_BY(lock_) = 0;
};

}  // namespace overture

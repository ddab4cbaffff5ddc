// SPDX-License-Identifier: Zlib
//
// Stands in for peers that are missing.
#include "jobs_peers.hpp"

namespace bench {

#if !defined(OVERTURE_PEER_ENKI)
std::unique_ptr<job_peer> make_enki(unsigned) {
  return nullptr;
}
#endif
#if !defined(OVERTURE_PEER_TASKFLOW)
std::unique_ptr<job_peer> make_taskflow(unsigned) {
  return nullptr;
}
#endif
#if !defined(OVERTURE_PEER_MARL)
std::unique_ptr<job_peer> make_marl(unsigned) {
  return nullptr;
}
#endif
#if !defined(OVERTURE_PEER_DISPENSO)
std::unique_ptr<job_peer> make_dispenso(unsigned) {
  return nullptr;
}
#endif
#if !defined(OVERTURE_PEER_LIBFORK)
std::unique_ptr<job_peer> make_libfork(unsigned) {
  return nullptr;
}
#endif

}  // namespace bench

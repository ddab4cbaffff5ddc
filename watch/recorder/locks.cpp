// SPDX-License-Identifier: Zlib
//
// Locks. One that is free costs no clock: it is tried first, and only who has to wait is written
// down. A release is an event only if a thread waits, and only then does who wakes look at a clock.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "watch/recorder/calls.hpp"

namespace overture::watch {
namespace {

template <class Call>
__attribute__((noinline)) int waited(event_kind kind, const volatile void* address,
                                     std::uintptr_t caller, int timed_out, Call call) {
  wait_note note(kind, address, caller);
  const int outcome = call();
  note.end(outcome == timed_out ? plain_event::timeout : 0);
  return outcome;
}

}  // namespace

constinit next_function<int(pthread_mutex_t*)> next_trylock("pthread_mutex_trylock");
OVERTURE_WATCH_TAKES(int, pthread_mutex_trylock, (pthread_mutex_t * mutex)) {
  const int outcome = next_trylock(mutex);
  if (outcome == EBUSY) note_spin(spin_call::trylock, OVERTURE_WATCH_CALLER);
  return outcome;
}
constinit next_function<int(pthread_mutex_t*)> next_lock("pthread_mutex_lock");
OVERTURE_WATCH_TAKES(int, pthread_mutex_lock, (pthread_mutex_t * mutex)) {
  const int outcome = next_trylock(mutex);
  if (outcome != EBUSY) [[likely]]
    return outcome;
  return waited(event_kind::wait_mutex, mutex, OVERTURE_WATCH_CALLER, ETIMEDOUT,
                [&] { return next_lock(mutex); });
}
constinit next_function<int(pthread_mutex_t*, const timespec*)> next_timedlock(
    "pthread_mutex_timedlock");
OVERTURE_WATCH_TAKES(int, pthread_mutex_timedlock,
                     (pthread_mutex_t * mutex, const timespec* until)) {
  const int outcome = next_trylock(mutex);
  if (outcome != EBUSY) [[likely]]
    return outcome;
  return waited(event_kind::wait_mutex, mutex, OVERTURE_WATCH_CALLER, ETIMEDOUT,
                [&] { return next_timedlock(mutex, until); });
}
constinit next_function<int(pthread_mutex_t*)> next_unlock("pthread_mutex_unlock");
OVERTURE_WATCH_TAKES(int, pthread_mutex_unlock, (pthread_mutex_t * mutex)) {
  releases(mutex, OVERTURE_WATCH_CALLER);
  return next_unlock(mutex);
}

constinit next_function<int(mtx_t*)> next_mtx_trylock("mtx_trylock");
OVERTURE_WATCH_TAKES(int, mtx_trylock, (mtx_t * mutex)) {
  const int outcome = next_mtx_trylock(mutex);
  if (outcome == thrd_busy) note_spin(spin_call::trylock, OVERTURE_WATCH_CALLER);
  return outcome;
}
constinit next_function<int(mtx_t*)> next_mtx_lock("mtx_lock");
OVERTURE_WATCH_TAKES(int, mtx_lock, (mtx_t * mutex)) {
  const int outcome = next_mtx_trylock(mutex);
  if (outcome != thrd_busy) [[likely]]
    return outcome;
  return waited(event_kind::wait_mutex, mutex, OVERTURE_WATCH_CALLER, thrd_timedout,
                [&] { return next_mtx_lock(mutex); });
}
constinit next_function<int(mtx_t*)> next_mtx_unlock("mtx_unlock");
OVERTURE_WATCH_TAKES(int, mtx_unlock, (mtx_t * mutex)) {
  releases(mutex, OVERTURE_WATCH_CALLER);
  return next_mtx_unlock(mutex);
}

#define LOCKS_RW(NAME, TRY)                                                      \
  constinit next_function<int(pthread_rwlock_t*)> next_##TRY(#TRY);              \
  constinit next_function<int(pthread_rwlock_t*)> next_##NAME(#NAME);            \
  OVERTURE_WATCH_TAKES(int, NAME, (pthread_rwlock_t * lock)) {                   \
    const int outcome = next_##TRY(lock);                                        \
    if (outcome != EBUSY) [[likely]]                                             \
      return outcome;                                                            \
    return waited(event_kind::wait_lock, lock, OVERTURE_WATCH_CALLER, ETIMEDOUT, \
                  [&] { return next_##NAME(lock); });                            \
  }
LOCKS_RW(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock)
LOCKS_RW(pthread_rwlock_wrlock, pthread_rwlock_trywrlock)
constinit next_function<int(pthread_rwlock_t*)> next_rwunlock("pthread_rwlock_unlock");
OVERTURE_WATCH_TAKES(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock)) {
  releases(lock, OVERTURE_WATCH_CALLER);
  return next_rwunlock(lock);
}

// --- Conditions ----------------------------------------------------------------------------------

// Waiting for a condition releases the lock without a call that passes here.
constinit next_function<int(pthread_cond_t*, pthread_mutex_t*)> next_cond_wait("pthread_cond_wait",
                                                                               "GLIBC_2.3.2");
OVERTURE_WATCH_TAKES(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t* mutex)) {
  releases(mutex, OVERTURE_WATCH_CALLER);
  return waited(event_kind::wait_condition, condition, OVERTURE_WATCH_CALLER, ETIMEDOUT,
                [&] { return next_cond_wait(condition, mutex); });
}
constinit next_function<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>
    next_cond_timedwait("pthread_cond_timedwait", "GLIBC_2.3.2");
OVERTURE_WATCH_TAKES(int, pthread_cond_timedwait,
                     (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* until)) {
  releases(mutex, OVERTURE_WATCH_CALLER);
  return waited(event_kind::wait_condition, condition, OVERTURE_WATCH_CALLER, ETIMEDOUT,
                [&] { return next_cond_timedwait(condition, mutex, until); });
}
constinit next_function<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>
    next_cond_clockwait("pthread_cond_clockwait");
OVERTURE_WATCH_TAKES(int, pthread_cond_clockwait,
                     (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock,
                      const timespec* until)) {
  releases(mutex, OVERTURE_WATCH_CALLER);
  return waited(event_kind::wait_condition, condition, OVERTURE_WATCH_CALLER, ETIMEDOUT,
                [&] { return next_cond_clockwait(condition, mutex, clock, until); });
}
constinit next_function<int(cnd_t*, mtx_t*)> next_cnd_wait("cnd_wait");
OVERTURE_WATCH_TAKES(int, cnd_wait, (cnd_t * condition, mtx_t* mutex)) {
  releases(mutex, OVERTURE_WATCH_CALLER);
  return waited(event_kind::wait_condition, condition, OVERTURE_WATCH_CALLER, thrd_timedout,
                [&] { return next_cnd_wait(condition, mutex); });
}

// Of a condition or a semaphore.
#define WAKES(NAME, VERSION)                                                                    \
  constinit next_function<int(void*)> next_##NAME(#NAME, VERSION);                              \
  OVERTURE_WATCH_TAKES(int, NAME, (void* sleeps)) {                                             \
    const std::uint32_t sleepers = waiters_of(sleeps).load(std::memory_order_relaxed);          \
    if (sleepers == 0) [[likely]]                                                               \
      return next_##NAME(sleeps);                                                               \
    return wakes(sleeps, sleepers, OVERTURE_WATCH_CALLER, [&] { return next_##NAME(sleeps); }); \
  }
WAKES(pthread_cond_signal, "GLIBC_2.3.2")
WAKES(pthread_cond_broadcast, "GLIBC_2.3.2")
WAKES(cnd_signal, nullptr)
WAKES(cnd_broadcast, nullptr)
WAKES(sem_post, nullptr)

// --- Semaphores ----------------------------------------------------------------------------------

namespace {

constinit next_function<int(sem_t*)> next_sem_trywait("sem_trywait");

template <class Call>
int taken(sem_t* semaphore, std::uintptr_t caller, Call call) {
  const int before = errno;
  if (next_sem_trywait(semaphore) == 0) return 0;
  if (errno != EAGAIN) return -1;
  errno = before;
  wait_note note(event_kind::wait_semaphore, semaphore, caller);
  const int outcome = call();
  note.end(outcome != 0 && errno == ETIMEDOUT ? plain_event::timeout : 0);
  return outcome;
}

}  // namespace

constinit next_function<int(sem_t*)> next_sem_wait("sem_wait");
OVERTURE_WATCH_TAKES(int, sem_wait, (sem_t * semaphore)) {
  return taken(semaphore, OVERTURE_WATCH_CALLER, [&] { return next_sem_wait(semaphore); });
}
constinit next_function<int(sem_t*, const timespec*)> next_sem_timedwait("sem_timedwait");
OVERTURE_WATCH_TAKES(int, sem_timedwait, (sem_t * semaphore, const timespec* until)) {
  return taken(semaphore, OVERTURE_WATCH_CALLER,
               [&] { return next_sem_timedwait(semaphore, until); });
}
constinit next_function<int(sem_t*, clockid_t, const timespec*)> next_sem_clockwait(
    "sem_clockwait");
OVERTURE_WATCH_TAKES(int, sem_clockwait,
                     (sem_t * semaphore, clockid_t clock, const timespec* until)) {
  return taken(semaphore, OVERTURE_WATCH_CALLER,
               [&] { return next_sem_clockwait(semaphore, clock, until); });
}

}  // namespace overture::watch

// SPDX-License-Identifier: Zlib
//
// Which lock guards what, in a form that clang checks (-Wthread-safety; `./dev lint` runs it).
//
//   mutex lock_;
//   int count_ GUARDED_BY(lock_) = 0;          // only read or written while lock_ is held
//   void add() noexcept REQUIRES(lock_);       // the caller holds lock_
//   void add_now() noexcept EXCLUDES(lock_);   // takes lock_: the caller must not hold it
//
// Calling a member function of a GUARDED_BY object needs the lock as well. So a class that knows of
// no lock can be guarded as a whole by whoever owns it. Lambdas are checked by themselves: write
// `[&]() REQUIRES(lock_) { ... }` for one that is called with the lock held.
//
// Other compilers see nothing of this.
#pragma once

#ifdef __clang__
#define OVERTURE_THREAD_ANNOTATION(...) __attribute__((__VA_ARGS__))
#else
#define OVERTURE_THREAD_ANNOTATION(...)
#endif

// On classes: something that can be held, and something that holds it while it lives.
#define CAPABILITY(name) OVERTURE_THREAD_ANNOTATION(capability(name))
#define SCOPED_CAPABILITY OVERTURE_THREAD_ANNOTATION(scoped_lockable)

// On data: the object, or what a pointer points to.
#define GUARDED_BY(lock) OVERTURE_THREAD_ANNOTATION(guarded_by(lock))
#define PT_GUARDED_BY(lock) OVERTURE_THREAD_ANNOTATION(pt_guarded_by(lock))

// On functions.
#define REQUIRES(...) OVERTURE_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) OVERTURE_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) OVERTURE_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) OVERTURE_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define RELEASE(...) OVERTURE_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define RETURN_CAPABILITY(lock) OVERTURE_THREAD_ANNOTATION(lock_returned(lock))
// Where the analysis cannot follow; say why.
#define NO_THREAD_SAFETY_ANALYSIS OVERTURE_THREAD_ANNOTATION(no_thread_safety_analysis)

// SPDX-License-Identifier: Zlib
//
// What else a thread sleeps in: time, descriptors, futexes, servers.
#include <linux/futex.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <algorithm>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "watch/recorder/calls.hpp"

namespace overture::watch {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

std::uint64_t ns_of(const timespec* time) noexcept {
  if (!time) return 0;
  return static_cast<std::uint64_t>(time->tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time->tv_nsec);
}

template <class Call>
auto slept(std::uintptr_t caller, std::uint64_t asked_ns, Call call) {
  return measured(caller, call, [&](auto, plain_event& event) {
    event.kind = event_kind::wait_sleep;
    event.value = asked_ns;
    record(event);
  });
}

constexpr std::uint64_t for_ever = UINT64_MAX;
std::uint64_t milliseconds(int timeout) noexcept {
  return timeout < 0 ? for_ever : static_cast<std::uint64_t>(timeout);
}
std::uint64_t milliseconds(const timespec* timeout) noexcept {
  return timeout ? ns_of(timeout) / 1'000'000 : for_ever;
}
std::uint64_t milliseconds(const timeval* timeout) noexcept {
  return timeout ? static_cast<std::uint64_t>(timeout->tv_sec) * 1000 +
                       static_cast<std::uint64_t>(timeout->tv_usec) / 1000
                 : for_ever;
}

// `file`: the first of them, -1 if it is not known.
template <class Call>
int polled(std::uintptr_t caller, int file, std::uint64_t timeout_ms, Call call) {
  return measured(caller, call, [&](int count, plain_event& event) {
    if (count == 0 && timeout_ms == 0) return note_spin(spin_call::poll, caller);
    event.kind = event_kind::wait_poll;
    event.id = descriptor_of(file).name.load(relaxed);
    if (count == 0) event.flags |= plain_event::timeout;
    fails_if(event, count < 0);
    event.value = timeout_ms;
    record(event);
  });
}

template <class Call>
ssize_t received(std::uintptr_t caller, int file, Call call) {
  return measured(caller, call, [&](ssize_t bytes, plain_event& event) {
    event.kind = event_kind::wait_reply;
    event.id = descriptor_of(file).name.load(relaxed);
    fails_if(event, bytes < 0);
    record_bytes(event, place_max, static_cast<std::uint64_t>(bytes > 0 ? bytes : 0));
  });
}

// "unix:/run/dbus/system_bus_socket"
std::uint32_t name_of(const sockaddr* address, socklen_t bytes) noexcept {
  constexpr char local[] = "unix:";
  char text[sizeof local + sizeof sockaddr_un::sun_path];
  if (!address || bytes < sizeof address->sa_family) return 0;
  if (address->sa_family != AF_UNIX) return name_number("network", 7);
  std::size_t length = sizeof local - 1;
  std::memcpy(text, local, length);
  constexpr std::size_t path_at = offsetof(sockaddr_un, sun_path);
  const auto* const path = reinterpret_cast<const char*>(address) + path_at;
  const std::size_t room =
      std::min<std::size_t>(bytes > path_at ? bytes - path_at : 0, sizeof sockaddr_un::sun_path);
  for (std::size_t i = 0; i < room && (path[i] != '\0' || i == 0); ++i) {
    text[length++] = path[i] == '\0' ? '@' : path[i];  // a name of its own, without a file
  }
  return name_number(text, length);
}

}  // namespace

// --- Time ----------------------------------------------------------------------------------------

constinit next_function<int(const timespec*, timespec*)> next_nanosleep("nanosleep");
OVERTURE_WATCH_TAKES(int, nanosleep, (const timespec* time, timespec* left)) {
  return slept(OVERTURE_WATCH_CALLER, ns_of(time), [&] { return next_nanosleep(time, left); });
}
constinit next_function<int(clockid_t, int, const timespec*, timespec*)> next_clock_nanosleep(
    "clock_nanosleep", "GLIBC_2.17");
OVERTURE_WATCH_TAKES(int, clock_nanosleep,
                     (clockid_t clock, int flags, const timespec* time, timespec* left)) {
  return slept(OVERTURE_WATCH_CALLER, flags == 0 ? ns_of(time) : 0,
               [&] { return next_clock_nanosleep(clock, flags, time, left); });
}
constinit next_function<int(useconds_t)> next_usleep("usleep");
OVERTURE_WATCH_TAKES(int, usleep, (useconds_t time)) {
  return slept(OVERTURE_WATCH_CALLER, std::uint64_t{time} * 1000,
               [&] { return next_usleep(time); });
}
constinit next_function<unsigned(unsigned)> next_sleep("sleep");
OVERTURE_WATCH_TAKES(unsigned, sleep, (unsigned time)) {
  return slept(OVERTURE_WATCH_CALLER, std::uint64_t{time} * 1'000'000'000,
               [&] { return next_sleep(time); });
}
constinit next_function<int(const timespec*, timespec*)> next_thrd_sleep("thrd_sleep");
OVERTURE_WATCH_TAKES(int, thrd_sleep, (const timespec* time, timespec* left)) {
  return slept(OVERTURE_WATCH_CALLER, ns_of(time), [&] { return next_thrd_sleep(time, left); });
}

// --- Descriptors ---------------------------------------------------------------------------------

constinit next_function<int(pollfd*, nfds_t, int)> next_poll("poll");
OVERTURE_WATCH_TAKES(int, poll, (pollfd * files, nfds_t count, int timeout)) {
  return polled(OVERTURE_WATCH_CALLER, count > 0 ? files->fd : -1, milliseconds(timeout),
                [&] { return next_poll(files, count, timeout); });
}
constinit next_function<int(pollfd*, nfds_t, int, std::size_t)> next_poll_chk("__poll_chk");
OVERTURE_WATCH_TAKES(int, __poll_chk,
                     (pollfd * files, nfds_t count, int timeout, std::size_t room)) {
  return polled(OVERTURE_WATCH_CALLER, count > 0 ? files->fd : -1, milliseconds(timeout),
                [&] { return next_poll_chk(files, count, timeout, room); });
}
constinit next_function<int(pollfd*, nfds_t, const timespec*, const sigset_t*)> next_ppoll("ppoll");
OVERTURE_WATCH_TAKES(int, ppoll,
                     (pollfd * files, nfds_t count, const timespec* timeout,
                      const sigset_t* signals)) {
  return polled(OVERTURE_WATCH_CALLER, count > 0 ? files->fd : -1, milliseconds(timeout),
                [&] { return next_ppoll(files, count, timeout, signals); });
}
constinit next_function<int(int, fd_set*, fd_set*, fd_set*, timeval*)> next_select("select");
OVERTURE_WATCH_TAKES(int, select,
                     (int count, fd_set* in, fd_set* out, fd_set* other, timeval* timeout)) {
  const std::uint64_t timeout_ms = milliseconds(timeout);  // which the call changes
  return polled(OVERTURE_WATCH_CALLER, count > 0 ? count - 1 : -1, timeout_ms,
                [&] { return next_select(count, in, out, other, timeout); });
}
constinit next_function<int(int, epoll_event*, int, int)> next_epoll_wait("epoll_wait");
OVERTURE_WATCH_TAKES(int, epoll_wait, (int file, epoll_event* events, int room, int timeout)) {
  return polled(OVERTURE_WATCH_CALLER, file, milliseconds(timeout),
                [&] { return next_epoll_wait(file, events, room, timeout); });
}
constinit next_function<int(int, epoll_event*, int, int, const sigset_t*)> next_epoll_pwait(
    "epoll_pwait");
OVERTURE_WATCH_TAKES(int, epoll_pwait,
                     (int file, epoll_event* events, int room, int timeout,
                      const sigset_t* signals)) {
  return polled(OVERTURE_WATCH_CALLER, file, milliseconds(timeout),
                [&] { return next_epoll_pwait(file, events, room, timeout, signals); });
}

// --- Servers -------------------------------------------------------------------------------------

constinit next_function<int(int, const sockaddr*, socklen_t)> next_connect("connect");
OVERTURE_WATCH_TAKES(int, connect, (int file, const sockaddr* address, socklen_t bytes)) {
  return measured(
      OVERTURE_WATCH_CALLER, [&] { return next_connect(file, address, bytes); },
      [&](int failed, plain_event& event) {
        event.kind = event_kind::wait_reply;
        event.id = name_of(address, bytes);
        fails_if(event, failed != 0);
        note_descriptor(file, event.id, descriptor_kind::socket);
        record(event);
      });
}
constinit next_function<ssize_t(int, void*, std::size_t, int)> next_recv("recv");
OVERTURE_WATCH_TAKES(ssize_t, recv, (int file, void* to, std::size_t bytes, int flags)) {
  return received(OVERTURE_WATCH_CALLER, file, [&] { return next_recv(file, to, bytes, flags); });
}
constinit next_function<ssize_t(int, void*, std::size_t, std::size_t, int)> next_recv_chk(
    "__recv_chk");
OVERTURE_WATCH_TAKES(ssize_t, __recv_chk,
                     (int file, void* to, std::size_t bytes, std::size_t room, int flags)) {
  return received(OVERTURE_WATCH_CALLER, file,
                  [&] { return next_recv_chk(file, to, bytes, room, flags); });
}
constinit next_function<ssize_t(int, msghdr*, int)> next_recvmsg("recvmsg");
OVERTURE_WATCH_TAKES(ssize_t, recvmsg, (int file, msghdr* message, int flags)) {
  return received(OVERTURE_WATCH_CALLER, file, [&] { return next_recvmsg(file, message, flags); });
}

// --- Events
// ---------------------------------------------------------------------------------------

constinit next_function<int(unsigned, int)> next_eventfd("eventfd");
OVERTURE_WATCH_TAKES(int, eventfd, (unsigned count, int flags)) {
  const int file = next_eventfd(count, flags);
  note_descriptor(file, 0, descriptor_kind::event);
  return file;
}
// In the C library these do not call what reads and writes for others.
constinit next_function<int(int, std::uint64_t)> next_eventfd_write("eventfd_write");
OVERTURE_WATCH_TAKES(int, eventfd_write, (int file, std::uint64_t count)) {
  return wakes(event_address(file), 0, OVERTURE_WATCH_CALLER,
               [&] { return next_eventfd_write(file, count); });
}
constinit next_function<int(int, std::uint64_t*)> next_eventfd_read("eventfd_read");
OVERTURE_WATCH_TAKES(int, eventfd_read, (int file, std::uint64_t* count)) {
  return measured(
      OVERTURE_WATCH_CALLER, [&] { return next_eventfd_read(file, count); },
      [&](int, plain_event& event) {
        event.kind = event_kind::wait_semaphore;
        event.value = reinterpret_cast<std::uintptr_t>(event_address(file));
        record(event);
      });
}

// --- Futexes -------------------------------------------------------------------------------------

namespace {

constinit next_function<long(long, long, long, long, long, long, long)> next_syscall("syscall");

bool is_futex_wait(long operation) noexcept {
  const long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
}
bool is_futex_wake(long operation) noexcept {
  const long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET;
}

}  // namespace

// All arguments are words, however many there are.
OVERTURE_WATCH_TAKES(long, syscall, (long number, long a, long b, long c, long d, long e, long f)) {
  if (number == SYS_futex && is_futex_wake(b)) {
    const auto* const futex = reinterpret_cast<const void*>(a);
    return wakes(futex, waiters_of(futex).load(relaxed), OVERTURE_WATCH_CALLER,
                 [&] { return next_syscall(number, a, b, c, d, e, f); });
  }
  if (number != SYS_futex || !is_futex_wait(b)) return next_syscall(number, a, b, c, d, e, f);
  wait_note note(event_kind::wait_futex, reinterpret_cast<const void*>(a), OVERTURE_WATCH_CALLER);
  const long outcome = next_syscall(number, a, b, c, d, e, f);
  note.end(outcome != 0 && errno == ETIMEDOUT ? plain_event::timeout : 0);
  return outcome;
}

}  // namespace overture::watch

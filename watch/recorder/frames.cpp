// SPDX-License-Identifier: Zlib
//
// Functions with which programs show a picture: of libraries that they are linked to, and those
// that they ask the loader or the driver for by name, as SDL and GLFW do.
#include <dlfcn.h>

#include <cstring>

#include "watch/recorder/calls.hpp"
#include "watch/recorder/next_function.hpp"

namespace overture::watch {
namespace {

using show_function = long(long, long);

// One that shows through another one shows one picture.
__attribute__((tls_model("initial-exec"))) thread_local constinit bool is_showing = false;

long shown(std::uintptr_t caller, next_function<show_function>& next, long first, long second) {
  show_function* const real = next.get();
  if (!real) return 0;
  if (is_showing) return real(first, second);
  is_showing = true;
  const long answer = measured(
      caller, [&] { return real(first, second); },
      [](long, plain_event& event) {
        event.kind = event_kind::frame;
        note_frame(event.begin_ns + event.took_ns);
        record(event);
      });
  is_showing = false;
  return answer;
}

// All take at most two words, and return at most one.
#define OVERTURE_WATCH_FRAMES(X) \
  X(SDL_GL_SwapWindow)           \
  X(SDL_RenderPresent)           \
  X(SDL_UpdateWindowSurface)     \
  X(SDL_GL_SwapBuffers)          \
  X(SDL_Flip)                    \
  X(glXSwapBuffers)              \
  X(eglSwapBuffers)              \
  X(glfwSwapBuffers)             \
  X(al_flip_display)             \
  X(vkQueuePresentKHR)

}  // namespace

#define SHOWS_A_FRAME(NAME)                                          \
  constinit next_function<show_function> next_##NAME(#NAME);         \
  OVERTURE_WATCH_TAKES(long, NAME, (long first, long second)) {      \
    return shown(OVERTURE_WATCH_CALLER, next_##NAME, first, second); \
  }
OVERTURE_WATCH_FRAMES(SHOWS_A_FRAME)

// --- By name -------------------------------------------------------------------------------------

namespace {

struct frame_row {
  const char* name;
  show_function* ours;
  next_function<show_function>* next;
};
constexpr frame_row frame_rows[] = {
#define FRAME_ROW(NAME) {#NAME, overture_watch_##NAME, &next_##NAME},
    OVERTURE_WATCH_FRAMES(FRAME_ROW)
#undef FRAME_ROW
};

// What a program gets for a name: of a function that shows frames ours, which calls `found`.
void* frame_or(const char* name, void* found) noexcept {
  if (!found || !name || !recorded_process()) return found;
  for (const frame_row& each : frame_rows) {
    if (std::strcmp(each.name, name) != 0) continue;
    auto* const real = reinterpret_cast<show_function*>(found);
    if (real != each.ours) each.next->set(real);
    return reinterpret_cast<void*>(each.ours);
  }
  return found;
}

using find_function = void*(const char*);

}  // namespace

#define FINDS_BY_NAME(NAME)                                  \
  constinit next_function<find_function> next_##NAME(#NAME); \
  OVERTURE_WATCH_TAKES(void*, NAME, (const char* name)) {    \
    find_function* const real = next_##NAME.get();           \
    return real ? frame_or(name, real(name)) : nullptr;      \
  }
FINDS_BY_NAME(glXGetProcAddress)
FINDS_BY_NAME(glXGetProcAddressARB)
FINDS_BY_NAME(eglGetProcAddress)

#define FINDS_OF_BY_NAME(NAME)                                      \
  constinit next_function<find_of_function> next_##NAME(#NAME);     \
  OVERTURE_WATCH_TAKES(void*, NAME, (void* of, const char* name)) { \
    find_of_function* const real = next_##NAME.get();               \
    return real ? frame_or(name, real(of, name)) : nullptr;         \
  }
FINDS_OF_BY_NAME(vkGetInstanceProcAddr)
FINDS_OF_BY_NAME(vkGetDeviceProcAddr)

namespace {

struct finder_row {
  const char* name;
  void* ours;
  void (*set)(void* real);
};
template <class Function, next_function<Function>& Next>
void set_next(void* real) {
  Next.set(reinterpret_cast<Function*>(real));
}

// Of a library that a program has opened: what is watched of it. Null for anything else.
__attribute__((noinline)) void* watched_of(void* library, const char* name) noexcept {
  if (!name || library == RTLD_NEXT || library == RTLD_DEFAULT) return nullptr;
  const finder_row finders[] = {
#define FINDER_ROW(NAME, FUNCTION) \
  {#NAME, reinterpret_cast<void*>(overture_watch_##NAME), set_next<FUNCTION, next_##NAME>},
      FINDER_ROW(glXGetProcAddress, find_function) FINDER_ROW(glXGetProcAddressARB, find_function)
          FINDER_ROW(eglGetProcAddress, find_function)
              FINDER_ROW(vkGetInstanceProcAddr, find_of_function)
                  FINDER_ROW(vkGetDeviceProcAddr, find_of_function)
#undef FINDER_ROW
  };
  for (const finder_row& each : finders) {
    if (std::strcmp(each.name, name) != 0) continue;
    void* const real = loader_dlsym()(library, name);
    if (!real || !recorded_process()) return nullptr;
    if (real != each.ours) each.set(real);
    return each.ours;
  }
  for (const frame_row& each : frame_rows) {
    if (std::strcmp(each.name, name) == 0) return frame_or(name, loader_dlsym()(library, name));
  }
  return nullptr;
}

}  // namespace

// Ends with a jump, as dlopen(): for RTLD_NEXT the loader looks where the call came from.
OVERTURE_WATCH_TAKES(void*, dlsym, (void* library, const char* name)) {
  if (void* const ours = watched_of(library, name)) return ours;
  return loader_dlsym()(library, name);
}

}  // namespace overture::watch

// SPDX-License-Identifier: Zlib
//
// The functions with which games show a picture, of the libraries that they link: notes the first
// call, and calls the next definition. SDL finds those of GL and EGL itself, so its own are here
// too.
#include <dlfcn.h>

#include "call_report/counted_call.hpp"

// All take at most two words and return at most one.
#define SHOWS_A_FRAME(NAME)                                                                      \
  extern "C" __attribute__((visibility("default"))) void* NAME(void* first, void* second);       \
  void* NAME(void* first, void* second) {                                                        \
    static const auto real = reinterpret_cast<void* (*)(void*, void*)>(dlsym(RTLD_NEXT, #NAME)); \
    overture::call_report::note_frame();                                                         \
    return real ? real(first, second) : nullptr;                                                 \
  }

SHOWS_A_FRAME(SDL_GL_SwapWindow)
SHOWS_A_FRAME(SDL_RenderPresent)
SHOWS_A_FRAME(SDL_UpdateWindowSurface)
SHOWS_A_FRAME(SDL_GL_SwapBuffers)  // SDL 1
SHOWS_A_FRAME(SDL_Flip)            // SDL 1
SHOWS_A_FRAME(glXSwapBuffers)
SHOWS_A_FRAME(eglSwapBuffers)
SHOWS_A_FRAME(glfwSwapBuffers)
SHOWS_A_FRAME(al_flip_display)

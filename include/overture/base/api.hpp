// SPDX-License-Identifier: Zlib
//
// What a shared library exports: classes and functions that are declared with OVERTURE_API. All
// else in it is hidden.
//
// Programs have nothing to do with it: CMake's targets and pkg-config define OVERTURE_SHARED where
// Overture is a shared library. In a static library both macros are nothing. This header is C too.
#pragma once

#if !defined(OVERTURE_SHARED)
#define OVERTURE_API
#elif defined(_WIN32)
#if defined(OVERTURE_BUILDS_SHARED)
#define OVERTURE_API __declspec(dllexport)
#else
#define OVERTURE_API __declspec(dllimport)
#endif
#else
#define OVERTURE_API __attribute__((visibility("default")))
#endif

// For what is private in a class that is exported, where ELF would export it too.
#if defined(OVERTURE_SHARED) && !defined(_WIN32)
#define OVERTURE_HIDDEN __attribute__((visibility("hidden")))
#else
#define OVERTURE_HIDDEN
#endif

# overture_module(NAME SOURCES a.cpp... [SMALL b.cpp...] [LINK public...]
#   [LINK_PRIVATE private...])
#
# SMALL are sources whose speed does not matter: they are compiled for size, which is worth a tenth
# of the shared library.
#
# One library per folder of src/. The public headers are in include/overture; a module may also
# include the private headers of its own folder and of lower ones, as "base/x.hpp".
find_package(Threads REQUIRED)

add_library(overture_flags INTERFACE)
target_compile_options(overture_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  $<$<BOOL:${OVERTURE_WERROR}>:-Werror>
  # Where several sources are compiled as one, a class and the unnamed namespace of its source look
  # as if they were in a header.
  $<$<AND:$<BOOL:${CMAKE_UNITY_BUILD}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>
  # At -O3 GCC 12 sees overflows in loops and atomics where there are none.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-stringop-overflow>)
if(OVERTURE_SANITIZE)
  # The check of virtual tables needs type information, which the library is built without.
  target_compile_options(overture_flags INTERFACE
    -fsanitize=${OVERTURE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    -fno-sanitize=vptr)
  target_link_options(overture_flags INTERFACE -fsanitize=${OVERTURE_SANITIZE})
endif()
# The tests' own code is not what is tested: it is compiled quickly, and watched for bad memory and
# races, but not for undefined arithmetic. The libraries are built as ever.
add_library(overture_test_flags INTERFACE)
target_compile_options(overture_test_flags INTERFACE -O0)
if(OVERTURE_SANITIZE)
  target_compile_options(overture_test_flags INTERFACE -fno-sanitize=undefined)
endif()

# Every library counts its branches for the fuzzer; only the fuzzers bring a main function.
if(OVERTURE_FUZZ)
  target_compile_options(overture_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# overture_precompile(TARGET KIND HEADERS...): with OVERTURE_PCH the headers are compiled once for
# all targets of the same KIND, which must have the same compiler flags. Standard headers and those
# of GoogleTest only: the tests put headers of their own in front of Overture's. Sources include
# what they use all the same; the release build, which has such headers for tests only, and
# clang-tidy, which has none, see to it.
function(overture_precompile target kind)
  if(NOT OVERTURE_PCH OR (OVERTURE_PCH STREQUAL "TESTS" AND NOT kind MATCHES "tests$"))
    return()
  endif()
  get_property(first GLOBAL PROPERTY OVERTURE_PCH_OF_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY OVERTURE_PCH_OF_${kind} ${target})
  endif()
  # What ccache asks for to store what uses them.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  else()
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()
set(OVERTURE_PCH_OF_LIBRARIES <algorithm> <array> <atomic> <bit> <cerrno> <charconv> <chrono>
  <climits> <cstddef> <cstdint> <cstring> <functional> <limits> <memory> <new> <optional> <span>
  <string_view> <type_traits> <utility> <tl/expected.hpp>)
set(OVERTURE_PCH_OF_PROGRAMS ${OVERTURE_PCH_OF_LIBRARIES} <filesystem> <mutex> <random> <set>
  <string> <thread> <vector>)
set(OVERTURE_PCH_OF_TESTS ${OVERTURE_PCH_OF_PROGRAMS} <gmock/gmock.h> <gtest/gtest.h>)

# overture_without_exceptions(TARGET): the only source with exceptions is guarded_call.cpp, through
# which the others call the host's code. What the host throws passes a frame of the library on its
# way there. No link-time optimisation: it takes a function that one source compiled without
# exceptions for one that throws in no source of the program.
function(overture_without_exceptions target)
  target_compile_options(${target} PRIVATE
    -fno-exceptions -fno-rtti -fasynchronous-unwind-tables -fno-lto)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/base/guarded_call.cpp
    TARGET_DIRECTORY ${target}
    PROPERTIES COMPILE_OPTIONS -fexceptions SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# With BUILD_SHARED_LIBS the sources of all modules make one library, liboverture.so, and a module
# is a name for it: what a module needs privately is then the library's. Before 1.0 each minor
# version may change the interface, so it is part of the SONAME.
if(BUILD_SHARED_LIBS)
  add_library(overture_shared SHARED)
  # The sources of two modules may have different things of one name.
  set_target_properties(overture_shared PROPERTIES UNITY_BUILD OFF
    OUTPUT_NAME overture EXPORT_NAME shared VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON CXX_EXTENSIONS OFF)
  target_compile_definitions(overture_shared
    PUBLIC OVERTURE_SHARED PRIVATE OVERTURE_BUILDS_SHARED)
  # Calls inside the library are calls of its own functions.
  target_compile_options(overture_shared PRIVATE -fno-semantic-interposition)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(exports ${CMAKE_CURRENT_LIST_DIR}/exports.map)
    target_link_options(overture_shared PRIVATE -Wl,-Bsymbolic-functions -Wl,--gc-sections
      -Wl,--exclude-libs,ALL -Wl,--version-script=${exports} ${OVERTURE_STAYS_LOADED})
    set_target_properties(overture_shared PROPERTIES LINK_DEPENDS ${exports})
    if(NOT OVERTURE_SANITIZE)  # whose functions are the program's
      target_link_options(overture_shared PRIVATE -Wl,--no-undefined)
    endif()
  elseif(MINGW)
    target_link_options(overture_shared PRIVATE -static)  # it needs no DLL of the compiler's
  endif()
  set_property(GLOBAL APPEND PROPERTY OVERTURE_INSTALL_TARGETS overture_shared)
endif()

# What the sources of any module are compiled with.
function(overture_library_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  overture_without_exceptions(${target})
  # A program, and the shared library, can leave out what they do not use.
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:overture_flags>)
  overture_precompile(${target} module ${OVERTURE_PCH_OF_LIBRARIES})
endfunction()
if(BUILD_SHARED_LIBS)
  overture_library_settings(overture_shared)
endif()

function(overture_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;SMALL;LINK;LINK_PRIVATE" ${ARGN})
  set(target overture_${name})
  set(built ${target})
  set(ARG_OTHERS ${ARG_SOURCES})
  list(APPEND ARG_SOURCES ${ARG_SMALL})
  list(TRANSFORM ARG_SMALL PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  if(BUILD_SHARED_LIBS)
    set(built overture_shared)
    list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_sources(overture_shared PRIVATE ${ARG_SOURCES})
    add_library(${target} INTERFACE)
    set(public ${ARG_LINK})
    list(FILTER public EXCLUDE REGEX "^overture::")
    target_link_libraries(overture_shared PUBLIC ${public} PRIVATE ${ARG_LINK_PRIVATE})
    target_link_libraries(${target} INTERFACE overture_shared)
  else()
    add_library(${target} STATIC ${ARG_SOURCES})
    overture_library_settings(${target})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
      CXX_VISIBILITY_PRESET hidden CXX_EXTENSIONS OFF)
    target_link_libraries(${target} PUBLIC ${ARG_LINK} PRIVATE ${ARG_LINK_PRIVATE})
  endif()
  set(small $<$<CONFIG:Release,RelWithDebInfo>:-Os>)
  if(ARG_SMALL AND NOT ARG_OTHERS AND NOT BUILD_SHARED_LIBS)
    target_compile_options(${target} PRIVATE ${small})
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  elseif(ARG_SMALL)
    set_source_files_properties(${ARG_SMALL} TARGET_DIRECTORY ${built} PROPERTIES
      COMPILE_OPTIONS ${small} SKIP_PRECOMPILE_HEADERS ON)
  endif()
  add_library(overture::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY OVERTURE_INSTALL_TARGETS ${target})
  overture_describe_module(${name} "${ARG_LINK}" "${ARG_LINK_PRIVATE}")
endfunction()

# What the installed package knows of a module, see OvertureInstall.cmake: the modules it needs, and
# the libraries that a program must find to link it.
function(overture_describe_module name links private_links)
  set(needs ${links})
  list(FILTER needs INCLUDE REGEX "^overture::")
  list(TRANSFORM needs REPLACE "^overture::" "")
  set(libraries "")
  if(NOT BUILD_SHARED_LIBS)
    set(libraries ${private_links})
    list(TRANSFORM libraries REPLACE "^(PkgConfig|BZip2)::" "")
  endif()
  set_property(GLOBAL APPEND PROPERTY OVERTURE_MODULE_NAMES ${name})
  set_property(GLOBAL PROPERTY OVERTURE_NEEDS_${name} ${needs})
  set_property(GLOBAL PROPERTY OVERTURE_LIBRARIES_${name} ${libraries})
endfunction()

# overture_module_definitions(NAME PUBLIC|INTERFACE definition...): of the library that has the
# module.
function(overture_module_definitions name)
  if(BUILD_SHARED_LIBS)
    target_compile_definitions(overture_shared ${ARGN})
  else()
    target_compile_definitions(overture_${name} ${ARGN})
  endif()
endfunction()

# overture_tests(NAME LINK libs... [SOURCES more.cpp...] [LABEL slow] [PRECOMPILE kind]
#   [POSIX some_test.cpp...]): one executable of all *_test.cpp in the current folder and in those
# folders in it that have no CMakeLists.txt, and its tests for CTest. A test that reports itself as
# skipped counts as skipped. PRECOMPILE: for tests with other flags. Windows goes without those in
# POSIX and *_posix_test.cpp and *_linux_test.cpp.
function(overture_tests name)
  cmake_parse_arguments(ARG "" "LABEL;PRECOMPILE" "LINK;SOURCES;POSIX" ${ARGN})
  if(NOT ARG_PRECOMPILE)
    set(ARG_PRECOMPILE tests)
  endif()
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/*/*_test.cpp)
  file(GLOB others ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(other ${others})
    get_filename_component(other ${other} DIRECTORY)
    list(FILTER tests EXCLUDE REGEX "^${other}/")
  endforeach()
  if(CMAKE_SYSTEM_NAME STREQUAL "Windows")
    list(FILTER tests EXCLUDE REGEX "_(posix|linux)_test\\.cpp$")
    list(TRANSFORM ARG_POSIX PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    list(REMOVE_ITEM tests "" ${ARG_POSIX})
  else()
    list(FILTER tests EXCLUDE REGEX "_windows_test\\.cpp$")
  endif()
  if(NOT tests AND NOT ARG_SOURCES)
    return()
  endif()
  add_executable(${name}_tests ${tests} ${ARG_SOURCES})
  target_include_directories(${name}_tests PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name}_tests PRIVATE
    ${ARG_LINK} overture_flags overture_test_flags GTest::gtest GTest::gmock GTest::gtest_main)
  overture_precompile(${name}_tests ${ARG_PRECOMPILE} ${OVERTURE_PCH_OF_TESTS})
  overture_discover_tests(${name} "${ARG_LABEL}")
endfunction()

# overture_discover_tests(NAME LABEL): the tests of NAME_tests, each one known to CTest. Where a
# start takes long (a second in wine, a tenth with asan) CTest knows the program only, and
# tools/test_results.py reads what became of its tests.
function(overture_discover_tests name label)
  if(CMAKE_SYSTEM_NAME STREQUAL "Windows" OR OVERTURE_TEST_PROGRAMS)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/programs)
    add_test(NAME ${name} COMMAND ${name}_tests --gtest_output=xml:${name}.xml
      WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/programs)
    set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT 3000)
  else()
    gtest_discover_tests(${name}_tests TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${label}")
  endif()
endfunction()

# overture_fuzzer(NAME LINK libs... [SOURCE file]): the program fuzz_NAME from NAME.cpp, or from
# SOURCE.
function(overture_fuzzer name)
  cmake_parse_arguments(ARG "" "SOURCE" "LINK" ${ARGN})
  if(NOT ARG_SOURCE)
    set(ARG_SOURCE ${name}.cpp)
  endif()
  add_executable(fuzz_${name} ${ARG_SOURCE})
  target_link_libraries(fuzz_${name} PRIVATE ${ARG_LINK} overture_flags)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endfunction()

# The libraries Overture builds on. Debian 12's packages are the floor; `./dev` installs them.

# Stops unless a library was found, and says how to get it.
function(overture_need found library debian)
  if(NOT found)
    message(FATAL_ERROR "${library} is missing. On Debian: apt-get install ${debian}\n"
      "'./dev build' installs everything that a build needs.")
  endif()
endfunction()
macro(overture_package library debian)
  find_package(${library} QUIET)
  overture_need("${${library}_FOUND}" ${library} ${debian})
endmacro()
# The other arguments are names of pkg-config; the installed package looks for the same ones.
macro(overture_optional_library prefix)
  pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${ARGN})
  set_property(GLOBAL PROPERTY OVERTURE_PKG_${prefix} ${ARGN})
endmacro()
macro(overture_library prefix debian)
  overture_optional_library(${prefix} ${ARGN})
  overture_need("${${prefix}_FOUND}" ${prefix} ${debian})
endmacro()

overture_package(tl-expected libexpected-dev)
if(CMAKE_CROSSCOMPILING)
  # A header-only package of the build machine serves any target, but not the rest of the folder
  # that it lies in: that may be /usr/include.
  get_target_property(expected_folder tl::expected INTERFACE_INCLUDE_DIRECTORIES)
  file(COPY ${expected_folder}/tl DESTINATION ${CMAKE_BINARY_DIR}/cross_include)
  set_target_properties(tl::expected PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/cross_include)
endif()

if(OVERTURE_MODULES STREQUAL "all")
  overture_package(PkgConfig pkg-config)
  overture_library(libdeflate libdeflate-dev libdeflate)
  overture_library(libzstd libzstd-dev libzstd)
  overture_library(liblz4 liblz4-dev liblz4)
  overture_library(liblzma liblzma-dev liblzma)
  overture_library(zlib zlib1g-dev zlib)
  overture_package(BZip2 libbz2-dev)  # not every libbz2 comes with a file for pkg-config
  overture_library(libspng libspng-dev spng)
  overture_library(libjpeg libjpeg62-turbo-dev libjpeg)
  overture_library(vorbisfile libvorbis-dev vorbisfile ogg)
  overture_library(opusfile libopusfile-dev opusfile)
  if(OVERTURE_SOUNDS OR OVERTURE_TESTS)  # the packages above bring these
    overture_library(vorbis libvorbis-dev vorbis ogg)
    overture_library(opus libopus-dev opus)
  endif()
  # Without libcrypto encrypted 7z archives cannot be read; without the others some formats are not
  # decoded ("overture formats" lists which).
  overture_optional_library(libcrypto libcrypto)
  overture_optional_library(libwebp libwebp)
  overture_optional_library(libflac flac)
  overture_optional_library(libmp3 libmpg123)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    overture_optional_library(liburing liburing)  # without it reads go through threads
    overture_optional_library(libdw libdw)        # without it `overture watch` knows no lines
  endif()
  if(OVERTURE_CLI OR OVERTURE_REPORT OR OVERTURE_FUZZ OR OVERTURE_BENCH OR OVERTURE_TESTS)
    overture_package(fmt libfmt-dev)
  endif()
  if(OVERTURE_BENCH OR OVERTURE_TESTS)
    overture_library(vorbisenc libvorbis-dev vorbisenc vorbis ogg)
  endif()
  if(OVERTURE_CLI OR OVERTURE_BENCH OR OVERTURE_TESTS)
    overture_package(CLI11 libcli11-dev)
  endif()
endif()
if(OVERTURE_CLI OR OVERTURE_BENCH OR OVERTURE_TESTS)
  overture_package(nlohmann_json nlohmann-json3-dev)
endif()
if(OVERTURE_TESTS)
  overture_package(GTest libgtest-dev)
  include(GoogleTest)
  if(OVERTURE_MODULES STREQUAL "all")
    overture_library(opusenc libopusenc-dev libopusenc)
  endif()
endif()

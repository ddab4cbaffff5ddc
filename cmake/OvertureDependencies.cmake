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
# The other arguments are names of pkg-config.
macro(overture_library prefix debian)
  pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${ARGN})
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

# What the libraries link by pkg-config. The installed package looks for the same
# (overture-config.cmake.in), and overture.pc names them.
if(OVERTURE_MODULES STREQUAL "all")
  overture_package(PkgConfig pkg-config)
  overture_library(libdeflate libdeflate-dev libdeflate)
  overture_library(libzstd libzstd-dev libzstd)
  overture_library(liblz4 liblz4-dev liblz4)
  overture_library(liblzma liblzma-dev liblzma)
  overture_library(zlib zlib1g-dev zlib)
  overture_package(BZip2 libbz2-dev)  # not every libbz2 comes with a file for pkg-config
  set(OVERTURE_PKG_LIBRARIES " -lbz2")
  overture_library(libspng libspng-dev spng)
  overture_library(libjpeg libjpeg62-turbo-dev libjpeg)
  overture_library(vorbisfile libvorbis-dev vorbisfile ogg)
  overture_library(opusfile libopusfile-dev opusfile)
  set(OVERTURE_PKG_REQUIRES libdeflate libzstd liblz4 liblzma zlib spng libjpeg vorbisfile
    ogg opusfile)
  # Optional: without libcrypto encrypted 7z archives cannot be read; without the others some
  # formats are not decoded ("overture formats" lists which).
  pkg_check_modules(libcrypto IMPORTED_TARGET libcrypto)
  pkg_check_modules(libwebp IMPORTED_TARGET libwebp)
  pkg_check_modules(libflac IMPORTED_TARGET flac)
  pkg_check_modules(libmp3 IMPORTED_TARGET libmpg123)
  if(libmp3_FOUND)
    list(APPEND OVERTURE_PKG_REQUIRES libmpg123)
  endif()
  if(libcrypto_FOUND)
    list(APPEND OVERTURE_PKG_REQUIRES libcrypto)
  endif()
  if(libwebp_FOUND)
    list(APPEND OVERTURE_PKG_REQUIRES libwebp)
  endif()
  if(libflac_FOUND)
    list(APPEND OVERTURE_PKG_REQUIRES flac)
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    # Optional: without it reads go through threads.
    pkg_check_modules(liburing IMPORTED_TARGET liburing)
    if(liburing_FOUND)
      list(APPEND OVERTURE_PKG_REQUIRES liburing)
    endif()
  endif()
  if(OVERTURE_CLI OR OVERTURE_BENCH OR OVERTURE_TESTS)
    overture_package(fmt libfmt-dev)
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
    overture_library(vorbisenc libvorbis-dev vorbisenc vorbis ogg)
    overture_library(opusenc libopusenc-dev libopusenc)
  endif()
endif()

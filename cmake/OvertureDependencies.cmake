# The libraries Overture builds on. Debian 12's packages are the floor; `./dev` installs them.
find_package(tl-expected REQUIRED)
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
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)
  pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET libzstd)
  pkg_check_modules(liblz4 REQUIRED IMPORTED_TARGET liblz4)
  pkg_check_modules(liblzma REQUIRED IMPORTED_TARGET liblzma)
  pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
  find_package(BZip2 REQUIRED)  # not every libbz2 comes with a file for pkg-config
  set(OVERTURE_PKG_LIBRARIES " -lbz2")
  pkg_check_modules(libspng REQUIRED IMPORTED_TARGET spng)
  pkg_check_modules(libjpeg REQUIRED IMPORTED_TARGET libjpeg)
  pkg_check_modules(vorbisfile REQUIRED IMPORTED_TARGET vorbisfile ogg)
  pkg_check_modules(opusfile REQUIRED IMPORTED_TARGET opusfile)
  set(OVERTURE_PKG_REQUIRES libdeflate libzstd liblz4 liblzma zlib spng libjpeg vorbisfile
    ogg opusfile)
  # Optional: without it encrypted 7z archives cannot be read.
  pkg_check_modules(libcrypto IMPORTED_TARGET libcrypto)
  if(libcrypto_FOUND)
    list(APPEND OVERTURE_PKG_REQUIRES libcrypto)
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    # Optional: without it reads go through threads.
    pkg_check_modules(liburing IMPORTED_TARGET liburing)
    if(liburing_FOUND)
      list(APPEND OVERTURE_PKG_REQUIRES liburing)
    endif()
  endif()
  if(OVERTURE_CLI OR OVERTURE_BENCH OR OVERTURE_TESTS)
    find_package(fmt REQUIRED)
    find_package(CLI11 REQUIRED)
  endif()
endif()
if(OVERTURE_CLI OR OVERTURE_BENCH OR OVERTURE_TESTS)
  find_package(nlohmann_json REQUIRED)
endif()
if(OVERTURE_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  if(OVERTURE_MODULES STREQUAL "all")
    pkg_check_modules(vorbisenc REQUIRED IMPORTED_TARGET vorbisenc vorbis ogg)
    pkg_check_modules(opusenc REQUIRED IMPORTED_TARGET libopusenc)
  endif()
endif()

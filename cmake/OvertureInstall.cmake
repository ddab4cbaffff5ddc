# Installs the libraries and the public headers, so that find_package(overture) and pkg-config work,
# for all of Overture and for each module.
include(CMakePackageConfigHelpers)

get_property(targets GLOBAL PROPERTY OVERTURE_INSTALL_TARGETS)
install(TARGETS ${targets} EXPORT overture-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(DIRECTORY include/overture DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development)
install(DIRECTORY docs/guide docs/formats DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT development)  # which the headers name
install(FILES LICENSE THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT notices)

# What each module needs, for overture-config.cmake. The file lists it as CMake commands.
get_property(modules GLOBAL PROPERTY OVERTURE_MODULE_NAMES)
set(package_modules "set(overture_modules ${modules})\n")
foreach(module IN LISTS modules)
  get_property(needs GLOBAL PROPERTY OVERTURE_NEEDS_${module})
  get_property(libraries GLOBAL PROPERTY OVERTURE_LIBRARIES_${module})
  string(APPEND package_modules "set(overture_${module}_needs ${needs})\n"
    "set(overture_${module}_libraries ${libraries})\n")
  foreach(library IN LISTS libraries)
    get_property(names GLOBAL PROPERTY OVERTURE_PKG_${library})
    if(names)
      string(APPEND package_modules "set(overture_pkg_${library} ${names})\n")
    endif()
  endforeach()
endforeach()

# Components apart from the modules.
set(package_apart guards)
if(TARGET overture_report)
  list(APPEND package_apart report)
endif()
if(TARGET overture_sounds)
  list(APPEND package_apart sounds)
  get_property(libraries GLOBAL PROPERTY OVERTURE_LIBRARIES_sounds)
  string(APPEND package_modules "set(overture_sounds_libraries ${libraries})\n")
  foreach(library IN LISTS libraries)
    get_property(names GLOBAL PROPERTY OVERTURE_PKG_${library})
    string(APPEND package_modules "set(overture_pkg_${library} ${names})\n")
  endforeach()
endif()
if(TARGET overture_loaders)
  list(APPEND package_apart loaders)
endif()

# What a library of C++ needs that a compiler of C does not link by itself.
set(cxx_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER cxx_runtime INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi|m)$")
list(REMOVE_DUPLICATES cxx_runtime)
list(TRANSFORM cxx_runtime PREPEND -l OUTPUT_VARIABLE cxx_runtime_libs)
# The static libraries after which it comes; the shared one has it already.
set(package_in_cxx ${package_apart})
list(REMOVE_ITEM package_in_cxx guards)
if(NOT BUILD_SHARED_LIBS)
  list(APPEND package_in_cxx base)
endif()
list(JOIN cxx_runtime " " package_cxx_runtime)
list(JOIN package_in_cxx " " package_in_cxx)
list(JOIN package_apart " " package_apart)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/overture)
install(EXPORT overture-targets NAMESPACE overture:: DESTINATION ${package_dir}
  COMPONENT development)
configure_package_config_file(cmake/overture-config.cmake.in overture-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(overture-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/overture-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/overture-config-version.cmake
  DESTINATION ${package_dir} COMPONENT development)

# overture_pkg_config(NAME REQUIRES names LIBS flags CFLAGS flags): writes and installs NAME.pc.
# Its paths are relative to the file, so that the installed tree can be moved.
function(overture_pkg_config pkg_name)
  cmake_parse_arguments(ARG "" "" "REQUIRES;LIBS;CFLAGS" ${ARGN})
  list(JOIN ARG_REQUIRES ", " pkg_requires)
  list(JOIN ARG_LIBS " " pkg_libs)
  list(JOIN ARG_CFLAGS " " pkg_cflags)
  file(RELATIVE_PATH pkg_prefix
    /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" pkg_prefix "${pkg_prefix}")
  configure_file(cmake/overture.pc.in ${pkg_name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${pkg_name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()

# What every program needs comes with the base.
set(base_libs -pthread)
set(base_cflags -I\${includedir} -pthread)
if(OVERTURE_CONTRACTS)
  list(APPEND base_cflags -DOVERTURE_CONTRACTS)
endif()
if(OVERTURE_PORTABLE)
  list(APPEND base_cflags -DOVERTURE_PORTABLE)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Windows")
  list(APPEND base_libs -lsynchronization)
endif()
if(BUILD_SHARED_LIBS)
  list(PREPEND base_libs -L\${libdir} -loverture)
  list(APPEND base_cflags -DOVERTURE_SHARED)
elseif(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  list(APPEND base_libs ${OVERTURE_EXPORT_SHARED_STATE} ${OVERTURE_STAYS_LOADED})
endif()
if(NOT BUILD_SHARED_LIBS)
  list(APPEND base_libs ${cxx_runtime_libs})
endif()
set(all_modules "")
foreach(module IN LISTS modules)
  get_property(requires GLOBAL PROPERTY OVERTURE_NEEDS_${module})
  get_property(libraries GLOBAL PROPERTY OVERTURE_LIBRARIES_${module})
  list(TRANSFORM requires PREPEND overture-)
  set(libs "")
  if(NOT BUILD_SHARED_LIBS)
    set(libs -L\${libdir} -loverture_${module})
  endif()
  foreach(library IN LISTS libraries)
    get_property(names GLOBAL PROPERTY OVERTURE_PKG_${library})
    list(APPEND requires ${names})
    if(library STREQUAL "BZip2")
      list(APPEND libs -lbz2)
    endif()
  endforeach()
  set(cflags "")
  if(module STREQUAL "base")
    list(APPEND libs ${base_libs})
    set(cflags ${base_cflags})
  endif()
  overture_pkg_config(overture-${module} REQUIRES ${requires} LIBS ${libs} CFLAGS ${cflags})
  list(PREPEND all_modules overture-${module})
endforeach()
overture_pkg_config(overture REQUIRES ${all_modules})
if(TARGET overture_report)
  overture_pkg_config(overture-report REQUIRES overture-c
    LIBS -L\${libdir} -loverture_report ${cxx_runtime_libs})
endif()
if(TARGET overture_sounds)
  get_property(libraries GLOBAL PROPERTY OVERTURE_LIBRARIES_sounds)
  set(requires overture-c)
  foreach(library IN LISTS libraries)
    get_property(names GLOBAL PROPERTY OVERTURE_PKG_${library})
    list(APPEND requires ${names})
  endforeach()
  overture_pkg_config(overture-sounds REQUIRES ${requires}
    LIBS -L\${libdir} -loverture_sounds ${cxx_runtime_libs})
endif()
if(TARGET overture_loaders)
  overture_pkg_config(overture-loaders
    REQUIRES overture-assets overture-c overture-decoders overture-io overture-text
    LIBS -L\${libdir} -loverture_loaders ${cxx_runtime_libs})
endif()

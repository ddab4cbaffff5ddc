# Installs the libraries and the public headers, so that find_package(overture) and
# pkg-config overture work.
include(CMakePackageConfigHelpers)

get_property(targets GLOBAL PROPERTY OVERTURE_INSTALL_TARGETS)
install(TARGETS ${targets} EXPORT overture-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/overture DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/overture)
install(EXPORT overture-targets NAMESPACE overture:: DESTINATION ${package_dir})
configure_package_config_file(cmake/overture-config.cmake.in overture-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(overture-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/overture-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/overture-config-version.cmake
  DESTINATION ${package_dir})

# A linker reads static libraries once, so those that use others come first.
set(pkg_libraries "")
foreach(target IN LISTS targets)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(PREPEND pkg_libraries "-l${target}")
  endif()
endforeach()
list(JOIN pkg_libraries " " pkg_libraries)
list(JOIN OVERTURE_PKG_REQUIRES " " pkg_requires)
set(pkg_export "")
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(pkg_export " ${OVERTURE_EXPORT_SHARED_STATE}")
endif()
set(pkg_contracts "")
if(OVERTURE_CONTRACTS)
  set(pkg_contracts " -DOVERTURE_CONTRACTS")
endif()
if(OVERTURE_PORTABLE)
  string(APPEND pkg_contracts " -DOVERTURE_PORTABLE")
endif()
# Relative to the file itself, so that the installed tree can be moved.
file(RELATIVE_PATH pkg_prefix
  /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pkg_prefix "${pkg_prefix}")
configure_file(cmake/overture.pc.in overture.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/overture.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

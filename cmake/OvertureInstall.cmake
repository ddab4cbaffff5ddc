# Installs the libraries and the public headers so that find_package(overture) works.
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

# Debian packages, made by CPack. A build with BUILD_SHARED_LIBS makes liboverture0.1, named after
# the SONAME, and liboverture-dev; any other makes the command, which has a copy of the library that
# fits its libphysfs.so.1, and libphysfs1-overture, which takes the place of Debian's libphysfs1.
set(soname_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(triggers ${CMAKE_CURRENT_BINARY_DIR}/debian/triggers)
file(WRITE ${triggers} "activate-noawait ldconfig\n")
if(BUILD_SHARED_LIBS)
  set(packages runtime:liboverture${soname_version} development:liboverture-dev)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
else()
  set(packages command:overture physfs_system:libphysfs1-overture)
  # The command finds the library in a folder of its own (`overture physfs-env`).
  install(TARGETS overture_physfs overture_physfs_report
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/overture/physfs/lib NAMELINK_SKIP COMPONENT command)
  install(TARGETS overture_physfs
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP COMPONENT physfs_system)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME overture)
set(CPACK_PACKAGE_CONTACT "The Overture authors <authors@overture.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "loading runtime for games")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL "")
foreach(package IN LISTS packages)
  string(REGEX MATCH "^(.*):(.*)$" matched ${package})
  set(component ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} RENAME copyright
    COMPONENT ${component})
  install(FILES THIRD_PARTY.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
    COMPONENT ${component})
  string(TOUPPER ${component} COMPONENT)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${name})
endforeach()

set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${triggers})
string(JOIN " " CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "The shared library: mounts folders and archives as one tree, reads, unpacks and decodes on every"
  "core, and tells what limited a load.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "liboverture${soname_version} (= ${PROJECT_VERSION}), libexpected-dev")
# For liboverture_sounds.a alone.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS
  "libvorbis-dev, libopus-dev, libflac-dev, libmpg123-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "The C++20 headers, for CMake and for pkg-config.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION games)
string(JOIN " " CPACK_COMPONENT_COMMAND_DESCRIPTION
  "The command: loads, lists, checks, compares and packs the folders and archives of a game, and"
  "says where the time of a load goes.")
# Games ask for libphysfs1 of at least some 3.0: the interface is that of 3.2.
set(CPACK_DEBIAN_PHYSFS_SYSTEM_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PHYSFS_SYSTEM_PACKAGE_CONTROL_EXTRA ${triggers})
set(CPACK_DEBIAN_PHYSFS_SYSTEM_PACKAGE_PROVIDES "libphysfs1 (= 3.2.0)")
set(CPACK_DEBIAN_PHYSFS_SYSTEM_PACKAGE_CONFLICTS libphysfs1)
set(CPACK_DEBIAN_PHYSFS_SYSTEM_PACKAGE_REPLACES libphysfs1)
string(JOIN " " CPACK_COMPONENT_PHYSFS_SYSTEM_DESCRIPTION
  "A library with the interface of PhysicsFS, for games that are linked to libphysfs.so.1. It takes"
  "the place of Debian's.")
include(CPack)

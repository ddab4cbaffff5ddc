# overture_variant(NAME MODULES base sync... [INCLUDE folders...] [WAIT_LAYER generic_wait]
#   [LINK libs...])
#
# A library of the same sources as the modules, compiled with other headers (INCLUDE comes first on
# the path) or the other wait layer. A test executable that links it must not link those modules.
function(overture_variant name)
  cmake_parse_arguments(ARG "" "WAIT_LAYER" "MODULES;INCLUDE;LINK" ${ARGN})
  set(sources)
  set(libraries ${ARG_LINK})
  foreach(module ${ARG_MODULES})
    get_target_property(folder overture_${module} SOURCE_DIR)
    get_target_property(files overture_${module} SOURCES)
    list(TRANSFORM files PREPEND ${folder}/)
    list(APPEND sources ${files})
    get_target_property(linked overture_${module} LINK_LIBRARIES)
    list(FILTER linked EXCLUDE REGEX "^overture::")
    list(APPEND libraries ${linked})
  endforeach()
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden CXX_EXTENSIONS OFF)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name}
    PUBLIC ${ARG_INCLUDE} ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
  if(ARG_WAIT_LAYER)
    target_compile_definitions(${name} PUBLIC OVERTURE_WAIT_LAYER=${ARG_WAIT_LAYER})
  else()
    get_target_property(definitions overture_sync INTERFACE_COMPILE_DEFINITIONS)
    target_compile_definitions(${name} PUBLIC ${definitions})
  endif()
  overture_without_exceptions(${name})
  target_link_libraries(${name} PUBLIC ${libraries})
  overture_precompile(${name} module ${OVERTURE_PCH_OF_LIBRARIES})
endfunction()

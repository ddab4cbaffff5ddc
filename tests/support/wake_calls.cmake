# overture_count_wakes(TARGET): makes support/wake_calls.hpp count in this executable.
function(overture_count_wakes target)
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/wake_calls.cpp)
  foreach(layer 11native_wait 12generic_wait)
    foreach(name 16address_wake_one 16address_wake_all 20address_wake_relayed)
      target_link_options(${target} PRIVATE -Wl,--wrap=_ZN8overture11sync_detail${layer}${name}EPKv)
    endforeach()
  endforeach()
endfunction()

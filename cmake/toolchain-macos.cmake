# macOS on Arm by zig, which brings the headers and stubs of the system. Nothing is linked: there is
# no Mac to run it on.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
set(CMAKE_OSX_DEPLOYMENT_TARGET 14.4 CACHE STRING "The first macOS that this is for")
get_filename_component(zig "${CMAKE_CURRENT_LIST_DIR}/../.cache/macos/zig/ziglang/zig" ABSOLUTE)
set(CMAKE_CXX_COMPILER ${zig} c++ -target aarch64-macos.14.4)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)

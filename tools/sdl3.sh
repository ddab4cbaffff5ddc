# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev sdl3`: builds SDL 3, which Debian 12 does not package,
# and tests what is for it.
# shellcheck shell=bash

cmd_sdl3() {
  [ $# -eq 0 ] || misuse "sdl3 takes no arguments"
  need build tests
  build_sdl3
  run_cmake release "${whole[@]}" -DSDL3_DIR="$root/.cache/sdl3/installed/lib/cmake/SDL3"
  # shellcheck source=tools/test.sh
  source "$root/tools/test.sh"
  cmd_test '^sdl3[.]'
}

# SDL 3 in .cache/sdl3/installed, without what shows, plays or asks anything.
build_sdl3() {
  local folder=$root/.cache/sdl3 version=3.2.30 without=() part
  [ "$(cat "$folder/version" 2>/dev/null)" != "$version" ] || return 0
  fetch_sdl3 "$folder" "$version"
  say "building SDL $version in .cache/sdl3"
  for part in VIDEO AUDIO GPU RENDER CAMERA JOYSTICK HAPTIC HIDAPI SENSOR POWER DIALOG TESTS \
    EXAMPLES TEST_LIBRARY INSTALL_DOCS; do
    without+=("-DSDL_$part=OFF")
  done
  {
    cmake -S "$folder/sources/sdl3-src/SDL" -B "$folder/build" -G Ninja \
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$folder/installed" \
      -DCMAKE_INSTALL_LIBDIR=lib -DSDL_SHARED=ON -DSDL_STATIC=OFF \
      -DSDL_UNIX_CONSOLE_BUILD=ON "${without[@]}" &&
      ninja -C "$folder/build" -j "$jobs" install
  } >"$folder/log" 2>&1 || fail "SDL $version cannot be built: see .cache/sdl3/log"
  printf '%s\n' "$version" >"$folder/version"
}

# The source, from a crate that has it whole. Later crates need a later cargo than Debian's, for
# which the two variables are: it would fetch the index of all crates otherwise.
fetch_sdl3() {
  local folder=$1 version=$2
  command -v cargo >/dev/null || need sdl3
  say "fetching SDL $version into .cache/sdl3"
  rm -rf "$folder"
  mkdir -p "$folder/crate"
  : >"$folder/crate/empty.rs"
  cat >"$folder/crate/Cargo.toml" <<END
[package]
name = "sources"
version = "0.0.0"
[lib]
path = "empty.rs"
[dependencies]
sdl3-src = "=$version"
END
  (
    cd "$folder/crate"
    RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_SPARSE_REGISTRY=true cargo vendor "$folder/sources"
  ) >"$folder/log" 2>&1 || fail "SDL $version cannot be fetched with cargo: see .cache/sdl3/log"
}

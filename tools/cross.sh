# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev cross`: builds for other systems, and runs the tests
# there.
# shellcheck shell=bash

cmd_cross() {
  local system=${1-} test='' dll='' targets=()
  case $system in
    windows | arm64 | macos) shift ;;
    *) misuse "cross: what for? (windows, arm64, macos)" ;;
  esac
  while [ $# -gt 0 ]; do
    case $1 in
      --test) test=yes ;;
      --dll) dll=yes ;;
      -*) misuse "cross: unknown option $1" ;;
      *) targets+=("$1") ;;
    esac
    shift
  done
  if [ -n "$dll" ]; then
    [ "$system" = windows ] || misuse "cross: --dll is for windows"
    [ -z "$test" ] || misuse "cross: a plain --test tests liboverture.dll too (package.shared)"
    [ ${#targets[@]} -eq 0 ] || misuse "cross: --dll builds liboverture.dll, and no other target"
  fi
  need build "$system"
  if [ "$system" = macos ]; then
    [ -z "$test" ] || fail "macos: the core modules are compiled only; nothing here can run them"
    compile_for_macos
    return
  fi
  [ -z "$test" ] || need tests
  libraries_for "$system"
  if [ -n "$dll" ]; then
    build_dll
    return
  fi
  if [ -z "$test" ]; then
    cross_build "$system" "${targets[@]}"
    return
  fi
  # shellcheck source=tools/test.sh
  source "$root/tools/test.sh"
  cmd_test --all --preset "$system" "${targets[@]}"
}

libraries_for() {
  if [ "$1" = arm64 ]; then
    # shellcheck source=tools/arm64_libraries.sh
    source "$root/tools/arm64_libraries.sh"
    arm64_libraries
    return
  fi
  # shellcheck source=tools/debian_sources.sh
  source "$root/tools/debian_sources.sh"
  # shellcheck source=tools/windows_libraries.sh
  source "$root/tools/windows_libraries.sh"
  windows_libraries
}

cross_build() {
  local system=$1 program=bin/overture runs='qemu-aarch64 -L .cache/arm64/root'
  shift
  if [ "$system" = windows ]; then program=bin/overture.exe runs=tools/wine.sh; fi
  if [ $# -gt 0 ]; then
    build_preset "$system" "$@"
    say "built: $*, in build/$system"
    return
  fi
  build_preset "$system" "$program"
  say "built: build/$system/$program; $runs runs it"
}

build_dll() {
  local tree=$root/build/windows-dll folder=$root/build/windows-dll/overture
  build_preset windows-dll
  rm -rf "$folder"
  cmake --install "$tree" --prefix "$folder" --strip >"$tree/install.log" ||
    fail "the DLL cannot be installed: $tree/install.log"
  say "built: ${folder#"$root"/}, with bin/liboverture.dll, lib/liboverture.dll.a and the headers"
}

# With zig, a clang that brings the headers of macOS.
compile_for_macos() {
  local folder=$root/.cache/macos version=0.15.2
  if [ "$(cat "$folder/version" 2>/dev/null)" != "$version" ]; then
    say "fetching zig $version into .cache/macos"
    rm -rf "$folder"
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
      --target "$folder/zig" "ziglang==$version" || fail "zig cannot be fetched with pip"
    printf '%s\n' "$version" >"$folder/version"
  fi
  build_preset macos all
  say "compiled: the core modules, in build/macos; nothing of them has been run"
}

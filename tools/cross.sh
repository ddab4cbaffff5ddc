# Part of ./dev, which sources it for `./dev cross`: builds for other systems, and runs the tests
# there.
# shellcheck shell=bash

cmd_cross() {
  local target=${1-} test='' targets=()
  [ "$target" = windows ] || misuse "cross: what for? (windows)"
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --test) test=yes ;;
      -*) misuse "cross: unknown option $1" ;;
      *) targets+=("$1") ;;
    esac
    shift
  done
  # shellcheck source=tools/debian_sources.sh
  source "$root/tools/debian_sources.sh"
  # shellcheck source=tools/windows_libraries.sh
  source "$root/tools/windows_libraries.sh"
  need build windows
  [ -z "$test" ] || need tests
  windows_libraries
  if [ -z "$test" ]; then
    build_preset windows "${targets[@]:-bin/overture.exe}"
    say "built: build/windows/bin/overture.exe; tools/wine.sh runs it"
    return
  fi
  # shellcheck source=tools/test.sh
  source "$root/tools/test.sh"
  cmd_test --preset windows "${targets[@]}"
}

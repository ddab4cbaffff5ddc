# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev clients`: real games with two libraries that have
# PhysicsFS's interface. tools/clients.py starts and compares them; apt-get installs them.
# shellcheck shell=bash

# What `overture watch` costs real games, or with --causes what it finds beside perf and strace.
watch_clients() {
  local what=costs words=()
  while [ $# -gt 0 ]; do
    case $1 in
      --watched) ;;
      --causes) what=causes ;;
      *) words+=("$1") ;;
    esac
    shift
  done
  packages_clients=$(python3 -B "$root/tools/watch_games.py" packages) || exit
  need clients
  configure release
  build_preset release overture_cli
  python3 -B "$root/tools/watch_games.py" "$what" --overture "$root/build/release/bin/overture" \
    "${words[@]}"
}

cmd_clients() {
  [ "${1:-}" != --watched ] || { watch_clients "$@" && return; }
  local names=() options=() targets=(physfs_client_probe) ours cold='' tree=$root/build/release
  while [ $# -gt 0 ]; do
    case $1 in
      --library | --against | --rounds | --json | --lines)
        value "$@" && options+=("$1" "$2") && shift
        ;;
      --cold) cold=1 ;;
      --drop-caches) options+=("$1") ;;
      --table)
        value "$@" && python3 -B "$root/tools/clients.py" table "$2"
        return
        ;;
      -*) misuse "clients: unknown option $1" ;;
      *) names+=("$1") ;;
    esac
    shift
  done
  [ -z "$cold" ] || [ ${#names[@]} -gt 0 ] || misuse "clients: name the games to start cold"
  local peer=${OVERTURE_PEERS:-}/physfs/build/libphysfs.so.1
  [ -n "$cold" ] || [ ! -f "$peer" ] || options=(--peer "$peer" "${options[@]}")

  packages_clients=$(python3 -B "$root/tools/clients.py" packages "${names[@]}") || exit
  need clients
  configure release
  # The library of this tree, if it has one.
  ours=$(ninja -C "$tree" -t targets all 2>/dev/null |
    sed -n 's|^\(.*libphysfs\.so\.1\): .*|\1|p' | head -n 1)
  [ -z "$ours" ] || { targets+=("$ours") && options=(--library "$tree/$ours" "${options[@]}"); }
  [ -z "$cold" ] || targets+=(overture_cli)
  build_preset release "${targets[@]}"
  if [ -n "$cold" ]; then
    python3 -B "$root/tools/clients.py" cold --overture "$tree/bin/overture" \
      --probe "$tree/tests/physfs/libphysfs_client_probe.so" "${options[@]}" "${names[@]}"
    return
  fi
  python3 -B "$root/tools/clients.py" run \
    --probe "$tree/tests/physfs/libphysfs_client_probe.so" "${options[@]}" "${names[@]}"
}

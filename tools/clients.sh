# Part of ./dev, which sources it for `./dev clients`: real games with two libraries that have
# PhysicsFS's interface. tools/clients.py starts and compares them; apt-get installs them.
# shellcheck shell=bash

cmd_clients() {
  local names=() options=() targets=(physfs_client_probe) ours tree=$root/build/release
  while [ $# -gt 0 ]; do
    case $1 in
      --library | --against | --rounds | --json | --lines)
        value "$@" && options+=("$1" "$2") && shift
        ;;
      -*) misuse "clients: unknown option $1" ;;
      *) names+=("$1") ;;
    esac
    shift
  done
  local peer=${OVERTURE_PEERS:-}/physfs/build/libphysfs.so.1
  [ ! -f "$peer" ] || options=(--peer "$peer" "${options[@]}")

  packages_clients=$(python3 -B "$root/tools/clients.py" packages "${names[@]}") || exit
  need clients
  configure release
  # The library of this tree, if it has one.
  ours=$(ninja -C "$tree" -t targets all 2>/dev/null |
    sed -n 's|^\(.*libphysfs\.so\.1\): .*|\1|p' | head -n 1)
  [ -z "$ours" ] || { targets+=("$ours") && options=(--library "$tree/$ours" "${options[@]}"); }
  build_preset release "${targets[@]}"
  python3 -B "$root/tools/clients.py" run \
    --probe "$tree/tests/physfs/libphysfs_client_probe.so" "${options[@]}" "${names[@]}"
}

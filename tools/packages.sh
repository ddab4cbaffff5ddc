# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev packages`: makes Debian packages and tries them.
# shellcheck shell=bash

cmd_packages() {
  local check=
  case $* in
    '') ;;
    --check) check=yes ;;
    *) misuse "packages: unknown argument $1" ;;
  esac
  need build packages
  local packages=$root/build/packages
  rm -rf "$packages"
  mkdir -p "$packages"
  make_packages static -DBUILD_SHARED_LIBS=OFF
  make_packages shared -DBUILD_SHARED_LIBS=ON -DOVERTURE_CLI=OFF
  python3 "$root/tools/sizes.py" "$root/build/packages-static" "$root/build/packages-shared" ||
    fail "a size is above its limit, or could not be measured: see above"
  say "made: $(cd "$packages" && echo *.deb)"
  [ -z "$check" ] || check_packages
}

# make_packages NAME OPTION...: builds a tree of its own and packs it.
make_packages() {
  local tree=$root/build/packages-$1 launcher=()
  shift
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  say "building ${tree#"$root"/}"
  cmake -S "$root" -B "$tree" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" -DCMAKE_INSTALL_PREFIX=/usr -DOVERTURE_DEBIAN=ON \
    -DOVERTURE_TESTS=OFF -DOVERTURE_BENCH=OFF -DOVERTURE_EXAMPLES=OFF "${launcher[@]}" "$@"
  ninja -C "$tree" -j "$jobs" --quiet
  (cd "$tree" && cpack -B "$packages" >cpack.log) || fail "CPack failed: $tree/cpack.log"
  rm -rf "$packages/_CPack_Packages"
}

# check_packages: installs them in a bare Debian and uses them there.
check_packages() {
  need packages_check
  [ "$(id -u)" -eq 0 ] || fail "packages --check: run it as root, which debootstrap needs"
  local bare=$root/build/packages-root mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)
  [ -n "$mirror" ] || fail "packages --check: apt knows no mirror; add one to /etc/apt/sources.list"
  say "making a bare Debian in ${bare#"$root"/}"
  rm -rf "$bare"
  debootstrap --variant=minbase bookworm "$bare" "$mirror" \
    >"$root/build/packages-root.log" || fail "debootstrap failed: build/packages-root.log"
  cp /etc/resolv.conf "$bare/etc/"
  # How this machine reaches the mirror.
  apt-config dump | grep '^Acquire::' >"$bare/etc/apt/apt.conf.d/99host" || true
  mkdir "$bare/check"
  cp "$packages"/*.deb "$root/tools/packages_check.sh" "$bare/check/"
  cp -r "$root/tests/package" "$bare/check/projects"
  local status=0
  chroot "$bare" bash /check/packages_check.sh || status=$?
  rm -rf "$bare"
  [ "$status" -eq 0 ] || fail "the packages do not work in a bare Debian"
  say "the packages work in a bare Debian"
}

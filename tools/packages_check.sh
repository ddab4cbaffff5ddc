#!/usr/bin/env bash
# SPDX-License-Identifier: Zlib
#
# Run by `./dev packages --check` in a bare Debian, where the packages are in /check: installs them,
# builds and runs programs with them, and starts a game that uses PhysicsFS.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
cd /check

step() { printf -- '--- %s\n' "$*"; }
install() {
  apt-get -qq install -y --no-install-recommends "$@" >apt.log 2>&1 || { cat apt.log && exit 1; }
}

apt-get -qq update

step "the command"
install ./overture_*.deb
overture --version
overture ls projects | grep consumer.cpp >/dev/null
test -s /usr/share/man/man1/overture.1 -o -s /usr/share/man/man1/overture.1.gz
test -s /usr/share/bash-completion/completions/overture

step "the library alone needs no header"
install ./liboverture0.1_*.deb
test ! -e /usr/include/overture
ldconfig -p | grep 'liboverture.so.0.1 ' >/dev/null

step "the guides come with the headers"
install ./liboverture-dev_*.deb
test -s /usr/share/doc/overture/guide/c.md

step "programs, by CMake and by pkg-config"
install cmake g++ make pkg-config
for project in find_package pkg_config; do
  cmake -S projects/$project -B built/$project >cmake.log || { cat cmake.log && exit 1; }
  cmake --build built/$project
  built/$project/consumer projects
  ldd built/$project/consumer | grep liboverture.so.0.1
done

step "a game with Debian's PhysicsFS, and with ours in its place"
install netpanzer libphysfs1
game=$(dpkg -L netpanzer | grep -E '^/usr/(games|bin)/netpanzer$')
install ./libphysfs1-overture_*.deb
is_installed() { dpkg -s "$1" 2>/dev/null | grep '^Status: install ok installed' >/dev/null; }
is_installed netpanzer
if is_installed libphysfs1; then echo "both libraries are installed" && exit 1; fi
library=$(ldd "$game" | sed -n 's/.*libphysfs.so.1 => \([^ ]*\).*/\1/p')
dpkg -S "$(readlink -f "$library")" | grep '^libphysfs1-overture' >/dev/null
apt-get -qq check
# Without a screen it gets as far as its menu and stays there.
export HOME=/check/home SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy
mkdir home
status=0
timeout 20 "$game" >/dev/null 2>&1 || status=$?
test $status -eq 124
grep -h 'Loading maps' home/.netpanzer/*.log
step "all of it works"

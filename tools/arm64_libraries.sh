# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev cross arm64`.
# shellcheck shell=bash

# Unpacks Debian's arm64 packages of what the library and its tests link into .cache/arm64/root,
# without root and without making arm64 an architecture of this machine.
arm64_libraries() {
  local folder=$root/.cache/arm64 names name
  names=$(arm64_packages)
  [ "$(cat "$folder/names" 2>/dev/null)" != "$names" ] || return 0
  say "fetching Debian's arm64 packages into .cache/arm64"
  mkdir -p "$folder"/{state/lists/partial,cache/archives/partial}
  rm -rf "$folder/root"
  mkdir "$folder/root"
  : >"$folder/status"
  local options=(-q -o APT::Architecture=arm64 -o APT::Architectures::=arm64
    -o Dir::State="$folder/state" -o Dir::State::status="$folder/status"
    -o Dir::Cache="$folder/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User=)
  {
    apt-get "${options[@]}" update &&
      # shellcheck disable=SC2086
      apt-get "${options[@]}" -y --no-install-recommends --download-only install $names
  } >"$folder/log" 2>&1 ||
    fail "Debian's arm64 packages cannot be fetched; the reason is at the end of .cache/arm64/log"
  for name in "$folder"/cache/archives/*.deb; do
    dpkg-deb -x "$name" "$folder/root"
  done
  printf '%s\n' "$names" >"$folder/names"
}

# The libraries among the packages that a build and the tests need; programs run as they are here.
arm64_packages() {
  # shellcheck disable=SC2086
  printf '%s\n' libc6-dev libstdc++-12-dev $packages_build libgtest-dev libgmock-dev \
    libopusenc-dev libphysfs-dev libsdl2-dev | grep -E '^(lib|zlib|nlohmann)'
}

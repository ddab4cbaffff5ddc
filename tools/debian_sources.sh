# SPDX-License-Identifier: Zlib
#
# Part of ./dev, for commands that build from Debian's source packages.
# shellcheck shell=bash

# fetch_sources FOLDER PACKAGE...: downloads source packages to FOLDER, which is made. The lists are
# private ones of the machine's own servers, because its lists may not include sources.
fetch_sources() {
  local folder=$1 private=$root/.cache/apt-sources list package
  shift
  rm -rf "$private"
  mkdir -p "$private/parts" "$private/lists/partial" "$private/archives/partial" "$folder"
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [ -f "$list" ] || continue
    sed 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$list" \
      >"$private/parts/$(basename "$list")"
  done
  local options=(-q -o APT::Sandbox::User=root -o Dir::Etc::SourceList=/dev/null
    -o "Dir::Etc::SourceParts=$private/parts" -o "Dir::State::lists=$private/lists"
    -o "Dir::Cache=$private" -o "Dir::Cache::archives=$private/archives")
  apt-get "${options[@]}" update || say "some source lists could not be fetched"
  # Some servers lack a signature that a package lists beside its sources. apt has checked the
  # sources themselves against the signed lists.
  (cd "$folder" && apt-get "${options[@]}" source --download-only "$@") || true
  for package in "$@"; do
    compgen -G "$folder/${package}_*.orig.tar.*" >/dev/null ||
      fail "cannot download the source of $package; check the network"
  done
}

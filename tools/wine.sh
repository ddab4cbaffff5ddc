#!/usr/bin/env bash
# SPDX-License-Identifier: Zlib
#
# Runs a Windows program under wine: tools/wine.sh PROGRAM.exe [ARGUMENT...]
#
# The first call makes a prefix (wine's folder of a Windows installation) in .cache/windows/wine.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
export WINEPREFIX=${WINEPREFIX:-$root/.cache/windows/wine} WINEDEBUG=${WINEDEBUG:--all}
# Without these wine asks to download Mono and Gecko.
export WINEDLLOVERRIDES=${WINEDLLOVERRIDES:-mscoree,mshtml=}
wine=/usr/lib/wine/wine64
[ -x "$wine" ] || wine=$(command -v wine64 || command -v wine) ||
  { echo 'wine.sh: wine is missing. On Debian: apt-get install wine64' >&2 && exit 127; }
if [ ! -e "$WINEPREFIX/complete" ]; then
  mkdir -p "$WINEPREFIX"
  exec 9>"$WINEPREFIX/lock"
  flock 9
  if [ ! -e "$WINEPREFIX/complete" ]; then
    "$wine" wineboot -i >/dev/null 2>&1 9>&-
    "$wine" winecfg -v win10 >/dev/null 2>&1 9>&- || true
    touch "$WINEPREFIX/complete"
  fi
  exec 9>&-
fi
exec "$wine" "$@"

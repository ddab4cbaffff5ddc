#!/bin/bash
# SPDX-License-Identifier: Zlib
#
# tools/page_pictures.sh ROOT: takes the pictures of pages for the documentation, of the load whose
# page is in build/page, and of a game that knows nothing of Overture. Part of `./dev pictures`.
set -euo pipefail

root=$1
page=$root/build/page
picture_of() { # PAGE PICTURE HEIGHT
  /usr/bin/python3 "$root/tools/page_picture.py" "$page/$1.html" "$root/docs/pictures/$2.png" "$3"
}

picture_of load page 900

# The first run fills the game's caches, and is seldom the median one.
mkdir -p "$page/home"
HOME=$page/home XDG_CACHE_HOME=$page/home SDL_AUDIODRIVER=dummy LIBGL_ALWAYS_SOFTWARE=1 \
  xvfb-run --auto-servernum "$root/build/release/bin/overture" watch --until menu --repeat 3 \
  --anonymous --html "$page/watch.html" -- /usr/games/neverball >"$page/home/log" 2>&1 || {
  echo "page_pictures.sh: see $page/home/log" >&2
  exit 1
}
picture_of watch watch 1700  # down to the lanes

# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev games`: the data of real games, from Debian, to load
# and check.
# shellcheck shell=bash

# Name, Debian packages, how it is mounted, folders. `archives`: the archives in each folder, sorted
# by name. The first three are those that the benchmarks use.
game_table() {
  local openarena='openarena-085-data openarena-081-textures openarena-081-maps openarena-088-data'
  cat <<TABLE
supertux|supertux-data|folder|usr/share/games/supertux2
openarena|$openarena|archives|usr/share/games/openarena/baseoa
warzone|warzone2100-data|archives|usr/share/games/warzone2100
0ad|0ad-data|archives|usr/share/games/0ad/mods/mod usr/share/games/0ad/mods/public
adonthell|adonthell-data|folder|usr/share/games/adonthell
alienblaster|alienblaster-data|folder|usr/share/games/alienblaster
blobby|blobby-data|archives|usr/share/blobby
btanks|btanks-data|folder|usr/share/games/btanks
crawl|crawl-tiles-data|folder|usr/share/crawl
doomsday|doomsday-data|archives|usr/share/doomsday
endless-sky|endless-sky-data|folder|usr/share/games/endless-sky
freeciv|freeciv-data|folder|usr/share/games/freeciv
freedoom|freedoom|archives|usr/share/games/doom
frozen-bubble|frozen-bubble-data|folder|usr/share/games/frozen-bubble
holotz-castle|holotz-castle-data|folder|usr/share/games/holotz-castle
lugaru|lugaru-data|folder|usr/share/games/lugaru
megaglest|megaglest-data|folder|usr/share/games/megaglest
minetest|minetest-data|folder|usr/share/games/minetest
naev|naev-data|folder|usr/share/naev/dat
neverball|neverball-data|folder|usr/share/games/neverball
oacmp|openarena-oacmp1|archives|usr/share/games/openarena/baseoa
openttd|openttd-opengfx openttd-opensfx openttd-openmsx|folder|usr/share/games/openttd
planetblupi|planetblupi-common|folder|usr/share/planetblupi
quakespasm|quakespasm|archives|usr/share/games/quake
redeclipse|redeclipse-data|folder|usr/share/games/redeclipse/data
scorched3d|scorched3d-data|folder|usr/share/games/scorched3d
supertuxkart|supertuxkart-data|folder|usr/share/games/supertuxkart/data
tecnoballz|tecnoballz-data|folder|usr/share/games/tecnoballz
teeworlds|teeworlds-data|folder|usr/share/games/teeworlds
trackballs|trackballs-data|folder|usr/share/games/trackballs
trigger-rally|trigger-rally-data|archives|usr/share/games/trigger-rally
ufoai|ufoai-data|archives|usr/share/games/ufoai/base
warmux|warmux-data|folder|usr/share/games/warmux
wesnoth|wesnoth-1.16-data|folder|usr/share/games/wesnoth/1.16
widelands|widelands-data|folder|usr/share/games/widelands/data
xmoto|xmoto-data|folder|usr/share/games/xmoto
zaz|zaz-data|folder|usr/share/games/zaz
TABLE
}

game_names() { game_table | cut -d '|' -f 1; }

# find_game NAME: sets `packages`, `how` and `folders`.
find_game() {
  local line
  line=$(game_table | grep "^$1|") ||
    misuse "games: unknown game '$1' ($(game_names | paste -s -d ' '))"
  IFS='|' read -r _ packages how folders <<<"$line"
}

# The arguments that load it, one per line.
game_mounts() {
  local folder packages how folders
  find_game "$1"
  for folder in $folders; do
    [ "$how" = folder ] || echo --archives-in
    echo "$cache/$1/$folder"
  done
}

cmd_games() {
  local name names=() check='' wrong=() packages how folders
  local cache=${OVERTURE_GAMES:-$root/.cache/games}
  cache=$(realpath -m "$cache")
  for name in "$@"; do
    case $name in
      --check) check=yes ;;
      --all) mapfile -t names < <(game_names) ;;
      -*) misuse "games: unknown option $name" ;;
      *) find_game "$name" && names+=("$name") ;;
    esac
  done
  [ ${#names[@]} -gt 0 ] || mapfile -t names < <(game_names | head -n 3)
  mkdir -p "$cache"
  for name in "${names[@]}"; do
    [ -d "$cache/$name" ] || unpack_game "$name" "$cache"
    say "$name: $(game_mounts "$name" | paste -s -d ' ')"
    [ "$name" != supertux ] || pack_supertux "$cache"
  done
  [ -n "$check" ] || return 0

  build_preset release bin/overture
  for name in "${names[@]}"; do check_game "$name" || wrong+=("$name"); done
  [ ${#wrong[@]} -eq 0 ] || fail "games: wrong results for ${wrong[*]}"
  say "each game gives the same result every time, and all checksums match"
}

# check_game NAME: loads it with several numbers of threads, compares the results and verifies every
# checksum.
check_game() {
  local mounts result first='' threads command=$root/build/release/bin/overture
  mapfile -t mounts < <(game_mounts "$1")
  for threads in 1 2 7; do
    result=$(load_result --threads "$threads" "${mounts[@]}") || true
    say "$1 with $threads threads: $result"
    [[ $result == *' failed 0 '* && $result != 'files 0 '* ]] || return 1
    [ "${first:=$result}" = "$result" ] || return 1
  done
  if [ "$1" = supertux ]; then
    result=$(load_result "$cache/packed/supertux.zip") || true
    say "supertux as a ZIP: $result"
    [ "$first" = "$result" ] || return 1
  fi
  "$command" check --quiet "${mounts[@]}"
}

# load_result ARGUMENT...: the counts and the hash of all contents, on one line.
load_result() {
  "$command" load --json --quiet "$@" |
    sed -n 's/^  "\(files\|failed\|hash\)": "\{0,1\}\([0-9a-f]*\)"\{0,1\},$/\1 \2/p' |
    paste -s -d ' '
}

# Packs the only game that comes as loose files into a ZIP too, to compare.
pack_supertux() {
  local cache=$1 archive=$1/packed/supertux.zip
  if [ ! -f "$archive" ]; then
    need games
    say "packing supertux"
    mkdir -p "$cache/packed"
    rm -f "$cache/packed/partial.zip"
    (cd "$(game_mounts supertux)" && zip -q -r -X -D "$cache/packed/partial.zip" .)
    mv "$cache/packed/partial.zip" "$archive"
  fi
  say "supertux as a ZIP: $archive"
}

# Unpacks into a temporary folder and renames it, so that a game is either complete or absent.
unpack_game() {
  local name=$1 cache=$2 package deb packages how folders
  find_game "$name"
  rm -rf "$cache/$name.partial"
  mkdir "$cache/$name.partial"
  for package in $packages; do
    fetch_deb "$package"
    say "unpacking $package"
    dpkg-deb -x "$deb" "$cache/$name.partial"
  done
  mv "$cache/$name.partial" "$cache/$name"
}

# fetch_deb PACKAGE: sets `deb` to the package's file, downloading it if no copy is at hand.
fetch_deb() {
  local package=$1 debs=${OVERTURE_DEB_CACHE:-$root/.cache/debs} found
  mkdir -p "$debs/partial"
  found=("$debs/$package"_*.deb)
  if [ ! -f "${found[0]}" ]; then
    say "downloading $package"
    # Uses the machine's package lists if they know the package; otherwise private ones, which need
    # no root.
    local options=(-q -o APT::Sandbox::User=root) private=$root/.cache/apt
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      mkdir -p "$private/lists/partial" "$private/archives/partial"
      options+=(-o "Dir::State::lists=$private/lists" -o "Dir::Cache=$private"
        -o "Dir::Cache::archives=$private/archives")
      apt-cache "${options[@]}" show "$package" >/dev/null 2>&1 ||
        apt-get "${options[@]}" update || fail "cannot fetch the package lists; check the network"
    fi
    (cd "$debs/partial" && apt-get "${options[@]}" download "$package") ||
      fail "cannot download $package"
    mv "$debs/partial/$package"_*.deb "$debs/"
    found=("$debs/$package"_*.deb)
  fi
  deb=${found[-1]}
}

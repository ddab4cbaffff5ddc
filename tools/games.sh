# Part of ./dev, which sources it for `./dev games`: the data of real games, from Debian, to load
# and check.
# shellcheck shell=bash

game_packages() {
  case $1 in
    supertux) echo supertux-data ;;
    openarena) echo openarena-0{85-data,81-textures,81-maps,88-data} ;;
    warzone) echo warzone2100-data ;;
    *) misuse "games: unknown game '$1' (supertux, openarena, warzone)" ;;
  esac
}
game_folder() {
  case $1 in
    supertux) echo usr/share/games/supertux2 ;;
    openarena) echo usr/share/games/openarena/baseoa ;;
    warzone) echo usr/share/games/warzone2100 ;;
  esac
}

# The arguments that load it, one per line.
game_mounts() {
  case $1 in
    openarena) printf '%s\n' --archives-in "$cache/$1/$(game_folder "$1")" ;;
    warzone) printf '%s\n' "$cache/$1/$(game_folder "$1")"/{base,mp}.wz ;;
    *) echo "$cache/$1/$(game_folder "$1")" ;;
  esac
}

cmd_games() {
  local name names=() check='' wrong=() cache=${OVERTURE_GAMES:-$root/.cache/games}
  cache=$(realpath -m "$cache")
  for name in "$@"; do
    case $name in
      --check) check=yes ;;
      -*) misuse "games: unknown option $name" ;;
      *) game_packages "$name" >/dev/null && names+=("$name") ;;
    esac
  done
  [ ${#names[@]} -gt 0 ] || names=(supertux openarena warzone)
  mkdir -p "$cache"
  for name in "${names[@]}"; do
    if [ ! -d "$cache/$name" ]; then
      unpack_game "$name" "$cache"
    fi
    say "$name: $cache/$name/$(game_folder "$name")"
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
    (cd "$cache/supertux/$(game_folder supertux)" && zip -q -r -X -D "$cache/packed/partial.zip" .)
    mv "$cache/packed/partial.zip" "$archive"
  fi
  say "supertux as a ZIP: $archive"
}

# Unpacks into a temporary folder and renames it, so that a game is either complete or absent.
unpack_game() {
  local name=$1 cache=$2 package deb
  rm -rf "$cache/$name.partial"
  mkdir "$cache/$name.partial"
  for package in $(game_packages "$name"); do
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

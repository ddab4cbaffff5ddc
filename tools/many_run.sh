#!/usr/bin/env bash
# SPDX-License-Identifier: Zlib
#
# Measures Overture on a machine with many processors, and prints tables for docs/measurements:
#
#   ./run [--threads N] [--only PART]...    PART: load jobs sync text vfs
#
# `./dev many --prepare` puts this into a folder with all that it runs, so that it needs no network
# and no package: copy build/many to the machine and start it there. Takes at most eight minutes on
# 8 to 64 processors.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
export LD_LIBRARY_PATH=$here/lib
threads=$(nproc) parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --threads) threads=$2 && shift ;;
    --only) parts+=("$2") && shift ;;
    *) echo 'usage: run [--threads N] [--only load|jobs|sync|text|vfs]...' >&2 && exit 2 ;;
  esac
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=(load jobs sync text vfs)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
began=$SECONDS

# rows: the lines of a benchmark as rows of a table.
rows() {
  local name='^  ([^ ].*[^ ]) {2,}' value='([-0-9.e+]+)' goal=' {2,}goal (.*[^ ]) +(met|MISSED)$'
  sed -E -n -e "s/$name$value {2,}\\[(.*)\\]$goal/| \\1 | \\2 [\\3] | \\4, \\5 |/p" \
    -e "s/$name$value\$/| \\1 | \\2 | |/p"
}

# bench SECONDS NAME OPTION...: one benchmark as a table. Says so if it takes longer.
bench() {
  local limit=$1 name=$2 status=0
  shift 2
  printf '\n`bench %s %s`\n\n| | value | goal |\n|---|---|---|\n' "$name" "$*"
  timeout "$limit" "$here/bin/bench_$name" "$@" >"$work/out" 2>"$work/err" || status=$?
  rows <"$work/out"
  if [ "$status" -eq 124 ]; then
    printf '\nstopped after %s s\n' "$limit"
  elif [ "$status" -gt 1 ]; then # 1: a goal was missed
    printf '\nfailed with status %s: %s\n' "$status" "$(tail -n 1 "$work/err")"
  fi
}

# make_game FILE COPIES: a game of some thousand files, the sample game's, many times over.
make_game() {
  local mounts=() copy
  for ((copy = 0; copy < $2; ++copy)); do
    mounts+=(--mount-point "copy$copy" "$here/game.zip")
  done
  "$here/bin/overture" pack --quiet "$1" "${mounts[@]}"
}

# seconds_of N: the median time of a load with so many threads.
seconds_of() {
  local run
  for run in 1 2 3; do
    "$here/bin/overture" load --threads "$1" --json "$work/game.zip" |
      sed -n 's/^  "seconds": \([0-9.e-]*\),$/\1/p'
  done | sort -g | sed -n 2p
}

load() {
  local files copies=$((threads * 3))
  # More files where there are more processors, but few enough to be kept in memory when decoded.
  make_game "$work/game.zip" $((copies < 12 ? 12 : copies > 96 ? 96 : copies))
  make_game "$work/decoded.zip" 12
  files=$("$here/bin/overture" load --json "$work/game.zip" | # warms the page cache, too
    sed -n 's/^  "files": \([0-9]*\),$/\1/p')
  printf '\n`overture load --threads N`, %s files, median of 3\n\n' "$files"
  printf '| threads | ms | x faster than on one |\n|---|---|---|\n'
  local count one now
  one=$(seconds_of 1)
  for count in 1 2 4 8 $((threads > 16 ? 16 : threads - 1)) $((threads - 1)) "$threads"; do
    [ "$count" -ge 1 ] && [ "$count" -le "$threads" ] && echo "$count"
  done | sort -nu >"$work/counts"
  while read -r count; do
    now=$(seconds_of "$count")
    awk -v n="$count" -v one="$one" -v now="$now" \
      'BEGIN { printf "| %d | %.0f | %.1f |\n", n, now * 1000, one / now }'
  done <"$work/counts"
  bench 60 load --mount "$work/decoded.zip" --parts decode --threads "$threads" --rounds 3
  bench 60 load --mount "$work/game.zip" --parts plain --threads "$threads" --rounds 3
}

jobs() {
  bench 60 jobs --only forkjoin --threads "$threads" --rounds 3
  bench 60 jobs --only empty --threads "$threads" --rounds 3
  bench 60 jobs --only frame --threads "$threads" --rounds 3 --turns 2 --frames 60
  bench 40 jobs --only wake --threads "$threads" --rounds 3 --turns 2
}

sync() {
  bench 30 sync --only polling --threads 1 "$threads" --rounds 3
  bench 60 sync --only hurdles --threads 2 $((threads / 2 > 2 ? threads / 2 : 2)) "$threads" \
    --rounds 3 --hurdles 200000
}

text() {
  bench 60 text --only threads --threads "$((threads > 2 ? threads : 2))" --rounds 5
}

vfs() {
  bench 40 vfs --only lookup --entries 100000 --rounds 3
}

printf '%s processors, %s, Linux %s, %s\n' "$(nproc)" \
  "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(uname -r)" "$(date -I)"
for part in "${parts[@]}"; do
  printf '\n## %s\n' "$part"
  "$part"
  printf '%s: %s s\n' "$part" $((SECONDS - began)) >&2
done

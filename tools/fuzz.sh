# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev fuzz`.
# shellcheck shell=bash

# Sets `corpora` to the folders of inputs of a fuzzer; libFuzzer adds to the first.
corpora_of() {
  corpora=("$root/build/fuzz/corpus/$1")
  mkdir -p "${corpora[0]}"
  [ ! -d "$root/fuzz/corpus/$1" ] || corpora+=("$root/fuzz/corpus/$1")
}

# Sets `options` to those that all runs of a fuzzer share.
options_of() {
  local dictionary=$root/fuzz/dictionaries/$1.dict
  # Plain tables share one.
  [ -f "$dictionary" ] || dictionary=$root/fuzz/dictionaries/tables.dict
  options=(-timeout=10 -rss_limit_mb=2048 -verbosity=0 "-dict=$dictionary")
}

# fuzz_one NAME SECONDS LOGS: shows the output at the end, since several run at a time, and creates
# LOGS/NAME.ok if it found nothing.
fuzz_one() {
  local name=$1 seconds=$2 log=$3/$1.log ok=$3/$1.ok tree=$root/build/fuzz corpora options
  corpora_of "$name"
  options_of "$name"
  rm -f "$ok"
  ASAN_SYMBOLIZER_PATH=/usr/lib/llvm-19/bin/llvm-symbolizer "$tree/bin/fuzz_$name" \
    -max_total_time="$seconds" -print_final_stats=1 "${options[@]}" \
    -artifact_prefix="$tree/findings/$name-" "${corpora[@]}" </dev/null >"$log" 2>&1 && : >"$ok"
  # Leaves out the dictionary of a hundred lines that libFuzzer recommends after each run.
  say "$name"$'\n'"$(grep -v '^###### \|^".*" # Uses: \|^INFO: \|NEW_FUNC' "$log")"
}

# fuzz_all SECONDS NAME...
fuzz_all() {
  local seconds=$1 logs=$root/build/fuzz/logs found=() name
  shift
  mkdir -p "$root/build/fuzz/findings" "$logs"
  say "fuzzing $* for $seconds s each, $jobs at a time"
  for name; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    fuzz_one "$name" "$seconds" "$logs" &
  done
  wait
  for name; do [ -f "$logs/$name.ok" ] || found+=("$name"); done
  [ ${#found[@]} -eq 0 ] || fail "found something: ${found[*]} (see build/fuzz/findings)"
  say "found nothing"
}

# fuzz_coverage LINES NAME...: runs each fuzzer over its inputs, built to count lines, and prints
# what they reach.
fuzz_coverage() {
  local lines=$1 tree=$root/build/coverage name profiles=() objects=() corpora
  shift
  for name; do
    corpora_of "$name"
    LLVM_PROFILE_FILE=$tree/$name.profraw "$tree/bin/fuzz_$name" -runs=0 -timeout=60 \
      "${corpora[@]}" </dev/null >"$tree/$name.log" 2>&1 || fail "fuzz: see $tree/$name.log"
    profiles+=("$tree/$name.profraw")
    objects+=(${objects:+-object} "$tree/bin/fuzz_$name")
  done
  llvm-profdata-19 merge -sparse -o "$tree/all.profdata" "${profiles[@]}"
  llvm-cov-19 export --format=lcov "${objects[@]}" \
    -instr-profile "$tree/all.profdata" -sources "$root/src" "$root/include" "$root/compat" \
    "$root/watch" >"$tree/all.lcov"
  python3 "$root/tools/fuzz_coverage.py" "$root" "$tree/all.lcov" $lines
}

# fuzz_merge COUNT NAME...: adds at most COUNT inputs to the seeds of each, those that add most.
fuzz_merge() {
  local count=$1 name corpora options merged file
  shift
  for name; do
    corpora_of "$name"
    options_of "$name"
    merged=$root/build/fuzz/merged/$name
    rm -rf "$merged"
    mkdir -p "$merged" "$root/fuzz/corpus/$name"
    cp -r "$root/fuzz/corpus/$name/." "$merged"
    # Branches alone, without how often they were taken.
    "$root/build/fuzz/bin/fuzz_$name" -set_cover_merge=1 -use_counters=0 -max_len=4096 \
      "${options[@]}" "$merged" "${corpora[0]}" </dev/null >"$merged.log" 2>&1 ||
      fail "fuzz: see $merged.log"
    # libFuzzer writes them in this order.
    find "$merged" -type f -printf '%T@ %f\n' | sort -n | cut -d' ' -f2 |
      while IFS= read -r file; do
        [ -f "$root/fuzz/corpus/$name/$file" ] || echo "$file"
      done | sed -n "1,${count}p" | while IFS= read -r file; do
        cp "$merged/$file" "$root/fuzz/corpus/$name/"
      done
    say "$name: $(find "$root/fuzz/corpus/$name" -type f | wc -l) seeds," \
      "$(du -bs "$root/fuzz/corpus/$name" | cut -f1) bytes"
  done
}

cmd_fuzz() {
  local seconds=30 long='' names=() name list='' coverage='' lines='' merge='' preset=fuzz
  while [ $# -gt 0 ]; do
    case $1 in
      --seconds) value "$@" && seconds=$2 && shift ;;
      --seconds=*) seconds=${1#*=} ;;
      --long) long=yes ;;
      --coverage) coverage=yes preset=coverage ;;
      --lines) lines=--lines ;;
      --merge) value "$@" && merge=$2 && shift ;;
      list) list=yes ;;
      -*) misuse "fuzz: unknown option $1" ;;
      *) names+=("$1") ;;
    esac
    shift
  done
  configure "$preset"
  local known
  known=$(programs "$preset" fuzz)
  if [ -n "$list" ]; then
    [ -z "$known" ] || echo "$known"
    return
  fi
  for name in "${names[@]}"; do
    grep -qxF -- "$name" <<<"$known" || misuse "fuzz: no fuzzer '$name'; ./dev fuzz list names them"
  done
  [ ${#names[@]} -gt 0 ] || [ -z "$known" ] || mapfile -t names <<<"$known"
  [ ${#names[@]} -gt 0 ] || { say "there are no fuzzers" && return; }
  build_preset "$preset" "${names[@]/#/bin/fuzz_}"
  if [ -n "$coverage" ]; then
    fuzz_coverage "$lines" "${names[@]}"
  elif [ -n "$merge" ]; then
    fuzz_merge "$merge" "${names[@]}"
  else
    [ -z "$long" ] || seconds=$((3600 * jobs / ${#names[@]}))
    fuzz_all "$seconds" "${names[@]}"
  fi
}

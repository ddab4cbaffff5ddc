# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev test`: runs the tests of a preset.
# shellcheck shell=bash

# Repeated by `--long`: a schedule that breaks a test may come only once in many runs.
concurrent_tests='^(sync|sync_generic|sync_futex|jobs|jobs_generic|io|load|assets)([.]|$)'
long_repeats=20
busy_processes=8

# What --quick leaves out as well: suites that search, and those that run programs.
not_quick='^(interleave|examples|package|python|docs|tools|record|mutators)[.]'
# How much of its longest searches the explorer does without --all.
short_search=8
whole_searches=(-LE '^long$' -R '^interleave[.]')

cmd_test() {
  local preset=release options=() filter='' extent='' busy='' timeout_s=300 same=()
  while [ $# -gt 0 ]; do
    case $1 in
      --quick | --rest | --all | --long)
        [ -z "$extent" ] || misuse "test: only one of --quick, --rest, --all and --long"
        extent=$1
        same+=("$1")
        ;;
      --busy) busy=yes ;;
      --preset) value "$@" && preset=$2 && same+=("$1" "$2") && shift ;;
      --preset=*) preset=${1#*=} && same+=("$1") ;;
      -*) misuse "test: unknown option $1" ;;
      *)
        [ -z "$filter" ] || misuse "test: only one FILTER"
        filter=$1
        ;;
    esac
    shift
  done
  case $preset in
    fuzz | coverage | mingw | windows-dll) misuse "test: preset $preset has no tests" ;;
  esac
  local long='' excluded=()
  case $extent in
    --long) long=yes ;;
    --rest) options+=(-L '^slow$') ;;
    --all) options+=(-LE '^long$') ;;
    *) options+=(-LE '^(slow|long)$') && export OVERTURE_INTERLEAVE_DIVISOR=$short_search ;;
  esac
  [ "$extent" != --quick ] || excluded+=("$not_quick")
  # Leaves out compilers and the explorer, whose threads are fibres: they are slow and load does not
  # matter to them.
  [ -z "$busy" ] || excluded+=('^(package|interleave)[.]')
  [ ${#excluded[@]} -eq 0 ] || options+=(-E "$(IFS='|' && echo "${excluded[*]}")")
  # asan, Windows and Arm know programs of tests: io, not io.NAME.
  filter=${filter/%'[.]'/'([.]|$)'}
  [ -z "$filter" ] || options+=(-R "$filter")
  # These runs are slow, but a hang must still end.
  [ -z "$long$busy" ] || timeout_s=3000
  build_tests "$preset" "${options[@]}"
  [ "$extent" != --rest ] || build_tests "$preset" "${whole_searches[@]}"

  local tree=$root/build/$preset status=0
  rm -f "$tree/tests.xml" "$tree/repeated.xml" "$tree"/programs/*.xml
  [ -z "$busy" ] || keep_processors_busy
  [ -z "$long" ] || export OVERTURE_LONG_TESTS=1
  say "running the tests of preset $preset${busy:+ next to $busy_processes busy processes}"
  run_ctest tests.xml "${options[@]}" || status=$?
  if [ "$extent" = --rest ]; then
    say "running the explorer's searches in full"
    run_ctest repeated.xml "${whole_searches[@]}" || status=$?
  fi
  if [ -n "$long" ]; then
    say "running concurrent tests $long_repeats times"
    run_ctest repeated.xml -LE '^(slow|long)$' -R "${filter:-$concurrent_tests}" \
      --repeat "until-fail:$long_repeats" || status=$?
    [ "$preset" != release ] || [ -n "$filter" ] || test_all_floats || status=$?
  fi
  [ -f "$tree/tests.xml" ] || fail "no test ran"
  [ -n "$long$filter" ] || [ "$extent" = --rest ] || say_what_is_left "$preset" "${options[@]}"
  python3 "$root/tools/test_results.py" "$tree" && [ "$status" -eq 0 ]
}

# build_tests PRESET [OPTION...]: builds what the tests run that CTest chooses with these options.
build_tests() {
  local preset=$1 targets=()
  shift
  configure "$preset"
  # Windows and Arm know their tests by program only.
  if [[ $preset =~ ^(windows|arm64)$ ]]; then
    build_preset "$preset"
    return
  fi
  read -r -a targets < <(python3 "$root/tools/test_targets.py" "$root/build/$preset" "$@")
  if [ ${#targets[@]} -gt 3 ] || [ "${targets[0]-all}" = all ]; then
    say "building preset $preset"
  fi
  run_ninja "$preset" "${targets[@]}"
}

# run_ctest RESULTS [OPTION...]: runs tests of `preset` and writes the results to a file.
run_ctest() {
  local results=$1
  shift
  fixed_addresses "$preset" ctest --test-dir "$tree" --output-on-failure --parallel "$jobs" \
    --no-label-summary --timeout "$timeout_s" --no-tests=error --output-junit "$tree/$results" \
    "$@" </dev/null | python3 -u "$root/tools/test_progress.py" "${same[@]}"
}

# say_what_is_left PRESET [OPTION...]: what this run has left out, and the command that runs it.
say_what_is_left() {
  local preset=$1 ran all larger="--all runs all but the longest, --long all"
  shift
  [ "$extent" != --all ] || larger="--long runs them"
  ran=$(count_tests "$preset" "$@")
  all=$(count_tests "$preset")
  [ "$ran" -ge "$all" ] ||
    say "not run: $((all - ran)) slow tests; ./dev test $larger"
}

count_tests() {
  local preset=$1
  shift
  ctest --test-dir "$root/build/$preset" -N "$@" | sed -n 's/^Total Tests: //p'
}

# A test that is right only on an idle machine fails next to these. They end with this script.
keep_processors_busy() {
  local number
  busy_pids=()
  for ((number = 0; number < busy_processes; ++number)); do
    while :; do :; done &
    busy_pids+=($!)
  done
  trap 'kill "${busy_pids[@]}" 2>/dev/null' EXIT
  trap 'exit 130' INT TERM
}

# Converts all 2^32 floats to text and back, which takes minutes.
test_all_floats() {
  build_preset release text_all_floats
  say "writing and reading all floats"
  "$(find "$root/build/release" -name text_all_floats -type f)"
}

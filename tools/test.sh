# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev test`: runs the tests of a preset.
# shellcheck shell=bash

# Repeated by `--long`: a schedule that breaks a test may come only once in many runs.
concurrent_tests='^(sync|sync_generic|sync_futex|jobs|jobs_generic|io|load|assets)[.]'
long_repeats=20
busy_processes=8

cmd_test() {
  local preset=release options=() filter='' quick='' long='' busy='' timeout_s=300
  while [ $# -gt 0 ]; do
    case $1 in
      --quick) quick=yes ;;
      --long) long=yes ;;
      --busy) busy=yes ;;
      --preset) value "$@" && preset=$2 && shift ;;
      --preset=*) preset=${1#*=} ;;
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
  [ -z "$quick" ] || [ -z "$long" ] || misuse "test: --quick and --long exclude each other"
  # Tests that are in the long form only have the label `long`.
  if [ -n "$quick" ]; then
    options+=(-LE '^(slow|long)$')
  elif [ -z "$long" ]; then
    options+=(-LE '^long$')
  fi
  [ -z "$filter" ] || options+=(-R "$filter")
  # These runs are slow, but a hang must still end.
  [ -z "$long$busy" ] || timeout_s=3000
  build_preset "$preset"

  local tree=$root/build/$preset status=0
  rm -f "$tree/tests.xml" "$tree/repeated.xml" "$tree"/programs/*.xml
  # Leaves out compilers and the explorer, whose threads are fibres: they are slow and load does not
  # matter to them.
  [ -z "$busy" ] || { keep_processors_busy && options+=(-E '^(package|interleave)[.]'); }
  [ -z "$long" ] || export OVERTURE_LONG_TESTS=1
  say "running the tests of preset $preset${busy:+ next to $busy_processes busy processes}"
  run_ctest tests.xml "${options[@]}" || status=$?
  if [ -n "$long" ]; then
    say "running concurrent tests $long_repeats times"
    run_ctest repeated.xml -LE '^(slow|long)$' -R "${filter:-$concurrent_tests}" \
      --repeat "until-fail:$long_repeats" || status=$?
    [ "$preset" != release ] || [ -n "$filter" ] || test_all_floats || status=$?
  fi
  [ -f "$tree/tests.xml" ] || fail "no test ran"
  python3 "$root/tools/test_results.py" "$tree" && [ "$status" -eq 0 ]
}

# run_ctest RESULTS [OPTION...]: runs tests of `preset` and writes the results to a file.
run_ctest() {
  local results=$1
  shift
  fixed_addresses "$preset" ctest --test-dir "$tree" --output-on-failure --parallel "$jobs" \
    --timeout "$timeout_s" --no-tests=error --output-junit "$tree/$results" "$@" </dev/null |
    { grep -v '^ *Start ' || true; }
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

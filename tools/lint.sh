# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev lint`: checks the sources, or mends what a program can.
# shellcheck shell=bash

source_folders=(include src report sounds loaders cli compat guards bench examples fuzz tests)

cmd_lint() {
  local fix=0 tidied=all base=main tree=lint
  while [ $# -gt 0 ]; do
    case $1 in
      --fix) fix=1 ;;
      --changed)
        tidied=changed
        if [ $# -gt 1 ] && [[ $2 != -* ]]; then base=$2 && shift; fi
        ;;
      --quick) tidied=shipped tree=lint-quick ;;
      *) misuse "lint: unknown argument $1" ;;
    esac
    shift
  done
  need lint
  configure "$tree"
  cd "$root"
  local problems=() sources=()
  mapfile -t sources < <(existing_sources)

  if [ $fix -eq 1 ]; then
    python3 tools/tidy/licence.py
    say "formatting ${#sources[@]} files"
    printf '%s\0' "${sources[@]}" | xargs -0 clang-format-19 -i
  else
    say "checking the format of ${#sources[@]} files"
    printf '%s\0' "${sources[@]}" | xargs -0 clang-format-19 --dry-run --Werror ||
      problems+=("format (run ./dev lint --fix)")
  fi

  say "checking the syntax of scripts"
  local script
  for script in dev tools/*.sh .ci/run; do
    bash -n "$script" || problems+=("syntax of $script")
  done
  python3 -c 'import ast, pathlib
for path in sorted([*pathlib.Path("tools").rglob("*.py"), *pathlib.Path("tests").rglob("*.py")]):
    ast.parse(path.read_text(), str(path))' || problems+=("syntax of the Python scripts")

  say "checking layers and house rules"
  python3 tools/tidy/tidy.py || problems+=("tidy")

  lint_portable || problems+=("the headers with clang and OVERTURE_PORTABLE")
  lint_locks || problems+=("locks (clang-tidy does not miss one in tests/tidy/without_lock.cpp)")
  lint_clang_tidy "$tidied" "$base" "$tree" || problems+=("clang-tidy")

  [ ${#problems[@]} -gt 0 ] || { say "lint: clean" && return; }
  fail "lint found problems: $(printf '%s; ' "${problems[@]}" | sed 's/; $//')"
}

existing_sources() {
  local folder
  for folder in "${source_folders[@]}"; do
    [ ! -d "$folder" ] || find "$folder" -name '*.[ch]' -o -name '*.[ch]pp'
  done | sort
}

# lint_portable: whether clang warns of nothing in the headers as other compilers see them. Only the
# long form builds with clang.
lint_portable() {
  say "compiling the headers with clang, without its extensions"
  clang++-19 -std=c++20 -fsyntax-only -DOVERTURE_PORTABLE -Wall -Wextra -Wpedantic -Wshadow \
    -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror -Iinclude -x c++ \
    - <<<'#include "overture/overture.hpp"'
}

# lint_locks: whether clang-tidy notices that a source forgets a lock.
lint_locks() {
  say "checking that clang-tidy notices a forgotten lock"
  local found
  found=$(clang-tidy-19 --quiet --extra-arg=-Wthread-safety tests/tidy/without_lock.cpp \
    -- -std=c++20 -Iinclude -Isrc 2>&1) || true
  [[ $found == *clang-diagnostic-thread-safety* ]]
}

# lint_clang_tidy WHICH BASE TREE: runs clang-tidy, as TREE compiles them, on `all` sources that the
# release build compiles, on those that are `shipped`, or on those that are `changed`: they differ
# from BASE or include by name a header that differs.
lint_clang_tidy() {
  local files=() name differ
  if [ "$1" = shipped ]; then
    mapfile -t files < <(find src report sounds loaders cli compat guards -name '*.cpp' | sort)
  elif [ "$1" = changed ]; then
    differ=$(git diff --name-only --diff-filter=d "$2" -- "${source_folders[@]}" &&
      git ls-files --others --exclude-standard -- "${source_folders[@]}") ||
      fail "lint: git cannot compare with '$2'"
    mapfile -t files < <(for name in $differ; do
      echo "$name"
      [[ $name != *.hpp ]] ||
        grep -rlF --include='*.cpp' "${name#*/}\"" "${source_folders[@]}" 2>/dev/null || true
    done | grep '\.cpp$' | sort -u)
    [ ${#files[@]} -gt 0 ] || return 0
  fi
  say "running clang-tidy"
  python3 tools/clang_tidy.py "build/$3" "${OVERTURE_TIDY_CACHE:-.cache/tidy}" "$jobs" \
    "${files[@]}"
}

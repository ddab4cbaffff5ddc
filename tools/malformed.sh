# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev malformed`: checks deliberately malformed archives.
# shellcheck shell=bash

# Checks that each file in the folders is read or refused in time, without a crash or a report from
# a sanitizer. The default is the archives of libzip's tests, from Debian's source package.
cmd_malformed() {
  local folders=("$@") file status whole=0 broken=0 refused=0 wrong=()
  local command=$root/build/asan/bin/overture log=$root/build/asan/malformed.log
  if [ $# -eq 0 ]; then
    local libzip
    fetch_libzip_archives
    folders=("$libzip")
  fi
  configure asan
  build_preset asan bin/overture

  while IFS= read -r -d '' file; do
    status=0
    # Sanitizers get their own status: by default theirs is the one for broken files.
    ASAN_OPTIONS=exitcode=86 UBSAN_OPTIONS=halt_on_error=1:exitcode=86 LSAN_OPTIONS=exitcode=86 \
      timeout 30 "$command" check "$file" </dev/null >"$log" 2>&1 || status=$?
    case $status in
      0) whole=$((whole + 1)) ;;
      1) broken=$((broken + 1)) ;;
      3) refused=$((refused + 1)) ;;
      *)
        wrong+=("$file (exit status $status)")
        cat "$log"
        ;;
    esac
  done < <(find "${folders[@]}" -type f ! -name '*.test' -print0 | sort -z)
  say "$whole intact, $broken with broken files, $refused refused"
  [ $((whole + broken + refused + ${#wrong[@]})) -gt 0 ] || fail "no files in ${folders[*]}"
  [ ${#wrong[@]} -eq 0 ] || fail "neither read nor refused: ${wrong[*]}"
}

# Sets `libzip` to the folder of its archives.
fetch_libzip_archives() {
  local cache=$root/.cache/malformed
  libzip=$cache/libzip
  [ ! -d "$libzip" ] || return 0
  need malformed
  say "downloading the source of libzip"
  rm -rf "$cache/partial"
  fetch_sources "$cache/partial" libzip
  mkdir "$cache/partial/unpacked"
  tar -xf "$cache/partial"/libzip_*.orig.tar.* -C "$cache/partial/unpacked" --strip-components=1
  mkdir "$cache/partial/archives"
  find "$cache/partial/unpacked/regress" -name '*.zip' -exec cp {} "$cache/partial/archives/" \;
  mv "$cache/partial/archives" "$libzip"
  rm -rf "$cache/partial"
}

# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev many`: measures what only many processors show.
# shellcheck shell=bash

many_folder=build/many
many_bytes_max=$((60 << 20))

cmd_many() {
  local prepare=''
  if [ "${1-}" = --prepare ]; then
    prepare=yes
    shift
  fi
  cd "$root"
  if [ -n "$prepare" ] || [ ! -x $many_folder/run ]; then prepare_many; fi
  [ -n "$prepare" ] || exec "$many_folder/run" "$@"
}

# prepare_many: a folder with all that the run needs, to be copied to a machine without tools.
prepare_many() {
  local program programs=(overture bench_load bench_jobs bench_sync bench_text bench_vfs) bytes
  build_preset release "${programs[@]/#/bin/}"
  make_sample_game
  rm -rf $many_folder
  mkdir -p $many_folder/bin $many_folder/lib
  for program in "${programs[@]}"; do
    strip -o "$many_folder/bin/$program" "build/release/bin/$program"
    # Not the C library, which belongs to the machine's loader.
    ldd "build/release/bin/$program" | awk '$3 ~ /^\// { print $3 }' |
      grep -vE '/lib(c|m|pthread|dl|rt)\.so' | xargs -r cp -Lnt $many_folder/lib
  done
  cp build/demo/base.zip $many_folder/game.zip
  cp tools/many_run.sh $many_folder/run
  chmod +x $many_folder/run
  bytes=$(du -sb $many_folder | cut -f1)
  [ "$bytes" -le $many_bytes_max ] || fail "$many_folder has $bytes bytes, more than 60 MiB"
  say "prepared $many_folder, $((bytes >> 20)) MiB; copy it, and start ./run there"
}

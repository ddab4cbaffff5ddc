# SPDX-License-Identifier: Zlib
#
# Part of ./dev, for `./dev cross windows`: builds what Overture links, for Windows, from Debian's
# source packages, into .cache/windows/root. What is there already is skipped.
# shellcheck shell=bash

# openssl is left out: it is optional, and building it takes longer than all others together.
windows_sources=(libdeflate libzstd lz4 xz-utils bzip2 libspng libjpeg-turbo libogg libvorbis opus
  opusfile libopusenc fmtlib xxhash libwebp flac mpg123)
windows_triple=x86_64-w64-mingw32

# windows_libraries: sets up .cache/windows/root.
windows_libraries() {
  cache=$root/.cache/windows
  prefix=$cache/root
  mkdir -p "$cache/done" "$cache/logs" "$prefix/lib/pkgconfig" "$prefix/include"
  local name recipe missing=()
  for name in "${windows_sources[@]}"; do
    compgen -G "$cache/sources/${name}_*.dsc" >/dev/null || missing+=("$name")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    say "downloading the sources of ${missing[*]}"
    (fetch_sources "$cache/sources" "${missing[@]}") >"$cache/logs/sources.log" 2>&1 ||
      fail "that failed: .cache/windows/logs/sources.log"
  fi
  for name in headers zlib libdeflate libzstd lz4 xz_utils bzip2 libspng libjpeg_turbo libogg \
    libvorbis opus opusfile libopusenc fmtlib xxhash libwebp flac mpg123 googletest; do
    recipe=$(declare -f "windows_$name")
    [ "$(cat "$cache/done/$name" 2>/dev/null)" != "$recipe" ] || continue
    local start=$SECONDS
    if ! (set -e && "windows_$name") >"$cache/logs/$name.log" 2>&1; then
      tail -n 20 "$cache/logs/$name.log" >&2
      fail "cannot build $name for Windows: .cache/windows/logs/$name.log"
    fi
    printf '%s\n' "$recipe" >"$cache/done/$name"
    rm -rf "$cache/build/$name" "$cache/unpacked/$name"
    say "built $name for Windows in $((SECONDS - start)) s"
  done
}

# --- Ways to build --------------------------------------------------------------------------------
# unpack PACKAGE: sets `source` to the folder of its sources.
unpack() {
  local archive
  archive=$(compgen -G "$cache/sources/$1_*.orig.tar.*" | grep -v '\.asc$' | head -n 1)
  source=$cache/unpacked/${FUNCNAME[1]#windows_}
  rm -rf "$source"
  mkdir -p "$source"
  tar -xf "$archive" -C "$source" --strip-components=1
}

# with_cmake FOLDER [OPTION...]: builds and installs static libraries.
with_cmake() {
  local from=$1 tree=$cache/build/${FUNCNAME[1]#windows_} launcher=()
  shift
  command -v ccache >/dev/null &&
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  rm -rf "$tree"
  cmake -S "$from" -B "$tree" -G Ninja --toolchain "$root/cmake/toolchain-mingw.cmake" \
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF "${launcher[@]}" "$@"
  ninja -C "$tree" -j "$jobs" install
}

# with_compiler LIBRARY FLAGS SOURCE...: an archive of a few sources, without their build system.
with_compiler() {
  local library=$1 flags=$2 tree=$cache/build/${FUNCNAME[1]#windows_} each objects=()
  shift 2
  mkdir -p "$tree"
  for each in "$@"; do
    objects+=("$tree/$(basename "$each" .c).o")
    # shellcheck disable=SC2086 # a list of words
    "$windows_triple-gcc-posix" -O2 $flags "-I$prefix/include" -c "$each" -o "${objects[-1]}"
  done
  rm -f "$prefix/lib/lib$library.a"
  "$windows_triple-ar" rcs "$prefix/lib/lib$library.a" "${objects[@]}"
}

# describe NAME VERSION LIBS [REQUIRES [CFLAGS]]: writes NAME.pc.
describe() {
  cat >"$prefix/lib/pkgconfig/$1.pc" <<END
prefix=$prefix
Name: $1
Description: $1 for Windows
Version: $2
Requires: ${4-}
Libs: -L\${prefix}/lib $3
Cflags: -I\${prefix}/include ${5-}
END
}

# static_needs FILE...: a static library needs what a shared one keeps to itself.
static_needs() {
  local each
  for each in "$@"; do
    sed -i 's/^Requires.private:/Requires:/; s/^Libs.private:/Libs.needed:/' \
      "$prefix/lib/pkgconfig/$each.pc"
  done
}

# --- The libraries --------------------------------------------------------------------------------
windows_headers() { # any target's
  mkdir -p "$prefix/share/cmake"
  cp -r /usr/include/tl /usr/include/CLI /usr/include/nlohmann "$prefix/include/"
  cp -r /usr/share/cmake/{CLI11,nlohmann_json,tl-expected} "$prefix/share/cmake/"
}

windows_zlib() { # Debian has it ready
  local from=/usr/$windows_triple
  cp "$from/lib/libz.a" "$prefix/lib/"
  cp "$from/include/zlib.h" "$from/include/zconf.h" "$prefix/include/"
  describe zlib 1.2.13 -lz
}

windows_libdeflate() {
  unpack libdeflate
  make -C "$source" -j "$jobs" CC=$windows_triple-gcc-posix AR=$windows_triple-ar \
    libdeflatestatic.lib
  cp "$source/libdeflate.h" "$prefix/include/"
  cp "$source/libdeflatestatic.lib" "$prefix/lib/libdeflate.a"
  describe libdeflate 1.14 -ldeflate
}

windows_libzstd() {
  unpack libzstd
  with_cmake "$source/build/cmake" -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF \
    -DZSTD_BUILD_TESTS=OFF
}

windows_lz4() {
  unpack lz4
  with_cmake "$source/build/cmake" -DLZ4_BUILD_CLI=OFF -DLZ4_BUILD_LEGACY_LZ4C=OFF \
    -DBUILD_STATIC_LIBS=ON
}

windows_xz_utils() {
  unpack xz-utils
  with_cmake "$source"
  describe liblzma 5.4.1 -llzma "" -DLZMA_API_STATIC
}

windows_bzip2() {
  unpack bzip2
  local each sources=()
  for each in blocksort huffman crctable randtable compress decompress bzlib; do
    sources+=("$source/$each.c")
  done
  with_compiler bz2 -D_FILE_OFFSET_BITS=64 "${sources[@]}"
  cp "$source/bzlib.h" "$prefix/include/"
}

windows_libspng() { # its CMakeLists.txt fails without the shared library
  unpack libspng
  with_compiler spng -DSPNG_STATIC "$source/spng/spng.c"
  cp "$source/spng/spng.h" "$prefix/include/"
  describe spng 0.7.3 -lspng zlib -DSPNG_STATIC
}

windows_libjpeg_turbo() {
  unpack libjpeg-turbo
  with_cmake "$source" -DENABLE_SHARED=OFF -DWITH_TURBOJPEG=OFF \
    "-DCMAKE_INSTALL_LIBDIR=$prefix/lib" # it takes a relative one for the current folder's
}

windows_libogg() {
  unpack libogg
  with_cmake "$source" -DINSTALL_DOCS=OFF
}

windows_libvorbis() {
  unpack libvorbis
  with_cmake "$source" "-DOGG_ROOT=$prefix"
  static_needs vorbis vorbisenc vorbisfile
}

# Its CMakeLists.txt takes its version from git. mingw has checked memcpy() and the like in a
# library of its own.
windows_opus() {
  unpack opus
  (
    cd "$source"
    ./configure --host=$windows_triple "--prefix=$prefix" --enable-static --disable-shared \
      CC=$windows_triple-gcc-posix --disable-doc --disable-extra-programs \
      --disable-stack-protector
  )
  make -C "$source" -j "$jobs" install
  sed -i 's/-lopus/-lopus -lssp/' "$prefix/lib/pkgconfig/opus.pc"
}

windows_opusfile() {
  unpack opusfile
  with_compiler opusfile "-I$source/include -I$prefix/include/opus" \
    "$source"/src/{info,internal,opusfile,stream}.c "$source/src/wincerts.c"
  mkdir -p "$prefix/include/opus"
  cp "$source/include/opusfile.h" "$prefix/include/opus/"
  describe opusfile 0.12 -lopusfile "ogg opus" "-I$prefix/include/opus"
}

windows_libopusenc() {
  unpack libopusenc
  with_compiler opusenc \
    "-I$source/include -I$prefix/include/opus -DPACKAGE_NAME=\"libopusenc\" \
      -DPACKAGE_VERSION=\"0.2.1\" -DOUTSIDE_SPEEX -DRANDOM_PREFIX=libopusenc -DFLOATING_POINT" \
    "$source"/src/{ogg_packer,opus_header,opusenc,picture,resample,unicode_support}.c
  mkdir -p "$prefix/include/opus"
  cp "$source/include/opusenc.h" "$prefix/include/opus/"
  describe libopusenc 0.2.1 -lopusenc opus "-I$prefix/include/opus"
}

windows_fmtlib() {
  unpack fmtlib
  with_cmake "$source" -DFMT_TEST=OFF -DFMT_DOC=OFF
}

windows_xxhash() {
  unpack xxhash
  with_cmake "$source/cmake_unofficial" -DXXHASH_BUILD_XXHSUM=OFF
}

windows_libwebp() {
  unpack libwebp
  local each options=()
  for each in ANIM_UTILS CWEBP DWEBP GIF2WEBP IMG2WEBP VWEBP WEBPINFO WEBPMUX EXTRAS; do
    options+=("-DWEBP_BUILD_$each=OFF")
  done
  with_cmake "$source" "${options[@]}"
}

windows_flac() {
  unpack flac
  with_cmake "$source" -DBUILD_CXXLIBS=OFF -DBUILD_PROGRAMS=OFF -DBUILD_EXAMPLES=OFF \
    -DBUILD_DOCS=OFF -DINSTALL_MANPAGES=OFF -DWITH_STACK_PROTECTOR=OFF -DWITH_OGG=OFF
  describe flac 1.4.2 -lFLAC "" -DFLAC__NO_DLL
}

windows_mpg123() {
  unpack mpg123
  # Its strcasecmp is a macro for _stricmp, and mingw's inline strcasecmp then calls itself forever.
  with_cmake "$source/ports/cmake" -DBUILD_PROGRAMS=OFF -DBUILD_LIBOUT123=OFF \
    -DCMAKE_C_FLAGS=-D__CRT__NO_INLINE
  describe libmpg123 1.31.2 "-lmpg123 -lshlwapi"
}

windows_googletest() {
  with_cmake /usr/src/googletest
}

# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev python`: builds and tests the wheel of bindings/python.
# shellcheck shell=bash

cmd_python() {
  [ $# -eq 0 ] || misuse "python takes no arguments"
  need build python
  local out=$root/build/python package=$root/bindings/python
  local in_venv=$out/venv/bin wheels=()
  say "making an environment in build/python/venv"
  python3 -m venv "$out/venv"
  "$in_venv/pip" install --quiet --upgrade pip cffi mypy pytest typing_extensions
  say "building the wheel"
  rm -f "$out"/overture-*.whl
  command -v ccache >/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$in_venv/pip" wheel --quiet --no-deps -w "$out" "$package"
  wheels=("$out"/overture-*.whl)
  "$in_venv/pip" install --quiet --force-reinstall --no-deps "${wheels[@]}"
  say "checking its types"
  (cd "$package" && "$in_venv/mypy")
  say "running its tests"
  (cd "$package" && PYTHONDONTWRITEBYTECODE=1 "$in_venv/pytest" --quiet)
  say "built: build/python/$(basename "${wheels[0]}")"
}

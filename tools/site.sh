# SPDX-License-Identifier: Zlib
#
# Part of ./dev, which sources it for `./dev docs`: builds the site with the documentation.
# shellcheck shell=bash

cmd_docs() {
  local check=
  case "$*" in
    '') ;;
    --check) check=yes ;;
    *) misuse "docs: unknown argument $*" ;;
  esac
  need build docs
  build_preset release bin/overture # makes the manual page and the completions
  local site=$root/build/site pages=$root/build/site-pages
  # Debian's own Python: it has Sphinx and libclang, another one on the path has not.
  local python=(/usr/bin/python3 -B)
  say "building the site"
  "${python[@]}" "$root/tools/site/stage.py" "$pages" "$root/build/release/cli/pages"
  rm -rf "$site"
  "${python[@]}" -m sphinx -q -W --keep-going -E -j "$jobs" -b html -c "$root/tools/site" \
    -d "$root/build/site-trees" "$pages" "$site"
  if [ -n "$check" ]; then
    say "checking links and navigation"
    "${python[@]}" "$root/tools/site/check.py" "$site"
  fi
  say "built: open file://$site/index.html in a browser, or copy build/site to any web server"
}

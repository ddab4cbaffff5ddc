#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""The line with which each source names its licence: for tidy.py, and for `./dev lint --fix`.

    tools/tidy/licence.py [ROOT]

adds it where it is missing.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tree import Tree

LICENCE = "SPDX-License-Identifier: Zlib"  # of LICENSE
SCRIPTS = ("dev", ".ci/run")  # whose names have no suffix


def licence_line(file):
    """The number of the line, from 0, and what it has to be; None if the file is no source."""
    if not file.is_text:
        return None
    number = 1 if file.lines[0].startswith("#!") else 0
    if file.is_code or file.suffix == ".c":
        is_old_c = file.suffix in (".h", ".c") and not file.path.startswith("include/")
        return number, f"/* {LICENCE} */" if is_old_c else f"// {LICENCE}"
    if file.suffix in (".py", ".sh") or file.path in SCRIPTS:
        return number, f"# {LICENCE}"
    return None


def add(file, path):
    found = licence_line(file)
    if found is None:
        return
    number, line = found
    lines = file.text.split("\n")
    if lines[number] == line:
        return
    # What follows it may be the manual of a header or a script.
    mark = line.split(" ")[0]
    blank = [mark] if mark != "/*" and lines[number].startswith(mark) else []
    lines[number:number] = [line, *blank]
    path.write_text("\n".join(lines), encoding="utf-8")


def main(arguments):
    root = pathlib.Path(arguments[1] if len(arguments) > 1 else pathlib.Path(__file__).parents[2])
    for file in Tree(root).files:
        add(file, root / file.path)


if __name__ == "__main__":
    main(sys.argv)

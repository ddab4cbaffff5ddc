#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Prints how many lines of each parser the fuzzers reach.

usage: fuzz_coverage.py ROOT FILE.lcov [--lines]
"""

import pathlib
import sys

# What the fuzzers are for. The rest of the libraries is not listed.
PARSERS = (
    "compat/physfs/start_pack/pack_index.cpp",
    "compat/physfs/start_pack/pack_reader.cpp",
    "include/overture/text/detail/cursor.hpp",
    "include/overture/text/detail/fast_read.hpp",
    "include/overture/text/detail/read_value.hpp",
    "include/overture/text/read.hpp",
    "src/archives/",
    "src/decoders/",
    "src/io/unpack/inflate_stream.cpp",
    "src/io/unpack/unpack.cpp",
    "src/io/unpack/unpack_plan.cpp",
    "src/text/cursor.cpp",
    "src/text/index.cpp",
    "src/text/save_lines.hpp",
    "src/text/save_read.cpp",
    "src/vfs/path.cpp",
    "watch/model/read_process.cpp",
    "watch/model/symbols.cpp",
)
# No parsers: the folders of the system, what keeps unpacked blocks, and sorting.
OTHERS = (
    "src/archives/block_store.",
    "src/archives/block_table.",
    "src/archives/tree/folder.cpp",
    "src/archives/names/path_order.",
)


def read(lcov: pathlib.Path) -> dict[str, dict[int, int]]:
    """The number of times that each line ran, by source."""
    counts: dict[str, dict[int, int]] = {}
    lines: dict[int, int] = {}
    for row in lcov.read_text().splitlines():
        kind, _, rest = row.partition(":")
        if kind == "SF":
            lines = counts.setdefault(rest, {})
        elif kind == "DA":
            line, count = rest.split(",")[:2]
            lines[int(line)] = max(lines.get(int(line), 0), int(count))
    return counts


def run_by_the_compiler(source: list[str], lines: dict[int, int]) -> set[int]:
    """The lines of constexpr functions that no program runs."""
    found: set[int] = set()
    for first, count in lines.items():
        text = source[first - 1]
        words = text.lstrip().removeprefix("static ")
        if count or not words.startswith("constexpr ") or not text.endswith("{"):
            continue
        end = text[: len(text) - len(text.lstrip())] + "}"
        last = first
        while last < len(source) and source[last - 1] != end:
            last += 1
        found.update(range(first, last + 1))
    return found


def report(root: pathlib.Path, lcov: pathlib.Path, list_lines: bool) -> list[str]:
    rows: list[str] = []
    all_lines = all_missed = 0
    for file, lines in sorted(read(lcov).items()):
        name = str(pathlib.Path(file).relative_to(root))
        if name.startswith(OTHERS) or not name.startswith(PARSERS):
            continue
        source = pathlib.Path(file).read_text().splitlines()
        for line in run_by_the_compiler(source, lines):
            lines.pop(line, None)
        if not lines:
            continue
        missed = [line for line, count in sorted(lines.items()) if count == 0]
        all_lines += len(lines)
        all_missed += len(missed)
        rows.append(row(len(missed), len(lines), name))
        if list_lines:
            rows += [f"      {line:4}: {source[line - 1]}" for line in missed]
    if all_lines:
        rows.append(row(all_missed, all_lines, "all parsers"))
    return rows


def row(missed: int, lines: int, name: str) -> str:
    return f"{100 * (1 - missed / lines):5.1f} %  {missed:3} of {lines:4} lines missed  {name}"


if __name__ == "__main__":
    ROOT, LCOV = map(pathlib.Path, sys.argv[1:3])
    print("\n".join(report(ROOT, LCOV, "--lines" in sys.argv)))

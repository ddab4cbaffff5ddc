#!/usr/bin/env python3
"""Writes include/overture/base/detail/case_fold_table.hpp from Unicode's CaseFolding.txt.

  tools/make_case_fold_table.py /usr/share/unicode/CaseFolding.txt    # Debian's unicode-data

Takes the mappings of status C and S (simple folding) and joins neighbours that move by the same
distance, one by one or every other one, into runs.
"""
import pathlib
import sys

HEAD = """\
// Simple case folding of Unicode {version}, as runs. Made by tools/make_case_fold_table.py.
#pragma once

#include <cstdint>

namespace overture::detail {{

struct case_run {{
  std::uint32_t first;
  std::uint8_t count;
  std::uint8_t step;      // 1, or 2 where capitals and small letters take turns
  std::int32_t distance;  // from a capital to what it is folded to
}};

inline constexpr case_run case_runs[] = {{
    // clang-format off
"""
TAIL = """\
    // clang-format on
};

}  // namespace overture::detail
"""


def mappings(lines):
    for line in lines:
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if len(fields) >= 3 and fields[1] in ("C", "S"):
            yield int(fields[0], 16), int(fields[2], 16)


def run_length(rows, at, step):
    """How many rows from `at` on lie `step` apart and move by one distance."""
    first, target = rows[at]
    length = 1
    while at + length < len(rows) and length < 255:
        if rows[at + length] != (first + length * step, target + length * step):
            break
        length += 1
    return length


def runs(rows):
    at = 0
    while at < len(rows):
        length, step = max((run_length(rows, at, step), -step) for step in (1, 2))
        yield rows[at][0], length, -step, rows[at][1] - rows[at][0]
        at += length


def main():
    lines = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    version = lines[0].removeprefix("# CaseFolding-").removesuffix(".txt")
    text = HEAD.format(version=version)
    line = "   "
    for run in runs(sorted(mappings(lines))):
        item = " {0x%X, %d, %d, %d}," % run
        if len(line) + len(item) > 100:
            text += line + "\n"
            line = "   "
        line += item
    root = pathlib.Path(__file__).resolve().parent.parent
    table = root / "include/overture/base/detail/case_fold_table.hpp"
    table.write_text(text + line + "\n" + TAIL)


main()

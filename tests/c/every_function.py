#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""every_function.py ROOT: each function of the C headers is called by the tests in C."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
headers = "".join(path.read_text() for path in (root / "include/overture/c").glob("*.h"))
a_function = r"^OVERTURE_(?:C|SOUNDS|LOADERS)_API[^;(]*?\b(overture_\w+)\("
declared = set(re.findall(a_function, headers, re.MULTILINE))
tests = "".join(path.read_text() for path in (root / "tests/c").glob("*.c"))
called = set(re.findall(r"\b(overture_\w+)\(", tests))
missing = sorted(declared - called)
print(f"{len(declared)} functions, {len(missing)} of them not called", *missing, sep="\n")
sys.exit(1 if missing or len(declared) < 50 else 0)

#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""guides.py INCLUDE DOC: each guide that the headers name is installed."""

import pathlib
import re
import sys

include, doc = map(pathlib.Path, sys.argv[1:])
headers = [path.read_text() for path in include.rglob("*.h*")]
named = {name for text in headers for name in re.findall(r"\bdocs/(\w+/\w+\.md)", text)}
missing = sorted(name for name in named if not (doc / name).exists())
print(f"{len(named)} guides, {len(missing)} of them not installed", *missing, sep="\n")
sys.exit(1 if missing or not named else 0)

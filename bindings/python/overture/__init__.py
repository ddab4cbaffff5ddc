# SPDX-License-Identifier: Zlib
"""Overture: the folders and archives of a game as one tree.

    import overture
    with overture.Tree("base.pk3", "mods/better_ai.zip") as tree:
        print([item.path for item in tree.walk()], tree.read_text("maps/rome.txt"))
    print(overture.check("base.pk3", "mods/better_ai.zip").findings)
    print(overture.diff("base.pk3", "patched.pk3"))

What goes wrong is an Error with the library's text. docs/guide/python.md says more.
"""

from overture._library import (
    Busy,
    Damaged,
    Error,
    Invalid,
    NotFound,
    PasswordNeeded,
    Refused,
    lib as _lib,
)
from overture._saves import read_save, write_save
from overture._tools import Check, Difference, Finding, check, diff
from overture._tree import Decoded, File, Item, Mount, Problem, Stat, Tree

__all__ = [
    "Busy",
    "Check",
    "Damaged",
    "Decoded",
    "Difference",
    "Error",
    "File",
    "Finding",
    "Invalid",
    "Item",
    "Mount",
    "NotFound",
    "PasswordNeeded",
    "Problem",
    "Refused",
    "Stat",
    "Tree",
    "__version__",
    "check",
    "diff",
    "read_save",
    "write_save",
]


def _version() -> str:
    number = int(_lib.overture_version())
    return f"{number // 1_000_000}.{number // 1_000 % 1_000}.{number % 1_000}"


__version__ = _version()

# SPDX-License-Identifier: Zlib
"""Checks archives and folders, and compares trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Union

from overture._ffi import ffi
from overture._library import (
    Error,
    StrPath,
    Visitor,
    chars_of,
    error_of,
    lib,
    new,
    path_chars,
    text_of,
)
from overture._tree import Tree


@dataclass(frozen=True)
class Finding:
    """A file that is damaged or cannot be read. `mount` is the path that was checked."""

    mount: str
    path: str
    code: str
    text: str

    def __str__(self) -> str:
        place = f"{self.mount}: {self.path}" if self.path else self.mount
        return f"{place}: {self.text}"


@dataclass(frozen=True)
class Check:
    """What check() has found. True if everything is intact."""

    files: int
    bytes: int
    findings: tuple[Finding, ...]

    def __bool__(self) -> bool:
        return not self.findings


def check(*mounts: StrPath, password: Optional[str] = None, threads: int = 0) -> Check:
    """Reads every file of each folder or archive, those that another one hides too, and verifies
    its checksum, on all processors."""
    kept = [ffi.new("char[]", path_chars(path)) for path in mounts]
    paths = ffi.new("const char*[]", kept)
    options = new("overture_check_options")
    options.threads = threads
    if password is not None:
        kept.append(ffi.new("char[]", chars_of(password)))
        options.password = kept[-1]
    findings: list[Finding] = []

    def add(_context: Any, mount: int, path: Any, why: Any) -> None:
        error = error_of(why)
        findings.append(Finding(str(mounts[mount]), text_of(path), error.code, str(error)))

    summary = new("overture_check_summary")
    visitor = Visitor("overture_check_problem", add)
    visitor.call(
        lib.overture_check, paths, len(mounts), options, visitor.callback, ffi.NULL, summary
    )
    if summary.problems != len(findings):
        raise Error(f"only {len(findings)} of {summary.problems} problems were told", "threw")
    return Check(summary.files, summary.bytes, tuple(findings))


@dataclass(frozen=True)
class Difference:
    """A file that differs. `kind` is "left" or "right" if only that tree has it, "changed", or
    "unreadable" (then `text` says why); with same=True also "same"."""

    kind: str
    path: str
    text: str = ""


_DIFFERENCES = ("", "left", "right", "changed", "same", "unreadable")
Comparable = Union[Tree, StrPath]


def diff(left: Comparable, right: Comparable, *, same: bool = False) -> list[Difference]:
    """Compares two trees, folders or archives, file by file. Reads only where sizes and checksums
    do not decide."""
    if not isinstance(left, Tree):
        with Tree(left) as tree:
            return diff(tree, right, same=same)
    if not isinstance(right, Tree):
        with Tree(right) as tree:
            return diff(left, tree, same=same)
    found: list[Difference] = []

    def add(_context: Any, path: Any, kind: int, why: Any) -> bool:
        name = _DIFFERENCES[kind]
        if same or name != "same":
            text = "" if why == ffi.NULL else str(error_of(why))
            found.append(Difference(name, text_of(path), text))
        return True

    visitor = Visitor("overture_difference", add)
    visitor.call(
        lib.overture_diff,
        left._open_handle(),
        right._open_handle(),
        visitor.callback,
        ffi.NULL,
    )
    return found

# SPDX-License-Identifier: Zlib
"""The shared library beside this file, and its errors as exceptions."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Callable, Union

from overture._ffi import ffi

StrPath = Union[str, "os.PathLike[str]"]


def _path_of_library() -> str:
    here = pathlib.Path(__file__).parent
    for name in ("liboverture_c.so", "liboverture_c.dylib", "overture_c.dll", "liboverture_c.dll"):
        if (here / name).exists():
            return str(here / name)
    raise ImportError(f"the shared library is missing from {here}: install the package again")


lib: Any = ffi.dlopen(_path_of_library())


class Error(Exception):
    """What the library could not do; the text is its own.

    `code` is the name of the error, such as "corrupt"; `os_error` is errno, or 0.
    """

    def __init__(self, text: str, code: str = "invalid", os_error: int = 0) -> None:
        super().__init__(text)
        self.code = code
        self.os_error = os_error


class NotFound(Error, FileNotFoundError):
    """No such file, folder or mount."""


class Refused(Error, PermissionError):
    """The system refuses, or a mount is not writable."""


class Invalid(Error, ValueError):
    """An argument is wrong, or a path that cannot be one."""


class Damaged(Error):
    """The data is inconsistent, cut off, or does not match its checksum."""


class PasswordNeeded(Error):
    """The file is encrypted, and its password is missing or wrong."""


class Busy(Error):
    """Something is still in use: close it first."""


_CLASSES: dict[str, type[Error]] = {
    "not_found": NotFound,
    "permission": Refused,
    "invalid": Invalid,
    "bad_path": Invalid,
    "corrupt": Damaged,
    "truncated": Damaged,
    "password": PasswordNeeded,
    "busy": Busy,
}


def text_of(chars: Any) -> str:
    """A text of the library."""
    raw: bytes = ffi.string(chars)
    return raw.decode("utf-8", "surrogateescape")


def chars_of(text: str) -> bytes:
    """A text for the library."""
    raw = text.encode("utf-8", "surrogateescape")
    if b"\0" in raw:
        raise Invalid("a NUL in the text")
    return raw


def path_chars(path: StrPath) -> bytes:
    """A path of the system for the library."""
    return chars_of(os.fspath(path))


def new(kind: str) -> Any:
    """A structure whose size is set."""
    made = ffi.new(f"{kind}*")
    made.size = ffi.sizeof(kind)
    return made


def error_of(failed: Any) -> Error:
    """The exception for an overture_error."""
    code = text_of(lib.overture_code_name(failed.code))
    text = text_of(failed.text) or code
    return _CLASSES.get(code, Error)(text, code, failed.os_error)


def call(function: Any, *arguments: Any) -> None:
    """Calls a function whose last parameter is the error, and raises what goes wrong."""
    failed = new("overture_error")
    if function(*arguments, failed):
        raise error_of(failed)


class Visitor:
    """A Python function as the library calls it.

    The library knows no exceptions: what the function raises, Ctrl-C too, is kept, ends the visit
    and is raised by call().
    """

    def __init__(self, kind: str, each: Callable[..., Any]) -> None:
        raised: list[tuple[Any, Any, Any]] = []
        self._raised = raised
        # A call that raises returns 0 to the library: a visitor's false.
        self.callback = ffi.callback(kind, each, onerror=lambda *why: raised.append(why))

    def call(self, function: Any, *arguments: Any) -> None:
        """As call(), with a function that calls the visitor."""
        try:
            call(function, *arguments)
        finally:
            if self._raised:
                _, first, place = self._raised.pop(0)
                raise first.with_traceback(place)

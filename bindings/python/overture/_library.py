# SPDX-License-Identifier: Zlib
"""The shared library beside this file, and its errors as exceptions."""

from __future__ import annotations

import errno
import functools
import os
import pathlib
from typing import Any, Callable, Optional, Union

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

    `code` is the name of the error, such as "corrupt"; `os_error` is errno, or 0; `filename` is
    the path that was given, if one was.
    """

    _errno = 0  # of Python's own class, if the system has said none

    def __init__(
        self, text: str, code: str = "invalid", os_error: int = 0, filename: Optional[str] = None
    ) -> None:
        super().__init__(text)
        self.code = code
        self.os_error = os_error
        self.filename = filename
        if isinstance(self, OSError):
            system: OSError = self
            system.errno = os_error or self._errno
            system.strerror = text

    def __str__(self) -> str:
        return str(self.args[0])  # OSError would make a text of its own

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.code, self.os_error, self.filename)


class NotFound(Error, FileNotFoundError):
    """No such file, folder or mount."""

    _errno = errno.ENOENT


class Refused(Error, PermissionError):
    """The system refuses, or a mount is not writable."""

    _errno = errno.EACCES


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
    if not isinstance(text, str):
        raise TypeError(f"a text is str, not {type(text).__name__}")
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Invalid("half of a surrogate pair in the text", filename=text) from None
    if b"\0" in raw:
        raise Invalid("a NUL in the text", filename=text)
    return raw


def text_of_path(path: StrPath) -> str:
    """A path as str."""
    text: object = path if isinstance(path, (str, bytes)) else os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"a path is str or os.PathLike[str], not {type(text).__name__}")
    return text


def text_of_tree_path(path: StrPath) -> str:
    """A path in a tree as str: with slashes, and "" for the root."""
    if not isinstance(path, pathlib.PurePath):
        return text_of_path(path)
    text = path.as_posix()
    return "" if text == "." else text


def path_chars(path: StrPath) -> bytes:
    """A path of the system for the library."""
    return chars_of(text_of_path(path))


def tree_chars(path: StrPath) -> bytes:
    """A path in a tree for the library."""
    return chars_of(text_of_tree_path(path))


def new(kind: str) -> Any:
    """A structure whose size is set."""
    made = ffi.new(f"{kind}*")
    made.size = ffi.sizeof(kind)
    return made


def error_of(failed: Any, path: Optional[StrPath] = None) -> Error:
    """The exception for an overture_error of a call with this path."""
    code = text_of(lib.overture_code_name(failed.code))
    text = text_of(failed.text) or code
    filename = None if path is None else text_of_path(path)
    return _CLASSES.get(code, Error)(text, code, failed.os_error, filename)


def call(function: Any, *arguments: Any, path: Optional[StrPath] = None) -> None:
    """Calls a function whose last parameter is the error, and raises what goes wrong, with the
    path that it is about."""
    failed = new("overture_error")
    if function(*arguments, failed):
        raise error_of(failed, path)


def _need_calls(depth: int) -> None:
    """RecursionError if there is no room for so many calls in each other."""
    if depth > 0:
        _need_calls(depth - 1)


class Visitor:
    """A Python function as the library calls it.

    The library knows no exceptions: what the function raises, Ctrl-C too, is kept, ends the visit
    and is raised by call().
    """

    def __init__(self, kind: str, each: Callable[..., Any]) -> None:
        # Keeps type, exception and traceback as its arguments. This is a function in C, so that a
        # second Ctrl-C cannot come in it. The library gets 0: a visitor's false.
        self._raised = BaseException()
        keep = functools.partial(BaseException.__init__, self._raised)
        self.callback = ffi.callback(kind, each, onerror=keep)

    def call(self, function: Any, *arguments: Any, path: Optional[StrPath] = None) -> None:
        """As call(), with a function that calls the visitor."""
        _need_calls(10)  # below the limit, what keeps the exception could not be called
        try:
            call(function, *arguments, path=path)
        finally:
            if self._raised.args:
                _, raised, place = self._raised.args
                self._raised.args = ()
                raise raised.with_traceback(place)

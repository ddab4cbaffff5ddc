# SPDX-License-Identifier: Zlib
"""Owners of what the library has made."""

from __future__ import annotations

from typing import Any, Callable, NoReturn, SupportsIndex

from overture._ffi import ffi
from overture._library import Busy, error_of, lib, new


class NotCopied:
    """Two objects with one handle would free it twice."""

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(f"cannot copy or pickle a {type(self).__name__}")


class Handle(NotCopied):
    """Frees once what the library has made.

    The library writes it to `place`. That is owned before the call, so that Ctrl-C just after the
    call leaks nothing.
    """

    def __init__(self, kind: str, free: Callable[[Any, Any], Any]) -> None:
        self.place: Any = ffi.new(f"{kind}**")
        self._free = free

    def free(self) -> None:
        """Again does nothing."""
        handle = self.place[0]
        if handle == ffi.NULL:
            return
        failed = new("overture_error")
        failed.code = 1  # until the library says otherwise
        try:
            # Before the call: of what Ctrl-C in between may do, a leak is better than a free twice.
            self.place[0] = ffi.NULL
            self._free(handle, failed)
        finally:
            if failed.code != 0:
                self.place[0] = handle
        if failed.code != 0:
            raise error_of(failed)

    def __del__(self) -> None:
        if hasattr(self, "_free"):
            self.free()


class TreeHandle(Handle):
    """A tree, which its files keep too: it ends when the last of them has."""

    def __init__(self) -> None:
        self.kept: dict[int, Any] = {}  # archives in memory, by the id of the view
        self.abandoned = False
        super().__init__("overture_files", lib.overture_files_free)

    def free(self) -> None:
        """Busy while a file is open."""
        super().free()
        self.kept.clear()

    def __del__(self) -> None:
        # Python ends the members of a cycle in any order, the tree before its files too.
        try:
            super().__del__()
        except Busy:
            self.abandoned = True

    def file_has_ended(self) -> None:
        """Frees the tree if only its files keep it."""
        if self.abandoned:
            self.__del__()


class FileHandle(Handle):
    """A file of a tree."""

    def __init__(self, tree: TreeHandle) -> None:
        self._tree = tree
        super().__init__("overture_file", lib.overture_file_free)

    def free(self) -> None:
        super().free()
        self._tree.file_has_ended()


def memory_handle(kind: str, free: Callable[[Any], None]) -> Handle:
    """Of memory, which can always be freed."""

    def free_memory(handle: Any, failed: Any) -> None:
        failed.code = 0
        free(handle)

    return Handle(kind, free_memory)


def view_of(owner: Handle, data: Any, size: int) -> memoryview:
    """A view of the library's memory, not a copy. The owner is freed when the last view is gone."""
    if size == 0:
        owner.free()
        return memoryview(b"")
    viewed = ffi.gc(ffi.cast("char*", data), lambda _: owner.free())
    return memoryview(ffi.buffer(viewed, size)).cast("B")


def new_bytes() -> Handle:
    """For bytes that the library reads."""
    return memory_handle("overture_bytes", lib.overture_bytes_free)


def view_of_bytes(owner: Handle) -> memoryview:
    """A view of the bytes."""
    handle = owner.place[0]
    return view_of(owner, lib.overture_bytes_data(handle), lib.overture_bytes_size(handle))

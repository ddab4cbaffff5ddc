# SPDX-License-Identifier: Zlib
"""Bytes in a file that is either whole or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from overture._ffi import ffi
from overture._handles import new_bytes, view_of_bytes
from overture._library import StrPath, call, lib, path_chars

if TYPE_CHECKING:
    from typing_extensions import Buffer
else:
    Buffer = Any


def write_save(path: StrPath, data: Buffer) -> None:
    """Writes a save and replaces an old one in one step. Returns when it is on the disk."""
    view = ffi.from_buffer(data)
    call(lib.overture_save_write, path_chars(path), view, len(view), path=path)


def read_save(path: StrPath) -> memoryview:
    """Reads and verifies a save. Damaged if it is not whole."""
    made = new_bytes()
    call(lib.overture_save_read, path_chars(path), made.place, path=path)
    return view_of_bytes(made)

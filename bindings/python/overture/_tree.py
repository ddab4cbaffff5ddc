# SPDX-License-Identifier: Zlib
"""Folders and archives as one tree."""

from __future__ import annotations

import io
import itertools
import threading
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Optional

from overture._ffi import ffi
from overture._handles import (
    FileHandle,
    NotCopied,
    TreeHandle,
    memory_handle,
    new_bytes,
    view_of,
    view_of_bytes,
)
from overture._library import (
    Busy,
    Invalid,
    NotFound,
    StrPath,
    Visitor,
    call,
    chars_of,
    lib,
    new,
    path_chars,
    text_of,
    text_of_tree_path,
    tree_chars,
)

if TYPE_CHECKING:
    from typing_extensions import Buffer
else:
    Buffer = Any

_NO_MOUNT = 0xFFFFFFFF


@dataclass(frozen=True)
class Mount:
    """A folder or archive in a tree."""

    number: int
    path: str
    format: str
    entries: int


@dataclass(frozen=True)
class Item:
    """A file or folder of a tree."""

    name: str
    path: str
    is_folder: bool
    mount: int


# Tree has a function of the name list.
_Items = list[Item]
_Numbers = list[int]


@dataclass(frozen=True)
class Stat:
    """What is known of a file or folder. `mtime` is in seconds since 1970, 0 if not known."""

    bytes: int
    mtime: float
    is_folder: bool
    is_executable: bool
    mount: int


@dataclass(frozen=True)
class Problem:
    """Something that a mount has and the tree has not. `code` is "ok" for a name that cannot be in
    a tree."""

    mount: int
    name: str
    reason: str
    code: str


@dataclass(frozen=True)
class Decoded:
    """A decoded file. `data` is the library's memory, laid out as the kind says: images as RGBA,
    sounds as 16-bit samples, text as UTF-8."""

    kind: str
    data: memoryview
    width: int
    height: int
    levels: int
    layers: int
    format: str
    sample_rate: int
    channels: int
    frames: int
    vertices: int
    triangles: int
    lines: int
    warning: Optional[str]


_KINDS = ("none", "image", "text", "sound", "texture", "model", "binary")


class File(NotCopied, io.RawIOBase):
    """A file of a tree, open for reading: what open() gives for any other file, unbuffered.

    Reads go straight into the caller's memory. Seeking back in a large compressed file unpacks
    from an earlier point. One thread at a time.
    """

    _handle: Optional[FileHandle] = None  # for close(), if not even that was made

    def __init__(self, tree: Tree, path: StrPath) -> None:
        super().__init__()
        self.name = text_of_tree_path(path)
        self._handle = FileHandle(tree._handle)
        tree._call(lib.overture_file_open, path, self._handle.place)

    def _open_handle(self) -> Any:
        if self._handle is None or self._handle.place[0] == ffi.NULL:
            raise ValueError("the file is closed")
        return self._handle.place[0]

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def size(self) -> int:
        """In bytes, unpacked."""
        return int(lib.overture_file_size(self._open_handle()))

    def readinto(self, to: Buffer) -> int:
        """Reads up to as many bytes as there is room for; 0 at the end of the file."""
        room = ffi.from_buffer(to, require_writable=True)
        got = ffi.new("size_t*")
        call(lib.overture_file_read, self._open_handle(), room, len(room), got)
        return int(got[0])

    def tell(self) -> int:
        """The position of the next read."""
        return int(lib.overture_file_position(self._open_handle()))

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Moves to a position, which must not be beyond the end."""
        starts = {io.SEEK_SET: 0, io.SEEK_CUR: self.tell(), io.SEEK_END: self.size()}
        if whence not in starts:
            raise Invalid("an unknown `whence`")
        position = starts[whence] + offset
        if position < 0:
            raise Invalid("a negative position")
        call(lib.overture_file_seek, self._open_handle(), position)
        return position

    def close(self) -> None:
        """Closes the file. Again does nothing."""
        if self._handle is not None:
            self._handle.free()
        super().close()


class Tree(NotCopied):
    """Mounts of which later ones win, as mods expect.

        with overture.Tree("base.pk3", "mods/better_ai/") as tree:
            text = tree.read_text("maps/rome.txt")

    Any thread may call anything at any time, except close(). Calls let other Python threads run.
    A path in the tree is a str or a pathlib.PurePath.
    """

    def __init__(
        self,
        *mounts: StrPath,
        ignore_case: bool = False,
        first_wins: bool = False,
        password: Optional[str] = None,
    ) -> None:
        self._handle = TreeHandle()
        # Texts of a mount go with it: one thread mounts or lists mounts at a time. A signal's
        # handler may do so in between.
        self._mounting = threading.RLock()
        config = new("overture_files_config")
        config.ignore_case = ignore_case
        config.first_wins = first_wins
        call(lib.overture_files_make, config, self._handle.place)
        try:
            for path in mounts:
                self.mount(path, password=password)
        except BaseException:
            self.close()
            raise

    def _open_handle(self) -> Any:
        if self._handle.place[0] == ffi.NULL:
            raise ValueError("the tree is closed")
        return self._handle.place[0]

    def _call(self, function: Any, path: StrPath, *arguments: Any) -> None:
        call(function, self._open_handle(), tree_chars(path), *arguments, path=path)

    def close(self) -> None:
        """Ends the tree. What was read from it stays. Busy while a file of it is open; again does
        nothing."""
        self._handle.free()

    def __enter__(self) -> Tree:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        try:
            self.close()
        except Busy:
            if value is None:
                raise
            # What went wrong first says more. The last file will close the tree.
            self._handle.abandoned = True

    # --- Mounting ---------------------------------------------------------------------------------

    def _mount_options(
        self,
        at: StrPath,
        below: StrPath,
        password: Optional[str],
        writable: bool = False,
        removal_markers: bool = False,
        allow_bombs: bool = False,
    ) -> tuple[Any, list[Any]]:
        """The options, and what must stay during the call."""
        options = new("overture_mount_options")
        kept = [ffi.new("char[]", tree_chars(at)), ffi.new("char[]", tree_chars(below))]
        options.at = kept[0]
        setattr(options, "from", kept[1])  # a word of Python
        if password is not None:
            kept.append(ffi.new("char[]", chars_of(password)))
            options.password = kept[-1]
        options.writable = writable
        options.removal_markers = removal_markers
        options.allow_bombs = allow_bombs
        return options, kept

    def mount(
        self,
        path: StrPath,
        *,
        at: StrPath = "",
        below: StrPath = "",
        password: Optional[str] = None,
        writable: bool = False,
        removal_markers: bool = False,
        allow_bombs: bool = False,
    ) -> int:
        """Mounts a folder or an archive, and returns the number of the mount.

        `at` is the folder of the tree to mount it into; `below` a folder in it, of which alone the
        content is mounted. `writable` folders can be written to with write(). With
        `removal_markers`, a file .wh.NAME removes NAME from earlier mounts. `allow_bombs` reads
        files that unpack out of all proportion, too.
        """
        number = ffi.new("overture_mount*", _NO_MOUNT)
        options, _kept = self._mount_options(
            at, below, password, writable, removal_markers, allow_bombs
        )
        with self._mounting:
            call(
                lib.overture_files_mount,
                self._open_handle(),
                path_chars(path),
                options,
                number,
                path=path,
            )
        return int(number[0])

    def mount_bytes(
        self,
        name: str,
        data: Buffer,
        *,
        at: StrPath = "",
        below: StrPath = "",
        password: Optional[str] = None,
    ) -> int:
        """Mounts an archive in memory, without a copy. `data` is kept until the tree is closed, and
        must not change."""
        view = ffi.from_buffer(data)
        number = ffi.new("overture_mount*", _NO_MOUNT)
        options, _kept = self._mount_options(at, below, password)
        # Before the call: Ctrl-C may come when the archive is mounted already.
        kept = self._handle.kept
        kept[id(view)] = view
        try:
            with self._mounting:
                call(
                    lib.overture_files_mount_memory,
                    self._open_handle(),
                    chars_of(name),
                    view,
                    len(view),
                    options,
                    number,
                    path=name,
                )
        except Exception:
            if number[0] == _NO_MOUNT:
                del kept[id(view)]
            raise
        return int(number[0])

    def unmount(self, mount: int) -> None:
        """Takes a mount away. Files that are open stay open."""
        with self._mounting:
            call(lib.overture_files_unmount, self._open_handle(), mount)

    def mounts(self) -> list[Mount]:
        """All mounts, in their order."""
        found: list[Mount] = []

        def add(info: Any) -> None:
            found.append(Mount(info.id, text_of(info.path), text_of(info.format), info.entries))

        self._each("overture_mount_info", lib.overture_files_mount_at, add)
        return found

    def problems(self) -> list[Problem]:
        """What the mounts have and the tree has not."""
        found: list[Problem] = []

        def add(problem: Any) -> None:
            code = text_of(lib.overture_code_name(problem.code))
            found.append(Problem(problem.id, text_of(problem.name), text_of(problem.reason), code))

        self._each("overture_problem", lib.overture_files_problem, add)
        return found

    def _each(self, kind: str, get: Any, add: Callable[[Any], None]) -> None:
        """Adds each of the tree's mounts or problems, up to the first index that has none."""
        with self._mounting:
            for index in itertools.count():
                info = new(kind)
                try:
                    call(get, self._open_handle(), index, info)
                except NotFound:
                    return
                add(info)

    # --- Looking up -------------------------------------------------------------------------------

    def _visit(self, function: Any, folder: StrPath) -> list[Item]:
        items: list[Item] = []

        def add(_context: Any, item: Any) -> bool:
            items.append(Item(text_of(item.name), text_of(item.path), item.is_folder, item.mount))
            return True

        visitor = Visitor("overture_visit", add)
        visitor.call(
            function,
            self._open_handle(),
            tree_chars(folder),
            visitor.callback,
            ffi.NULL,
            path=folder,
        )
        return items

    def list(self, folder: StrPath = "") -> _Items:
        """The files and folders directly in a folder, in byte order."""
        return self._visit(lib.overture_files_list, folder)

    def walk(self, folder: StrPath = "") -> _Items:
        """All files below a folder, at any depth; no folders."""
        return self._visit(lib.overture_files_walk, folder)

    def stat(self, path: StrPath) -> Stat:
        """What is known of a file or folder."""
        stat = new("overture_stat")
        self._call(lib.overture_files_stat, path, stat)
        return Stat(
            stat.bytes, stat.mtime_ns / 1e9, stat.is_folder, stat.is_executable, stat.mount
        )

    def __contains__(self, path: StrPath) -> bool:
        handle = self._open_handle()
        try:
            chars = tree_chars(path)
        except Invalid:
            return False
        return bool(lib.overture_files_exists(handle, chars))

    def providers(self, path: StrPath) -> _Numbers:
        """The numbers of the mounts that have this path, the winner first."""
        count = ffi.new("size_t*")
        room = 16
        while True:
            mounts = ffi.new("overture_mount[]", room)
            self._call(lib.overture_files_providers, path, mounts, room, count)
            if count[0] <= room:
                return [int(mounts[i]) for i in range(count[0])]
            room = int(count[0])

    # --- Reading and writing ----------------------------------------------------------------------

    def read(self, path: StrPath) -> memoryview:
        """The whole file, unpacked and verified: a view of the library's memory, which stays as
        long as the view. bytes(...) makes a copy."""
        made = new_bytes()
        self._call(lib.overture_files_read, path, made.place)
        return view_of_bytes(made)

    def read_text(self, path: StrPath, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The whole file as text."""
        return str(self.read(path), encoding, errors)

    def open(self, path: StrPath) -> File:
        """The file, open for reading at any place. Wrap it in io.BufferedReader for small reads."""
        return File(self, path)

    def decode(self, path: StrPath) -> Decoded:
        """What the library makes of the file: pixels, samples, text, a model."""
        made = memory_handle("overture_decoded", lib.overture_decoded_free)
        self._call(lib.overture_decode_file, path, made.place)
        decoded = made.place[0]
        info = new("overture_decoded_info")
        call(lib.overture_decoded_get_info, decoded, info)
        return Decoded(
            kind=_KINDS[info.kind],
            width=info.width,
            height=info.height,
            levels=info.levels,
            layers=info.layers,
            format=text_of(info.format),
            sample_rate=info.sample_rate,
            channels=info.channels,
            frames=info.frames,
            vertices=info.vertices,
            triangles=info.triangles,
            lines=info.lines,
            warning=None if info.warning == ffi.NULL else text_of(info.warning),
            # Last: without data it frees what has the texts.
            data=view_of(
                made, lib.overture_decoded_data(decoded), lib.overture_decoded_size(decoded)
            ),
        )

    def write(self, mount: int, path: StrPath, data: Buffer) -> None:
        """Writes a whole file of a writable mount and replaces an old one in one step."""
        view = ffi.from_buffer(data)
        self._change(lib.overture_files_write, mount, path, view, len(view))

    def make_folder(self, mount: int, path: StrPath) -> None:
        """Makes a folder of a writable mount, and those above it."""
        self._change(lib.overture_files_make_folder, mount, path)

    def remove(self, mount: int, path: StrPath) -> None:
        """Removes a file or an empty folder of a writable mount."""
        self._change(lib.overture_files_remove, mount, path)

    def _change(self, function: Any, mount: int, path: StrPath, *arguments: Any) -> None:
        handle = self._open_handle()
        call(function, handle, mount, tree_chars(path), *arguments, path=path)

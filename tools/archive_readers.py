#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Prints, as a Markdown table, which readers of ZIP archives read what archivers write.

usage: archive_readers.py OVERTURE

Needs unzip, 7zz and bsdtar (Debian: unzip, 7zip, libarchive-tools), Python 3.11, and 10 GB for
temporary files. docs/formats/archives.md has the result.
"""

import dataclasses
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable

FILE, PIPE, UNKNOWN = 0o100644, 0o010644, 0o160644
DOS, UNIX = 0, 3
DOS_FOLDER = 0x10
LOW = 0xFFFFFFFF
BLOCK = 1 << 20


# --- Archives -------------------------------------------------------------------------------------
@dataclasses.dataclass
class Entry:
    name: bytes
    data: bytes = b""
    zeros: int = 0  # instead of data
    local: bytes | None = None  # the name in the local header, if it is another
    extra: bytes = b""
    made_on: int = UNIX
    mode: int = FILE
    dos_attributes: int = 0


def checksum_of_zeros(count: int) -> int:
    crc = 0
    while count > 0:
        crc = zlib.crc32(bytes(min(count, BLOCK)), crc)
        count -= BLOCK
    return crc


def write_zip(
    path: pathlib.Path, entries: list[Entry], comment=b"", comment_bytes=None, count=None
) -> None:
    """Stores the entries, with offsets modulo 4 GiB. The last two are what the end record says."""
    directory = b""
    with open(path, "wb") as out:
        for entry in entries:
            begin = out.tell()
            size = entry.zeros or len(entry.data)
            crc = checksum_of_zeros(entry.zeros) if entry.zeros else zlib.crc32(entry.data)
            common = struct.pack("<HHHHIII", 0, 0, 0, 0x5A21, crc, size, size)
            local = entry.name if entry.local is None else entry.local
            lengths = struct.pack("<HH", len(local), len(entry.extra))
            out.write(struct.pack("<IH", 0x04034B50, 20) + common + lengths + local + entry.extra)
            out.write(entry.data)
            out.seek(entry.zeros, os.SEEK_CUR)
            directory += struct.pack("<IHH", 0x02014B50, entry.made_on << 8 | 20, 20) + common
            directory += struct.pack("<HHHHH", len(entry.name), len(entry.extra), 0, 0, 0)
            attributes = entry.mode << 16 if entry.made_on == UNIX else entry.dos_attributes
            directory += struct.pack("<II", attributes, begin & LOW) + entry.name + entry.extra
        begin = out.tell()
        count = len(entries) if count is None else count
        comment_bytes = len(comment) if comment_bytes is None else comment_bytes
        out.write(directory + struct.pack("<IHHHH", 0x06054B50, 0, 0, count, count))
        out.write(struct.pack("<IIH", len(directory), begin & LOW, comment_bytes) + comment)


def unicode_path(name: bytes, text: str) -> bytes:
    """Info-ZIP's field with a name in UTF-8."""
    data = struct.pack("<BI", 1, zlib.crc32(name)) + text.encode()
    return struct.pack("<HH", 0x7075, len(data)) + data


# --- Cases ----------------------------------------------------------------------------------------
@dataclasses.dataclass
class Case:
    title: str
    entries: list[Entry]
    paths: list[str]  # of the files that are right, in the order of the entries with data
    end: dict = dataclasses.field(default_factory=dict)
    japanese: bool = False
    method: str = ""  # 7-Zip packs them, by this method


TEXT = b"".join(b"line %d\n" % i for i in range(9999))
TWO = [Entry(b"a.txt", b"one"), Entry(b"b/c.txt", b"two")]
TWO_PATHS = ["a.txt", "b/c.txt"]
LARGE = 2200 * BLOCK
FAKE_END = b"PK\5\6" + bytes(4) + b"\1\0\1\0" + struct.pack("<IIH", 60, 70, 0)

CASES = [
    Case(
        "names begin with `./`",
        [Entry(b"./"), Entry(b"./a.txt", b"one"), Entry(b"./b/c.txt", b"two")],
        TWO_PATHS,
    ),
    Case(
        "names begin with `/`",
        [Entry(b"/a.txt", b"one"), Entry(b"/b/c.txt", b"two")],
        TWO_PATHS,
    ),
    Case(
        "`//` and `/./` in names",
        [Entry(b"a//b.txt", b"one"), Entry(b"b/./c.txt", b"two")],
        ["a/b.txt", "b/c.txt"],
    ),
    Case(
        "`\\` between folders, made on Windows",
        [Entry(b"a.txt", b"one", made_on=DOS), Entry(b"b\\c.txt", b"two", made_on=DOS)],
        TWO_PATHS,
    ),
    Case(
        "names in Info-ZIP's Unicode field",
        [
            Entry(b"?.txt", b"one", extra=unicode_path(b"?.txt", "七.txt")),
            Entry(b"b.txt", b"two"),
        ],
        ["七.txt", "b.txt"],
    ),
    Case(
        "two names that differ only in that field",
        [
            Entry(b"?.txt", b"one", extra=unicode_path(b"?.txt", "七.txt")),
            Entry(b"?.txt", b"two", extra=unicode_path(b"?.txt", "八.txt")),
        ],
        ["七.txt", "八.txt"],
    ),
    Case(
        "names in CP437, made on DOS",
        [Entry(b"gr\x81n.txt", b"one", made_on=DOS), Entry(b"b/c.txt", b"two", made_on=DOS)],
        ["grün.txt", "b/c.txt"],
    ),
    Case(
        "names in Shift-JIS, with the reader's option for it",
        [
            Entry("日本.txt".encode("cp932"), b"one", made_on=DOS),
            Entry("表.txt".encode("cp932"), b"two", made_on=DOS),  # with the byte of a backslash
        ],
        ["日本.txt", "表.txt"],
        japanese=True,
    ),
    Case(
        "shorter names in local headers, or none",
        [Entry(b"b/a.txt", b"one", local=b"a.txt"), Entry(b"b/c.txt", b"two", local=b"")],
        ["b/a.txt", "b/c.txt"],
    ),
    Case(
        "more than 4 GiB without Zip64 (Finder of macOS)",
        [
            Entry(b"large1.bin", zeros=LARGE),
            Entry(b"large2.bin", zeros=LARGE),
            Entry(b"a.txt", b"one"),
        ],
        ["large1.bin", "large2.bin", "a.txt"],
    ),
    Case(
        "an entry from a pipe (`zip z.zip -`)",
        [Entry(b"-", b"one", mode=PIPE), Entry(b"b/c.txt", b"two")],
        ["-", "b/c.txt"],
    ),
    Case(
        "an entry of unknown type",
        [Entry(b"a.txt", b"one", mode=UNKNOWN), Entry(b"b/c.txt", b"two")],
        TWO_PATHS,
    ),
    Case(
        "a folder by its DOS attribute alone",
        [
            Entry(b"b", made_on=DOS, dos_attributes=DOS_FOLDER),
            Entry(b"a.txt", b"one", made_on=DOS),
            Entry(b"b/c.txt", b"two", made_on=DOS),
        ],
        TWO_PATHS,
    ),
    Case(
        "a file that is a folder too: the folder's files",
        [Entry(b"b", b""), *TWO],
        TWO_PATHS,
    ),
    Case("comment shorter than stated", TWO, TWO_PATHS, {"comment": b"hi", "comment_bytes": 9}),
    Case("comment longer than stated", TWO, TWO_PATHS, {"comment": b"hi", "comment_bytes": 1}),
    Case("one entry less stated", TWO, TWO_PATHS, {"count": 1}),
    Case("one entry more stated", TWO, TWO_PATHS, {"count": 3}),
    Case("an end record in the comment", TWO, TWO_PATHS, {"comment": FAKE_END}),
    *[
        Case(f"packed by {method}", [Entry(b"a.txt", TEXT)], ["a.txt"], method=method)
        for method in ("Deflate64", "BZip2", "LZMA", "PPMd", "xz")
    ],
]


# --- Readers --------------------------------------------------------------------------------------
def run(words: list) -> None:
    # Without a terminal, so that none of them asks.
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    nothing = subprocess.DEVNULL
    streams = {"stdin": nothing, "stdout": nothing, "stderr": nothing}
    subprocess.run(list(map(str, words)), env=environment, check=False, **streams)


def with_unzip(archive: pathlib.Path, out: pathlib.Path, _japanese: bool) -> None:
    run(["unzip", "-o", archive, "-d", out])  # Debian's has no -O


def with_7zz(archive: pathlib.Path, out: pathlib.Path, japanese: bool) -> None:
    run(["7zz", "x", "-y", *(["-mcp=932"] if japanese else []), f"-o{out}", archive])


def with_bsdtar(archive: pathlib.Path, out: pathlib.Path, japanese: bool) -> None:
    options = ["--options", "zip:hdrcharset=CP932"] if japanese else []
    run(["bsdtar", "-x", "-C", out, *options, "-f", archive])


def with_python(archive: pathlib.Path, out: pathlib.Path, japanese: bool) -> None:
    try:
        opened = zipfile.ZipFile(archive, metadata_encoding="cp932" if japanese else None)
    except Exception:
        return
    with opened:
        for entry in opened.infolist():
            try:
                opened.extract(entry, out)
            except Exception:  # the others may still be read
                continue


def with_overture(command: str) -> Callable:
    def extract(archive: pathlib.Path, out: pathlib.Path, japanese: bool) -> None:
        encoding = ["--name-encoding", "cp932"] if japanese else []
        run([command, "extract", "--overwrite", "--to", out, *encoding, archive])

    return extract


# --- Comparing ------------------------------------------------------------------------------------
def sum_of(path: pathlib.Path) -> tuple[int, int]:
    crc = size = 0
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            crc = zlib.crc32(block, crc)
            size += len(block)
    return size, crc


def files_in(folder: pathlib.Path) -> dict[str, tuple[int, int]]:
    found = {}
    for path in folder.rglob("*"):
        if path.is_file():
            found[str(path.relative_to(folder))] = sum_of(path)
    return found


def write_case(case: Case, archive: pathlib.Path) -> None:
    if not case.method:
        write_zip(archive, case.entries, **case.end)
        return
    archive.unlink(missing_ok=True)
    files = archive.parent / "files"
    files.mkdir(exist_ok=True)
    for entry in case.entries:
        (files / entry.name.decode()).write_bytes(entry.data)
    run(["7zz", "a", "-tzip", f"-mm={case.method}", archive, f"{files}/*"])


def expected(case: Case) -> dict[str, tuple[int, int]]:
    sums = [
        (entry.zeros, checksum_of_zeros(entry.zeros))
        if entry.zeros
        else (len(entry.data), zlib.crc32(entry.data))
        for entry in case.entries
        if entry.zeros or entry.data
    ]
    return dict(zip(case.paths, sums, strict=True))


def verdict(found: dict, wanted: dict) -> str:
    right = [path for path, content in wanted.items() if found.get(path) == content]
    others = [content for path, content in found.items() if path not in right]
    contents = [content for path, content in wanted.items() if path not in right]
    renamed = sum(content in contents for content in others)
    text = "all" if len(right) == len(wanted) else f"{len(right)} of {len(wanted)}"
    text += f", {renamed} under a wrong name" if renamed else ""
    wrong = len(others) - renamed
    return text + (f", {wrong} wrong" if wrong else "")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    readers = {
        "unzip": with_unzip,
        "7-Zip": with_7zz,
        "bsdtar": with_bsdtar,
        "Python": with_python,
        "Overture": with_overture(sys.argv[1]),
    }
    print("| archive | " + " | ".join(readers) + " |")
    print("|---" * (len(readers) + 1) + "|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in CASES:
            archive = folder / "case.zip"
            write_case(case, archive)
            row = []
            for extract in readers.values():
                out = folder / "out"
                out.mkdir()
                extract(archive, out, case.japanese)
                row.append(verdict(files_in(out), expected(case)))
                shutil.rmtree(out)
            print(f"| {case.title} | " + " | ".join(row) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

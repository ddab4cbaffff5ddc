#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Makes the archives and folders on which two libraries with PhysicsFS's interface are compared.

    zoo.py FOLDER

The bytes, and the times in folders and archives, are the same every time. Needs zip, 7zz and
genisoimage.
"""

import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import time
import zipfile

MOMENT = (2020, 5, 17, 12, 30, 42)
# ZIPs have local time; TZ makes it the same everywhere.
ENVIRONMENT = dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8")

TREE = {
    "readme.txt": b"first line\nsecond line\n",
    "empty.txt": b"",
    "maps/one.map": bytes(range(256)) * 20,
    "maps/two.map": b"two\r\n" * 300,
    "maps/deep/er/x.txt": b"x",
    "Data/Upper.TXT": b"upper case\n",
    "sounds/tone.raw": random.Random(1).randbytes(40_000),
}
OTHER = {
    "readme.txt": b"the other readme\n",
    "maps/two.map": b"replaced",
    "maps/three.map": b"3" * 5000,
    "sounds": b"a file where the others have a folder",
}
ODD = {
    "with space.txt": b"space",
    "umlaut-\u00e4.txt": b"a umlaut",
    "..hidden": b"two dots first",
    "trailing.": b"a dot last",
    ".dot/.dot": b"dots",
    "a" * 200: b"long name",
}
FLAT = {
    "ONE.TXT": b"one\n",
    "TWO.DAT": bytes(range(200)),
    "EMPTY": b"",
    "LAST.BIN": random.Random(2).randbytes(9000),
}


def write_tree(folder, tree):
    for name, data in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def write_zip(path, tree, method=zipfile.ZIP_STORED, folders=(), links=(), comment=b""):
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.comment = comment
        for folder in folders:
            entry = zipfile.ZipInfo(folder + "/", MOMENT)
            entry.external_attr = 0o40755 << 16 | 0x10
            archive.writestr(entry, b"")
        for name, data in tree.items():
            entry = zipfile.ZipInfo(name, MOMENT)
            entry.compress_type = method
            archive.writestr(entry, data)
        for name, target in links:
            entry = zipfile.ZipInfo(name, MOMENT)
            entry.create_system = 3
            entry.external_attr = 0o120777 << 16
            archive.writestr(entry, target)


def run(folder, *command):
    subprocess.run(command, cwd=folder, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)


def pak(tree):
    body, table = b"", b""
    for name, data in tree.items():
        table += struct.pack("<56sII", name.encode(), 12 + len(body), len(data))
        body += data
    return struct.pack("<4sII", b"PACK", 12 + len(body), len(table)) + body + table


def wad(tree):
    body, table = b"", b""
    for name, data in tree.items():
        table += struct.pack("<II8s", 12 + len(body), len(data), name.encode())
        body += data
    return struct.pack("<4sII", b"PWAD", len(tree), 12 + len(body)) + body + table


def grp(tree):
    table = b"".join(struct.pack("<12sI", name.encode(), len(data)) for name, data in tree.items())
    return b"KenSilverman" + struct.pack("<I", len(tree)) + table + b"".join(tree.values())


def hog(tree):
    return b"DHF" + b"".join(
        struct.pack("<13sI", name.encode(), len(data)) + data for name, data in tree.items())


def mvl(tree):
    table = b"".join(struct.pack("<13sI", name.encode(), len(data)) for name, data in tree.items())
    return b"DMVL" + struct.pack("<I", len(tree)) + table + b"".join(tree.values())


def slb(tree):
    body, table = b"", b""
    for name, data in tree.items():
        backslashes = "\\" + name.replace("/", "\\")
        table += struct.pack("<64sII", backslashes.encode(), 12 + len(body), len(data))
        body += data
    return struct.pack("<III", 0, len(tree), 12 + len(body)) + body + table


def vdf(tree):
    last, start = 0x40000000, 296
    body, table = b"", b""
    for index, (name, data) in enumerate(tree.items()):
        position = start + 80 * len(tree) + len(body)
        kind = last if index == len(tree) - 1 else 0
        table += name.encode().ljust(64) + struct.pack("<IIII", position, len(data), kind, 0)
        body += data
    header = b"\x1a" * 256 + b"PSVDSC_V2.00\r\n\r\n"
    header += struct.pack("<IIIIII", len(tree), len(tree), 0x4EB18000, len(body), start, 80)
    return header + table + body


def make_zips(zoo):
    write_zip(zoo / "stored.zip", TREE)
    write_zip(zoo / "deflated.zip", TREE, zipfile.ZIP_DEFLATED)
    write_zip(zoo / "folders.zip", TREE, zipfile.ZIP_DEFLATED, folders=("bare", "bare/inner"))
    write_zip(zoo / "other.zip", OTHER, zipfile.ZIP_DEFLATED, comment=b"a comment")
    write_zip(zoo / "comment.zip", OTHER, comment=b"PK\x05\x06 in a comment")
    write_zip(zoo / "odd.zip", ODD)
    write_zip(zoo / "empty.zip", {})
    write_zip(zoo / "many.zip", {f"n/{i % 7}/{i:04}.txt": b"%d" % i for i in range(1500)})
    write_zip(zoo / "links.zip", TREE, links=(
        ("to_file", "readme.txt"), ("to_folder", "maps"), ("up/to_file", "../maps/one.map"),
        ("to_link", "to_file"), ("loop_a", "loop_b"), ("loop_b", "loop_a"), ("missing", "nowhere"),
        ("outside", "../../etc/passwd")))
    write_zip(zoo / "bzip2.zip", {"packed.txt": b"another method " * 50}, zipfile.ZIP_BZIP2)
    stored = (zoo / "stored.zip").read_bytes()
    (zoo / "prefix.zip").write_bytes(b"#!/bin/sh\nexit 0\n" * 40 + stored)
    (zoo / "cut.zip").write_bytes(stored[:-60])
    damaged = bytearray((zoo / "deflated.zip").read_bytes())
    for position in range(2000, 2600):
        damaged[position] ^= 0x55
    (zoo / "damaged.zip").write_bytes(damaged)
    make_encrypted_zip(zoo)
    run(zoo / "loose", "zip", "-q", "-X", "-fz", "-r", "../zip64.zip", "readme.txt", "maps")


def make_encrypted_zip(zoo):
    """Only one byte tells a wrong password, so one archive of 256 opens with it: not this one."""
    path = zoo / "secret.zip"
    for _ in range(10):
        run(zoo / "loose", "zip", "-q", "-X", "-r", "-P", "secret", path, "readme.txt", "maps")
        with zipfile.ZipFile(path) as archive:
            try:
                archive.open("readme.txt", pwd=b"wrong").close()
            except RuntimeError:
                return
        path.unlink()
    raise RuntimeError("zip encrypts nothing: every archive opens with a wrong password")


def make_tables(zoo):
    for name, write, tree in (
            ("quake.pak", pak, TREE), ("doom.wad", wad, {k[:8]: v for k, v in FLAT.items()}),
            ("build.grp", grp, FLAT), ("descent.hog", hog, FLAT), ("movies.mvl", mvl, FLAT),
            ("iwar.slb", slb, TREE), ("gothic.vdf", vdf, FLAT)):
        (zoo / name).write_bytes(write(tree))
    (zoo / "cut.pak").write_bytes((zoo / "quake.pak").read_bytes()[:-30])
    (zoo / "cut.grp").write_bytes((zoo / "build.grp").read_bytes()[:40])


def set_times(zoo):
    moment = time.mktime((*MOMENT, 0, 0, 0))
    for path in [*zoo.rglob("*"), zoo]:
        os.utime(path, (moment, moment), follow_symlinks=False)


def make(zoo):
    os.environ["TZ"] = "UTC"
    time.tzset()
    shutil.rmtree(zoo, ignore_errors=True)
    zoo.mkdir(parents=True)
    write_tree(zoo / "loose", TREE)
    write_tree(zoo / "over", OTHER)
    write_tree(zoo / "odd", ODD)
    write_tree(zoo / "linked", TREE)
    (zoo / "bare").mkdir()
    for name, target in (("to_file", "readme.txt"), ("to_folder", "maps"), ("missing", "nowhere"),
                         ("loop", "loop"), ("outside", "../loose/readme.txt")):
        (zoo / "linked" / name).symlink_to(target)
    (zoo / "alias").symlink_to("loose")
    (zoo / "text.txt").write_bytes(b"this is no archive\n" * 100)
    (zoo / "nothing.zip").write_bytes(b"")
    set_times(zoo)
    make_zips(zoo)
    make_tables(zoo)
    run(zoo / "loose", "7zz", "a", "-bd", "-mtc=off", "../solid.7z", ".")
    run(zoo / "loose", "7zz", "a", "-bd", "-mtc=off", "-ms=off", "-mx=1", "../apart.7z", ".")
    run(zoo, "genisoimage", "-quiet", "-J", "-o", "joliet.iso", "loose")
    set_times(zoo)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    make(pathlib.Path(sys.argv[1]))

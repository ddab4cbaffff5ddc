#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Checks the names that Overture's libphysfs exports, and its SONAME.

    exports.py OLD NEW

NEW must export what OLD does, three functions more and those of physfs_overture.h, without symbol
versions.
"""

import subprocess
import sys

OWN = ("findName", "giveBack", "mapFile", "mountInside", "readFile", "rename")
ADDED = {"PHYSFS_canUnmount", "PHYSFS_mountRW", "PHYSFS_setRoot",
         *(f"PHYSFS_overture_{name}" for name in OWN)}


def exported(library):
    done = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                          stdout=subprocess.PIPE, text=True)
    return {line.split()[-1] for line in done.stdout.splitlines()}


def main():
    old, new = map(exported, sys.argv[1:3])
    unexpected = new - old - ADDED
    missing = (old | ADDED) - new
    header = subprocess.run(["readelf", "-d", sys.argv[2]], check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    for name in sorted(missing):
        print(f"missing: {name}")
    for name in sorted(unexpected):
        print(f"should be hidden: {name}")
    if "[libphysfs.so.1]" not in header:
        print("the SONAME is not libphysfs.so.1")
        return 1
    return 1 if missing or unexpected else 0


if __name__ == "__main__":
    sys.exit(main())

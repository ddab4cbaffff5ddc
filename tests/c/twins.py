#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""twins.py C_EXAMPLE CXX_EXAMPLE: an example in C prints what the one in C++ prints."""

import pathlib
import subprocess
import sys
import tempfile
import zipfile


def make_game(folder):
    """Writes base.zip, which has a damaged file, and a mod."""
    base = folder / "base.zip"
    with zipfile.ZipFile(base, "w") as archive:
        archive.writestr("maps/rome.txt", "rome of the base\n")
        archive.writestr("readme.txt", "read me\n")
        archive.writestr("bad.txt", "these bytes will change\n")
    base.write_bytes(base.read_bytes().replace(b"bytes will", b"BYTES WILL"))
    (folder / "mod/maps").mkdir(parents=True)
    (folder / "mod/maps/rome.txt").write_text("rome of the mod\n")
    return [str(base), str(folder / "mod")]


def run(program, arguments):
    """The exit status, the last line without what it was painted over, and the lines of errors that
    both write alike."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    lines = done.stdout.split("\r")[-1]
    providers = [line for line in done.stderr.splitlines() if line.startswith(("from ", "hides "))]
    failures = [line for line in done.stderr.replace("\r", "\n").splitlines() if "bad.txt" in line]
    return done.returncode, lines, providers, len(failures)


def main(c_example, cxx_example):
    with tempfile.TemporaryDirectory() as name:
        mounts = make_game(pathlib.Path(name))
        cases = [[], mounts, ["maps/rome.txt", *mounts], ["bad.txt", *mounts]]
        for arguments in cases:
            ours, theirs = run(c_example, arguments), run(cxx_example, arguments)
            print(arguments, ours, theirs)
            if ours != theirs:
                sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Checks what physfs.dll exports, and which DLLs it needs.

    exports_windows.py COMPILER OBJDUMP HEADERS DLL

It must export what the headers declare, and need no DLL of the compiler's.
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import dll_tables

SYSTEM = {"kernel32.dll", "msvcrt.dll", "ole32.dll", "shell32.dll"}


def output_of(*command, text=""):
    return subprocess.run(command, check=True, input=text, stdout=subprocess.PIPE, text=True).stdout


def main():
    compiler, objdump, headers, dll = sys.argv[1:]
    source = output_of(compiler, "-E", "-P", "-I", headers, "-x", "c", "-",
                       text="#include <physfs_overture.h>")
    declared = set(re.findall(r"\bdllexport\b[^;(]*\b(PHYSFS_\w+)\(", source))
    described = output_of(objdump, "-p", dll)
    exported = set(dll_tables.exported(described))
    wrong = [f"missing: {name}" for name in sorted(declared - exported)]
    wrong += [f"should be hidden: {name}" for name in sorted(exported - declared)]
    wrong += [f"needs {name}" for name in dll_tables.needed_beside(SYSTEM, described)]
    if not declared:
        wrong.append("the headers declare nothing")
    print("\n".join(wrong) or f"{len(exported)} functions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Checks what physfs.dll exports, and which DLLs it needs.

    exports_windows.py COMPILER OBJDUMP HEADERS DLL

It must export what the headers declare, and need no DLL of the compiler's.
"""

import re
import subprocess
import sys

SYSTEM = {"kernel32.dll", "msvcrt.dll", "ole32.dll", "shell32.dll"}


def output_of(*command, text=""):
    return subprocess.run(command, check=True, input=text, stdout=subprocess.PIPE, text=True).stdout


def main():
    compiler, objdump, headers, dll = sys.argv[1:]
    source = output_of(compiler, "-E", "-P", "-I", headers, "-x", "c", "-",
                       text="#include <physfs_overture.h>")
    declared = set(re.findall(r"\bdllexport\b[^;(]*\b(PHYSFS_\w+)\(", source))
    described = output_of(objdump, "-p", dll)
    table = described.partition("[Ordinal/Name Pointer] Table")[2].partition("\n\n")[0]
    exported = set(re.findall(r"^\s*\[ *\d+\] (?:\+base\[ *\d+\] +\w+ )?(\S+)$", table, re.M))
    needed = {name.lower() for name in re.findall(r"DLL Name: (\S+)", described)}
    wrong = [f"missing: {name}" for name in sorted(declared - exported)]
    wrong += [f"should be hidden: {name}" for name in sorted(exported - declared)]
    wrong += [f"needs {name}" for name in sorted(needed - SYSTEM) if not name.startswith("api-ms-")]
    if not declared:
        wrong.append("the headers declare nothing")
    print("\n".join(wrong) or f"{len(exported)} functions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

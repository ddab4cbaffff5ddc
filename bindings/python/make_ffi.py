#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""make_ffi.py HEADERS OUTPUT: writes overture/_ffi.py, what cffi knows of the C interface.

The declarations are those of the headers in HEADERS, without what cffi does not parse: comments,
preprocessor lines and the braces of extern "C".
"""

import pathlib
import re
import sys

import cffi

# Each uses only those before it.
ORDER = ("base", "sync", "trace", "jobs", "vfs", "reads", "assets", "load", "check", "saves")


def declarations(text: str) -> str:
    """What a header declares."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    return text.replace("OVERTURE_C_API", "")


def main(headers: pathlib.Path, output: pathlib.Path) -> None:
    """Writes the module."""
    ffi = cffi.FFI()
    for name in ORDER:
        ffi.cdef(declarations((headers / f"{name}.h").read_text()))
    ffi.set_source("overture._ffi", None)
    ffi.emit_python_code(str(output))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))

#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Checks what liboverture.so or liboverture.dll exports, its SONAME or what it needs, and its size.

    exports.py OBJDUMP LIBRARY STRIPPED INCLUDE

Everything is in namespace overture, or is a function of the C interface, or what copies share. What
is in a namespace that is not for callers is there for a template or an inline function of the
headers: REASONS. Everything that the headers declare with OVERTURE_API is exported.
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import dll_tables

BYTES_MAX = 1_225_000  # 1.12 MB, 45 KB for tar, MD2, Radiance HDR and archives inside a tree, 30 KB
# for what the asset store knows of memory, circles and failures, and 30 KB for its priorities,
# groups, events, parts and settings
DLL_BYTES_MAX = 6_000_000  # it contains the libraries of the formats, and the compiler's
SYSTEM_DLLS = {"advapi32.dll", "kernel32.dll", "msvcrt.dll", "shlwapi.dll"}

# What inline code of the headers calls, by the beginning of its name without overture::
REASONS = {
    "base_detail::run_guarded": "the library of sounds is apart",
    "decoders_detail::vorbis_memory": "the library of sounds is apart",
    "detail::asset_": "handles of assets are templates",
    "detail::contract_broken": "contracts are checked in headers",
    "detail::expects_may_wait": "contracts are checked in headers",
    "detail::expects_no_store": "contracts are checked in headers",
    "detail::no_asset": "handles of assets are templates",
    "detail::execute_as_job": "job_system runs the tasks of an executor inline",
    "detail::job_threw": "jobs are templates, and so is what catches",
    "detail::runs_inside_submit": "jobs are templates",
    "sync_detail::executor_here": "when() is a template",
    "sync_detail::future_core::": "futures are templates",
    "text::detail::cursor::": "readers are templates",
    "text::detail::format_arguments": "format() is a template",
    "text::detail::make_page_table": "read() is a template",
    "text::detail::shortest_decimal": "writers are templates",
    "text::detail::write_": "writers are templates",
}
SHARED_BY_COPIES = re.compile(r"overture_shared_\d+_\d+_\d+")
C_INTERFACE = re.compile(r"overture_[a-z0-9_]+")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def exported(library):
    """Names without parameters."""
    lines = output("nm", "-DC", "--defined-only", library).splitlines()
    return without_parameters(line.split(" ", 2)[2] for line in lines)


def exported_by_dll(description):
    names = "\n".join(dll_tables.exported(description))
    demangled = subprocess.run(["c++filt"], check=True, input=names,
                               stdout=subprocess.PIPE, text=True).stdout
    return without_parameters(demangled.splitlines())


def without_parameters(names):
    kinds = re.compile(r"^(vtable|typeinfo|typeinfo name|non-virtual thunk) (for|to) ")
    return {re.sub(r"\(.*", "", kinds.sub("", name)) for name in names}


def unintended(names):
    for name in sorted(names):
        if SHARED_BY_COPIES.fullmatch(name) or C_INTERFACE.fullmatch(name):
            continue
        inside = name.removeprefix("overture::")
        if inside == name:
            yield f"not in namespace overture: {name}"
        elif "::state::" in name or "anonymous" in name:
            yield f"belongs to the library alone: {name}"
        elif re.search(r"(^|_|::)detail::", inside):
            if not any(inside.startswith(known) for known in REASONS):
                yield f"in a namespace that is not for callers, without a reason: {name}"
    for known in REASONS:
        if not any(name.startswith("overture::" + known) for name in names):
            yield f"REASONS lists {known}: it is gone"


def declared(folder):
    """The names that the headers declare with OVERTURE_API: functions, and classes with '::'."""
    for header in sorted(pathlib.Path(folder).rglob("*.hpp")):
        text = header.read_text()
        yield from re.findall(r"^[^/\n#]*\bOVERTURE_API [^;{]*?(\w+)\(", text, re.MULTILINE)
        for name in re.findall(r"(?:class|struct) OVERTURE_API (\w+)", text):
            yield name + "::"


def problems_of_elf(library):
    if not re.search(r"\[liboverture\.so\.\d+\.\d+\]", output("readelf", "-d", library)):
        yield "the SONAME is not liboverture.so and the minor version"


def problems_of_dll(description):
    for name in dll_tables.needed_beside(SYSTEM_DLLS, description):
        yield f"it needs {name}, which is not part of Windows"


def main():
    objdump, library, stripped, include = sys.argv[1:5]
    if library.endswith(".dll"):
        description = output(objdump, "-p", library)
        names, problems = exported_by_dll(description), list(problems_of_dll(description))
        bytes_max = DLL_BYTES_MAX
    else:
        names, problems = exported(library), list(problems_of_elf(library))
        bytes_max = BYTES_MAX
    problems += unintended(names)
    for name in declared(include):
        if not any(re.search(rf"(^|::){name}{'' if name.endswith(':') else '$'}", each)
                   for each in names):
            problems.append(f"declared with OVERTURE_API and not exported: {name}")
    size = pathlib.Path(stripped).stat().st_size
    print(f"{len(names)} names exported; stripped {size} bytes")
    if size > bytes_max:
        problems.append(f"stripped it has {size} bytes, more than {bytes_max}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Zlib
"""What a DLL exports and needs, from what `objdump -p` prints of it."""

import re


def exported(description):
    table = description.partition("[Ordinal/Name Pointer] Table")[2].partition("\n\n")[0]
    return re.findall(r"^\s*\[ *\d+\] (?:\+base\[ *\d+\] +\w+ )?(\S+)$", table, re.M)


def needed_beside(system_dlls, description):
    """The names of DLLs that are not among these, which are part of Windows."""
    names = {name.lower() for name in re.findall(r"DLL Name: (\S+)", description)}
    return sorted(name for name in names - system_dlls if not name.startswith("api-ms-"))

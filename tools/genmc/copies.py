# SPDX-License-Identifier: Zlib
"""What programs for GenMC copy because they cannot compile it: is it still as in its source?

    // copied from src/vfs/tree/mount_table.cpp
    ...                                         each line is in the source,
    void collect() noexcept {  // changed       or says that it is not
    // end of copy
"""
import pathlib
import re

BEGIN = re.compile(r"// copied from (\S+)")


def outdated(root, program):
    """The lines of a program's copies that are not in their sources, and copies of nothing."""
    found, known = [], None
    for number, line in enumerate((pathlib.Path(root) / program).read_text().splitlines(), 1):
        line = line.strip()
        begins = BEGIN.fullmatch(line)
        if begins:
            source = pathlib.Path(root) / begins.group(1)
            known = source.read_text().splitlines() if source.exists() else [line]
            known = {each.strip() for each in known}
            if not source.exists():
                found.append(f"{program}:{number}: there is no {begins.group(1)}")
        elif line == "// end of copy":
            known = None
        elif known is not None and "// changed" not in line and line not in known:
            found.append(f"{program}:{number}: its source does not say: {line}")
    return found

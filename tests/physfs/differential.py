#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Compares two libraries with PhysicsFS's interface: runs Debian's test_physfs, an interactive
program, with each library over the same scripts (scripts.py), and prints where the output differs.

    differential.py --library PATH [--against PATH] [--expect-difference] [SCRIPT...]
    differential.py --list

The default for --against is the library that test_physfs loads by itself. A library is preloaded,
so it may also replace only a few functions. With --expect-difference, the exit status is 0 if
some script tells the libraries apart.
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import zoo
from scripts import SCRIPTS

# (script, line of output, reason): patterns of lines that only one of the libraries prints. Both
# match the whole of what they are compared with.
AGREED = [
    (".*", r"\[start\] .*", "the version, and what each format is called"),
    (".*", r"\[getlasterror\] last error is \[(not found|\(null\))\].",
     "a call that succeeds sets no error"),
    (".*", r'\[(filelength|crc32) "[^"]*"\] (failed to open. Reason: \[not a file\].'
     r"|error while reading. Reason: \[not a file\].| \(cast to int\) 4096 bytes.)",
     "a folder is not opened as a file"),
    (".*", r'\[[a-z0-9]+ "maps/\.\."\] .*', "'..' at the end of a name is refused too"),
    (".*", r'\[stat "[^"]*"\] (Created at|Last modified at): (\(a time\)|Unknown)',
     "folders in archives have no times: 3.0.2 tells when they were mounted"),
    ("look_into_(solid|apart)_7z",
     r'\[stat "[^"]*"\] (Size (-1|0)|(Created|Last modified) at: Sun May 17 12:30:42 2020)',
     "as in other archives"),
    ("look_into_(loose|linked|alias|over)", r"\[(unmount|getsearchpath)[^]]*\] .*",
     "test_physfs does not close the folder that 3.0.2 opened as a file"),
    ("look_into_cut_.*", r"\[mount [^]]*\] Failure. reason: (not found|unsupported|corrupted).",
     "a damaged archive is corrupted"),
    (".*(write_bad_names|make_and_delete_folders)",
     r"\[mkdir [^]]*\] Failure. reason: (not found|duplicate resource|\(null\)).",
     "3.0.2 says anything where a file has the name"),
    ("look_into_folders_zip", r".*", "a folder without files is not there"),
    ("look_into_(comment_zip|joliet_iso|empty_zip)", ".*", "3.0.2 cannot mount it"),
    ("look_into_damaged_zip",
     r'\[(crc32 "sounds/tone.raw"|unmount "zoo/damaged.zip"|getsearchpath)\] .*',
     "a wrong checksum is an error; test_physfs does not close such a file"),
    ("look_into_links_zip|links_(forbidden|permitted_in_a_zip)", ".*",
     "links in archives are followed when it is mounted"),
    ("look_into_gothic_vdf", r'\[(stat|getlastmodtime) .*', "no times in a VDF"),
]
TIMEOUT_S = 300  # a hang, even on a busy machine
# Reading changes when a file was last read; files that a script writes have the time of the run.
TIME_OF_THE_RUN = re.compile(
    r"(accessed at: )\w{3} \w{3} .*|\w{3} \w{3} [ \d]\d [\d:]{8} (?!2020)\d{4}"
    r"|(?<=timestamp )\d+(?= )")


def play(commands, library, zoo_folder):
    """What test_physfs prints, with the paths of this run replaced."""
    with tempfile.TemporaryDirectory() as box:
        box = os.path.realpath(box)
        os.symlink(zoo_folder, f"{box}/zoo")
        os.mkdir(f"{box}/w")
        os.mkdir(f"{box}/home")  # test_physfs keeps a history there, or in the user's real home
        environment = dict(os.environ, TZ="UTC", HOME=f"{box}/home", LC_ALL="C.UTF-8")
        environment.pop("XDG_DATA_HOME", None)
        if library:
            environment["LD_PRELOAD"] = library
        script = "".join(command + "\n" for command in [*commands, "quit"])
        done = subprocess.run(["test_physfs"], input=script.encode(), cwd=box, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S)
    text = done.stdout.decode("utf-8", "backslashreplace").replace(box, "@")
    text = TIME_OF_THE_RUN.sub(r"\1(a time)", text)
    return [*interleave(text, commands), f"exit status {done.returncode}"]


def interleave(text, commands):
    """The lines of the output, each with the command that printed it."""
    parts = re.split(r"^> ", text, flags=re.M)
    lines = [f"[start] {line}" for line in parts[0].splitlines()]
    for command, part in zip([*commands, "quit"], parts[1:]):
        lines += [f"[{command}] {line}" for line in part.splitlines() if line]
    return lines


def agreed(script, line):
    return any(re.fullmatch(in_script, script) and re.fullmatch(pattern, line)
               for in_script, pattern, _ in AGREED)


def differences(script, old, new):
    changes = (line for line in difflib.unified_diff(old, new, lineterm="", n=0)
               if not line.startswith(("---", "+++", "@@")))
    return [line for line in changes if not agreed(script, line[1:])]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library")
    parser.add_argument("--against", default="")
    parser.add_argument("--expect-difference", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("scripts", nargs="*", metavar="SCRIPT")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(SCRIPTS))
        return 0
    if not arguments.library:
        parser.error("--library is missing")
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        zoo_folder = pathlib.Path(folder).resolve() / "zoo"
        zoo.make(zoo_folder)
        for script in arguments.scripts or SCRIPTS:
            commands = SCRIPTS[script]
            lines = differences(script, play(commands, arguments.against, zoo_folder),
                                play(commands, arguments.library, zoo_folder))
            found += bool(lines)
            print(f"{'DIFFERS' if lines else 'equal'}  {script}")
            for line in lines[:40]:
                print(f"    {line}")
    print(f"{found} scripts differ")
    return 0 if bool(found) == arguments.expect_difference else 1


if __name__ == "__main__":
    sys.exit(main())

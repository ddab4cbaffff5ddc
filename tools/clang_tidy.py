#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Runs clang-tidy once on each source, and again only when something that it reads has changed.

    tools/clang_tidy.py BUILD CACHE PROCESSES [SOURCE...]

takes the compile commands from the build tree BUILD, for the named sources (relative to the root)
or for all. The exit status is 1 if clang-tidy complains.

A tree of a unity build has sources that only include others: they stand for those, and are checked
in an eighth of the time, as most of it goes to the headers of others.

CACHE has a file for each clean source: the paths of all files that its compilation read, and a hash
of their contents. A source is checked again when one of them, its compile command, a .clang-tidy or
clang-tidy itself has changed. Several clones may share the folder.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

TIDY, COMPILER = "clang-tidy-19", "clang-19"  # of C sources too
ROOT = pathlib.Path(__file__).resolve().parents[1]
OPTIONS = [
    "--quiet",
    "--use-color=false",
    "--extra-arg=-Wno-unknown-warning-option",
    "--extra-arg=-Wthread-safety",
    "--checks=-bugprone-suspicious-include",  # unity builds include sources; GCC would link twice
]


def once_each(build, into, wanted):
    """One compile command for each wanted source, as a library may be compiled several times.
    Without precompiled headers, so that each source must include what it uses."""
    commands, seen = {}, set()
    for each in json.loads((build / "compile_commands.json").read_text()):
        name = each["file"].removeprefix(f"{ROOT}/")
        each["command"] = re.sub(r" -include \S+/cmake_pch\.hxx", "", each["command"])
        together = included_sources(name)
        if not together <= seen and (not wanted or together <= wanted):
            commands[name] = each
            seen |= together
    into.mkdir(parents=True, exist_ok=True)
    (into / "compile_commands.json").write_text(json.dumps(list(commands.values())))
    return commands


def included_sources(name):
    """A source itself, or those that one of a unity build includes. None that the build writes."""
    if not name.startswith("build/"):
        return {name}
    if "/Unity/unity_" not in name:
        return set()
    included = re.findall(r'^#include "(\S+)"$', (ROOT / name).read_text(), flags=re.MULTILINE)
    return {path.removeprefix(f"{ROOT}/") for path in included}


@functools.cache
def hash_of(path):
    try:
        return hashlib.sha256((ROOT / path).read_bytes()).hexdigest()
    except OSError:
        return "not there"


def hash_of_all(paths):
    return hashlib.sha256("".join(hash_of(path) for path in paths).encode()).hexdigest()


@functools.cache
def common():
    """What the results of all sources depend on."""
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    configurations = sorted(ROOT.glob(".clang-tidy")) + sorted(ROOT.glob("*/.clang-tidy"))
    return version + b"".join(path.read_bytes() for path in configurations)


class Source:
    def __init__(self, name, entry, cache):
        self.name, self.entry = name, entry
        command = entry["command"].replace(str(ROOT), ".")
        key = hashlib.sha256(common() + f"{name}\n{OPTIONS}\n{command}".encode()).hexdigest()
        self.record = cache / key[:2] / key

    def is_known_clean(self):
        if not self.record.exists():
            return False
        was, *paths = self.record.read_text().split("\n")
        return hash_of_all(paths) == was

    def remember(self):
        paths = self.files_read()
        self.record.parent.mkdir(parents=True, exist_ok=True)
        partial = self.record.with_suffix(f".{os.getpid()}")
        partial.write_text("\n".join((hash_of_all(paths), *paths)))
        partial.replace(self.record)

    def files_read(self):
        """Paths in the repository are relative to its root, others absolute."""
        words = re.findall(r"(?<= )-(?:D|I|std|isystem )\S+", self.entry["command"])
        words = [part for word in words for part in word.split(" ")]
        listed = subprocess.run(
            [COMPILER, "-M", "-w", "-Qunused-arguments", *words, self.entry["file"]],
            capture_output=True,
            cwd=self.entry["directory"],
            check=True,
            text=True,
        ).stdout
        paths = listed.partition(":")[2].replace("\\\n", " ").split()
        return [str(path).removeprefix(f"{ROOT}/") for path in paths]


def look_at(source, database):
    """What clang-tidy complains about, or None."""
    done = subprocess.run(
        [TIDY, "-p", str(database), *OPTIONS, source.name], capture_output=True, cwd=ROOT, text=True
    )
    said = re.sub(r"^\d+ warnings? generated\.\n", "", done.stderr, flags=re.MULTILINE)
    if done.returncode != 0:
        return done.stdout + said
    try:
        source.remember()
    except subprocess.CalledProcessError as failed:
        return f"{source.name}: cannot list the files that it includes: {failed.stderr}\n"
    return None


def main(arguments):
    build, cache = (pathlib.Path(path).resolve() for path in arguments[1:3])
    database = build / "tidy"
    commands = once_each(build, database, set(arguments[4:]))
    sources = [Source(name, commands[name], cache) for name in sorted(commands)]
    changed = [source for source in sources if not source.is_known_clean()]
    print(f"{len(sources)} sources, {len(changed)} changed since they were clean", flush=True)
    complaints = 0
    with concurrent.futures.ThreadPoolExecutor(int(arguments[3])) as pool:
        for said in pool.map(lambda source: look_at(source, database), changed):
            if said is not None:
                print(said, end="", flush=True)
                complaints += 1
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

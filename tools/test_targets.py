#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Prints what ninja must build for some tests, for ./dev test.

    tools/test_targets.py BUILD [CTEST_OPTION...]

CTest knows what its tests run: each word of their commands that ninja can build is a target. Prints
`all` if a test runs the build tree itself, or if no test is known by this name yet.
"""

import json
import pathlib
import re
import subprocess
import sys

NOT_BUILT = "_NOT_BUILT"  # what GoogleTest's programs are called until their tests are known


def targets_of_tree(build):
    out = subprocess.run(
        ["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True
    )
    return {line.partition(": ")[0] for line in out.stdout.splitlines()}


def tests_of_tree(build, options):
    out = subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1", *options],
        capture_output=True,
        text=True,
    ).stdout
    try:
        return json.loads(out[out.index("{"):])["tests"]
    except ValueError:
        return []


def suites_of(options):
    """The suites that a filter such as ^io[.] or ^io([.]|$) names, None if it may be any."""
    if "-R" not in options:
        return None
    name = options[options.index("-R") + 1]
    found = re.match(r"\^\(?(\w+(?:\|\w+)*)\)?(?:\[\.\]|\\\.|\(\[\.\]\|\$\))", name)
    return found and set(found.group(1).split("|"))


def words_of(test):
    """The command of a test. CTest does not tell it where the program is not built yet."""
    if "command" in test:
        return test["command"]
    values = {each["name"]: each["value"] for each in test.get("properties", [])}
    file = pathlib.Path(values.get("WORKING_DIRECTORY", "."), "CTestTestfile.cmake")
    for line in file.read_text().splitlines() if file.exists() else []:
        if line.startswith((f"add_test([=[{test['name']}]=] ", f"add_test({test['name']} ")):
            return re.findall(r'"([^"]*)"', line)
    return []


def targets_for(tests, known, build):
    """The targets that these tests run, from a list as CTest prints it."""
    wanted = set()
    for test in tests:
        words = list(words_of(test))
        if not words:  # a whole program of tests, which runs in a folder of its own
            wanted |= {f"bin/{test['name']}_tests"} & known
        for each in test.get("properties", []):
            words += each["value"] if each["name"] == "ENVIRONMENT" else []
        for path in re.findall(re.escape(str(build)) + r"(?:/[^\s;:,'\"]*)?", " ".join(words)):
            inside = path.removeprefix(str(build)).strip("/")
            if not inside:
                return ["all"]
            folder = f"{inside}/"
            wanted |= {inside} & known
            # What is imported or loaded from a folder.
            loaded = re.compile(re.escape(folder) + r".*(\.so\b|\.pyi?$|/py\.typed$)")
            wanted |= {name for name in known if loaded.match(name)}
    return sorted(wanted)


def main(arguments):
    build, options = pathlib.Path(arguments[1]).resolve(), arguments[2:]
    known = targets_of_tree(build)
    every = tests_of_tree(build, [])
    suites = suites_of(options)
    names = [test["name"] for test in every]
    not_built = {name.partition("_tests")[0] for name in names if NOT_BUILT in name}
    programs = {f"bin/{name}_tests" for name in not_built if suites is None or name in suites}
    targets = targets_for(tests_of_tree(build, options), known, build)
    print(*(targets if "all" in targets else sorted(programs & known | set(targets)) or ["all"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

# SPDX-License-Identifier: Zlib
"""What plants.txt says."""

import pathlib
import re

LIST = pathlib.Path(__file__).parent / "plants.txt"


def read_list(text, whole=False):
    """Tests by pattern of sources, plants that are written out (as source, name, old and new lines,
    line of the list), and those that change nothing. With `whole`, no search is cut."""
    tests, plants, same = [], [], []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("tests "):
            pattern, programs = line[len("tests "):].split(" : ")
            if whole:
                programs = re.sub(r"/\d+", "", programs)
            tests.append((pattern.strip(), [one.split() for one in programs.split(";")]))
        elif line.startswith("plant "):
            _, source, name = line.split(" ", 2)
            number = at
            sides = {"-": [], "+": []}
            while at < len(lines) and lines[at][:1] in sides:
                sides[lines[at][0]].append(lines[at][1:])
                at += 1
            plants.append((source, name, "\n".join(sides["-"]), "\n".join(sides["+"]), number))
        elif line.startswith("same "):
            source, name, place = re.fullmatch(r"same (\S+) (.+) at (.+) : .+", line).groups()
            same.append((source, name, place))
        elif line and not line.startswith("#"):
            raise ValueError(f"plants.txt:{at}: neither tests nor a plant: {line}")
    return tests, plants, same

#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Swaps mods, good and broken, in examples/17_mod_manager: mod_manager.py PROGRAM DATA CASE

DATA is the folder with the game and the mods of the example.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

TIME_LIMIT_S = 60  # it takes a fraction of a second


class Game:
    """A copy of the example's data to change."""

    def __init__(self, program, data, folder):
        self.program, self.folder = program, pathlib.Path(folder) / "data"
        shutil.copytree(data, self.folder)

    def mod(self, name, **units):
        """A folder, or a ZIP; units are their health, or bytes."""
        texts = {f"units/{unit}.json": json.dumps({"name": f"{unit} of {name}", "health": health})
                 if isinstance(health, int) else health
                 for unit, health in units.items()}  # fmt: skip
        if name.endswith(".zip"):
            with zipfile.ZipFile(self.folder / "mods" / name, "w", zipfile.ZIP_DEFLATED) as made:
                for path, text in texts.items():
                    made.writestr(path, text)
            return
        for path, text in texts.items():
            place = self.folder / "mods" / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text if isinstance(text, bytes) else text.encode())

    def steps(self, *steps):
        """What is printed after each: a set of events, and a line for each unit."""
        done = subprocess.run([self.program, self.folder, *steps], text=True, capture_output=True,
                              timeout=TIME_LIMIT_S)  # fmt: skip
        assert done.returncode == 0, done
        blocks = []
        for line in done.stdout.splitlines():
            if not line.startswith("  "):
                blocks.append((line, set(), {}))
            elif line.startswith("  units/") and line.endswith(")"):
                unit, text = line.strip().split(": ", 1)
                blocks[-1][2][unit] = text
            else:
                blocks[-1][1].add(line.strip())
        assert [block[0] for block in blocks] == ["the game", *steps], done
        return [block[1:] for block in blocks]


BASE = {"units/archer.json": "archer, 30 (base)", "units/guard.json": "guard, 60 (base)"}


def only_what_changed_is_loaded_again(game):
    start, giants, winter, again, gone = game.steps("+giants", "+winter", "+giants", "-giants")
    assert start == ({"loaded units/archer.json", "loaded units/guard.json"}, BASE), start
    assert giants[0] == {"reloaded units/guard.json"}, giants
    assert winter[0] == {"reloaded units/guard.json", "loaded units/yeti.json"}, winter
    assert again[0] == {"reloaded units/guard.json"}, again
    assert gone[0] == {"reloaded units/guard.json"}, gone


def the_one_above_wins(game):
    _, _, winter, giants, gone = game.steps("+giants", "+winter", "+giants", "-winter")
    guard = "units/guard.json"
    assert winter[1][guard] == "snow guard, 70 (winter over giants over base)", winter
    assert giants[1][guard] == "giant guard, 300 (giants over winter over base)", giants
    assert gone[1] == {**BASE, guard: "giant guard, 300 (giants over base)"}, gone
    assert gone[0] == set(), gone  # what was below it is not loaded again


def archives_are_mods_too(game):
    game.mod("orcs.zip", orc=50, guard=5)
    _, added, gone = game.steps("+orcs.zip", "-orcs.zip")
    assert added[1]["units/orc.json"] == "orc of orcs.zip, 50 (orcs.zip)", added
    assert added[1]["units/guard.json"] == "guard of orcs.zip, 5 (orcs.zip over base)", added
    assert gone == ({"reloaded units/guard.json"}, BASE), gone


def a_mod_that_cannot_be_mounted_changes_nothing(game):
    game.mod("cut.zip", guard=1)
    cut = game.folder / "mods" / "cut.zip"
    cut.write_bytes(cut.read_bytes()[:-30])
    (game.folder / "mods" / "text").write_text("no mod")
    for broken in ("cut.zip", "text", "none", "../none"):
        _, giants, failed, gone = game.steps("+giants", f"+{broken}", f"-{broken}")
        assert len(failed[0]) == 1 and failed[1] == giants[1], (broken, failed)
        assert gone == ({"there is no such mod in the game"}, giants[1]), (broken, gone)


def a_broken_file_leaves_its_old_value_and_the_rest(game):
    game.mod("worse", archer=b"", guard=7)
    _, typo, worse, less, gone = game.steps("+typo", "+worse", "-worse", "-typo")
    archer, guard = "units/archer.json", "units/guard.json"
    assert typo[1][archer] == "archer, 30 (typo over base)", typo
    assert typo[1][guard] == "typo guard, 61 (typo over base)", typo
    assert f"reload_failed {archer}: line 1, column 30: " in "".join(typo[0]), typo
    assert f"reload_failed {archer}: the JSON file is empty" in worse[0], worse
    assert worse[1][guard] == "guard of worse, 7 (worse over typo over base)", worse
    assert f"reload_failed {archer}: line 1, column 30: " in "".join(less[0]), less
    assert gone == ({f"reloaded {archer}", f"reloaded {guard}"}, BASE), gone


def a_new_file_that_is_broken_loads_once_it_is_mended(game):
    game.mod("bad", orc=b"{")
    game.mod("patch", orc=9)
    _, bad, patch = game.steps("+bad", "+patch")
    assert bad[1]["units/orc.json"] == "none (bad)", bad
    assert "failed units/orc.json: " in "".join(bad[0]), bad
    assert patch[0] == {"loaded units/orc.json"}, patch
    assert patch[1]["units/orc.json"] == "orc of patch, 9 (patch over bad)", patch


def the_same_steps_again_and_again_end_as_they_begin(game):
    steps = ["+giants", "+winter", "+typo", "-giants", "-typo", "-winter"] * 8
    assert game.steps(*steps)[-1][1] == BASE


def main():
    program, data, case = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        globals()[case](Game(program, data, folder))


if __name__ == "__main__":
    main()

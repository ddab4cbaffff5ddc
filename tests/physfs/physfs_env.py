#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""`overture physfs-env` with small games:

    physfs_env.py OVERTURE FOLDER_OF_LIBRARY GAME GAME_WITH_RPATH GAME_WITH_PHYSFS_INSIDE
"""

import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile


def main(overture, library, game, rpath_game, static_game):
    with tempfile.TemporaryDirectory() as name:
        box = pathlib.Path(name)
        environment = dict(os.environ, OVERTURE_PHYSFS=library, TMPDIR=str(box / "tmp"))
        environment.pop("LD_PRELOAD", None)
        (box / "tmp").mkdir()
        (box / "base").mkdir()
        (box / "base/bytes").write_bytes(b"x" * 100)
        (box / "base/numbers").write_bytes(bytes(40))

        def run(*words, code=0):
            done = subprocess.run([overture, "physfs-env", *words], cwd=box, env=environment,
                                  text=True, stdin=subprocess.DEVNULL, capture_output=True)
            assert done.returncode == code, (words, done)
            assert list((box / "tmp").iterdir()) == [], "no temporary file is left"
            return done

        def reported(*words, code=0):
            run("--json", "calls.json", "--", *words, code=code)
            (process,) = json.loads((box / "calls.json").read_text())["processes"]
            assert process["library"] == os.path.realpath(library) + "/libphysfs.so.1", process
            return process

        def check(process, ends):
            kinds = {row["kind"]: row for row in process["calls"]}
            counts = {kind: (row["calls"], row["failures"]) for kind, row in kinds.items()}
            assert counts["open"] == (5, 1), counts
            assert counts["read"] == (311, 1), counts
            assert counts["look up"] == (14, 12), counts
            assert counts["list"] == (1, 0) and counts["mount"] == (2, 1), counts
            assert counts["close"] == (4 if ends else 3, 0), counts
            sizes = {row["bytes_max"]: row["reads"] for row in process["reads"]}
            assert sizes[1] == 300 and sizes[4] == 11, sizes
            assert process["read_bytes"] == 340 and process["tiny_reads"] == 311
            threads = {row["name"]: row for row in process["threads"] if not row["main"]}
            assert threads["loader"]["calls"] == 309 and threads["loader"]["ns"] > 0, threads
            names = {row["name"]: row for row in process["names"]}
            assert names["bytes"]["opens"] == 3 and names["bytes"]["read_bytes"] == 300, names
            assert names["missing.cfg"]["misses"] == 12 and names["missing.png"]["misses"] == 1
            inside = sum(row["ns"] for row in process["threads"])
            assert 0 < process["start_main_ns"] < inside < 2 * process["run_ns"], process

            assert process["first_frame_ns"] >= process["start_ns"] > 0, process

        assert run("--", game, "base", "7", code=7).stdout == ""
        check(reported(game, "base", "7", code=7), True)
        check(reported(game, "base", "killed", code=137), False)
        check(reported(rpath_game, "base", "0"), True)

        # A script that starts the game.
        script = box / "start.sh"
        script.write_text(f'#!/bin/sh\n"{game}" base "$1"\n')
        script.chmod(0o755)
        check(reported(script, "5", code=5), True)

        text = run("--report", game, "base", "7", code=7).stdout
        for part in ("PhysicsFS", "missing.cfg", "loader", "first frame after",
                     "What to change in the game"):
            assert part in text, text

        # A report replaces reports alone, and only with what a game did.
        calls = box / "calls.json"
        old = calls.read_text()
        refused = run("--json", "calls.json", "--", "true", code=5).stderr
        assert "there is nothing to report" in refused and calls.read_text() == old, refused
        for text in ('{"player": "Anna"}', '{\n  "schema": 1,\n  "player": "Anna"\n}', "[1]"):
            calls.write_text(text)
            refused = run("--json", "calls.json", "--", game, "base", "0", code=2).stderr
            assert "has not written it" in refused and calls.read_text() == text, refused
        calls.unlink()
        script.write_text(f'#!/bin/sh\n"{game}" base 0\necho precious > calls.json\n')
        refused = run("--json", "calls.json", "--", script, code=5).stderr
        assert "another program has changed it" in refused, refused
        assert calls.read_text() == "precious\n", refused
        calls.unlink()

        # No room for the report: the game runs all the same.
        limited = box / "limited.sh"
        limited.write_text(f'#!/bin/sh\nulimit -f 1\nexec "{game}" base 7\n')
        limited.chmod(0o755)
        assert "called no function" in run("--report", "--", limited, code=7).stderr

        # What a killed run leaves, the next one removes.
        killed = subprocess.Popen([overture, "physfs-env", "--report", "--", "sleep", "1000"],
                                  cwd=box, env=environment, start_new_session=True)
        while not list((box / "tmp").glob("*/lock")):
            assert killed.poll() is None
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        run("--report", "true")

        # Mistakes.
        assert "PhysicsFS linked into it statically" in run(static_game, "base", "0", code=3).stderr
        assert "called no function" in run("--report", "true").stderr
        privileged = box / "privileged"
        shutil.copy(game, privileged)
        privileged.chmod(0o4755)
        assert "more rights than yours" in run(privileged, "base", "0", code=3).stderr
        privileged.chmod(0o755)
        if os.geteuid() == 0:  # only root gives capabilities to a file
            nice = struct.pack("<5I", 0x02000001, 1 << 23, 0, 0, 0)
            os.setxattr(privileged, "security.capability", nice)
            assert "more rights than yours" in run(privileged, "base", "0", code=3).stderr
        assert "no such program" in run("no-such-game", code=3).stderr
        assert "give the game" in run("--report", code=2).stderr
        run("--json", "no/folder", "--", game, "base", "7", code=5)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

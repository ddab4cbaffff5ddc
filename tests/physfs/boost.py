#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""`overture boost` with a small game: boost.py OVERTURE GAME FOLDER_OF_LIBRARY"""

import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import zipfile


def main(overture, game, library):
    with tempfile.TemporaryDirectory() as name:
        box = pathlib.Path(name)
        environment = dict(os.environ, XDG_CACHE_HOME=str(box / "cache"), OVERTURE_PHYSFS=library)

        def boost(*words, code=0, **more):
            done = subprocess.run([overture, "boost", *words], cwd=box, env=environment | more,
                                  text=True, stdin=subprocess.DEVNULL, capture_output=True)
            assert done.returncode == code, (words, done)
            return done

        def packs():
            return list((box / "cache/overture/boost").iterdir())

        (box / "base").mkdir()
        (box / "base/a").write_text("a" * 5000)
        (box / "base/b").write_text("b")
        with zipfile.ZipFile(box / "mod.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("maps/rome", "rome" * 5000)

        assert "no start packs" in boost("list").stdout
        # The game's own status and output.
        recorded = boost("record", "--", game, "base", "b", "a", code=7)
        assert recorded.stdout.startswith("b" + "a" * 5000), recorded
        assert "2 files, " in recorded.stdout and "overture boost run -- " in recorded.stdout
        assert (packs()[0].parent.stat().st_mode & 0o777) == 0o700
        ran = boost("run", "--", game, "base", "b", "a", code=7)
        assert ran.stdout == "b" + "a" * 5000 and ran.stderr == "", ran
        listed = boost("list").stdout.splitlines()
        assert len(listed) == 2 and listed[1].split()[:2] == ["2", "2"], listed
        assert listed[1].endswith(os.path.realpath(game)), listed
        assert "verified" in boost("verify").stdout

        # What comes from the pack is what the pack has: a byte changed there is noticed.
        pack = packs()[0]
        data = bytearray(pack.read_bytes())
        data[40] ^= 1
        pack.write_bytes(data)
        assert "1 damaged" in boost("verify", game, code=1).stdout
        ran = boost("run", game, "base", "b", "a", code=7)
        assert ran.stdout == "b" + "a" * 5000, ran

        # A file that has changed is not current, and read where it is.
        (box / "base/b").write_text("newer")
        assert boost("list").stdout.splitlines()[1].split()[:2] == ["2", "1"]
        ran = boost("run", game, "base", "b", code=7)
        assert ran.stdout == "newer" and ran.stderr == "", ran
        (box / "base/a").write_text("newer")
        assert "none of its 2 files is as it was" in boost("run", game, "base", "b", code=7).stderr

        # What still changes might change again without a difference in its times: left out. What
        # has just changed is waited for.
        ends = threading.Event()

        def change():
            while not ends.is_set():
                (box / "base/a").write_text("c" * 5000)

        changing = threading.Thread(target=change)
        changing.start()
        recorded = boost("record", "--", game, "base", "b", "a", code=7)
        ends.set()
        changing.join()
        assert "1 file, " in recorded.stdout and "1 file left out" in recorded.stdout, recorded
        assert time.time() - (box / "base/b").stat().st_ctime >= 2

        # An archive's entries; recording again replaces the pack.
        boost("record", "--", game, "mod.zip", "maps/rome", code=7)
        assert len(packs()) == 1, packs()
        ran = boost("run", "--", game, "mod.zip", "maps/rome", code=7)
        assert ran.stdout == "rome" * 5000, ran
        assert boost("list").stdout.splitlines()[1].split()[:2] == ["1", "1"]

        # Several processes that open the same files.
        script = box / "launcher"
        script.write_text(f'#!/bin/sh\n"{game}" base b a\n"{game}" base a b\nexit 0\n')
        script.chmod(0o755)
        recorded = boost("record", "--", script)
        assert "2 files, " in recorded.stdout, recorded
        assert len(packs()) == 2, packs()

        # A pack of nothing replaces no other one.
        before = [each.read_bytes() for each in packs()]
        script.write_text(f'#!/bin/sh\n"{game}" base b\nrm base/b\n')
        refused = boost("record", "--", script, code=5)
        assert "the old start pack is left as it is" in refused.stderr, refused
        assert [each.read_bytes() for each in packs()] == before
        (box / "base/b").write_text("newer")

        # A game that goes on in the background is waited for.
        os.mkfifo(box / "pipe")
        recording = subprocess.Popen([overture, "boost", "record", "--", game, "--background",
                                      "pipe", "base", "b"], cwd=box, env=environment, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert "goes on in the background" in recording.stderr.readline()
        (box / "pipe").write_text("")
        said, _ = recording.communicate()
        assert "1 file, " in said and recording.returncode == 0, said

        # The game is gone, but not its pack.
        script.unlink()
        assert "has no start pack" in boost("clear", "unknown", code=3).stderr
        left = box / "cache/overture/boost/.overture-0123456789abc.tmp"
        left.mkdir()
        (left / "lock").write_text("the temporary files of overture\n")
        (left / "log").touch()
        assert "1 start pack deleted" in boost("clear", "launcher").stdout
        assert len(packs()) == 2

        # A pack that cannot be used, or no place for it: the game runs, and the user is told.
        def run_without(why, **more):
            ran = boost("run", "--", game, "base", "b", code=7, **more)
            assert ran.stdout == "newer" and why in ran.stderr, (why, ran)

        pack.write_bytes(pack.read_bytes()[:-1])
        run_without("cut off")
        assert "cut off" in boost("list").stdout
        pack.rename(box / "elsewhere")
        pack.symlink_to(box / "elsewhere")
        run_without("is a link, or other users")
        assert "is a link" in boost("list").stdout
        far = (box / "elsewhere").read_bytes()
        kept = boost("record", "--", game, "base", "b", code=5).stderr
        assert "this is no start pack" in kept and pack.is_symlink(), kept
        assert (box / "elsewhere").read_bytes() == far
        boost("clear")
        assert packs() == []
        run_without("none yet")
        run_without("set HOME or XDG_CACHE_HOME", HOME="", XDG_CACHE_HOME="relative")
        run_without("none yet", XDG_CACHE_HOME=str(box / "unused"))
        assert not (box / "unused").exists()
        run_without("", XDG_CACHE_HOME=str(box / "base/b"))
        boost("record", "--", game, "base", "b", code=5, XDG_CACHE_HOME=str(box / "base/b"))
        boost("record", "--", game, "base", "b", code=7)
        boost("run", "--", game, "base", "b", code=7)

        # No room for what the game opens: told before the game starts.
        full = subprocess.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "sh", overture,
                               "boost", "record", "--", game, "base", "b"], cwd=box, text=True,
                              env=environment, capture_output=True)
        assert full.returncode == 5 and "is the disk full" in full.stderr, full
        assert full.stdout == "" and len(packs()) == 1, full

        # Mistakes.
        assert "opened no file with PhysicsFS" in boost("record", "--", "true", code=3).stderr
        assert "no such program" in boost("record", "--", "no-such-game", code=3).stderr
        assert "give the game" in boost("record", code=2).stderr
        assert "record, run, list" in boost("play", code=2).stderr
        assert "runs without a start pack (it has none yet)" in boost("run", "--", "true").stderr
        assert "1 start pack deleted" in boost("clear", game).stdout
        assert packs() == []

        # Two recordings of one game at the same time.
        pipes = [box / "one", box / "two"]
        recordings = []
        for pipe in pipes:
            os.mkfifo(pipe)
            words = (overture, "boost", "record", "--", game, "--background", pipe, "base", "b")
            recordings.append(subprocess.Popen(words, cwd=box, env=environment, text=True,
                                               stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        for each in recordings:
            assert "goes on in the background" in each.stderr.readline()
        boost("clear")
        for pipe, each in zip(pipes, recordings):
            pipe.write_text("")
            said, error = each.communicate()
            assert "1 file, " in said and each.returncode == 0, (said, error)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

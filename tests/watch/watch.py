#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""`overture watch` with small programs, one flaw or one misfortune each:

    watch.py OVERTURE LIBRARY GAME STATIC_GAME [CASE]
"""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

# Long waits and calls, which the program's own clock measures as well as the recorder.
TIMED = ("lock-over-files", "sleeping", "polling", "waking", "allocating", "decodes-alone",
         "decodes-on-main", "servers", "programs", "unseen")
SPINS = ("spins-by-yield", "spins-by-clock", "spins-by-poll", "spins-by-trylock")
# Calls so short that a clock around them, or the recorder, takes as long as they do.
COUNTED = {"tiny-reads": "200,020 of 200,020", "listing": "120,400 entries",
           "misses": "20,000 look-ups of 50 names failed",
           "look-ups": "30,000 questions about 1 name",
           "printing": "40,001 writes: (standard error) (40,000)",
           "opens-again": "41,000 opens, 40,000 of them while the file was open"}


class Box:
    def __init__(self, overture, library, path):
        self.overture, self.path = overture, pathlib.Path(path)
        self.environment = dict(os.environ, OVERTURE_WATCH_LIBRARY=library,
                                TMPDIR=str(self.path / "tmp"), HOME=str(self.path / "home"))
        self.environment.pop("LD_PRELOAD", None)
        for name in ("tmp", "home", "data"):
            (self.path / name).mkdir()

    def run(self, *words, code=0, preexec_fn=None, **more):
        done = subprocess.run([self.overture, "watch", *map(str, words)], cwd=self.path,
                              env={**self.environment, **more}, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              preexec_fn=preexec_fn)
        assert done.returncode == code, (words, done)
        assert list((self.path / "tmp").iterdir()) == [], "no temporary file is left"
        return done

    def report(self, game, what, *options, code=0, **more):
        """What the program printed first, and the report."""
        done = self.run("--json", "out.json", *options, "--", game, what, self.path / "data",
                        code=code, **more)
        report = json.loads((self.path / "out.json").read_text(encoding="utf-8"))
        return done.stdout.split("\n")[0], report

    def file(self, report, name):
        wanted = str(self.path / "data" / name)
        (found,) = [each for each in report["files"] if each["path"] == wanted]
        return found


def names_the_cause(box, game, what, kind=None):
    kind = kind or what
    if kind == "listing":
        (box.path / "data" / "tiles").mkdir()
        for i in range(600):
            (box.path / "data" / "tiles" / str(i)).touch()
    printed, report = box.report(game, what)
    first = report["findings"][0]
    assert first["kind"] == kind, report["findings"]
    if kind in COUNTED:
        assert COUNTED[kind] in first["evidence"][0], first
    else:
        # Between the two clocks a thread may have had no core: the kernel says for how long.
        took, queued = int(printed), sum(each["queued_ns"] for each in report["threads"])
        share = 0.5 if kind == "allocating" else 0.05  # of which one call in 61 is timed
        assert abs(first["ns"] - took) < took * share + queued, (first, took, queued)
    if kind.startswith("decodes"):
        (gain,) = report["gains"]
        assert gain["kind"] == "decoding-on-threads", gain
        assert first["ns"] * 0.4 < gain["ns"] < first["ns"], (gain, first)
    if kind == "lock-over-files":
        assert "big.pak" in " ".join(first["evidence"]), first


def spins_on_a_flag(box, game):
    """Only samples see that, where the system has perf events for this user."""
    _, report = box.report(game, "spins-on-a-flag")
    if report["sample_ns"] == 0:
        assert "spin without calling" in " ".join(report["limits"]), report["limits"]
        return
    assert not report["limits"], report["limits"]
    names_the_cause(box, game, "spins-on-a-flag", "spinning")


def searches_by_streams(box, game):
    """What the library of C++ looks for is of the program's function."""
    _, report = box.report(game, "searches-by-streams")
    first = report["findings"][0]
    assert first["kind"] == "misses", first
    assert "40,000 look-ups of 50 names" in first["evidence"][0], first
    assert first["evidence"][1].startswith("From searches_by_streams "), first


def names_lines(box, game):
    """Of inlined code, also where debug information lies apart, or is missing."""
    def place(program, ending):
        _, report = box.report(program, "inlined")
        (found,) = [each["place"] for each in report["call_sites"]
                    if each["what"] == "open" and "inlined" in each["place"]]
        assert found.endswith(ending), found
        return found

    source = pathlib.Path(__file__).with_name("watched_game.cpp").read_text(encoding="utf-8")
    (line,) = [i for i, text in enumerate(source.split("\n"), 1) if "file(std::fopen(path" in text]
    whole = place(game, " in watched_game")
    if "(" not in whole:
        return  # this build knows no lines
    lines = [f"opens_inlined (watched_game.cpp:{line + i}) in watched_game" for i in (0, 1)]
    assert whole in lines, (whole, lines)
    bare = box.path / "bare"
    for words in (["--only-keep-debug", game, box.path / "bare.debug"],
                  ["--strip-debug", game, bare],
                  [f"--add-gnu-debuglink={box.path / 'bare.debug'}", bare]):
        subprocess.run(["objcopy", *words], check=True)
    assert place(bare, " in bare") == whole.replace("in watched_game", "in bare")
    (box.path / "bare.debug").unlink()
    assert place(bare, " in bare") == "opens_by_inlined_code in bare"


def first_by_samples(box, game, what, kind):
    """What the program printed, and the first finding; None where the system refuses samples."""
    printed, report = box.report(game, what)
    if report["sample_ns"] == 0:
        return printed, None
    first = report["findings"][0]
    assert first["kind"] == kind, report["findings"]
    return printed, first


def parses_by_sscanf(box, game):
    _, first = first_by_samples(box, game, "parses-by-sscanf", "computing")
    if not first:
        return
    words = " ".join([first["what"], *first["evidence"]])
    assert "strlen" in words or "rawmemchr" in words, first
    assert "sscanf()" in first["advice"], first
    if os.uname().machine == "x86_64":
        assert "in watched_game. By samples: parses_by_sscanf" in words, first


def throws(box, game):
    _, first = first_by_samples(box, game, "throws", "exceptions")
    named = [each for each in first["evidence"] if each.startswith("Thrown ")] if first else []
    assert all(each.startswith("Thrown in throws in ") for each in named), first


def new_memory(box, game):
    """The kernel's time is what samples do not see."""
    printed, first = first_by_samples(box, game, "new-memory", "new-memory")
    assert not first or int(printed) / 2 < first["ns"] <= int(printed), (printed, first)


def wakes(box, game):
    """Each kind of call that wakes, where a thread sleeps."""
    _, report = box.report(game, "wakes")
    sites = [each for each in report["call_sites"] if each["what"] == "waking others"]
    assert sorted(each["calls"] for each in sites) == [1, 1, 3], report["call_sites"]
    waits = [each["what"] for each in report["call_sites"] if each["waits"]]
    assert waits.count("a semaphore") == 2 and waits.count("a futex") == 1, waits


def own_code(box, game):
    """Where the system has perf events for this user."""
    _, report = box.report(game, "own-code")
    if report["sample_ns"] == 0:
        assert report["code"] == []
        return
    first = report["code"][0]
    assert first["code"] == "spins_for_a_while in watched_game", report["code"]
    (main,) = [each for each in report["threads"] if each["name"] == "main"]
    assert first["main_ns"] > 0.7 * main["core_ns"], (first, main)


def libraries(box, game):
    """All behaves as without the recorder, and is recorded."""
    alone = subprocess.run([game, "libraries", "."], check=False, capture_output=True, text=True)
    assert alone.returncode == 0, alone.stdout
    _, report = box.report(game, "libraries")
    calls = {each["what"]: each["calls"] for each in report["call_sites"] if not each["waits"]}
    assert calls["ov_read"] == 1 and calls["tjDecompress2"] == 1, calls
    opens = [each for each in report["call_sites"] if each["what"] == "ov_open_callbacks"]
    assert sum(each["calls"] for each in opens) == 4, opens
    assert any(place.startswith("version_in_plugin ") and place.endswith(" in libwatched_plugin.so")
               for place in [each["place"] for each in opens]), opens


def frames(box, game):
    assert subprocess.run([game, "frames", "."], check=False).returncode == 0
    _, report = box.report(game, "frames")
    assert report["frames"] == 2 and report["first_frame_ns"] > 0, report["frames"]


def plug_ins(box, game):
    """What only a plug-in has is called there, though the recorder has the same names."""
    plain = pathlib.Path(game).with_name("watched_plain_game")
    printed, report = box.report(plain, "any")
    assert printed == "1042", printed
    assert report["frames"] == 1, report["frames"]
    assert box.file(report, "of-the-plug-in")["bytes"] == 2, report["files"]


def survives(box, game, what, code):
    printed, report = box.report(game, what, code=code)
    assert printed == "", printed
    before = box.file(report, "before")
    assert before["opens"] >= 1 and before["bytes"] == 10, before


def killed(box, game):
    survives(box, game, "killed", 128 + signal.SIGKILL)
    _, report = box.report(game, "killed", code=128 + signal.SIGKILL)
    assert any(lock["ns"] > 150_000_000 for lock in report["locks"]), report["locks"]


def many_threads(box, game):
    core_ns, report = box.report(game, "many-threads")
    short = [each for each in report["threads"] if each["name"].startswith("short")]
    assert len(short) == 1000
    # Most of them live from one tick of the kernel to the next.
    assert sum(each["core_ns"] for each in short) > int(core_ns) / 2, core_ns
    assert report["lost_events"] == 0


def closes_everything(box, game):
    _, report = box.report(game, "closes-everything")
    assert box.file(report, "before")["look_ups"] == 40_000
    assert box.file(report, "after")["bytes"] == 10


def forks(box, game):
    _, report = box.report(game, "forks")
    names = [each["path"].rsplit("/")[-1] for each in report["files"]]
    assert "before" in names and "after" in names and "child" not in names, names
    assert "--follow watches them" in box.run("--", game, "forks", box.path / "data").stderr
    done = box.run("--follow", "--json", "out.json", "--", game, "forks", box.path / "data")
    assert not done.stderr, done.stderr
    assert "Other programs that ran" in done.stdout, done.stdout


def changes_folder(box, game):
    _, report = box.report(game, "changes-folder")
    assert box.file(report, "inner/relative\nname")["opens"] == 3


def streams(box, game):
    _, report = box.report(game, "streams")
    text = box.file(report, "text")
    assert text["opens"] == 2 and text["bytes"] == 20 and text["reads"] == 0, text
    assert text["bytes_written"] == 20, text


def full(box, game):
    _, report = box.report(game, "misses", OVERTURE_WATCH_CHUNKS="20")
    assert report["lost_events"] > 10_000, report["lost_events"]
    assert "did not fit" in box.run("--", game, "misses", box.path / "data",
                                    OVERTURE_WATCH_CHUNKS="20").stdout


def repeats(box, game):
    """The report is of the median run; two of them can be compared."""
    report = box.report(game, "streams", "--repeat", 3)[1]
    runs = [each["ns"] for each in report["repeats"]["runs"]]
    assert len(runs) == 3 and not report["repeats"]["cold"], runs
    assert report["load_ns"] == sorted(runs)[1] == runs[report["repeats"]["shown"]], runs
    assert report["load_ns"] == report["repeats"]["median_ns"], report["repeats"]
    done = box.run("--repeat", 2, "--progress", "always", "--html", "out.html", "--", game, "exit",
                   box.path / "data", code=7)
    assert "run 2 of 2: " in done.stderr and "The median of 2 runs: " in done.stdout, done
    assert "The median of 2 runs: " in (box.path / "out.html").read_text(encoding="utf-8")
    compared = subprocess.run([box.overture, "compare", "out.json", "out.json"], cwd=box.path,
                              capture_output=True, text=True, check=True)
    assert "3 runs of out.json with 3 runs of out.json" in compared.stdout, compared.stdout


def repeats_end(box, game):
    """With a signal to the command: the report is of the runs that were whole."""
    script = box.path / "game.sh"
    script.write_text("#!/bin/sh\n"
                      "if [ -e ran ]; then kill -TERM $PPID; exec sleep 20; fi\n"
                      "touch ran\n")
    script.chmod(0o755)
    box.run("--repeat", 3, "--json", "out.json", "--", script, code=128 + signal.SIGTERM)
    report = json.loads((box.path / "out.json").read_text(encoding="utf-8"))
    assert len(report["repeats"]["runs"]) == 1, report["repeats"]
    del game


def is_cold(box, game):
    """What only the first run read is not in the page cache at the end."""
    once = box.path / "data" / "once"
    once.write_bytes(b"x" * (1 << 20))
    script = box.path / "game.sh"
    script.write_text('#!/bin/sh\nif [ ! -e ran ]; then cat data/once; touch ran; fi | wc -c\n')
    script.chmod(0o755)
    done = box.run("--cold", "--progress", "always", "--json", "out.json", "--", script)
    assert done.stdout.startswith("1048576\n0\n"), done.stdout[:100]
    assert "a first run read " in done.stderr and "run 1 of 1: " in done.stderr, done.stderr
    assert "The run was cold." in done.stdout, done.stdout
    report = json.loads((box.path / "out.json").read_text(encoding="utf-8"))
    assert report["repeats"]["cold"] and len(report["repeats"]["runs"]) == 1, report["repeats"]
    if "page cache" not in done.stderr:  # which file systems in memory are
        resident = subprocess.run(["fincore", "-nbo", "RES", once], capture_output=True, text=True,
                                  check=True)
        assert resident.stdout.strip() == "0", resident.stdout
    del game


def allocates_anywhere(box, game):
    """Also where another allocator is preloaded, if this system has one."""
    _, report = box.report(game, "allocates-anywhere")
    assert box.file(report, "after")["bytes"] == 10
    counted = sum(each["calls"] for each in report["call_sites"] if each["what"] == "allocating")
    assert 70_000 < counted < 100_000, counted
    folders = [pathlib.Path("/usr") / each for each in ("lib", "lib/x86_64-linux-gnu", "lib64")]
    for name in ("libjemalloc.so.2", "libtcmalloc_minimal.so.4"):
        for library in [each / name for each in folders if (each / name).exists()][:1]:
            _, report = box.report(game, "allocates-anywhere", LD_PRELOAD=str(library))
            assert box.file(report, "after")["bytes"] == 10


def own_malloc(box, game):
    """None of its calls is seen, and the report says so."""
    printed, report = box.report(pathlib.Path(game).parent / "watched_own_malloc", "")
    assert printed == "1", printed
    assert any("allocator of its own" in each for each in report["limits"]), report["limits"]


def binds_deep(box, game):
    """What such a library does is not seen, and the report says so."""
    _, report = box.report(game, "binds-deep")
    assert box.file(report, "after")["bytes"] == 10
    assert box.file(report, "by-plugin")["bytes"] == 0
    (limit,) = [each for each in report["limits"] if "RTLD_DEEPBIND" in each]
    assert limit.startswith("libwatched_plugin.so "), limit


def raw_threads(box, game):
    _, report = box.report(game, "raw-threads")
    assert box.file(report, "before")["bytes"] == 10
    assert box.file(report, "after")["bytes"] == 10
    assert any("by clone()" in each for each in report["limits"]), report["limits"]


def changes_root(box, game):
    """If this user may."""
    if subprocess.run([game, "changes-root", box.path / "data"], check=False).returncode == 77:
        return
    _, report = box.report(game, "changes-root")
    assert [each["bytes"] for each in report["files"] if each["path"] == "/after"] == [10]
    assert [each["look_ups"] for each in report["files"] if each["path"] == "/before"] == [40_000]
    assert any("chroot()" in each for each in report["limits"]), report["limits"]


def ends_in_time(box, game):
    script = box.path / "game.sh"
    script.write_text('#!/bin/sh\necho started\nexec sleep 100\n')
    script.chmod(0o755)
    done = box.run("--until", "0.5", "--", script)
    assert "started" in done.stdout and "It ran for" in done.stdout, done.stdout
    del game


def has_no_room(box, game):
    """For a recording: its folder is full, or files may not be so large."""
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    for until in ((), ("--until", "0.5")):
        done = box.run(*until, "--", "/bin/sleep", "1", code=5, preexec_fn=small_files)
        assert "no room to record" in done.stderr and "TMPDIR" in done.stderr, done.stderr
    del game


def writes_pages_and_records(box, game):
    box.run("--html", "out.html", "--record", "out.record", "--tree", "data", "--anonymous", "--",
            game, "exit", box.path / "data", code=7)
    page = (box.path / "out.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "Call sites" in page
    lines = (box.path / "out.record").read_text(encoding="utf-8").split("\n")
    assert lines[0] == "overture-load-record 1" and not lines[1], "what was written is no content"


def refuses(box, game, static_game):
    for words, text in ((["/no/such/program"], "no such program"),
                        ([static_game, "x", "y"], "linked statically")):
        done = box.run("--", *words, code=3)
        assert text in done.stderr, done.stderr
    assert "give the program" in box.run(code=2).stderr
    assert "give frame, menu" in box.run("--until", "never", "--", game, code=2).stderr
    wrong = box.run("--record", "out.record", "--tree", "nowhere", "--", game, code=3)
    assert "nowhere" in wrong.stderr and not (box.path / "out.record").exists(), wrong.stderr
    raised = box.path / "raised"
    raised.write_bytes(pathlib.Path(game).read_bytes())
    raised.chmod(0o4755)
    assert "more rights" in box.run("--", raised, code=3).stderr
    sanitized = pathlib.Path(game).with_name("watched_sanitized_game")
    assert "sanitizer" in box.run("--", sanitized, code=3).stderr
    steam = box.path / "_v2-entry-point"
    steam.write_text("#!/bin/sh\n")
    steam.chmod(0o755)
    assert "PRESSURE_VESSEL_SHELL" in box.run("--", steam, code=3).stderr


def names_of_a_sanitizer(box, game):
    """As texts, which a compiler has: no obstacle."""
    compiler = box.path / "compiler"
    compiler.write_bytes(pathlib.Path(game).read_bytes() + b"\0__asan_init\0")
    compiler.chmod(0o755)
    box.run("--", compiler, "exit", box.path / "data", code=7)


def app_image(box, game):
    """What it starts is watched; else it is said how to take it apart."""
    made = box.path / "Game.AppImage"
    content = bytearray(pathlib.Path(game).with_name("watched_app_image").read_bytes())
    content[8:11] = b"AI\x02"
    made.write_bytes(content)
    made.chmod(0o755)
    box.run("--json", "out.json", "--", made, game, "streams", box.path / "data")
    report = json.loads((box.path / "out.json").read_text(encoding="utf-8"))
    assert box.file(report, "text")["opens"] == 2, report["files"]
    assert "--appimage-extract" in box.run("--", made, code=3).stderr


def watches_a_watch(box, game):
    done = box.run("--follow", "--", box.overture, "watch", "--", game, "exit",
                   box.path / "data", code=7)
    assert done.stdout.count("What to change") == 2, done.stdout


CASES = {
    **{kind: lambda box, game, _, kind=kind: names_the_cause(box, game, kind)
       for kind in (*TIMED, *COUNTED)},
    **{what: lambda box, game, _, what=what: names_the_cause(box, game, what, "spinning")
       for what in SPINS},
    "spins-on-a-flag": lambda box, game, _: spins_on_a_flag(box, game),
    "searches-by-streams": lambda box, game, _: searches_by_streams(box, game),
    "lines": lambda box, game, _: names_lines(box, game),
    "parses-by-sscanf": lambda box, game, _: parses_by_sscanf(box, game),
    "throws": lambda box, game, _: throws(box, game),
    "new-memory": lambda box, game, _: new_memory(box, game),
    "wakes": lambda box, game, _: wakes(box, game),
    "own-code": lambda box, game, _: own_code(box, game),
    "libraries": lambda box, game, _: libraries(box, game),
    "frames": lambda box, game, _: frames(box, game),
    "plug-ins": lambda box, game, _: plug_ins(box, game),
    "abort": lambda box, game, _: survives(box, game, "abort", 128 + signal.SIGABRT),
    "crash": lambda box, game, _: survives(box, game, "crash", 128 + signal.SIGSEGV),
    "_exit": lambda box, game, _: survives(box, game, "_exit", 9),
    "exit": lambda box, game, _: survives(box, game, "exit", 7),
    "killed": lambda box, game, _: killed(box, game),
    "many-threads": lambda box, game, _: many_threads(box, game),
    "closes-everything": lambda box, game, _: closes_everything(box, game),
    "forks": lambda box, game, _: forks(box, game),
    "allocates-anywhere": lambda box, game, _: allocates_anywhere(box, game),
    "own-malloc": lambda box, game, _: own_malloc(box, game),
    "binds-deep": lambda box, game, _: binds_deep(box, game),
    "raw-threads": lambda box, game, _: raw_threads(box, game),
    "changes-root": lambda box, game, _: changes_root(box, game),
    "changes-folder": lambda box, game, _: changes_folder(box, game),
    "streams": lambda box, game, _: streams(box, game),
    "full": lambda box, game, _: full(box, game),
    "no-room": lambda box, game, _: has_no_room(box, game),
    "repeats": lambda box, game, _: repeats(box, game),
    "repeats-end": lambda box, game, _: repeats_end(box, game),
    "cold": lambda box, game, _: is_cold(box, game),
    "ends-in-time": lambda box, game, _: ends_in_time(box, game),
    "pages-and-records": lambda box, game, _: writes_pages_and_records(box, game),
    "refuses": refuses,
    "names-of-a-sanitizer": lambda box, game, _: names_of_a_sanitizer(box, game),
    "app-image": lambda box, game, _: app_image(box, game),
    "watches-a-watch": lambda box, game, _: watches_a_watch(box, game),
}


def main(overture, library, game, static_game, *cases):
    overture, library, game, static_game = map(os.path.abspath,
                                               (overture, library, game, static_game))
    for case in cases or CASES:
        with tempfile.TemporaryDirectory() as path:
            CASES[case](Box(overture, library, path), game, static_game)


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
    else:
        main(*sys.argv[1:])

# SPDX-License-Identifier: Zlib
"""Streams, terminals and signals."""

import json
import os
import pathlib
import re
import signal
import subprocess

from harness import TIME_LIMIT_S, case, interrupt_load, read_until

ESCAPE = "\x1b"


def catches(process, kind):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (kind - 1) & 1


@case()
def help_and_version_are_printed(box):
    version = box.run("--version")
    assert version.code == 0 and re.fullmatch(r"overture \d+\.\d+\.\d+\n", version.out), version
    assert box.run("-V").out == version.out
    for arguments in (("--help",), ("-h",), ("help",)):
        result = box.run(*arguments)
        assert result.code == 0 and "Usage: overture COMMAND" in result.out, result
    for arguments in (("help", "load"), ("load", "--help"), ("load", "x", "-h")):
        result = box.run(*arguments)
        assert result.code == 0 and "Usage: overture load" in result.out, result
        assert "130  interrupted" in result.out, result
    alone = box.run()
    assert (alone.code, alone.out) == (2, "") and "Usage:" in alone.err, alone


@case()
def mistakes_exit_with_2_and_point_to_the_help(box):
    for arguments, expected in (
        (("laod",), "did you mean 'load'?"),
        (("load", "--thread=2", "x"), "did you mean '--threads'?"),
        (("load", "x", "--threads", "many"), "'many' is not a whole number"),
        (("load", "x", "--color=blue"), "'blue' is not one of"),
        (("load",), "nothing to load"),
    ):
        result = box.run(*arguments)
        assert (result.code, result.out) == (2, ""), result
        assert result.err.startswith("error: ") and expected in result.err, result
        assert "Run 'overture help" in result.err, result


@case()
def a_closed_pipe_is_not_an_error(box):
    mounts = box.game()
    for more in ((), ("--json",), ("--trace", "-")):
        reader, writer = os.pipe()
        os.close(reader)
        result = box.load(*mounts, *more, stdout=writer)
        os.close(writer)
        assert result.code == 0 and "error" not in result.err, result
    command = f"'{box.overture}' load base dlc.zip --json | head -c 0"
    shell = ["bash", "-o", "pipefail", "-c", command]
    assert subprocess.run(shell, cwd=box.folder, timeout=TIME_LIMIT_S).returncode == 0


@case()
def output_that_cannot_be_written_is_an_error(box):
    mounts = box.game()
    with open("/dev/full", "wb") as full:
        for more in ((), ("--json",), ("--trace", "-")):
            result = box.load(*mounts, *more, stdout=full)
            assert result.code == 5 and "No space left on device" in result.err, result
        assert box.run("--version", stdout=full).code == 5
    result = box.load(*mounts, "--trace", "/dev/full")
    assert result.code == 5 and "error: /dev/full: " in result.err, result
    assert "7 files" in result.out, result
    result = box.load(*mounts, "--trace", "no/such/folder.json")
    assert result.code == 5 and "error: no/such/folder.json: " in result.err, result


def check_trace(text):
    """Checks that Perfetto and Tracy can read a trace; returns its events."""
    document = json.loads(text)
    events = document["traceEvents"]
    for event in events:
        assert type(event["pid"]) is int and type(event["tid"]) is int, event
        if event["ph"] == "X":
            assert event["ts"] >= 0 and event["dur"] >= 0, event
    # On one track, overlapping spans nest.
    tracks = {}
    for event in events:
        if event["ph"] == "X":
            tracks.setdefault(event["tid"], []).append((event["ts"], event["ts"] + event["dur"]))
    for spans in tracks.values():
        open_ends = []
        for begin, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1] <= begin + 1e-6:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1] + 1e-6, (begin, end, open_ends)
            open_ends.append(end)
    return events


@case()
def trace_can_be_read_by_viewers(box):
    mounts = box.game()
    result = box.load(*mounts, "--threads", 2, "--trace", "load.json")
    assert result.code == 0, result
    events = check_trace((box.folder / "load.json").read_text())
    names = {event["name"] for event in events if event["ph"] == "X"}
    assert names >= {"resolve", "read", "unpack", "decode", "finalize", "mount", "freeze"}, names
    threads = {
        event["args"]["name"]
        for event in events
        if event["ph"] == "M" and event["name"] == "thread_name"
    }
    assert threads >= {"main", "worker 1"}, threads
    read = {
        event["args"]["subject"]: event["args"]["layer"]
        for event in events
        if event["ph"] == "X" and event["args"].get("sync", "offset" in event["args"])
    }
    assert read["maps/ostia.txt"] in mounts and len(set(read.values())) > 1, read

    result = box.load(*mounts, "--trace", "-")
    assert result.code == 0 and "7 files" in result.err, result
    check_trace(result.out)


@case()
def output_to_a_pipe_has_no_escape_codes(box):
    result = box.load(*box.game())
    assert ESCAPE not in result.out + result.err, result
    assert result.err == "", result


@case()
def colours_are_used_on_capable_terminals_only(box):
    mounts = box.game()
    assert ESCAPE in box.load(*mounts, "--color=always").out
    assert ESCAPE in box.on_terminal("load", *mounts).out
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        result = box.on_terminal("load", *mounts, "--progress=never", env=env)
        assert result.code == 0 and ESCAPE not in result.out, (env, result)
    assert ESCAPE in box.on_terminal("load", *mounts, env={"NO_COLOR": ""}).out
    assert ESCAPE not in box.on_terminal("load", *mounts, "--color=never", "--progress=never").out
    mistake = box.on_terminal("load", "missing", env={"TERM": "dumb"})
    assert mistake.code == 3 and ESCAPE not in mistake.out, mistake


@case("slow")
def interrupting_stops_the_load_and_still_reports(box):
    box.endless()
    for kind in (signal.SIGINT, signal.SIGTERM):
        result = interrupt_load(box, "endless", "--json", "--trace=t.json", kind=kind)
        assert result.code == 130, result
        assert "interrupted; finishing files in flight" in result.err, result
        report = result.json()
        assert report["interrupted"] is True and report["cancelled"] > 0, report
        assert report["files"] + report["failed"] + report["cancelled"] == 8000, report
        assert report["failed"] == 0 and report["failures"] == [], report["failures"]
        check_trace((box.folder / "t.json").read_text())
    text = interrupt_load(box, "endless")
    assert text.code == 130, text
    assert "not loaded; the report is partial" in text.out, text


@case("native")  # an emulator catches each signal itself
def a_trace_waits_for_the_reader_of_a_pipe_or_for_an_interrupt(box):
    box.write("game/a.txt", b"a")
    os.mkfifo(box.folder / "pipe")
    process = box.start("load", "game", "--trace", "pipe")
    check_trace((box.folder / "pipe").read_text())  # waits for the writer
    out, err = process.communicate(timeout=TIME_LIMIT_S)
    assert (process.returncode, err) == (0, b"") and out, err

    process = box.start("load", "game", "--trace", "pipe")
    try:
        while not catches(process, signal.SIGINT):
            os.sched_yield()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIME_LIMIT_S)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, b""), (process.returncode, out)
    assert err == b"error: pipe: interrupted; no program reads this pipe\n", err


@case("slow")
def progress_never_goes_back(box):
    box.endless(100)
    process = box.start("load", "endless", "--progress=always", "--threads=2")
    _, err = process.communicate(timeout=TIME_LIMIT_S)
    assert process.returncode == 0, err
    percents = [int(text) for text in re.findall(r"(\d+) %", err.decode())]
    files = [int(text) for text in re.findall(r"(\d+)/100 files", err.decode())]
    assert percents and percents == sorted(percents), percents
    assert files and files == sorted(files), files
    assert err.decode().endswith("\r\x1b[K\r"), err[-200:]
    assert b"\n" not in err, err

    dumb = box.start("load", "endless", "--progress=always", env={"TERM": "dumb"})
    _, err = dumb.communicate(timeout=TIME_LIMIT_S)
    assert ESCAPE.encode() not in err and b"files" in err, err
    quiet = box.load("endless", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", ""), quiet


@case("slow")
def a_second_interrupt_quits_at_once(box):
    box.endless()
    # A report larger than a pipe's buffer, and no reader.
    for i in range(2000):
        os.symlink("/nowhere", box.folder / f"endless/link{i:05}{'x' * 60}")
    process = box.start("load", "endless", "--json", "--progress=always")
    try:
        read_until(process.stderr, b"files")
        process.send_signal(signal.SIGINT)
        read_until(process.stderr, b"interrupted; finishing files in flight")
        process.send_signal(signal.SIGINT)
        assert process.wait(TIME_LIMIT_S) == 130, process.returncode
    finally:
        process.kill()
        process.stdout.close()
        process.stderr.close()

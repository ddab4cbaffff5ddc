# SPDX-License-Identifier: Zlib
"""`overture save-bench`."""

import os
import resource
import signal

from harness import TIME_LIMIT_S, case

STAGES = ["make", "write", "store", "fetch", "verify", "parse", "compare"]


@case()
def save_bench_saves_loads_and_reports_the_stages(box):
    other = box.write("one.save.new", "another save of the player")
    result = box.run("save-bench", "--objects", 5000, "--rounds", 2, "--file", "one.save")
    assert other.read_text() == "another save of the player"
    assert result.code == 0 and result.err == "", result
    assert "5,000 objects in 5 pages" in result.out, result
    assert [line.split()[0] for line in result.out.split("\n")[3:] if line] == STAGES, result
    saved = (box.folder / "one.save").read_bytes()
    assert saved.startswith(b"#overture-save 01 ") and saved.count(b"\nunit={ ") == 5000
    assert not list(box.folder.glob(".overture-*"))

    # The same bytes for any number of threads.
    result = box.run("save-bench", "--objects", 5000, "--threads", 3, "--file", "three.save")
    assert result.code == 0, result
    assert (box.folder / "three.save").read_bytes() == saved


@case()
def save_bench_prints_json(box):
    found = box.run("save-bench", "--objects", 2000, "--rounds", 1, "--json").json()
    assert found["objects"] == 2000 and found["pages"] == 2 and found["bytes"] > 100000, found
    assert list(found["seconds"]) == STAGES, found
    assert list(box.folder.iterdir()) == []


@case()
def save_bench_shows_progress(box):
    result = box.run("save-bench", "--objects", 300000, "--rounds", 2, "--progress", "always")
    assert result.code == 0 and "round 1 of 2" in result.err, result


@case()
def save_bench_keeps_the_old_save_if_the_new_one_cannot_be_written(box):
    assert box.run("save-bench", "--objects", 1000, "--file", "one.save").code == 0
    saved = (box.folder / "one.save").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        words = ("save-bench", "--objects", 50000, "--overwrite", "--file", "one.save")
        result = box.run(*words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert result.code == 5 and "one.save: " in result.err, result
    assert (box.folder / "one.save").read_bytes() == saved
    assert not list(box.folder.glob(".overture-*"))


@case()
def save_bench_replaces_nothing_unasked(box):
    box.write("one.save", "of the player")
    refused = box.run("save-bench", "--objects", 10, "--file", "one.save")
    assert refused.code == 2 and "one.save: file exists; " in refused.err, refused
    assert (box.folder / "one.save").read_text() == "of the player"


@case()
def save_bench_replaces_regular_files_only(box):
    os.mkfifo(box.folder / "pipe")
    result = box.run("save-bench", "--objects", 10, "--file", "pipe")
    assert result.code == 5 and "pipe: " in result.err, result
    assert (box.folder / "pipe").is_fifo()


@case()
def save_bench_reports_mistakes(box):
    result = box.run("save-bench", "--objects", 10, "--file", "missing/one.save")
    assert result.code == 5 and "missing/one.save: cannot create" in result.err, result
    result = box.run("save-bench", "--objects", 10, env={"TMPDIR": "missing"})
    assert result.code == 5 and "set TMPDIR or give --file" in result.err, result
    for words, answer in (
        (("--objects", "0"), "whole number"),
        (("--object", "5"), "did you mean '--objects'?"),
        (("extra",), "unexpected argument"),
    ):
        result = box.run("save-bench", *words)
        assert result.code == 2 and answer in result.err, result


@case("unsanitized")
def save_bench_that_is_ended_leaves_no_empty_file(box):
    words = ("save-bench", "--objects", "100", "--rounds", "1", "--threads", "2")
    for call, name, code in (("sync", "KILL", -signal.SIGKILL), ("thread", "TERM", 130)):
        script = {"REFUSE_SCRIPT": f"kill -{name} $PPID"}
        result = box.run_refusing(call, *words, "--file", "new.save", env=script)
        assert result.refused and result.code == code, result
        assert not (box.folder / "new.save").exists(), result
    assert box.run(*words, "--file", "new.save").code == 0


@case()
def save_bench_sweeps_what_a_killed_one_has_left(box):
    temporary = {"TMPDIR": str(box.folder)}
    process = box.start(
        "save-bench", "--objects", "3000", "--rounds", "1000", "--progress=always", env=temporary
    )
    while not list(box.folder.glob("*/save")):
        assert process.poll() is None
    process.kill()
    process.communicate(timeout=TIME_LIMIT_S)
    assert list(box.folder.iterdir())
    result = box.run("save-bench", "--objects", 10, "--rounds", 1, env=temporary)
    assert result.code == 0 and not list(box.folder.iterdir()), result

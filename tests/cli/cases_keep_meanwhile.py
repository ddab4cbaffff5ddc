# SPDX-License-Identifier: Zlib
"""Nothing is lost of what other programs write while a command runs."""

import errno
import os
import stat
import time

from cases_keep import leaves_all
from harness import TIME_LIMIT_S, case


def run_beside(box, call, script, *words, first=1):
    """Runs the command; a shell runs the script before this call."""
    result = box.run_refusing(call, *words, first=first, env={"REFUSE_SCRIPT": script})
    assert result.refused, (words, result)
    return result


@case("unsanitized")
def what_is_written_while_a_pack_is_synced_stays(box):
    box.write("game/a.txt", "a")
    words = ("pack", "--overwrite", "p.zip", "game")
    assert box.run(*words).code == 0
    for script in ("echo precious > p.zip", "echo precious > new && mv new p.zip"):
        result = run_beside(box, "sync", script, *words)
        assert result.code == 5 and "another program has changed it meanwhile" in result.err, result
        assert (box.folder / "p.zip").read_text() == "precious\n", result
    # The size and the time of the old one, as a backup gives them back.
    script = "cp -p p.zip old && echo Precious > p.zip && touch -r old p.zip && rm old"
    result = run_beside(box, "sync", script, *words)
    assert result.code == 5 and (box.folder / "p.zip").read_text() == "Precious\n", result


@case("unsanitized")
def a_file_whose_permissions_change_meanwhile_stays(box):
    box.write("game/a.txt", "a")
    outputs = {
        "t.json": ("load", "--trace", "t.json", "game"),
        "p.html": ("load", "--html", "p.html", "game"),
        "r.record": ("load", "--record", "r.record", "game"),
        "s.save": ("save-bench", "--objects", "10", "--overwrite", "--file", "s.save"),
    }
    for name, words in outputs.items():
        assert box.run(*words).code == 0, words
        before = (box.folder / name).read_bytes()
        for mode in (0o400, 0o600):
            result = run_beside(box, "sync", f"chmod {mode:o} {name}", *words)
            assert result.code == 5, (words, result)
            assert "another program has changed it meanwhile" in result.err, (words, result)
            assert (box.folder / name).read_bytes() == before, words
            assert stat.S_IMODE((box.folder / name).stat().st_mode) == mode, words
            (box.folder / name).chmod(0o644)


@case("unsanitized")
def what_the_user_saves_meanwhile_stays_even_if_it_is_of_that_kind(box):
    box.write("game/a.txt", "a")
    for option, name in (("--record", "r.record"), ("--trace", "t.json"), ("--html", "p.html")):
        words = ("load", option, name, "game")
        assert box.run(*words).code == 0
        path = box.folder / name
        edited = path.read_text() + "\n"
        box.write("edited", edited)
        for script in (f"cat edited > {name}", f"cp edited new && mv new {name}"):
            result = run_beside(box, "sync", script, *words)
            assert result.code == 5, result
            assert f"{name}: another program has changed it meanwhile" in result.err, result
            assert path.read_text() == edited, (script, result)
            path.write_text(edited.rstrip("\n"))


@case("unsanitized")
def a_round_of_save_bench_replaces_only_the_file_of_the_last(box):
    words = ("save-bench", "--objects", "10", "--rounds", "3", "--file", "s.save")
    script = "echo precious > new && mv new s.save"
    told = []
    for first in range(1, 20):
        result = box.run_refusing("sync", *words, first=first, env={"REFUSE_SCRIPT": script})
        if not result.refused:
            break
        assert result.code == 5 and (box.folder / "s.save").read_text() == "precious\n", result
        (box.folder / "s.save").unlink()
        told.append("s.save: another program has changed it meanwhile" in result.err)
    assert result.code == 0 and True in told and len(told) == 6, (result, told)
    assert not list(box.folder.glob(".overture-*"))


@case("unsanitized")
def a_file_of_two_names_that_is_made_private_meanwhile_stays(box):
    box.zip("mod.zip", {"a.txt": "new"})
    saved = box.write("out/a.txt", "old")
    os.link(saved, box.folder / "out/backup")
    words = ("extract", "--overwrite", "--to", "out", "mod.zip")
    result = run_beside(box, "sync", "chmod 600 out/a.txt", *words)
    assert result.code == 1 and "changed meanwhile" in result.err, result
    assert saved.read_text() == "old" and stat.S_IMODE(saved.stat().st_mode) == 0o600, result


@case("unsanitized")
def an_archive_that_changes_while_it_is_read_replaces_nothing(box):
    box.zip("mod.zip", {"a.txt": "new"})
    old = box.write("out/a.txt", "old")
    box.write("p.zip", b"PK\5\6" + bytes(18))
    before = (box.folder / "p.zip").read_bytes()
    script = "cp mod.zip copy; cat copy > mod.zip"
    for call, words in (
        ("disk", ("extract", "--overwrite", "--to", "out", "mod.zip")),
        ("disk", ("pack", "--overwrite", "p.zip", "mod.zip")),
        ("disk", ("pack", "new.zip", "mod.zip")),
    ):
        result = run_beside(box, call, script, *words)
        assert result.code == 1 and "has changed while it was read" in result.err, (words, result)
    assert old.read_text() == "old" and (box.folder / "p.zip").read_bytes() == before
    assert not (box.folder / "new.zip").exists()
    # New files are there, and the user is told.
    result = run_beside(box, "disk", script, "extract", "--to", "other", "mod.zip")
    assert result.code == 1 and "the files may be of two versions" in result.err, result


@case("unsanitized")
def what_waits_for_its_place_is_the_users_alone(box):
    """It may be for a folder that others may not enter."""
    box.zip("mod.zip", {"a.txt": "new"})
    box.write("out/a.txt", "old")
    words = ("extract", "--overwrite", "--to", "out", "mod.zip")
    result = run_beside(box, "sync", "stat -c %a out/.overture-*.tmp > mode", *words)
    assert result.code == 0 and (box.folder / "mode").read_text() == "700\n", result


@case()
def a_record_of_nothing_replaces_no_other_one(box):
    box.write("game/a.txt", "a")
    (box.folder / "empty").mkdir()
    assert box.run("load", "--record", "r.record", "empty").code == 0
    assert box.run("load", "--record", "r.record", "game").code == 0
    before = (box.folder / "r.record").read_bytes()
    result = box.run("load", "--record", "r.record", "empty")
    assert result.code == 5 and "no file was loaded" in result.err, result
    assert (box.folder / "r.record").read_bytes() == before


@case("unsanitized")
def what_gets_the_name_of_an_output_meanwhile_stays(box):
    box.write("game/a.txt", "a")
    output = box.folder / "output"
    for option in ("--trace", "--record"):
        for script in ("echo precious > output", "mkfifo output", "ln -s other output"):
            result = run_beside(box, "sync", script, "load", option, "output", "game")
            assert result.code == 5 and "output: " in result.err, (script, result)
            if "echo" in script:
                assert output.read_text() == "precious\n", result
            else:
                assert not stat.S_ISREG(output.lstat().st_mode), script
            output.unlink()


@case()
def a_trace_for_a_pipe_goes_to_no_file_that_gets_its_name(box):
    box.write("game/a.txt", "a")
    os.mkfifo(box.folder / "pipe")
    precious = "precious" * 10_000
    process = box.start("load", "--trace", "pipe", "game")
    # It opens the pipe again and again until there is a reader.
    waits = f"/proc/{process.pid}/wchan"
    while process.poll() is None and "nanosleep" not in open(waits).read():
        time.sleep(0.01)
    box.write("file", precious)
    os.rename(box.folder / "file", box.folder / "pipe")
    _, err = process.communicate(timeout=TIME_LIMIT_S)
    assert process.returncode == 5 and b"pipe: " in err, err
    assert (box.folder / "pipe").read_text() == precious, err


@case()
def what_cannot_be_read_may_be_any_file(box):
    box.write("game/a.txt", "a")
    box.folder.chmod(0o777)
    other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    for mode in (0o600, 0o222) if other else (0o200,):
        box.write("notes", "precious").chmod(mode)
        for option in ("--record", "--trace"):
            result = box.run("load", option, "notes", "game", **other)
            assert result.code == 2, result
            assert "notes: the file is there and cannot be read (" in result.err, result
            (box.folder / "notes").chmod(0o600)
            assert (box.folder / "notes").read_text() == "precious", result
            (box.folder / "notes").chmod(mode)


@case()
def names_of_temporaries_are_refused_whatever_follows(box):
    box.zip("mod.zip", {"lock": "", "data": "data"})
    left = ".overture-0123456789abc.tmp"
    for to in (left, f"{left}/", f"{left}/.", f"sub/{left}/inner"):
        leaves_all(box, "extract", "--to", to, "mod.zip", says=("later runs remove",))
    for to in (left, f"{left}/", f"{left}/s.save"):
        leaves_all(box, "save-bench", "--objects", "10", "--file", to, says=("later runs remove",))


@case("unsanitized")
def a_lock_that_needs_a_file_open_for_writing_is_had(box):
    """NFS has no other ones."""
    box.write("game/a.txt", "a")
    left = box.write(".overture-0123456789abc.tmp", "half of a file")
    words = ("load", "--record", "r.record", "game")
    result = box.run_refusing("flock", *words, errno=errno.EBADF)
    assert result.refused and result.code == 0 and not left.exists(), result


@case("unsanitized")
def a_file_that_changes_while_it_is_read_is_neither_packed_nor_extracted(box):
    """What is written would be neither the old content nor the new."""
    box.write("game/a.txt", "text")
    box.write("game/b.txt", "text")
    assert box.run("pack", "p.zip", "game").code == 0
    before = (box.folder / "p.zip").read_bytes()
    # The last read is that of b.txt, which gets another content of the same size.
    script = "cp -p game/b.txt old; printf TEXT > game/b.txt; touch -r old game/b.txt; rm old"
    for words in (
        ("extract", "--threads", "1", "--to", "out", "game"),
        ("pack", "--threads", "1", "--overwrite", "p.zip", "game"),
    ):
        told = set()
        for number in range(1, 20):
            env = {"REFUSE_SCRIPT": script}
            result = box.run_refusing("read", *words, first=number, env=env)
            if not result.refused:
                break
            if "b.txt: the file has changed while it was read" in result.err:
                assert result.code == 1, result
                told.add(number)
            assert not (box.folder / "out/b.txt").exists() or result.code == 0, result
            for path in (box.folder / "out").rglob("*.txt"):
                path.unlink()
        assert told and number > 2, (words, number)
        result = box.run(*words)
    assert (box.folder / "p.zip").read_bytes() != before

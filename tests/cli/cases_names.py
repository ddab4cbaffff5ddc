# SPDX-License-Identifier: Zlib
"""Names in archives: their order, their encoding, and those that are not in the tree."""

import os
import shutil

from harness import case


@case()
def archives_in_a_folder_win_in_the_order_asked_for(box):
    for name in ("pak9", "pak10", "Zmod"):
        box.zip(f"pack/{name}.pk3", {"winner.txt": name})
    for order, winner in (("bytes", "pak9"), ("nocase", "Zmod"), ("natural", "Zmod")):
        found = box.run("cat", "winner.txt", "--order", order, "--archives-in", "pack")
        assert (found.code, found.out) == (0, winner), (order, found)
    (box.folder / "pack/Zmod.pk3").unlink()
    for order, winner in (("bytes", "pak9"), ("nocase", "pak9"), ("natural", "pak10")):
        found = box.run("cat", "winner.txt", "--order", order, "--archives-in", "pack")
        assert (found.code, found.out) == (0, winner), (order, found)
    wrong = box.run("ls", "--order", "random", "--archives-in", "pack")
    assert wrong.code == 2 and "--order" in wrong.err and "natural" in wrong.err, wrong


@case()
def names_are_in_the_encoding_given_before_their_archive(box):
    archive = box.zip("one.zip", {"n_me.txt": "one"})
    archive.write_bytes(archive.read_bytes().replace(b"n_me", b"n\x81me"))
    assert box.run("ls", "one.zip").out == "n\u00fcme.txt\n"
    shutil.copy(archive, box.folder / "two.zip")
    mounts = ("--name-encoding", "cp1251", "one.zip", "--name-encoding", "cp437", "two.zip")
    both = box.run("ls", *mounts)
    assert (both.code, both.out) == (0, "n\u00fcme.txt\nn\u0403me.txt\n"), both
    assert box.run("cat", "n\u0403me.txt", *mounts).out == "one"
    wrong = box.run("ls", "--name-encoding", "ebcdic", "one.zip")
    assert wrong.code == 2 and "ebcdic" in wrong.err and "cp932" in wrong.err, wrong
    last = box.run("ls", "one.zip", "--name-encoding", "cp1252")
    assert last.code == 2 and "--name-encoding applies to the mounts after it" in last.err, last


@case()
def names_that_are_skipped_are_named_with_the_reason(box):
    box.zip("odd.zip", {"../up.txt": "x", "good/a.txt": "a", "/C:/b.txt": "b"})
    box.zip("more.zip", {"good/b.txt": "b"})
    up = "warning: skipped ../up.txt (odd.zip): '.' or '..' in the path\n"
    drive = "warning: skipped /C:/b.txt (odd.zip): a drive letter in the path\n"
    mounts = ("--mount-point", "at", "odd.zip", "more.zip")
    listed = box.run("ls", "-r", *mounts)
    assert (listed.code, listed.out) == (0, "at/good/a.txt\nat/good/b.txt\n"), listed
    assert listed.err == up + drive, listed
    inside = box.run("ls", "--in", "at/good", *mounts)
    count = "warning: 2 names skipped; list them with 'overture ls --json'\n"
    assert (inside.code, inside.err) == (0, count), inside
    report = box.run("ls", "--json", *mounts)
    assert report.err == "" and report.json()["skipped_names"] == [
        {"mount": "odd.zip", "name": "../up.txt", "reason": "'.' or '..' in the path"},
        {"mount": "odd.zip", "name": "/C:/b.txt", "reason": "a drive letter in the path"},
    ], report
    out = box.run("extract", "--to", "out", *mounts)
    assert (out.code, out.err) == (0, up + drive), out
    assert out.out.startswith("2 files, 2 B written to out; 2 names skipped"), out
    quiet = box.run("extract", "-q", "--to", "again", *mounts)
    assert (quiet.code, quiet.out, quiet.err) == (0, "", count), quiet
    packed = box.run("pack", "-q", "out.zip", *mounts)
    assert (packed.code, packed.out, packed.err) == (0, "", count), packed
    assert box.run("ls", "more.zip").err == ""


@case()
def of_many_names_that_are_skipped_the_first_are_named(box):
    names = {f"../{i:03}": "" for i in range(45)}
    box.zip("odd.zip", {**names, "a.txt": "a"})
    lines = box.run("ls", "odd.zip").err.splitlines()
    assert len(lines) == 21 and "../019 (odd.zip)" in lines[19], lines
    assert lines[20] == "warning: 25 more names skipped; list them with 'overture ls --json'", lines
    assert len(box.run("ls", "--json", "odd.zip").json()["skipped_names"]) == 45
    checked = box.run("check", "odd.zip")
    assert checked.code == 0 and "../044 (odd.zip): " in checked.out, checked


@case()
def a_path_that_is_missing_because_it_was_skipped_says_so(box):
    box.write("outside.txt", "secret")
    box.write("base/maps/rome.txt", "rome")
    os.symlink("../../outside.txt", box.folder / "base/maps/rom.txt")
    reason = "not found in any mount; skipped in base (the link leads outside the mount)\n"
    for command in ("cat", "which"):
        for at in ("", "game/"):
            path = at + "maps/rom.txt"
            found = box.run(command, path, "--mount-point", at or "/", "base")
            assert (found.code, found.err) == (1, f"error: {path}: {reason}"), found
    other = box.run("cat", "maps/rom.txt", "--mount-point", "game", "base")
    assert other.code == 1 and "skipped" not in other.err, other


@case()
def an_archive_of_which_all_is_skipped_fails(box):
    box.zip("odd.zip", {"../a.txt": "a", "../b.txt": "b"})
    error = (
        "error: odd.zip: every file of the archive was skipped; "
        "the first was ../a.txt ('.' or '..' in the path)\n"
    )
    for words in (("ls",), ("extract", "--to", "out"), ("check",), ("load",)):
        found = box.run(*words, "odd.zip")
        assert found.code == 1 and found.err.startswith(error), found
    box.zip("empty.zip", {})
    assert box.run("ls", "empty.zip").code == 0

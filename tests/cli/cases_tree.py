# SPDX-License-Identifier: Zlib
"""The commands that inspect the merged tree: ls, cat, which, check, diff."""

import os
import re
import shutil
import signal
import struct
import subprocess

from harness import TIME_LIMIT_S, break_entry, case, read_until


@case()
def ls_lists_a_folder_of_the_merged_tree(box):
    mounts = box.game()
    root = box.run("ls", *mounts)
    assert (root.code, root.err) == (0, ""), root
    assert root.out == "ai/\ngfx/\nmaps/\nrules.txt\n", root
    assert box.run("ls", "--in", "/maps/", *mounts).out == "ostia.txt\nrome.bsp\nrome.txt\n"
    everything = box.run("ls", "-r", *mounts).out.split()
    assert len(everything) == 7 and "maps/ostia.txt" in everything, everything
    detailed = box.run("ls", "-l", "--in", "maps", *mounts)
    rows = [line.split() for line in detailed.out.splitlines()]
    assert ["16.0", "KiB", "base", "rome.bsp"] in rows, detailed
    assert ["11", "B", "dlc.zip", "rome.txt"] in rows, detailed

    listing = box.run("ls", "--json", "--in", "maps", *mounts).json()
    assert listing["folder"] == "maps" and len(listing["items"]) == 3, listing
    assert listing["items"][2] == {
        "name": "rome.txt",
        "path": "maps/rome.txt",
        "kind": "file",
        "mount": "dlc.zip",
        "bytes": 11,
    }, listing


@case()
def ls_honours_mount_points(box):
    box.write("one/a.txt", "a")
    box.zip("two.zip", {"b.txt": "b"})
    box.zip("more/three.zip", {"c.txt": "c"})
    listing = box.run(
        *("ls", "-r", "one", "--mount-point", "gfx/fonts", "two.zip"),
        *("--archives-in", "more", "--mount-point", "/", "one"),
    )
    assert listing.out == "a.txt\ngfx/fonts/b.txt\ngfx/fonts/c.txt\n", listing
    wrong = box.run("ls", "--mount-point", "../up", "one")
    assert wrong.code == 2 and "--mount-point '../up': " in wrong.err, wrong


@case()
def encrypted_files_are_read_with_the_password_before_their_archive(box):
    if shutil.which("zip") is None:
        print("zip is not installed: encrypted archives are not tested")
        return
    for name, password in (("one", "sesame"), ("two", "tulip")):
        box.write(f"{name}.txt", name)
        words = ["zip", "-q", "-P", password, f"{name}.zip", f"{name}.txt"]
        subprocess.run(words, cwd=box.folder, check=True)
    box.zip("open.zip", {"open.txt": "open"})
    mounts = ("--password", "sesame", "one.zip", "--password", "tulip", "two.zip", "open.zip")
    assert box.run("check", *mounts).code == 0
    assert box.run("cat", "two.txt", *mounts).out == "two"
    assert box.run("load", *mounts).code == 0
    wrong = box.run("cat", "one.txt", "--password", "tulip", "one.zip")
    assert wrong.code == 1 and ": wrong password, or the file is damaged\n" in wrong.err, wrong
    without = box.run("cat", "two.txt", "two.zip")
    advice = "error: two.txt: the file is encrypted; give its password with --password\n"
    assert (without.code, without.err) == (1, advice), without


@case()
def missing_paths_get_a_suggestion(box):
    mounts = box.game()
    for arguments, expected in (
        (("cat", "maps/roma.txt"), "did you mean 'maps/rome.txt'?"),
        (("which", "MAPS/Rome.TXT"), "did you mean 'maps/rome.txt'?"),
        (("ls", "--in", "map"), "did you mean 'maps'?"),
        (("extract", "--to", "out", "--in", "gfy"), "did you mean 'gfx'?"),
        (("cat", "nothing/like/it"), "not found in any mount\n"),
        (("cat", "maps"), "is a folder"),
        (("ls", "--in", "rules.txt"), "rules.txt: "),
    ):
        result = box.run(*arguments, *mounts)
        assert (result.code, result.out) == (1, ""), result
        assert result.err.startswith("error: ") and expected in result.err, result
    for word in ("..", "a\\b"):
        result = box.run("cat", word, *mounts)
        assert result.code == 2 and "Run 'overture help cat'" in result.err, result


@case()
def mistakes_of_the_tree_commands_exit_with_2(box):
    box.game()
    for arguments, expected in (
        (("ls",), "nothing to list"),
        (("cat", "a.txt"), "give a PATH in the tree, then"),
        (("which",), "give a PATH in the tree, then"),
        (("extract", "base"), "no destination"),
        (("check",), "nothing to check"),
        (("diff", "base"), "give two folders or archives"),
        (("check", "--jsno", "base"), "did you mean '--json'?"),
        (("diff", "base", "base", "base"), "unexpected argument 'base'"),
    ):
        result = box.run(*arguments)
        assert (result.code, result.out) == (2, ""), result
        assert expected in result.err and "Run 'overture help" in result.err, result
    for name in ("ls", "cat x", "which x", "extract --to y", "check", "diff base"):
        missing = box.run(*name.split(), "missing.zip")
        assert missing.code == 3 and "error: missing.zip: " in missing.err, missing


@case()
def cat_writes_the_bytes_of_the_winner(box):
    mounts = box.game()
    assert box.run("cat", "maps/rome.txt", *mounts).out == "a new rome\n"
    assert box.run("cat", "maps/rome.txt", *mounts, "--first-wins").out == "the old rome\n"
    raw = subprocess.run(
        [box.overture, "cat", "maps/rome.bsp", *mounts], cwd=box.folder, capture_output=True
    )
    assert raw.returncode == 0 and raw.stdout == bytes(range(256)) * 64, raw
    with open("/dev/full", "wb") as full:
        result = box.run("cat", "rules.txt", *mounts, stdout=full)
        assert result.code == 5 and "No space left on device" in result.err, result
    reader, writer = os.pipe()
    os.close(reader)
    gone = box.run("cat", "rules.txt", *mounts, stdout=writer)
    os.close(writer)
    assert gone.code == 0 and gone.err == "", gone


@case()
def cat_writes_nothing_of_a_broken_file(box):
    damaged = break_entry(box.zip("game.zip", {"a.txt": "whole", "b.txt": "b" * 99}, 0))
    result = box.run("cat", "b.txt", damaged)
    assert (result.code, result.out) == (1, ""), result
    assert "checksum" in result.err, result


@case()
def case_is_ignored_with_ignore_case(box):
    box.zip("base.zip", {"Maps/Rome.TXT": "rome", "maps/rome.txt": "small", "b.txt": "b"}, 0)
    box.zip("mod.zip", {"B.TXT": "mod"}, 0)
    mounts = ("base.zip", "mod.zip", "--ignore-case")
    assert box.run("cat", "/MAPS/rome.txt", *mounts).out == "small"
    assert box.run("cat", "b.txt", *mounts).out == "mod"
    assert box.run("ls", *mounts).out.split() == ["b.txt", "maps/"], box.run("ls", *mounts)
    checked = box.run("check", *mounts)
    assert "Maps/Rome.TXT" in checked.out and "only by case" in checked.out, checked
    differ = box.run("diff", "base.zip", "mod.zip", "--ignore-case", "--json").json()
    assert [file["path"] for file in differ["both"]] == ["b.txt"], differ


@case()
def a_wad_has_its_maps_and_check_groups_its_duplicates(box):
    lumps = [("MAP01", b""), ("THINGS", b"1"), ("MAP02", b""), ("THINGS", b"2")]
    lumps += [("DEMO", b"%d" % i) for i in range(4)]
    data = b"".join(content for _, content in lumps)
    table, at = b"", 12
    for name, content in lumps:
        table += struct.pack("<II8s", at, len(content), name.encode())
        at += len(content)
    box.write("game.wad", b"PWAD" + struct.pack("<II", len(lumps), 12 + len(data)) + data + table)
    assert box.run("cat", "maps/MAP01/THINGS", "game.wad").out == "1"
    assert box.run("cat", "THINGS", "game.wad").out == "2"
    checked = box.run("check", "game.wad")
    assert checked.out.startswith("intact: 5 files, 3 B"), checked
    assert "  DEMO (game.wad): a later file has the same name (3 times)\n" in checked.out, checked
    assert "THINGS" not in checked.out, checked


@case()
def a_mod_can_remove_files_with_removal_markers(box):
    box.zip("base.zip", {"maps/rome.txt": "rome", "maps/paris.txt": "paris"}, 0)
    box.zip("mod.zip", {"maps/.wh.rome.txt": ""}, 0)
    mounts = ("base.zip", "mod.zip")
    assert box.run("cat", "maps/rome.txt", *mounts).out == "rome", "not without the option"
    assert box.run("ls", "--in", "maps", *mounts, "--removal-markers").out.split() == ["paris.txt"]
    gone = box.run("cat", "maps/rome.txt", *mounts, "--removal-markers")
    assert gone.code == 1 and "error: maps/rome.txt: removed by mod.zip; " in gone.err, gone
    which = box.run("which", "maps/rome.txt", *mounts, "--removal-markers")
    assert (which.code, which.err) == (1, ""), which
    rows = [line.split() for line in which.out.splitlines()]
    assert rows == [["removes", "zip", "mod.zip"], ["removed", "zip", "base.zip"]], which
    as_json = box.run("which", "maps/rome.txt", *mounts, "--removal-markers", "--json").json()
    assert as_json["removed_by"] == "mod.zip" and as_json["mounts"] == [], as_json
    assert [each["path"] for each in as_json["removed"]] == ["base.zip"], as_json
    box.write("again/maps/rome.txt", "mine")
    back = box.run("which", "maps/rome.txt", *mounts, "again", "--removal-markers")
    rows = [line.split()[0] for line in back.out.splitlines()]
    assert back.code == 0 and rows == ["wins", "removes", "removed"], back
    box.zip("other.zip", {"x": "x"}, 0)
    diff = ("--base", "base.zip", "mod.zip", "other.zip", "--removal-markers")
    assert box.run("diff", *diff, "--json").json()["left_removes"] == ["maps/rome.txt"]
    assert "Left removes from the base (1)" in box.run("diff", *diff).out


@case()
def which_names_the_winner_first(box):
    mounts = box.game()
    result = box.run("which", "maps/rome.txt", *mounts)
    rows = [line.split() for line in result.out.splitlines()]
    assert rows == [["wins", "zip", "dlc.zip"], ["hidden", "folder", "base"]], result
    first = box.run("which", "maps/rome.txt", *mounts, "--first-wins", "--json").json()
    assert [mount["path"] for mount in first["mounts"]] == ["base", "dlc.zip"], first
    assert [mount["wins"] for mount in first["mounts"]] == [True, False], first
    folder = box.run("which", "maps", *mounts)
    assert folder.out.count("has it") == 2, folder


@case()
def check_warns_of_names_that_windows_cannot_have(box):
    box.write("base/maps/con.txt", "x")
    box.write("base/ends with a space /y", "y")
    box.write("base/dot.", "z")
    box.write("base/good.txt", "g")
    box.zip("mod.zip", {"deep/a:b": "b", "tab\tx": "t"})
    result = box.run("check", "base", "mod.zip")
    assert result.code == 0 and result.out.startswith("intact: 6 files"), result
    assert "\nWarnings\n" in result.out and result.out.count("Windows") == 5, result
    assert "  maps/con.txt (base): the name of a device on Windows\n" in result.out, result
    assert "  deep/a:b (mod.zip): a colon in the name" in result.out, result
    warnings = box.run("check", "base", "mod.zip", "--json").json()["warnings"]
    assert sorted(each["path"] for each in warnings) == [
        "deep/a:b",
        "dot.",
        "ends with a space /y",
        "maps/con.txt",
        "tab\tx",
    ], warnings
    quiet = box.run("check", "-q", "base")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", ""), quiet


@case()
def check_tells_damaged_from_unreadable_and_verified_from_read(box):
    whole = box.zip("whole.zip", {"a.txt": "a", "b.txt": "b"})
    box.write("base/c.txt", "c")
    fine = box.run("check", whole, "base")
    assert fine.code == 0 and fine.out.startswith("intact: 3 files"), fine
    assert "\n2 verified, 1 without checksum\n" in fine.out, fine
    broken = break_entry(box.zip("broken.zip", {"d.txt": "d" * 99}, 0))
    odd = bytearray(box.zip("odd.zip", {"e.txt": "e"}).read_bytes())
    for mark, at in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        odd[odd.index(mark) + at] = 77  # a compression method that does not exist
    box.write("odd.zip", bytes(odd))
    both = box.run("check", whole, broken, "odd.zip")
    assert both.code == 1 and both.out.startswith("damaged: 1 of 4 files; 1 unreadable\n"), both
    assert "\nDamaged\n  d.txt (" in both.out, both
    assert "\nUnreadable\n  e.txt (odd.zip)" in both.out, both
    only = box.run("check", whole, "odd.zip")
    assert only.code == 1 and only.out.startswith("unreadable: 1 of 3 files\n"), only
    assert "amaged" not in only.out, only
    report = box.run("check", "--json", whole, broken, "odd.zip", "base").json()
    counts = [report[key] for key in ("files", "failed", "damaged", "unreadable")]
    assert counts == [3, 2, 1, 1] and report["without_checksum"] == 1, report


@case()
def check_hints_at_archives_that_are_plain_files(box):
    box.zip("game/one.pk3", {"a": "a"})
    box.zip("game/more/two.zip", {"b": "b"})
    box.zip("game/more/three.zip", {"c": "c"})
    result = box.run("check", "game")
    assert "1 archive in game is a plain file here; '--archives-in game' mounts it\n" in result.out
    assert (
        "2 archives in game/more are plain files here; '--archives-in game/more' mounts them\n"
        in result.out
    ), result
    for command in ("check", "load"):
        hints = box.run(command, "--json", "game").json()["hints"]
        assert len(hints) == 2 and all(hint in result.out for hint in hints), hints
    # The content decides, as for --archives-in.
    for number in range(5):
        box.write(f"other/{number}.pack", "no archive")
        box.write(f"love/{number}.txt", "text")
    box.zip("love/a.love", {"a": "a"})
    box.zip("love/b.data", {"b": "b"})
    (hint,) = box.run("check", "--json", "love", "other").json()["hints"]
    assert hint.startswith("2 archives in love are plain files here"), hint
    assert "plain" not in box.run("check", "--archives-in", "game").out


@case()
def archives_inside_a_tree_are_mounted(box):
    inner = box.zip("inner.zip", {"deep/a.txt": "inner", "b.txt": "b"})
    data = (box.folder / inner).read_bytes()
    box.zip("game.zip", {"mods/one.pk3": data, "mods/readme.txt": "no archive", "b.txt": "outer"})
    (box.folder / inner).unlink()
    listed = box.run("ls", "-r", "game.zip", "--archives-in", "mods").out.split()
    assert listed == ["b.txt", "deep/a.txt", "mods/one.pk3", "mods/readme.txt"], listed
    assert box.run("cat", "b.txt", "game.zip", "--archives-in", "mods").out == "b"
    checked = box.run("check", "game.zip", "--archives-in", "mods")
    assert checked.code == 0 and checked.out.startswith("intact: 5 files"), checked
    assert box.run("ls", "game.zip", "--archives-in", "none").code == 3


@case()
def check_verifies_overridden_files_too(box):
    mounts = box.game()
    whole = box.run("check", *mounts)
    assert whole.code == 0 and whole.out.startswith("intact: 9 files, "), whole
    broken = break_entry(box.zip("old.zip", {"a.txt": "a", "rules.txt": "r" * 99}, 0))
    result = box.run("check", broken, *mounts)
    assert result.code == 1 and result.out.startswith("damaged: 1 of 11 files"), result
    assert "rules.txt (old.zip): unpack: " in result.out, result
    assert box.run("cat", "rules.txt", broken, *mounts).code == 0
    quiet = box.run("check", "-q", broken, *mounts)
    assert (quiet.code, quiet.out) == (1, "") and "rules.txt (old.zip)" in quiet.err, quiet

    report = box.run("check", "--json", broken, *mounts, "--threads=1").json()
    assert (report["files"], report["failed"]) == (10, 1), report
    assert report["failures"][0]["path"] == "rules.txt", report
    assert [mount["failed"] for mount in report["mounts"]] == [1, 0, 0, 0, 0], report
    point = box.run("check", "--mount-point", "deep/down", broken)
    assert "deep/down/rules.txt (old.zip)" in point.out, point


@case("slow", "unsanitized")  # half a minute of reading, nothing for sanitizers to find
def check_reads_files_above_4_gib_in_pieces(box):
    size = 4_200_000_000 + 2**27
    box.write("base/small.txt", "small")
    box.write("base/large.bin", "")
    os.truncate(box.folder / "base/large.bin", size)  # sparse
    archive = write_large_zip(box, "large.zip", size)
    damaged = box.run("check", archive, "base", "--progress=always")
    percents = [int(text) for text in re.findall(r"(\d+) %", damaged.err)]
    assert len(set(percents)) > 1 and percents == sorted(percents), damaged
    assert damaged.code == 1 and damaged.out.startswith("damaged: 1 of 3 files"), damaged
    assert "large.bin (large.zip): " in damaged.out and "checksum" in damaged.out, damaged


def write_large_zip(box, path, size):
    """One stored file of zeros with a wrong checksum."""
    name = b"large.bin"
    sizes = struct.pack("<HHQQ", 1, 16, size, size)
    common = struct.pack("<IIIHH", 7, 0xFFFFFFFF, 0xFFFFFFFF, len(name), len(sizes))
    with open(box.write(path, ""), "wb") as out:
        out.write(struct.pack("<IHHHI", 0x04034B50, 45, 0, 0, 0) + common + name + sizes)
        out.seek(size, os.SEEK_CUR)
        begin = out.tell()
        out.write(struct.pack("<IHHHHI", 0x02014B50, 45, 45, 0, 0, 0) + common)
        out.write(struct.pack("<HHHII", 0, 0, 0, 0, 0) + name + sizes)
        end = out.tell()
        counts = (0, 0, 1, 1, end - begin, begin)
        out.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, *counts))
        out.write(struct.pack("<IIQI", 0x07064B50, 0, end, 1))
        out.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, end - begin, 0xFFFFFFFF, 0))
    return path


@case()
def check_can_be_interrupted(box):
    process = box.start("check", box.endless(), "--progress=always")
    try:
        read_until(process.stderr, b"files")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=TIME_LIMIT_S)
    finally:
        process.kill()
    assert process.returncode == 130 and out.startswith(b"interrupted: "), out


@case()
def diff_shows_what_each_set_overrides(box):
    box.write("base/rules.txt", "base")
    box.write("base/maps/rome.txt", "rome")
    box.zip("a.zip", {"rules.txt": "same", "maps/rome.txt": "rome of a", "a.txt": "new"})
    box.write("b/rules.txt", "same")
    box.zip("more.zip", {"maps/rome.txt": "rome of b", "b.txt": "new"})
    sets = ("--base", "base", "a.zip", "b", "--right", "more.zip")
    result = box.run("diff", *sets)
    assert (result.code, result.err) == (0, ""), result
    assert result.out == (
        "In both, different (1)\n  maps/rome.txt\n\n"
        "In both, identical (1)\n  rules.txt\n\n"
        "Left only, new (1)\n  a.txt\n\n"
        "Right only, new (1)\n  b.txt\n"
    ), result
    report = box.run("diff", "--json", *sets).json()
    assert report["right"] == ["b", "more.zip"], report
    assert report["both"] == [
        {"path": "maps/rome.txt", "overrides": True, "same": False},
        {"path": "rules.txt", "overrides": True, "same": True},
    ], report
    alone = box.run("diff", "--base", "base", "more.zip", "b")
    assert "Left only, overrides the base (1)\n  maps/rome.txt\n" in alone.out, alone
    damaged = break_entry(box.zip("c.zip", {"rules.txt": "same"}, 0))
    unknown = box.run("diff", damaged, "b")
    assert unknown.code == 1 and "unreadable (1)\n  rules.txt: " in unknown.out, unknown
    box.write("file/maps", "a file")
    box.write("folder/maps/rome.txt", "in a folder of that name")
    named_alike = box.run("diff", "file", "folder", "--json").json()
    assert (named_alike["left"], named_alike["right"]) == (["file"], ["folder"]), named_alike
    assert named_alike["both"] == [], named_alike


@case()
def formats_lists_archives_and_decoders(box):
    text = box.run("formats")
    assert text.code == 0 and text.err == "", text
    for expected in ("Archives", "7z", "Decoders", "libspng", "recognised"):
        assert expected in text.out, (expected, text)
    report = box.run("formats", "--json").json()
    assert report["schema"] == 1, report
    archives = {each["name"] for each in report["archives"]}
    assert {"folder", "zip", "7z", "iso", "pak"} <= archives and "unknown" not in archives, archives
    decoders = {each["name"]: each for each in report["decoders"]}
    assert decoders["png"]["built_in"] and decoders["png"]["kind"] == "image", decoders
    assert decoders["font"]["kind"] == "none", decoders
    assert box.run("formats", "base").code == 2

"""The commands that inspect the merged tree: ls, cat, which, extract, check, diff."""

import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import zipfile

from harness import TIME_LIMIT_S, case, read_until


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
    assert out.out == "2 files, 2 B written to out; 2 names skipped\n", out
    quiet = box.run("extract", "-q", "--to", "again", *mounts)
    assert (quiet.code, quiet.out, quiet.err) == (0, "", ""), quiet
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


def break_entry(archive):
    """Changes the first byte of the last stored entry's data."""
    data = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as opened:
        last = opened.infolist()[-1]
    data[last.header_offset + 30 + len(last.filename)] ^= 1
    archive.write_bytes(data)
    return archive.name


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
    assert box.run("cat", "maps/rome.txt", *mounts, "--removal-markers").code == 1
    which = box.run("which", "maps/rome.txt", *mounts, "--removal-markers")
    assert which.out.split() == ["removes", "zip", "mod.zip"], which
    as_json = box.run("which", "maps/rome.txt", *mounts, "--removal-markers", "--json").json()
    assert as_json["removed_by"] == "mod.zip" and as_json["mounts"] == [], as_json
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
def extract_writes_the_merged_tree(box):
    mounts = box.game()
    result = box.run("extract", "--to", "out/tree", *mounts)
    assert result.code == 0 and result.out.startswith("7 files, "), result
    tree = box.folder / "out/tree"
    assert (tree / "maps/rome.txt").read_text() == "a new rome\n"
    assert (tree / "rules.txt").read_text() == "rules of the mod\n"
    assert sum(1 for each in tree.rglob("*") if each.is_file()) == 7

    (tree / "maps/rome.txt").write_text("mine")
    again = box.run("extract", "--to", "out/tree", "--in", "maps", *mounts)
    assert again.code == 0 and (tree / "rome.txt").read_text() == "a new rome\n", again
    refused = box.run("extract", "--to", "out/tree", *mounts, "--quiet")
    assert refused.code == 1 and refused.err.count("--overwrite") == 7, refused
    assert (tree / "maps/rome.txt").read_text() == "mine"
    # A link is replaced; its target stays.
    box.write("precious.txt", "precious")
    (tree / "rules.txt").unlink()
    os.symlink("../../precious.txt", tree / "rules.txt")
    forced = box.run("extract", "--to", "out/tree", *mounts, "--overwrite")
    assert forced.code == 0 and (tree / "maps/rome.txt").read_text() == "a new rome\n", forced
    assert (box.folder / "precious.txt").read_text() == "precious"
    assert (tree / "rules.txt").read_text() == "rules of the mod\n"
    one = box.run("extract", "--to", "single", "--in", "maps/rome.txt", *mounts)
    assert one.code == 0 and os.listdir(box.folder / "single") == ["rome.txt"], one


@case()
def extract_follows_no_link_below_its_folder(box):
    box.write("base/maps/rome.txt", "rome")
    box.write("base/maps/deep/paris.txt", "paris")
    box.write("elsewhere/rome.txt", "precious")
    box.write("real/x", "x")
    os.symlink("real", box.folder / "out")  # its own path may lead through a link
    os.symlink("../elsewhere", box.folder / "real/maps")
    for overwrite in ((), ("--overwrite",)):
        result = box.run("extract", "--to", "out", "base", *overwrite)
        assert result.code == 1, result
        assert "error: maps/rome.txt: a link is in the way" in result.err, result
        assert sorted(os.listdir(box.folder / "elsewhere")) == ["rome.txt"], result
        assert (box.folder / "elsewhere/rome.txt").read_text() == "precious", result
    # A link to a folder that is itself below the output folder is not followed either.
    (box.folder / "real/maps").unlink()
    os.mkdir(box.folder / "real/other")
    os.symlink("other", box.folder / "real/maps")
    assert box.run("extract", "--to", "out", "base").code == 1
    assert os.listdir(box.folder / "real/other") == []
    (box.folder / "real/maps").unlink()
    assert box.run("extract", "--to", "out", "base").code == 0
    assert (box.folder / "real/maps/deep/paris.txt").read_text() == "paris"


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
def extract_keeps_the_old_file_if_the_new_one_cannot_be_written(box):
    box.write("base/a.txt", "n" * 5000)
    box.write("out/a.txt", "old")
    words = [box.overture, "extract", "--to", "out", "--overwrite", "base"]
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    done = subprocess.run(words, cwd=box.folder, preexec_fn=limit, capture_output=True)
    assert done.returncode == 1 and b"a.txt: cannot write" in done.stderr, done
    assert os.listdir(box.folder / "out") == ["a.txt"], done
    assert (box.folder / "out/a.txt").read_text() == "old"


@case()
def extract_keeps_times_and_what_is_executable(box):
    then = 1_500_000_000  # 2017-07-14 02:40 UTC
    for name, mode in (("run.sh", 0o755), ("plain.txt", 0o644)):
        path = box.write(f"base/{name}", "#!/bin/sh\n")
        path.chmod(mode)
        os.utime(path, (then, then))
    with zipfile.ZipFile(box.folder / "unix.zip", "w") as archive:
        for name, mode in (("z.sh", 0o100755), ("z.txt", 0o100644)):
            info = zipfile.ZipInfo(name, (2017, 7, 14, 4, 40, 0))
            info.external_attr = mode << 16
            info.create_system = 3
            archive.writestr(info, "z")
        # A time with its zone, as Info-ZIP writes it, counts more than the local one.
        info = zipfile.ZipInfo("exact.txt", (1999, 1, 1, 0, 0, 0))
        info.extra = struct.pack("<HHBI", 0x5455, 5, 1, then + 1)
        archive.writestr(info, "x")
    expected = dict.fromkeys(("run.sh", "plain.txt", "z.sh", "z.txt"), then)
    expected["exact.txt"] = then + 1
    two_hours_east = {"TZ": "UTC-2"}
    for overwrite in ((), ("--overwrite",)):
        words = ("extract", "--to", "out", *overwrite, "base", "unix.zip")
        result = box.run(*words, env=two_hours_east)
        assert result.code == 0, result
        files = {each.name: each.stat() for each in (box.folder / "out").iterdir()}
        assert {name: stat.st_mtime for name, stat in files.items()} == expected, files
        runs = {name for name, stat in files.items() if stat.st_mode & 0o100}
        assert runs == {"run.sh", "z.sh"}, runs


@case()
def extract_says_what_was_written_before_an_interrupt(box):
    words = ("extract", "--to", "out", "--progress", "always", box.endless(400))
    process = box.start(*words)
    read_until(process.stderr, b"files")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=TIME_LIMIT_S)
    assert process.returncode == 130, (out, err)
    written = sorted((box.folder / "out").iterdir())
    assert out.decode().startswith(f"interrupted: {len(written)} of 400 files, "), (out, err)
    assert b"these are whole" in out, out
    assert all(each.stat().st_size == 16 << 20 for each in written), written


@case()
def extract_gives_up_a_file_that_takes_too_long(box):
    os.truncate(box.write("base/huge.bin", ""), 1 << 40)
    box.write("base/small.txt", "s")
    result = box.run("extract", "--to", "out", "--file-time-max", "1", "base")
    assert result.code == 1 and result.out.startswith("1 file, "), result
    assert "huge.bin: takes longer than 1 s; allow more with --file-time-max" in result.err, result
    assert os.listdir(box.folder / "out") == ["small.txt"], result


@case()
def extract_reports_once_that_the_folder_cannot_be_created(box):
    mounts = box.game()
    box.write("taken", "a file")
    for target in ("taken", "taken/below"):
        result = box.run("extract", "--to", target, *mounts)
        assert (result.code, result.out) == (5, ""), result
        assert result.err.startswith(f"error: {target}: cannot create the folder"), result
        assert result.err.count("\n") == 1 and "--to" in result.err, result


@case()
def extract_continues_after_a_damaged_file(box):
    damaged = break_entry(box.zip("game.zip", {"a.txt": "whole", "b.txt": "b" * 99}, 0))
    result = box.run("extract", "--to", "out", damaged)
    assert result.code == 1 and "error: b.txt: " in result.err, result
    assert result.out.startswith("1 file, ") and "1 failed" in result.out, result
    assert os.listdir(box.folder / "out") == ["a.txt"], result


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
    assert "plain" not in box.run("check", "--archives-in", "game").out


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

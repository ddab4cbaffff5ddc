# SPDX-License-Identifier: Zlib
"""Nothing that was there is lost: an output is never an input, and what it replaces stays until the
new file is whole."""

import errno
import json
import os
import resource
import shutil
import stat
import subprocess
import zipfile

from harness import break_entry, case

PAGE = b"<!doctype html>\n<!-- overture report -->"


def snapshot(folder):
    """Every file and link below a folder, with its content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def leaves_all(box, *arguments, code=2, says=()):
    """Runs the command, which has to refuse with this status and these words."""
    before = snapshot(box.folder)
    result = box.run(*arguments)
    after = snapshot(box.folder)
    assert after == before, (arguments, result, set(after) ^ set(before))
    assert result.code == code, (arguments, result)
    for text in says:
        assert text in result.err, (arguments, text, result)
    return result


def names_of(box, path):
    """Other names of the file, each of them a way to lose it."""
    target = box.folder / path
    folder = box.folder / "names"
    folder.mkdir(exist_ok=True)
    os.link(target, folder / "hard")
    os.symlink(target, folder / "soft")
    return (path, f"./{path}", f"names/../{path}", str(target), "names/hard", "names/soft")


@case()
def a_record_or_trace_never_replaces_an_archive_it_is_made_from(box):
    box.zip("v.zip", {"a.txt": "a"})
    for option in ("--record", "--trace", "--html"):
        for name in names_of(box, "v.zip"):
            leaves_all(box, "load", option, name, "v.zip", says=(option, "v.zip", "give another"))
        (box.folder / "names/hard").unlink()
        (box.folder / "names/soft").unlink()


@case()
def a_record_or_trace_never_replaces_a_file_of_a_mounted_folder(box):
    box.write("game/maps/rome.txt", "rome")
    box.write("game/notes.txt", "not a map")
    for option in ("--record", "--trace", "--html"):
        for name in ("game/maps/rome.txt", "game/notes.txt", "game/maps/../notes.txt"):
            refused = leaves_all(box, "load", option, name, "game")
            assert "a file of the mounted folder game" in refused.err, refused
    # Files that a mod hides are files of a mount, too.
    box.write("mod/notes.txt", "of the mod")
    leaves_all(box, "load", "--trace", "game/notes.txt", "game", "mod")
    # A new file in a mounted folder is fine.
    result = box.run("load", ".", "--trace", "new.json", "--record", "new.record")
    assert result.code == 0 and json.loads((box.folder / "new.json").read_text()), result
    assert (box.folder / "new.record").exists()


@case()
def an_archive_of_archives_in_is_an_input_and_its_neighbours_are_not(box):
    box.zip("mods/one.zip", {"a.txt": "a"})
    box.write("mods/old.json", '{"traceEvents":[]}')
    leaves_all(box, "load", "--trace", "mods/one.zip", "--archives-in", "mods", says=("one.zip",))
    result = box.run("load", "--trace", "mods/old.json", "--archives-in", "mods")
    assert result.code == 0 and json.loads((box.folder / "mods/old.json").read_text()), result


@case()
def outputs_and_other_inputs_differ_from_each_other(box):
    box.write("game/a.txt", "a")
    assert box.run("load", "--record", "old.record", "game").code == 0
    box.write("base.json", box.run("load", "--json", "game").out)
    words = ("load", "--baseline", "base.json", "--record", "base.json", "game")
    leaves_all(box, *words, says=("--record", "--baseline"))
    words = ("load", "--recorded", "old.record", "--trace", "old.record", "game")
    leaves_all(box, *words, says=("--trace", "--recorded"))
    for one in ("new", "old.record"):
        for other in (one, f"./{one}", f"game/../{one}"):
            leaves_all(box, "load", "--trace", one, "--record", other, "game", says=("two names",))
    words = ("pack", "--recorded", "old.record", "--overwrite", "old.record", "game")
    leaves_all(box, *words, says=("--recorded",))
    with open(box.folder / "report.json", "w") as report:
        report.write("so far\n")
        report.flush()
        words = [box.overture, "load", "--json", "--trace", "report.json", "game"]
        done = subprocess.run(words, cwd=box.folder, stdout=report, stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"standard output" in done.stderr, done
    assert (box.folder / "report.json").read_text() == "so far\n"


@case()
def pipes_devices_folders_and_links_stay_what_they_are(box):
    box.write("game/a.txt", "a")
    os.mkfifo(box.folder / "pipe")
    (box.folder / "folder").mkdir()
    for target, reason in (("pipe", "not a regular file"), ("folder", "not a regular file")):
        refused = box.run("load", "--record", target, "game")
        assert refused.code == 5 and f"{target}: {reason}" in refused.err, refused
        refused = box.run("pack", "--overwrite", target, "game")
        assert refused.code == 5 and f"{target}: {reason}" in refused.err, refused
    assert (box.folder / "pipe").is_fifo() and (box.folder / "folder").is_dir()
    box.write("real/old.record", "overture-load-record 1\n")
    os.symlink("real/old.record", box.folder / "link.record")
    assert box.run("load", "--record", "link.record", "game").code == 0
    assert (box.folder / "link.record").is_symlink()
    assert (box.folder / "real/old.record").read_text().startswith("overture-load-record")
    os.symlink("nowhere", box.folder / "dangling")
    refused = box.run("load", "--record", "dangling", "game")
    assert refused.code == 5 and "the link leads nowhere" in refused.err, refused
    assert os.readlink(box.folder / "dangling") == "nowhere"


@case()
def the_mode_of_what_is_replaced_is_kept_and_read_only_files_stay(box):
    box.write("game/a.txt", "a")
    outputs = {
        "t.json": ("load", "--trace", "t.json", "game"),
        "p.html": ("load", "--html", "p.html", "game"),
        "r.record": ("load", "--record", "r.record", "game"),
        "p.zip": ("pack", "--overwrite", "p.zip", "game"),
        "s.save": ("save-bench", "--objects", "10", "--overwrite", "--file", "s.save"),
    }
    for name, words in outputs.items():
        assert box.run(*words).code == 0, words
        (box.folder / name).chmod(0o640)
        assert box.run(*words).code == 0, words
        assert stat.S_IMODE((box.folder / name).stat().st_mode) == 0o640, name
        (box.folder / name).chmod(0o400)
        before = (box.folder / name).read_bytes()
        refused = box.run(*words)
        assert refused.code == 5 and "read-only" in refused.err, (words, refused)
        assert (box.folder / name).read_bytes() == before


def with_limit(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


@case()
def a_disk_that_is_too_small_has_one_status_and_costs_nothing(box):
    for i in range(20):
        box.write(f"game/{i}.txt", f"{i}" * 500)
    outputs = {
        "t.json": ("load", "--trace", "t.json", "game"),
        "p.html": ("load", "--html", "p.html", "game"),
        "r.record": ("load", "--record", "r.record", "game"),
        "p.zip": ("pack", "--overwrite", "p.zip", "game"),
        "s.save": ("save-bench", "--objects", "100", "--overwrite", "--file", "s.save"),
        "out": ("extract", "--overwrite", "--to", "out", "game"),
    }
    for words in outputs.values():
        assert box.run(*words).code == 0, words
    before = snapshot(box.folder)
    for words in outputs.values():
        result = box.run(*words, preexec_fn=with_limit(resource.RLIMIT_FSIZE, 100))
        assert result.code == 5 and os.strerror(errno.EFBIG) in result.err, (words, result)
        assert snapshot(box.folder) == before, words


@case()
def a_pack_that_lacks_files_replaces_no_other(box):
    box.write("base/a.txt", "a")
    box.zip("mod.zip", {"b.txt": "bb", "damaged.txt": "damaged"}, zipfile.ZIP_STORED)
    assert box.run("pack", "game.zip", "base", "mod.zip").code == 0
    break_entry(box.folder / "mod.zip")
    refused = leaves_all(box, "pack", "--overwrite", "game.zip", "base", "mod.zip", code=1)
    assert "damaged.txt: the content does not match" in refused.err, refused
    assert "1 file or folder could not be read, so it is unchanged" in refused.err, refused
    words = ("pack", "--overwrite", "--exclude", "damaged.txt", "game.zip", "base", "mod.zip")
    assert box.run(*words).code == 0
    assert zipfile.ZipFile(box.folder / "game.zip").namelist() == ["a.txt", "b.txt"]
    # The archive itself is a source: the same.
    leaves_all(box, "pack", "--overwrite", "mod.zip", "mod.zip", "base", code=1)
    # Names that are skipped would be lost with the archive.
    box.zip("names.zip", {"fine.txt": "f", "../evil.txt": "e"})
    refused = leaves_all(box, "pack", "--overwrite", "names.zip", "names.zip", code=1)
    assert "would lack 1 name" in refused.err, refused
    box.zip("names.zip", {"fine.txt": "f", "folder/": "a folder with data"})
    refused = leaves_all(box, "pack", "--overwrite", "names.zip", "names.zip", code=1)
    assert "would lack 1 name" in refused.err, refused
    # Removal markers would be applied to nothing more.
    box.zip("names.zip", {"fine.txt": "f", ".wh.base.txt": ""})
    words = ("pack", "--overwrite", "names.zip", "--removal-markers", "base", "names.zip")
    refused = leaves_all(box, *words, code=1)
    assert "would lack its 1 removal marker, so it is unchanged" in refused.err, refused


@case()
def a_pack_of_its_own_source_takes_its_place_at_the_end(box):
    box.zip("game.zip", {"a.txt": "a" * 1000, "b.txt": "b"}, zipfile.ZIP_STORED)
    for name in ("game.zip", "./game.zip"):
        result = box.run("pack", "--overwrite", name, "game.zip")
        assert result.code == 0, result
        with zipfile.ZipFile(box.folder / "game.zip") as opened:
            assert opened.read("a.txt") == b"a" * 1000 and opened.read("b.txt") == b"b"
    box.write("folder/old.zip", (box.folder / "game.zip").read_bytes())
    leaves_all(box, "pack", "--overwrite", "folder/old.zip", "folder", says=("mounted folder",))


@case()
def a_pack_without_descriptors_or_memory_keeps_the_old_one(box):
    for i in range(300):
        box.write(f"base/{i:03}.txt", f"text {i}\n" * 50)
    assert box.run("pack", "game.zip", "base").code == 0
    before = snapshot(box.folder)
    for limit in range(5, 24):  # the system's loader needs four
        limits = with_limit(resource.RLIMIT_NOFILE, limit)
        words = ("pack", "--overwrite", "--threads", "2", "game.zip", "base")
        result = box.run(*words, preexec_fn=limits)
        # It has all the files, or is what it was.
        names = zipfile.ZipFile(box.folder / "game.zip").namelist()
        assert len(names) == 300 and result.code in (0, 1, 3, 5), (limit, result)
        if result.code != 0:
            assert snapshot(box.folder) == before, (limit, result)


@case()
def names_of_temporary_files_are_neither_listed_nor_extracted(box):
    left = ".overture-0123456789abc.tmp"
    box.write("base/a.txt", "a")
    box.write(f"base/{left}", "half of a file")
    box.write(f"base/sub/{left}/1", "half of another")
    assert box.run("ls", "-r", "base").out == "a.txt\n"
    box.zip("evil.zip", {left: "swept later", "b.txt": "b"})
    result = box.run("extract", "--to", "out", "evil.zip")
    assert result.code == 1 and "temporary files" in result.err, result
    assert snapshot(box.folder / "out") == {"b.txt": b"b"}


@case()
def what_killed_runs_have_left_is_swept(box):
    box.write("base/a.txt", "a")
    left = ".overture-0123456789abc.tmp"
    commands = {
        "one": ("load", "--trace", "one/t.json", "base"),
        "two": ("load", "--record", "two/r.record", "base"),
        "three": ("pack", "three/p.zip", "base"),
        "four": ("extract", "--to", "four", "base"),
        "five": ("save-bench", "--objects", "10", "--file", "five/s.save"),
    }
    for folder, words in commands.items():
        box.write(f"{folder}/{left}", "half of a file")
        box.write(f"{folder}/.overture-notes", "of the user")
        assert box.run(*words).code == 0, words
        assert not (box.folder / folder / left).exists(), words
        assert (box.folder / folder / ".overture-notes").exists(), words


@case("unsanitized")
def little_address_space_leaves_the_old_file_or_the_new_one(box):
    """A sanitizer takes terabytes of it."""
    for i in range(40):
        box.write(f"game/{i:02}.txt", f"line {i}\n" * 3000)
    outputs = {
        "r.record": (("load", "--record", "r.record", "game"), b"overture-load-record "),
        "t.json": (("load", "--trace", "t.json", "game"), b'{"traceEvents"'),
        "p.html": (("load", "--html", "p.html", "game"), PAGE),
        "p.zip": (("pack", "--overwrite", "p.zip", "game"), b"PK"),
    }
    statuses = set()
    for name, (words, head) in outputs.items():
        old = head + b" old"
        box.write(name, old)
        for mib in range(8, 240, 8):
            limit = with_limit(resource.RLIMIT_AS, mib << 20)
            result = box.run(*words, preexec_fn=limit)
            is_old = (box.folder / name).read_bytes() == old
            assert is_old != (result.code == 0), (words, mib, result)
            statuses.add(result.code)
            box.write(name, old)
        assert not list(box.folder.glob(".overture-*")), words
    box.zip("mod.zip", {f"{i:02}.txt": f"mod {i}\n" * 3000 for i in range(40)})
    extract = ("extract", "--overwrite", "--to", "game", "game", "mod.zip")
    before = snapshot(box.folder / "game")
    for mib in range(8, 160, 8):
        result = box.run(*extract, preexec_fn=with_limit(resource.RLIMIT_AS, mib << 20))
        statuses.add(result.code)
        if result.code == 0:
            break
        assert snapshot(box.folder / "game") == before, (mib, result)
    assert 0 in statuses and len(statuses) > 1, statuses


@case("unsanitized")
def a_save_that_fails_leaves_no_empty_file_where_there_was_none(box):
    words = ("save-bench", "--objects", "50", "--rounds", "1", "--file", "s.save")
    result = box.run_refusing("disk", *words, first=4, errno=errno.ENOSPC)
    assert result.refused and result.code == 5, result
    assert not (box.folder / "s.save").exists()


@case("unsanitized")
def a_disk_that_fails_at_any_moment_leaves_the_old_file_or_the_new_one(box):
    """Preloading does not mix with sanitizers."""
    for i in range(3):
        box.write(f"game/{i}.txt", f"{i}" * 500)
    outputs = {
        "t.json": ("load", "--trace", "t.json", "game"),
        "p.html": ("load", "--html", "p.html", "game"),
        "r.record": ("load", "--record", "r.record", "game"),
        "p.zip": ("pack", "--overwrite", "p.zip", "game"),
        "s.save": ("save-bench", "--objects", "50", "--rounds", "1", "--overwrite"),
        "out": ("extract", "--overwrite", "--threads", "1", "--to", "out", "game"),
        "in place": ("extract", "--overwrite", "--threads", "1", "--to", "game", "game", "m.zip"),
    }
    box.zip("m.zip", {f"{i}.txt": f"mod {i}" for i in range(3)})
    outputs["s.save"] += ("--file", "s.save")
    for name, words in outputs.items():
        assert box.run(*words).code == 0, words
        before = snapshot(box.folder)
        for error in (errno.ENOSPC, errno.EIO, errno.EDQUOT):
            for all_after in (False, True):
                number = 1
                while True:
                    told = {"first": number, "errno": error, "all_after": all_after}
                    result = box.run_refusing("disk", *words, **told)
                    (box.folder / "refused").unlink(missing_ok=True)
                    if not result.refused:
                        before = snapshot(box.folder)
                        break
                    where = (words, told, result)
                    assert result.code == 5 and os.strerror(error) in result.err, where
                    # What it replaced, if the disk failed at the very end.
                    for kept in box.folder.glob("game/overture-old-*"):
                        assert f"its old content is in game/{kept.name}/" in result.err, where
                        shutil.rmtree(kept)
                    after = snapshot(box.folder)
                    # The times in it differ from run to run.
                    if name in ("t.json", "p.html", "r.record") and after[name] != before[name]:
                        assert "could not be synced" in result.err, where
                        before[name] = after[name]
                    assert after == before, where
                    number += 1
                assert number > 2, (words, "nothing was refused")


@case()
def an_output_replaces_only_what_it_could_have_written(box):
    """An option without its FILE takes the next argument for it."""
    box.zip("mod.zip", {"a.txt": "a"})
    box.write("base.pk3", "precious")
    for option in ("--record", "--trace"):
        leaves_all(box, "load", option, "base.pk3", "mod.zip", says=("has not written it",))
    box.write("empty", "")
    assert box.run("load", "--record", "empty", "mod.zip").code == 0
    left = ".overture-0123456789abc.tmp"
    for words in (("load", "--record", left, "mod.zip"), ("pack", left, "mod.zip")):
        leaves_all(box, *words, says=("later runs remove files of this name",))
    leaves_all(box, "extract", "--to", f"sub/{left}", "mod.zip", says=("later runs remove",))


@case()
def a_link_that_is_switched_during_a_load_leads_to_no_mount(box):
    box.zip("b.zip", {f"{i}.txt": "text" * 1000 for i in range(50)})
    box.write("old.record", "overture-load-record 1\n")
    os.symlink("old.record", box.folder / "l")
    os.mkfifo(box.folder / "pipe")
    process = box.start("load", "b.zip", "--record", "l", "--trace", "pipe")
    # The load waits for a reader of its trace, after the first look at the record.
    (box.folder / "l").unlink()
    before = (box.folder / "b.zip").read_bytes()
    with open(box.folder / "pipe", "rb") as reader:
        os.symlink("b.zip", box.folder / "l")
        reader.read()
    _, err = process.communicate(timeout=60)
    assert (box.folder / "b.zip").read_bytes() == before, err
    assert process.returncode != 0, err


@case()
def a_pack_of_nothing_replaces_nothing(box):
    box.write("disk/a.txt", "a")
    assert box.run("pack", "backup.zip", "disk").code == 0
    (box.folder / "disk/a.txt").unlink()
    leaves_all(box, "pack", "--overwrite", "backup.zip", "disk", code=1, says=("nothing to pack",))


@case()
def a_pack_has_no_file_with_the_name_of_a_folder(box):
    box.zip("b.zip", {"x": "a file"})
    box.write("f/x/y", "in a folder")
    refused = leaves_all(box, "pack", "--overwrite", "b.zip", "b.zip", "f", code=1)
    assert "x: a folder of another mount has this name" in refused.err, refused
    result = box.run("pack", "new.zip", "b.zip", "f")
    assert result.code == 1, result
    assert zipfile.ZipFile(box.folder / "new.zip").namelist() == ["x/y"]


@case()
def an_archive_link_that_leads_nowhere_is_named(box):
    box.zip("d/a.zip", {"a.txt": "a"})
    os.symlink("gone.pk3", box.folder / "d/b.pk3")
    os.symlink("gone.txt", box.folder / "d/notes.txt")
    result = box.run("ls", "--archives-in", "d")
    assert result.code == 3 and "d/b.pk3" in result.err and "notes" not in result.err, result


@case()
def a_file_named_like_standard_output_is_no_other(box):
    """Only --trace writes there."""
    kept = box.write("-", "kept")
    box.write("game/a.txt", "a")
    recorded = box.run("load", "--record", "-", "game")
    assert recorded.code == 2 and kept.read_text() == "kept", recorded
    packed = box.run("pack", "-", "game")
    assert packed.code == 2 and "not written to standard output" in packed.err, packed
    packed = box.run("pack", "./new", "game")
    assert packed.code == 0, packed


@case()
def an_option_whose_value_is_empty_is_a_mistake(box):
    """A variable that is not set: a check against no baseline would always pass."""
    box.write("game/a.txt", "a")
    for option in ("--baseline", "--record", "--trace", "--recorded"):
        for words in ((option, ""), (f"{option}=",)):
            result = box.run("load", *words, "game")
            assert result.code == 2 and "the value is empty" in result.err, (words, result)


@case()
def a_load_of_nothing_replaces_no_trace_and_no_page(box):
    """The disk of the game is not mounted."""
    box.write("game/a.txt", "a")
    (box.folder / "empty").mkdir()
    for option, name in (("--trace", "t.json"), ("--html", "p.html"), ("--record", "r.record")):
        assert box.run("load", option, name, "game").code == 0
        refused = leaves_all(box, "load", option, name, "empty", code=5)
        assert "is a disk not mounted?" in refused.err, refused
        assert box.run("load", option, f"new.{name}", "empty").code == 0

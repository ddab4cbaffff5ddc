# SPDX-License-Identifier: Zlib
"""extract loses nothing of what is there before it."""

import errno
import os
import shutil
import stat
import struct
import zipfile

from cases_keep import leaves_all, snapshot
from harness import break_entry, case


@case()
def extract_over_its_own_mounts_changes_all_or_nothing(box):
    box.write("game/a.txt", "a of the game")
    box.write("game/sub/b.txt", "b of the game")
    box.zip("mod.zip", {"a.txt": "a of the mod", "new.txt": "n"}, zipfile.ZIP_STORED)
    merge = ("extract", "--overwrite", "--to", "game", "game", "mod.zip")
    result = box.run(*merge)
    assert result.code == 0 and result.out.startswith("2 files, "), result
    assert "1 are read from where they would go" in result.out, result
    assert snapshot(box.folder / "game") == {
        "a.txt": b"a of the mod",
        "new.txt": b"n",
        "sub/b.txt": b"b of the game",
    }
    box.zip("mod.zip", {"a.txt": "a of 2", "z.txt": "damaged"}, zipfile.ZIP_STORED)
    break_entry(box.folder / "mod.zip")
    refused = leaves_all(box, *merge, code=1)
    assert "nothing was replaced" in refused.err, refused


@case()
def extract_never_replaces_what_another_path_reads(box):
    """Files were replaced while others were still to be read from them."""
    box.write("data/a", "a of data")
    box.write("ch/data/a", "inner a")
    box.write("ch/a", "a of ch")
    words = ("extract", "--overwrite", "--to", "ch", "--in", "data", "ch")
    refused = leaves_all(box, *words)
    assert "data/a would replace this file, which the tree reads as a of ch" in refused.err, refused
    # Two folders, each mounted where the other one lies.
    for i in range(50):
        box.write(f"top/one/{i}", f"one {i}")
        box.write(f"top/two/{i}", f"two {i}")
    swapped = ("--mount-point", "two", "top/one", "--mount-point", "one", "top/two")
    leaves_all(box, "extract", "--overwrite", "--to", "top", *swapped)
    # An archive that has an entry of its own name.
    box.zip("self.zip", {"self.zip": "not an archive", "x": "x"})
    leaves_all(box, "extract", "--overwrite", "--to", ".", "self.zip", says=("the archive",))
    # Through a link, and over a hard link.
    os.symlink("ch", box.folder / "way")
    leaves_all(box, "extract", "--overwrite", "--to", "way", "--in", "data", "ch")
    os.link(box.folder / "data/a", box.folder / "ch/b")
    box.write("data/b", "b of data")
    leaves_all(box, "extract", "--overwrite", "--to", "ch", "data")
    # New files beside the mounts are fine.
    box.zip("base.pk3", {"fresh/f.txt": "f"})
    result = box.run("extract", "--to", ".", "base.pk3")
    assert result.code == 0 and (box.folder / "fresh/f.txt").read_text() == "f", result


@case()
def extract_leaves_pipes_and_folders_in_its_way(box):
    box.write("base/pipe", "file")
    box.write("base/folder", "file")
    (box.folder / "out/folder").mkdir(parents=True)
    os.mkfifo(box.folder / "out/pipe")
    result = box.run("extract", "--overwrite", "--to", "out", "base")
    assert result.code == 1 and "pipe: a FIFO, socket or device has this name" in result.err, result
    assert "folder: a folder has this name" in result.err, result
    assert (box.folder / "out/pipe").is_fifo() and (box.folder / "out/folder").is_dir()


@case()
def extract_resumes_where_it_was_stopped(box):
    box.write("base/loose.txt", "loose")
    box.zip("mod.zip", {f"{i}.txt": f"text {i}" for i in range(10)})
    mounts = ("base", "mod.zip")
    assert box.run("extract", "--to", "out", *mounts).code == 0
    whole = snapshot(box.folder / "out")
    for name in ("3.txt", "7.txt", "loose.txt"):
        (box.folder / "out" / name).unlink()
    result = box.run("extract", "--resume", "--to", "out", *mounts)
    assert result.code == 0 and result.out.startswith("3 files, "), result
    assert "8 were there and whole" in result.out and snapshot(box.folder / "out") == whole, result
    # What differs may be the user's own file.
    (box.folder / "out/5.txt").write_text("text 6")
    (box.folder / "out/loose.txt").write_text("goose")
    refused = box.run("extract", "--resume", "--to", "out", *mounts)
    assert refused.code == 1 and refused.err.count("file exists") == 2, refused
    forced = box.run("extract", "--resume", "--overwrite", "--to", "out", *mounts)
    assert forced.code == 0 and forced.out.startswith("2 files, "), forced
    assert snapshot(box.folder / "out") == whole


@case()
def extract_keeps_the_modes_of_what_it_replaces(box):
    box.zip("mod.zip", {"secret.txt": "new", "run.sh": "new", "fresh.txt": "new"})
    box.write("out/secret.txt", "old").chmod(0o600)
    box.write("out/run.sh", "old").chmod(0o750)
    result = box.run("extract", "--overwrite", "--to", "out", "mod.zip")
    assert result.code == 0, result
    files = (box.folder / "out").iterdir()
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in files}
    assert (modes["secret.txt"], modes["run.sh"]) == (0o600, 0o750), modes


@case("unsanitized")
def extract_leaves_out_a_large_file_that_changes_while_it_is_read(box):
    """What is written would be neither the old content nor the new."""
    box.write("game/large.bin", b"x" * (9 << 20))
    box.write("game/small.txt", "text")
    torn = box.run_refusing("touch", "extract", "--to", "out", "game", first=3)
    assert torn.refused and torn.code == 1, torn
    assert "large.bin: " in torn.err and "has changed while it was read" in torn.err, torn
    assert sorted(each.name for each in (box.folder / "out").iterdir()) == ["small.txt"]


@case("unsanitized")
def extract_sees_a_change_of_a_file_whose_name_is_folded(box):
    """Its path in the tree is none of the disk's."""
    box.write("game/LARGE.BIN", b"x" * (9 << 20))
    words = ("extract", "--ignore-case", "--to", "out", "game")
    torn = box.run_refusing("touch", *words, first=3)
    assert torn.refused and torn.code == 1, torn
    assert "has changed while it was read" in torn.err, torn
    assert box.run(*words).code == 0


@case("unsanitized")
def extract_calls_nothing_whole_that_the_disk_failed_to_keep(box):
    box.write("game/a.txt", "text")
    for number in range(1, 9):
        words = ("extract", "--to", f"out{number}", "game")
        result = box.run_refusing("disk", *words, first=number, errno=errno.EIO)
        if not result.refused:
            break
        assert result.code != 0, result
        last = result
    assert "the disk failed to keep what was written" in last.err, last


@case("unsanitized")
def extract_over_its_mounts_takes_all_back_if_one_cannot_be_replaced(box):
    """A folder without permission to write: the files before it had been replaced already."""
    for path in ("a.txt", "s/b.txt", "z.txt"):
        box.write(f"game/{path}", "old")
    box.zip("mod.zip", {path: "new" for path in ("a.txt", "b_fresh.txt", "s/b.txt", "z.txt")})
    words = ("extract", "--overwrite", "--threads", "1", "--to", "game", "game", "mod.zip")
    before = snapshot(box.folder)
    for number in range(1, 5):
        result = box.run_refusing("exchange", *words, first=number, errno=errno.EACCES)
        (box.folder / "refused").unlink(missing_ok=True)
        if not result.refused:
            break
        assert result.code == 1 and "nothing was replaced" in result.err, result
        assert snapshot(box.folder) == before, (number, result)
    assert number > 2, result
    assert (box.folder / "game/s/b.txt").read_text() == "new"


def merges(box, count=4):
    """A game and a mod for it, and the words that extract the mod over the game."""
    for i in range(count):
        box.write(f"game/{i}.txt", f"old {i}")
    box.zip("mod.zip", {f"{i}.txt": f"new {i}" for i in range(count)})
    return ("extract", "--overwrite", "--threads", "1", "--to", "game", "game", "mod.zip")


@case("unsanitized")
def extract_keeps_what_it_replaced_if_it_cannot_be_taken_back(box):
    """A disk that fails, or is mounted read-only, in the middle."""
    words = merges(box)
    result = box.run_refusing("exchange", *words, first=3, errno=errno.EIO, all_after=True)
    assert result.refused and result.code == 5, result
    assert "some files are new, and others old" in result.err, result
    assert "nothing was replaced" not in result.err, result
    found = {path.read_text() for path in (box.folder / "game").glob("[0-9].txt")}
    assert found == {"new 0", "new 1", "old 2", "old 3"}, found
    for i in range(2):
        (line,) = (one for one in result.err.splitlines() if f"{i}.txt: its old content is" in one)
        kept = box.folder / line.split(" is in ")[1]
        assert kept.read_text() == f"old {i}", result
    # No later run removes it.
    box.zip("other.zip", {"other.txt": "other"})
    assert box.run("extract", "--to", "game", "other.zip").code == 0
    assert kept.read_text() == "old 1" and not list(box.folder.glob("game/.overture-*"))


@case("unsanitized")
def extract_takes_all_back_where_names_cannot_be_exchanged(box):
    """NFS and most file systems in user space: the old file gets a second name instead."""
    words = merges(box)
    # The third file is saved when it is about to be replaced.
    count = "n=$(($(cat n 2> /dev/null) + 1)); echo $n > n"
    script = f"{count}; [ $n -ne 3 ] || echo -n saved > game/2.txt; exit 1"
    refuses = {"all_after": True, "errno": errno.EINVAL}
    result = box.run_refusing("exchange", *words, **refuses, env={"REFUSE_SCRIPT": script})
    assert result.refused and result.code == 1 and "nothing was replaced" in result.err, result
    found = snapshot(box.folder / "game")
    assert found == {"0.txt": b"old 0", "1.txt": b"old 1", "2.txt": b"saved", "3.txt": b"old 3"}
    assert box.run_refusing("exchange", *words, **refuses).code == 0
    found = snapshot(box.folder / "game")
    assert found == {f"{i}.txt": f"new {i}".encode() for i in range(4)}, found


@case("unsanitized")
def extract_without_memory_leaves_all_files_old_or_all_new(box):
    names = [f"{i}/a.txt" for i in range(4)]
    box.zip("mod.zip", {name: "new" for name in names})
    words = ("extract", "--overwrite", "--threads", "1", "--to", "game", "game", "mod.zip")

    def run(number):
        for name in names:
            box.write(f"game/{name}", "old")
        told = {"first": number, "errno": errno.ENOMEM, "all_after": True}
        result = box.run_refusing("malloc", *words, **told)
        after = snapshot(box.folder / "game")
        assert set(after) == set(names) and len(set(after.values())) == 1, (number, result)
        assert result.code in (0, 1, 5), (number, result)
        return result.refused

    # The files get their names near the end.
    last = 1
    while run(2 * last):
        last *= 2
    step = last
    while step > 1:
        step //= 2
        last += step if run(last + step) else 0
    for number in range(max(last - 150, 1), last):
        run(number)


@case("unsanitized")
def extract_leaves_what_has_been_saved_meanwhile(box):
    box.zip("mod.zip", {"a.txt": "new"})
    saved = box.write("out/a.txt", "old")
    words = ("extract", "--overwrite", "--to", "out", "mod.zip")
    # With the size and the time of before, as a backup restores it.
    script = "cp -p out/a.txt b; echo -n Old > out/a.txt; touch -r b out/a.txt"
    result = box.run_refusing("sync", *words, env={"REFUSE_SCRIPT": script})
    assert result.refused and result.code == 1 and "changed meanwhile" in result.err, result
    assert saved.read_text() == "Old", result
    # Saved again and again between the looks.
    count = "n=$(($(cat n 2> /dev/null) + 1)); echo $n > n"
    script = f"{count}; [ $n -gt 2 ] || echo save $n > out/a.txt"
    result = box.run_refusing(
        "exchange", *words, all_after=True, env={"REFUSE_SCRIPT": script}
    )
    assert result.refused and result.code == 1 and "changed meanwhile" in result.err, result
    assert saved.read_text() == "save 2\n", result
    # Several names of one file.
    for each in (box.folder / "out").glob("overture-old-*"):
        shutil.rmtree(each)
    box.zip("mod.zip", {"a.txt": "new a", "b.txt": "new b"})
    os.link(saved, box.folder / "out/b.txt")
    assert box.run(*words).code == 0
    assert snapshot(box.folder / "out") == {"a.txt": b"new a", "b.txt": b"new b"}


@case()
def extract_leaves_read_only_files(box):
    box.zip("mod.zip", {"a.txt": "new", "b.txt": "new"})
    kept = box.write("out/a.txt", "old")
    kept.chmod(0o444)
    refused = box.run("extract", "--overwrite", "--to", "out", "mod.zip")
    assert refused.code == 1 and "a.txt: the file that was to be replaced is read-only" in (
        refused.err
    ), refused
    assert kept.read_text() == "old" and stat.S_IMODE(kept.stat().st_mode) == 0o444
    assert (box.folder / "out/b.txt").read_text() == "new"
    refused = box.run("extract", "--to", "out", "mod.zip")
    assert refused.err.count("file exists") == 2, refused
    words = merges(box)
    (box.folder / "game/2.txt").chmod(0o444)
    leaves_all(box, *words, code=1, says=("read-only", "nothing was replaced"))


def access_list(*entries):
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *each) for each in entries)


@case()
def extract_gives_new_files_what_their_folder_gives(box):
    """As tar and cp do: a group, and the rights in the folder's list."""
    names = ("plain", "team", "private")
    box.zip("mod.zip", {"a.txt": "a"} | {f"{name}/a.txt": "a" for name in names})
    out = box.folder / "out"
    for name in names:
        (out / name).mkdir(parents=True)
    group = 65534 if os.geteuid() == 0 else os.getegid()
    os.chown(out / "team", -1, group)
    (out / "team").chmod(0o2770)
    has_lists = True
    try:
        rights = access_list((1, 6, -1), (4, 4, -1), (32, 0, -1))
        os.setxattr(out / "private", "system.posix_acl_default", rights)
    except OSError:
        has_lists = False  # not on this file system
    result = box.run("extract", "--to", "out", "mod.zip", preexec_fn=lambda: os.umask(0o022))
    assert result.code == 0, result
    modes = {path.parent.name: path.stat() for path in out.glob("*/a.txt")}
    assert stat.S_IMODE(modes["plain"].st_mode) == 0o644, modes
    assert modes["team"].st_gid == group, modes
    shared = box.folder / "shared"
    shared.mkdir()
    os.chown(shared, -1, group)
    shared.chmod(0o2770)
    assert box.run("extract", "--to", "shared", "mod.zip").code == 0
    assert {each.stat().st_gid for each in shared.rglob("a.txt")} == {group}
    assert not has_lists or stat.S_IMODE(modes["private"].st_mode) == 0o640, modes
    assert not list(out.rglob(".overture-*"))


@case()
def extract_says_what_removal_markers_leave_in_the_folder(box):
    box.write("game/maps/old.txt", "old")
    box.write("game/maps/kept.txt", "kept")
    box.zip("mod.zip", {"maps/.wh.old.txt": "", "maps/new.txt": "new"})
    words = ("extract", "--removal-markers", "--overwrite", "--to", "game", "game", "mod.zip")
    result = box.run(*words)
    said = "warning: game: 1 file that removal markers take out of the tree is still there\n"
    assert (result.code, result.err) == (0, said), result
    (box.folder / "game/maps/old.txt").unlink()
    assert box.run(*words).err == ""

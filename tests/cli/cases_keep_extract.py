# SPDX-License-Identifier: Zlib
"""extract loses nothing of what is there before it."""

import errno
import os
import stat
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

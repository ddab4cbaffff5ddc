# SPDX-License-Identifier: Zlib
"""overture pack."""

import errno
import os
import random
import resource
import shutil
import signal
import subprocess
import zipfile
import zlib

from harness import TIME_LIMIT_S, break_entry, case, read_until

MIB = 1 << 20
# How to extract an archive into the current folder.
READERS = {
    "unzip": ["unzip", "-q"],
    "bsdtar": ["bsdtar", "-xf"],
    "python": ["python3", "-m", "zipfile", "-e"],
    "7zz": ["7zz", "x", "-bd", "-bso0"],
}


def contents_of(folder):
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file()
    }


def extracted(box, reader, archive):
    to = box.folder / f"by-{reader}"
    to.mkdir()
    words = READERS[reader] + [str(archive)] + (["."] if reader == "python" else [])
    # Warnings are failures too: the archive is to be flawless.
    done = subprocess.run(words, cwd=to, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, (reader, done)
    return contents_of(to)


def varied_game(box):
    """Mounts with files of all kinds: empty, executable, packed, stored, in pieces, repeated."""
    random.seed(7)
    noise = random.randbytes(3 * MIB)
    box.write("base/empty", "")
    box.write("base/tool.sh", "#!/bin/sh\n").chmod(0o755)
    box.write("base/grün/日本.txt", "names")
    box.write("base/maps/long.txt", b"".join(b"line %d\n" % i for i in range(500_000)))
    box.write("base/noise.bin", noise)
    box.write("base/noise.copy", noise)
    box.write("base/small.bin", noise[:100])
    box.zip("mod.zip", {"maps/rome.txt": "rome\n" * 1000, "small.bin": noise[:99]})
    return ["base", "mod.zip"]


@case()
def a_pack_is_the_same_to_all_readers(box):
    mounts = varied_game(box)
    result = box.run("pack", "game.zip", *mounts)
    assert result.code == 0 and result.out.startswith("8 files, "), result
    assert "1 file repeats another file's content; that costs 3.0" in result.out, result
    assert box.run("extract", "--to", "tree", *mounts).code == 0
    wanted = contents_of(box.folder / "tree")
    assert len(wanted) == 8
    for reader in READERS:
        assert extracted(box, reader, box.folder / "game.zip") == wanted, reader
    assert os.access(box.folder / "by-unzip/tool.sh", os.X_OK)
    assert not os.access(box.folder / "by-unzip/small.bin", os.X_OK)
    before, after = box.load_json(*mounts), box.load_json("game.zip")
    assert before["hash"] == after["hash"], (before, after)


@case()
def a_pack_with_zstd_is_read_by_7zip(box):
    mounts = varied_game(box)
    result = box.run("pack", "--zstd", "game.zip", *mounts)
    assert result.code == 0, result
    assert box.run("extract", "--to", "tree", *mounts).code == 0
    wanted = contents_of(box.folder / "tree")
    assert extracted(box, "7zz", box.folder / "game.zip") == wanted
    assert box.load_json(*mounts)["hash"] == box.load_json("game.zip")["hash"]


@case()
def a_pack_is_reproducible(box):
    mounts = varied_game(box)
    for options in ((), ("--zstd",)):
        assert box.run("pack", "one.zip", *options, "--threads", "1", *mounts).code == 0
        # Elsewhere, at another time.
        shutil.copytree(box.folder / "base", box.folder / "far/base")
        shutil.copy(box.folder / "mod.zip", box.folder / "far/mod.zip")
        os.utime(box.folder / "far/base/empty", (1, 1))
        words = ("pack", "many.zip", *options, "--threads", "5", "far/base", "far/mod.zip")
        assert box.run(*words).code == 0
        one, many = (box.folder / name for name in ("one.zip", "many.zip"))
        assert one.read_bytes() == many.read_bytes(), options
        one.unlink()
        many.unlink()
        shutil.rmtree(box.folder / "far")


@case()
def a_pack_says_where_each_file_came_from(box):
    mounts = box.game()
    assert box.run("pack", "game.zip", *mounts).code == 0
    shown = box.run("which", "maps/rome.txt", "base", "game.zip")
    assert shown.code == 0, shown
    rows = [line.split(maxsplit=2) for line in shown.out.splitlines()]
    assert rows == [["wins", "zip", "game.zip (from dlc.zip)"], ["hidden", "folder", "base"]], shown
    told = box.run("which", "gfx/logo.png", "game.zip", "--json").json()
    assert told["mounts"][0]["comment"] == "from look", told
    folded = box.run("which", "GFX/LOGO.png", "--mount-point", "x", "game.zip", "--ignore-case")
    assert folded.code == 1, folded
    words = ("which", "X/GFX/LOGO.png", "--mount-point", "x", "game.zip", "--ignore-case")
    assert "(from look)" in box.run(*words).out


@case()
def a_pack_replaces_nothing_unasked(box):
    mounts = box.game()
    refused = box.run("pack", "mods/ai.pk3", "base")  # the archive to write was forgotten
    assert refused.code == 2 and "--overwrite" in refused.err, refused
    assert zipfile.ZipFile(box.folder / "mods/ai.pk3").namelist() == ["ai/plan.txt", "rules.txt"]
    # It may be one of its own mounts.
    result = box.run("pack", "--overwrite", "mods/ai.pk3", *mounts)
    assert result.code == 0 and result.out.startswith("7 files, "), result
    assert len(zipfile.ZipFile(box.folder / "mods/ai.pk3").namelist()) == 7


@case()
def a_pack_leaves_out_what_cannot_be_read(box):
    box.write("base/a.txt", "a")
    box.zip("mod.zip", {"b.txt": "bb", "damaged.txt": "damaged"}, zipfile.ZIP_STORED)
    break_entry(box.folder / "mod.zip")
    result = box.run("pack", "game.zip", "base", "mod.zip")
    assert result.code == 1, result
    assert "error: damaged.txt: the content does not match its checksum" in result.err, result
    assert result.out.startswith("2 files, ") and "; 1 failed" in result.out, result
    assert zipfile.ZipFile(box.folder / "game.zip").namelist() == ["a.txt", "b.txt"]
    result = box.run("pack", "less.zip", "--exclude", "b*", "--exclude", "damaged*", "base")
    assert result.code == 0 and result.out.startswith("1 file, "), result


@case()
def a_pack_that_fails_leaves_nothing(box):
    mounts = box.game()
    before = sorted(os.listdir(box.folder))

    def disk_of_1_kib():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    full = box.run("pack", "game.zip", *mounts, preexec_fn=disk_of_1_kib)
    assert full.code == 5 and "error: game.zip: " in full.err, full
    assert os.strerror(errno.EFBIG) in full.err and "nothing is left" in full.err, full
    assert sorted(os.listdir(box.folder)) == before
    missing = box.run("pack", "no/such/game.zip", *mounts)
    assert missing.code == 5 and "no/such/game.zip" in missing.err, missing


@case()
def an_interrupted_pack_leaves_nothing(box):
    process = box.start("pack", "game.zip", box.endless(), "--progress=always")
    try:
        read_until(process.stderr, b"files")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=TIME_LIMIT_S)
    finally:
        process.kill()
    assert process.returncode == 130 and b"nothing is left" in err, (process.returncode, err)
    assert os.listdir(box.folder) == ["endless"]


@case("slow")
def a_pack_holds_large_files_in_pieces(box):
    random.seed(3)
    noise = random.randbytes(66 * MIB)
    text = b"".join(b"line %d\n" % i for i in range(7_000_000))
    box.write("base/noise.bin", noise)
    box.write("base/text.txt", text)
    box.zip("mod.zip", {"again.txt": text})
    for options in ((), ("--zstd",)):
        result = box.run("pack", "game.zip", "--overwrite", *options, "base", "mod.zip")
        assert result.code == 0, result
        with zipfile.ZipFile(box.folder / "game.zip") as opened:
            assert opened.testzip() is None
            assert opened.read("text.txt") == opened.read("again.txt") == text
            stored = opened.getinfo("noise.bin")
            assert stored.compress_type == zipfile.ZIP_STORED
            assert opened.getinfo("text.txt").compress_size < len(text) // 3
        assert box.run("check", "game.zip").code == 0
    with open(box.folder / "mod.zip", "r+b") as damaged:
        damaged.seek(10 * MIB)
        damaged.write(b"damage")
    (box.folder / "game.zip").unlink()
    result = box.run("pack", "game.zip", "base", "mod.zip")
    assert result.code == 1 and "error: again.txt: " in result.err, result
    names = zipfile.ZipFile(box.folder / "game.zip").namelist()
    assert names == ["noise.bin", "text.txt"], names


@case()
def a_load_is_recorded_and_followed(box):
    mounts = box.game()
    # A record of a folder's load has no order of use.
    for name in ("a", "b", "c"):
        box.write(f"plain/{name}", name)
    (hint,) = box.load_json("plain", "--record", "plain.record", "--threads", "1")["hints"]
    assert hint.startswith("the record has the files in the order of their paths"), hint
    result = box.load("--record", "game.record", "--threads", "1", *mounts)
    assert result.code == 0, result
    head, *lines = (box.folder / "game.record").read_text().splitlines()
    assert head == "overture-load-record 1" and len(lines) == 7, lines
    sizes = {line.split(" ", 2)[2]: int(line.split(" ", 2)[1]) for line in lines}
    assert sizes["maps/rome.txt"] == len("a new rome\n"), sizes
    # Another order, and a file that is gone.
    wanted = ["rules.txt", "gone.txt", "maps/rome.txt", "ai/plan.txt"]
    record = "".join(f"9 1 {path}\n" for path in wanted)
    box.write("mine.record", f"{head}\n{record}")
    told = (
        "warning: mine.record: 1 of 4 files in the record is not in the mounts and is left out: "
        "gone.txt\n"
    )
    result = box.load("--recorded", "mine.record", "--record", "again.record", *mounts)
    assert result.code == 0 and told in result.err, result
    plain, led = box.load_json(*mounts), box.load_json("--recorded", "mine.record", *mounts)
    assert plain["hash"] == led["hash"], (plain, led)

    result = box.run("pack", "game.zip", "--recorded", "mine.record", *mounts)
    assert result.code == 0 and told in result.err, result
    names = zipfile.ZipFile(box.folder / "game.zip").namelist()
    assert names[:3] == ["rules.txt", "maps/rome.txt", "ai/plan.txt"], names
    assert len(names) == 7 and names[3:] == sorted(names[3:]), names


@case()
def a_record_that_is_none_is_refused(box):
    mounts = box.game()
    head = "overture-load-record"
    records = {
        "": "not the record of a load",
        "PK\3\4": "not the record of a load",
        f"{head} 2\n": "the record is of a later version",
        f"{head} 1\n1 2 a.txt\n1 b.txt\n": "a line of the record is damaged, at byte 33",
        f"{head} 1\n1 2 a.t": "the record's last line is cut off, at byte 23",
    }
    for text, reason in records.items():
        box.write("bad.record", text)
        for words in (("load",), ("pack", "game.zip")):
            result = box.run(*words, "--recorded", "bad.record", *mounts)
            assert result.code == 2 and f"--recorded bad.record: {reason}" in result.err, result
            assert not (box.folder / "game.zip").exists()
    missing = box.load("--recorded", "none.record", *mounts)
    assert missing.code == 2 and "No such file" in missing.err, missing
    refused = box.load("--record", "no/such.record", *mounts)
    assert refused.code == 5 and "no/such.record" in refused.err and refused.out, refused
    twice = box.load("--record", "a.record", "--repeat", "2", *mounts)
    assert twice.code == 2 and "--repeat" in twice.err, twice


def zstd_of_zeros(size):
    """A frame of little use: most of its zeros are packed, the last 76 KiB are not."""
    stored = 76 << 10
    blocks = []
    for at in range(0, size - stored, 128 << 10):
        count = min(128 << 10, size - stored - at)
        blocks.append((1 << 1 | count << 3).to_bytes(3, "little") + b"\0")
    blocks.append((1 | stored << 3).to_bytes(3, "little") + bytes(stored))
    return b"\x28\xb5\x2f\xfd\xa0" + size.to_bytes(4, "little") + b"".join(blocks)


def write_zip_of_one(path, name, method, packed, size, crc):
    """One that Python's module has no method for."""
    fields = (20).to_bytes(2, "little") + bytes(2) + method.to_bytes(2, "little") + bytes(4)
    fields += crc.to_bytes(4, "little") + len(packed).to_bytes(4, "little")
    fields += size.to_bytes(4, "little") + len(name).to_bytes(2, "little") + bytes(2)
    local = b"PK\3\4" + fields + name
    central = b"PK\1\2" + bytes(2) + fields + bytes(14) + name
    end = b"PK\5\6" + bytes(4) + b"\1\0\1\0" + len(central).to_bytes(4, "little")
    end += (len(local) + len(packed)).to_bytes(4, "little") + bytes(2)
    path.write_bytes(local + packed + central + end)


@case()
def a_pack_can_be_read_whatever_it_was_packed_from(box):
    """zstd would pack the zeros so well that a reader takes them for a bomb."""
    zeros = bytes(80 * MIB)
    archive = box.folder / "a.zip"
    write_zip_of_one(
        archive, b"zeros", 93, zstd_of_zeros(len(zeros)), len(zeros), zlib.crc32(zeros)
    )
    assert box.run("check", "a.zip").code == 0
    packed = box.run("pack", "--zstd", "--overwrite", "a.zip", "a.zip")
    assert packed.code == 0, packed
    checked = box.run("check", "a.zip")
    assert checked.code == 0, checked


@case()
def leftovers_beside_what_an_output_leads_to_are_removed(box):
    """A killed run has left one there: a link is followed."""
    box.write("game/a.txt", "a")
    left = box.write("far/.overture-0123456789abc.tmp", "left")
    box.write("far/out.zip", "old")
    (box.folder / "out.zip").symlink_to("far/out.zip")
    result = box.run("pack", "--overwrite", "out.zip", "game")
    assert result.code == 0, result
    assert not left.exists()

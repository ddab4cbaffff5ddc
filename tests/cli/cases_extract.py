# SPDX-License-Identifier: Zlib
"""overture extract."""

import bz2
import gzip
import io
import lzma
import os
import resource
import shutil
import signal
import struct
import subprocess
import tarfile
import zipfile

from harness import TIME_LIMIT_S, break_entry, case, read_until


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
def extract_leaves_out_what_is_excluded(box):
    box.write("base/maps/rome.txt", "rome")
    box.write("base/maps/rome.bak", "rome")
    box.write("base/docs/deep/read.txt", "read")
    words = ("extract", "--to", "out", "--exclude", "docs/**", "--exclude", "*.bak")
    result = box.run(*words, "base")
    assert result.code == 0 and "2 left out by --exclude" in result.out, result
    files = [each for each in (box.folder / "out").rglob("*") if each.is_file()]
    assert files == [box.folder / "out/maps/rome.txt"], files


def pack_by_zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, stdout=subprocess.PIPE, check=True).stdout


@case()
def a_tar_packed_in_parts_is_read_to_the_end(box):
    files = {f"maps/{number}.txt": bytes([number]) * 3000 for number in range(40)}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    whole = packed.getvalue()
    kinds = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    if shutil.which("zstd") is not None:
        kinds["zst"] = pack_by_zstd
    for kind, pack in kinds.items():
        parts = [pack(whole[at : at + 50_000]) for at in range(0, len(whole), 50_000)]
        box.write(f"game.tar.{kind}", b"".join(parts) + bytes(1000))
        right = box.run("extract", "--to", kind, f"game.tar.{kind}")
        assert (right.code, right.err) == (0, ""), right
        for name, content in files.items():
            assert (box.folder / kind / name).read_bytes() == content, (kind, name)
        box.write(f"rest.tar.{kind}", b"".join(parts) + b"rest")
        checked = box.run("check", f"rest.tar.{kind}")
        assert checked.code == 0 and "40 files" in checked.out, checked
        rest = f"data after the end (rest.tar.{kind}): not part of the compressed archive"
        assert rest in checked.out, checked


@case()
def an_empty_value_is_not_the_next_argument(box):
    box.write("base/a.txt", "a")
    box.write("mods/a.txt", "precious")
    for words in (("--to=", "mods", "base"), ("--to=", "--overwrite", "mods", "base")):
        refused = box.run("extract", *words)
        assert refused.code == 2 and "--to: the value is empty" in refused.err, refused
    assert (box.folder / "mods/a.txt").read_text() == "precious"
    refused = box.run("ls", "--exclude=", "base")
    assert refused.code == 2 and "give a pattern" in refused.err, refused
    result = box.run("ls", "--exclude=*.txt", "base")
    assert result.code == 0 and result.out == "", result


@case()
def a_mount_in_brackets_is_no_list(box):
    box.write("[v2]/f", "f")
    box.write("v2/g", "g")
    box.write("[a,b]/h", "h")
    for words in (("[v2]",), ("--", "[v2]")):
        result = box.run("ls", *words)
        assert result.code == 0 and result.out == "f\n", result
    result = box.run("ls", "[a,b]", "v2")
    assert result.code == 0 and result.out == "g\nh\n", result
    result = box.run("which", "h", "[a,b]")
    assert result.code == 0 and "[a,b]" in result.out, result
    result = box.run("ls", "--mount-point", "[x]", "v2")
    assert result.code == 0 and result.out == "[x]/\n", result
    missing = box.run("ls", "[none]")
    assert missing.code == 3 and missing.err.startswith("error: [none]: "), missing


@case()
def ls_and_check_leave_out_what_is_excluded(box):
    box.write("base/maps/rome.txt", "rome")
    box.write("base/maps/con.bak", "a name that Windows cannot have")
    box.write("base/docs/deep/read.txt", "read")
    for docs in ("docs/**", "docs", "docs/", "/docs"):
        seen = box.run("ls", "--exclude", docs, "base")
        assert seen.code == 0 and seen.out == "maps/\n", (docs, seen)
        report = box.run("check", "--json", "--exclude", docs, "base").json()
        assert report["files"] == 2, (docs, report)
    for nothing in ("", "/", "//"):
        refused = box.run("ls", "--exclude", nothing, "base")
        assert refused.code == 2 and "--exclude" in refused.err, refused
        assert "give a pattern, such as" in refused.err, refused
    words = ("--exclude", "docs/**", "--exclude", "*.bak", "base")
    listed = box.run("ls", "-r", *words)
    assert listed.code == 0 and listed.out == "maps/rome.txt\n", listed
    report = box.run("check", "--json", *words).json()
    assert report["files"] == 1 and report["without_checksum"] == 1, report
    assert not report["warnings"], report
    names = {each["name"]: each["reason"] for each in report["skipped_names"]}
    assert sorted(names) == ["docs/deep/read.txt", "maps/con.bak"], report
    assert set(names.values()) == {"left out by --exclude"}, report


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
def extract_keeps_the_old_file_if_the_new_one_cannot_be_written(box):
    box.write("base/a.txt", "n" * 5000)
    box.write("out/a.txt", "old")
    words = [box.overture, "extract", "--to", "out", "--overwrite", "base"]
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    done = subprocess.run(words, cwd=box.folder, preexec_fn=limit, capture_output=True)
    assert done.returncode == 5 and b"a.txt: cannot write" in done.stderr, done
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

# SPDX-License-Identifier: Zlib
"""The package as a tools programmer uses it, with archives that zipfile has made."""

from __future__ import annotations

import gc
import io
import pathlib
import re
import subprocess
import zipfile

import overture
import pytest


def test_five_lines_mount_list_read_check_and_compare(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip", game / "mod") as tree:
        assert [each.path for each in tree.walk("maps")] == ["maps/rome.txt", "maps/troy.txt"]
        assert tree.read_text("maps/rome.txt") == "rome of the mod\n"
    assert overture.check(game / "base.zip", game / "mod")
    assert overture.diff(game / "base.zip", game / "mod")[0].path == "empty.txt"


def test_a_folder_is_listed_with_its_folders(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip", game / "mod") as tree:
        names = [(each.name, each.is_folder) for each in tree.list()]
        assert names == [
            ("empty.txt", False), ("maps", True), ("new.txt", False), ("ünïcode.txt", False)
        ]
        assert tree.list("maps")[0].path == "maps/rome.txt"
        with pytest.raises(overture.NotFound, match="absent"):
            tree.list("absent")


def test_mounts_are_described_and_can_be_taken_away(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip") as tree:
        mod = tree.mount(game / "mod", at="mods/ai")
        assert [(each.format, each.entries) for each in tree.mounts()] == [
            ("zip", 4), ("folder", 2)
        ]
        assert tree.mounts()[1].path == str(game / "mod")
        assert "mods/ai/new.txt" in tree
        assert tree.providers("mods/ai/new.txt") == [mod]
        tree.unmount(mod)
        assert "mods/ai/new.txt" not in tree
        assert tree.mount(game / "base.zip", below="maps", at="only") not in (mod, 0)
        assert tree.read_text("only/troy.txt") == "troy\n"


def test_stat_knows_sizes_and_times(game: pathlib.Path) -> None:
    with overture.Tree(game / "mod") as tree:
        stat = tree.stat("new.txt")
        assert (stat.bytes, stat.is_folder) == (4, False)
        assert stat.mtime == pytest.approx((game / "mod/new.txt").stat().st_mtime)
        assert tree.stat("maps").is_folder


def test_what_was_read_stays_when_its_tree_is_closed(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip") as tree:
        view = tree.read("maps/rome.txt")
        part = view[:4]
        nothing = tree.read("empty.txt")
    del view, tree
    gc.collect()
    assert bytes(part) == b"rome"
    assert len(nothing) == 0


def test_an_open_file_reads_into_memory_of_the_caller(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip") as tree:
        with tree.open("maps/rome.txt") as file:
            room = bytearray(4)
            assert file.readinto(room) == 4
            assert room == b"rome"
            assert file.seek(-5, io.SEEK_END) == file.size() - 5
            assert file.read() == b"base\n"
            assert file.seek(1) == file.tell() == 1
            with pytest.raises(overture.Invalid):
                file.seek(-2)
            with pytest.raises(overture.Invalid):
                file.seek(file.size() + 1)
        with pytest.raises(ValueError, match="closed"):
            file.read(1)
        lines = io.TextIOWrapper(io.BufferedReader(tree.open("maps/rome.txt"))).readlines()
        assert len(lines) == 100


def test_a_tree_with_an_open_file_is_busy(game: pathlib.Path) -> None:
    tree = overture.Tree(game / "base.zip")
    file = tree.open("maps/troy.txt")
    with pytest.raises(overture.Busy, match="open"):
        tree.close()
    file.close()
    file.close()
    tree.close()
    tree.close()
    with pytest.raises(ValueError, match="closed"):
        tree.read("maps/troy.txt")


def test_an_archive_in_memory_is_mounted_without_a_copy(game: pathlib.Path) -> None:
    with overture.Tree() as tree:
        tree.mount_bytes("inner.zip", (game / "base.zip").read_bytes(), at="inner")
        gc.collect()
        assert tree.read_text("inner/maps/troy.txt") == "troy\n"


def test_errors_have_the_text_of_the_library(game: pathlib.Path) -> None:
    with pytest.raises(overture.NotFound, match="absent.zip: ") as caught:
        overture.Tree(game / "absent.zip")
    assert caught.value.code == "not_found"
    assert caught.value.os_error != 0
    assert isinstance(caught.value, FileNotFoundError)
    with overture.Tree(game / "damaged.zip") as tree:
        with pytest.raises(overture.Damaged, match="bad.txt in .*damaged.zip"):
            tree.read("bad.txt")
        with pytest.raises(overture.Invalid):
            tree.read("../secret")
        with pytest.raises(overture.Invalid, match="NUL"):
            tree.read("a\0b")


def test_check_names_what_is_damaged(game: pathlib.Path) -> None:
    found = overture.check(game / "base.zip", game / "damaged.zip", threads=2)
    assert not found
    assert found.files == 5
    (bad,) = found.findings
    assert (bad.mount, bad.path, bad.code) == (str(game / "damaged.zip"), "bad.txt", "corrupt")
    assert str(bad).startswith(str(game / "damaged.zip") + ": bad.txt: ")
    with pytest.raises(overture.Error):
        overture.check(game / "mod/new.txt")


def test_diff_compares_trees_and_paths(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip", game / "mod") as modded:
        found = overture.diff(game / "base.zip", modded, same=True)
    assert [(each.kind, each.path) for each in found] == [
        ("same", "empty.txt"),
        ("changed", "maps/rome.txt"),
        ("same", "maps/troy.txt"),
        ("same", "ünïcode.txt"),
        ("right", "new.txt"),
    ]


def test_files_are_written_to_a_writable_mount(game: pathlib.Path) -> None:
    with overture.Tree() as tree:
        out = tree.mount(game / "empty", writable=True)
        tree.make_folder(out, "a/b")
        tree.write(out, "a/b/c.txt", b"content")
        assert bytes(tree.read("a/b/c.txt")) == b"content"
        assert (game / "empty/a/b/c.txt").read_bytes() == b"content"
        tree.remove(out, "a/b/c.txt")
        assert "a/b/c.txt" not in tree
        base = tree.mount(game / "base.zip")
        with pytest.raises(overture.Refused):
            tree.write(base, "maps/rome.txt", b"x")


def test_files_are_decoded(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip") as tree:
        text = tree.decode("maps/rome.txt")
    assert (text.kind, text.lines, text.warning) == ("text", 100, None)
    assert bytes(text.data[:4]) == b"rome"


def test_saves_are_whole_or_refused(game: pathlib.Path) -> None:
    overture.write_save(game / "slot1.save", b"gold 7")
    assert bytes(overture.read_save(game / "slot1.save")) == b"gold 7"
    content = bytearray((game / "slot1.save").read_bytes())
    content[-1] ^= 1
    (game / "slot1.save").write_bytes(content)
    with pytest.raises(overture.Damaged, match="slot1.save"):
        overture.read_save(game / "slot1.save")


def test_names_that_cannot_be_in_a_tree_are_listed(game: pathlib.Path) -> None:
    (game / "empty/back\\slash.txt").write_text("")
    with overture.Tree(game / "empty") as tree:
        (problem,) = tree.problems()
    assert (problem.name, problem.code) == ("back\\slash.txt", "ok")
    assert "backslash" in problem.reason


def test_options_of_a_tree_are_followed(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip", game / "mod", ignore_case=True, first_wins=True) as tree:
        assert tree.read_text("Maps/ROME.txt").startswith("rome of the base")


def test_the_version_is_that_of_the_library() -> None:
    assert re.fullmatch(r"0\.1\.0", overture.__version__)


def test_the_library_exports_functions_of_the_c_interface_only() -> None:
    (library,) = pathlib.Path(overture.__file__).parent.glob("liboverture_c.so")
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", str(library)], check=True, capture_output=True, text=True
    )
    names = [line.split()[-1] for line in listed.stdout.splitlines()]
    assert len(names) > 90
    assert not [name for name in names if not name.startswith("overture_")]
    assert not [name for name in names if name.startswith("overture_shared")]

# SPDX-License-Identifier: Zlib
"""What is given as a path, and what errors say of it."""

from __future__ import annotations

import copy
import errno
import os
import pathlib
import pickle
from typing import Any, Callable

import overture
import pytest


def test_paths_in_a_tree_may_be_those_of_pathlib(game: pathlib.Path) -> None:
    rome = pathlib.PureWindowsPath("maps", "rome.txt")
    with overture.Tree(game / "mod") as tree:
        assert rome in tree
        assert pathlib.PurePath("nope") not in tree
        assert tree.read_text(rome) == "rome of the mod\n"
        assert tree.stat(rome).bytes == 16
        assert tree.providers(rome) == [0]
        assert tree.decode(rome).kind == "text"
        assert tree.walk(pathlib.PurePath()) == tree.walk()
        assert tree.list(pathlib.PurePosixPath("maps"))[0].name == "rome.txt"
        with tree.open(rome) as file:
            assert file.name == "maps/rome.txt"
        out = tree.mount(game / "empty", writable=True, at=pathlib.PurePath("a", "b"))
        tree.make_folder(out, pathlib.PurePath("a/b/c"))
        tree.write(out, pathlib.PurePath("a/b/c/d"), b"content")
        assert "a/b/c/d" in tree
        tree.remove(out, pathlib.PurePath("a/b/c/d"))


@pytest.mark.parametrize("path", [b"maps/rome.txt", 7, None])
def test_other_types_are_refused_by_name(game: pathlib.Path, path: Any) -> None:
    with overture.Tree(game / "base.zip") as tree:
        calls: list[Callable[[], Any]] = [
            lambda: path in tree,
            lambda: tree.read(path),
            lambda: tree.open(path),
            lambda: tree.walk(path),
            lambda: tree.mount(path),
            lambda: tree.mount_bytes(path, b""),
            lambda: overture.Tree(path),
            lambda: overture.check(path),
            lambda: overture.diff(tree, path),
            lambda: overture.read_save(path),
        ]
        for call in calls:
            with pytest.raises(TypeError, match=f"str.*{type(path).__name__}"):
                call()


@pytest.mark.parametrize("path", ["\ud800", "maps/\udfff", "a\0b", "..", "a" * 5000])
def test_what_cannot_be_a_path_is_in_no_tree(game: pathlib.Path, path: str) -> None:
    with overture.Tree(game / "base.zip") as tree:
        assert path not in tree


@pytest.mark.parametrize("path", ["\ud800", "a\0b", "../secret"])
def test_what_cannot_be_a_path_is_invalid(game: pathlib.Path, path: str) -> None:
    with overture.Tree(game / "base.zip") as tree:
        with pytest.raises(overture.Invalid) as caught:
            tree.read(path)
    assert caught.value.filename == path


def test_names_of_the_system_that_are_not_utf8_are_paths(game: pathlib.Path) -> None:
    (game / os.fsdecode(b"caf\xe9")).mkdir()
    with overture.Tree(game) as tree:
        assert "caf\udce9" not in tree
    assert overture.Tree(game / "caf\udce9").walk() == []


def test_errors_name_the_path_that_was_given(game: pathlib.Path) -> None:
    absent = str(game / "absent.zip")
    with overture.Tree(game / "base.zip", game / "damaged.zip") as tree:
        calls: list[tuple[str, Callable[[], Any]]] = [
            ("nope", lambda: tree.read("nope")),
            ("maps/nope", lambda: tree.open(pathlib.PurePosixPath("maps/nope"))),
            ("nope", lambda: tree.stat("nope")),
            ("nope", lambda: tree.walk("nope")),
            ("nope", lambda: tree.decode("nope")),
            ("bad.txt", lambda: tree.read("bad.txt")),
            ("new", lambda: tree.write(0, "new", b"")),
            ("inner.zip", lambda: tree.mount_bytes("inner.zip", b"no archive")),
            (absent, lambda: tree.mount(absent)),
            (absent, lambda: overture.Tree(game / "absent.zip")),
            (absent, lambda: overture.read_save(absent)),
            (absent + "/x", lambda: overture.write_save(absent + "/x", b"")),
        ]
        for path, call in calls:
            with pytest.raises(overture.Error) as caught:
                call()
            assert caught.value.filename == path


def test_errors_are_those_of_python_too(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip") as tree:
        with pytest.raises(FileNotFoundError, match="nope") as missing:
            tree.read("nope")
        assert (missing.value.errno, missing.value.filename) == (errno.ENOENT, "nope")
        assert missing.value.strerror == str(missing.value)
        assert "Errno" not in str(missing.value)
        with pytest.raises(PermissionError) as refused:
            tree.write(0, "maps/rome.txt", b"")
        assert refused.value.errno == errno.EACCES


@pytest.mark.parametrize("duplicate", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_errors_reach_another_process_whole(
    game: pathlib.Path, duplicate: Callable[[overture.Error], overture.Error]
) -> None:
    for path in ("base.zip/nope", "damaged.zip/bad.txt", "damaged.zip/../up"):
        archive, name = path.split("/", 1)
        with overture.Tree(game / archive) as tree, pytest.raises(overture.Error) as caught:
            tree.read(name)
        error, other = caught.value, duplicate(caught.value)
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert vars(other) == vars(error)
        assert other.filename == error.filename == name
        assert getattr(other, "errno", 0) == getattr(error, "errno", 0)

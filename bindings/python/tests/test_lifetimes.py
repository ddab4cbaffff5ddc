# SPDX-License-Identifier: Zlib
"""When trees, files and what they hold end."""

from __future__ import annotations

import copy
import gc
import os
import pathlib
import pickle
import subprocess
import sys

import overture
import pytest


def descriptors() -> int:
    """Of this process, open."""
    return len(os.listdir("/proc/self/fd"))


class Game:
    """What has a tree and files of it, as a program's own object may."""

    tree: overture.Tree
    files: list[overture.File]


def test_a_tree_and_its_files_in_one_cycle_leave_no_descriptors(game: pathlib.Path) -> None:
    before = descriptors()
    for _ in range(20):
        owner = Game()
        owner.tree = overture.Tree(game / "base.zip")
        owner.files = [owner.tree.open("maps/rome.txt"), owner.tree.open("maps/troy.txt")]
        owner.tree.owner = owner  # type: ignore[attr-defined]
        owner.files[0].owner = owner  # type: ignore[attr-defined]
    del owner
    gc.collect()
    assert descriptors() == before


def test_a_file_outlives_the_last_reference_to_its_tree(game: pathlib.Path) -> None:
    before = descriptors()
    file = overture.Tree(game / "base.zip").open("maps/troy.txt")
    gc.collect()
    assert file.read() == b"troy\n"
    del file
    gc.collect()
    assert descriptors() == before


def test_a_file_left_open_does_not_hide_what_went_wrong(game: pathlib.Path) -> None:
    before = descriptors()
    with pytest.raises(RuntimeError, match="the reason"):
        with overture.Tree(game / "base.zip") as tree:
            file = tree.open("maps/troy.txt")
            raise RuntimeError("the reason")
    assert file.read() == b"troy\n"
    file.close()
    with pytest.raises(ValueError, match="closed"):
        tree.read("maps/troy.txt")
    assert descriptors() == before
    with pytest.raises(overture.Busy):
        with overture.Tree(game / "base.zip") as tree:
            file = tree.open("maps/troy.txt")
    file.close()
    tree.close()


def test_trees_and_files_are_not_copied(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip") as tree, tree.open("maps/troy.txt") as file:
        for owner in (tree, file):
            for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
                with pytest.raises(TypeError, match=type(owner).__name__):
                    duplicate(owner)
        assert file.read() == b"troy\n"


def test_a_decoded_file_without_data_has_its_texts(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip") as tree:
        decoded = tree.decode("empty.txt")
    assert (decoded.kind, len(decoded.data)) == ("text", 0)


@pytest.mark.parametrize(
    "kept",
    [
        "tree.open('maps/troy.txt')",
        "tree.read('maps/troy.txt')",
        "(tree, tree.open('maps/troy.txt'))",
        "setattr(tree, 'file', tree.open('maps/troy.txt'))",
    ],
)
def test_what_is_open_at_exit_is_no_error(game: pathlib.Path, kept: str) -> None:
    program = f"import overture; tree = overture.Tree({str(game / 'base.zip')!r}); kept = {kept}"
    path = os.pathsep.join(sys.path)
    # Not in the folder of the sources, whose package it would import.
    ended = subprocess.run(
        [sys.executable, "-c", program],
        check=True, capture_output=True, text=True, cwd=game,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert ended.stdout + ended.stderr == ""

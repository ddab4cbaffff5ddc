# SPDX-License-Identifier: Zlib
"""A tree that several threads share."""

from __future__ import annotations

import pathlib
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import overture
import pytest
from overture import _library, _tree


def test_threads_share_a_tree(game: pathlib.Path) -> None:
    with overture.Tree(game / "base.zip", game / "mod") as tree, ThreadPoolExecutor(4) as threads:
        paths = ["maps/rome.txt", "maps/troy.txt", "new.txt"] * 50
        texts = list(threads.map(tree.read_text, paths))
    assert texts[:3] == ["rome of the mod\n", "troy\n", "new\n"]


def test_mounts_and_problems_are_listed_while_others_mount(game: pathlib.Path) -> None:
    odd = game / "empty"
    for number in range(8):
        (odd / f"back\\slash{number}.txt").write_text("")
    tree = overture.Tree(odd)
    done = threading.Event()

    def mount_and_unmount(number: int) -> None:
        try:
            for _ in range(300):
                tree.unmount(tree.mount(odd, at=f"at{number}"))
        finally:
            done.set()

    def look() -> tuple[set[str], set[str]]:
        paths: set[str] = set()
        names: set[str] = set()
        while not done.is_set():
            paths |= {mount.path for mount in tree.mounts()}
            names |= {problem.name for problem in tree.problems()}
        return paths, names

    with tree, ThreadPoolExecutor(4) as threads:
        seen = [threads.submit(look) for _ in range(2)]
        list(threads.map(mount_and_unmount, range(2)))
        for looked in seen:
            paths, names = looked.result()
            assert paths <= {str(odd)}
            assert names <= {f"back\\slash{number}.txt" for number in range(8)}


def test_a_mount_stays_while_its_texts_are_taken(
    game: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = overture.Tree(game / "base.zip")
    (mount,) = tree.mounts()
    other = threading.Thread(target=tree.unmount, args=(mount.number,))
    unmounted_first = []

    def text_of(chars: Any) -> str:
        if other.ident is None:
            other.start()
            other.join(0.05)  # it would have ended, if it did not wait
            unmounted_first.append(not other.is_alive())
        return _library.text_of(chars)

    monkeypatch.setattr(_tree, "text_of", text_of)
    with tree:
        assert tree.mounts() == [mount]
        other.join()
        assert tree.mounts() == []
    assert unmounted_first == [False]

# SPDX-License-Identifier: Zlib
"""Ctrl-C, and other exceptions that come while the library works."""

from __future__ import annotations

import contextlib
import gc
import pathlib
import signal
import sys
import weakref
from typing import Any, Callable, Iterator

import overture
import pytest
from overture import _handles, _library, _saves, _tools, _tree
from overture._ffi import ffi


@pytest.fixture
def ctrl_c(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, int], None]]:
    """Has Ctrl-C come in a visitor's call, by a real signal."""

    def come_in(name: str, call: int) -> None:
        calls = 0
        text_of = _library.text_of

        def interrupted(chars: Any) -> str:
            nonlocal calls
            calls += 1
            if calls == call:
                signal.raise_signal(signal.SIGINT)
            return text_of(chars)

        monkeypatch.setattr(f"overture.{name}.text_of", interrupted)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield come_in
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("look", [overture.Tree.walk, overture.Tree.list])
def test_ctrl_c_ends_a_visit_and_is_raised(
    game: pathlib.Path,
    ctrl_c: Callable[[str, int], None],
    look: Callable[[overture.Tree], list[overture.Item]],
    call: int,
) -> None:
    with overture.Tree(game / "base.zip") as tree:
        ctrl_c("_tree", call)
        with pytest.raises(KeyboardInterrupt):
            look(tree)
        assert "maps/rome.txt" in [each.path for each in tree.walk()]


@pytest.mark.parametrize("call", [1, 2, 3])
def test_ctrl_c_ends_a_comparison_and_is_raised(
    game: pathlib.Path, ctrl_c: Callable[[str, int], None], call: int
) -> None:
    ctrl_c("_tools", call)
    with pytest.raises(KeyboardInterrupt):
        overture.diff(game / "base.zip", game / "mod")


def test_ctrl_c_does_not_make_a_damaged_archive_intact(
    game: pathlib.Path, ctrl_c: Callable[[str, int], None]
) -> None:
    ctrl_c("_tools", 1)
    with pytest.raises(KeyboardInterrupt):
        overture.check(game / "damaged.zip")
    assert len(overture.check(game / "damaged.zip").findings) == 1


def test_any_exception_of_a_visitor_is_raised_with_its_place(
    game: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_chars: Any) -> str:
        raise MemoryError("no room for a text")

    monkeypatch.setattr(_tree, "text_of", refuse)
    with overture.Tree(game / "base.zip") as tree:
        with pytest.raises(MemoryError, match="no room") as caught:
            tree.walk()
    assert caught.traceback[-1].name == "refuse"


class InterruptedLibrary:
    """The library. Ctrl-C comes just after one of its functions, once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        function = getattr(_library.lib, name)
        return self._interrupted(function) if name == self._name else function

    def _interrupted(self, function: Any) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self.calls += 1
            result = function(*arguments)
            if self.calls == 1:
                raise KeyboardInterrupt
            return result

        return call


Interrupt = Callable[[str], InterruptedLibrary]


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Interrupt:
    """Has Ctrl-C come just after a function of the library."""

    def come_after(name: str) -> InterruptedLibrary:
        library = InterruptedLibrary(name)
        for module in (_handles, _saves, _tools, _tree):
            monkeypatch.setattr(module, "lib", library, raising=False)
        return library

    return come_after


def test_ctrl_c_in_close_does_not_free_twice(game: pathlib.Path, interrupt: Interrupt) -> None:
    library = interrupt("overture_file_free")
    tree = overture.Tree(game / "base.zip")
    file = tree.open("maps/troy.txt")
    with pytest.raises(KeyboardInterrupt):
        file.close()
    with pytest.raises(ValueError, match="closed"):
        file.read()
    file.close()
    del file
    gc.collect()
    assert library.calls == 1
    tree.close()

    library = interrupt("overture_files_free")
    tree = overture.Tree(game / "base.zip")
    with pytest.raises(KeyboardInterrupt):
        tree.close()
    tree.close()
    del tree
    gc.collect()
    assert library.calls == 1


def test_a_busy_tree_survives_ctrl_c_in_close(game: pathlib.Path, interrupt: Interrupt) -> None:
    library = interrupt("overture_files_free")
    tree = overture.Tree(game / "base.zip")
    with tree.open("maps/troy.txt"):
        with pytest.raises(KeyboardInterrupt):
            tree.close()
    assert "maps/troy.txt" in tree
    tree.close()
    assert library.calls == 2


def test_a_file_whose_opening_ctrl_c_ends_is_closed(
    game: pathlib.Path, interrupt: Interrupt
) -> None:
    interrupt("overture_file_open")
    with overture.Tree(game / "base.zip") as tree:
        with pytest.raises(KeyboardInterrupt) as caught:
            tree.open("maps/troy.txt")
        del caught
        gc.collect()


@pytest.mark.parametrize(
    ("makes", "frees"),
    [
        ("overture_files_make", "overture_files_free"),
        ("overture_files_read", "overture_bytes_free"),
        ("overture_decode_file", "overture_decoded_free"),
        ("overture_save_read", "overture_bytes_free"),
    ],
)
def test_what_ctrl_c_keeps_from_the_caller_is_freed(
    game: pathlib.Path,
    interrupt: Interrupt,
    monkeypatch: pytest.MonkeyPatch,
    makes: str,
    frees: str,
) -> None:
    overture.write_save(game / "slot1.save", b"gold 7")
    library = interrupt(makes)
    freed = []

    def free(*arguments: Any) -> Any:
        freed.append(arguments[0] != ffi.NULL)
        return getattr(_library.lib, frees)(*arguments)

    monkeypatch.setattr(library, frees, free, raising=False)

    def use() -> None:
        tree = overture.Tree(game / "base.zip")
        calls: dict[str, Callable[[], Any]] = {
            "overture_files_read": lambda: tree.read("maps/troy.txt"),
            "overture_decode_file": lambda: tree.decode("maps/troy.txt"),
            "overture_save_read": lambda: overture.read_save(game / "slot1.save"),
        }
        calls[makes]()

    with pytest.raises(KeyboardInterrupt) as caught:
        use()
    del caught
    gc.collect()
    assert freed == [True]


class Data(bytearray):
    """Bytes of which one can see whether they are kept."""


def test_an_archive_in_memory_is_kept_from_before_it_is_mounted(
    game: pathlib.Path, interrupt: Interrupt
) -> None:
    data = Data((game / "base.zip").read_bytes())
    alive = weakref.ref(data)
    with overture.Tree() as tree:
        interrupt("overture_files_mount_memory")
        with pytest.raises(KeyboardInterrupt):
            tree.mount_bytes("base.zip", data)
        del data
        gc.collect()
        assert len(tree.mounts()) == 1
        assert alive() is not None
        assert tree.read_text("maps/troy.txt") == "troy\n"
    gc.collect()
    assert alive() is None


def test_an_archive_in_memory_that_is_not_mounted_is_not_kept() -> None:
    data = Data(b"not an archive")
    alive = weakref.ref(data)
    with overture.Tree() as tree:
        with pytest.raises(overture.Error):
            tree.mount_bytes("base.zip", data)
        del data
        gc.collect()
        assert alive() is None


def test_an_unmounted_archive_in_memory_is_kept_for_its_files(game: pathlib.Path) -> None:
    with overture.Tree() as tree:
        mount = tree.mount_bytes("base.zip", Data((game / "base.zip").read_bytes()))
        with tree.open("maps/rome.txt") as file:
            tree.unmount(mount)
            gc.collect()
            assert file.read(4) == b"rome"


def test_a_deep_stack_loses_no_file(game: pathlib.Path) -> None:
    def lengths(calls: int, look: Callable[[], Any]) -> set[int]:
        """Of what it returns, that many calls deep and deeper."""
        found: set[int] = set()
        if calls > 0:
            with contextlib.suppress(RecursionError):
                found = lengths(calls - 1, look)
        with contextlib.suppress(RecursionError):
            found.add(len(look()))
        return found

    limit = sys.getrecursionlimit()
    with overture.Tree(game / "base.zip") as tree:
        for look in (
            tree.walk,
            tree.list,
            lambda: overture.diff(tree, tree, same=True),
            lambda: overture.check(game / "damaged.zip").findings,
        ):
            sys.setrecursionlimit(300)
            try:
                found = lengths(400, look)
            finally:
                sys.setrecursionlimit(limit)
            assert found == {len(look())}


def test_a_problem_that_was_not_told_is_an_error(
    game: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent:
        """The library, whose check tells no problem."""

        def overture_check(self, *arguments: Any) -> int:
            arguments[-2].problems = 1
            return 0

    monkeypatch.setattr(_tools, "lib", Silent())
    with pytest.raises(overture.Error, match="0 of 1 problems"):
        overture.check(game / "damaged.zip")

# SPDX-License-Identifier: Zlib
"""Ctrl-C, and other exceptions that come while the library works."""

from __future__ import annotations

import pathlib
import signal
from typing import Any, Callable, Iterator

import overture
import pytest
from overture import _library, _tools, _tree


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


def test_a_problem_that_was_not_told_is_an_error(
    game: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent:
        """The library, whose check tells no problem."""

        def overture_check(self, *arguments: Any) -> int:
            arguments[-2].problems = 1
            return 0

    monkeypatch.setattr(_tools, "lib", Silent())
    with pytest.raises(overture.Error, match="1 problems"):
        overture.check(game / "damaged.zip")

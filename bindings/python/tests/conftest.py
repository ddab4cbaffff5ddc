# SPDX-License-Identifier: Zlib
"""The game that the tests mount."""

from __future__ import annotations

import pathlib
import zipfile

import pytest


@pytest.fixture
def game(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with base.zip, a mod, a damaged archive and an empty folder."""
    with zipfile.ZipFile(tmp_path / "base.zip", "w", zipfile.ZIP_DEFLATED) as base:
        base.writestr("maps/rome.txt", "rome of the base\n" * 100)
        base.writestr("maps/troy.txt", "troy\n")
        base.writestr("ünïcode.txt", "ü\n")
        base.writestr("empty.txt", "")
    (tmp_path / "mod/maps").mkdir(parents=True)
    (tmp_path / "mod/maps/rome.txt").write_text("rome of the mod\n")
    (tmp_path / "mod/new.txt").write_text("new\n")
    with zipfile.ZipFile(tmp_path / "damaged.zip", "w") as damaged:
        damaged.writestr("good.txt", "good\n")
        damaged.writestr("bad.txt", "these bytes will change\n")
    content = (tmp_path / "damaged.zip").read_bytes()
    (tmp_path / "damaged.zip").write_bytes(content.replace(b"bytes will", b"BYTES WILL"))
    (tmp_path / "empty").mkdir()
    return tmp_path

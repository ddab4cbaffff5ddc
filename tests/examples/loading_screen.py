#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Starts examples/10_loading_screen on a virtual display: loading_screen.py PROGRAM DEMO CASE

DEMO is a folder that tools/make_demo.py made.
"""

import contextlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

BACKGROUND, TROUGH, FILLED, FAILED = (20, 23, 31), (51, 56, 71), (242, 179, 64), (204, 38, 38)
MOUNTS = ("base.zip", "dlc/rome", "mods/better_ai.zip", "mods/winter", "mods/high_detail.zip")
FILES, TEXTURES = 727, 260  # of the demo


@contextlib.contextmanager
def display():
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-noreset", "-nolisten", "tcp", "-screen", "0",
         "1280x720x24"],
        pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    os.close(write_end)
    try:
        with os.fdopen(read_end) as said:
            number = said.readline().strip()
        assert number, "Xvfb does not start"
        yield {"DISPLAY": f":{number}"}
    finally:
        server.terminate()
        server.wait()


class Game:
    def __init__(self, program, demo, box):
        self.program, self.demo, self.box = program, pathlib.Path(demo), pathlib.Path(box)
        self.paths = [self.demo / mount for mount in MOUNTS]

    def start(self, *words, code=0, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("SDL_", "XDG_", "DISPLAY", "WAYLAND"))}  # fmt: skip
        environment.update(LIBGL_ALWAYS_SOFTWARE="1", XDG_RUNTIME_DIR=str(self.box), **variables)
        done = subprocess.run([self.program, *map(str, words)], env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True)  # fmt: skip
        assert done.returncode == code, (words, done)
        return done

    def start_seen(self, *words, code=0):
        with display() as variables:
            return self.start(*words, code=code, **variables)


class Picture:
    def __init__(self, path):
        content = path.read_bytes()
        if path.suffix == ".ppm":
            head = re.match(rb"P6 (\d+) (\d+) 255\n", content)
            self.width, self.height = map(int, head.groups())
            self.pixels = content[head.end():]
        else:
            self.read_png(content)
        assert len(self.pixels) == self.width * self.height * 3

    def read_png(self, content):
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        at, packed = 8, b""
        while at < len(content):
            length, = struct.unpack(">I", content[at:at + 4])
            body = content[at + 4:at + 8 + length]
            crc, = struct.unpack(">I", content[at + 8 + length:at + 12 + length])
            assert zlib.crc32(body) == crc
            if body.startswith(b"IHDR"):
                self.width, self.height = struct.unpack(">II", body[4:12])
                assert body[12:] == bytes((8, 2, 0, 0, 0))
            if body.startswith(b"IDAT"):
                packed += body[4:]
            at += 12 + length
        rows, stride = zlib.decompress(packed), self.width * 3 + 1
        assert not any(rows[::stride])  # no filters
        self.pixels = b"".join(rows[at + 1:at + stride] for at in range(0, len(rows), stride))

    def at(self, x, y):
        """The colour at a place between 0 and 1."""
        column, row = int(x * self.width), int(y * self.height)
        return tuple(self.pixels[(row * self.width + column) * 3:][:3])

    def colours(self):
        return {self.pixels[at:at + 3] for at in range(0, len(self.pixels), 3)}


def near(colour, expected):
    return all(abs(one - other) <= 2 for one, other in zip(colour, expected))


def png(width, height, row):
    """An RGB picture; row(y) gives the bytes of one."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(b"\0" + row(y) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))  # fmt: skip


def has_a_bar_filled_to_the_half(game):
    game.start_seen("--leave", "--shot", game.box / "half.ppm", *game.paths)
    half = Picture(game.box / "half.ppm")
    bar = 404 / 540
    for x in (0.11, 0.3, 0.49):
        assert near(half.at(x, bar), FILLED), (x, half.at(x, bar))
    for x in (0.65, 0.75, 0.89):
        assert near(half.at(x, bar), TROUGH), (x, half.at(x, bar))
    for x, y in ((0.05, bar), (0.95, bar), (0.5, 0.1), (0.5, 0.95)):
        assert near(half.at(x, y), BACKGROUND), (x, y, half.at(x, y))


def shows_all_images_in_the_menu(game):
    game.start_seen("--menu-shot", game.box / "menu.png", *game.paths)
    menu = Picture(game.box / "menu.png")
    # 22 columns of 43 pixels: the 260th is in the twelfth row.
    for number in range(TEXTURES):
        left, top = number % 22 * 43, number // 22 * 43
        cell = {menu.pixels[((top + y) * menu.width + left + x) * 3:][:3]
                for y in range(42) for x in range(42)}  # fmt: skip
        assert len(cell) > 1, f"image {number} is blank"
    assert near(menu.at(0.9, 0.93), BACKGROUND)  # after the last
    assert bytes(FAILED) not in menu.colours()


def prints_what_the_frames_took(game):
    printed = game.start_seen("--leave", *game.paths).stdout
    pair = r"(\d+\.\d\d) \((\d+\.\d\d)\) ms"
    found = re.fullmatch(
        rf"{FILES} files, 0 failed, {TEXTURES} textures in \d+\.\d+ s\n"
        rf"(\d+) frames without drawing: p50 {pair}, p99 {pair}\n"
        rf"longest pump {pair}\n", printed)  # fmt: skip
    assert found, printed
    frames, p50, _, p99, _, longest, _ = map(float, found.groups())
    assert frames > 0 and p50 <= p99 and longest > 0, printed


def shows_a_damaged_file_as_failed_and_loads_the_others(game):
    mod = game.box / "mod/textures"
    mod.mkdir(parents=True)
    whole = png(64, 64, lambda y: bytes(range(192)))
    (mod / "cut.png").write_bytes(whole[:len(whole) // 2])
    (mod / "whole.png").write_bytes(whole)
    done = game.start_seen("--shot", game.box / "half.png", "--menu-shot", game.box / "menu.ppm",
                           *game.paths, game.box / "mod", code=1)  # fmt: skip
    assert f"{FILES + 1} files, 1 failed, {TEXTURES + 1} textures" in done.stdout, done.stdout
    assert "textures/cut.png" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    menu = Picture(game.box / "menu.ppm")
    red = [at // 3 for at in range(0, len(menu.pixels), 3)
           if near(menu.pixels[at:at + 3], FAILED)]  # fmt: skip
    assert len(red) >= 42 * 42
    # The tile after the last image.
    left, top = (TEXTURES + 1) % 22 * 43, (TEXTURES + 1) // 22 * 43
    assert near(menu.at((left + 20) / menu.width, (top + 20) / menu.height), FAILED)
    # The loading screen was drawn as ever.
    assert near(Picture(game.box / "half.png").at(0.3, 404 / 540), FILLED)


def uploads_a_large_image_in_pieces(game):
    (game.box / "data").mkdir()
    stripes = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0))
    (game.box / "data/stripes.png").write_bytes(
        png(2048, 2048, lambda y: bytes(stripes[y // 512]) * 2048))
    game.start_seen("--menu-shot", game.box / "menu.ppm", game.box / "data")
    menu = Picture(game.box / "menu.ppm")
    for number, colour in enumerate(stripes):
        for x in (0.01, 0.5):
            assert near(menu.at(x, number / 4 + 0.02), colour), number
            assert near(menu.at(x, number / 4 + 0.23), colour), number


def refuses_an_image_that_no_texture_can_hold(game):
    (game.box / "data").mkdir()
    (game.box / "data/wide.png").write_bytes(png(20000, 1, lambda y: bytes(60000)))
    done = game.start_seen("--leave", game.box / "data", code=1)
    assert "wide.png" in done.stderr and "larger than this graphics card's textures" in done.stderr
    assert done.stdout.startswith("0 files, 1 failed, 0 textures"), done.stdout


def says_that_there_is_no_display(game):
    assert "there is no display" in game.start("--leave", *game.paths, code=1).stderr
    done = game.start("--leave", *game.paths, code=1, DISPLAY=":no_such_display")
    assert "there is no display" in done.stderr, done.stderr


def says_that_there_is_no_opengl(game):
    done = game.start("--leave", *game.paths, code=1, SDL_VIDEODRIVER="dummy")
    assert "OpenGL" in done.stderr, done.stderr


def says_that_there_is_no_data(game):
    assert "cannot open" in game.start(game.box / "missing.zip", code=1).stderr
    (game.box / "empty").mkdir()
    assert "there is no file" in game.start(game.box / "empty", code=1).stderr
    assert "--help" in game.start("--shoot", code=2).stderr
    assert "--help" in game.start("--shot", code=2).stderr


def says_that_a_picture_cannot_be_written(game):
    done = game.start_seen("--shot", game.box / "none/half.png", *game.paths, code=1)
    assert "none/half.png: cannot be written: No such file" in done.stderr, done.stderr


def main(program, demo, case):
    with tempfile.TemporaryDirectory() as box:
        globals()[case](Game(program, demo, box))


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Takes the pictures of the loading screen for the documentation.

    tools/pictures.py EXAMPLE DEMO FOLDER

starts EXAMPLE (examples/10_loading_screen) on a virtual display with the sample game in DEMO, and
writes loading_screen.png and loading_menu.png to FOLDER, half as wide as the window and in fewer
colours if it takes that to keep them small.
"""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

LEVELS = (256, 32, 16, 12, 8, 7, 6)  # of red, green and blue: the first that makes it small
BYTES_MAX = 60_000


def read_ppm(path):
    content = path.read_bytes()
    head = re.match(rb"P6 (\d+) (\d+) 255\n", content)
    width, height = map(int, head.groups())
    return width, height, content[head.end() :]


def halved(width, height, rgb):
    """The rows of a picture that is half as wide and half as high."""
    for top in range(0, height - 1, 2):
        row = bytearray()
        for left in range(0, width - 1, 2):
            for channel in range(3):
                one = (top * width + left) * 3 + channel
                below = one + width * 3
                row.append((rgb[one] + rgb[one + 3] + rgb[below] + rgb[below + 3]) // 4)
        yield bytes(row)


def png(width, height, rows):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    return b"".join((
        b"\x89PNG\r\n\x1a\n",
        chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows), 9)),
        chunk(b"IEND", b""),
    ))  # fmt: skip


def small_png(width, height, rows):
    rows = list(rows)
    for levels in LEVELS:
        shades = bytes(round(round(value * (levels - 1) / 255) * 255 / (levels - 1))
                       for value in range(256))  # fmt: skip
        picture = png(width, height, [row.translate(shades) for row in rows])
        if len(picture) <= BYTES_MAX:
            return picture
    raise ValueError(f"{len(picture)} bytes, at most {BYTES_MAX}")


def main(example, demo, folder):
    demo, folder = pathlib.Path(demo), pathlib.Path(folder)
    mounts = ("base.zip", "dlc/rome", "mods/better_ai.zip", "mods/winter", "mods/high_detail.zip")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        taken = {"loading_screen": pathlib.Path(name, "half.ppm"),
                 "loading_menu": pathlib.Path(name, "menu.ppm")}  # fmt: skip
        subprocess.run(
            ["xvfb-run", "--auto-servernum", example, "--shot", taken["loading_screen"],
             "--menu-shot", taken["loading_menu"], *(demo / mount for mount in mounts)],
            env={**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"}, check=True)  # fmt: skip
        for name, path in taken.items():
            width, height, rgb = read_ppm(path)
            picture = small_png(width // 2, height // 2, halved(width, height, rgb))
            (folder / f"{name}.png").write_bytes(picture)
            print(f"{folder / name}.png: {len(picture)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

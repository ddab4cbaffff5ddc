#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Makes a small sample game: a base game, a DLC and three mods, as folders and as ZIP files.

    tools/make_demo.py FOLDER

writes

    FOLDER/base.zip               the game: maps, textures, models, sounds, scripts (deflated)
    FOLDER/dlc/rome/              a folder that adds files and replaces some of the game's
    FOLDER/mods/better_ai.zip     scripts that replace the game's (stored, as fast packers do)
    FOLDER/mods/winter/           a folder that replaces textures of the game and of the DLC
    FOLDER/mods/high_detail.zip   textures that replace the game's and some of winter's, a few of
                                  them slow to decode (deflated)
    FOLDER/complete               written last

Load them in this order; later ones win. The output is the same every time, byte for byte. Needs
only Python's standard library.
"""

import array
import math
import pathlib
import random
import shutil
import struct
import sys
import zipfile
import zlib

SURFACES = ("brick", "grass", "marble", "sand", "slate", "wood")
UNITS = ("archer", "baker", "cart", "guard", "mason", "rider", "scout", "smith", "trader", "wall")
LUA_LINES = (
    "local enemy = nearest(self, {team = 'other', seen = true})",
    "if enemy and distance(self, enemy) < reach(self) then attack(self, enemy) end",
    "wait(0.25)",
    "if hungry(self) then go(self, find('bakery')) end",
    "-- a guard that hears a fight leaves its post for a while",
    "for _, friend in ipairs(friends(self)) do cheer(friend) end",
)

GREY, RGB, PALETTE, RGBA = 0, 2, 3, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, RGBA: 4}


def png_chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(rng, width, height, colour, row_filter, level=6):
    """A picture of soft noise. Makes the rows in their filtered form, since any bytes are a valid
    row. `row_filter` 4 (Paeth) is the slowest to undo."""
    row_bytes = width * CHANNELS[colour]
    pool = bytes(rng.choice((0, 0, 0, 1, 255, 2)) for _ in range(4096))
    rows = []
    for _ in range(height):
        start = rng.randrange(len(pool))
        row = (pool[start:] + pool * (row_bytes // len(pool) + 1))[:row_bytes]
        rows.append(bytes((row_filter,)) + row)
    parts = [
        b"\x89PNG\r\n\x1a\n",
        png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)),
    ]
    if colour == PALETTE:
        parts.append(png_chunk(b"PLTE", bytes(i // 3 for i in range(768))))
    parts.append(png_chunk(b"IDAT", zlib.compress(b"".join(rows), level)))
    parts.append(png_chunk(b"IEND", b""))
    return b"".join(parts)


def texture(rng, size):
    return png(rng, size, size, rng.choice((GREY, RGB, RGB, RGBA, PALETTE)), rng.randrange(5))


def sound(rng, seconds):
    rate, frequency = 22050, rng.uniform(110, 880)
    period = [math.sin(2 * math.pi * frequency * i / rate) for i in range(2048)]
    samples = array.array("h", (int(9000 * value) for value in period)) * int(
        seconds * rate / 2048 + 1
    )
    if sys.byteorder == "big":
        samples.byteswap()
    data = samples.tobytes()
    return (
        b"RIFF"
        + struct.pack("<I", 36 + len(data))
        + b"WAVEfmt "
        + struct.pack("<IHHIIHH", 16, 1, 1, rate, rate * 2, 2, 16)
        + b"data"
        + struct.pack("<I", len(data))
        + data
    )


def model(rng, vertices):
    """Vertices as three quantised coordinates, and triangles as three small indices."""
    points = b"".join(
        struct.pack("<3h", i % 181, int(500 * math.sin(i / 40)), rng.randrange(-300, 300))
        for i in range(vertices)
    )
    faces = b"".join(struct.pack("<3H", i, i + 1, i + 2) for i in range(vertices - 2))
    return b"MESH" + struct.pack("<II", vertices, vertices - 2) + points + faces


def level_map(rng, name, objects):
    lines = [f"# the map of {name}", "size 256 256", f"light {rng.random():.3f}"]
    for index in range(objects):
        kind = rng.choice(UNITS)
        lines.append(
            f"{kind}_{index} at {rng.uniform(0, 256):.2f} {rng.uniform(0, 256):.2f}"
            f" facing {rng.randrange(360)} team {rng.randrange(4)}"
        )
    return ("\n".join(lines) + "\n").encode()


def script(rng, name, lines):
    body = "\n".join(rng.choice(LUA_LINES) for _ in range(lines))
    return f"-- {name}: how it behaves. © a sample\n{body}\n".encode()


def base_game():
    rng = random.Random("base")
    files = {"game.txt": "Empire of Samples\nversion 1.0\n".encode(), "save/empty.txt": b""}
    for index in range(60):
        files[f"maps/region_{index:02}.map"] = level_map(rng, f"region {index}", rng.randrange(900))
    for surface in SURFACES:
        for index in range(36):
            size = rng.choice((32, 64, 64, 128, 256))
            files[f"textures/{surface}/{index:02}.png"] = texture(rng, size)
    for unit in UNITS:
        for index in range(12):
            files[f"models/{unit}/{index:02}.mesh"] = model(rng, rng.randrange(100, 5000))
            files[f"scripts/ai/{unit}_{index:02}.lua"] = script(rng, unit, rng.randrange(20, 200))
        for index in range(8):
            files[f"sounds/{unit}/{index:02}.wav"] = sound(rng, rng.uniform(0.2, 4))
    files["music/theme.wav"] = sound(rng, 60)
    files["textures/title.png"] = png(rng, 1024, 1024, RGB, 4)
    return files


def dlc_rome():
    rng = random.Random("rome")
    files = {"dlc/rome.txt": "Rome\nneeds 1.0\n".encode()}
    for index in range(20):
        files[f"maps/rome_{index:02}.map"] = level_map(rng, f"Rome {index}", rng.randrange(900))
    for index in range(36):
        files[f"textures/marble/{index:02}.png"] = texture(rng, 128)
    for index in range(40):
        files[f"textures/temple/{index:02}.png"] = texture(rng, rng.choice((64, 128, 256)))
    for index in range(30):
        files[f"models/legionary/{index:02}.mesh"] = model(rng, rng.randrange(100, 5000))
        files[f"sounds/legionary/{index:02}.wav"] = sound(rng, rng.uniform(0.2, 2))
    return files


def mod_better_ai():
    rng = random.Random("better_ai")
    files = {"mods/better_ai.txt": "Units that think twice\n".encode()}
    for unit in UNITS[:6]:
        for index in range(6):
            files[f"scripts/ai/{unit}_{index:02}.lua"] = script(rng, f"clever {unit}", 250)
    return files


def mod_winter():
    rng = random.Random("winter")
    files = {"mods/winter.txt": "Snow everywhere\n".encode()}
    for surface in ("grass", "sand", "temple"):
        for index in range(12):
            files[f"textures/{surface}/{index:02}.png"] = texture(rng, 128)
    files["sounds/cart/00.wav"] = sound(rng, 1)
    return files


def mod_high_detail():
    rng = random.Random("high_detail")
    files = {"mods/high_detail.txt": "Textures with four times the pixels\n".encode()}
    for surface in ("brick", "grass"):
        for index in range(8):
            files[f"textures/{surface}/{index:02}.png"] = texture(rng, 256)
    for name in ("cliff", "forum", "harbour"):
        files[f"textures/panorama/{name}.png"] = png(rng, 4096, 1536, RGBA, 4, level=1)
    return files


def write_folder(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def write_zip(path, files, method):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", method, compresslevel=6) as archive:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(name)  # dated 1980: the same bytes every time
            info.compress_type = method
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments[1])
    shutil.rmtree(folder / "dlc", ignore_errors=True)
    shutil.rmtree(folder / "mods", ignore_errors=True)
    write_zip(folder / "base.zip", base_game(), zipfile.ZIP_DEFLATED)
    write_folder(folder / "dlc" / "rome", dlc_rome())
    write_zip(folder / "mods" / "better_ai.zip", mod_better_ai(), zipfile.ZIP_STORED)
    write_folder(folder / "mods" / "winter", mod_winter())
    write_zip(folder / "mods" / "high_detail.zip", mod_high_detail(), zipfile.ZIP_DEFLATED)
    (folder / "complete").touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

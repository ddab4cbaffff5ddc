# SPDX-License-Identifier: Zlib
"""What is said of archives that pack several files into one block."""

import random
import string
import tarfile

from cases_report import page_data
from harness import case


@case()
def load_says_what_solid_blocks_and_their_mount_take(box):
    files = {f"track{i}.txt": f"{i} and on\n" * 3000 for i in range(5)}
    with tarfile.open(box.folder / "music.tar.xz", "w:xz") as archive:
        for name, text in files.items():
            archive.add(box.write(name, text), name)
    box.zip("music.zip", {"zip/" + name: text for name, text in files.items()})
    solid, plain = box.load_json("music.tar.xz", "music.zip")["mounts"]
    assert solid["blocks"] == 1 and solid["block_seconds"] > 0, solid
    assert solid["mount_seconds"] > 0 and plain["mount_seconds"] > 0, (solid, plain)
    assert (plain["blocks"], plain["block_seconds"]) == (0, 0), plain


@case()
def load_counts_a_solid_block_as_unpacked_and_not_as_read(box):
    # So much that unpacking takes far longer than copying the files out of the block.
    letters = random.Random(7)
    files = {f"{i}.txt": "".join(letters.choices(string.hexdigits, k=200_000)) for i in range(12)}
    with tarfile.open(box.folder / "music.tar.xz", "w:xz", preset=0) as archive:
        for name, text in files.items():
            archive.add(box.write(name, text), name)
    packed = (box.folder / "music.tar.xz").stat().st_size
    words = ("load", "--json", "--no-decode", "--threads", 2, "--trace", "trace.json")
    report = box.run(*words, "--html", "page.html", "music.tar.xz").json()
    reads = report["reads"]
    assert reads["disk_bytes"] + reads["cached_bytes"] == packed, (packed, reads)
    seconds = {name: stage["seconds"] for name, stage in report["stages"].items()}
    assert seconds["unpack"] > 2 * seconds["read"], report
    assert report["bound"] not in ("read-bound", "waiting for reads"), report["bound"]
    threads = sum(each["stages"]["unpack"] for each in report["cores"])
    assert abs(threads - seconds["unpack"]) < 0.2 * threads, (threads, seconds)
    blocks = report["mounts"][0]["block_seconds"]
    assert 0 < blocks < seconds["unpack"] + seconds["read"] + reads["device_seconds"] + 1e-6, report
    data, _ = page_data(box, "page.html")
    assert abs(data["mount_us"] - report["mount_seconds"] * 1e6) < 2, "what-if begins with it"
    lanes = {each["name"] for each in data["lanes"]}
    assert {"main", "worker 1"} <= lanes, lanes
    again = box.run("report", "trace.json", "--json").json()
    assert again["reads"]["disk_bytes"] + again["reads"]["cached_bytes"] == packed, again["reads"]
    assert abs(again["stages"]["unpack"]["seconds"] - seconds["unpack"]) < 0.001, again["stages"]

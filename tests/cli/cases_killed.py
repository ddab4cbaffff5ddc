# SPDX-License-Identifier: Zlib
"""Every command that writes is killed at random moments: files are the old ones or the new ones."""

import random
import shutil
import signal
import subprocess
import time
import zipfile

from harness import TIME_LIMIT_S, case

PAGE = b"<!doctype html>\n<!-- overture report -->"
DEATHS = {
    "kill": (signal.SIGKILL,),
    "hangup": (signal.SIGHUP,),
    "terminate": (signal.SIGTERM,),
    "interrupts": (signal.SIGINT, signal.SIGINT),
}


def scenes(box):
    """The commands, each with the files it replaces."""
    chance = random.Random(5)
    for i in range(120):
        box.write(f"game/{i % 7}/{i:03}.bin", chance.randbytes(20_000))
    box.zip("mod.zip", {f"m/{i:03}.txt": f"text {i}\n" * 900 for i in range(120)})
    mounts = ("game", "mod.zip")
    old = {
        "t.json": b'{"traceEvents": "of an older run"}',
        "p.html": PAGE + b"of an older run",
        "r.record": b"overture-load-record 1\n",
        "p.zip": b"an older archive",
        "s.save": b"an older save",
    }
    return {
        "trace": (("load", "--trace", "t.json", *mounts), "t.json", b'{"'),
        "page": (("load", "--html", "p.html", *mounts), "p.html", PAGE),
        "record": (("load", "--record", "r.record", *mounts), "r.record", b"overture-load-record"),
        "pack": (("pack", "--overwrite", "p.zip", *mounts), "p.zip", b"PK"),
        "save": (
            ("save-bench", "--objects", "3000", "--overwrite", "--file", "s.save"),
            "s.save",
            b"#overture-save",
        ),
    }, old


def is_whole(path, head):
    data = path.read_bytes()
    if not data.startswith(head):
        return False
    if head == b"PK":
        with zipfile.ZipFile(path) as opened:
            return len(opened.namelist()) == 240 and opened.testzip() is None
    if head == PAGE:
        return data.endswith(b"</html>\n")
    if head == b'{"':
        return data.rstrip().endswith(b"}")
    if head == b"#overture-save":
        return data.splitlines()[-1].startswith(b"#overture-save")
    return len(data.splitlines()) == 241


def one_file_is_old_or_new(box, command, moments):
    commands, old = scenes(box)
    words, name, head = commands[command]
    path = box.folder / name
    path.write_bytes(old[name])
    begin = time.monotonic()
    assert box.run(*words).code == 0
    seconds = time.monotonic() - begin
    assert is_whole(path, head), "without a signal"
    chance = random.Random(11)
    for death, signals in DEATHS.items():
        for _ in range(moments):
            path.write_bytes(old[name])
            code, err = die_at(box, words, signals, chance.uniform(0, 1.2 * seconds))
            is_old = path.read_bytes() == old[name]
            assert is_old or is_whole(path, head), (command, death, code, err)
            # These cover what was done until an interrupt; everything else stays.
            if code == 130 and command not in ("trace", "page"):
                assert is_old or b"interrupted" not in err, (command, death, err)
    path.write_bytes(old[name])
    assert box.run(*words).code == 0 and is_whole(path, head)
    assert not list(box.folder.glob(".overture-*")), "the next run sweeps"


def die_at(box, words, signals, moment):
    process = box.start(*words)
    time.sleep(moment)  # any moment is as good as another
    for each in signals:
        process.send_signal(each)
    _, err = process.communicate(timeout=TIME_LIMIT_S)
    return process.returncode, err


def is_ours(path):
    return ".tmp" in path or "overture-old-" in path


def files_below(folder):
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file() and not is_ours(str(each.relative_to(folder)))
    }


def extracted_files_are_whole(box, overwrite, moments):
    scenes(box)
    mounts = ("game", "mod.zip")
    assert box.run("extract", "--to", "right", *mounts).code == 0
    right = files_below(box.folder / "right")
    options = ("--overwrite",) if overwrite else ()
    words = ("extract", *options, "--to", "out", *mounts)
    begin = time.monotonic()
    assert box.run("extract", "--to", "timed", *mounts).code == 0
    seconds = time.monotonic() - begin
    chance = random.Random(13)
    for death, signals in DEATHS.items():
        for _ in range(moments):
            if overwrite:
                for path in right:
                    box.write(f"out/{path}", f"old {path}")
            else:
                subprocess.run(["rm", "-rf", str(box.folder / "out")], check=True)
            code, err = die_at(box, words, signals, chance.uniform(0, 1.2 * seconds))
            found = files_below(box.folder / "out") if (box.folder / "out").exists() else {}
            for path, data in found.items():
                is_old = overwrite and data == f"old {path}".encode()
                assert is_old or data == right[path], (death, path, code, err)
            assert not overwrite or len(found) == len(right), (death, code, err)
            resumed = box.run("extract", "--resume", *options, "--to", "out", *mounts)
            assert resumed.code == 0, (death, resumed)
            assert files_below(box.folder / "out") == right, (death, resumed)
            assert not list((box.folder / "out").glob(".overture-*")), death


def files_of_the_mounts_are_old_or_new(box, moments):
    """extract over the folder that it reads."""
    scenes(box)
    box.zip("mod.zip", {f"{i % 7}/{i:03}.bin": f"mod {i}\n" * 2000 for i in range(120)})
    game = files_below(box.folder / "game")
    words = ("extract", "--overwrite", "--to", "game", "game", "mod.zip")
    right = {path: (f"mod {int(path[2:5])}\n" * 2000).encode() for path in game}
    chance = random.Random(17)
    for death, signals in DEATHS.items():
        for _ in range(moments):
            for path, data in game.items():
                box.write(f"game/{path}", data)
            code, err = die_at(box, words, signals, chance.uniform(0, 0.3))
            found = files_below(box.folder / "game")
            assert found.keys() == game.keys(), (death, code, err)
            for path, data in found.items():
                assert data in (game[path], right[path]), (death, path, code, err)
            # Where some are new and some are old, the others are kept.
            is_new = {path for path, data in found.items() if data == right[path]}
            kept = [each for each in (box.folder / "game").glob("overture-old-*/[0-9]*")]
            if is_new and len(is_new) < len(right):
                contents = {each.read_bytes() for each in kept}
                assert all(game[path] in contents for path in is_new), (death, code, err)
            for each in (box.folder / "game").glob("overture-old-*"):
                shutil.rmtree(each)
    assert box.run(*words).code == 0 and files_below(box.folder / "game") == right


def add_cases(form, moments, *labels):
    def add(name, function):
        function.__name__ = name if form == "short" else f"{name}_at_{moments}_moments"
        case(*labels)(function)

    for command in ("trace", "page", "record", "pack", "save"):
        add(
            f"a_killed_{command}_leaves_the_old_file_or_the_new_one",
            lambda box, command=command: one_file_is_old_or_new(box, command, moments),
        )
    for overwrite in (False, True):
        add(
            f"a_killed_extract_{'over_files' if overwrite else 'of_new_files'}_leaves_whole_ones",
            lambda box, overwrite=overwrite: extracted_files_are_whole(box, overwrite, moments),
        )
    add(
        "a_killed_extract_over_its_mounts_leaves_old_or_new_ones",
        lambda box: files_of_the_mounts_are_old_or_new(box, moments),
    )


add_cases("short", 4)
add_cases("long", 200, "long")

# SPDX-License-Identifier: Zlib
"""Sample data and ways to run the command, for its end-to-end tests.

A case is a function that takes a Box and is registered by @case. It fails by AssertionError.
"""

import json
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import zipfile
import zlib

CASES = {}
TIME_LIMIT_S = 900  # a hang, even beside busy processes


def case(*labels):
    def add(function):
        CASES[function.__name__] = (function, labels)
        return function

    return add


def png(width, height, shade):
    """A grey PNG picture."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(
        b"\0" + bytes((x * shade + y) & 255 for x in range(width)) for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


class Box:
    """A temporary folder to run the command in."""

    def __init__(self, overture, refused_calls=None):
        self.overture = str(pathlib.Path(overture).resolve())
        self.refused_calls = refused_calls and str(pathlib.Path(refused_calls).resolve())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="overture-"))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- Data ---------------------------------------------------------------------------------
    def write(self, path, data):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.encode() if isinstance(data, str) else data)
        return target

    def zip(self, path, files, method=zipfile.ZIP_DEFLATED):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(target, "w", method) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return target

    def game(self):
        """A base folder, a DLC archive and two mods: 7 files, of which 2 are overridden."""
        self.write("base/gfx/title.png", png(64, 64, 3))
        self.write("base/maps/rome.txt", "the old rome\n")
        self.write("base/rules.txt", "base rules\n")
        self.write("base/maps/rome.bsp", bytes(range(256)) * 64)
        self.zip("dlc.zip", {"maps/rome.txt": "a new rome\n", "maps/ostia.txt": "a port\n"})
        self.zip("mods/ai.pk3", {"ai/plan.txt": "attack\n", "rules.txt": "rules of the mod\n"})
        self.write("mods/look/gfx/logo.png", png(32, 16, 5))
        return ["base", "dlc.zip", "mods/ai.pk3", "mods/look"]

    def endless(self, links=8000):
        """A folder that takes far too long to load: one file under many names."""
        first = self.write("endless/00000.bin", b"")
        os.truncate(first, 16 << 20)  # sparse
        for i in range(1, links):
            os.link(first, first.with_name(f"{i:05}.bin"))
        return "endless"

    # --- Running ------------------------------------------------------------------------------
    def environment(self, changes=None):
        dropped = ("NO_COLOR", "COLUMNS", "LC_ALL", "LC_CTYPE")
        result = {key: value for key, value in os.environ.items() if key not in dropped}
        result.update({"TERM": "xterm-256color", "LANG": "C.UTF-8"})
        result.update(changes or {})
        return result

    def start(self, *arguments, env=None, **streams):
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        return subprocess.Popen(
            [self.overture, *map(str, arguments)],
            cwd=self.folder,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            **streams,
        )

    def run(self, *arguments, env=None, **streams):
        process = self.start(*arguments, env=env, **streams)
        try:
            out, err = process.communicate(timeout=TIME_LIMIT_S)
        finally:
            process.kill()
        text = lambda data: None if data is None else data.decode("utf-8", "replace")
        return Result(process.returncode, text(out), text(err))

    def run_refusing(self, call, *arguments, first=1, errno=0, all_after=False, env=None):
        """Runs it with a call of the C library that fails. Sets `refused` of the result to whether
        the call was made. With `env={"REFUSE_SCRIPT": ...}` that runs before the call, which fails
        if the script does."""
        told = self.folder / "refused"
        told.unlink(missing_ok=True)
        result = self.run(
            *arguments,
            env={
                "LD_PRELOAD": self.refused_calls,
                "REFUSE": f"{call}:{first}:{errno}{'+' if all_after else ''}",
                "REFUSE_TOLD": str(told),
                **(env or {}),
            },
        )
        result.refused = told.exists()
        return result

    def load(self, *arguments, **options):
        return self.run("load", *arguments, **options)

    def load_json(self, *arguments, code=0):
        result = self.load(*arguments, "--json")
        assert result.code == code, result
        return result.json()

    def on_terminal(self, *arguments, env=None):
        """Runs it with both outputs on a terminal; returns what it wrote there as `out`."""
        ours, theirs = pty.openpty()
        process = self.start(*arguments, env=env, stdout=theirs, stderr=theirs)
        os.close(theirs)
        written = b""
        while True:
            ready, _, _ = select.select([ours], [], [], TIME_LIMIT_S)
            assert ready, "the command hangs"
            try:
                data = os.read(ours, 65536)
            except OSError:  # how Linux reports that the other end is closed
                break
            if not data:
                break
            written += data
        os.close(ours)
        return Result(process.wait(TIME_LIMIT_S), written.decode("utf-8", "replace"), "")


def break_entry(archive):
    """Changes the first byte of the last stored entry's data."""
    data = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as opened:
        last = opened.infolist()[-1]
    data[last.header_offset + 30 + len(last.filename)] ^= 1
    archive.write_bytes(data)
    return archive.name


def read_until(stream, wanted):
    """Reads from a pipe until `wanted` appears; returns everything read."""
    seen = b""
    while wanted not in seen:
        data = os.read(stream.fileno(), 4096)
        assert data, f"{wanted!r} never came, but {seen!r}"
        seen += data
    return seen


def interrupt_load(box, *arguments, kind=signal.SIGINT):
    """Starts a load of endless(), interrupts it once it shows progress, and returns its result."""
    process = box.start("load", *arguments, "--progress=always")
    try:
        err = read_until(process.stderr, b"files")
        process.send_signal(kind)
        out, more = process.communicate(timeout=TIME_LIMIT_S)
    finally:
        process.kill()
    return Result(process.returncode, out.decode(), (err + more).decode())

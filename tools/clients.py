#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Part of ./dev: `./dev clients` starts real games of Debian with two libraries that have
PhysicsFS's interface, and compares what happens until the menu.

  clients.py packages [NAME...]          the Debian packages that these games need
  clients.py run --probe PATH --library PATH [--against PATH] [--peer PATH] [--rounds N]
             [--json FILE] [NAME...]
  clients.py cold --probe PATH --library PATH --overture PATH [--against PATH] [--rounds N]
             [--drop-caches] [--json FILE] NAME...
  clients.py table FILE                  what "cold" wrote to a JSON file, as Markdown

The games are unmodified and see no display but Xvfb. Compared are what the library answered (a
preloaded probe writes it down), the log, the files in the home folder and the picture. Everything
else being equal, two runs differ in times, random choices and animations: a difference counts if
one library always shows it and the other never does, in up to five runs each.

The second compares; the third is described in clients_cold.py.

With --rounds, the games also start that many times with each library in turn, and the medians of
the time until the menu and of the time inside the library are printed.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import clients_cold

PACKAGES = ["xvfb", "libgl1-mesa-dri"]
RUNS_MAX = 5
TIMEOUT_S = 180
QUIET_MS = 2000  # the menu is reached when the game has opened nothing new for so long
# Colobot shows its next picture after two seconds, and so was measured with or without it.
COLOBOT_QUIET_MS = 1200

SKIRMISH = {
    "challenge": {"map": "Sk-Rush", "maxPlayers": 4, "name": "clients", "version": 1},
    "player_0": {"ai": "multiplay/skirmish/nexus.js", "name": "one", "team": 0},
}


@dataclass(frozen=True)
class Client:
    package: str
    command: tuple
    environment: dict = field(default_factory=dict)
    files: dict = field(default_factory=dict)  # in the home folder, at start
    ends: bool = False  # by itself, without a menu
    quiet_ms: int = QUIET_MS


CLIENTS = {
    "supertux": Client("supertux", ("supertux2", "--disable-music", "--disable-sfx")),
    "warzone": Client(
        "warzone2100", ("warzone2100", "--window", "--resolution=800x600", "--nosound")
    ),
    "warzone-skirmish": Client(
        "warzone2100",
        ("warzone2100", "--headless", "--autogame", "--skirmish=skirmish.json", "--nosound",
         "--saveandquit=savegames/skirmish/saved.gam", "--configdir=config"),
        {"SDL_VIDEODRIVER": "dummy"},
        {"config/tests/skirmish.json": json.dumps(SKIRMISH)},
        ends=True,
    ),
    "trigger-rally": Client("trigger-rally", ("trigger-rally",)),
    "netpanzer": Client("netpanzer", ("netpanzer",)),
    "colobot": Client("colobot", ("colobot",), quiet_ms=COLOBOT_QUIET_MS),
    "lincity-ng": Client("lincity-ng", ("lincity-ng",)),
    "blockattack": Client("blockattack", ("blockattack",)),
    "blobby": Client("blobby", ("blobby",)),
    "hedgewars": Client("hedgewars", ("hedgewars",)),
}


class Failure(Exception):
    """What went wrong, in words for the user."""


# --- Runs ----------------------------------------------------------------------------------------


@dataclass
class Run:
    facts: set  # texts, without what differs every time
    blocks: list  # mean colours of the picture's blocks
    menu_s: float
    inside_ms: float  # main thread
    other_ms: float
    calls: int


def without_numbers(text):
    """Times, process ids, addresses and versions differ from run to run."""
    return re.sub(r"0x[0-9a-fA-F]+|\d+", "N", text)


def file_facts(home):
    for path in sorted(home.rglob("*")):
        name = without_numbers(path.relative_to(home).as_posix())
        if path.is_symlink():
            yield f"link {name} to {os.readlink(path)}"
        elif path.is_file():
            content = path.read_bytes()
            yield f"file {name}"
            yield f"file {name}: {hashlib.sha1(content).hexdigest()[:12]}"
        elif path.is_dir():
            yield f"folder {name}"


def read_report(path):
    """The probe's report: its numbers by name, and its facts."""
    numbers, facts = {}, set()
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        word, _, rest = line.partition(" ")
        if word == "fact":
            facts.add("answer: " + rest)
        elif word:
            numbers[word] = rest
    return numbers, facts


BLOCK = 25  # pixels


def blocks_of(picture):
    """Mean colours of the blocks of a picture as Xvfb keeps it (XWD, 32 bits a pixel)."""
    if not picture.exists():
        return []
    data = picture.read_bytes()
    words = [int.from_bytes(data[i : i + 4], "big") for i in range(0, 100, 4)]
    header, width, height, line_bytes, colours = words[0], words[4], words[5], words[12], words[19]
    pixels = memoryview(data)[header + 12 * colours :]
    means = []
    for top in range(0, height, BLOCK):
        for left in range(0, width, BLOCK):
            sums = [0, 0, 0]
            for y in range(top, min(top + BLOCK, height), 3):
                at = y * line_bytes + 4 * left
                row = pixels[at : at + 4 * min(BLOCK, width - left)]
                for i in range(3):
                    sums[i] += sum(row[i::4])
            count = len(range(top, min(top + BLOCK, height), 3)) * min(BLOCK, width - left)
            means.append(tuple(each / count for each in sums))
    return means


class Stage:
    """A display, a home folder at the same path in each run, and a folder with the library."""

    def __init__(self, probe, box):
        self.probe = probe
        self.box = pathlib.Path(box)
        # Of each run: words before the game's, variables, and what its process does first.
        self.prefix, self.variables, self.before = (), {}, None

    def start_display(self):
        read_end, write_end = os.pipe()
        frame = self.box / "frame"
        frame.mkdir()
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write_end), "-noreset", "-nolisten", "tcp", "-screen", "0",
             "800x600x24", "-fbdir", str(frame)],
            pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as said:
            number = said.readline().strip()
        if not number:
            server.wait()
            raise Failure("Xvfb does not start")
        return server, f":{number}", frame / "Xvfb_screen0"

    def environment(self, client, display, facts):
        variables = {name: value for name, value in os.environ.items()
                     if not name.startswith(("XDG_", "SDL_", "OVERTURE_", "LC_", "LANG"))}
        variables.update(
            HOME=str(self.box / "home"), DISPLAY=display, TZ="UTC", LC_ALL="C.UTF-8",
            PATH=os.environ.get("PATH", "") + ":/usr/games", SDL_AUDIODRIVER="dummy",
            ALSOFT_DRIVERS="null", LIBGL_ALWAYS_SOFTWARE="1",
            LD_LIBRARY_PATH=str(self.box / "library"), LD_PRELOAD=str(self.probe),
            OVERTURE_PROBE_REPORT=str(self.box / "report"),
            OVERTURE_PROBE_QUIET_MS=str(client.quiet_ms))
        if facts:
            variables["OVERTURE_PROBE_FACTS"] = "1"
        variables.update(client.environment)
        variables.update(self.variables)
        return variables

    def prepare(self, client, library):
        for name in ("home", "library", "frame"):
            shutil.rmtree(self.box / name, ignore_errors=True)
        (self.box / "report").unlink(missing_ok=True)
        (self.box / "home").mkdir()
        (self.box / "library").mkdir()
        (self.box / "library" / "libphysfs.so.1").symlink_to(library)
        for name, text in client.files.items():
            path = self.box / "home" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run(self, client, library, facts=True):
        self.prepare(client, library)
        server, display, picture = self.start_display()
        try:
            return self.play(client, library, display, picture, facts)
        finally:
            server.terminate()
            server.wait()

    def play(self, client, library, display, picture, facts):
        report, log = self.box / "report", self.box / "log"
        with log.open("wb") as output:
            begin = time.monotonic()
            game = subprocess.Popen(
                [*self.prefix, *client.command], cwd=self.box / "home",
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env=self.environment(client, display, facts), start_new_session=True,
                preexec_fn=self.before)
        try:
            while game.poll() is None and time.monotonic() - begin < TIMEOUT_S:
                if report.exists() and not client.ends:
                    time.sleep(0.2)  # for the last frame to reach the display
                    break
                time.sleep(0.02)
            status = game.poll()
            blocks = blocks_of(picture) if facts and not client.ends else []
        finally:
            try:
                os.killpg(game.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            game.wait()
        text = log.read_text(encoding="utf-8", errors="replace")
        self.check(client, report, status, text, library)
        numbers, seen = read_report(report)
        seen |= {"log: " + without_numbers(line.rstrip()) for line in text.split("\n")}
        if facts:
            seen |= set(file_facts(self.box / "home"))
        return Run(seen, blocks, int(numbers["menu_ns"]) / 1e9 - begin,
                   int(numbers["main_ns"]) / 1e6, int(numbers["other_ns"]) / 1e6,
                   int(numbers["calls"]))

    @staticmethod
    def check(client, report, status, log, library):
        last = next((line for line in reversed(log.split("\n")) if line.strip()), "an empty log")
        if status is not None and not client.ends:
            raise Failure(f"it ended with status {status} before its menu: {last}")
        if client.ends and status != 0:
            raise Failure(f"it ended with status {status}: {last}" if status is not None else
                          f"it still ran after {TIMEOUT_S} s: {last}")
        if not report.exists():
            raise Failure(f"no menu in {TIMEOUT_S} s: {last}")
        used = read_report(report)[0]["library"]
        if os.path.realpath(used) != os.path.realpath(library):
            raise Failure(f"it used {used} instead")


# --- Comparing -----------------------------------------------------------------------------------

# How far apart the mean colours of a block of the picture may lie.
COLOUR_MAX = 40
# How many blocks of the picture may differ: a pointer, or where two random backgrounds are alike by
# chance.
BLOCKS_MAX = 15


def always_and_never(runs, others):
    """What all of the runs have and none of the others."""
    return set.intersection(*(run.facts for run in runs)) - set.union(
        *(run.facts for run in others)
    )


def alike(a, b):
    return max(abs(x - y) for x, y in zip(a, b)) <= COLOUR_MAX


def differing_blocks(runs, others):
    """How many blocks of the picture differ: in the pair of runs that are most alike (a game may
    draw a random background), or, if those are fewer, among the blocks that each library always
    draws alike (others are animated)."""
    if len({len(run.blocks) for run in [*runs, *others]}) != 1:
        return max(len(run.blocks) for run in [*runs, *others])
    stable = 0
    for i, (one, other) in enumerate(zip(runs[0].blocks, others[0].blocks)):
        is_stable = all(alike(run.blocks[i], one) for run in runs) and all(
            alike(run.blocks[i], other) for run in others)
        stable += is_stable and not alike(one, other)
    nearest = min(
        sum(not alike(a, b) for a, b in zip(run.blocks, other.blocks))
        for run in runs for other in others
    )
    return min(stable, nearest)


def differences(references, subjects):
    """Lines that say what one library always shows and the other never."""
    lines = [f"only with it: {fact}" for fact in sorted(always_and_never(subjects, references))]
    lines += [f"missing: {fact}" for fact in sorted(always_and_never(references, subjects))]
    blocks = differing_blocks(references, subjects)
    if blocks > BLOCKS_MAX:
        lines.append(f"picture: {blocks} of {len(references[0].blocks)} blocks differ")
    return lines


def compare(stage, client, library, against):
    """Returns the differences, and the runs with each library."""
    references, subjects, found = [], [], []
    for _ in range(RUNS_MAX):
        try:
            references.append(stage.run(client, against))
        except Failure as failure:
            raise Failure(f"with {against}: {failure}") from failure
        subjects.append(stage.run(client, library))
        found = differences(references, subjects)
        if not found:
            break
    return found, references, subjects


# --- Commands ------------------------------------------------------------------------------------


def measure(stage, client, libraries, rounds):
    """Runs each library in turn, after one unmeasured round. Returns the runs by library."""
    runs = {name: [] for name in libraries}
    for turn in range(rounds + 1):
        for name, path in libraries.items():
            taken = stage.run(client, path, facts=False)
            if turn > 0:
                runs[name].append(taken)
    return runs


def print_times(name, runs):
    results = {}
    for library, taken in runs.items():
        menu = statistics.median(run.menu_s for run in taken)
        inside = statistics.median(run.inside_ms for run in taken)
        other = statistics.median(run.other_ms for run in taken)
        calls = statistics.median(run.calls for run in taken)
        results[library] = {"menu_s": menu, "inside_ms": inside, "other_ms": other}
        print(f"{name}: {library}: menu after {menu:.3f} s, inside the library {inside:.1f} ms"
              f" (other threads {other:.1f} ms), {calls:.0f} calls", flush=True)
    return results


def system_library():
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False)
    found = re.search(r"libphysfs\.so\.1 .*=> (\S+)", listed.stdout)
    if not found:
        raise Failure("the system has no libphysfs.so.1; name one with --against")
    return found.group(1)


def run_clients(arguments):
    against = os.path.realpath(arguments.against or system_library())
    library = os.path.realpath(arguments.library or against)
    for path in (against, library):
        if not os.path.isfile(path):
            raise Failure(f"there is no library {path}")
    libraries = {"against": against, "library": library}
    if arguments.peer:
        libraries["peer"] = os.path.realpath(arguments.peer)
    print(f"library: {library}\nagainst: {against}", flush=True)
    output, wrong = {}, []
    with tempfile.TemporaryDirectory(prefix="clients-") as box:
        stage = Stage(os.path.realpath(arguments.probe), os.path.realpath(box))
        for name in arguments.names or CLIENTS:
            client = CLIENTS[name]
            try:
                found, references, _ = compare(stage, client, library, against)
                output[name] = {"differences": found}
                if found:
                    wrong.append(name)
                    shown = "".join(f"\n    {line}" for line in found[: arguments.lines])
                    more = f"\n    and {len(found) - arguments.lines} more" if len(
                        found) > arguments.lines else ""
                    print(f"{name}: different{shown}{more}", flush=True)
                else:
                    runs = f"{len(references)} run{'s' if len(references) > 1 else ''} each"
                    facts = len(set.intersection(*(run.facts for run in references)))
                    print(f"{name}: same ({facts} facts, {runs})", flush=True)
                if arguments.rounds:
                    runs = measure(stage, client, libraries, arguments.rounds)
                    output[name].update(print_times(name, runs))
            except Failure as failure:
                wrong.append(name)
                output[name] = {"failure": str(failure)}
                print(f"{name}: could not start: {failure}", flush=True)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(output, indent=1) + "\n",
                                                encoding="utf-8")
    return 1 if wrong else 0


def run_cold(arguments):
    libraries = {"system": os.path.realpath(arguments.against or system_library()),
                 "ours": os.path.realpath(arguments.library)}
    arguments.overture = os.path.realpath(arguments.overture)
    output = {"rounds": arguments.rounds, "drop_caches": arguments.drop_caches, "disk": None,
              "games": {}}
    failed = False
    # On the disk: temporary files may be in memory.
    with tempfile.TemporaryDirectory(prefix="clients-", dir="/var/tmp") as box:
        stage = Stage(os.path.realpath(arguments.probe), os.path.realpath(box))
        for name in arguments.names:
            try:
                times, disk = clients_cold.measure(stage, CLIENTS[name], libraries, arguments)
                if times is None:
                    raise Failure("no start pack was made")
                output["disk"], output["games"][name] = disk, times
                for kind, taken in times.items():
                    print(clients_cold.summary(name, kind, taken), flush=True)
            except (Failure, OSError) as failure:
                failed = True
                print(f"{name}: could not start: {failure}", flush=True)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(output, indent=1) + "\n",
                                                encoding="utf-8")
    return 1 if failed else 0


def print_table(path):
    try:
        recorded = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        print(clients_cold.table(recorded))
    except (OSError, ValueError, KeyError) as failure:
        raise Failure(f"{path} is not what --cold wrote with --json ({failure!r})") from failure
    return 0


def main(words):
    parser = argparse.ArgumentParser(description="Real games with two libraries.")
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("packages")
    running = commands.add_parser("run")
    cold = commands.add_parser("cold")
    commands.add_parser("table").add_argument("recorded", metavar="FILE")
    for each in (listing, running):
        each.add_argument("names", nargs="*", metavar="NAME")
    cold.add_argument("names", nargs="+", metavar="NAME")
    cold.add_argument("--library", required=True)
    cold.add_argument("--overture", required=True)
    cold.add_argument("--rounds", type=int, default=3)
    cold.add_argument("--drop-caches", action="store_true")
    running.add_argument("--library", help="default: the system's, against itself")
    for each in (running, cold):
        each.add_argument("--probe", required=True)
        each.add_argument("--against", help="default: the system's")
        each.add_argument("--json")
    running.add_argument("--peer", help="one more library to measure with --rounds")
    running.add_argument("--rounds", type=int, default=0)
    running.add_argument("--lines", type=int, default=20, help="differences shown for each game")
    arguments = parser.parse_args(words)
    try:
        if arguments.command == "table":
            return print_table(arguments.recorded)
        for name in arguments.names:
            if name not in CLIENTS:
                raise Failure(f"unknown game '{name}' ({', '.join(CLIENTS)})")
        if arguments.command == "packages":
            wanted = [CLIENTS[name].package for name in arguments.names or CLIENTS]
            print(" ".join(dict.fromkeys([*PACKAGES, *wanted])))
            return 0
        return run_cold(arguments) if arguments.command == "cold" else run_clients(arguments)
    except Failure as failure:
        print(f"clients: {failure}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

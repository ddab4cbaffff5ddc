#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Part of ./dev: `./dev clients --watched` starts real games of Debian with `overture watch` and
without it.

  watch_games.py packages [NAME...]      the Debian packages that these games need
  watch_games.py costs --overture PATH [--rounds N] [--json FILE] [NAME...]
  watch_games.py causes --overture PATH [--json FILE] [NAME...]

"costs": in turns, how long it takes until the game has read all that it reads before its menu, and
how much processor time until then, by the kernel's own counts. "causes": the largest finding beside
what perf sampled and what strace counted until the menu.

The games are unmodified, see no display but Xvfb and no sound device, and draw in software.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

GAMES = {
    "supertux": ("supertux", ["supertux2"]),
    "warzone": ("warzone2100", ["warzone2100", "--window", "--resolution=800x600", "--nosound"]),
    "openarena": ("openarena", ["openarena"]),
    "extremetuxracer": ("extremetuxracer", ["etr"]),
    "neverball": ("neverball", ["neverball"]),
    "endless-sky": ("endless-sky", ["endless-sky"]),
    "hedgewars": ("hedgewars", ["hedgewars"]),
    "lugaru": ("lugaru", ["lugaru"]),
    "freedroidrpg": ("freedroidrpg", ["freedroidRPG"]),
    "minetest": ("minetest", ["minetest"]),
    "teeworlds": ("teeworlds", ["teeworlds"]),
}
MEASURED = ["supertux", "warzone", "openarena", "extremetuxracer", "neverball"]
PACKAGES = ["xvfb", "libgl1-mesa-dri"]
TICKS = os.sysconf("SC_CLK_TCK")
QUIET_S = 2.0  # without reading more than this: the menu is there
QUIET_BYTES = 16 << 10
POLL_S = 0.01
START_MAX_S = 60


class Failure(Exception):
    """What went wrong, in words for the user."""


class Box:
    """A display, and a home folder for each game that stays between its runs."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        read_end, write_end = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write_end), "-noreset", "-nolisten", "tcp", "-screen", "0",
             "1024x768x24"], pass_fds=[write_end], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(write_end)
        with os.fdopen(read_end) as said:
            self.display = ":" + said.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()

    def environment(self, name):
        home = self.folder / name
        home.mkdir(exist_ok=True)
        return {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"),
                "DISPLAY": self.display, "LIBGL_ALWAYS_SOFTWARE": "1", "LC_ALL": "C.UTF-8",
                "PATH": os.environ["PATH"] + ":/usr/games"}

    def start(self, name, command):
        return subprocess.Popen(command, cwd=self.folder, env=self.environment(name),
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True)


def end(process):
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(5)
            return
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


# --- Costs ---------------------------------------------------------------------------------------


def children_of(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(word) for word in text.split()]


def counts_of(pid):
    """Bytes read and processor seconds, of a process and its descendants."""
    read, core = 0, 0.0
    for each in [pid, *children_of(pid)]:
        try:
            io = pathlib.Path(f"/proc/{each}/io").read_text(encoding="ascii")
            stat = pathlib.Path(f"/proc/{each}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        read += int(re.search(r"rchar: (\d+)", io).group(1))
        fields = stat.rpartition(")")[2].split()
        core += sum(map(int, fields[11:15])) / TICKS
        for child in children_of(each) if each != pid else []:
            more = counts_of(child)
            read, core = read + more[0], core + more[1]
    return read, core


def begin_of_child(process):
    """When the command has started the game."""
    while process.poll() is None and not children_of(process.pid):
        time.sleep(POLL_S / 20)
    return time.monotonic()


def start_of(box, name, command, is_watched=False):
    """Wall and processor seconds until it has read all that it reads before its menu, and what of
    the former passed before the game was started."""
    began = time.monotonic()
    process = box.start(name, command)
    before = begin_of_child(process) - began if is_watched else 0
    last_at = time.monotonic()
    last_read, last_core = 0, 0.0
    try:
        while process.poll() is None:
            read, core = counts_of(process.pid)
            now = time.monotonic()
            if read - last_read >= QUIET_BYTES:
                last_read, last_at, last_core = read, now, core
            if now - last_at > QUIET_S:
                return last_at - began, last_core, before
            if now - began > START_MAX_S:
                raise Failure(f"{pathlib.Path(command[0]).name} does not come to rest")
            time.sleep(POLL_S)
        raise Failure(f"{pathlib.Path(command[0]).name} ended with {process.returncode}")
    finally:
        end(process)


def measure_costs(box, overture, names, rounds):
    results = {}
    for name in names:
        command = GAMES[name][1]
        watched = [overture, "watch", "--"] + command
        runs = {"alone": [], "watched": []}
        try:
            for turn in range(rounds + 1):
                for how, words in (("alone", command), ("watched", watched)):
                    taken = start_of(box, name, words, how == "watched")
                    if turn > 0:
                        runs[how].append(taken)
        except Failure as failure:
            print(f"{name}: {failure}", flush=True)
            results[name] = {"failure": str(failure)}
            continue
        medians = {how: [statistics.median(part) for part in zip(*taken)]
                   for how, taken in runs.items()}
        spread = statistics.quantiles([run[1] for run in runs["alone"]], n=4)
        ratios = [watched / alone
                  for watched, alone in zip(medians["watched"][:2], medians["alone"])]
        before = medians["watched"][2]
        ratios.append((medians["watched"][0] - before) / medians["alone"][0])
        results[name] = {"wall_s": medians["alone"][0], "core_s": medians["alone"][1],
                         "wall_ratio": ratios[0], "core_ratio": ratios[1], "before_s": before,
                         "game_wall_ratio": ratios[2]}
        print(f"{name}: {medians['alone'][0]:.2f} s, {medians['alone'][1]:.2f} s of processors "
              f"(quartiles {spread[0]:.2f} .. {spread[2]:.2f}); watched: x{ratios[0]:.2f}, "
              f"x{ratios[1]:.2f}; {1000 * before:.0f} ms before the game was started, from then on "
              f"x{ratios[2]:.2f}", flush=True)
    return results


# --- Causes --------------------------------------------------------------------------------------


def sampled(box, name, command, seconds):
    """Shares of the main thread's samples, by file and by function."""
    data = box.folder / "perf.data"
    process = box.start(name, ["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-o",
                               str(data), "--", "timeout", "-k", "1", f"{seconds:.2f}", *command])
    process.wait()
    listed = subprocess.run(["perf", "script", "-i", str(data), "-F", "comm,pid,tid,ip,sym,dso"],
                            capture_output=True, text=True, errors="replace", check=False).stdout
    data.unlink(missing_ok=True)
    return shares_of(listed)


def shares_of(listed):
    files, functions = collections.Counter(), collections.Counter()
    for line in listed.splitlines():
        found = re.match(r"\s*(.+?)\s+(\d+)/(\d+)\s+\S+ (.+) \((.+)\)$", line)
        if not found or found.group(2) != found.group(3) or found.group(1) == "timeout":
            continue
        file = found.group(5).rpartition("/")[2]
        files[file] += 1
        functions[f"{found.group(4)} in {file}"] += 1
    total = max(sum(files.values()), 1)
    return tuple([f"{name} {100 * count // total} %" for name, count in found.most_common(most)]
                 for found, most in ((files, 4), (functions, 3)))


def counted(box, name, command, seconds):
    """What strace counted most often."""
    output = box.folder / "strace"
    process = box.start(name, ["timeout", "-k", "1", f"{4 * seconds + 2:.2f}", "strace", "-f",
                               "-qq", "-c", "-S", "calls", "-o", str(output), *command])
    process.wait()
    listed = output.read_text(encoding="utf-8")
    output.unlink()
    return calls_of(listed)


def calls_of(listed):
    calls = []
    for line in listed.splitlines()[2:]:
        words = line.split()
        if len(words) >= 5 and words[3].isdigit() and words[-1] != "total":
            failed = f" ({words[4]} failed)" if len(words) == 6 else ""
            calls.append(f"{words[3]} {words[-1]}{failed}")
    return calls[:4]


def find_causes(box, overture, names):
    results = {}
    for name in names:
        command = GAMES[name][1]
        report = box.folder / "report.json"
        report.unlink(missing_ok=True)
        for _ in range(2):  # the first one fills its caches
            process = box.start(name, [overture, "watch", "--until", "menu", "--json", str(report),
                                       "--", *command])
            process.wait()
        if not report.exists():
            print(f"{name}: it was not watched", flush=True)
            continue
        seen = json.loads(report.read_text(encoding="utf-8"))
        seconds = seen["load_ns"] / 1e9
        files, functions = sampled(box, name, command, seconds)
        first = seen["findings"][0] if seen["findings"] else None
        results[name] = {
            "menu_s": seconds, "verdict": seen["verdict"],
            "findings": [[each["kind"], each["ns"] / 1e9] for each in seen["findings"][:3]],
            "perf": files, "functions": functions, "strace": counted(box, name, command, seconds)}
        print(f"{name}: menu after {seconds:.2f} s")
        if first:
            print(f"  watch:  {first['what']} {first['ns'] / 1e6:.0f} ms; "
                  f"{' '.join(first['evidence'])[:200]}")
        print(f"  perf:   {', '.join(files)}\n          {', '.join(functions)}\n"
              f"  strace: {', '.join(results[name]['strace'])}", flush=True)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["packages", "costs", "causes"])
    parser.add_argument("--overture")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json")
    parser.add_argument("names", nargs="*")
    given = parser.parse_intermixed_args()
    names = given.names or (MEASURED if given.what == "costs" else list(GAMES))
    unknown = [name for name in names if name not in GAMES]
    if unknown:
        parser.error(f"no such game: {', '.join(unknown)}; there are {', '.join(GAMES)}")
    if given.what == "packages":
        tools = ["linux-perf", "strace"] if not given.names else []
        print(" ".join(PACKAGES + tools + [GAMES[name][0] for name in names]))
        return 0
    overture = os.path.abspath(given.overture)
    with tempfile.TemporaryDirectory(prefix="watched-") as folder, Box(folder) as box:
        if given.what == "costs":
            results = measure_costs(box, overture, names, given.rounds)
        else:
            results = find_causes(box, overture, names)
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

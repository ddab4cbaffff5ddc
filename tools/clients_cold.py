# SPDX-License-Identifier: Zlib
"""Part of ./dev: `./dev clients --cold` starts games with cold data, as after the machine was
switched on: with the system's libphysfs, with ours, and with ours and a start pack.

Each round starts the game once in each way, and medians are printed; the same with warm data.
Before a cold start the game's data and the pack are dropped from the page cache. With --drop-caches
all of it is, which takes root: the game's program and its libraries, which no pack can help, come
from the disk too. Where control groups can throttle the disk it is made to answer like a hard disk;
otherwise it is as fast as it is.
"""

import ctypes
import os
import pathlib
import re
import signal
import statistics
import subprocess
import time

HARD_DISK = {"operations": 120, "bytes": 100 << 20}  # a second
CGROUPS = pathlib.Path("/sys/fs/cgroup")
GROUP = "overture-clients"
WAYS = ("system", "ours", "pack")
CACHESTAT = 451  # the number of this system call, on x86, Arm and most others
KEPT_SHARES = 100  # less than one byte in a hundred does not make a start warm


# --- The disk ------------------------------------------------------------------------------------


def data_packages(package, depends):
    """The package and those of its dependencies that have its data, named after it."""
    names = re.findall(r"[a-z0-9][a-z0-9.+-]+", re.sub(r"\([^)]*\)", "", depends))
    own = [name for name in names if name.startswith(f"{package}-")]
    return [package, *dict.fromkeys(own)]


def files_of(package):
    """The data files of a game, of all packages that it consists of."""
    depends = subprocess.run(["dpkg-query", "-W", "-f", "${Depends}", package],
                             capture_output=True, text=True, check=True).stdout
    packages = data_packages(package, depends)
    listed = subprocess.run(["dpkg-query", "-L", *packages], capture_output=True, text=True,
                            check=True).stdout.splitlines()
    paths = {os.path.realpath(line) for line in listed if line.startswith("/usr/share/")}
    return sorted(path for path in paths if os.path.isfile(path))


def cached_bytes(file):
    """How many bytes of an open file are in the page cache, in whole pages; None if the system does
    not say. Looking warms nothing, unlike reading with RWF_NOWAIT."""
    whole, counts = (ctypes.c_uint64 * 2)(), (ctypes.c_uint64 * 5)()
    if ctypes.CDLL(None).syscall(CACHESTAT, file, whole, counts, 0) != 0:
        return None
    return counts[0] * os.sysconf("SC_PAGESIZE")


def evict(paths):
    """Drops files from the page cache. Returns how many of their bytes stayed, or None where the
    system does not say (Linux before 6.5, and of files that this user may not write)."""
    os.sync()
    kept = 0
    for path in paths:
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        left = cached_bytes(file)
        os.close(file)
        kept = None if kept is None or left is None else kept + left
    return kept


def why_not_cold(kept, size):
    """What to warn of: the largest number of bytes that stayed before a start, of a game's size."""
    if kept is None:
        return "the system does not say whether the data was cold"
    if kept * KEPT_SHARES >= size and kept > 0:
        return f"{kept / 1e6:.1f} of {size / 1e6:.1f} MB stayed in the page cache"
    return None


def drop_caches():
    """Drops all of the page cache."""
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")


def whole_disk(device, devices=pathlib.Path("/sys/dev/block")):
    """MAJOR:MINOR of the disk that a file system's device is a part of, or None."""
    place = (devices / f"{os.major(device)}:{os.minor(device)}").resolve()
    if (place / "partition").exists():
        place = place.parent
    number = place / "dev"
    return number.read_text().strip() if number.exists() else None


def throttle_files(root, disk):
    """The group of a throttled process, and what is written into its files, for either version of
    control groups; None where there is no such thing."""
    operations, count = HARD_DISK["operations"], HARD_DISK["bytes"]
    if (root / "blkio" / "blkio.throttle.read_iops_device").exists():
        return root / "blkio" / GROUP, {
            "blkio.throttle.read_iops_device": f"{disk} {operations}",
            "blkio.throttle.read_bps_device": f"{disk} {count}",
        }
    controllers = root / "cgroup.controllers"
    if controllers.exists() and "io" in controllers.read_text().split():
        return root / GROUP, {"io.max": f"{disk} riops={operations} rbps={count}"}
    return None


class HardDisk:
    """A group of processes for which the disk is slow."""

    def __init__(self, path):
        self.group = None
        disk = whole_disk(os.stat(path).st_dev)
        found = throttle_files(CGROUPS, disk) if disk else None
        if not found:
            return
        group, settings = found
        try:
            group.mkdir(exist_ok=True)
            for name, value in settings.items():
                (group / name).write_text(value)
        except OSError:
            return
        self.group = group

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.group:
            return
        for _ in range(50):  # until the last process has left it
            try:
                self.group.rmdir()
                return
            except OSError:
                time.sleep(0.1)

    def enter(self):
        """In the process that becomes the game."""
        if self.group:
            (self.group / "cgroup.procs").write_text(str(os.getpid()))


# --- Starts --------------------------------------------------------------------------------------


def record(stage, client, library, overture):
    """Makes a start pack of what the game reads until its menu, where the game is killed."""
    stage.prepare(client, library)
    server, display, _ = stage.start_display()
    environment = stage.environment(client, display, False)
    try:
        command = subprocess.Popen(
            [overture, "boost", "record", "--", *client.command], cwd=stage.box / "home",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment, text=True)
        children = pathlib.Path(f"/proc/{command.pid}/task/{command.pid}/children")
        end = time.monotonic() + 180
        while command.poll() is None and time.monotonic() < end:
            if (stage.box / "report").exists():
                for child in children.read_text().split():
                    os.kill(int(child), signal.SIGKILL)
                break
            time.sleep(0.05)
        said = command.communicate(timeout=120)[0]
    finally:
        server.terminate()
        server.wait()
    return next((line for line in said.splitlines() if "start pack" in line), None)


def summary(name, kind, times):
    """One line with the medians of each way, and the factors over the first way."""
    medians = {way: statistics.median(taken) for way, taken in times.items()}
    first = next(iter(medians.values()))
    parts = [f"{way} {median:.2f} s" + (f" ({first / median:.1f} x)" if i else "")
             for i, (way, median) in enumerate(medians.items())]
    return f"{name}, {kind}: " + ", ".join(parts)


def table(recorded):
    """What --json wrote, as Markdown: the command, and the medians in a table."""
    games, rounds = recorded["games"], recorded["rounds"]
    words = ["./dev clients --cold", *games, f"--rounds {rounds}"]
    words += ["--drop-caches"] if recorded["drop_caches"] else []
    starts = f"medians of {rounds} starts" if rounds > 1 else "one start each"
    lines = [f"`{' '.join(words)}`, {starts}, with {recorded['disk']}:", "",
             "| | system | ours | start pack |", "|---|---|---|---|"]
    for name, times in games.items():
        for kind in ("cold", "warm"):
            medians = [statistics.median(times[kind][way]) for way in WAYS]
            cells = [f"{medians[0]:.2f} s"]
            cells += [f"{each:.2f} s ({medians[0] / each:.1f} x)" for each in medians[1:]]
            lines.append(f"| {name}, {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


def measure(stage, client, libraries, arguments):
    """Starts the game in each way, several times. Returns the seconds by kind and way, and what the
    disk was."""
    stage.variables = {"XDG_CACHE_HOME": str(stage.box / "cache"),
                       "OVERTURE_PHYSFS": os.path.dirname(libraries["ours"])}
    said = record(stage, client, libraries["ours"], arguments.overture)
    if not said:
        return None, None
    print(said, flush=True)
    packs = list((stage.box / "cache" / "overture" / "boost").glob("*.pack"))
    files = [*files_of(client.package), *map(str, packs)]
    kept = []
    times = {kind: {way: [] for way in WAYS} for kind in ("cold", "warm")}
    with HardDisk(stage.box) as disk:
        kind_of_disk = "a disk like a hard disk" if disk.group else "the disk as it is"
        print(kind_of_disk, flush=True)
        for kind in times:
            for _ in range(arguments.rounds):
                for way in WAYS:
                    if kind == "cold":
                        kept.append(evict(files))
                        if arguments.drop_caches:
                            drop_caches()
                    stage.before = disk.enter if kind == "cold" else None
                    boost = (arguments.overture, "boost", "run", "--")
                    stage.prefix = boost if way == "pack" else ()
                    library = libraries["system" if way == "system" else "ours"]
                    times[kind][way].append(stage.run(client, library, facts=False).menu_s)
        stage.before, stage.prefix, stage.variables = None, (), {}
    most = None if None in kept else max(kept, default=0)
    if warning := why_not_cold(most, sum(os.path.getsize(path) for path in files)):
        print(f"warning: {warning}", flush=True)
    return times, kind_of_disk

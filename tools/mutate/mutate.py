#!/usr/bin/env python3
"""Plants weakenings in the concurrent sources, one at a time, and runs the tests of each.

    mutate.py [--jobs N] [--seed N --count N] [--list] [SOURCE...]

plants.txt says which sources there are, which tests belong to them, and what is planted beside
weaker memory orders, which are found here. The work is done in a copy of the tree below
build/mutate. Exit status: 0 if at least 85 % are killed, 1 otherwise, 2 for a wrong argument.
"""
import argparse
import fnmatch
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "mutate" / "tree"
BUILD = ROOT / "build" / "mutate" / "build"
TEST_SECONDS = 150
SHARE = 0.85

ORDER = r"std::memory_order_(seq_cst|acq_rel|release|acquire)"
WITHOUT_ORDER = re.compile(
    r"\.(load|store|exchange|fetch_add|fetch_sub|fetch_or|fetch_and)\(")
OPERATION = re.compile(r"(load|store|exchange|fetch_\w+|compare_exchange_\w+|light_store)\s*\(")


class Plant:
    def __init__(self, source, line, name, text):
        self.source, self.line, self.name, self.text = source, line, name, text

    def __str__(self):
        return f"{self.source}:{self.line}: {self.name}"


def one_step_down(order, operation):
    if order == "seq_cst":
        return {"load": "acquire", "store": "release"}.get(operation, "acq_rel"),
    if order == "acq_rel":
        return "acquire", "release"
    return "relaxed",


def closing(text, begin):
    """The position of the bracket that closes the one at `begin`."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return -1


def weaker_orders(source, text):
    """Each memory order down one step, those that are not written included."""
    found = []
    for match in re.finditer(ORDER, text):
        before = OPERATION.findall(text[max(0, match.start() - 300):match.start()])
        operation = before[-1] if before else ""
        # A failure order is that of a load.
        fails = operation.startswith("compare") and re.search(
            r"memory_order_\w+,\s*$", text[:match.start()])
        for weaker in one_step_down(match.group(1), "load" if fails else operation):
            changed = text[:match.start()] + f"std::memory_order_{weaker}" + text[match.end():]
            found.append((match.start(), f"{operation}: {match.group(1)} -> {weaker}", changed))
    for match in WITHOUT_ORDER.finditer(text):
        end = closing(text, match.end() - 1)
        arguments = text[match.end():end]
        # No atomic's: more arguments, or an order already.
        if "memory_order" in arguments or (match.group(1) == "load") != (arguments == ""):
            continue
        weaker, = one_step_down("seq_cst", match.group(1))
        comma = ", " if arguments else ""
        changed = text[:end] + f"{comma}std::memory_order_{weaker}" + text[end:]
        found.append((match.start(), f"{match.group(1)}: seq_cst -> {weaker}", changed))
    return [Plant(source, text.count("\n", 0, at) + 1, name, changed)
            for at, name, changed in found]


def read_list():
    """Tests by pattern of sources, and plants that are written out."""
    tests, plants = [], []
    lines = (pathlib.Path(__file__).parent / "plants.txt").read_text().splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("tests "):
            pattern, programs = line[len("tests "):].split(" : ")
            tests.append((pattern.strip(), [one.split() for one in programs.split(";")]))
        elif line.startswith("plant "):
            _, source, name = line.split(" ", 2)
            sides = {"-": [], "+": []}
            while at < len(lines) and lines[at][:1] in sides:
                sides[lines[at][0]].append(lines[at][1:])
                at += 1
            plants.append((source, name, "\n".join(sides["-"]), "\n".join(sides["+"])))
        elif line and not line.startswith("#"):
            sys.exit(f"plants.txt:{at}: neither tests nor a plant: {line}")
    return tests, plants


def all_plants(tests, written):
    plants = []
    names = subprocess.run(["git", "ls-files", "src", "include"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split()
    for name in names:
        if not any(fnmatch.fnmatch(name, pattern) for pattern, _ in tests):
            continue
        text = (ROOT / name).read_text()
        plants += weaker_orders(name, text)
        for source, what, old, new in written:
            if source != name:
                continue
            if text.count(old) != 1:
                sys.exit(f"plants.txt: not there once: {source}: {what}")
            plants.append(Plant(name, text.count("\n", 0, text.index(old)) + 1, what,
                                text.replace(old, new)))
    unknown = {source for source, *_ in written} - {plant.source for plant in plants}
    if unknown:
        sys.exit(f"plants.txt: no tests for {', '.join(sorted(unknown))}")
    return plants


def programs_of(plant, tests):
    return next(run for pattern, run in tests if fnmatch.fnmatch(plant.source, pattern))


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def copy_tree():
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, check=True, capture_output=True, text=True).stdout
    kept = set()
    for name in filter(None, names.split("\0")):
        source, target = ROOT / name, COPY / name
        if not source.is_file() or name.startswith(("docs/", "bench/", "fuzz/corpus")):
            continue
        kept.add(target)
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
    for target in COPY.rglob("*"):
        if target.is_file() and target not in kept:
            target.unlink()


def configure():
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja",
                        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                        "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG", "-DOVERTURE_PCH=TESTS",
                        "-DOVERTURE_WERROR=OFF", "-DOVERTURE_BENCH=OFF", "-DOVERTURE_EXAMPLES=OFF",
                        "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"],
                       check=True, stdout=subprocess.DEVNULL)


def build(programs, jobs):
    targets = sorted({f"{program}_tests" for program, *_ in programs})
    return subprocess.run(["ninja", "-C", BUILD, "-j", str(jobs), *targets],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def find_program(name):
    return next(path for path in BUILD.rglob(f"{name}_tests") if path.is_file())


def run_tests(programs):
    """How the tests fail; None if they pass."""
    for program, *filters in programs:
        command = [find_program(program), "--gtest_fail_fast", "--gtest_brief=1",
                   "--gtest_filter=" + (":".join(filters) or "*")]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=TEST_SECONDS)
        except subprocess.TimeoutExpired:
            return f"{program}: does not end"
        if done.returncode != 0:
            failed = re.search(r"\[  FAILED  \] (\S+)", done.stdout)
            return failed.group(1) if failed else f"{program}: exit status {done.returncode}"
    return None


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("source", nargs="*")
    given = parser.parse_args()
    tests, written = read_list()
    plants = all_plants(tests, written)
    if given.source:
        plants = [plant for plant in plants if any(one in str(plant) for one in given.source)]
    if given.count is not None:
        chosen = random.Random(given.seed or 0)
        plants = chosen.sample(plants, min(given.count, len(plants)))
    if not plants:
        parser.error("no such source in plants.txt")
    if given.list:
        print("\n".join(map(str, plants)))
        return 0

    copy_tree()
    configure()
    used = [programs_of(plant, tests) for plant in plants]
    built = build([one for programs in used for one in programs], given.jobs)
    if built.returncode != 0:
        sys.exit(built.stdout + "\nthe tests do not build as they are")
    survivors, killed = [], 0
    for number, plant in enumerate(plants, 1):
        programs = programs_of(plant, tests)
        target = COPY / plant.source
        whole = target.read_text()
        write(target, plant.text)
        built = build(programs, given.jobs)
        end = run_tests(programs) if built.returncode == 0 else "does not build"
        write(target, whole)
        if end is None:
            survivors.append(plant)
        elif end != "does not build":
            killed += 1
        print(f"{number}/{len(plants)} {plant}: {end or 'SURVIVES'}", flush=True)
    total = killed + len(survivors)
    for plant in survivors:
        print(f"survivor: {plant}")
    print(f"{killed} of {total} plants killed ({100 * killed // max(total, 1)} %)")
    return 0 if killed >= SHARE * total else 1


if __name__ == "__main__":
    sys.exit(main())

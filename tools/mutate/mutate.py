#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Plants bugs in the concurrent sources, one at a time, and runs the tests of each.

    mutate.py [--jobs N] [--seed N --count N] [--whole] [--list] [SOURCE...]

plants.txt says which sources there are, which tests belong to them, and what is planted beside
weaker memory orders, wakes left out and counts off by one, which are found here. Those are all
built into one program of the explorer's, which has the one whose number is in OVERTURE_PLANTED;
the plants of the list are built one after the other. The work is done in a copy of the tree below
build/mutate. Where plants.txt says interleave/8, the explorer's long searches are cut to an
eighth, unless --whole is given.

Plants are of two kinds: weaker memory orders, of which many change nothing that the tests could see
(docs/proof.md says why), and all others, which change what the program does. Exit status: 0 if
enough of each kind are killed (ENOUGH), 1 otherwise, 2 for a wrong argument.
"""
import argparse
import concurrent.futures
import fnmatch
import math
import pathlib
import random
import re
import subprocess
import sys

from limited_run import run_limited
from plant_list import LIST, read_list

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "mutate" / "tree"
BUILD = ROOT / "build" / "mutate" / "build"
SWITCH = ROOT / "build" / "mutate" / "planted.hpp"
ORDERS, BEHAVIOUR = "memory orders", "behaviour"
# The goal for behaviour; for orders a little less than what is killed, so that a loss shows.
ENOUGH = {BEHAVIOUR: 0.85, ORDERS: 0.38}
# Of some sources more is asked: nearly all of them is behaviour under a lock.
ENOUGH_BEHAVIOUR_IN = {"src/assets/": 0.95}

ORDER = r"std::memory_order_(seq_cst|acq_rel|release|acquire)"
WITHOUT_ORDER = re.compile(
    r"\.(load|store|exchange|fetch_add|fetch_sub|fetch_or|fetch_and)\(")
OPERATION = re.compile(r"(load|store|exchange|fetch_\w+|compare_exchange_\w+|light_store)\s*\(")
# A statement that only wakes, in one piece.
WAKE = re.compile(r"(?:(?<=\n)|(?<=[;{)] ))[ ]*((?:[\w:]+(?:\([^()]*\))?(?:\.|->))*(?:[\w:]+::)?"
                  r"(?:notify\w*|address_wake\w*|wake\w*|unpark\w*)"
                  r"\((?:[^();{}]|\([^();{}]*\))*\);)")
ONE_MORE = re.compile(r"fetch_(?:add|sub)\((1)[,)]")
LAST = re.compile(r"fetch_(?:add|sub)\([^;{}]*?\) ?(?:==|!=|<=|>=|<|>) (\d+)\b")

SWITCH_TEXT = """#pragma once
// Not watched by the explorer: which bug is planted is no memory of the program under test.
#include <cstdlib>
#include <type_traits>
namespace planted {
inline const char* const wanted = std::getenv("OVERTURE_PLANTED");
inline const int number = wanted ? std::atoi(wanted) : 0;
template <class T>
__attribute__((no_sanitize("thread"))) constexpr T pick(int plant, T right, T wrong) noexcept {
  if (std::is_constant_evaluated()) return right;
  return number == plant ? wrong : right;
}
__attribute__((no_sanitize("thread"))) constexpr bool is(int plant) noexcept {
  return pick(plant, false, true);
}
}  // namespace planted
"""


class Plant:
    """A change of text[begin:end]. `switched`, if set, makes both in one program."""

    def __init__(self, source, text, begin, end, name, new, switched=None, kind=BEHAVIOUR):
        self.source, self.begin, self.end, self.name = source, begin, end, name
        self.new, self.switched, self.kind = new, switched, kind
        self.line = text.count("\n", 0, begin) + 1

    def __str__(self):
        return f"{self.source}:{self.line}: {self.name}"


def one_step_down(order, operation):
    if order == "seq_cst":
        # A read-modify-write compiles to the same instructions on x86-64 and AArch64.
        down = {"load": "acquire", "store": "release", "light_store": "release"}
        return (down[operation],) if operation in down else ()
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


PICK = "planted::pick({number}, {right}, {wrong})"
EITHER = "(planted::is({number}) ? bool({wrong}) : bool({right}))"
ONE_OR_OTHER = "if (planted::is({number})) {\n{wrong}\n} else {\n{right}\n}"
DECLARES = re.compile(
    r"\s*(?:const |auto |[\w:]+(?:<[\w:]+>)?[*&]* (?:const )?\w+(?: =|\{|;)"
    r"|[\w:<>]+[*&]* \w+\(.*\)[^;]* \{)")


def is_balanced(text):
    depth = 0
    for character in text:
        depth += (character in "({") - (character in ")}")
        if depth < 0:
            return False
    return depth == 0


def are_statements(text):
    lines = [re.sub("//.*", "", line) for line in text.split("\n") if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return (is_balanced("".join(lines)) and "".join(lines).strip()[-1:] in (";", "}", "") and
            not any(DECLARES.match(line) and not line.strip().startswith("return")
                    for line in lines if len(line) - len(line.lstrip()) == indent))


def narrowed(old, new):
    """How many characters at the begin and at the end are the same."""
    same = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    rest = min(len(old), len(new)) - same
    end = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    return same, end


def enclosing(old, begin, end):
    """The text in the innermost brackets around old[begin:end]; None if there are none."""
    depth = 0
    while begin > 0:
        begin -= 1
        depth += (old[begin] == ")") - (old[begin] == "(")
        if depth < 0:
            close = closing(old, begin)
            return (begin + 1, close) if close >= end else None
    return None


def written_plant(source, text, at, old, new, name):
    """A plant of the list, which can be switched if it is whole statements or a condition."""
    old_lines, new_lines = old.split("\n"), new.split("\n")
    first, last = narrowed(old_lines, new_lines)
    statements = ["\n".join(lines[first:len(lines) - last]) for lines in (old_lines, new_lines)]
    begin = at + sum(len(line) + 1 for line in old_lines[:first])
    before = re.sub("//.*", "", text[:begin]).rstrip()
    if text[:at].endswith("\n") and before[-1:] in tuple(";{}:)") and all(
            map(are_statements, statements)):
        return Plant(source, text, begin, begin + len(statements[0]), name, statements[1],
                     ONE_OR_OTHER)
    first, last = narrowed(old, new)
    inside = enclosing(old, first, len(old) - last)
    if inside is not None:
        begin, end = inside
        wrong = new[begin:len(new) - (len(old) - end)]
        if ";" not in old[begin:end] + wrong and is_balanced(wrong) and re.search(
                r"(?:if|while) \($", old[:begin]):
            return Plant(source, text, at + begin, at + end, name, wrong, EITHER)
    return Plant(source, text, at, at + len(old), name, new)


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
            found.append(Plant(source, text, match.start(), match.end(),
                               f"{operation}: {match.group(1)} -> {weaker}",
                               f"std::memory_order_{weaker}", PICK, ORDERS))
    for match in WITHOUT_ORDER.finditer(text):
        end = closing(text, match.end() - 1)
        arguments = text[match.end():end]
        # No atomic's: more arguments, or an order already.
        if "memory_order" in arguments or (match.group(1) == "load") != (arguments == ""):
            continue
        comma = ", " if arguments else ""
        for weaker in one_step_down("seq_cst", match.group(1)):
            found.append(Plant(source, text, end, end, f"{match.group(1)}: seq_cst -> {weaker}",
                               f"std::memory_order_{weaker}",
                               comma + PICK.replace("{right}", "std::memory_order_seq_cst"),
                               ORDERS))
    return found


def wakes_and_counts(source, text):
    """Each wake left out, and each count of an atomic off by one."""
    found = []
    for match in WAKE.finditer(text):
        found.append(Plant(source, text, match.start(1), match.end(1),
                           f"left out: {match.group(1)}", ";",
                           "if (planted::pick({number}, true, false)) {right}"))
    for match in ONE_MORE.finditer(text):
        found.append(Plant(source, text, match.start(1), match.end(1),
                           f"{match.group(0)[:9]}: by 2, not 1", "2", PICK))
    for match in LAST.finditer(text):
        number = int(match.group(1))
        found.append(Plant(source, text, match.start(1), match.end(1),
                           f"compared with {number + 1}, not {number}", str(number + 1), PICK))
    return found


def all_plants(tests, written, same):
    plants, unused = [], set(same)
    names = subprocess.run(["git", "ls-files", "src", "include"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split()
    for name in names:
        if not any(fnmatch.fnmatch(name, pattern) for pattern, _ in tests):
            continue
        text = (ROOT / name).read_text()
        code = re.sub(r"//[^\n]*", lambda comment: " " * len(comment.group(0)), text)
        lines = text.split("\n")
        for plant in weaker_orders(name, code) + wakes_and_counts(name, code):
            known = [one for one in same if one[0] == name and one[2] in lines[plant.line - 1]
                     and fnmatch.fnmatch(plant.name, one[1])]
            unused -= set(known)
            if not known:
                plants.append(plant)
        for source, what, old, new, line in written:
            if source != name:
                continue
            if text.count(old) != 1:
                sys.exit(f"plants.txt:{line}: not there once: {source}: {what}")
            at = text.index(old)
            plants.append(written_plant(name, text, at, old, new, what))
        without_overlaps([one for one in plants if one.source == name])
    unknown = {source for source, *_ in written} - {plant.source for plant in plants}
    if unknown:
        sys.exit(f"plants.txt: no tests for {', '.join(sorted(unknown))}")
    if unused:
        sys.exit("plants.txt: no such plant: " + "; ".join(map(" ".join, sorted(unused))))
    for number, plant in enumerate(plants, 1):
        plant.number = number
    return plants


def programs_of(plant, tests):
    return next(run for pattern, run in tests if fnmatch.fnmatch(plant.source, pattern))


def with_switches(text, plants):
    """The text with all plants that can be switched."""
    places = {}
    for plant in plants:
        places.setdefault((plant.begin, plant.end), []).append(plant)

    def composed(begin, end, inside):
        made, at = "", begin
        while inside:
            place = inside.pop(0)
            nested = [one for one in inside if one[1] <= place[1]]
            del inside[:len(nested)]
            right = composed(*place, nested)
            for plant in places[place]:
                right = (plant.switched.replace("{number}", str(plant.number))
                         .replace("{wrong}", plant.new).replace("{right}", right))
            made += text[at:place[0]] + right
            at = place[1]
        return made + text[at:end]

    ordered = sorted(places, key=lambda place: (place[0], -place[1]))
    return f'#include "{SWITCH}"\n' + composed(0, len(text), ordered)


def without_overlaps(plants):
    """Those that overlap one before them are built alone."""
    switched = []
    for plant in plants:
        if plant.switched and any(
                one.begin < plant.begin < one.end < plant.end or
                plant.begin < one.begin < plant.end < one.end for one in switched):
            plant.switched = None
        if plant.switched:
            switched.append(plant)


def with_plant(text, plant, plants):
    """The text with this plant, and switches elsewhere."""
    clear = [one for one in plants
             if one.switched and (one.end < plant.begin or one.begin > plant.end)]
    only = Plant(plant.source, text, plant.begin, plant.end, plant.name, plant.new, "{wrong}")
    only.number = plant.number
    return with_switches(text, [*clear, only])


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def copy_tree(switched):
    """Copies the tree, with all that can be switched in the sources. Returns those texts."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, check=True, capture_output=True, text=True).stdout
    kept, originals = set(), {}
    for name in filter(None, names.split("\0")):
        source, target = ROOT / name, COPY / name
        if not source.is_file() or name.startswith(("bench/", "fuzz/corpus")):
            continue
        kept.add(target)
        data = source.read_bytes()
        if name in switched:
            originals[name] = data.decode()
            data = with_switches(data.decode(), [one for one in switched[name]
                                                 if one.switched]).encode()
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(source.stat().st_mode)
    for target in COPY.rglob("*"):
        if target.is_file() and target not in kept:
            target.unlink()
    write(SWITCH, SWITCH_TEXT)
    return originals


def configure():
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja",
                        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                        "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG", "-DOVERTURE_PCH=TESTS",
                        "-DOVERTURE_WERROR=OFF", "-DOVERTURE_BENCH=OFF", "-DOVERTURE_EXAMPLES=OFF",
                        "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"],
                       check=True, stdout=subprocess.DEVNULL)


def build(programs, jobs):
    targets = sorted({program.partition("/")[0] + "_tests" for program in programs})
    return subprocess.run(["ninja", "-C", BUILD, "-j", str(jobs), *targets],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def find_program(name):
    return next(path for path in BUILD.rglob(f"{name}_tests") if path.is_file())


def run_program(program, filters, number=0):
    """How the tests fail; None if they pass."""
    program, _, divisor = program.partition("/")
    command = [find_program(program), "--gtest_fail_fast", "--gtest_brief=1",
               "--gtest_filter=" + (":".join(filters) or "*")]
    ended = run_limited(command, {"OVERTURE_PLANTED": str(number),
                                  "OVERTURE_INTERLEAVE_DIVISOR": divisor or "1"})
    if ended is None:
        return f"{program}: does not end"
    status, output = ended
    if status != 0:
        failed = re.search(r"\[  FAILED  \] (\S+)", output)
        return failed.group(1) if failed else f"{program}: exit status {status}"
    return None


def run_switched(plant, tests):
    """Runs a plant's tests; of a weak order those of the explorer: real processors hide it."""
    programs = sorted(programs_of(plant, tests), key=lambda one: one[0].startswith("interleave"))
    for program, *filters in programs:
        if program.startswith("interleave") or plant.kind == BEHAVIOUR:
            end = run_program(program, filters, plant.number)
            if end is not None:
                return end
    return None


def run_written(plant, tests, plants, originals, jobs):
    target = COPY / plant.source
    switched = target.read_text()
    here = [one for one in plants if one.source == plant.source]
    write(target, with_plant(originals[plant.source], plant, here))
    try:
        for program, *filters in programs_of(plant, tests):
            if build([program], jobs).returncode != 0:
                return "does not build"
            end = run_program(program, filters)
            if end is not None:
                return end
        return None
    finally:
        write(target, switched)


def are_enough(kind, killed, total, are_all):
    """Whether enough of a kind are killed; of some plants alone, two standard deviations fewer."""
    wanted = ENOUGH[kind] * total
    if not are_all:
        wanted -= 2 * math.sqrt(ENOUGH[kind] * (1 - ENOUGH[kind]) * total)
    return killed >= wanted


def main():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("source", nargs="*")
    given = parser.parse_args()
    tests, written, same = read_list(LIST.read_text(), given.whole)
    plants = every = all_plants(tests, written, same)
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

    by_source = {}
    for plant in every:
        by_source.setdefault(plant.source, []).append(plant)
    originals = copy_tree(by_source)
    configure()
    built = build({"interleave", *(program for plant in plants if plant.switched
                                   for program, *_ in programs_of(plant, tests))}, given.jobs)
    if built.returncode != 0:
        sys.exit(built.stdout + "\nthe tests do not build as they are")
    survivors, killed, ran = [], [], 0

    def note(plant, end):
        nonlocal ran
        ran += 1
        if end is None:
            survivors.append(plant)
        elif end != "does not build":
            killed.append(plant)
        print(f"{ran}/{len(plants)} {plant}: {end or 'SURVIVES'}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as threads:
        switched = [plant for plant in plants if plant.switched]
        for plant, end in zip(switched, threads.map(lambda one: run_switched(one, tests),
                                                    switched)):
            note(plant, end)
    for plant in plants:
        if not plant.switched:
            note(plant, run_written(plant, tests, every, originals, given.jobs))
    for plant in survivors:
        print(f"survivor: {plant}")
    passed = True
    for kind in ENOUGH:
        dead = sum(plant.kind == kind for plant in killed)
        total = dead + sum(plant.kind == kind for plant in survivors)
        enough = are_enough(kind, dead, total, plants is every)
        passed &= enough
        print(f"{kind}: {dead} of {total} plants killed ({100 * dead // max(total, 1)} %)"
              f"{'' if enough else f', fewer than {100 * ENOUGH[kind]:.0f} %'}")
    for folder, wanted in ENOUGH_BEHAVIOUR_IN.items():
        inside = [plant in killed for plant in killed + survivors
                  if plant.kind == BEHAVIOUR and plant.source.startswith(folder)]
        if sum(inside) < wanted * len(inside):
            passed = False
            print(f"{folder}: {sum(inside)} of {len(inside)}, fewer than {100 * wanted:.0f} %")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Runs GenMC on the programs of tests/genmc, as they are and with bugs planted.

    genmc.py [--jobs N] [NAME...]

Each program is run under two memory models: RC11, that of C++20 without load buffering, and IMM,
which has it. Then the weakenings of programs.py are put in, one at a time, and GenMC must find
each. All takes some minutes.

GenMC 0.10.1 comes from PATH or OVERTURE_GENMC; clang++ and opt of the LLVM that it was built with
from the folder OVERTURE_GENMC_LLVM (default: clang++-16 and opt-16 in PATH). Exit status: 0 if all
is as expected, 1 otherwise, 2 for a wrong argument or a missing tool.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from programs import PROGRAMS

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 900

# Optimised a little: structures become values that GenMC can follow, and calls disappear. Without
# debug information: GenMC 0.10.1 stumbles over it when it reports an error.
COMPILE = ("-std=c++20", "-fno-exceptions", "-fno-rtti", "-fno-c++-static-destructors", "-Wall",
           "-Wextra", "-O1", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops",
           "-fno-builtin", "-D__builtin_ia32_pause()=((void)0)", "-S", "-emit-llvm")
# Without what no program calls, some of which GenMC cannot read.
REDUCE = ("-S", "-passes=internalize,globaldce", "--internalize-public-api-list=main")
RUN = ("--input-from-bitcode-file", "--disable-mm-detector", "--disable-estimation",
       "--v1")
# GenMC 0.10.1 ends in an error of its own where it caches instructions under IMM.
MODELS = {"rc11": ("--rc11",), "imm": ("--imm", "--disable-instruction-caching")}


def tool(variable, name):
    path = shutil.which(os.environ.get(variable) or name)
    if path is None:
        print(f"genmc.py: no {name}; set {variable}", file=sys.stderr)
        sys.exit(2)
    return path


def llvm(name):
    folder = os.environ.get("OVERTURE_GENMC_LLVM")
    return tool("OVERTURE_GENMC_LLVM", f"{folder}/{name}" if folder else f"{name}-16")


class Tools:
    def __init__(self):
        self.genmc = tool("OVERTURE_GENMC", "genmc")
        self.clang, self.opt = llvm("clang++"), llvm("opt")


def called(command, seconds=SECONDS):
    try:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, "does not end"
    return done.returncode, done.stdout


def plant_into(folder, plant):
    """Writes the changed source where the compiler looks first."""
    text = (ROOT / plant.source).read_text()
    if text.count(plant.old) != 1:
        sys.exit(f"programs.py: not there once: {plant}")
    target = folder / plant.source
    target.parent.mkdir(parents=True)
    target.write_text(text.replace(plant.old, plant.new))


def compiled(tools, folder, program, plant):
    """The path of the program's LLVM code."""
    source = ROOT / "tests" / "genmc" / program.file
    if plant is not None:
        plant_into(folder, plant)
        changed = folder / "tests" / "genmc" / program.file
        source = changed if changed.exists() else source
    whole, reduced = folder / "whole.ll", folder / "reduced.ll"
    include = [f"-I{folder}/include", f"-I{folder}/src", f"-I{folder}/tests/genmc/include",
               "-Itests/genmc/include", "-Itests", "-Iinclude", "-Isrc"]
    defined = [f"-D{one}" for one in program.defined]
    for command in ([tools.clang, *COMPILE, *include, *defined, source, "-o", whole],
                    [tools.opt, *REDUCE, whole, "-o", reduced]):
        status, output = called(command)
        if status != 0:
            sys.exit(f"{program.name}: does not compile\n{output}")
    return reduced


class Outcome:
    def __init__(self, text, begun):
        self.seconds = time.monotonic() - begun
        error = re.search(r"^Error: (.*)", text, re.MULTILINE)
        executions = re.search(r"complete executions explored: (\d+)", text)
        self.executions = int(executions.group(1)) if executions else 0
        if error:
            self.verdict = error.group(1).rstrip("!. ")
            told = re.search(r"^Assertion violation: (.*)", text, re.MULTILINE)
            if told:
                self.verdict += f" ({told.group(1)})"
        elif "No errors were detected" in text and self.executions != 0:
            self.verdict = "clean"
        else:
            self.verdict = "no verdict: " + text.strip()[-300:]


def verify(tools, program, model, plant):
    with tempfile.TemporaryDirectory() as name:
        code = compiled(tools, pathlib.Path(name), program, plant)
        begun = time.monotonic()
        _, text = called([tools.genmc, *RUN, *MODELS[model], *program.options, code])
        return Outcome(text, begun)


def main():
    parser = argparse.ArgumentParser(prog="genmc.py", description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("name", nargs="*")
    given = parser.parse_args()
    unknown = set(given.name) - {program.name for program in PROGRAMS}
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    chosen = [one for one in PROGRAMS if not given.name or one.name in given.name]
    tools = Tools()
    tasks = [(program, model, None, program.expected.get(model, "clean"))
             for program in chosen for model in MODELS]
    tasks += [(program, plant.model, plant, plant.found)
              for program in chosen for plant in program.plants]
    surprises = 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        running = [pool.submit(verify, tools, *task[:3]) for task in tasks]
        for (program, model, plant, expected), one in zip(tasks, running):
            outcome = one.result()
            is_expected = outcome.verdict.startswith(expected)
            surprises += not is_expected
            print(f"{program.name}, {model}, {plant or 'as it is'}: {outcome.executions} "
                  f"executions, {outcome.seconds:.1f} s: {outcome.verdict}"
                  + ("" if is_expected else f"; EXPECTED {expected}"), flush=True)
    print(f"{len(tasks)} runs, {surprises} surprises")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())

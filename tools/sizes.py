#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""What Overture adds to a program and to a build.

    tools/sizes.py STATIC SHARED    run by `./dev packages`
    tools/sizes.py --headers        needs g++ and valgrind; takes some minutes

STATIC and SHARED are build trees (build/packages-static, build/packages-shared). Prints how much
one submitted job adds to a stripped program, the size of the stripped shared library, and how long
the headers take to compile, beside the standard headers that they include. Says which size is above
its limit, and exits with status 1; times are only printed.

--headers prints, as the table of docs/measurements/package.md, how many instructions the compiler
executes for overture.hpp and for each module's header, and how many for what they include of
others. Exits with status 1 if ours cost more than those. Counts do not depend on what else runs.
"""

import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[1]
GROWTH_MAX = 100_000
# 1.12 MB, 45 KB for tar, MD2, Radiance HDR and archives inside a tree, 30 KB for what the asset
# store knows of memory, circles and failures, 60 KB for its groups, parts, settings and stages, and
# 10 KB for memory and job systems of programs in C
SHARED_MAX = 1_265_000
COMPILE = ["c++", "-std=c++20", "-O2", "-DNDEBUG", f"-I{ROOT}/include"]
EMPTY = "int main() {}\n"
ONE_JOB = """\
#include <overture/jobs/thread_pool.hpp>
int main() {
  overture::thread_pool jobs;
  overture::job_group group{jobs};
  int done = 0;
  group.run([&done] { done = 1; });
  group.wait();
  return done == 1 ? 0 : 1;
}
"""


def program_bytes(folder, name, source, libraries):
    path = pathlib.Path(folder) / f"{name}.cpp"
    path.write_text(source)
    program = path.with_suffix("")
    subprocess.run([*COMPILE, path, "-o", program, "-s", "-Wl,--gc-sections", *libraries,
                    "-pthread"], check=True)
    subprocess.run([program], check=True)
    return program.stat().st_size


def growth(tree, folder):
    modules = [f"{tree}/src/{name}/liboverture_{name}.a"
               for name in ("jobs", "trace", "sync", "base")]
    return (program_bytes(folder, "one_job", ONE_JOB, modules) -
            program_bytes(folder, "empty", EMPTY, []))


def shared_bytes(tree, folder):
    stripped = pathlib.Path(folder) / "stripped"
    subprocess.run(["strip", "-o", stripped, f"{tree}/liboverture.so"], check=True)
    return stripped.stat().st_size


def source_of(folder, includes):
    source = pathlib.Path(folder) / "header.cpp"
    # Some are for other processors.
    source.write_text("".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n"
                              for name in includes))
    return source


def compile_seconds(folder, includes):
    """The least processor time of three."""
    source = source_of(folder, includes)
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*COMPILE, "-c", source, "-o", f"{folder}/header.o"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def compile_instructions(folder, includes):
    """What the compiler itself executes, without the driver and the assembler."""
    source = source_of(folder, includes)
    steps = subprocess.run(["g++", *COMPILE[1:], "-S", source, "-o", f"{folder}/header.s", "-###"],
                           check=True, capture_output=True, text=True).stderr
    step = next(line for line in steps.splitlines() if re.match(r"\s*\S*/cc1plus ", line))
    counted = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no",
                              "--cachegrind-out-file=/dev/null", *shlex.split(step)],
                             check=True, capture_output=True, text=True).stderr
    return int(re.search(r"I\s+refs:\s+([\d,]+)", counted)[1].replace(",", ""))


def print_headers():
    """The table, and whether a header of ours costs more than those of others in it."""
    modules = sorted(path.stem for path in (ROOT / "include/overture").glob("*.hpp"))
    modules.sort(key=lambda name: name == "overture")  # all of them, last
    too_large = False
    print("| header | all | headers of others | ours |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in modules:
            header = f"overture/{name}.hpp"
            all_of_it = compile_instructions(folder, [header])
            others = compile_instructions(folder, headers_of_others(header))
            print(f"| `{header}` | {all_of_it / 1e9:.2f} G | {others / 1e9:.2f} G | "
                  f"{(all_of_it - others) / 1e9:.2f} G |", flush=True)
            too_large = too_large or all_of_it > 2 * others
    return too_large


def headers_of_others(header):
    """What the header and those it includes of Overture include of others."""
    found, left, seen = set(), [header], set()
    while left:
        text = (ROOT / "include" / left.pop()).read_text()
        for mark, name in re.findall(r'^#include ([<"])([^>"]+)', text, re.MULTILINE):
            if mark == "<":
                found.add(name)
            elif name not in seen:
                seen.add(name)
                left.append(name)
    return sorted(found)


def main():
    if sys.argv[1:] == ["--headers"]:
        return 1 if print_headers() else 0
    static, shared = sys.argv[1:3]
    too_large = False
    with tempfile.TemporaryDirectory() as folder:
        for what, size, limit in (
            ("one submitted job adds to a stripped program", growth(static, folder), GROWTH_MAX),
            ("liboverture.so, stripped", shared_bytes(shared, folder), SHARED_MAX),
        ):
            print(f"{what}: {size} bytes (at most {limit})" + (", TOO LARGE" * (size > limit)))
            too_large = too_large or size > limit
        for header in ("overture/sync.hpp", "overture/overture.hpp"):
            seconds = compile_seconds(folder, [header])
            others = compile_seconds(folder, headers_of_others(header))
            print(f"{header} alone: {seconds:.2f} s, {others:.2f} s of it for what it includes of "
                  "others")
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""What Overture adds to a program and to a build: run by `./dev packages`.

    tools/sizes.py STATIC SHARED

STATIC and SHARED are build trees (build/packages-static, build/packages-shared). Prints how much
one submitted job adds to a stripped program, the size of the stripped shared library, and how long
the headers take to compile, beside the standard headers that they include. Says which size is above
its limit, and exits with status 1; times are only printed.
"""

import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[1]
GROWTH_MAX = 100_000
SHARED_MAX = 1_150_000  # a megabyte, a tenth for the C interface, 20 KB for safe replacing,
# 30 KB for what the asset store knows of memory, circles and failures
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


def compile_seconds(folder, includes):
    """The least processor time of three."""
    source = pathlib.Path(folder) / "header.cpp"
    # Some are for other processors.
    source.write_text("".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n"
                              for name in includes))
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*COMPILE, "-c", source, "-o", f"{folder}/header.o"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


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

#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Shows what CTest prints in one line that moves, for ./dev test.

    ctest ... | tools/test_progress.py [DEV_TEST_OPTION...]

Tests that pass only count. Of those that fail everything is printed, and the command that runs them
again with the same options. Where standard output is not a terminal, a line tells of every tenth
of the tests.
"""

import re
import shutil
import sys
import time

RESULT = re.compile(
    r"^ *(?P<done>\d+)/(?P<all>\d+) +Test +#\d+: (?P<name>.*?) *\.*(?P<what>"
    r"   Passed|\*\*\*[A-Za-z ]+?|\*\*\*Exception: *\S+?) *(?P<seconds>[\d.]+) sec"
)
START = re.compile(r"^ *Start +\d+: ")
NOISE = re.compile(r"^(Internal ctest changing|Test project )")


def name_only(name):
    return name.partition("  # GetParam()")[0].strip()


def command_for(name, options):
    plain = re.sub(r"([.*+?()|\[\]\\^$])", r"\\\1", name)
    return " ".join(["./dev test", *options, f"'^{plain}'"])


def time_text(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Progress:
    def __init__(self, out, width, options, clock=time.monotonic):
        self.out, self.width, self.options, self.clock = out, width, options, clock
        self.began, self.failed, self.tenths, self.line = clock(), 0, 0, ""

    def feed(self, line):
        found = RESULT.match(line)
        if found:
            self.count(found, line)
        elif not START.match(line) and not NOISE.match(line):
            self.print(line)

    def count(self, found, line):
        done, total = int(found["done"]), int(found["all"])
        if found["what"].strip() not in ("Passed", "***Skipped"):
            self.failed += 1
            name = name_only(found["name"])
            shown = re.sub(r"\.{4,}", "... ", line.strip())
            self.print(f"{shown}\nAgain: {command_for(name, self.options)}\n")
        left = (self.clock() - self.began) / done * (total - done)
        text = f"{done:,} of {total:,} tests, {self.failed} failed, {time_text(left)} left"
        if self.width:
            self.paint(text if done < total else "")
        elif done * 10 // total > self.tenths:
            self.tenths = done * 10 // total
            self.out.write(text + "\n")
            self.out.flush()

    def print(self, line):
        self.paint("")
        self.out.write(line)
        self.out.flush()

    def paint(self, text):
        if text == self.line:
            return
        self.line = text
        self.out.write("\r\x1b[K" + text[: max(self.width - 1, 0)])
        self.out.flush()


def main(arguments):
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    progress = Progress(sys.stdout, width, arguments[1:])
    for line in sys.stdin:
        progress.feed(line)
    progress.paint("")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Runs an example on one processor: with the worker that it starts there, and with none, as when
the system refuses the thread. It has to come to its end.

    one_processor.py REFUSED_CALLS_LIBRARY PROGRAM [ARGUMENT...]
    one_processor.py - PROGRAM [ARGUMENT...]      it says that it needs threads: without the second
"""

import os
import subprocess
import sys

TIME_LIMIT_S = 60  # it takes a fraction of a second


def run(library, words, refused):
    environment = dict(os.environ)
    if refused:
        # The first thread that it starts is the worker of its pool.
        environment.update(LD_PRELOAD=library, REFUSE="thread:1:11")
    done = subprocess.run(
        ["taskset", "-c", first_processor(), *words],
        env=environment,
        capture_output=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )
    how = "without workers" if refused else "with one worker"
    assert done.returncode == 0, (how, words, done)
    print(f"{how}: ok")
    return done


def first_processor():
    return str(min(os.sched_getaffinity(0)))


def main():
    library, *words = sys.argv[1:]
    alone = run(library, words, False)
    if library == "-":
        return
    without = run(library, words, True)
    assert bool(alone.stdout) == bool(without.stdout), (alone, without)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Zlib
"""Runs a test program that may never end."""

import os
import pathlib
import resource
import subprocess

# Of the processor, so that a busy machine kills nothing. A clean run takes less than half of it.
TEST_SECONDS = 300
# By the clock: what uses no processor for as long has all its threads asleep for good.
ASLEEP_SECONDS = 60


def limit_time():
    resource.setrlimit(resource.RLIMIT_CPU, (TEST_SECONDS, TEST_SECONDS + 5))


def processor_time(process):
    """Of it and of the children that it has waited for."""
    status = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2]
    return status.split()[11:15]


def run_limited(command, environment):
    """The exit status and what was printed; None if it does not end."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", preexec_fn=limit_time,
                               env={**os.environ, **environment})
    used = None
    for _ in range(20 * TEST_SECONDS // ASLEEP_SECONDS):
        try:
            output = process.communicate(timeout=ASLEEP_SECONDS)[0]
            return process.returncode, output
        except subprocess.TimeoutExpired:
            before, used = used, processor_time(process)
            if used == before:
                break
    process.kill()
    process.communicate()
    return None

#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Sums up a run of CTest for ./dev, and fails it for tests that were skipped without an excuse.

    tools/test_results.py BUILD

reads what CTest left in BUILD (tests.xml, and repeated.xml of a long run), lists the tests that
were skipped and prints the closing line `N passed, N failed`, or `N passed, N failed, N skipped`.
A test that was skipped without an excuse counts as failed; the exit status is 1 if any failed.

A skipped test checks nothing and still looks like success. So each test that may be skipped is in
ALLOWED, with a condition that this script checks by itself, on this machine. A missing tool is no
excuse: add its package to `packages_tests` in ./dev.
"""

import ctypes
import os
import pathlib
import platform
import re
import sys
import xml.etree.ElementTree

LARGE_PAGES = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
SMAPS = pathlib.Path("/proc/self/smaps")
INOTIFY_QUEUE = pathlib.Path("/proc/sys/fs/inotify/max_queued_events")


# --- Conditions, each a function of the build folder ----------------------------------------------
def sanitizer(build):
    cache = (build / "CMakeCache.txt").read_text()
    return re.search(r"^OVERTURE_SANITIZE:\w+=.", cache, re.MULTILINE) is not None


def no_io_uring(_build):
    """The kernel refuses io_uring, or reads only at the file's cursor (before Linux 5.6)."""
    parameters = (ctypes.c_uint32 * 30)()
    ring = system_call({"any": 425}, 1, parameters)
    if ring < 0:
        return True
    os.close(ring)
    reads_anywhere = parameters[5] & 1 << 3  # IORING_FEAT_RW_CUR_POS
    return not reads_anywhere


def no_membarrier(_build):
    needed = 1 << 3 | 1 << 4  # private expedited, and registering for it
    known = system_call({"x86_64": 324, "aarch64": 283}, 0, 0, 0)
    return known < 0 or known & needed != needed


def no_large_pages(_build):
    return not LARGE_PAGES.exists() or "VmFlags:" not in SMAPS.read_text()


def long_inotify_queue(_build):
    """Filling the queue would take minutes."""
    return not INOTIFY_QUEUE.exists() or int(INOTIFY_QUEUE.read_text()) > 100_000


def system_call(numbers, *arguments):
    number = numbers.get(platform.machine(), numbers.get("any"))
    return -1 if number is None else ctypes.CDLL(None).syscall(number, *arguments)


# --- Which tests may be skipped, when, and why ----------------------------------------------------
ALLOWED = (
    (r"text\.the_parallel_part\.", sanitizer, "sanitizers replace the allocator, as the guards do"),
    (r"io\..*/uring(_opening)?$", no_io_uring, "the io_uring back end cannot run"),
    (r"sync(_generic)?\.asymmetric_fence\.", no_membarrier, "there is no fence to test"),
    (r"base\.large_pages\.are_asked_for", no_large_pages, "the kernel does not show the request"),
    (r"vfs\.watching\.asks_for_a_rescan_when_changes_were_lost", long_inotify_queue, "no overflow"),
)


def excuse(name, build):
    """Why this test may be skipped here, or None."""
    for pattern, condition, why in ALLOWED:
        if re.match(pattern, name) and condition(build):
            return f"{condition.__name__}: {why}"
    return None


def name_of(test):
    return test.get("name").partition("  # GetParam()")[0]  # GoogleTest adds it for some parameters


def reason(test):
    """What the test printed when it skipped itself."""
    found = re.search(r": Skipped\n(.*)", test.findtext("system-out", ""))
    return found.group(1).strip() if found else "it did not run"


def sum_up(build):
    """The lines to print, and whether all is well."""
    files = [file for file in (build / "tests.xml", build / "repeated.xml") if file.exists()]
    tests = [test for file in files for test in xml.etree.ElementTree.parse(file).getroot()]
    failed = [test for test in tests if test.get("status") == "fail"]
    skipped = [test for test in tests if test.get("status") in ("notrun", "disabled")]
    lines, unexcused = [], 0
    for test in skipped:
        why = excuse(name_of(test), build)
        if why:
            lines.append(f"skipped ({why}): {name_of(test)}")
        else:
            lines.append(f"skipped WITHOUT AN EXCUSE ({reason(test)}): {name_of(test)}")
            unexcused += 1
    lines.sort()
    if unexcused:
        lines.append(f"{unexcused} skipped without an excuse: install what they lack")
    passed, excused = len(tests) - len(failed) - len(skipped), len(skipped) - unexcused
    closing = f"{passed} passed, {len(failed) + unexcused} failed"
    lines.append(f"{closing}, {excused} skipped" if excused else closing)
    return lines, not failed and not unexcused


def main(arguments):
    lines, well = sum_up(pathlib.Path(arguments[1]))
    print("\n".join(lines))
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))

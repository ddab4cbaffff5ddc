#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Sums up a run of CTest for ./dev, and fails it for tests that were skipped without an excuse.

    tools/test_results.py BUILD

reads what CTest left in BUILD (tests.xml, and repeated.xml of a long run) and programs of tests
that ran as a whole (programs/NAME.xml), lists the tests that failed or were skipped, and prints the
closing line `N passed, N failed`, or `N passed, N failed, N skipped`.
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


def windows(build):
    """Cross-built for Windows: the tests run under wine."""
    return has_toolchain(build, "mingw")


def qemu(build):
    """Cross-built for 64-bit Arm: the tests run under qemu."""
    return has_toolchain(build, "arm64")


def has_toolchain(build, name):
    cache = (build / "CMakeCache.txt").read_text()
    return re.search(rf"^CMAKE_TOOLCHAIN_FILE\b.*toolchain-{name}", cache, re.MULTILINE) is not None


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
WINDOWS = tuple(
    (pattern, windows, why)
    for pattern, why in (
        (r"archives\.folder_mount\.(.*links?(_|$)|.*_loops_|skips_and_lists_what_)",
         "wine has no links"),
        (r"archives\.folder_mount\.skips_and_lists_folders_", "wine resolves no long paths"),
        (r"base\..*os_writing\.a_link_.*/(system|generic)$", "wine has no links"),
        (r"base\..*os_test\.(what_does_not_exist_|a_slash_at_|status_tells_|a_folder_lists_|"
         r"a_canonical_path_has_|links_in_|files_open_below_|nothing_opens_outside_)"
         r".*/(system|generic)$", "wine has no links"),
        (r"base\.os_windows\.a_link_that_leaves_", "wine has no links"),
        (r"vfs\.(writing\.stays_in_its_folder|watched_tree\.shows_no_folders_or_links_|"
         r"game\.survives_any_refused_allocation)$", "wine has no links"),
        (r"vfs\.watching_windows\.tells_of_(files_(at_any|in_new)|both)_", "wine sees one level"),
        (r"base\.(.*os_test\.a_removed_file_can_.*/(system|generic)|"
         r"os_windows\.a_file_that_is_being_read_)", "wine keeps names of open files"),
        (r"base\..*os_test\.names_of_any_bytes_.*/(system|generic)$", "names are UTF-16"),
        (r"archives\.folder_mount\.skips_and_lists_names_", "Windows cannot have such names"),
        (r"vfs\.(.*tree_without_case\.reports_names_of_one_|game\.has_no_failure_if_every_|"
         r"tree\.refuses_two_paths_)", "Windows cannot have such names"),
        (r"base\.thread_slot\.of_a_thread_that_has_given_", "mingw's order of destructors"),
        (r"io\.(handle_cache_test\.(stays_within_the_limit|closes_a_file_when_the|without_any)|"
         r".*read_backend_test\.what_is_not_a_file_)", "no pipes and limits of POSIX"),
        (r"archives\.folder_mount\.a_file_that_becomes_a_folder_or_a_pipe_", "no pipes of POSIX"),
        (r"vfs\.(file_system\.reports_what_cannot_be_mounted|writing\.does_not_replace_a_fifo_)",
         "no pipes of POSIX"),
        (r"physfs\.extension\.names_in_folders_", "folders of Windows ignore case"),
        (r"archives\.(foreign_zip\.|.*made_by_(genisoimage|7zip|zip)_|.*needs_the_right_password)",
         "no programs"),
        (r"archives\..*has_what_physfs_finds_in_it", "PhysicsFS is not built"),
        (r"text\.the_parallel_part\.", "no library can be preloaded"),
    )
)
ALLOWED = (
    (r"text\.the_parallel_part\.", sanitizer, "sanitizers replace the allocator, as the guards do"),
    (r"io\..*/uring(_opening)?$", no_io_uring, "the io_uring back end cannot run"),
    (r"sync(_generic)?\.asymmetric_fence\.", no_membarrier, "there is no fence to test"),
    (r"base\.large_pages\.are_asked_for", no_large_pages, "the kernel does not show the request"),
    (r"vfs\.watching\.asks_for_a_rescan_when_changes_were_lost", long_inotify_queue, "no overflow"),
    (r"io\..*/uring(_opening)?$", qemu, "qemu has no io_uring"),
    (r"base\.every/os_test\.(what_does_not_exist_|files_open_below_).*/system$", qemu,
     "qemu has no openat2"),
    (r"base\.a_folder_without_openat2\..*/1$", qemu, "qemu has no seccomp"),
    (r"base\.large_pages\.are_asked_for", qemu, "qemu does not show the request"),
    *WINDOWS,
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


def tests_of(build):
    """The results of CTest, with a program's own tests in its place where it wrote them down."""
    files = [file for file in (build / "tests.xml", build / "repeated.xml") if file.exists()]
    for file in files:
        for test in xml.etree.ElementTree.parse(file).getroot():
            program = build / "programs" / f"{test.get('name')}.xml"
            inside = tests_of_program(program) if program.exists() else []
            yield from inside
            # A program may end before it writes anything, or fail after its last test.
            if not inside or (failed(test) and not any(map(failed, inside))):
                yield test


def tests_of_program(file):
    """What GoogleTest wrote, in the words of CTest."""
    tests = list(xml.etree.ElementTree.parse(file).getroot().iter("testcase"))
    for test in tests:
        test.set("name", f"{file.stem}.{test.get('classname')}.{test.get('name')}")
        skip = test.find("skipped")
        if test.find("failure") is not None:
            test.set("status", "fail")
        elif skip is not None:
            test.set("status", "notrun")
            output = xml.etree.ElementTree.SubElement(test, "system-out")
            output.text = f": Skipped\n{skip.get('message', '').partition(chr(10))[2]}"
    return tests


def failed(test):
    return test.get("status") == "fail"


def sum_up(build):
    """The lines to print, and whether all is well."""
    tests = list(tests_of(build))
    failures = [name_of(test) for test in tests if failed(test)]
    skipped = [test for test in tests if test.get("status") in ("notrun", "disabled")]
    lines, unexcused = [f"failed: {name}" for name in failures], 0
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
    passed, excused = len(tests) - len(failures) - len(skipped), len(skipped) - unexcused
    closing = f"{passed} passed, {len(failures) + unexcused} failed"
    lines.append(f"{closing}, {excused} skipped" if excused else closing)
    return lines, not failures and not unexcused


def main(arguments):
    lines, well = sum_up(pathlib.Path(arguments[1]))
    print("\n".join(lines))
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))

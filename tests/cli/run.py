#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Runs the end-to-end tests of the command.

    run.py --overture PATH [--refused-calls PATH] [CASE...]     runs these cases, or all
    run.py --list                        prints each case and its labels: "name;label"
"""

import argparse
import sys
import traceback

import cases_compare  # noqa: F401
import cases_extract  # noqa: F401 (registers its cases)
import cases_failing_system  # noqa: F401
import cases_keep  # noqa: F401
import cases_keep_extract  # noqa: F401
import cases_keep_meanwhile  # noqa: F401
import cases_killed  # noqa: F401
import cases_limits  # noqa: F401
import cases_load  # noqa: F401
import cases_names  # noqa: F401
import cases_pack  # noqa: F401
import cases_pages  # noqa: F401
import cases_process_limits  # noqa: F401
import cases_report  # noqa: F401
import cases_save  # noqa: F401
import cases_solid  # noqa: F401
import cases_streams  # noqa: F401
import cases_tree  # noqa: F401
from harness import CASES, Box


def run(name, overture, refused_calls):
    function, _ = CASES[name]
    box = Box(overture, refused_calls)
    try:
        function(box)
    except Exception:
        print(f"FAILED {name}")
        traceback.print_exc(file=sys.stdout)
        return False
    finally:
        box.close()
    print(f"ok     {name}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--overture", help="the command to test")
    parser.add_argument("--refused-calls", help="the library of refused_calls.cpp")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    if arguments.list:
        for name, (_, labels) in CASES.items():
            print(";".join((name, *labels)))
        return 0
    if not arguments.overture:
        parser.error("--overture is needed")
    unknown = [name for name in arguments.cases if name not in CASES]
    if unknown:
        parser.error(f"no such case: {', '.join(unknown)}")
    cases = arguments.cases or CASES
    results = [run(name, arguments.overture, arguments.refused_calls) for name in cases]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

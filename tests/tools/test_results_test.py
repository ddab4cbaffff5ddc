# SPDX-License-Identifier: Zlib
"""tools/test_results.py tells tests that may be skipped from those that may not."""

import contextlib
import importlib.util
import io
import pathlib
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("test_results", ROOT / "tools" / "test_results.py")
test_results = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(test_results)

SKIPPED = "x_test.cpp:7: Skipped\nthere is no spoon\n[  SKIPPED ] a.b (0 ms)"

# What GoogleTest writes for the tests of a program.
PASSED = '<testcase name="p" classname="b" status="run" result="completed" />'
FAILED = '<testcase name="f" classname="b" status="run"><failure message="x"/></testcase>'
SKIPPED_INSIDE = (
    '<testcase name="s" classname="b" status="run" result="skipped">'
    '<skipped message="x_test.cpp:7&#x0A;there is no spoon"/></testcase>'
)


def holds(_build):
    return True


def fails(_build):
    return False


class Results(unittest.TestCase):
    def results(self, tests, allowed=(), repeated=None, programs=()):
        """The exit status, and the lines printed."""
        with tempfile.TemporaryDirectory() as folder:
            for name, cases in programs:
                (pathlib.Path(folder) / "programs").mkdir(exist_ok=True)
                text = f'<testsuites><testsuite name="b">{cases}</testsuite></testsuites>'
                (pathlib.Path(folder) / "programs" / f"{name}.xml").write_text(text)
            for name, content in (("tests.xml", tests), ("repeated.xml", repeated)):
                if content is not None:
                    cases = "".join(
                        f'<testcase name="{test}" status="{status}">'
                        f"<system-out>{SKIPPED}</system-out></testcase>"
                        for test, status in content
                    )
                    text = f"<testsuite>{cases}</testsuite>"
                    (pathlib.Path(folder) / name).write_text(text)
            out = io.StringIO()
            with mock.patch.object(test_results, "ALLOWED", allowed):
                with contextlib.redirect_stdout(out):
                    status = test_results.main(["test_results", folder])
        return status, out.getvalue().splitlines()

    def test_all_that_ran_passed(self):
        self.assertEqual(self.results([("a.b.c", "run")] * 2), (0, ["2 passed, 0 failed"]))

    def test_a_failure_fails_the_run(self):
        status, lines = self.results([("a.b.c", "run"), ("a.b.d", "fail")])
        self.assertEqual((status, lines), (1, ["failed: a.b.d", "1 passed, 1 failed"]))

    def test_a_skipped_test_without_an_excuse_counts_as_failed(self):
        status, lines = self.results([("a.b.c", "run"), ("a.b.d", "notrun")])
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))
        self.assertIn("there is no spoon", lines[0])
        self.assertIn("a.b.d", lines[0])

    def test_an_excuse_counts_while_its_condition_holds(self):
        skipped = [("a.b.d/1  # GetParam() = 4-byte object", "notrun")]
        status, lines = self.results(skipped, ((r"a\.b\.d/1$", holds, "why"),))
        self.assertEqual((status, lines[-1]), (0, "0 passed, 0 failed, 1 skipped"))
        self.assertIn("holds: why", lines[0])
        self.assertEqual(self.results(skipped, ((r"a\.b\.d", fails, "why"),))[0], 1)
        self.assertEqual(self.results(skipped, ((r"b\.d", holds, "why"),))[0], 1)

    def test_repeated_tests_count_too(self):
        status, lines = self.results([("a.b.c", "run")], (), [("a.b.c", "fail")])
        self.assertEqual((status, lines), (1, ["failed: a.b.c", "1 passed, 1 failed"]))

    def test_a_program_counts_as_the_tests_inside_it(self):
        inside = PASSED + FAILED + SKIPPED_INSIDE
        status, lines = self.results(
            [("a", "fail"), ("c.d", "run")], ((r"a\.b\.s$", holds, "why"),), None, [("a", inside)]
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            lines,
            ["failed: a.b.f", "skipped (holds: why): a.b.s", "2 passed, 1 failed, 1 skipped"],
        )

    def test_what_a_program_skipped_needs_an_excuse_too(self):
        status, lines = self.results([("a", "run")], (), None, [("a", PASSED + SKIPPED_INSIDE)])
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))
        self.assertTrue(any("there is no spoon" in line for line in lines), lines)

    def test_a_program_that_crashes_is_a_failure(self):
        for inside, passed in (None, 0), (PASSED, 1):
            programs = [("a", inside)] if inside else []
            status, lines = self.results([("a", "fail")], (), None, programs)
            self.assertEqual((status, lines), (1, ["failed: a", f"{passed} passed, 1 failed"]))


class Conditions(unittest.TestCase):
    def test_each_one_knows_about_this_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = pathlib.Path(folder) / "CMakeCache.txt"
            cache.write_text("OVERTURE_SANITIZE:STRING=\n")
            for _, condition, why in test_results.ALLOWED:
                self.assertIn(condition(pathlib.Path(folder)), (True, False), why)

    def test_a_sanitizer_is_known_by_the_build(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = pathlib.Path(folder) / "CMakeCache.txt"
            cache.write_text("OVERTURE_SANITIZE:STRING=\n")
            self.assertFalse(test_results.sanitizer(pathlib.Path(folder)))
            cache.write_text("OVERTURE_SANITIZE:STRING=thread\n")
            self.assertTrue(test_results.sanitizer(pathlib.Path(folder)))


if __name__ == "__main__":
    unittest.main()

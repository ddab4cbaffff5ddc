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


def holds(_build):
    return True


def fails(_build):
    return False


class Results(unittest.TestCase):
    def results(self, tests, allowed=(), repeated=None):
        """The exit status, and the lines printed."""
        with tempfile.TemporaryDirectory() as folder:
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
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))

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
        self.assertEqual((status, lines), (1, ["1 passed, 1 failed"]))


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

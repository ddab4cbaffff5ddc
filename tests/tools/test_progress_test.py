# SPDX-License-Identifier: Zlib
"""What ./dev test shows while CTest runs."""

import importlib.util
import io
import pathlib
import unittest

TOOLS = pathlib.Path(__file__).parents[2] / "tools"
SPEC = importlib.util.spec_from_file_location("test_progress", TOOLS / "test_progress.py")
progress = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(progress)

PASSED = " 1/20 Test #3: io.a/threads  # GetParam() = 16-byte object ......   Passed    0.01 sec\n"
FAILED = " 2/20 Test #4: io.a.b[0]/c ..............***Failed    1.25 sec\n"
CRASHED = " 3/20 Test #5: io.d ......***Exception: SegFault  0.10 sec\n"


class ProgressTest(unittest.TestCase):
    def shown(self, lines, width=0, seconds=10.0):
        out = io.StringIO()
        clock = iter([0.0] + [seconds] * len(lines))
        shown = progress.Progress(out, width, ["--quick"], lambda: next(clock))
        for line in lines:
            shown.feed(line)
        return out.getvalue()

    def test_what_passes_only_counts(self):
        self.assertEqual(self.shown([PASSED]), "")
        self.assertIn("1 of 20 tests, 0 failed, 3:10 left", self.shown([PASSED], width=80))

    def test_what_fails_is_printed_with_the_command_that_runs_it_again(self):
        said = self.shown(["reason\n", FAILED])
        self.assertIn("reason\n2/20 Test #4: io.a.b[0]/c ... ***Failed    1.25 sec\n", said)
        self.assertIn(r"Again: ./dev test --quick '^io\.a\.b\[0\]/c'", said)

    def test_a_crash_is_a_failure(self):
        self.assertIn(r"Again: ./dev test --quick '^io\.d'", self.shown([CRASHED]))

    def test_without_a_terminal_each_tenth_is_a_line(self):
        lines = [PASSED.replace(" 1/20", f" {i}/20") for i in range(1, 21)]
        self.assertEqual(self.shown(lines).count("\n"), 10)

    def test_other_lines_pass_but_for_noise(self):
        self.assertEqual(self.shown(["      Start 3: io.a\n", "The following tests FAILED:\n"]),
                         "The following tests FAILED:\n")


if __name__ == "__main__":
    unittest.main()

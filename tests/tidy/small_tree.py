# SPDX-License-Identifier: Zlib
"""What the tests of tools/tidy share: trees of a few lines, and what a rule says about one."""

import importlib.util
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("tidy", ROOT / "tools" / "tidy" / "tidy.py")
tidy = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tidy)

HEADER = "// What it is for.\n#pragma once\n"


class TidyTest(unittest.TestCase):
    def problems(self, rule, files):
        """What one rule says about a tree of these files, as text."""
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            return [str(problem) for problem in rule(tidy.Tree(folder))]

    def assert_fires(self, rule, files, *expected):
        found = self.problems(rule, files)
        self.assertEqual(len(found), len(expected), found)
        for line, part in zip(found, expected):
            self.assertIn(part, line)

    def assert_quiet(self, rule, files):
        self.assertEqual(self.problems(rule, files), [])

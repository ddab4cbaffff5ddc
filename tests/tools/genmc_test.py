# SPDX-License-Identifier: Zlib
"""What can be said about the programs for GenMC without GenMC: that they are up to date."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools" / "genmc"))
from copies import outdated
from programs import PROGRAMS


class Copies(unittest.TestCase):
    def outdated(self, copy):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "x.cpp").write_text("void f() {\n  a.store(1, release);\n}\n")
            (root / "copy.cpp").write_text(copy)
            return outdated(root, "copy.cpp")

    def test_a_line_that_is_not_in_the_source(self):
        copy = "int a;\n// copied from x.cpp\nvoid f(int) {  // changed\na.store(1, release);\n}\n"
        copy += "// end of copy\nint b;\n"
        self.assertEqual(self.outdated(copy), [])
        self.assertEqual(
            self.outdated(copy.replace("release", "relaxed")),
            ["copy.cpp:4: its source does not say: a.store(1, relaxed);"],
        )

    def test_a_source_that_is_gone(self):
        self.assertEqual(
            self.outdated("// copied from y.cpp\n// end of copy\n"),
            ["copy.cpp:1: there is no y.cpp"],
        )

    def test_the_programs_copy_what_is_there(self):
        for program in PROGRAMS:
            self.assertEqual(outdated(ROOT, f"tests/genmc/{program.file}"), [])


class Plants(unittest.TestCase):
    def test_what_they_replace_is_there_once(self):
        for plant in (plant for program in PROGRAMS for plant in program.plants):
            text = (ROOT / plant.source).read_text()
            self.assertEqual(text.count(plant.old), 1, str(plant))


if __name__ == "__main__":
    unittest.main()

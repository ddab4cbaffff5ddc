# SPDX-License-Identifier: Zlib
"""tools/fuzz_coverage.py counts the lines of parsers that a program could run."""

import importlib.util
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("fuzz_coverage", ROOT / "tools" / "fuzz_coverage.py")
fuzz_coverage = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz_coverage)

SOURCE = """int reached() {
  return 1;
}
int missed() {
  return 2;
}
constexpr int made_by_the_compiler() {
  return 3;
}
"""


class Coverage(unittest.TestCase):
    def report(self, files, list_lines=False):
        """`files`: the number of times that each line ran, by source."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            rows = []
            for name, counts in files:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(SOURCE)
                rows += [f"SF:{root / name}"]
                rows += [f"DA:{line},{count}" for line, count in counts.items()]
                rows += ["end_of_record"]
            (root / "all.lcov").write_text("\n".join(rows))
            return fuzz_coverage.report(root, root / "all.lcov", list_lines)

    def test_names_what_was_missed(self):
        counts = {1: 5, 2: 5, 3: 5, 4: 0, 5: 0, 6: 0}
        self.assertEqual(
            self.report([("src/archives/a.cpp", counts)], list_lines=True),
            [
                " 50.0 %    3 of    6 lines missed  src/archives/a.cpp",
                "         4: int missed() {",
                "         5:   return 2;",
                "         6: }",
                " 50.0 %    3 of    6 lines missed  all parsers",
            ],
        )

    def test_leaves_out_what_the_compiler_ran(self):
        counts = {1: 1, 2: 1, 3: 1, 7: 0, 8: 0, 9: 0}
        rows = self.report([("src/archives/a.cpp", counts)])
        self.assertEqual(rows[-1], "100.0 %    0 of    3 lines missed  all parsers")

    def test_adds_up_what_several_programs_ran(self):
        files = [("src/decoders/a.cpp", {1: 0, 2: 1}), ("src/decoders/a.cpp", {1: 3, 2: 0})]
        self.assertEqual(self.report(files)[-1], "100.0 %    0 of    2 lines missed  all parsers")

    def test_leaves_out_what_is_no_parser(self):
        files = [("src/jobs/a.cpp", {1: 0}), ("src/archives/tree/folder.cpp", {1: 0})]
        self.assertEqual(self.report(files), [])


if __name__ == "__main__":
    unittest.main()

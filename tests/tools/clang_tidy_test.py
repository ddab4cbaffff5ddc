# SPDX-License-Identifier: Zlib
"""tools/clang_tidy.py remembers a clean source as long as nothing that it read changes."""

import importlib.util
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("clang_tidy", ROOT / "tools" / "clang_tidy.py")
clang_tidy = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(clang_tidy)


class Cache(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("a.cpp", "a.hpp"):
            (self.folder / name).write_text(name)
        self.common = b"version 1"
        self.patch("common", lambda: self.common)
        self.patch("ROOT", self.folder)

    def patch(self, name, value):
        patched = mock.patch.object(clang_tidy, name, value)
        patched.start()
        self.addCleanup(patched.stop)

    def source(self, command="c++ -c a.cpp"):
        clang_tidy.hash_of.cache_clear()
        source = clang_tidy.Source("a.cpp", {"command": command}, self.folder / "cache")
        source.files_read = lambda: ["a.cpp", "a.hpp"]
        return source

    def test_a_clean_source_is_known_by_a_later_run(self):
        self.assertFalse(self.source().is_known_clean())
        self.source().remember()
        self.assertTrue(self.source().is_known_clean())

    def test_whatever_changes_makes_it_unknown(self):
        self.source().remember()
        self.assertFalse(self.source("c++ -DNEW -c a.cpp").is_known_clean())
        (self.folder / "a.hpp").write_text("changed")
        self.assertFalse(self.source().is_known_clean())
        (self.folder / "a.hpp").unlink()
        self.assertFalse(self.source().is_known_clean())
        (self.folder / "a.hpp").write_text("a.hpp")
        self.assertTrue(self.source().is_known_clean())
        self.common = b"version 2"
        self.assertFalse(self.source().is_known_clean())

    def test_a_source_whose_includes_cannot_be_listed_is_a_complaint(self):
        clean = subprocess.CompletedProcess([], 0, "", "")
        refused = subprocess.CalledProcessError(1, [], stderr="no such option")
        source = self.source()
        with (
            mock.patch.object(clang_tidy.subprocess, "run", return_value=clean),
            mock.patch.object(source, "files_read", side_effect=refused),
        ):
            said = clang_tidy.look_at(source, self.folder)
        self.assertIn("a.cpp: cannot list the files that it includes: no such option", said)

    def test_a_source_of_a_unity_build_stands_for_those_that_it_includes(self):
        entries = []
        for number, names in enumerate((["a.cpp", "b.cpp"], ["a.cpp", "test.cpp"], ["b.cpp"])):
            name = f"build/Unity/unity_{number}_cxx.cxx"
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f'#include "{self.folder}/{each}"\n' for each in names))
            entries.append({"file": str(path), "command": f"c++ -c {name}"})
        entries.append({"file": f"{self.folder}/c.cpp", "command": "c++ -c c.cpp"})
        entries.append({"file": f"{self.folder}/build/made.cpp", "command": "c++ -c made.cpp"})
        (self.folder / "compile_commands.json").write_text(clang_tidy.json.dumps(entries))

        def chosen(*wanted):
            return sorted(clang_tidy.once_each(self.folder, self.folder / "tidy", set(wanted)))

        first, second = (f"build/Unity/unity_{number}_cxx.cxx" for number in range(2))
        self.assertEqual(chosen(), [first, second, "c.cpp"])
        self.assertEqual(chosen("a.cpp", "b.cpp"), [first])
        self.assertEqual(chosen("c.cpp"), ["c.cpp"])


if __name__ == "__main__":
    unittest.main()

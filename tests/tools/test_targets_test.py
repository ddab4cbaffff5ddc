# SPDX-License-Identifier: Zlib
"""What ./dev test builds for some tests."""

import importlib.util
import pathlib
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).parents[2] / "tools"
SPEC = importlib.util.spec_from_file_location("test_targets", TOOLS / "test_targets.py")
targets = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(targets)

BUILD = pathlib.Path("/tree/build")
KNOWN = {"bin/io_tests", "bin/overture", "lib/physfs/libphysfs.so.1", "tests/cli/refused.so",
         "bindings/python/overture/_tree.py", "bindings/python/overture/liboverture_c.so",
         "bindings/python/cmake_install.cmake"}


class TargetsTest(unittest.TestCase):
    def targets(self, *tests):
        return targets.targets_for(tests, KNOWN, BUILD)

    def test_what_a_command_names(self):
        test = {"command": ["python3", "run.py", "--overture=/tree/build/bin/overture",
                            "/tree/build/tests/cli/refused.so", "/tree/build/tests/cli/folder"]}
        self.assertEqual(self.targets(test), ["bin/overture", "tests/cli/refused.so"])

    def test_libraries_in_a_folder_that_it_names(self):
        environment = {"name": "ENVIRONMENT", "value": ["LD_LIBRARY_PATH=/tree/build/lib/physfs"]}
        test = {"command": ["/tree/build/bin/io_tests"], "properties": [environment]}
        self.assertEqual(self.targets(test), ["bin/io_tests", "lib/physfs/libphysfs.so.1"])

    def test_modules_in_a_folder_that_it_names(self):
        environment = {"name": "ENVIRONMENT", "value": ["PYTHONPATH=/tree/build/bindings/python"]}
        test = {"command": ["python3", "-m", "pytest"], "properties": [environment]}
        self.assertEqual(self.targets(test), ["bindings/python/overture/_tree.py",
                                              "bindings/python/overture/liboverture_c.so"])

    def test_a_program_that_is_not_built_yet(self):
        """CTest does not tell its command."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CTestTestfile.cmake").write_text(
                'add_test([=[io.a]=] "/tree/build/bin/overture" "a.zip")\n'
                'add_test([=[io.reads]=] "/tree/build/bin/io_tests" "b.zip")\n')
            test = {"name": "io.reads",
                    "properties": [{"name": "WORKING_DIRECTORY", "value": folder}]}
            self.assertEqual(self.targets(test), ["bin/io_tests"])

    def test_a_program_of_tests_that_is_not_built_yet(self):
        test = {"name": "io", "properties": [{"name": "WORKING_DIRECTORY", "value": "/no/folder"}]}
        self.assertEqual(self.targets(test), ["bin/io_tests"])
        self.assertEqual(self.targets({"name": "other"}), [])

    def test_all_where_the_tree_itself_is_named(self):
        self.assertEqual(self.targets({"command": ["cmake", "--install", "/tree/build"]}), ["all"])

    def test_suites_of_a_filter(self):
        self.assertEqual(targets.suites_of(["-R", "^io[.]read"]), {"io"})
        self.assertEqual(targets.suites_of(["-R", r"^(io|vfs)\.x"]), {"io", "vfs"})
        self.assertEqual(targets.suites_of(["-R", "^(io|vfs)([.]|$)"]), {"io", "vfs"})
        self.assertIsNone(targets.suites_of(["-R", "zip"]))
        self.assertIsNone(targets.suites_of([]))


if __name__ == "__main__":
    unittest.main()

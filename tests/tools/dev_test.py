# SPDX-License-Identifier: Zlib
"""./dev explains its commands without doing anything."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

DEV = pathlib.Path(__file__).parents[2] / "dev"


def run(*words):
    """Without tools that build or install, in case a command begins to work after all."""
    with tempfile.TemporaryDirectory() as tools:
        for tool in ("bash", "awk", "cat", "dirname", "nproc", "readlink"):
            os.symlink(shutil.which(tool), pathlib.Path(tools) / tool)
        return subprocess.run([DEV, *words], capture_output=True, text=True, check=False,
                              env={"PATH": tools})


def commands():
    text = DEV.read_text()
    cases = re.findall(r'^  ([a-z| ]+)\)(?:$| "cmd_)', text[text.rindex("case $command"):],
                       re.MULTILINE)
    return [name for case in cases for name in case.split(" | ")]


class Help(unittest.TestCase):
    def test_each_command_explains_itself(self):
        self.assertIn("build", commands())
        self.assertIn("docs", commands())
        for command in commands():
            for option in ("--help", "-h"):
                with self.subTest(command=command, option=option):
                    said = run(command, option)
                    self.assertEqual((said.returncode, said.stderr), (0, ""))
                    self.assertRegex(said.stdout, rf"^  {command}\b")

    def test_it_is_the_part_of_that_command_alone(self):
        lines = run("docs", "--help").stdout.splitlines()
        self.assertEqual([line for line in lines if line[2] != " "], lines[:1])
        self.assertTrue(lines[-1].endswith("--check also checks its links"))

    def test_it_has_all_forms_of_a_command(self):
        forms = [line for line in run("cross", "--help").stdout.splitlines() if line[2] != " "]
        self.assertEqual([line.split("  ")[1] for line in forms],
                         ["cross windows|arm64 [--test] [TARGET... | FILTER]",
                          "cross windows --dll", "cross macos"])

    def test_an_unknown_command_is_an_error(self):
        self.assertEqual(run("dosc", "--help").returncode, 2)


if __name__ == "__main__":
    unittest.main()

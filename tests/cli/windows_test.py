#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""The command on Windows, as far as it differs: windows_test.py OVERTURE [EMULATOR]"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

COMMAND = []


def run(*arguments):
    words = [*COMMAND, *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, check=False)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


class Windows(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)
        self.loose = self.folder / "lo\u00f6se"
        (self.loose / "maps").mkdir(parents=True)
        (self.loose / "\u00fc.txt").write_text("umlaut", encoding="utf-8")
        (self.loose / "maps" / "\U0001f600.txt").write_text("smile", encoding="utf-8")

    def hash_of(self, *mounts):
        status, out, err = run("load", "--json", *mounts)
        self.assertEqual(status, 0, err)
        return json.loads(out)["hash"]

    def zip_of(self, name, hole=0):
        path = self.folder / name
        with open(path, "wb") as file:
            file.truncate(hole)
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as made:
            for each in sorted(self.loose.rglob("*.txt")):
                made.write(each, each.relative_to(self.loose).as_posix())
        return path

    def test_arguments_and_output_are_utf_8(self):
        self.assertEqual(run("cat", "\u00fc.txt", self.loose), (0, "umlaut", ""))
        status, out, _ = run("ls", self.loose)
        self.assertEqual(status, 0)
        self.assertIn("\u00fc.txt", out)

    def test_a_path_that_begins_with_a_slash_is_no_option(self):
        self.assertTrue(str(self.loose).startswith("/"))
        self.assertEqual(run("cat", "maps/\U0001f600.txt", self.loose)[1], "smile")
        self.assertEqual(run("cat", "a", "/h")[0], 3, "it is not --help")

    def test_a_folder_and_an_archive_of_it_load_alike(self):
        self.assertEqual(self.hash_of(self.loose), self.hash_of(self.zip_of("small.zip")))

    def test_an_archive_beyond_four_gigabytes_is_read(self):
        large = self.zip_of("large.zip", hole=(4 << 30) + 12345)
        self.assertGreater(large.stat().st_size, 4 << 30)
        self.assertEqual(run("cat", "\u00fc.txt", large), (0, "umlaut", ""))
        self.assertEqual(self.hash_of(large), self.hash_of(self.loose))

    def test_archives_of_a_folder_with_any_name(self):
        archives = self.folder / "\u00e4"
        archives.mkdir()
        self.zip_of("one.zip").rename(archives / "\u00f6ne.zip")
        self.assertEqual(run("cat", "\u00fc.txt", "--archives-in", archives)[1], "umlaut")

    def test_extract_and_pack_write_names_as_they_are(self):
        out = self.folder / "\u00f6ut"
        status, _, err = run("extract", self.loose, "--to", out)
        self.assertEqual(status, 0, err)
        self.assertEqual((out / "\u00fc.txt").read_text(), "umlaut")
        self.assertEqual((out / "maps" / "\U0001f600.txt").read_text(), "smile")
        packed = self.folder / "p\u00e4ck.zip"
        status, _, err = run("pack", packed, self.loose)
        self.assertEqual(status, 0, err)
        self.assertEqual(self.hash_of(packed), self.hash_of(self.loose))


if __name__ == "__main__":
    COMMAND = [*sys.argv[2:], sys.argv[1]]
    unittest.main(argv=sys.argv[:1])

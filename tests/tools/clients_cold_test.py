#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Tests what tools/clients_cold.py makes cold and slow; no game is started."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import clients_cold


class ClientsCold(unittest.TestCase):
    def setUp(self):
        box = tempfile.TemporaryDirectory()
        self.addCleanup(box.cleanup)
        self.box = pathlib.Path(box.name)

    def test_data_is_in_packages_named_after_the_game(self):
        depends = "libc6 (>= 2.34), colobot-common (>= 0.2.0-2), colobot-common-sounds, libcolobot"
        self.assertEqual(["colobot", "colobot-common", "colobot-common-sounds"],
                         clients_cold.data_packages("colobot", depends))
        self.assertEqual(["blobby"], clients_cold.data_packages("blobby", ""))

    def test_a_partition_is_slowed_as_its_disk(self):
        disk = self.box / "sda"
        part = disk / "sda1"
        part.mkdir(parents=True)
        (disk / "dev").write_text("8:0\n")
        (part / "dev").write_text("8:1\n")
        (part / "partition").write_text("1\n")
        (self.box / "8:0").symlink_to(disk)
        (self.box / "8:1").symlink_to(part)
        self.assertEqual("8:0", clients_cold.whole_disk(os.makedev(8, 0), self.box))
        self.assertEqual("8:0", clients_cold.whole_disk(os.makedev(8, 1), self.box))
        self.assertIsNone(clients_cold.whole_disk(os.makedev(0, 40), self.box))

    def test_both_versions_of_control_groups_are_known(self):
        self.assertIsNone(clients_cold.throttle_files(self.box, "8:0"))
        (self.box / "cgroup.controllers").write_text("cpu memory\n")
        self.assertIsNone(clients_cold.throttle_files(self.box, "8:0"))
        (self.box / "cgroup.controllers").write_text("cpu io memory\n")
        group, settings = clients_cold.throttle_files(self.box, "8:0")
        self.assertEqual(self.box / clients_cold.GROUP, group)
        self.assertEqual({"io.max": "8:0 riops=120 rbps=104857600"}, settings)
        (self.box / "blkio").mkdir()
        (self.box / "blkio/blkio.throttle.read_iops_device").write_text("")
        group, settings = clients_cold.throttle_files(self.box, "8:0")
        self.assertEqual(self.box / "blkio" / clients_cold.GROUP, group)
        self.assertEqual("8:0 120", settings["blkio.throttle.read_iops_device"])

    def count_what_stays(self, folder):
        with tempfile.NamedTemporaryFile(dir=folder) as data:
            data.write(b"x" * (1 << 20))
            data.flush()
            if clients_cold.cached_bytes(data.fileno()) is None:
                self.skipTest("the system does not say")
            self.assertEqual(1 << 20, clients_cold.cached_bytes(data.fileno()))
            kept = clients_cold.evict([data.name, data.name])
            for _ in range(3):  # looking brings nothing back
                self.assertEqual(kept, 2 * clients_cold.cached_bytes(data.fileno()))
        return kept

    def test_what_stays_in_the_page_cache_is_counted(self):
        # Temporary files may be in memory, which keeps all.
        self.assertIn(self.count_what_stays(self.box), (0, 2 << 20))

    @unittest.skipUnless(os.access("/dev/shm", os.W_OK), "no file system in memory")
    def test_a_file_system_in_memory_keeps_all(self):
        self.assertEqual(2 << 20, self.count_what_stays("/dev/shm"))

    def test_starts_that_are_not_cold_are_warned_of(self):
        self.assertIsNone(clients_cold.why_not_cold(0, 0))
        self.assertIsNone(clients_cold.why_not_cold(9_000_000, 1_000_000_000))
        self.assertEqual("10.0 of 1000.0 MB stayed in the page cache",
                         clients_cold.why_not_cold(10_000_000, 1_000_000_000))
        self.assertEqual("the system does not say whether the data was cold",
                         clients_cold.why_not_cold(None, 1))

    def test_a_summary_has_medians_and_factors(self):
        times = {"system": [9.0, 8.0, 7.0], "ours": [8.0, 8.0, 80.0], "pack": [2.0, 1.0, 0.5]}
        self.assertEqual("game, cold: system 8.00 s, ours 8.00 s (1.0 x), pack 1.00 s (8.0 x)",
                         clients_cold.summary("game", "cold", times))

    def test_a_table_has_the_command_and_the_medians(self):
        warm = {way: [1.0] for way in clients_cold.WAYS}
        cold = {"system": [9.0, 8.0, 7.0], "ours": [8.0, 8.0, 80.0], "pack": [2.0, 1.0, 0.5]}
        recorded = {"rounds": 3, "drop_caches": True, "disk": "a disk like a hard disk",
                    "games": {"colobot": {"cold": cold, "warm": warm}}}
        self.assertEqual("""\
`./dev clients --cold colobot --rounds 3 --drop-caches`, medians of 3 starts, with a disk like a \
hard disk:

| | system | ours | start pack |
|---|---|---|---|
| colobot, cold | 8.00 s | 8.00 s (1.0 x) | 1.00 s (8.0 x) |
| colobot, warm | 1.00 s | 1.00 s (1.0 x) | 1.00 s (1.0 x) |""", clients_cold.table(recorded))


if __name__ == "__main__":
    unittest.main()

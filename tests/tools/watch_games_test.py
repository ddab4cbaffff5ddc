#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Tests what tools/watch_games.py reads of the system and of other tools; no game is started."""

import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import watch_games

SAMPLES = """            etr  4711/4711      7f15ef81a4f3 inflate (/usr/lib/libz.so.1)
            etr  4711/4711      7f15ef81a4f4 [unknown] (/usr/lib/libz.so.1)
     llvmpipe-0  4711/4712      7f15ef8064f3 [unknown] ([JIT] tid 4711)
            etr  4711/4711      ffffffff8aa0 do_syscall_64 ([kernel.kallsyms])
            etr  4711/4711      7f15ef81a4f3 inflate (/usr/lib/libz.so.1)
        timeout  4700/4700      7f15ef81a4f3 main (/usr/bin/timeout)
"""
CALLS = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ------------------
 33.49    0.006889           3      1890           stat
  8.18    0.001682           1       996       120 openat
------ ----------- ----------- --------- --------- ------------------
100.00    0.020571           4      2886       120 total
"""


class WatchGames(unittest.TestCase):
    def test_samples_are_those_of_main_threads(self):
        files, functions = watch_games.shares_of(SAMPLES)
        self.assertEqual(["libz.so.1 75 %", "[kernel.kallsyms] 25 %"], files)
        self.assertEqual("inflate in libz.so.1 50 %", functions[0])

    def test_calls_have_their_failures(self):
        self.assertEqual(["1890 stat", "996 openat (120 failed)"], watch_games.calls_of(CALLS))

    def test_a_game_begins_when_the_command_has_a_child(self):
        with subprocess.Popen(["sh", "-c", "sleep 60 & read x"], stdin=subprocess.PIPE) as command:
            watch_games.begin_of_child(command)
            (child,) = watch_games.children_of(command.pid)
            os.kill(child, 9)
            command.stdin.close()
        watch_games.begin_of_child(command)  # one that has ended has none

    def test_counts_are_of_a_process_and_what_it_started(self):
        with subprocess.Popen(["sh", "-c", "head -c 300000 /dev/zero > /dev/null; echo; read x"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
            started.stdout.readline()
            read, core = watch_games.counts_of(os.getpid())
            self.assertGreater(read, 0)
            self.assertGreaterEqual(core, 0)
            self.assertIn(started.pid, watch_games.children_of(os.getpid()))
            own, _ = watch_games.counts_of(started.pid)
            self.assertGreaterEqual(read, own)
            started.communicate(b"x\n")

    def test_all_games_have_a_package(self):
        self.assertLessEqual(set(watch_games.MEASURED), set(watch_games.GAMES))


if __name__ == "__main__":
    unittest.main()

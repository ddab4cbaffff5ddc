#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Tests how tools/clients.py judges runs of a game; no game is started."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import clients


def run(facts=(), blocks=()):
    return clients.Run(set(facts), list(blocks), 0.0, 0.0, 0.0, 0)


def picture(*colours):
    """A picture of as many blocks, each of one grey."""
    return [(colour, colour, colour) for colour in colours]


class Facts(unittest.TestCase):
    def test_equal_runs_do_not_differ(self):
        self.assertEqual([], clients.differences([run("ab")], [run("ab")]))

    def test_what_one_library_always_shows_and_the_other_never_is_named(self):
        found = clients.differences([run("ab"), run("abx")], [run("ac"), run("acx")])
        self.assertEqual(["only with it: c", "missing: b"], found)

    def test_what_differs_from_run_to_run_does_not_count(self):
        self.assertEqual([], clients.differences([run("ab"), run("a")], [run("a"), run("ac")]))

    def test_times_and_addresses_are_not_compared(self):
        self.assertEqual(clients.without_numbers("12:30 at 0x7f3a"),
                         clients.without_numbers("9:05 at 0xbeef"))


class Pictures(unittest.TestCase):
    def test_a_different_picture_is_found(self):
        same, other = picture(*[10] * 40), picture(*[10] * 20, *[200] * 20)
        found = clients.differences([run(blocks=same)] * 2, [run(blocks=other)] * 2)
        self.assertEqual(["picture: 20 of 40 blocks differ"], found)

    def test_animated_blocks_do_not_count(self):
        dark, light = picture(*[10] * 40), picture(*[200] * 40)
        self.assertEqual([], clients.differences([run(blocks=dark), run(blocks=light)],
                                                 [run(blocks=picture(*[90] * 40))] * 2))

    def test_a_random_background_that_both_have_shown_is_the_same_picture(self):
        dark, light = picture(*[10] * 40), picture(*[200] * 40)
        self.assertEqual([], clients.differences([run(blocks=dark)] * 2,
                                                 [run(blocks=light), run(blocks=dark)]))

    def test_a_picture_that_is_missing_is_found(self):
        found = clients.differences([run(blocks=picture(*[10] * 40))], [run()])
        self.assertEqual(["picture: 40 of 40 blocks differ"], found)

    def test_a_picture_is_read_as_the_display_keeps_it(self):
        header = [0] * 25
        header[0], header[4], header[5], header[12], header[19] = 104, 50, 25, 200, 1
        left, right = bytes((1, 2, 3, 0)) * 25, bytes((7, 8, 9, 0)) * 25
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "screen"
            path.write_bytes(b"".join(word.to_bytes(4, "big") for word in header) + bytes(4)
                             + bytes(12) + (left + right) * 25)
            self.assertEqual([(1, 2, 3), (7, 8, 9)], clients.blocks_of(path))


class Reports(unittest.TestCase):
    def test_a_report_has_numbers_and_facts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report"
            path.write_text("library /a/b\ncalls 7\nfact exists x = 1\n", encoding="utf-8")
            numbers, facts = clients.read_report(path)
        self.assertEqual({"library": "/a/b", "calls": "7"}, numbers)
        self.assertEqual({"answer: exists x = 1"}, facts)


class Environments(unittest.TestCase):
    def test_a_game_may_be_at_its_menu_after_a_shorter_silence(self):
        stage = clients.Stage("probe", "/box")
        for game, quiet_ms in (("supertux", "2000"), ("colobot", "1200")):
            variables = stage.environment(clients.CLIENTS[game], ":1", False)
            self.assertEqual(quiet_ms, variables["OVERTURE_PROBE_QUIET_MS"], game)


class Packages(unittest.TestCase):
    def test_each_game_names_its_package_once(self):
        self.assertEqual(0, clients.main(["packages", "warzone", "warzone-skirmish"]))

    def test_an_unknown_game_is_refused(self):
        self.assertEqual(2, clients.main(["packages", "chess"]))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Zlib
"""What tools/record.py makes of a benchmark's JSON, and whether the page in docs is up to date."""

import importlib.util
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("record", ROOT / "tools" / "record.py")
record = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(record)


def goal(name, value, bound=1.0, at_most=True):
    return {
        "name": name, "value": value, "low": value - 0.1, "high": value + 0.1,
        "goal": bound, "at_most": at_most,
    }  # fmt: skip


def output(*goals, machine="2 x fast", **metrics):
    return {"machine": machine, "goals": list(goals), "metrics": metrics}


def run(*claims, bench="jobs --only wake", **more):
    return {"bench": bench, "claims": list(claims), **more}


def modules(*runs):
    return [{"name": "jobs", "page": "measurements/jobs.md", "runs": list(runs)}]


class Taking(unittest.TestCase):
    def taken(self, claim, shown):
        values = {}
        self.assertEqual(record.take(run(claim), shown, values, "2026-01-02"), [])
        [row] = values.values()
        return row

    def test_a_goal_is_taken_with_its_quartiles_machine_and_date(self):
        row = self.taken({"claim": "c", "from": "wake"}, output(goal("wake", 0.5)))
        self.assertEqual((row["value"], row["low"], row["high"]), (0.5, 0.4, 0.6))
        self.assertEqual((row["goal"], row["met"]), (("<=", 1.0), True))
        self.assertEqual((row["machine"], row["date"]), ("2 x fast", "2026-01-02"))

    def test_of_several_rows_the_one_furthest_from_its_goal_is_taken(self):
        rows = output(goal("1 asleep", 0.5), goal("4 asleep", 0.9), goal("8 asleep", 0.7))
        row = self.taken({"claim": "c", "from": "* asleep"}, rows)
        self.assertEqual((row["value"], row["which"], row["of"]), (0.9, "4", 3))

    def test_of_several_rows_that_must_be_large_the_smallest_is_taken(self):
        rows = output(goal("x TBB", 5, at_most=False), goal("x marl", 3, at_most=False))
        row = self.taken({"claim": "c", "from": "x *"}, rows)
        self.assertEqual((row["value"], row["which"]), (3, "marl"))

    def test_rows_with_goals_of_their_own_are_compared_by_the_distance(self):
        rows = output(goal("fib", 2, 1.5, False), goal("skynet", 1.6, 1.0, False))
        self.assertEqual(self.taken({"claim": "c", "from": "*"}, rows)["which"], "fib")

    def test_a_claim_may_have_a_goal_of_its_own(self):
        claim = {"claim": "c", "from": "wake", "goal": "<= 1.3"}
        row = self.taken(claim, output(goal("wake", 1.2)))
        self.assertEqual((row["goal"], row["met"]), (("<=", 1.3), True))

    def test_a_claim_may_have_no_goal(self):
        row = self.taken({"claim": "c", "from": "wake", "goal": "none"}, output(goal("wake", 9)))
        self.assertEqual((row["goal"], row["met"]), (None, None))

    def test_a_metric_is_taken_as_it_is(self):
        row = self.taken({"claim": "c", "from": "wake us"}, output(**{"wake us": 7}))
        self.assertEqual((row["value"], row["met"]), (7, None))

    def test_a_name_matches_as_a_whole_and_literally(self):
        values = {}
        shown = output(goal("fib(32), bounded", 2))
        self.assertEqual(
            record.take(run({"claim": "c", "from": "fib(32)"}), shown, values, "d"), ["c"]
        )

    def test_a_row_that_a_run_does_not_show_keeps_its_value(self):
        claims = run({"claim": "a", "from": "x TBB"}, {"claim": "b", "from": "x enkiTS"})
        values = {}
        record.take(claims, output(goal("x TBB", 1), goal("x enkiTS", 2)), values, "old")
        missing = record.take(claims, output(goal("x TBB", 3)), values, "new")
        self.assertEqual(missing, ["b"])
        self.assertEqual([row["date"] for row in values.values()], ["new", "old"])

    def test_several_rows_without_a_goal_are_refused(self):
        with self.assertRaisesRegex(record.Failure, "no goal to tell the worst by"):
            record.take(run({"claim": "c", "from": "*"}), output(a=1, b=2), {}, "d")

    def test_a_goal_that_is_none_is_refused(self):
        with self.assertRaisesRegex(record.Failure, "not 'about 1'"):
            record.parsed_goal("about 1")


class Choosing(unittest.TestCase):
    RUNS = modules(run(bench="jobs --only wake"), run(bench="jobs --only frame"), run(bench="io"))

    def test_no_name_means_all(self):
        self.assertEqual(len(record.selected(self.RUNS, [])), 3)

    def test_a_name_is_how_the_command_begins_in_whole_words(self):
        self.assertEqual(len(record.selected(self.RUNS, ["jobs"])), 2)
        self.assertEqual(len(record.selected(self.RUNS, ["jobs --only frame", "io"])), 2)
        with self.assertRaises(record.Failure):
            record.selected(self.RUNS, ["jo"])

    def test_an_unknown_name_is_answered_with_those_there_are(self):
        with self.assertRaisesRegex(record.Failure, "jobs --only wake"):
            record.selected(self.RUNS, ["sound"])


class Page(unittest.TestCase):
    def lines(self, claim, *goals, **of_run):
        only = run(claim, **of_run)
        values = {}
        record.take(only, output(*goals), values, "2026-01-02")
        return record.page(modules(only), values).splitlines()

    def test_a_row_says_claim_value_goal_command_machine_and_date(self):
        lines = self.lines({"claim": "Waking", "from": "* asleep"}, goal("4 asleep", 0.5))
        self.assertIn("- Machine A: 2 x fast", lines)
        self.assertIn(
            "| Waking | 0.5 [0.4 .. 0.6] (4) | <= 1, met | `./dev bench jobs --only wake` "
            "| A, 2026-01-02 |",
            lines,
        )

    def test_a_missed_goal_is_shown_with_its_reason(self):
        claim = {"claim": "Waking", "from": "wake", "note": "the kernel decides"}
        lines = self.lines(claim, goal("wake", 1.5))
        self.assertTrue(any("<= 1, **missed**" in line for line in lines))
        self.assertIn("- Waking: the kernel decides", lines)

    def test_a_met_goal_needs_no_reason(self):
        claim = {"claim": "Waking", "from": "wake", "note": "the kernel decides"}
        self.assertNotIn("Missed:", self.lines(claim, goal("wake", 0.5)))

    def test_a_row_without_a_value_says_so(self):
        page = record.page(modules(run({"claim": "Waking", "from": "wake"})), {})
        self.assertIn("| Waking | *not recorded* |", page)

    def test_the_command_names_a_preset_that_is_not_the_usual_one(self):
        lines = self.lines({"claim": "c", "from": "w"}, goal("w", 1), preset="clang")
        self.assertTrue(any("`./dev bench --preset clang jobs" in line for line in lines))

    def test_numbers_have_three_digits(self):
        shown = [record.number(value) for value in (0, 0.01234, 1.0, 52.66, 998.4, 12345.6)]
        self.assertEqual(shown, ["0", "0.0123", "1", "52.7", "998", "12,346"])


class Chart(unittest.TestCase):
    def setUp(self):
        self.module = {
            "name": "jobs", "page": "measurements/jobs.md", "chart": "jobs & more",
            "runs": [run({"claim": "wakes", "bar": ["wake", "TBB"], "from": "wake"},
                         {"claim": "not in the chart", "from": "sleep"})],
        }  # fmt: skip

    def chart(self, value):
        values = {}
        shown = output(goal("wake", value, 4.0, False), goal("sleep", 7777.0))
        record.take(self.module["runs"][0], shown, values, "2026-01-02")
        self.page = record.page([self.module], values)
        return record.picture(self.module, values)

    def test_a_module_with_bars_has_a_chart_on_its_page(self):
        chart = self.chart(2.0)
        self.assertIn("![jobs & more](plots/jobs.svg)", self.page)
        for text in ("jobs &amp; more", ">wake<", ">than TBB<", ">2<", ">goal<"):
            self.assertIn(text, chart)
        self.assertNotIn("7.78", chart)

    def test_what_is_slower_is_grey(self):
        slower = f'fill="{record.bars.SLOWER}"'
        self.assertNotIn(slower, self.chart(2.0))
        self.assertIn(slower, self.chart(0.5))

    def test_a_module_without_recorded_bars_has_none(self):
        self.assertIsNone(record.picture(self.module, {}))
        self.assertNotIn("![", record.page([self.module], {}))


class Repository(unittest.TestCase):
    def test_the_page_is_what_the_claims_and_the_recorded_values_give(self):
        expected = record.page(record.load_modules(), record.load_values())
        self.assertEqual(
            record.PAGE.read_text(encoding="utf-8"), expected, "run tools/record.py page"
        )

    def test_the_charts_are_what_the_recorded_values_give(self):
        values = record.load_values()
        for module in record.load_modules():
            if (chart := record.picture(module, values)) is not None:
                file = record.PLOTS / f"{module['name']}.svg"
                self.assertEqual(file.read_text(), chart, "run: python3 tools/record.py page")

    def test_every_claim_is_about_a_benchmark_and_a_page_that_exist(self):
        for module in record.load_modules():
            self.assertTrue((ROOT / "docs" / module["page"]).exists(), module["page"])
            for each in module["runs"]:
                name = each["bench"].split()[0]
                self.assertTrue((ROOT / "bench" / f"{name}.cpp").exists(), name)

    def test_no_two_claims_share_a_value(self):
        keys = [
            record.key_of(each, claim)
            for module in record.load_modules()
            for each in module["runs"]
            for claim in each["claims"]
        ]
        self.assertEqual(len(keys), len(set(keys)))

    def test_every_option_of_a_command_is_one_that_the_benchmark_has(self):
        common = (ROOT / "bench" / "options.cpp").read_text(encoding="utf-8")
        for module in record.load_modules():
            for each in module["runs"]:
                name, *words = each["bench"].split()
                source = (ROOT / "bench" / f"{name}.cpp").read_text(encoding="utf-8") + common
                for word in words:
                    if not re.fullmatch(r"\d+", word):
                        self.assertIn(f'"{word}"', source, each["bench"])


if __name__ == "__main__":
    unittest.main()

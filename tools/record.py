#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Part of ./dev: `./dev bench --record` runs benchmarks with it and records their results.

bench/claims.json lists the rows, docs/measurements.json keeps the last value of each, and
docs/measurements.md is written from the two, with a bar chart in docs/plots for each module that
has claims with a "bar": ["what", "than whom"]. A run updates only its own rows.

  record.py programs [NAME...]           the programs to build, as "PRESET PROGRAM" lines
  record.py run BUILD [NAME...]          runs them from BUILD/PRESET/bin and writes both files
  record.py page                         rewrites the page, after a claim was reworded

NAME is how a command begins: `jobs`, or `jobs --only wake`. Without one, all are run.
"""

import datetime
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import bars

ROOT = pathlib.Path(__file__).resolve().parents[1]
CLAIMS = ROOT / "bench" / "claims.json"
VALUES = ROOT / "docs" / "measurements.json"
PAGE = ROOT / "docs" / "measurements.md"
PLOTS = ROOT / "docs" / "plots"

INTRODUCTION = """# Measurements

Written by `./dev bench --record`, never by hand: [bench/claims.json](../bench/claims.json) says
what is measured, and the benchmarks' own JSON has the values.

Ratios compare variants that ran in turn in one process; a value is the median of the rounds, with
the quartiles in brackets. A row that covers several cases shows the worst, named in parentheses.
Files are read from the page cache unless the row says cold. `./dev games` fetches the games; peers
that Debian does not package come from the folder that `OVERTURE_PEERS` names.

The pages of the modules say how it is measured and what was learned; [tried.md](tried.md) lists
what was tried and dropped. Sizes and compile times are in [package.md](measurements/package.md).
What watching costs real games is in [watch.md](measurements/watch.md), and how far what-if is off
in [what_if.md](measurements/what_if.md): their commands need Debian's games or a browser.
"""


class Failure(Exception):
    """What went wrong, in words for the user."""


def load_modules(path=CLAIMS):
    return json.loads(path.read_text(encoding="utf-8"))["modules"]


def load_values(path=VALUES):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def selected(modules, names):
    """The runs whose command begins with one of the names."""
    runs = [run for module in modules for run in module["runs"]]
    if not names:
        return runs
    chosen = [
        run
        for run in runs
        if any(run["bench"] == name or run["bench"].startswith(name + " ") for name in names)
    ]
    for name in names:
        if not any(run["bench"] == name or run["bench"].startswith(name + " ") for run in runs):
            known = "\n  ".join(dict.fromkeys(run["bench"] for run in runs))
            raise Failure(f"no recorded command begins with '{name}'; there are\n  {known}")
    return chosen


def key_of(run, claim):
    """Names a value by its source, so that a claim can be reworded."""
    return f"{run['bench']}: {claim['from']}"


def parsed_goal(text):
    """('<=', 1.3) for "<= 1.3"; None for a row that is only shown."""
    if text == "none":
        return None
    match = re.fullmatch(r"(<=|>=) (\S+)", text)
    if match is None:
        raise Failure(f"a goal is '<= N', '>= N' or 'none', not '{text}'")
    return match.group(1), float(match.group(2))


def candidates(output, claim):
    """The rows of a benchmark's JSON that a claim is about, each with what its stars matched."""
    pattern = re.compile("(.*)".join(map(re.escape, claim["from"].split("*"))))
    goal = parsed_goal(claim["goal"]) if "goal" in claim else "of the benchmark"
    found = []
    for row in output["goals"]:
        if match := pattern.fullmatch(row["name"]):
            theirs = ("<=" if row["at_most"] else ">=", row["goal"])
            found.append(
                {
                    "value": row["value"],
                    "low": row["low"],
                    "high": row["high"],
                    "goal": theirs if goal == "of the benchmark" else goal,
                    "which": what_stars_hid(match),
                }
            )
    for name, value in output["metrics"].items():
        if match := pattern.fullmatch(name):
            found.append(
                {
                    "value": value,
                    "low": value,
                    "high": value,
                    "goal": None if goal == "of the benchmark" else goal,
                    "which": what_stars_hid(match),
                }
            )
    return found


def what_stars_hid(match):
    return ", ".join(part.strip(" ,") for part in match.groups())


def is_met(row):
    if row["goal"] is None:
        return None
    bound, goal = row["goal"]
    return row["value"] <= goal if bound == "<=" else row["value"] >= goal


def worst(rows, of):
    """The row that is furthest from its goal, or nearest to missing it."""
    if len(rows) == 1:
        return rows[0]
    bounds = {row["goal"][0] for row in rows if row["goal"] is not None}
    if len(bounds) != 1 or any(row["goal"] is None for row in rows):
        raise Failure(f"'{of}' matches {len(rows)} rows and has no goal to tell the worst by")

    def distance(row):
        bound, goal = row["goal"]
        return row["value"] - goal if bound == "<=" else goal - row["value"]

    return max(rows, key=distance)


def take(run, output, values, date):
    """Stores the results of a run in the values. Returns the claims that it has no row for, which
    keep their old values."""
    missing = []
    for claim in run["claims"]:
        rows = candidates(output, claim)
        if not rows:
            missing.append(claim["claim"])
            continue
        row = dict(worst(rows, claim["from"]))
        row["met"] = is_met(row)
        row["of"] = len(rows)
        values[key_of(run, claim)] = {**row, "machine": output["machine"], "date": date}
    return missing


def number(value):
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"


def shown_value(row):
    text = number(row["value"])
    if number(row["low"]) != number(row["high"]):
        text += f" [{number(row['low'])} .. {number(row['high'])}]"
    if row["which"]:
        text += f" ({row['which']})"
    return text


def shown_goal(row):
    if row["goal"] is None:
        return "shown"
    bound, goal = row["goal"]
    return f"{bound} {goal:g}, {'met' if row['met'] else '**missed**'}"


def program_of(run):
    return f"{run.get('preset', 'release')} bench_{run['bench'].split()[0]}"


def command_of(run):
    """As a user types it."""
    preset = run.get("preset", "release")
    return f"./dev bench {run['bench']}" if preset == "release" else (
        f"./dev bench --preset {preset} {run['bench']}"
    )


def picture(module, values):
    """The module's bar chart, None if it has no bars."""
    shown = [
        (*claim["bar"], row["value"], row["goal"][1] if row["goal"] else None)
        for run in module["runs"]
        for claim in run["claims"]
        if "bar" in claim and (row := values.get(key_of(run, claim))) is not None
    ]
    return bars.picture(module["chart"], shown) if shown else None


def page(modules, values):
    machines = list(dict.fromkeys(values[key]["machine"] for key in sorted(values)))
    letters = {machine: chr(ord("A") + i) for i, machine in enumerate(machines)}
    lines = [INTRODUCTION]
    if machines:
        lines += [f"- Machine {letters[machine]}: {machine}" for machine in machines] + [""]
    for module in modules:
        lines += [f"## {module['name']}", "", f"[How, and what was learned]({module['page']})", ""]
        if picture(module, values) is not None:
            lines += [f"![{module['chart']}](plots/{module['name']}.svg)", ""]
        lines += ["| claim | value | goal | command | machine, date |", "|---|---|---|---|---|"]
        missed = []
        for run in module["runs"]:
            for claim in run["claims"]:
                row = values.get(key_of(run, claim))
                value, goal, where = "*not recorded*", "", ""
                if row is not None:
                    value, goal = shown_value(row), shown_goal(row)
                    where = f"{letters[row['machine']]}, {row['date']}"
                    if row["met"] is False:
                        reason = claim.get("note", "not explained yet")
                        missed.append(f"- {claim['claim']}: {reason}")
                lines.append(
                    f"| {claim['claim']} | {value} | {goal} | `{command_of(run)}` | {where} |"
                )
        lines += [""] + (["Missed:", "", *missed, ""] if missed else [])
    return "\n".join(lines).rstrip("\n") + "\n"


def write(modules, values):
    known = {key_of(run, claim) for run in selected(modules, []) for claim in run["claims"]}
    values = {key: values[key] for key in sorted(values) if key in known}
    VALUES.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(modules, values), encoding="utf-8")
    for module in modules:
        if (chart := picture(module, values)) is not None:
            (PLOTS / f"{module['name']}.svg").write_text(chart, encoding="utf-8")


def output_of(run, build):
    """Runs the program and returns the JSON that it writes."""
    bench, *arguments = shlex.split(run["bench"])
    program = pathlib.Path(build) / run.get("preset", "release") / "bin" / f"bench_{bench}"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "out.json"
        done = subprocess.run([program, *arguments, "--json", file], check=False)
        if done.returncode != 0 or not file.exists():
            raise Failure(f"it ended with status {done.returncode}")
        return json.loads(file.read_text(encoding="utf-8"))


def record(build, names):
    modules = load_modules()
    values = load_values()
    problems = []
    for run in selected(modules, names):
        print(f"==> {command_of(run)}", flush=True)
        try:
            output = output_of(run, build)
            missing = take(run, output, values, datetime.date.today().isoformat())
        except Failure as failure:
            problems.append(f"{command_of(run)}: {failure}")
            continue
        problems += [f"{command_of(run)} has no row for: {claim}" for claim in missing]
        write(modules, values)  # after each, so that an interrupted recording keeps what it has
    for problem in problems:
        print(f"not recorded: {problem}", file=sys.stderr)
    return 1 if problems else 0


def main(words):
    try:
        match words:
            case ["programs", *names]:
                runs = selected(load_modules(), names)
                print("\n".join(sorted({program_of(run) for run in runs})))
                return 0
            case ["run", build, *names]:
                return record(build, names)
            case ["page"]:
                write(load_modules(), load_values())
                return 0
    except Failure as failure:
        print(f"record: {failure}", file=sys.stderr)
        return 2
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

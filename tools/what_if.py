#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Compares what the page of a load foresees with loads that are so.

    what_if.py BENCH_WHAT_IF MOUNT... [--rounds N] [--name NAME]

Of one game: one thread more, decoders twice as fast, a disk twice as fast, the 100 files left out
that cost most. For each, the page is made of a load without the change, its sliders are moved, and
the load with the change is made: in turns, so that the machine's drift cancels. Prints a row of a
table for each: seconds before, foreseen, and real, medians of the rounds, and how far the
estimate is off.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

UNITS = {"µs": 1e-6, "ms": 1e-3, "s": 1}
SLOW_DISK = 60  # megabytes a second: a hard disk


def browser():
    options = webdriver.ChromeOptions()
    for each in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(each)
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def load(bench, mounts, page, **how):
    words = [bench, "--mount", *mounts, "--page", page]
    for name, value in how.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    figures = pathlib.Path(f"{page}.json")
    subprocess.run([*words, "--json", figures], capture_output=True, check=True)
    return json.loads(figures.read_text(encoding="utf-8"))["metrics"]["load 1, s"]


def seconds_of(text):
    minutes = re.fullmatch(r"(\d+) min (\d+) s", text)
    if minutes:
        return int(minutes[1]) * 60 + int(minutes[2])
    number, unit = text.split()
    return float(number) * UNITS[unit]


def foreseen(driver, page, **sliders):
    driver.get(f"file://{page}")
    for name, value in sliders.items():
        driver.execute_script(
            "const e = document.getElementById(arguments[0]); e.value = arguments[1];"
            "e.dispatchEvent(new Event('input', {bubbles: true}));", f"if-{name}", str(value))
    seconds = seconds_of(driver.execute_script(
        "return document.getElementById('if-total').textContent"))
    driver.get("about:blank")  # or it works beside the next load
    return seconds


def costliest(driver, page, count):
    driver.get(f"file://{page}")
    return driver.execute_script(
        "const d = overture.data; return d.order.map((id) => d.files[id])"
        ".sort((a, b) => b.total - a.total).slice(0, arguments[0]).map((file) => file.path)",
        count)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench")
    parser.add_argument("mounts", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--name", default="")
    given = parser.parse_args()
    driver = browser()
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "load.html")
        other = pathlib.Path(folder, "other.html")
        left = pathlib.Path(folder, "left.txt")
        load(given.bench, given.mounts, page, threads=2)
        left.write_text("\n".join(costliest(driver, page, 100)) + "\n", encoding="utf-8")
        cases = (
            ("threads 1 to 2", {"threads": 1}, {"threads": 2}, {"threads": 2}),
            ("decoders twice as fast", {"threads": 2, "decode_times": 2}, {"decode": 2},
             {"threads": 2}),
            ("disk twice as fast", {"threads": 2, "disk": SLOW_DISK}, {"disk": 2},
             {"threads": 2, "disk": 2 * SLOW_DISK}),
            ("100 files left out", {"threads": 2}, {"left": 100},
             {"threads": 2, "leave_out": left}),
        )
        for what, before, sliders, after in cases:
            rows = []
            for _ in range(given.rounds):
                was = load(given.bench, given.mounts, page, **before)
                is_so = load(given.bench, given.mounts, other, **after)
                rows.append((was, foreseen(driver, page, **sliders), is_so))
            was, guess, real = (statistics.median(column) for column in zip(*rows))
            off = statistics.median(row[1] / row[2] - 1 for row in rows)
            print(f"| {given.name} | {what} | {was:.3f} | {guess:.3f} | {real:.3f} | "
                  f"{100 * off:+.0f} % |", flush=True)
    driver.quit()


if __name__ == "__main__":
    main()

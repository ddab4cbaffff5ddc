# SPDX-License-Identifier: Zlib
"""What `overture compare` says of two loads, and what makes a load fail by its figures."""

import json

from harness import case, png


def scaled(report, factor, loads=10):
    """The JSON of loads that took `factor` times as long as this one, give or take a little."""
    changed = json.loads(json.dumps(report))
    repeats = changed["repeats"]
    repeats["loads"] = loads
    for each in repeats["measures"]:
        of_time = each["kind"] != "bytes"
        value = each["values"][0] * (factor if of_time else 1)
        each["values"] = [value * (1 + 0.002 * (i % 5)) for i in range(loads)]
    return json.dumps(changed)


@case()
def compare_says_what_got_slower(box):
    report = box.load_json(*box.game())
    box.write("old.json", scaled(report, 1))
    box.write("new.json", scaled(report, 1.5))
    slower = box.run("compare", "old.json", "new.json")
    assert slower.code == 4, slower
    assert "50 % slower" in slower.out.splitlines()[0], slower
    assert "10 loads of new.json with 10 loads of old.json" in slower.out, slower
    faster = box.run("compare", "new.json", "old.json")
    assert faster.code == 0 and "faster" in faster.out.splitlines()[0], faster
    same = box.run("compare", "old.json", "old.json")
    assert same.code == 0 and "no difference above 5 %" in same.out.splitlines()[0], same
    assert box.run("compare", "old.json", "new.json", "--tolerance", 60).code == 0

    found = box.run("compare", "old.json", "new.json", "--json")
    assert found.code == 4 and found.json()["slower"] is True, found
    assert found.json()["load"]["change"] == "slower", found
    table = box.run("compare", "old.json", "new.json", "--markdown")
    assert table.code == 4 and table.out.startswith("**") and "| load |" in table.out, table


@case()
def compare_writes_a_page(box):
    box.write("old.json", scaled(box.load_json(*box.game()), 1))
    done = box.run("compare", "old.json", "old.json", "--html", "out.html")
    page = (box.folder / "out.html").read_text()
    assert done.code == 0 and page.startswith("<!doctype html>") and "</html>" in page, done
    over = box.run("compare", "old.json", "old.json", "--html", "old.json")
    assert over.code == 2 and "OLD" in over.err and "--html" in over.err, over
    assert json.loads((box.folder / "old.json").read_text())
    lost = box.run("compare", "old.json", "old.json", "--html", "none/out.html")
    assert lost.code == 5 and "make its folder first" in lost.err, lost
    box.write("mine.txt", "mine")
    assert box.run("compare", "old.json", "old.json", "--html", "mine.txt").code == 2
    assert (box.folder / "mine.txt").read_text() == "mine"


@case()
def compare_shows_the_timelines_of_traces(box):
    mounts = box.game()
    for name in ("old", "new"):
        with_trace = box.run("load", *mounts, "--trace", f"{name}.trace", "--json")
        box.write(f"{name}.json", with_trace.out)
    of_traces = box.run("compare", "old.trace", "new.trace", "--html", "traces.html",
                        "--tolerance", 1000)
    assert of_traces.code == 0 and "1 load of new.trace" in of_traces.out, of_traces
    assert "files differ" not in of_traces.out, of_traces
    beside = box.run("compare", "old.json", "new.json", "--html", "beside.html",
                     "--tolerance", 1000, "--old-trace", "old.trace", "--new-trace", "new.trace")
    assert beside.code == 0, beside
    for name in ("traces.html", "beside.html"):
        page = (box.folder / name).read_text()
        assert page.count('aria-label="Timeline of') == 2, page
        assert "<h2>Timelines</h2>" in page and "was: <bdi>old." in page, page
    alone = box.run("compare", "old.json", "new.json", "--old-trace", "old.trace")
    assert alone.code == 2 and "add --html" in alone.err, alone
    wrong = box.run("compare", "old.json", "new.json", "--html", "wrong.html", "--old-trace",
                    "old.json")
    assert wrong.code == 2 and "old.json: not a trace" in wrong.err, wrong


@case()
def compare_refuses_what_is_no_load(box):
    box.write("old.json", json.dumps(box.load_json(*box.game())))
    box.write("bad.json", "{}")
    bad = box.run("compare", "old.json", "bad.json")
    assert bad.code == 2 and "bad.json: not the JSON of a load" in bad.err, bad
    box.write("watch.json", json.dumps({"overture_watch": 1, "program": "/game", "repeats": {
        "loads": 1, "measures": [{"kind": "load", "name": "load", "values": [1.0]}]}}))
    box.write("load.json", scaled(box.load_json(*box.game()), 1))
    for words in (("compare", "load.json", "watch.json"), ("compare", "watch.json", "load.json"),
                  ("load", "--baseline", "watch.json", *box.game())):
        other = box.run(*words)
        assert other.code == 2 and "program that was watched" in other.err, other
    one = box.run("compare", "old.json")
    assert one.code == 2 and "give two files" in one.err, one
    both = box.run("compare", "old.json", "old.json", "--json", "--markdown")
    assert both.code == 2 and "not both" in both.err, both


@case()
def a_load_above_a_limit_fails(box):
    mounts = box.game()
    over = box.load(*mounts, "--max", "total=0s", "--max", "peak=100GiB")
    assert over.code == 4 and "above the limit of 0.00 ms" in over.out, over
    assert "peak is" not in over.out, over
    assert box.load(*mounts, "--max", "total=1000s", "--max", "waiting=100%").code == 0
    quiet = box.load(*mounts, "--max", "total=0s", "--quiet")
    assert quiet.code == 4 and "total is" in quiet.err, quiet
    assert len(box.load_json(*mounts, "--max", "total=0s", code=4)["exceeded"]) == 1
    wrong = box.load(*mounts, "--max", "total=2")
    assert wrong.code == 2 and "2s or 300ms" in wrong.err, wrong
    box.write("new.json", json.dumps(box.load_json(*mounts)))
    compared = box.run("compare", "new.json", "new.json", "--max", "total=0s")
    assert compared.code == 4 and "total is" in compared.out, compared


@case()
def load_in_turns_with_other_mounts(box):
    mounts = box.game()
    box.zip("heavy.zip", {f"more/{i}.png": png(512, 512, i) for i in range(40)})
    box.write("old.txt", "# as released\n\n" + "\n".join(map(str, mounts)) + "\n")
    slower = box.load(*mounts, "heavy.zip", "--against", "old.txt", "--repeat", 8)
    assert slower.code == 4 and " slow" in slower.out.splitlines()[0], slower
    assert "8 loads of the mounts with 8 loads of old.txt, in turns" in slower.out, slower
    assert "not comparable" not in slower.out, slower
    assert any("heavy.zip" in line and "new" in line for line in slower.out.splitlines()), slower
    box.write("game/at/x.txt", "x")
    box.write("points.txt", "--mount-point some where\ngame/at\n")
    found = box.load("game/at", "--against", "points.txt", "--repeat", 2, "--json")
    assert found.code == 0 and found.json()["loads_was"] == 2, found
    assert "too few loads to tell" in found.json()["verdict"], found
    for mount in ("heavy.zip", "game/at"):
        one = box.load(*mounts, "--against", mount, "--repeat", 1, "--json")
        assert one.code == 0 and one.json()["loads_was"] == 1, one

    for text, says in (("# none\n", "lists no mount"), ("--moon\n", "unknown option")):
        box.write("bad.txt", text)
        bad = box.load(*mounts, "--against", "bad.txt")
        assert bad.code == 2 and says in bad.err and "bad.txt: " in bad.err, bad
    for option in ("--baseline", "--recorded", "--html", "--trace", "--record"):
        both = box.load(*mounts, "--against", "old.txt", option, "x")
        assert both.code == 2 and "--against" in both.err, both

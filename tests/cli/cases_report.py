# SPDX-License-Identifier: Zlib
"""`overture report`: the report of a load that is over, from the files that it wrote."""

import csv
import io
import json
import re

from harness import case, png

EVIL = ("</script><b>.txt", "tab\tand\nline.txt", "\u202etxt.exe", "\"both\" & 'both'.txt",
        "\x1b]0;owned\x07.txt", "<!--.txt")


def traced(box, *mounts, trace="trace.json", report="report.json"):
    loaded = box.load(*mounts, "--threads", 2, "--json", "--trace", trace)
    assert loaded.code in (0, 1), loaded
    box.write(report, loaded.out)
    return loaded.json()


def page_data(box, name):
    text = (box.folder / name).read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found.group(1)), text


@case()
def report_is_that_of_the_load(box):
    loaded = traced(box, *box.game())
    for files in (("report.json",), ("trace.json", "report.json"), ("report.json", "trace.json")):
        again = box.run("report", *files, "--json")
        assert (again.code, again.err) == (0, ""), again
        assert again.json() == loaded, files
        text = box.run("report", *files)
        assert text.code == 0 and text.out.startswith(loaded["verdict"]), text
        assert f"hash {loaded['hash']}" in text.out, text


@case()
def report_of_a_trace_alone_has_what_the_trace_tells(box):
    loaded = traced(box, *box.game())
    alone = box.run("report", "trace.json", "--json").json()
    assert alone["files"] == loaded["files"] == 7
    assert alone["bytes"] == loaded["bytes"]
    assert alone["bound"] == loaded["bound"]
    assert alone["threads"] == 2 and alone["io_threads"] == loaded["io_threads"]
    assert {each["path"] for each in alone["slowest"]} == {
        each["path"] for each in loaded["slowest"]
    }
    for stage, taken in loaded["stages"].items():
        assert abs(alone["stages"][stage]["seconds"] - taken["seconds"]) < 1e-6, stage
        if stage != "finalize":  # where nothing is to be done it takes no time
            assert alone["stages"][stage]["files"] == taken["files"], stage
    assert len(alone["missing"]) == 1 and "trace alone" in alone["missing"][0], alone["missing"]
    text = box.run("report", "trace.json").out
    assert "Made of a trace alone" in text and "hash" not in text, text


@case()
def report_makes_the_page_that_the_load_makes(box):
    mounts = box.game()
    loaded = box.load(*mounts, "--threads", 2, "--json", "--trace", "t.json", "--html", "live.html")
    assert loaded.code == 0, loaded
    box.write("r.json", loaded.out)
    made = box.run("report", "t.json", "r.json", "-o", "later.html")
    assert (made.code, made.out, made.err) == (0, "", ""), made
    live, _ = page_data(box, "live.html")
    later, _ = page_data(box, "later.html")
    for key in ("total_us", "load_us", "threads", "names", "reads", "counters", "mounts",
                "critical", "files_done", "ticks_per_us", "reads_at_once", "events_lost"):
        assert later[key] == live[key], key
    assert later["files"]["paths"] == live["files"]["paths"]
    assert [each["name"] for each in later["lanes"]] == [each["name"] for each in live["lanes"]]
    assert later["lanes"][0]["spans"] == live["lanes"][0]["spans"]


@case()
def report_of_a_report_alone_is_a_page_without_timeline(box):
    traced(box, *box.game())
    made = box.run("report", "report.json", "-o", "page.html")
    assert made.code == 0, made
    data, text = page_data(box, "page.html")
    assert data["lanes"] == [] and "Made without a trace" in text
    assert "<section hidden>\n<h2 id=\"timeline-title\"" in text


@case("slow")
def report_of_a_trace_that_was_cut_anywhere_says_so(box):
    traced(box, *box.game())
    whole = (box.folder / "trace.json").read_bytes()
    said = 0
    for i in range(200):
        box.write("cut.json", whole[: len(whole) * i // 200])
        made = box.run("report", "cut.json", "-o", "cut.html")
        if made.code == 0:
            _, text = page_data(box, "cut.html")
            assert re.search(r"The trace ends after [0-9,]+ events?, in those of", text), i
            said += 1
            (box.folder / "cut.html").unlink()
        else:
            assert made.code == 2, (i, made)
            assert re.search(r"neither a trace nor|ends before its first event", made.err), made
            assert not (box.folder / "cut.html").exists()
    assert said > 150, said
    made = box.run("report", "cut.json", "report.json")
    assert made.code == 0 and "The trace ends after" in made.out, made


@case()
def report_names_files_as_they_are_called(box):
    for name in EVIL:
        box.write(f"game/{name}", b"\xff\xff broken text")
    traced(box, "game")
    made = box.run("report", "trace.json", "report.json", "-o", "evil.html")
    assert made.code == 0, made
    data, text = page_data(box, "evil.html")
    # The page, its data and its script.
    assert text.count("</script>") == 2, text.count("</script>")
    assert len(data["files"]["paths"]) == len(EVIL)
    for plain in ("\x1b", "\u202e"):
        assert plain not in text
    rows = box.run("report", "trace.json", "--json").json()["slowest"]
    assert {each["path"] for each in rows} == set(EVIL), rows
    shown = box.run("report", "trace.json", "report.json")
    assert shown.code == 0 and "\x1b" not in shown.out and "\u202e" not in shown.out, shown


@case()
def report_refuses_what_is_not_of_one_load(box):
    traced(box, *box.game())
    box.write("long/a.png", png(900, 900, 1))
    slow = json.loads((box.folder / "report.json").read_text())
    slow["seconds"] += 0.00001
    box.write("slow.json", json.dumps(slow))
    box.write("foreign.json", '{"traceEvents":[{"ph":"B","name":"a","ts":1,"pid":1,"tid":1}]}')
    box.write("other.json", '{"a": 1}')
    box.write("text.txt", "hello")
    box.write("empty.json", "")
    box.write("damaged.json", (box.folder / "report.json").read_text()[:500])
    for files, why in (
        (("trace.json", "slow.json"), "are of two loads"),
        (("trace.json", "trace.json"), "a second trace"),
        (("report.json", "slow.json"), "a second report"),
        (("foreign.json",), "a trace without an event that overture could show"),
        (("other.json",), "neither a trace nor a report"),
        (("text.txt",), "neither a trace nor a report"),
        (("empty.json",), "neither a trace nor a report"),
        (("damaged.json",), "neither a trace nor a report"),
        (("missing.json",), "cannot read it"),
        ((".",), "not a regular file"),
        ((), "nothing to report"),
        (("report.json",) * 3, "too many files"),
        (("report.json", "--json", "-o", "x.html"), "give one"),
    ):
        made = box.run("report", *files)
        assert made.code == 2 and why in made.err and made.out == "", (files, made)
        assert made.err.count("\n") <= 3, made


@case()
def report_shows_traces_of_other_programs_as_far_as_it_can(box):
    events = [
        {"ph": "X", "name": "draw", "ts": 5, "dur": 10, "pid": 3, "tid": 9, "args": {"a": [1]}},
        {"ph": "B", "name": "old", "ts": 5, "pid": 3, "tid": 9},
        {"ph": "X", "name": "backwards", "ts": 5, "dur": -10, "pid": 3, "tid": 9},
    ]
    box.write("foreign.json", json.dumps(events))
    made = box.run("report", "foreign.json", "-o", "page.html")
    assert made.code == 0, made
    data, text = page_data(box, "page.html")
    assert [each["name"] for each in data["lanes"]] == ["9"]
    assert "2 events of the trace are of kinds that overture does not write" in text
    assert "67 % of the thread&#39;s time went to draw, 33 % to unknown" in text, text
    assert "no files" not in text, text
    assert "went to draw" in box.run("report", "foreign.json").out


@case()
def report_says_that_events_were_lost(box):
    lines = [
        '{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"main","events_lost":12}}',
        '{"name":"decode","cat":"zone","ph":"X","pid":1,"tid":1,"ts":1,"dur":5,'
        '"args":{"subject":"a"}}',
    ]
    box.write("lost.json", '{"traceEvents":[' + ",".join(lines) + "]}")
    made = box.run("report", "lost.json", "-o", "page.html")
    assert made.code == 0, made
    assert "has lost its 12 oldest events" in page_data(box, "page.html")[1]
    assert "lacks 12 events" in box.run("report", "lost.json").out


@case()
def report_has_forms_for_other_programs(box):
    loaded = traced(box, *box.game())
    made = box.run("report", "trace.json", "report.json", "--csv")
    assert (made.code, made.err) == (0, ""), made
    rows = list(csv.DictReader(io.StringIO(made.out)))
    assert len(rows) == 7 and sum(int(row["bytes"]) for row in rows) == loaded["bytes"], rows
    assert {row["state"] for row in rows} == {"ready"}, rows
    assert {row["mount"] for row in rows} == {"base", "dlc.zip", "mods/ai.pk3", "mods/look"}, rows
    decode = sum(float(row["decode_us"]) for row in rows) / 1e6
    assert abs(decode - loaded["stages"]["decode"]["seconds"]) < 1e-6, decode

    folded = box.run("report", "trace.json", "--folded")
    threads = {}
    for line in folded.out.splitlines():
        stack, count = line.rsplit(" ", 1)
        name = stack.split(";")[0]
        threads[name] = threads.get(name, 0) + int(count)
    assert set(threads) == {"main", "worker 1"}, threads
    assert len(set(threads.values())) == 1, ("each thread's time is the load's", threads)
    events = json.loads((box.folder / "trace.json").read_text())["traceEvents"]
    marks = {event["name"]: event for event in events if event["ph"] == "i"}
    between = marks["load ends"]["ts"] - marks["load begins"]["ts"]
    assert abs(threads["main"] - between * 1e3) < 1, (threads, marks)
    assert abs(marks["load ends"]["args"]["value"] / 1e9 - loaded["seconds"]) < 1e-9, marks

    for form in ("--csv", "--folded"):
        made = box.run("report", "report.json", form)
        assert made.code == 2 and "need the trace" in made.err, made
        made = box.run("report", "trace.json", form, "--json")
        assert made.code == 2 and "give one" in made.err, made


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """The fields of a protobuf message: (number, value)."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at : at + 8], "little"), at + 8
        else:
            assert key & 7 == 2, key
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
            assert len(value) == length
        yield key >> 3, value


@case()
def report_writes_perfettos_own_format(box):
    traced(box, *box.game())
    for _ in range(2):  # it may replace itself
        made = box.run("report", "trace.json", "--perfetto", "load.pftrace")
        assert (made.code, made.out, made.err) == (0, "", ""), made
    made = box.run("report", "trace.json", "--perfetto", "trace.json")
    assert made.code == 2, made
    packets = [dict(fields(packet)) for _, packet in
               fields((box.folder / "load.pftrace").read_bytes())]
    tracks = [dict(fields(packet[60])) for packet in packets if 60 in packet]
    threads = [dict(fields(track[4]))[5].decode() for track in tracks if 4 in track]
    assert threads == ["main", "worker 1"], threads
    begun, flows, ended = {}, [], []
    for packet in packets:
        if 11 not in packet:
            continue
        event = list(fields(packet[11]))
        kind, track = dict(event)[9], dict(event)[11]
        if kind == 1:
            begun[track] = begun.get(track, 0) + 1
            assert dict(event)[23], event
        if kind == 2:
            begun[track] -= 1
        flows += [value for number, value in event if number == 47]
        ended += [value for number, value in event if number == 48]
    assert begun and set(begun.values()) == {0}, begun
    assert set(flows) == set(ended) and len(ended) == len(set(ended)), (flows, ended)


@case()
def report_replaces_only_what_it_has_written(box):
    traced(box, *box.game())
    before = (box.folder / "trace.json").read_bytes()
    for name in ("trace.json", "report.json", "base/rules.txt"):
        made = box.run("report", "trace.json", "report.json", "-o", name)
        assert made.code == 2, made
    assert (box.folder / "trace.json").read_bytes() == before
    for _ in range(2):
        assert box.run("report", "trace.json", "-o", "page.html").code == 0
    made = box.run("report", "trace.json", "-o", "no/such/page.html")
    assert made.code == 5 and "cannot write the page" in made.err, made

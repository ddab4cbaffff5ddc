# SPDX-License-Identifier: Zlib
"""What `overture load` loads and reports."""

import json
import os
import zipfile

from harness import case, png

FIELDS = {
    "schema": int,
    "version": str,
    "verdict": str,
    "bound": str,
    "interrupted": bool,
    "files": int,
    "failed": int,
    "cancelled": int,
    "warnings": int,
    "skipped": int,
    "overridden": int,
    "bytes": int,
    "packed_bytes": int,
    "decoded_bytes": int,
    "hash": str,
    "seconds": float,
    "mount_seconds": float,
    "time": str,
    "threads": int,
    "io_threads": int,
    "first_wins": bool,
    "tells_page_cache": bool,
    "verdict_shares": list,
    "stages": dict,
    "reads": dict,
    "waits": dict,
    "cores": list,
    "mounts": list,
    "types": list,
    "slowest": list,
    "overrides": list,
    "failures": list,
    "file_warnings": list,
    "skipped_names": list,
    "hints": list,
    "missing": list,
    "memory": dict,
    "long_sounds": dict,
    "images": dict,
    "deflated": dict,
    "advice": list,
    "changes": list,
    "budget_bytes": int,
    "largest": dict,
    "in_flight_bytes_max": int,
    "in_flight_by_module": dict,
    "kept": dict,
    "repeats": dict,
    "exceeded": list,
    "noise": str,
}


@case()
def load_reports_what_it_did(box):
    result = box.load(*box.game(), "--threads", 2)
    assert result.code == 0, result
    assert result.err == "", result
    lines = result.out.split("\n")
    assert "of the 2 threads' time went to" in lines[0], result
    titles = [line.split(" (")[0] for line in lines if line and not line.startswith(" ")][1:]
    assert titles == [
        "Mounts",
        "File types",
        "Stages",
        *(["Reads from the disk"] if "Reads from the disk" in titles else []),
        "Threads",
        *(["Waits"] if "Waits" in titles else []),
        "Slowest files",
        "Overridden",
        "Memory",
    ], titles
    for expected in (
        "  7 files, ",
        "  0 failed, 0 warnings, 2 overridden, 0 skipped",
        "  dlc.zip     base        maps/rome.txt",
        "  ai.pk3      base        rules.txt",
    ):
        assert any(line.startswith(expected) for line in lines), (expected, result)


@case()
def load_json_has_every_field(box):
    report = box.load_json(*box.game(), "--threads", 2)
    for name, kind in FIELDS.items():
        assert isinstance(report.get(name), kind), (name, report.get(name))
    assert (report["schema"], report["files"], report["failed"]) == (1, 7, 0)
    assert (report["overridden"], report["skipped"]) == (2, 0)
    assert list(report["stages"]) == ["resolve", "read", "unpack", "decode", "finalize"]
    assert all(stage["files"] == 7 for stage in report["stages"].values()), report["stages"]
    assert [mount["path"] for mount in report["mounts"]] == [
        "base",
        "dlc.zip",
        "mods/ai.pk3",
        "mods/look",
    ]
    assert [mount["files"] for mount in report["mounts"]] == [2, 2, 2, 1]
    assert [mount["hidden"] for mount in report["mounts"]] == [2, 0, 0, 0]
    assert [mount["format"] for mount in report["mounts"]] == ["folder", "zip", "zip", "folder"]
    assert sum(kind["files"] for kind in report["types"]) == 7
    assert sum(kind["bytes"] for kind in report["types"]) == report["bytes"]
    pictures = next(kind for kind in report["types"] if kind["extension"] == "png")
    assert pictures["decoded_bytes"] == 4 * (64 * 64 + 32 * 16), pictures
    assert len(report["slowest"]) == 7
    assert {"path": "rules.txt", "winner": "mods/ai.pk3", "loser": "base"} in report["overrides"]
    shares = sum(share["share"] for share in report["verdict_shares"])
    assert abs(shares - 1) < 1e-6, report["verdict_shares"]
    assert report["memory"]["total"] > 0
    assert [core["name"] for core in report["cores"]][:2] == ["main", "worker 1"]
    only_read = [core["name"] for core in report["cores"] if not core["worker"]]
    assert report["io_threads"] == len(only_read) > 0, only_read


@case()
def load_keeps_everything_with_keep(box):
    mounts = box.game()
    plain = box.load_json(*mounts)
    kept = box.load_json(*mounts, "--keep")
    assert kept["hash"] == plain["hash"]
    texts = len("a new rome\na port\nattack\nrules of the mod\n")
    kinds = {
        "image": {"files": 2, "bytes": 4 * (64 * 64 + 32 * 16)},
        "text": {"files": 4, "bytes": texts},
        "undecoded": {"files": 1, "bytes": 256 * 64},
    }
    assert kept["kept"]["kinds"] == kinds, kept["kept"]
    total = sum(kind["bytes"] for kind in kinds.values())
    assert (kept["kept"]["files"], kept["kept"]["bytes"]) == (7, total)
    # Everything is still there at the end and counts as the host's.
    assert kept["memory"]["host"] == total and "decode" not in kept["memory"], kept["memory"]
    assert "host" not in plain["memory"], plain["memory"]

    text = box.load(*mounts, "--keep")
    assert "  kept 34.0 KiB: 2 images, 4 texts, 1 undecoded file\n" in text.out, text
    raw = box.load_json(*mounts, "--keep", "--no-decode")
    assert raw["kept"]["kinds"] == {"undecoded": {"files": 7, "bytes": raw["bytes"]}}, raw["kept"]


@case()
def load_has_one_hash_for_any_number_of_threads(box):
    mounts = box.game()
    more = {f"many/{i}.txt": f"{i}\n" * (i % 50 + 1) for i in range(300)}
    mounts.append(str(box.zip("many.zip", more)))
    hashes = {
        box.load_json(*mounts, *options)["hash"]
        for options in (
            ("--threads=1",),
            ("--threads=2",),
            ("--threads=8",),
            ("--threads=8", "--io-threads=1", "--budget=1"),
            ("--threads=2", "--no-decode"),
        )
    }
    assert len(hashes) == 1, hashes
    box.write("base/rules2.txt", "one more file")
    assert box.load_json(*mounts)["hash"] not in hashes


@case()
def load_names_every_file_that_fails(box):
    path = box.zip(
        "game.zip",
        {"a.txt": "fine", "b.txt": "x" * 500, "c.json": b"\xff\xfe\x00bad", "d.png": png(8, 8, 1)},
        zipfile.ZIP_STORED,
    )
    data = bytearray(path.read_bytes())
    data[data.index(b"x" * 500) + 250] ^= 1
    path.write_bytes(data)
    box.write("mod/broken.png", png(8, 8, 2)[:60])

    report = box.load_json("game.zip", "mod", code=1)
    assert (report["files"], report["failed"]) == (2, 3), report
    failures = {(each["path"], each["mount"]): each for each in report["failures"]}
    assert set(failures) == {
        ("b.txt", "game.zip"),
        ("c.json", "game.zip"),
        ("broken.png", "mod"),
    }, failures
    assert failures["b.txt", "game.zip"]["stage"] == "unpack"
    assert failures["b.txt", "game.zip"]["code"] == "corrupt"
    assert failures["broken.png", "mod"]["stage"] == "decode"
    assert all(each["reason"] for each in failures.values())

    text = box.load("game.zip", "mod")
    assert text.code == 1
    assert "Failed (3)" in text.out and "  b.txt (game.zip): unpack: " in text.out, text

    quiet = box.load("game.zip", "mod", "--quiet")
    assert (quiet.code, quiet.out) == (1, ""), quiet
    assert quiet.err.count("error: ") == 3 and "error: b.txt (game.zip): unpack: " in quiet.err

    assert box.load_json("game.zip", "mod", "--no-decode", code=1)["failed"] == 1


@case()
def load_lets_later_mounts_win_without_first_wins(box):
    box.zip("one.zip", {"a.txt": "1"})
    box.zip("two.zip", {"a.txt": "22"})
    later = box.load_json("one.zip", "two.zip")
    earlier = box.load_json("one.zip", "two.zip", "--first-wins")
    assert later["overrides"] == [{"path": "a.txt", "winner": "two.zip", "loser": "one.zip"}]
    assert earlier["overrides"] == [{"path": "a.txt", "winner": "one.zip", "loser": "two.zip"}]
    assert (later["bytes"], earlier["bytes"]) == (2, 1)
    assert earlier["hash"] == box.load_json("two.zip", "one.zip")["hash"]


@case()
def load_mounts_archives_in_a_folder_in_name_order(box):
    box.zip("pack/pak1.pk3", {"a.txt": "1", "x.txt": "."})
    box.zip("pack/pak0.pk3", {"a.txt": "0"})
    box.zip("pack/Pak9.pk3", {"a.txt": "9"})
    box.write("pack/readme.txt", "not an archive")
    box.zip("pack/deeper/pak2.pk3", {"a.txt": "2"})
    box.zip("last.zip", {"a.txt": "last"})
    report = box.load_json("last.zip", "--archives-in", "pack")
    assert [mount["path"] for mount in report["mounts"]] == [
        "last.zip",
        "pack/pak0.pk3",
        "pack/pak1.pk3",
        "pack/Pak9.pk3",
    ], report["mounts"]
    assert {each["winner"] for each in report["overrides"]} == {"pack/Pak9.pk3"}
    # The position on the command line decides, as for everything else.
    report = box.load_json("--archives-in", "pack", "last.zip")
    assert {each["winner"] for each in report["overrides"]} == {"last.zip"}, report["overrides"]
    # In a plain folder, archives are files.
    assert box.load_json("pack")["files"] == 5

    # A file that has the name of an archive but is not one is an error.
    for name, content in (("pack/none.ZIP", ""), ("pack/none.7z", "not a 7z")):
        bad = box.write(name, content)
        missing = box.load("--archives-in", "pack")
        assert missing.code == 3 and f"error: {name}: " in missing.err, missing
        bad.unlink()

    box.write("empty/readme.txt", "no archive here")
    nothing = box.load("--archives-in", "empty")
    assert nothing.code == 3 and "empty: no archives in this folder" in nothing.err, nothing


@case()
def load_skips_links_that_leave_the_tree(box):
    box.write("outside.txt", "secret")
    box.write("base/inside.txt", "hello")
    os.symlink("../outside.txt", box.folder / "base/escape.txt")
    os.symlink("/etc", box.folder / "base/etc")
    report = box.load_json("base")
    assert report["failed"] == 0 and report["skipped"] == 2, report
    names = {each["name"]: each for each in report["skipped_names"]}
    assert set(names) == {"escape.txt", "etc"}, names
    assert all(each["mount"] == "base" and "link" in each["reason"] for each in names.values())
    text = box.load("base")
    assert text.code == 0 and "Skipped (2)" in text.out and "escape.txt" in text.out, text


@case()
def load_accepts_an_empty_folder(box):
    (box.folder / "empty").mkdir()
    result = box.load("empty")
    assert result.code == 0 and result.out.startswith("nothing to load"), result


@case()
def load_names_every_mount_that_cannot_be_opened(box):
    box.write("readme.txt", "not an archive, but long enough to be looked at")
    box.write("zero.zip", "")
    good = box.zip("good.zip", {"a.txt": "a"})
    box.write("cut.zip", good.read_bytes()[:-10])
    result = box.load("missing", "good.zip", "readme.txt", "zero.zip", "cut.zip", "/dev/null")
    assert result.code == 3, result
    assert result.out == "", result
    lines = result.err.strip().split("\n")
    assert len(lines) == 5, result
    for line, path in zip(lines, ("missing", "readme.txt", "zero.zip", "cut.zip", "/dev/null")):
        assert line.startswith(f"error: {path}: ") and "; " in line, line
    if os.geteuid() != 0:
        os.chmod(good, 0)
        denied = box.load("good.zip")
        assert denied.code == 3 and "permission" in denied.err.lower(), denied


@case()
def load_escapes_hostile_names(box):
    evil = "a\x1b]0;owned\x07\n.json"
    box.write(f"base/{evil}", b"\xff\xff broken text")
    box.zip(f"evil\x1b[2J.zip", {evil: "fine"})
    for arguments in (("base",), ("base", "evil\x1b[2J.zip", "--first-wins")):
        result = box.load(*arguments)
        assert result.code == 1, result
        assert "\x1b" not in result.out and "\x07" not in result.out, result
        assert r"a\x1b]0;owned\x07\x0a.json" in result.out, result
    result = box.load("missing\x1b[2J")
    assert result.code == 3 and "\x1b" not in result.err, result


@case()
def load_warns_of_flaws_and_fails_them_if_strict(box):
    box.write("base/latin1.txt", b"Gl\xfcck")
    box.write("base/good.txt", "good")
    report = box.load_json("base")
    assert report["warnings"] == 1 and report["failed"] == 0, report
    [flaw] = report["file_warnings"]
    assert flaw["path"] == "latin1.txt" and flaw["offset"] == 2, flaw
    text = box.load("base")
    assert text.code == 0 and "Warnings (1)" in text.out, text
    strict = box.load("base", "--strict")
    assert strict.code == 1 and "latin1.txt (base): decode: text is not UTF-8" in strict.out, strict


@case()
def load_leaves_out_what_a_glob_matches(box):
    box.write("base/latin1.txt", b"Gl\xfcck")
    box.write("base/docs/broken.json", b"\xfc")
    box.write("base/good.txt", "good")
    report = box.load_json("base", "--exclude", "docs/**", "--exclude", "latin?.txt")
    assert report["files"] == 1 and report["skipped"] == 2 and report["failed"] == 0, report
    assert report["mounts"][0]["skipped"] == 2, report
    names = {each["name"]: each["reason"] for each in report["skipped_names"]}
    assert set(names) == {"docs/broken.json", "latin1.txt"}, names
    assert set(names.values()) == {"left out by --exclude"}, names


@case()
def load_repeats_and_reports_the_median_and_the_spread(box):
    report = box.load_json(*box.game(), "--repeat", 3)
    repeats = report["repeats"]
    assert repeats["loads"] == 3, repeats
    assert list(repeats["seconds"]) == ["load", "mount", *report["stages"]], repeats
    kinds = {each["kind"] for each in repeats["measures"]}
    assert {"load", "stage", "cpu", "type", "mount", "file", "bytes"} <= kinds, kinds
    assert all(len(each["values"]) == 3 for each in repeats["measures"]), repeats
    for name, taken in repeats["seconds"].items():
        assert 0 <= taken["least"] <= taken["median"] <= taken["most"], (name, taken)
    assert repeats["seconds"]["load"]["median"] == report["seconds"], report
    text = box.load(*box.game(), "--repeat", 3)
    assert "3 loads; the rest of this report is of the median one" in text.out, text
    once = box.load_json(*box.game())
    assert once["repeats"]["loads"] == 1 and once["baseline"] is None, once


@case()
def load_is_compared_with_a_baseline(box):
    mounts = box.game()
    report = box.load_json(*mounts, "--repeat", 3)

    def against(change, *options):
        old = json.loads(json.dumps(report))
        change(old)
        box.write("old.json", json.dumps(old))
        return box.load(*mounts, "--baseline", "old.json", "--repeat", 3, *options)

    def took(seconds):
        def change(old):
            for each in old["repeats"]["measures"]:
                if each["name"] == "load":
                    each["values"] = [seconds] * 3

        return change

    faster = against(took(1e-9))
    assert faster.code == 4 and "\n  slower than old.json\n" in faster.out, faster
    assert "Compared with old.json" in faster.out, faster
    slower = against(took(1e6))
    assert slower.code == 0 and "\n  not slower than old.json\n" in slower.out, slower
    assert "not comparable" not in slower.out, slower
    assert json.loads(against(took(1e-9), "--json").out)["baseline"]["slower"] is True

    def other(old):
        took(1e6)(old)
        old["hash"], old["threads"] = "0" * 16, 193

    differs = against(other)
    assert "not comparable with old.json: the files differ" in differs.out, differs
    assert "not comparable with old.json: it had 193 threads" in differs.out, differs

    box.write("once.json", json.dumps(box.load_json(*mounts)))
    once = box.load(*mounts, "--baseline", "once.json", "--repeat", 3)
    assert once.code == 0 and "not judged against once.json" in once.out, once

    # What failed to load matters more than what took long.
    box.write("broken/a.png", png(8, 8, 2)[:60])
    mounts.append("broken")
    assert against(took(1e-9)).code == 1

    for text in ("", "{}", "[]", '{"repeats": {"seconds": 3}}', "no json"):
        box.write("bad.json", text)
        bad = box.load(*mounts, "--baseline", "bad.json")
        assert bad.code == 2 and "bad.json: not the JSON of a load" in bad.err, bad
    os.mkfifo(box.folder / "pipe")
    for other in ("pipe", "/dev/zero", "."):
        refused = box.load(*mounts, "--baseline", other)
        assert refused.code == 2 and "load: not a regular file" in refused.err, refused
    missing = box.load(*mounts, "--baseline", "none.json")
    why = "none.json: cannot read the earlier load: No such file"
    assert missing.code == 2 and why in missing.err, missing


@case()
def load_is_cold_on_demand(box):
    box.write("game/big.bin", os.urandom(4 << 20))
    box.zip("mods.zip", {"more.bin": os.urandom(32 << 20)})
    total = (4 << 20) + (32 << 20)
    warm = box.load_json("game", "mods.zip")["reads"]
    assert warm["cached_bytes"] + warm["disk_bytes"] >= total, warm
    result = box.load("game", "mods.zip", "--cold", "--json")
    assert result.code == 0, result
    cold = result.json()["reads"]
    # Where the system cannot drop them (a file system in memory), it says so.
    if "in its page cache, so the load is not quite cold" not in result.err:
        assert "page cache" not in result.err, result
        # Mounting reads the ends of an archive, and the system reads ahead: up to 8 MiB as seen.
        assert cold["disk_bytes"] >= total - (16 << 20), cold
        assert cold["cached_bytes"] + cold["disk_bytes"] >= total, cold
        assert 0 < cold["median_seconds"] <= cold["p99_seconds"], cold


@case()
def load_leaves_no_file_to_the_workers_alone(box):
    box.zip("large.zip", {f"{number}.bin": bytes(64 << 20) for number in range(4)})
    waits = box.load_json("large.zip", "--threads", "2")["waits"]
    assert "files for workers" not in waits, waits


@case()
def memory_that_a_timeline_only_reserves_does_not_count(box):
    box.write("game/a.txt", "a")
    for option, name in (("--trace", "t.json"), ("--html", "p.html")):
        report = box.load_json("game", option, name)
        assert report["memory"].get("trace", 0) < 1 << 20, (option, report["memory"])


@case()
def load_tells_what_deflate_packs_from_what_zstd_packs(box):
    texts = {f"{i}.txt": f"line {i}\n" * 500 for i in range(9)}
    box.zip("deflate.zip", texts)
    box.zip("stored.zip", {"a/" + name: text for name, text in texts.items()}, zipfile.ZIP_STORED)
    assert box.run("pack", "--zstd", "zstd.zip", "deflate.zip").code == 0
    found = {
        name: box.load_json(name)["deflated"] for name in ("deflate.zip", "stored.zip", "zstd.zip")
    }
    assert found["deflate.zip"]["files"] == 9, found
    assert found["deflate.zip"]["unpack_seconds"] > 0, found
    assert found["stored.zip"] == {"files": 0, "unpack_seconds": 0}, found
    assert found["zstd.zip"] == {"files": 0, "unpack_seconds": 0}, found


@case()
def load_warns_of_an_exclude_that_matches_nothing(box):
    mounts = box.game()
    idle = box.load(*mounts, "--exclude", "*.png", "--exclude", "look/*.png", "--repeat", 2)
    assert idle.code == 0, idle
    assert idle.err.count("warning: ") == 1, idle
    assert "--exclude look/*.png matches no file" in idle.err, idle
    assert box.load_json(*mounts, "--exclude", "*.png")["skipped"] == 2, "in subfolders, too"
    one_side = box.load(*mounts, "--against", "base", "--exclude", "ostia.txt", "--repeat", 1)
    assert one_side.err == "", one_side
    neither = box.load(*mounts, "--against", "base", "--exclude", "moon", "--repeat", 1)
    assert neither.err.count("--exclude moon matches no file") == 1, neither


@case()
def every_command_warns_of_an_exclude_that_matches_nothing(box):
    mounts = box.game()
    commands = (
        ("ls",),
        ("ls", "-r"),
        ("check",),
        ("pack", "packed.zip"),
        ("extract", "--to", "out"),
        ("load",),
    )
    for command in commands:
        done = box.run(*command, "--exclude", "*.txt", "--exclude", "moon/**", *mounts)
        assert done.err.count("warning: --exclude") == 1, (command, done)
        assert "warning: --exclude moon/** matches no file" in done.err, (command, done)

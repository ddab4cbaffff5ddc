#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""`overture watch` with slow starts that others have reported, rebuilt small: each cause is the
first finding, with its time and the place in the program.

    public_cases.py OVERTURE LIBRARY PROGRAM [CASE]
"""

import os
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

from watch import Box


class Cause(NamedTuple):
    kind: str
    words: str          # a pattern, of what is said of it
    is_timed: bool = True    # else its calls take no longer than the clock around them
    is_sampled: bool = False


CASES = {
    "starved-loader": Cause("spinning", r"the main thread spins .* calls of clock_gettime\(\)",
                            is_timed=False),
    "every-font": Cause("many-files", r"2,000 files in 10 folders, .* From .*knows_font",
                        is_timed=False),
    "unbuffered-texts": Cause("tiny-reads", r"300,001 of 300,001 reads got at most 64 bytes: "
                                            r".*/generals.str .* From unbuffered_texts",
                              is_timed=False),
    "stat-of-each-entry": Cause("look-ups", r"asked about each entry\. 20,400 questions .* "
                                            r"From search_in .* d_type", is_timed=False),
    "seeks-in-archive": Cause("seeking", r"seeks read .*/codelite.zip .* From .*seeks_in_archive",
                              is_timed=False),
    "quadratic-search": Cause("computing", r"in watched_public_cases\. By samples: item_of ",
                              is_timed=False, is_sampled=True),
    "silent-service": Cause("servers", r"1 wait ended without an answer, by a time-out, .*/bus"),
    "frame-for-each-file": Cause("frames", r"19 frames of .* from frame_after_each_file"),
    "decodes-on-main": Cause("decodes-on-main", r"The main thread decodes .*spng_decode_image"),
    "log-opened-for-each-line": Cause("writing", r"again to be written to: .*/game.log \(10,000\)",
                                      is_timed=False),
    "one-lock": Cause("contended-lock",
                      r"asked for at .*one_lock_for_all(| \(public_cases\.cpp:\d+\)) in "),
    "all-shaders": Cause("graphics", r"glCompileShader"),
    "index-for-each-file": Cause("read-again", r"mod\.sbm .* the program worked on what it had "
                                               r"read again for .* From index_of", is_timed=False),
    "unused-caches": Cause("new-memory", r"page faults .* mostly in is_valid_on_a_map",
                           is_timed=False, is_sampled=True),
    "commit-for-each-row": Cause("writing", r"[\d,]+ syncs waited .*skyrimnet\.db-journal "
                                            r".*one transaction", is_timed=False),
}


def names_the_cause(box, program, case):
    data = box.path / "data"
    subprocess.run([program, case, data, "prepare"], check=True)
    cause = CASES[case]
    printed, report = box.report(program, case)
    if cause.is_sampled and report["sample_ns"] == 0:
        return  # this system has no perf events for this user
    first = report["findings"][0]
    assert first["kind"] == cause.kind, report["findings"]
    words = " ".join([first["what"], *first["evidence"], first["advice"]])
    assert re.search(cause.words, words), (cause.words, words)
    if cause.is_timed:
        # Between the two clocks a thread may have had no core: the kernel says for how long.
        took, queued = int(printed), sum(each["queued_ns"] for each in report["threads"])
        assert abs(first["ns"] - took) < took * 0.05 + queued, (first, took, queued)


def main(overture, library, program, *cases):
    overture, library, program = map(os.path.abspath, (overture, library, program))
    for case in cases or CASES:
        with tempfile.TemporaryDirectory() as path:
            names_the_cause(Box(overture, library, path), program, case)


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
    else:
        main(*sys.argv[1:])

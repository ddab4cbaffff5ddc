# SPDX-License-Identifier: Zlib
"""What the command does where the system limits the process: address space, descriptors, processes
and stack, as `ulimit -v`, `-n`, `-u` and `-s` do."""

import os
import pathlib
import resource
import shutil
import subprocess

from harness import TIME_LIMIT_S, Result, case

KIB = 1 << 10
MIB = 1 << 20
PLAIN_USER = 65534
SEEDS = pathlib.Path(__file__).resolve().parents[2] / "fuzz" / "corpus" / "decoders"
# What the C and C++ libraries say when they end a process, or what has no words yet.
NOT_OURS = ("terminate", "Fatal", "glibc", "internal error", "std::", "what()", "Assertion")


def commands(box):
    """Commands, and whether their output is the same each time."""
    mounts = box.game()
    box.zip("many.zip", {f"{i:03}.txt": "abc" * i for i in range(200)})
    for name in ("mono.ogg", "residues.ogg", "lossless.webp", "silence.mp3", "progressive.jpg"):
        box.write(f"media/{name}", (SEEDS / name).read_bytes())
    objects = ("--objects", "2000", "--rounds", "1", "--threads", "8")
    return (
        (("--version",), True),
        (("help", "load"), True),
        (("load", *mounts), False),
        (("load", "--json", "--keep", "--threads", "8", "many.zip"), False),
        (("load", "-q", "--io", "uring", *mounts), False),
        (("load", "--trace", "trace.json", "--record", "load.record", *mounts), False),
        (("load", "--progress=always", "--threads", "8", "many.zip"), False),
        # One thread alone: libvorbis and libwebp look at no allocation, others could take the last.
        (("load", "--threads", "1", "media"), False),
        (("check", *mounts), False),
        (("ls", "-r", *mounts), True),
        (("cat", "maps/rome.txt", *mounts), True),
        (("which", "maps/rome.txt", *mounts), True),
        (("extract", "--overwrite", "--threads", "8", "--to", "out", "many.zip"), False),
        (("pack", "--overwrite", "all.zip", *mounts), False),
        (("pack", "--zstd", "--overwrite", "all.zip", "many.zip"), False),
        (("diff", "base", "dlc.zip"), True),
        (("formats",), True),
        (("save-bench", *objects), False),
        (("save-bench", "--progress=always", *objects), False),
        (("generate", "man"), True),
        (("boost", "list"), True),
        (("boost", "record", "--", "/bin/true"), False),
        (("physfs-env", "--report", "--", "/bin/true"), False),
    )


def run_limited(box, words, which=None, most=0):
    """Runs the command as a user without rights, whom all limits bind."""

    def limit():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(PLAIN_USER)
            os.setuid(PLAIN_USER)
        if which is not None:
            resource.setrlimit(which, (most, most))

    # Both are on the stack: what the caller's environment has must not count.
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(box.folder)}
    process = subprocess.Popen(
        [str(box.folder / "overture"), *words],
        cwd=box.folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=limit,
    )
    try:
        out, err = process.communicate(timeout=TIME_LIMIT_S)
    finally:
        process.kill()
    return Result(process.returncode, out.decode(), err.decode("utf-8", "replace"))


def is_loaders(result):
    """The program had no room for its libraries."""
    return result.code == 127 and "error while loading shared libraries" in result.err


def check(words, whole, found, same, where):
    told = (words, where, found)
    assert found.code in {0, 1, 3, 5, whole.code}, told
    assert not any(text in found.err for text in NOT_OURS), told
    if "--progress=always" not in words:
        lines = [line for line in found.err.splitlines() if line != whole.err.strip()]
        assert all(line.startswith(("error: ", "warning: ")) for line in lines), told
    if found.code == 0:
        assert not same or found.out == whole.out, told
    else:  # these three say in their report what failed
        has_report = words[0] in ("load", "check", "diff") and found.out
        assert "error: " in found.err or has_report, told


def sweep(box, which, values):
    box.folder.chmod(0o777)
    shutil.copy(box.overture, box.folder / "overture")
    all_commands = commands(box)
    for path in box.folder.rglob("*"):
        path.chmod(0o777)
    loaded = [
        most for most in values if not is_loaders(run_limited(box, ["--version"], which, most))
    ]
    assert len(loaded) > 1, (values, "the program was never loaded")
    for words, same in all_commands:
        whole = run_limited(box, words)
        for most in loaded:
            found = run_limited(box, words, which, most)
            if not is_loaders(found):
                check(words, whole, found, same, (which, most))
    return all_commands


SHORT = {
    "address_space": (resource.RLIMIT_AS, [each * MIB for each in (20, 32, 48, 96, 180, 250, 500)]),
    "descriptors": (resource.RLIMIT_NOFILE, (4, 5, 6, 8, 12, 24)),
    "processes": (resource.RLIMIT_NPROC, (0, 2, 5)),
    "stack": (resource.RLIMIT_STACK, (64 * KIB, 256 * KIB, 600 * KIB)),
}
# The first values at which the program loads depend on the libraries of the system.
LONG = {
    "address_space": (
        resource.RLIMIT_AS,
        [each * MIB for each in (*range(10, 64), *range(64, 300, 4), *range(300, 2200, 100))],
    ),
    "descriptors": (resource.RLIMIT_NOFILE, (*range(64), 100, 200)),
    "processes": (resource.RLIMIT_NPROC, range(40)),
    "stack": (
        resource.RLIMIT_STACK,
        [each * KIB for each in (*range(40, 256, 8), *range(256, 1200, 50), 8192)],
    ),
}


def limited(name, which, values):
    def ends_with_a_status_and_a_sentence(box):
        sweep(box, which, values)

    ends_with_a_status_and_a_sentence.__name__ = name
    return ends_with_a_status_and_a_sentence


for kind, (which_limit, few) in SHORT.items():
    case("unsanitized")(limited(f"little_{kind}_ends_with_a_sentence", which_limit, few))
for kind, (which_limit, all_values) in LONG.items():
    case("unsanitized", "long")(
        limited(f"any_limit_of_{kind}_ends_with_a_sentence", which_limit, all_values)
    )

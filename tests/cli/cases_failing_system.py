# SPDX-License-Identifier: Zlib
"""What the command does when the system refuses calls and memory."""

import errno
import re

from harness import case

# Preloading does not mix with sanitizers, which replace the same functions.
UNSANITIZED = "unsanitized"


def every_command(box):
    """Each command over the folder `base`, which has base/gfx/a, base/maps/b and base/z."""
    box.write("base/gfx/a", "a")
    box.write("base/maps/b", "b")
    box.write("base/z", "z")
    box.write("other/z", "y")
    return (
        ("load", "base"),
        ("load", "-q", "base"),
        ("load", "--json", "base"),
        ("check", "base"),
        ("check", "-q", "base"),
        ("check", "--json", "base"),
        ("ls", "-r", "base"),
        ("ls", "--json", "base"),
        ("cat", "z", "base"),
        ("which", "z", "base"),
        ("diff", "base", "other"),
        ("extract", "--overwrite", "--to", "out", "base"),
        ("extract", "-q", "--overwrite", "--to", "out", "base"),
    )


def each_failure(box, call, error, make, expected):
    """Fails the n-th call, n = 1, ..., until the command makes fewer. `expected` gets each result
    and n."""
    for arguments in make:
        n = 1
        while True:
            result = box.run_refusing(call, *arguments, first=n, errno=error)
            if not result.refused:
                assert result.code == 0, (arguments, n, result)
                break
            expected(result, arguments, n)
            n += 1
        assert n > 2, (arguments, "the call was never refused")


@case(UNSANITIZED)
def a_folder_that_cannot_be_opened_is_named_by_every_command(box):
    def expected(result, arguments, n):
        if result.code == 0:  # the look for temporary files that an earlier run has left
            assert arguments[0] == "extract", (arguments, n, result)
            return
        if n == 1:  # the root
            assert result.code == 3 and "base: cannot list the folder" in result.err, result
            return
        assert result.code == 1, (arguments, n, result)
        named = [f"error: base/{name}: cannot list the folder (" for name in ("gfx", "maps")]
        if arguments[0] == "extract":  # the search for files of the mounts that it would replace
            named.append("error: base: cannot list the folder (")
        assert any(text in result.err for text in named), (arguments, n, result)

    for error in (errno.EMFILE, errno.EACCES):
        commands = [each for each in every_command(box) if each[0] != "diff"]
        each_failure(box, "opendir", error, commands, expected)


@case(UNSANITIZED)
def a_folder_that_fails_in_the_middle_is_named_by_every_command(box):
    def expected(result, arguments, n):
        if result.code == 0 and arguments[0] == "extract":  # as above
            return
        assert result.code in (1, 3), (arguments, n, result)
        assert ": cannot list the folder (Input/output error)" in result.err, (arguments, result)

    each_failure(box, "readdir", errno.EIO, every_command(box), expected)


@case(UNSANITIZED)
def reports_list_what_could_not_be_read(box):
    every_command(box)
    refuse = {"first": 2, "errno": errno.EACCES}
    for command in ("load", "check"):
        report = box.run_refusing("opendir", command, "--json", "base", **refuse)
        failures = report.json()["mount_failures"]
        assert len(failures) == 1 and failures[0]["path"] in ("gfx", "maps"), report
        assert failures[0]["code"] == "permission" and failures[0]["mount"] == "base", report
        text = box.run_refusing("opendir", command, "base", **refuse)
        told = "files are missing: 1 folder, link, name or header could not be read"
        assert told in text.out, text
        assert "(base): mount: cannot list the folder (Permission denied)" in text.out, text
    assert "incomplete: 2 files intact, but " in text.out and "\nintact" not in text.out, text
    box.zip("mods/one.zip", {"a": "a"})
    listing = box.run_refusing("readdir", "ls", "--archives-in", "mods", errno=errno.EIO)
    assert listing.code == 3 and "mods: cannot list the folder" in listing.err, listing


@case(UNSANITIZED)
def links_out_of_a_folder_are_refused_without_openat2(box):
    box.write("base/maps/a.txt", "a")
    box.write("outside/b.txt", "b")
    plain = box.run_refusing("openat2", "cat", "maps/a.txt", "base", errno=errno.ENOSYS)
    assert plain.refused and (plain.code, plain.out) == (0, "a"), plain
    # Listing refuses the link; opening has to refuse it too when it comes later, which
    # tests/base/system/os_linux_test.cpp checks.
    (box.folder / "base/link").symlink_to("../outside")
    found = box.run_refusing("openat2", "cat", "link/b.txt", "base", errno=errno.ENOSYS)
    assert found.code == 1 and found.out == "", found


@case(UNSANITIZED)
def extract_ends_at_once_when_the_disk_is_full(box):
    for i in range(20):
        box.write(f"base/{i:02}.txt", "text\n")
    words = ("extract", "--to", "out", "--threads", "1", "base")
    full = box.run_refusing("write", *words, first=4, errno=errno.ENOSPC, all_after=True)
    assert full.refused and (full.code, full.out) == (5, ""), full
    assert full.err == (
        "error: out: cannot write (No space left on device); 3 of 20 files are written and whole; "
        "make room, then go on with --resume\n"
    ), full
    written = sorted((box.folder / "out").iterdir())
    assert [each.read_text() for each in written] == ["text\n"] * 3, written
    # One file that cannot be written is only that.
    words = ("extract", "--overwrite", *words[1:])
    one = box.run_refusing("write", *words, first=4, errno=errno.EFBIG)
    assert one.code == 5 and one.out.startswith("19 files, "), one
    assert "03.txt: cannot write (File too large)" in one.err, one


def memory_commands(box):
    """Commands, and whether their output is the same each time."""
    box.write("base/gfx/a", "a")
    box.write("base/maps/b", "b")
    box.zip("mods.zip", {"maps/b": "other", "c": "c" * 5000})
    box.write("right/gfx/a", "A")
    return (
        (("--version",), True),
        (("ls", "-r", "base", "mods.zip"), True),
        (("ls", "-l", "--json", "base"), True),
        (("cat", "c", "base", "mods.zip"), True),
        (("cat", "nothing", "base"), False),
        (("which", "gfx/a", "base", "mods.zip"), True),
        (("diff", "base", "right"), True),
        (("diff", "--json", "base", "right"), True),
        (("extract", "--overwrite", "--threads", "4", "--to", "out", "base", "mods.zip"), True),
        (("check", "base", "mods.zip"), False),
        (("load", "base", "mods.zip"), False),
        (("load", "--json", "--keep", "base", "mods.zip"), False),
        (("load", "--trace", "trace.json", "base"), False),
        (("save-bench", "--objects", "2000", "--rounds", "1", "--json"), False),
    )


def temporary_files(box):
    return list(box.folder.glob("out/**/.overture-*"))


def without_sync_time(text):
    """extract tells how long the disk took if that was long."""
    return re.sub(r"; the disk took [^;\n]* more", "", text)


def refuse_memory(box, arguments, same, all_after, step):
    temporary = box.folder / "tmp"
    temporary.mkdir(exist_ok=True)
    whole = box.run(*arguments)
    first = 1
    while True:
        result = box.run_refusing(
            "malloc",
            *arguments,
            first=first,
            errno=errno.ENOMEM,
            all_after=all_after,
            env={"TMPDIR": str(temporary)},
        )
        if not result.refused:
            break
        where = (arguments, first, all_after, result)
        first += step
        assert result.code in (whole.code, 5), where
        assert not list(temporary.iterdir()), where
        assert not temporary_files(box), where
        assert "terminate" not in result.err and "Fatal" not in result.err, where
        if result.code == 5:
            assert "memory" in result.err, where
        elif same:  # it did not need that memory
            assert without_sync_time(result.out) == without_sync_time(whole.out), where
    assert first > 1, (arguments, "no memory was refused")
    if (box.folder / "out").exists():
        assert (box.folder / "out/c").read_text() == "c" * 5000


@case(UNSANITIZED)
def without_memory_the_command_says_so(box):
    for arguments, same in memory_commands(box):
        for all_after in (False, True):
            refuse_memory(box, arguments, same, all_after, step=23)


# In parts, so that each ends in time on a busy machine.
EVERY_POSITION_PARTS = 6


def at_every_position(part):
    def without_memory_the_command_says_so(box):
        for arguments, same in memory_commands(box)[part::EVERY_POSITION_PARTS]:
            for all_after in (False, True):
                refuse_memory(box, arguments, same, all_after, step=1)

    without_memory_the_command_says_so.__name__ += f"_at_every_position_{part + 1}"
    return without_memory_the_command_says_so


for every_position_part in range(EVERY_POSITION_PARTS):
    case(UNSANITIZED, "long")(at_every_position(every_position_part))

# SPDX-License-Identifier: Zlib
"""The manual page and the completions."""

import re
import subprocess

from harness import case

COMMANDS = ("load", "check", "ls", "cat", "which", "diff", "extract", "generate",
            "report", "save-bench")


def page(box, kind):
    result = box.run("generate", kind)
    assert (result.code, result.err) == (0, ""), result
    return result.out


def options_in_help(box, command):
    text = box.run("help", command).out
    return set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE))


@case()
def completions_are_what_the_help_says(box):
    bash, man = page(box, "bash"), page(box, "man")
    for command in COMMANDS:
        offered = re.search(rf'\n    {command}\)\n      options="(.*)"\n', bash).group(1)
        expected = options_in_help(box, command)
        assert expected <= set(offered.split()), (command, expected, offered)
        for option in expected:
            assert option.replace("-", "\\-") in man, (command, option)
    wrong = box.run("generate", "tcsh")
    assert wrong.code == 2 and "not one of man, bash, zsh, fish" in wrong.err, wrong


@case()
def completions_are_valid(box):
    for shell, options in (("bash", ("-n",)), ("zsh", ("-n",)), ("fish", ("--no-execute",))):
        script = box.write(shell, page(box, shell))
        subprocess.run((shell, *options, script), check=True)


@case()
def bash_completes_commands_options_and_values(box):
    box.write("completion", page(box, "bash"))

    def completed(*words):
        script = (
            "compopt() { :; }; . ./completion; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
            '_overture; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        told = subprocess.run(
            ("bash", "-c", script, "bash", "overture", *words),
            cwd=box.folder,
            capture_output=True,
            text=True,
            check=True,
        )
        return told.stdout.split()

    assert completed("ex") == ["extract"]
    assert completed("help", "wh") == ["which"]
    assert "--archives-in" in completed("load", "--")
    assert completed("load", "--color", "a") == ["auto", "always"]
    assert completed("load", "--threads", "") == []
    assert completed("extract", "--to", "comp") == ["completion"]
    assert completed("load", "comp") == ["completion"]


@case()
def the_manual_page_is_valid(box):
    box.write("overture.1", page(box, "man"))
    done = subprocess.run(
        ("groff", "-man", "-ww", "-Tutf8", "overture.1"),
        cwd=box.folder,
        capture_output=True,
        check=True,
    )
    assert done.stderr == b"", done.stderr

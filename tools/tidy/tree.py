# SPDX-License-Identifier: Zlib
"""The files of the repository, for tidy.py: their lines, their code and their prose."""

import pathlib
import re

SKIPPED_FOLDERS = {".git", ".cache", "build", "__pycache__"}
DATA_FOLDERS = {"golden", "corpus"}  # input and expected output, byte for byte
CODE = {".cpp", ".hpp", ".h"}
TEXT = CODE | {".c", ".py", ".cmake", ".in", ".json", ".md", ".txt", ".sh"}
TEXT_NAMES = {"dev", "run", "LICENSE", ".clang-format", ".clang-tidy", ".gitignore"}


class File:
    def __init__(self, root, path):
        self.path = path.relative_to(root).as_posix()
        self.parts = self.path.split("/")
        self.suffix = path.suffix
        self.stem = path.stem
        self.size = path.stat().st_size
        self.is_code = self.suffix in CODE
        is_data = DATA_FOLDERS.intersection(self.parts[:-1])
        self.is_text = not is_data and (self.suffix in TEXT or path.name in TEXT_NAMES)
        self.text = path.read_text(encoding="utf-8", errors="replace") if self.is_text else ""
        self.lines = self.text.split("\n")
        self.code = code_lines(self.text) if self.is_code else []

    def below(self, *folders):
        return self.parts[0] in folders

    def includes(self):
        for number, line in enumerate(self.lines, 1):
            found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if found:
                yield number, found.group(1)


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.files = [File(self.root, path) for path in sorted(self.walk(self.root))]
        self.paths = {file.path for file in self.files}

    def walk(self, folder):
        for path in folder.iterdir():
            if path.is_symlink():
                continue
            if path.is_dir():
                if path.name not in SKIPPED_FOLDERS:
                    yield from self.walk(path)
            else:
                yield path

    def code(self, *folders):
        return [file for file in self.files if file.is_code and file.below(*folders)]


LITERAL_OR_COMMENT = re.compile(
    r"""R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*\""""
    r"""|(?<!\w)'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*.*?\*/""",
    re.DOTALL,
)


MARKDOWN_CODE = re.compile(r"^```.*?^```|`[^`]*`", re.DOTALL | re.MULTILINE)


def blanked(found):
    return re.sub(r"[^\n]", " ", found.group(0))


def code_lines(text):
    """The lines of a source with comments and the insides of literals blanked."""
    return LITERAL_OR_COMMENT.sub(blanked, text).split("\n")


def prose_lines(file):
    """The lines of a file with all but prose blanked: code outside of comments and literals, and
    what Markdown marks as code."""
    if file.is_code:
        return [
            "".join(was if now == " " else " " for was, now in zip(line, code))
            for line, code in zip(file.lines, file.code)
        ]
    if file.suffix != ".md":
        return file.lines
    return MARKDOWN_CODE.sub(blanked, file.text).split("\n")

# SPDX-License-Identifier: Zlib
"""Puts together what Sphinx reads: the documentation, public headers, and what they link to.

  stage.py FOLDER PAGES    makes FOLDER, with the repository's own layout; PAGES has what the
                           command generates: overture.1 and the completions

A link to a source leads to a page with that source, one to a folder to a list of its sources.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANGUAGES = {".c": "c", ".h": "cpp", ".hpp": "cpp", ".cpp": "cpp", ".json": "json",
             ".py": "python", ".sh": "sh", ".cmake": "cmake"}
LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(#[^)\s]*)?(?=\))")
ORPHAN = "---\norphan: true\n---\n"  # for Sphinx: in no list of contents
FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)


def documents():
    """The Markdown files of the site, as paths in the repository."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "compat/physfs/README.md",
             ROOT / "bindings/python/README.md"]
    return sorted(path.relative_to(ROOT) for path in found)


class Stage:
    def __init__(self, to):
        self.to = to
        self.wanted = []  # sources and folders that are linked to

    def write(self, path, text):
        (self.to / path).parent.mkdir(parents=True, exist_ok=True)
        (self.to / path).write_text(text)

    def add_document(self, path, text):
        """A page; its links to folders become links to lists. The front page is called Overture, so
        README gets a name of its own."""
        if path == pathlib.Path("README.md"):
            text = text.replace("# Overture\n", "# Getting started\n", 1)
        parts = FENCE.split(text)
        parts[::2] = [LINK.sub(lambda link: self.link(path, link), part) for part in parts[::2]]
        self.write(path, "".join(parts))

    def link(self, path, link):
        target = link.group(1)
        full = (ROOT / path.parent / target).resolve()
        if not full.is_relative_to(ROOT) or not full.exists():
            return link.group()  # Sphinx says where it stands
        inside = full.relative_to(ROOT)
        if full.is_dir():
            self.wanted.append(inside)
            return f"{target.rstrip('/')}/sources.md"
        if full.suffix in LANGUAGES and not is_public_header(inside):
            self.wanted.append(inside)
            return target + ".md"
        return link.group()

    def add_wanted(self):
        """Sources that are linked to; a folder brings all below it."""
        for path in sorted(set(self.wanted)):
            if (ROOT / path).is_file():
                self.add_source(path)
                continue
            sources = sorted(each.relative_to(ROOT / path) for each in (ROOT / path).rglob("*")
                             if each.suffix in LANGUAGES and "build" not in each.parts)
            for each in sources:
                self.add_source(path / each)
            lines = "".join(f"- [{each}]({each}.md){purpose(ROOT / path / each)}\n"
                            for each in sources)
            self.write(path / "sources.md", f"{ORPHAN}# {path}\n\n{lines}")

    def add_source(self, path):
        text = (ROOT / path).read_text()
        fence = "`" * 8
        self.write(f"{path}.md", f"{ORPHAN}# {path}\n\n{fence}{language(path, text)}\n{text}\n"
                                 f"{fence}\n")

    def add_file(self, path):
        (self.to / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, self.to / path)


def language(path, text):
    """What colours it: nothing where it is malformed on purpose, as some data of examples is."""
    if path.suffix == ".json":
        try:
            json.loads(text)
        except ValueError:
            return "text"
    return LANGUAGES[path.suffix]


def purpose(path):
    """What a source says of itself: the first sentence of the comment at its top."""
    words = []
    for line in path.read_text().splitlines():
        text = re.sub(r'^(//|/\*|#|"""| \*)', "", line)
        if "SPDX" in line or line.startswith("#!") or not words and not text.strip():
            continue
        if text == line and not words or text.startswith(("include", "pragma")) or not text.strip():
            break
        words += text.replace('"""', "").split()
    sentence = re.split(r"(?<=\.) (?=[A-Z])", " ".join(words))[0].rstrip(".:")
    return f": {sentence}." if sentence else ""


def is_public_header(path):
    return path.parts[:2] == ("include", "overture") and "detail" not in path.parts


def add_manual_page(stage, pages):
    """The manual page as mandoc shows it, and the completions to download."""
    page = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", pages / "overture.1"],
                          check=True, capture_output=True, text=True).stdout
    page = re.sub(r'<table class="(head|foot)">.*?</table>', "", page, flags=re.DOTALL)
    page = page.replace("<br/>\n", "")  # between the lines of examples
    page = re.sub(r"(</?h)2", r"\g<1>3", page)  # the page has a title above these
    page = re.sub(r"(</?h)1", r"\g<1>2", page)
    shells = {"bash": "overture", "zsh": "_overture", "fish": "overture.fish"}
    for name in shells.values():
        (stage.to / "completions" / name).parent.mkdir(exist_ok=True)
        shutil.copy2(pages / name, stage.to / "completions" / name)
    links = ", ".join(f"[{shell}](completions/{name})" for shell, name in shells.items())
    stage.write("manual_page.md", "# Manual page\n\n"
                "What `man overture` shows once the command is installed, and `overture generate"
                f" man` prints. Completions for {links} are installed with it.\n\n"
                f"```{{raw}} html\n{page}\n```\n")


def main(folder, pages):
    stage = Stage(pathlib.Path(folder))
    shutil.rmtree(stage.to, ignore_errors=True)
    for path in documents():
        stage.add_document(path, (ROOT / path).read_text())
    front = pathlib.Path("index.md")
    text = (ROOT / "tools/site/index.md").read_text()
    stage.add_document(front, f"---\nhide-toc: true\n---\n{text}")
    for folder_name in ("docs/pictures", "docs/plots"):
        shutil.copytree(ROOT / folder_name, stage.to / folder_name)
    stage.add_file("LICENSE")
    for header in (ROOT / "include/overture").rglob("*.h*"):
        if is_public_header(header.relative_to(ROOT)):
            stage.add_file(header.relative_to(ROOT))
    add_manual_page(stage, pathlib.Path(pages))
    stage.add_wanted()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

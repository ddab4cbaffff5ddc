# SPDX-License-Identifier: Zlib
"""Takes a comment of a header apart: paragraphs, headings, lists, code and tables.

Comments are plain text as people write it. What is indented is code, a table of two columns, text
under a heading, or, if it is none of these, left as it stands.
"""

import re
from dataclasses import dataclass, field

WIDTH = 97  # of a comment's text: 100 columns without "// "
CODE = re.compile(r"[;{}]\s*(//.*)?$|^\s*//|^\s*#(include|define|if)|^\s*(\.\.\. |if \(|return )")
COLUMNS = re.compile(r"\S   +\S")
NUMBERED = re.compile(r"\(\w\) ")
SHELL = re.compile(r"^\s*(cmake |\./dev |LD_PRELOAD=|OVERTURE_\w+=|overture )")


@dataclass
class Block:
    kind: str  # paragraph, heading, list, code, table, plain
    text: str = ""
    language: str = ""
    items: list = field(default_factory=list)  # of a list: lists of blocks; of a table: rows


def parse(text, indent=0):
    """The blocks of a comment that is indented so far."""
    return blocks_of(text.split("\n"), WIDTH - indent)


def blocks_of(lines, width):
    blocks = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("  "):
            end = end_of_indented(lines, at)
            blocks += indented(lines[at:end], width)
            at = end
        elif line.startswith("- "):
            at = read_list(lines, at, width, blocks)
        else:
            at = read_paragraph(lines, at, width, blocks)
    return blocks


def end_of_indented(lines, at):
    """Where the indented lines end: empty lines among them belong to them."""
    end = at
    while at < len(lines):
        if lines[at].startswith("  "):
            end = at + 1
        elif lines[at].strip():
            break
        at += 1
    return end


def dedented(lines):
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return [line[margin:] for line in lines], margin


def indented(lines, width):
    """The blocks of indented lines: each part between empty lines is one thing."""
    lines, margin = dedented(lines)
    blocks = []
    part = []
    for line in [*lines, ""]:
        if line.strip():
            part.append(line)
        elif part:
            add_indented(blocks, part, width - margin)
            part = []
    return blocks


def add_indented(blocks, lines, width):
    text = "\n".join(lines)
    last = blocks[-1] if blocks else Block("")
    language = language_of(lines)
    if language and last.kind == "code" and last.language == language:
        last.text += "\n\n" + text
    elif language:
        blocks.append(Block("code", text, language))
    elif rows := table_rows(lines):
        blocks.append(Block("table", items=rows))
    elif lines[0].startswith("- "):
        blocks += blocks_of(lines, width)
    elif NUMBERED.match(lines[0]):
        parts = re.split(r"\n(?=\(\w\) )", text)
        blocks.append(Block("list", items=[blocks_of(part.split("\n"), width) for part in parts]))
    elif any(map(COLUMNS.search, lines)) or len(text) <= 40 and text[-1] != ".":
        blocks.append(Block("plain", text))
    else:
        blocks += blocks_of(lines, width)


def language_of(lines):
    if any(SHELL.search(line) for line in lines):
        return "sh"
    code = sum(bool(CODE.search(line)) for line in lines)
    return "cpp" if code >= 0.3 * len(lines) and not NUMBERED.match(lines[0]) else ""


def table_rows(lines):
    """The rows of a table with two columns, or nothing if it is not one."""
    columns = [found.end() - 1 for line in lines
               if (found := re.match(r"\S.*?\S?  +\S", line))]
    if not columns:
        return []
    column = max(set(columns), key=columns.count)
    rows = []
    for line in lines:
        if not line.strip():
            continue
        left, right = line[:column], line[column:]
        if "  " not in line and not line.startswith(" ") and rows:
            rows.append([line, ""])
            continue
        if left and not left.endswith("  ") and left.strip() or re.search(r"\S    +\S", right):
            return []
        if left.strip() and not left.startswith(" "):
            rows.append([left.strip(), right.strip()])
        elif rows and not left.strip():
            rows[-1][1] += " " + right.strip()
        else:
            return []
    return rows if len(rows) > 1 else []


def read_list(lines, at, width, blocks):
    items = []
    while at < len(lines) and lines[at].startswith("- "):
        item = [lines[at][2:]]
        at += 1
        while at < len(lines) and lines[at].startswith("  "):
            item.append(lines[at][2:])
            at += 1
        items.append(blocks_of(item, width - 2))
        while at < len(lines) and not lines[at].strip():
            at += 1
    blocks.append(Block("list", items=items))
    return at


def read_paragraph(lines, at, width, blocks):
    start = at
    words = []
    while at < len(lines) and lines[at].strip() and not lines[at].startswith(("  ", "- ")):
        if words and ended_early(words[-1], lines[at], width):
            blocks.append(Block("paragraph", " ".join(words)))
            words = []
        words.append(lines[at].strip())
        at += 1
    text = " ".join(words)
    followed = at < len(lines) and lines[at].startswith("  ")
    if at == start + 1 and followed and len(text) <= 60 and text[-1] not in ".:;,":
        end = end_of_indented(lines, at)
        blocks.append(Block("heading", text))
        blocks += under_heading(lines[at:end], width)
        return end
    if at == start + 1 and text.startswith("return ") and text.endswith(";"):
        blocks.append(Block("code", text, "cpp"))
    else:
        blocks.append(Block("paragraph", text))
    return at


def under_heading(lines, width):
    """What is indented under a heading: text, unless it looks like something else."""
    inner = indented(lines, width)
    if inner[0].kind == "plain":
        lines, margin = dedented(lines)
        return blocks_of(lines, width - margin)
    return inner


def ended_early(line, following, width):
    """Whether a line ends where the author wanted it to: the next word would have had room."""
    return (line.endswith((".", ":")) and following[0].isupper()
            and len(line) + 1 + len(following.split()[0]) <= width)

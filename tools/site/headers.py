# SPDX-License-Identifier: Zlib
"""What the public headers declare, as libclang sees it, with the comments that they have.

A header is a manual page in `//` comments and then declarations. Comment lines directly above a
declaration are its text; declarations that follow without a comment and without an empty line
share it. Nothing in detail/, in a namespace detail or NAME_detail, or private is for callers.
"""

import os
import re
from dataclasses import dataclass, field

from clang import cindex

SCOPES = {"NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL"}
CLASSES = {"CLASS_DECL", "STRUCT_DECL", "UNION_DECL", "CLASS_TEMPLATE",
           "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION"}
IGNORED = {"STATIC_ASSERT", "FRIEND_DECL", "USING_DIRECTIVE", "CXX_ACCESS_SPEC_DECL",
           "NAMESPACE_ALIAS", "PARM_DECL"}
FUNCTIONS = {"CXX_METHOD", "FUNCTION_DECL", "FUNCTION_TEMPLATE", "CONSTRUCTOR", "DESTRUCTOR",
             "CONVERSION_FUNCTION"}
OPENED = {"overture", "text", "literals", "sdl", ""}  # what programs name without saying more
MACRO = re.compile(r"\bOVERTURE_(?:C_|SOUNDS_|LOADERS_)?API\s+")


@dataclass
class Entry:
    """Declarations that share a text, or a class with its members."""
    names: list = field(default_factory=list)
    text: str = ""
    code: str = ""
    kind: str = ""  # "class" has members; "code" stands as it is
    functions: bool = False
    members: list = field(default_factory=list)
    first_line: int = 0
    last_line: int = 0
    indent: int = 0  # of its comment
    scope: str = ""  # a namespace of its own: limits

    @property
    def is_type(self):
        return self.kind != "" or re.match(
            r"(template <.*>\s+)?(using|typedef|concept) ", self.code, re.DOTALL) is not None

    @property
    def title(self):
        brackets = "()" if self.functions else ""
        names = ", ".join(dict.fromkeys(name + brackets for name in self.names))
        return f"{self.scope}: {names}" if self.scope else names


@dataclass
class Header:
    path: str  # overture/sync/barricade.hpp
    manual: str
    includes: list
    entries: list


def public_headers(include):
    """The paths below `include` of all headers that are for callers."""
    return sorted(str(path.relative_to(include)) for path in include.rglob("*.h*")
                  if "detail" not in path.parts)


def parse(include, paths, arguments=()):
    """A Header for each of these paths below `include`."""
    everything = "".join(f'#include "{path}"\n' for path in paths)
    index = cindex.Index.create()
    unit = index.parse("all.cpp", args=["-xc++", "-std=c++20", f"-I{include}", *arguments],
                       unsaved_files=[("all.cpp", everything)])
    problems = [str(each) for each in unit.diagnostics if each.severity >= 3]
    if problems:
        raise RuntimeError("clang cannot read the headers:\n" + "\n".join(problems[:10]))
    cursors = {}
    for cursor in unit.cursor.get_children():
        if cursor.location.file:
            cursors.setdefault(cursor.location.file.name, []).append(cursor)
    return {path: read(include / path, path, cursors.get(str(include / path), []))
            for path in paths}


def read(file, path, cursors):
    source = file.read_text()
    lines = source.splitlines()
    includes = re.findall(r'^#include "(overture/[^"]+)"', source, re.MULTILINE)
    header = Header(path, manual_of(lines), includes, [])
    reader = Reader(source)
    for cursor in cursors:
        reader.scope(cursor, header.entries)
    reader.macros(header.entries)
    return header


def manual_of(lines):
    """The comment above #pragma once, without the licence."""
    text = []
    for line in lines[2:]:
        if not line.startswith("//"):
            break
        text.append(line[3:])
    return "\n".join(text)


class Reader:
    """Makes entries from the cursors of one header."""

    def __init__(self, source):
        self.bytes = source.encode()
        self.lines = source.splitlines()
        self.namespace = ""

    def scope(self, cursor, into):
        kind = cursor.kind.name
        if kind in SCOPES:
            if kind == "NAMESPACE" and is_private_namespace(cursor.spelling):
                return
            outer = self.namespace
            if kind == "NAMESPACE":
                self.namespace = "" if cursor.spelling in OPENED else cursor.spelling
            for child in cursor.get_children():
                self.scope(child, into)
            self.namespace = outer
            return
        self.add(cursor, into)

    def add(self, cursor, into):
        """Adds a declaration: to the entry before it, or as one of its own."""
        if not is_for_callers(cursor):
            return
        first, last = cursor.extent.start.line, cursor.extent.end.line
        previous = into[-1] if into else None
        if previous and previous.last_line >= first:  # several declarators in one line
            self.join_line(cursor, previous)
            return
        text, above = self.comment_above(first)
        name = name_of(cursor)
        code = self.declaration(cursor)
        is_class = cursor.kind.name in CLASSES
        is_function = cursor.kind.name in FUNCTIONS
        shares_text = (not text and not is_class and previous and previous.kind == ""
                       and previous.last_line == above and previous.functions == is_function)
        if shares_text:
            if not cursor.is_deleted_method():
                previous.names.append(name)
            previous.code += "\n" + code
            previous.last_line = last
            return
        kind = "code" if cursor.kind.name == "ENUM_DECL" else ""
        into.append(Entry([name], text, code, kind, is_function, [], first, last,
                          self.indent_of(first), self.namespace))
        if is_class:
            self.fill_class(cursor, into[-1])

    @staticmethod
    def join_line(cursor, entry):
        name = name_of(cursor)
        if name and name not in entry.names and entry.kind != "class":
            entry.names.append(name)

    def fill_class(self, cursor, entry):
        """Decides whether a class is shown whole, as a struct of options, or by its members."""
        entry.kind = "code"
        if is_plain(cursor):
            entry.code = self.without_bodies(cursor)
            return
        entry.kind = "class"
        entry.code = self.head(cursor)
        outer, self.namespace = self.namespace, ""
        for child in cursor.get_children():
            self.add(child, entry.members)
        self.namespace = outer

    def comment_above(self, first):
        """The comment lines directly above a line, and the number of the line above those."""
        at = first - 1
        text = []
        while at >= 1 and self.lines[at - 1].lstrip().startswith("//"):
            line = self.lines[at - 1].lstrip()
            if not line.startswith(("// NOLINT", "// clang-format")):
                text.insert(0, line[3:])
            at -= 1
        if text and re.match(r"-+ .* -+$", text[0]):  # a heading between declarations
            del text[0]
        return "\n".join(text), at

    def indent_of(self, line):
        return len(self.lines[line - 1]) - len(self.lines[line - 1].lstrip())

    def slice(self, start, end):
        return self.bytes[start:end].decode()

    def source(self, start, end, line):
        """The bytes from start to end as code, dedented as the line is indented."""
        indent = self.indent_of(line)
        return tidied(re.sub(rf"^ {{0,{indent}}}", "", self.slice(start, end), flags=re.MULTILINE))

    def declaration(self, cursor):
        """A declaration without its body, with a comment at the end of its line."""
        start, end, body = span(cursor, self.bytes)
        code = self.source(start, body or end, cursor.extent.start.line)
        if cursor.kind.name in ("CONSTRUCTOR", "FUNCTION_TEMPLATE") and body:
            code = without_initialisers(code)
        code = code.rstrip().rstrip(";") + ";"
        if not body:
            rest = self.slice(end, self.bytes.find(b"\n", end)).strip()
            if rest.startswith(";"):
                rest = rest[1:].strip()
            if rest.startswith("//"):
                code += "  " + rest
                code += self.continued_comment(cursor.extent.end.line)
        return code

    def continued_comment(self, line):
        """Lines that carry on a comment at the end of a line, in the same column."""
        column = self.lines[line - 1].find("//")
        text = ""
        while line < len(self.lines):
            more = self.lines[line]
            if more.lstrip().startswith("//") and more.find("//") == column:
                text += "\n" + more.strip()
                line += 1
            else:
                break
        return text

    def head(self, cursor):
        """class NAME : bases, without what is inside."""
        start = cursor.extent.start.offset
        end = self.bytes.find(b"{", start)
        for child in cursor.get_children():  # a requires clause may have braces
            if child.kind.name == "CXX_BASE_SPECIFIER":
                end = self.bytes.find(b"{", child.extent.end.offset)
        return self.source(start, end, cursor.extent.start.line).rstrip() + ";"

    def without_bodies(self, cursor):
        """A struct as it stands, without the bodies of functions, friends and checks."""
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        cuts = []
        for child in cursor.get_children():
            if child.kind.name in ("FRIEND_DECL", "STATIC_ASSERT"):
                cuts.append((*self.whole_lines(child), b""))
            elif child.kind.name in FUNCTIONS:
                body = span(child, self.bytes)[2]
                if body:
                    cuts.append((body, child.extent.end.offset, b";"))
        text = self.bytes[start:end]
        for first, last, instead in sorted(set(cuts), reverse=True):
            kept = text[:first - start]
            text = (kept.rstrip() if instead else kept) + instead + text[last - start:]
        indent = self.indent_of(cursor.extent.start.line)
        code = re.sub(rf"^ {{0,{indent}}}", "", text.decode(), flags=re.MULTILINE)
        code = re.sub(r"\n *// Private to .*(?=\n\s*\})", "", code, flags=re.DOTALL)
        code = re.sub(r"\n(\s*\n)*(\s*\};?)$", r"\n\2", code)
        tail = re.match(rb"\s*\w*\s*;", self.bytes[end:])  # } overture_error;
        typedef = "typedef " if tail and tail.group().strip() != b";" else ""
        return typedef + tidied(code) + (tail.group().decode() if tail else ";")

    def whole_lines(self, cursor):
        """The lines of a cursor, with the comment above them."""
        start = self.bytes.rfind(b"\n", 0, cursor.extent.start.offset) + 1
        while self.bytes[self.bytes.rfind(b"\n", 0, start - 1) + 1:start].lstrip()[:2] == b"//":
            start = self.bytes.rfind(b"\n", 0, start - 1) + 1
        end = self.bytes.find(b"\n", cursor.extent.end.offset) + 1
        return start, end

    def macros(self, into):
        """Macros for callers: those with a comment above them."""
        for number, line in enumerate(self.lines, 1):
            found = re.match(r"#define ([A-Z]\w+)(\([^)]*\))?(?: (.*))?$", line)
            if found:
                text, _ = self.comment_above(number)
                if text and not found.group(1).startswith("OVERTURE_DETAIL"):
                    code = line.rstrip("\\").rstrip()
                    into.append(Entry([found.group(1)], text, code, "code", False, [], number,
                                      number))


def tidied(code):
    """Without what is not for readers: macros that export, notes to clang-tidy."""
    code = re.sub(r"^ *// NOLINT.*\n", "", code, flags=re.MULTILINE)
    macro = MACRO.search(code)
    if not macro:
        return code
    first, *rest = (code[:macro.start()] + code[macro.end():]).split("\n")
    width = macro.end() - macro.start()
    aligned = all(line[:width].strip() == "" for line in rest) and "{" not in first
    return MACRO.sub("", "\n".join([first, *(line[width:] if aligned else line for line in rest)]))


def is_for_callers(cursor):
    kind = cursor.kind.name
    if kind in CLASSES:
        if not has_body(cursor):
            return False
    elif kind in IGNORED or kind not in FUNCTIONS and not kind.endswith("_DECL"):
        return False
    if cursor.access_specifier.name in ("PRIVATE", "PROTECTED") and not overridable(cursor):
        return False
    return not cursor.spelling.startswith("detail::") and not belongs_elsewhere(cursor)


def is_private_namespace(name):
    return name == "detail" or name.endswith("_detail")


def belongs_elsewhere(cursor):
    """A definition outside of its class, or a specialisation of a template elsewhere."""
    parent, lexical = cursor.semantic_parent, cursor.lexical_parent
    return parent is not None and lexical is not None and lexical.kind.name in SCOPES and (
        parent.kind.name in CLASSES or parent.spelling == "std")


def overridable(cursor):
    """What a derived class of the host overrides: protected virtual functions."""
    return cursor.access_specifier.name == "PROTECTED" and cursor.kind.name == "CXX_METHOD" and (
        cursor.is_virtual_method())


def has_body(cursor):
    return any(token.spelling == "{" for token in cursor.get_tokens())


def is_plain(cursor):
    """A struct whose members are data, with no text longer than the data."""
    depth = 0
    for token in cursor.get_tokens():  # template <class T> struct ...
        depth += {"<": 1, ">": -1}.get(token.spelling, 0)
        if depth == 0 and token.spelling in ("struct", "class", "union"):
            break
    if token.spelling == "class" or any(child.access_specifier.name == "PRIVATE"
                                 for child in cursor.get_children()
                                 if child.kind.name != "FRIEND_DECL"):
        return False
    return not any(child.kind.name == "CXX_METHOD" and child.is_pure_virtual_method()
                   for child in cursor.get_children())


def name_of(cursor):
    name = cursor.spelling
    if cursor.kind.name == "ENUM_DECL" and ("unnamed" in name or not name):
        values = [child.spelling for child in cursor.get_children()]
        return os.path.commonprefix(values).rpartition("_")[0] + "_..." if values else ""
    return name if name.startswith("operator") else re.sub(r"<.*", "", name)


def span(cursor, source):
    """Where a declaration starts and ends, and where its body starts (0: it has none)."""
    start, end = cursor.extent.start.offset, cursor.extent.end.offset
    body = 0
    for child in cursor.get_children():
        at = child.extent.start.offset
        if child.kind.name == "COMPOUND_STMT" and source[at:at + 1] == b"{":  # not = default
            body = at
    # The attributes and the template head before the name count as part of a declaration.
    line = source.rfind(b"\n", 0, start) + 1
    before = source[line:start]
    if re.fullmatch(rb"\s*((\[\[.*\]\]|extern|explicit|inline|constexpr|OVERTURE_C?_?API)\s*)*",
                    before):
        start = line + len(before) - len(before.lstrip())
    return start, end, body


def without_initialisers(code):
    """A constructor's head without the list that initialises its members."""
    depth = 0
    for at, letter in enumerate(code):
        depth += {"(": 1, ")": -1, "{": 1, "}": -1}.get(letter, 0)
        if letter == ":" and depth == 0 and code[at - 1:at + 2].strip(":\n ") == "" and (
                code[at - 1] != ":" and code[at + 1:at + 2] != ":"):
            return code[:at].rstrip()
    return code

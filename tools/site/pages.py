# SPDX-License-Identifier: Zlib
"""A Sphinx extension: makes a page of each public header, and links the types that code names."""

import html
import pathlib
import re

import headers
import prose
import stage
from docutils import nodes
from names import Names
from sphinx import addnodes
from sphinx.parsers import Parser
from sphinx.util import logging

REFERENCE = "include/overture/"
# What counts as code in a comment: `this`, that(), some_name, a::b, a header, an instance<of>.
INLINE = re.compile(r"`([^`]+)`"
                    r"|((?:[\w/]+/)?\w+\.(?:hpp|h|md|cpp)\b)"
                    r"|(\b[a-z_]+<(?:[\w:]+(?:<[\w:]*>)?(?:, )?)+>"
                    r"|~?\b(?:\w+\.)*[A-Za-z_][\w:]*\w\(\)|\b\w+(?:::\w+)+(?:\(\)|<[\w:, ]*>)?"
                    r"|\b(?:\w+\.)?[a-z]+_\w+(?:\(\))?|\b[A-Z]+_[A-Z_]+\w*)")


class HeaderParser(Parser):
    supported = ("overture-header",)

    def parse(self, inputstring, document):
        path = pathlib.Path(self.env.doc2path(self.env.docname, base=False))
        header = self.env.app.overture_headers[str(path.relative_to("include"))]
        document += HeaderPage(self.env, header).section


class HeaderPage:
    """Builds the page of one header."""

    def __init__(self, env, header):
        self.env = env
        self.header = header
        self.names = env.app.overture_names
        _, *folder, file = header.path.split("/")
        self.is_module = not folder or file == "overture.h"
        module = folder[0] if folder else file.removesuffix(".hpp")
        self.section = nodes.section(ids=["header"], classes=["header"])
        self.section += nodes.title("", module if self.is_module else file)
        self.how_to_include(module)
        self.add_prose(self.section, header.manual)
        if self.is_module and header.path != "overture/overture.hpp":  # its manual lists modules
            self.add_contents()
        for entry in header.entries:
            self.section += self.entry(entry, "")

    def how_to_include(self, module):
        include = f"#include <{self.header.path}>"
        self.section += nodes.literal_block(include, include, language="cpp")
        if module not in ("sdl", "streams"):  # headers alone
            line = nodes.paragraph()
            line += [nodes.Text("Link "), nodes.literal("", f"overture::{module}"), nodes.Text(".")]
            self.section += line

    def add_contents(self):
        """The headers of a module, with the first sentence of each."""
        headers = self.env.app.overture_headers
        pages = [path for path in self.header.includes
                 if path in headers and path != self.header.path]
        pages += [path for path in sorted(headers) if self.is_apart(path)]
        listed = nodes.definition_list(classes=["headers"])
        for path in pages:
            name = path.removeprefix("overture/")
            item = nodes.definition_list_item()
            term = nodes.term()
            term += self.link(self.names.document(path), "", nodes.literal("", name))
            item += term
            text = nodes.paragraph()
            manual = self.env.app.overture_headers[path].manual
            text += self.inline(first_sentence(manual), path, "")
            item += nodes.definition("", text)
            listed += item
        if pages:
            self.section += listed
            self.section += toctree(self.env, [self.names.document(path) for path in pages])

    def is_apart(self, path):
        """Whether it is a header of this module that no other includes: of a library apart."""
        headers = self.env.app.overture_headers
        folder = self.header.path.removesuffix("/overture.h").removesuffix(".hpp")
        return (path.rpartition("/")[0] == folder and path != self.header.path and
                not any(path in each.includes for each in headers.values()))

    def entry(self, entry, outer):
        anchor = self.names.anchor(entry)
        section = nodes.section(ids=[anchor], classes=["entry"])
        section += nodes.title("", entry.title)
        section += nodes.literal_block(entry.code, entry.code, language="cpp",
                                       classes=["declaration"])
        self.add_prose(section, entry.text, outer or entry.names[0], entry.indent)
        for member in entry.members:
            section += self.entry(member, entry.names[0])
        return section

    def add_prose(self, into, text, scope="", indent=0):
        if not text.strip():
            return
        holder = nodes.container(classes=["prose"])
        into += holder
        holder += list(self.blocks(prose.parse(text, indent), self.header.path, scope))

    def blocks(self, blocks, path, scope):
        for block in blocks:
            if block.kind == "heading":
                yield nodes.rubric("", block.text)
            elif block.kind == "paragraph":
                paragraph = nodes.paragraph()
                paragraph += self.inline(block.text, path, scope)
                yield paragraph
            elif block.kind == "list":
                listed = nodes.bullet_list()
                for item in block.items:
                    node = nodes.list_item()
                    node += list(self.blocks(item, path, scope))
                    listed += node
                yield listed
            elif block.kind == "table":
                yield self.table(block.items, path, scope)
            else:
                language = block.language if block.kind == "code" else "text"
                yield nodes.literal_block(block.text, block.text, language=language)

    def table(self, rows, path, scope):
        table = nodes.table(classes=["two-columns"])
        group = nodes.tgroup(cols=2)
        table += group
        group += [nodes.colspec(colwidth=30), nodes.colspec(colwidth=70)]
        body = nodes.tbody()
        group += body
        for left, right in rows:
            row = nodes.row()
            cells = ((left, not is_words(left)), (right, False)) if right else ((left, False),)
            for text, is_name in cells:
                cell = nodes.entry(**({} if right else {"morecols": 1}))
                paragraph = nodes.paragraph()
                paragraph += [self.code(text, path, scope)] if is_name else (
                    self.inline(text, path, scope))
                cell += paragraph
                row += cell
            body += row
        return table

    def inline(self, text, path, scope):
        made = []
        at = 0
        for found in INLINE.finditer(text):
            if text.count('"', 0, found.start()) % 2 and not found.group(1):
                continue  # in a quoted text
            made.append(nodes.Text(text[at:found.start()]))
            made.append(self.code(found.group(1) or found.group(), path, scope))
            at = found.end()
        made.append(nodes.Text(text[at:]))
        return made

    def code(self, text, path, scope):
        literal = nodes.literal("", text)
        target = self.names.find_text(text, path, scope)
        return self.link(*target, literal) if target else literal

    def link(self, document, anchor, child):
        uri = self.env.app.builder.get_relative_uri(self.env.docname, document)
        if document == self.env.docname and anchor:
            uri = ""
        uri += "#" + anchor if anchor else ""
        return nodes.reference("", "", child, internal=True, refuri=uri)


def toctree(env, documents):
    node = addnodes.toctree()
    node["parent"] = env.docname
    node["entries"] = [(None, document) for document in documents]
    node["includefiles"] = list(documents)
    node.update_all_atts({"maxdepth": -1, "caption": None, "glob": False, "hidden": True,
                          "includehidden": False, "numbered": 0, "titlesonly": True})
    wrapper = nodes.compound(classes=["toctree-wrapper"])
    wrapper += node
    return wrapper


def first_sentence(manual):
    paragraph = re.split(r"\n(?:\n| )", manual.strip())[0].replace("\n", " ")
    return re.split(r"(?<=\.) (?=[A-Z])", paragraph)[0].rstrip(":.") + "."


def is_words(text):
    return bool(re.search(r"[a-z] [a-z]+ [a-z]", text)) or text.startswith("To ")


# --- Links in code ----------------------------------------------------------------------------
CODE_BLOCK = re.compile(r'(<div class="[^"]*\bhighlight-(?:cpp|c) .*?</pre>)', re.DOTALL)
SPAN = re.compile(r'<span class="(\w+)">([^<]*)</span>')
BEFORE_TYPES = {"const", "constexpr", "inline", "static", "explicit", "virtual", "typename", "new",
                "return", "co_return", "co_await", "noexcept", "public", "requires", "extern"}
NAMESPACES = {"overture", "text", "sdl"}
TYPE_KINDS = {"n", "nc", "nf", "ne"}
USED = re.compile(r'<span class="[op]">(\.|-&gt;|,)')  # not a type, but a variable or enumerator
DECLARES = {"class", "struct", "enum", "union", "using", "concept", "namespace", "define"}


def link_code(app, pagename, _template, context, _doctree):
    """Makes links of the types that code blocks name."""
    body = context.get("body")
    if not body or not (pagename.startswith(REFERENCE) or pagename.startswith("docs")
                        or pagename in ("README", "index")):
        return
    path = next((path for path in app.overture_headers if Names.document(path) == pagename), "")

    def link(block):
        code = block.group()
        before = ["", ""]  # the words and signs in front of a name

        def replace(span):
            kind, text = span.group(1), html.unescape(span.group(2))
            if kind[0] in "wc" and kind != "cp":  # blanks and comments
                return span.group()
            scope, last = before
            before[:] = last, text
            after = code[span.end():span.end() + 40]
            if kind not in TYPE_KINDS or not may_be_type(scope, last) or USED.match(after):
                return span.group()
            target = app.overture_names.find_type(text, path)
            if not target:
                return span.group()
            uri = app.builder.get_relative_uri(pagename, target[0])
            uri = (uri if target[0] != pagename else "") + "#" + target[1]
            return f'<a class="name" href="{uri}">{span.group()}</a>'
        return SPAN.sub(replace, code)
    context["body"] = CODE_BLOCK.sub(link, body)


def may_be_type(scope, last):
    """Whether what follows these two can be the name of a type of Overture."""
    if last == "::":
        return scope in NAMESPACES
    if last in DECLARES:
        return False
    return last in BEFORE_TYPES or not re.fullmatch(r"\w+|[&*.}!]|-&gt;|->", last)


def read_headers(app):
    root = pathlib.Path(app.config.overture_root)
    include = root / "include"
    paths = headers.public_headers(include)
    app.overture_headers = headers.parse(include, paths, app.config.overture_clang_arguments)
    app.overture_names = Names(app.overture_headers, map(str, stage.documents()))
    logging.getLogger(__name__).info("%d public headers", len(paths))


def setup(app):
    app.add_config_value("overture_root", "", "env")
    app.add_config_value("overture_clang_arguments", [], "env")
    app.add_source_parser(HeaderParser)
    app.connect("builder-inited", read_headers)
    app.connect("html-page-context", link_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

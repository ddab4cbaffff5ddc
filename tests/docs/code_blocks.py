# SPDX-License-Identifier: Zlib
"""Compiles what the documentation shows: the code of README, the guides and the public headers.

  code_blocks.py ROOT CXX CC     fails if a block does not compile

Blocks may be parts of programs. Those of one page share a namespace, after the declarations of
preludes/common.hpp and of preludes/PAGE.hpp if there is one (docs/guide/jobs.md: guide_jobs.hpp,
overture/sync/when.hpp: sync_when.hpp). A block is the body of a function, whose parameters a line
`// parameters: ...` of the prelude names. One below the comment

  <!-- definitions -->

stands at namespace scope, as does one of a header that declares types or functions only. `...`
stands for what is left out. C has preludes of its own, ending in .h. Python must
parse and use only names that the package has, CMake must run with stubs, and commands must exist.
"""

import ast
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

HERE = pathlib.Path(__file__).parent
ROOT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools/site"))

import prose  # noqa: E402

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
MARK = "<!-- definitions -->"
DEFINES = re.compile(r"(template|struct|class|enum|constexpr auto \w+\(|using \w+ =).*\};?\n$"
                     r"|co_task<", re.DOTALL)


@dataclass
class Block:
    page: str  # path in the repository
    line: int
    language: str
    text: str
    definitions: bool


def documents(root):
    found = [root / "README.md", root / "ARCHITECTURE.md", root / "CONTRIBUTING.md",
             root / "tools/site/index.md", root / "compat/physfs/README.md",
             root / "bindings/python/README.md", *sorted((root / "docs").rglob("*.md"))]
    return [(path.relative_to(root).as_posix(), path.read_text()) for path in found]


def blocks_of_document(page, text):
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 2
        above = text[:found.start()].rstrip().endswith(MARK)
        yield Block(page, line, found.group(2), found.group(3), above)


def blocks_of_header(page, text):
    """The code that stands in comments: in the manual at the top, and above declarations."""
    language = "c" if page.endswith(".h") else "cpp"
    for comment in re.finditer(r"(?:^ *//.*\n)+", text, re.MULTILINE):
        lines = [line.strip()[3:] for line in comment.group().splitlines()]
        for block in prose.parse("\n".join(lines)):
            if block.kind == "code" and block.language == "cpp":
                first = block.text.split("\n")[0]
                at = next(i for i, line in enumerate(lines) if line.endswith(first))
                line = text.count("\n", 0, comment.start()) + 1 + at
                code = block.text + "\n"
                alone = DEFINES.match(re.sub(" *//.*", "", code)) is not None
                yield Block(page, line, language, code, alone)


def without_gaps(code):
    """Code in which `...` stands for what is left out, as code that compiles."""
    code = re.sub(r"^ *\.\.\.( [^(;\n]*)?( *//.*)?$", "", code, flags=re.MULTILINE)
    code = re.sub(r"^( *)\.\.\. (.*?)( \.\.\.)?( *//.*)?$", r"\1\2;", code, flags=re.MULTILINE)
    code = re.sub(r"\) \.\.\.( [\w ]+ \.\.\.)?( *//.*)?$", r") {}", code, flags=re.MULTILINE)
    code = re.sub(r"= \.\.\.;", "= {};", code)
    code = re.sub(r"[\w.]+\(\.\.\.\)", "left_out", code)
    return re.sub(r"([{;]) \.\.\. \}", r"\1 }", code)


def prelude(page, suffix):
    """What includes the prelude of a page, and the parameters of its blocks."""
    name = re.sub(r"^(docs|include/overture)/", "", page).rpartition(".")[0].replace("/", "_")
    path = HERE / "preludes" / (name + suffix)
    if not path.exists():
        return "", ""
    parameters = re.search(r"^// parameters: (.*)", path.read_text(), re.MULTILINE)
    return f'#include "preludes/{path.name}"\n', parameters.group(1) if parameters else ""


def program(blocks, suffix):
    """One source with all blocks."""
    text = [f'#include "preludes/common{suffix}"\n']
    for page in dict.fromkeys(block.page for block in blocks):
        mine = sorted((block for block in blocks if block.page == page),
                      key=lambda block: not block.definitions)
        space = "page_" + re.sub(r"\W", "_", page)
        if suffix == ".hpp":
            text.append(f"namespace {space} {{\n")
        include, parameters = prelude(page, suffix)
        text.append(include)
        for block in mine:
            code = f'\n#line {block.line} "{page}"\n{without_gaps(block.text)}'
            function = f"outcome block_{block.line}"
            if block.definitions:
                text.append(code)
            elif suffix == ".hpp":  # in a class: some use `this`
                body = f"{function}({parameters}) {{\n{code}return 0;\n}}\n"
                text.append(f"struct of_{block.line} {{\n{body}}};")
            else:
                text.append(f"{function}_{space}(void) {{\n{code}return 0;\n}}\n")
        if suffix == ".hpp":
            text.append("}\n")
    return "".join(text)


def compiles(command, source, suffix):
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as file:
        file.write(source)
        file.flush()
        done = subprocess.run([*command, "-fsyntax-only", f"-I{ROOT}/include", f"-I{HERE}",
                               f"-I{ROOT}/compat/physfs", "-I/usr/include/SDL2",
                               f"-I{ROOT}/tools/site/sdl3", file.name],
                              capture_output=True, text=True, check=False)
    print(done.stderr, end="")
    return done.returncode == 0


def python_problems(block):
    names = (ROOT / "bindings/python/overture/__init__.py").read_text()
    known = set(re.findall(r'"(\w+)"', names[names.index("__all__"):]))
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (
                node.value.id == "overture" and node.attr not in known):
            yield f"{block.page}:{block.line}: overture has no {node.attr}"


STUBS = """
foreach(name project find_package target_link_libraries FetchContent_Declare
    FetchContent_MakeAvailable add_executable add_subdirectory)
  cmake_language(EVAL CODE "function(${name})\\nendfunction()")
endforeach()
"""


def cmake_problems(block):
    libraries = {path.stem for path in (ROOT / "include/overture").glob("*.hpp")}
    libraries |= {"c", "guards", "loaders", "report", "sounds"}
    for library in re.findall(r"overture::(\w+)", block.text):
        if library not in libraries:
            yield f"{block.page}:{block.line}: there is no overture::{library}"
    with tempfile.NamedTemporaryFile("w", suffix=".cmake") as file:
        file.write(STUBS + block.text)
        file.flush()
        done = subprocess.run(["cmake", "-P", file.name], capture_output=True, text=True,
                              check=False)
    if done.returncode != 0:
        yield f"{block.page}:{block.line}: {done.stderr}"


def indented_code(page, text):
    """Code that is indented instead of fenced: nothing would say what it is."""
    outside = FENCE.sub(lambda fence: re.sub(".*", "", fence.group()), text)
    for found in re.finditer(r"\n\n    \S", outside):
        yield f"{page}:{outside.count(chr(10), 0, found.end())}: put this code between ```"


def command_problems(page, text):
    """Commands of ./dev and of overture that do not exist."""
    dev = (ROOT / "dev").read_text()
    dispatch = dev[dev.rindex("case $command in"):]
    of_dev = set(re.findall(r"^  ([a-z0-9| -]+)\)", dispatch, re.MULTILINE))
    of_dev = {word for words in of_dev for word in words.split(" | ")}
    table = (ROOT / "cli/commands/command.cpp").read_text()
    of_overture = set(re.findall(r'\{"([a-z-]+)", "', table)) | {"help"}
    for found in re.finditer(r"(?<![\w/.])\./dev\s+([a-z0-9-]+)", text):
        if found.group(1) not in of_dev:
            yield f"{page}: ./dev has no {found.group(1)}"
    code = "\n".join(found.group(3) for found in FENCE.finditer(text)) + "\n".join(
        re.findall(r"`([^`\n]+)`", FENCE.sub("", text)))
    for found in re.finditer(r"^(?:\S*/)?overture ([a-z][a-z-]*)(?![\w:])", code, re.MULTILINE):
        if found.group(1) not in of_overture:
            yield f"{page}: overture has no {found.group(1)}"


def main():
    blocks = []
    problems = []
    for page, text in documents(ROOT):
        blocks += blocks_of_document(page, text)
        problems += [*command_problems(page, text), *indented_code(page, text)]
    for path in sorted((ROOT / "include/overture").rglob("*.h*")):
        if "detail" not in path.parts:
            blocks += blocks_of_header(path.relative_to(ROOT).as_posix(), path.read_text())
    by_language = {}
    for block in blocks:
        by_language.setdefault(block.language, []).append(block)
    for block in by_language["python"]:
        problems += python_problems(block)
    for block in by_language["cmake"]:
        problems += cmake_problems(block)
    for problem in problems:
        print(problem)
    cpp = compiles([sys.argv[2], "-std=c++20", "-w"],
                   program(by_language["cpp"], ".hpp"), ".cpp")
    c = compiles([sys.argv[3], "-std=c99", "-Werror"], program(by_language["c"], ".h"), ".c")
    print(", ".join(f"{len(those)} {language or 'without language'}"
                    for language, those in by_language.items()))
    return 0 if cpp and c and not problems else 1


if __name__ == "__main__":
    sys.exit(main())

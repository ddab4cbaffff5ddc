#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""The house rules of Overture as a test.

    tools/tidy/tidy.py [ROOT]

prints one line for each breach, as path:line: what is wrong and what to do instead, and exits 1 if
there is one. Lines that begin with "warning:" ask for a look and do not change the exit status.

Each rule is a function from a Tree to problems; RULES at the end collects them. Rules and tables
say why; CONTRIBUTING.md explains the rest. The tests in tests/tidy see each of them fire.
"""

import pathlib
import re
import sys

for folder in ("tidy", "mutate"):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / folder))
from licence import licence_line
from modules import ADAPTERS, BESIDE, FOLDERS, LAYERS, NO_TEST_OF_ITS_OWN, USES_BESIDE
from plant_list import read_list
from tree import Tree, prose_lines
from words import LISTS_OF_WORDS, REFUSED, REFUSED_IN_NAMES

LINES_WARN = 500  # a file that is longer holds more than one concept
LINES_MAX = 800
FUNCTION_LINES_WARN = 70  # what fits on a screen
COLUMNS_MAX = 100
FILE_BYTES_MAX = 200 * 1024  # a repository never forgets a blob

PLATFORM_FILE = re.compile(r"_(windows|linux|posix|darwin)(_test)?\.(cpp|hpp)$")
PLATFORM_SUFFIX = re.compile(r"_(windows|linux|posix|darwin|generic|generic_system)$")
PLATFORM_MACRO = re.compile(
    r"^\s*#\s*(?:if|ifdef|ifndef|elif).*\b"
    r"(_WIN32|_WIN64|__linux__|__APPLE__|__unix__|__x86_64__|__aarch64__|_M_X64|_M_ARM64)\b"
)
PLATFORM_MACRO_ALLOWED = {
    "include/overture/base/api.hpp",  # how to export from a shared library
    "include/overture/base/prefetch.hpp",  # how to prefetch for writing
    "include/overture/c/base.h",  # how to export and import functions
    "include/overture/base/detail/compiler.hpp",  # which instructions the processor has
    "src/text/float_mode.hpp",  # how to keep subnormal floats
}

# What library code (src/, include/) must not use, what to use instead, and which files may use it.
WAIT_GENERIC = ("src/sync/wait_generic.cpp",)
CONTRACTS = ("src/base/contracts.cpp",)  # the default handler of misuse, in builds that check it
EVENT_COUNTS = (  # notify overture::event_count, which is on the wait layer
    "sounds/decode_thread.hpp",
    "sounds/ring/stream_slots.hpp",
    "src/c/host_jobs.cpp",
    "src/vfs/mounts/descriptor_pool.cpp",
    "src/jobs/single_threaded.cpp",
    "src/archives/block_store.cpp",
    "src/assets/store_values.cpp",
    "src/jobs/sleep/parking.cpp",
    "src/sync/memory_ledger.cpp",
)
ALLOCATOR = ("src/base/allocator.cpp", "src/base/aligned_memory.hpp")
THREAD_GENERIC = ("src/base/threads/thread_generic.cpp",)
BANNED = (
    (r"std::(recursive_|shared_|timed_)?mutex\b", "the wait layer of src/sync", WAIT_GENERIC),
    (r"std::condition_variable", "the wait layer of src/sync", WAIT_GENERIC),
    (
        r"std::(latch|barrier|(counting|binary)_semaphore)\b",
        "overture::barricade: the standard library's loses wake-ups on some targets",
        (),
    ),
    (r"\.notify_(one|all)\(", "the wait layer of src/sync", (*WAIT_GENERIC, *EVENT_COUNTS)),
    (
        r"std::atomic(_ref)?\s*<",
        "overture::atomic, which tests can replace",
        ("include/overture/base/atomic.hpp",),
    ),
    (
        r"std::j?thread\b(?!::hardware)",
        "overture::thread_factory: threads are the host's",
        THREAD_GENERIC,
    ),
    (r"\b(sleep_for|sleep_until|usleep|nanosleep)\b", "a wait with a deadline", ()),
    (
        r"\b(v?f?printf|f?puts|perror)\s*\(|std::(cout|cerr|clog)\b",
        "an error or a report: the library never prints",
        CONTRACTS,
    ),
    (
        r"\b(abort|exit|_exit|quick_exit)\s*\(|std::terminate\b",
        "an error: the library never ends its host",
        CONTRACTS,
    ),
    (
        r"std::(string|vector|deque|list|map|set|multimap|unordered_\w+|queue|stringstream)\b",
        "base/vec.hpp or memory of the allocator: these throw when it is refused",
        (),
    ),
    (r"std::(function|any|shared_ptr)\b", "overture::function_ref or a plain owner", ()),
    (
        r"(?<!operator )\bnew\b(?!\s*\()|\bnew\s*\(std::nothrow|std::make_(unique|shared)\b",
        "overture::allocator and placement new",
        (),
    ),
    (
        r"\b(malloc|calloc|realloc|aligned_alloc|posix_memalign|strdup)\s*\(",
        "overture::allocator",
        ALLOCATOR,
    ),
)
BANNED = tuple((re.compile(pattern), instead, allowed) for pattern, instead, allowed in BANNED)

REMINDER = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3)) + r")\b")


class Problem:
    def __init__(self, path, line, text, warning=False):
        self.path, self.line, self.text, self.warning = path, line, text, warning

    def __str__(self):
        return f"{'warning: ' if self.warning else ''}{self.path}:{self.line}: {self.text}"


def allowed_modules(module):
    if module in BESIDE:
        return {module, *BESIDE[module]}
    return {*LAYERS[: LAYERS.index(module) + 1], *USES_BESIDE.get(module, ())}


UMBRELLA = "overture/overture.hpp"  # may include everything


def is_module(name):
    return name in LAYERS or name in BESIDE


def module_of_include(include):
    """The module of an include, None if the path does not name one."""
    parts = include.split("/")
    if parts[0] == "overture":
        parts = parts[1:]
        if len(parts) == 1:  # a module's umbrella header
            parts = [parts[0].removesuffix(".hpp")]
    return parts[0] if parts and is_module(parts[0]) else None


def rule_layers(tree):
    for file in tree.code("src", "include"):
        inside = file.path.removeprefix("include/").removeprefix("src/")
        if inside == UMBRELLA:
            continue
        if inside.startswith(tuple(f"overture/{name}/" for name in ADAPTERS)):
            for number, include in file.includes():
                if not include.startswith("overture/"):
                    yield Problem(file.path, number, f'use a public header instead of "{include}"')
            continue
        module = module_of_include(inside)
        if module is None:
            yield Problem(file.path, 1, "is not in the folder of a module: see LAYERS")
            continue
        allowed = allowed_modules(module)
        for number, include in file.includes():
            target = module_of_include(include)
            if target is None:
                yield Problem(
                    file.path,
                    number,
                    f'"{include}" is neither "overture/MODULE/x.hpp" nor "MODULE/x.hpp"',
                )
            elif target not in allowed:
                yield Problem(
                    file.path, number, f"{module} must not use {target}: it is above or beside it"
                )


def rule_folders_inside_modules(tree):
    for module, order in FOLDERS.items():
        level = {
            name: number
            for number, names in enumerate(order.split())
            for name in names.split("|")
        }
        # Modules name themselves in includes: "io/queue/read_core.hpp".
        by_name = module.startswith(("src/", "report", "sounds", "loaders", "watch"))
        named = f"{module.split('/')[-1]}/" if by_name else ""
        for file in tree.code(module.split("/")[0]):
            folder = folder_in(file.path, module)
            if folder not in level:
                continue
            for number, include in file.includes():
                target = f"{module}/{include.removeprefix(named)}"
                used = folder_in(target, module)
                if target not in tree.paths or used in (None, folder):
                    continue
                if used in level and level[used] >= level[folder]:
                    text = f"{module}: {folder} must not use {used}: see FOLDERS in modules.py"
                    yield Problem(file.path, number, text)


def folder_in(path, module):
    """Which folder of a module a file is in: "." is the module's own, None elsewhere."""
    if not path.startswith(module + "/"):
        return None
    inside = path.removeprefix(module + "/").split("/")
    return {1: ".", 2: inside[0]}.get(len(inside))


def rule_umbrellas_are_complete(tree):
    """A module's umbrella header includes its public headers, but for those in detail/."""
    for module in (*LAYERS, *BESIDE):
        folder = f"include/overture/{module}/"
        public = {
            path.removeprefix("include/")
            for path in tree.paths
            if path.startswith(folder) and path.count("/") == folder.count("/")
        }
        umbrella = f"include/overture/{module}.hpp"
        if module == "c":  # in its folder, as C programs include it
            umbrella = "include/overture/c/overture.h"
            public.discard(umbrella.removeprefix("include/"))
            public -= {f"overture/c/{name}.h" for name in ADAPTERS}  # in libraries apart
        if public and umbrella not in tree.paths:
            yield Problem(umbrella, 1, f"{module} has public headers and needs this one")
        for file in tree.files:
            if file.path == umbrella:
                included = {include for _, include in file.includes()}
                for name in sorted(public - included):
                    yield Problem(umbrella, 1, f"include {name}, or move it to detail/")


def rule_products_use_public_headers_only(tree):
    for file in tree.code("cli", "examples"):
        folder = file.path.rsplit("/", 1)[0]
        for number, include in file.includes():
            own = f"{folder}/{include}" in tree.paths or f"{file.parts[0]}/{include}" in tree.paths
            own = own or include.startswith(("start_pack/", "call_report/"))  # also libphysfs's
            # The command has pages of its own, from the same parts.
            own = own or (file.parts[0] == "cli" and include in tree.paths)
            if not include.startswith("overture/") and not own:
                yield Problem(file.path, number, f'use a public header instead of "{include}"')


def rule_platforms_by_file(tree):
    for file in tree.code("src", "include", "cli", "examples", "bench", "tests"):
        if PLATFORM_FILE.search(file.path) or file.path in PLATFORM_MACRO_ALLOWED:
            continue
        for number, line in enumerate(file.code, 1):
            found = PLATFORM_MACRO.match(line)
            if found:
                yield Problem(
                    file.path, number, f"move what depends on {found.group(1)} to a platform file"
                )


def rule_banned_words(tree):
    for file in tree.code("src", "include", "sounds", "loaders"):
        for number, line in enumerate(file.code, 1):
            if line.lstrip().startswith("#include"):
                continue
            for pattern, instead, allowed in BANNED:
                found = pattern.search(line)
                if found and file.path not in allowed:
                    word = found.group(0).strip().rstrip("(").strip()
                    yield Problem(file.path, number, f"instead of {word} use {instead}")


def rule_no_wait_on_atomics(tree):
    for file in tree.code("src", "include", "sounds", "loaders"):
        text = "\n".join(file.code)
        names = set(re.findall(r"\batomic\s*<[^;{}()]*>\s*&?\s*(\w+)", text))
        for number, line in enumerate(file.code, 1):
            for name in re.findall(r"\b(\w+)(?:\[[^\]]*\])?\s*\.\s*wait\s*\(", line):
                if name in names:
                    yield Problem(
                        file.path, number, f"instead of {name}.wait use the wait layer of src/sync"
                    )


def rule_every_source_has_a_test(tree):
    tests = {
        (file.parts[1], file.stem.removesuffix("_test"))
        for file in tree.code("tests")
        if file.stem.endswith("_test") and len(file.parts) > 2
    }
    for file in tree.code("src"):
        if file.suffix != ".cpp" or len(file.parts) < 3:
            continue
        module = file.parts[1]
        tested = {(module, file.stem), (module, PLATFORM_SUFFIX.sub("", file.stem))} & tests
        if file.path in NO_TEST_OF_ITS_OWN:
            if (module, file.stem) in tests:
                yield Problem(file.path, 1, "has a test: take it out of NO_TEST_OF_ITS_OWN")
        elif not tested:
            yield Problem(
                file.path,
                1,
                f"needs tests/{module}/{file.stem}_test.cpp, or a reason in NO_TEST_OF_ITS_OWN",
            )
    for path in NO_TEST_OF_ITS_OWN:
        if tree.code("src") and path not in tree.paths:
            text = f"NO_TEST_OF_ITS_OWN lists {path}: it is gone"
            yield Problem("tools/tidy/modules.py", 1, text)


def rule_public_headers_explain_themselves(tree):
    for file in tree.code("include"):
        before, pragma, _ = file.text.partition("#pragma once")
        lines = before.strip().split("\n")
        if not pragma or not all(line.startswith("//") for line in lines):
            yield Problem(file.path, 1, "begin with a page of comment, then #pragma once")


def rule_sources_name_their_licence(tree):
    for file in tree.files:
        found = licence_line(file)
        if found is None:
            continue
        number, line = found
        if file.lines[number : number + 1] != [line]:
            text = f"this line has to be: {line} (./dev lint --fix)"
            yield Problem(file.path, number + 1, text)


def rule_file_length(tree):
    for file in tree.files:
        if not file.is_text or file.suffix in (".md", ".json", ".txt"):
            continue
        count = file.text.count("\n")
        if count > LINES_MAX:
            yield Problem(file.path, count, f"{count} lines: split it (at most {LINES_MAX})")
        elif count > LINES_WARN:
            yield Problem(file.path, count, f"{count} lines: more than one concept?", warning=True)


def first_line_of_head(lines, last):
    """The line with the parenthesis that the last line of a function's head closes."""
    number = last
    open_still = lines[number].count(")") - lines[number].count("(")
    while open_still > 0 and number > 0:
        number -= 1
        open_still += lines[number].count(")") - lines[number].count("(")
    return number


def rule_function_length(tree):
    """Finds functions by the form that clang-format gives them: a head that ends with `{` and a
    line that closes it at the same indentation."""
    keyword = re.compile(r"\s*(namespace|class|struct|union|enum|if|for|while|switch|do|else)\b")
    for file in (file for file in tree.files if file.is_code):
        number = 0
        while number < len(file.code):
            line = file.code[number].rstrip()
            head = re.match(r"( {0,4})[\w~:<(\[]", line)
            opens = head and line.endswith("{") and ")" in line and not keyword.match(line)
            if opens:
                # A constructor's initialisers, and parameters on lines of their own, are indented
                # deeper than the closing brace.
                first = file.code[first_line_of_head(file.code, number)]
                indent = re.match(" *", first).group().removesuffix(
                    "    " if line.lstrip()[0] == ":" else ""
                )
                close = re.compile(indent + r"}")
                for end in range(number + 1, len(file.code)):
                    if close.match(file.code[end]):
                        if end - number + 1 > FUNCTION_LINES_WARN:
                            yield Problem(
                                file.path,
                                number + 1,
                                f"a function of {end - number + 1} lines: does it do one thing?",
                                warning=True,
                            )
                        number = end
                        break
            number += 1


def rule_white_space(tree):
    for file in (file for file in tree.files if file.is_text):
        for number, line in enumerate(file.lines, 1):
            if "\t" in line:
                yield Problem(file.path, number, "spaces instead of a tab")
            if line != line.rstrip():
                yield Problem(file.path, number, "white space at the end of the line")
            if len(line) > COLUMNS_MAX and file.suffix not in (".md", ".json"):
                yield Problem(file.path, number, f"{len(line)} columns (at most {COLUMNS_MAX})")
        if file.text and (not file.text.endswith("\n") or file.text.endswith("\n\n")):
            yield Problem(file.path, len(file.lines), "end the file with one newline")


def rule_no_reminders(tree):
    for file in (file for file in tree.files if file.is_text):
        for number, line in enumerate(file.lines, 1):
            found = REMINDER.search(line)
            if found:
                yield Problem(file.path, number, f"finish it or drop it: {found.group(1)}")


def refusal(words, text):
    for pattern, instead in words:
        found = pattern.search(text)
        if found:
            return f"instead of '{found.group(0)}': {instead}"
    return None


def refused_words(file):
    if refusal(REFUSED_IN_NAMES, file.path):
        yield Problem(file.path, 1, f"the file's name: {refusal(REFUSED_IN_NAMES, file.path)}")
    for number, (line, prose) in enumerate(zip(file.lines, prose_lines(file)), 1):
        problem = refusal(REFUSED, prose) or refusal(REFUSED_IN_NAMES, line)
        if problem:
            yield Problem(file.path, number, problem)


def rule_refused_words(tree):
    for file in (file for file in tree.files if file.is_text and file.path not in LISTS_OF_WORDS):
        yield from refused_words(file)


TEST_HEAD = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)")


def rule_test_names_are_sentences(tree):
    """As far as a machine can tell: several words, and none that is refused."""
    for file in tree.code("tests"):
        code = "\n".join(file.code)
        for found in TEST_HEAD.finditer(code):
            suite, name = found.groups()
            problem = refusal(REFUSED, f"{suite} {name}".replace("_", " "))
            if not re.fullmatch(r"[a-z][a-z0-9_]*", suite + name):
                problem = "write words in snake_case"
            elif "_" not in name:
                problem = "say in a sentence what holds"
            if problem:
                line = code.count("\n", 0, found.start()) + 1
                yield Problem(file.path, line, f"{suite}.{name}: {problem}")


# `suite.name_of_a_test`: three words at least, or it may be a file or a field.
TEST_NAME = re.compile(r"`([a-z][a-z0-9_]*)\.([a-z0-9]+(?:_[a-z0-9]+){2,})`")


def rule_tests_named_in_documents_exist(tree):
    tests = "\n".join(line for file in tree.code("tests") for line in file.code)
    known = {found.groups() for found in TEST_HEAD.finditer(tests)}
    for file in (file for file in tree.files if file.suffix == ".md"):
        for number, line in enumerate(file.lines, 1):
            for suite, name in TEST_NAME.findall(line):
                if (suite, name) not in known:
                    yield Problem(file.path, number, f"there is no test {suite}.{name}")


def rule_plants_are_there_once(tree):
    """A bug that cannot be planted any more would be missed in a run of hours."""
    texts = {file.path: file.text for file in tree.files}
    path = "tools/mutate/plants.txt"
    for source, name, old, _, line in read_list(texts.get(path, ""))[1]:
        count = texts.get(source, "").count(old)
        if count != 1:
            yield Problem(path, line, f"{count} times in {source}, not once: {name}")


def rule_markdown_has_one_title(tree):
    for file in (file for file in tree.files if file.suffix == ".md"):
        prose = re.sub(r"^```.*?^```", "", file.text, flags=re.DOTALL | re.MULTILINE)
        titles = re.findall(r"^# .+", prose, flags=re.MULTILINE)
        if len(titles) != 1 or not file.text.startswith("# "):
            yield Problem(file.path, 1, "one title (# ...), in the first line")


def rule_no_big_files(tree):
    for file in tree.files:
        if file.size > FILE_BYTES_MAX:
            yield Problem(
                file.path, 1, f"{file.size // 1024} KiB: make it when needed (at most 200 KiB)"
            )


RULES = [value for name, value in sorted(globals().items()) if name.startswith("rule_")]


def check(root):
    tree = Tree(root)
    return [problem for rule in RULES for problem in rule(tree)]


def main(arguments):
    root = arguments[1] if len(arguments) > 1 else pathlib.Path(__file__).parents[2]
    problems = check(root)
    for problem in sorted(problems, key=lambda each: (not each.warning, each.path, each.line)):
        print(problem)
    return 1 if any(not problem.warning for problem in problems) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

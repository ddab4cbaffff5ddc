#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""places.py INCLUDE_FOLDER PLACE...: checks that the places where the headers let the library call
code of the host, and that code may throw, are those that the host tests.

A place is a virtual, a pointer to a function, a function_ref or a task that is not noexcept, or a
template that takes something to call. Where the type says noexcept, the compiler checks it.
"""
import pathlib
import re
import sys

# What looks like a place and is none.
OURS = {
    "function_ref::function_ref",  # seen where a function_ref is a parameter
    "write_with::member",  # tested as write_with
}
# Template parameters that are values, formats and the like. Any other may be something to call.
VALUES = {"T", "Args", "State", "More", "Style", "Format", "Class", "Member", "Fields", "Enum",
          "Base", "List", "Names"}
# Templates that only call on the caller's stack, in the host's own source.
ON_THE_SPOT = {"page::for_each", "page::fold", "texture::for_each_value"}
# What a coroutine throws arrives in unhandled_exception(), and strings are assigned to.
OTHERS = {"co_task", "text::read (assign)"}


def stripped(text: str) -> str:
    """The text without comments, string literals, preprocessor lines and what marks exports."""
    text = text.replace('OVERTURE_API ', '')
    text = re.sub(r'//[^\n]*|/\*.*?\*/', ' ', text, flags=re.S)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    text = re.sub(r"'(?:[^'\\\n]|\\.)+'", "' '", text)
    return re.sub(r'^[ \t]*#.*?(?<!\\)$', '', text, flags=re.M | re.S)


def without_brackets(said: str) -> str:
    """The declaration without what is in <> and [[]]."""
    said = re.sub(r'\[\[[^\]]*\]\]', '', said)
    while (shorter := re.sub(r'<[^<>]*>', '', said)) != said:
        said = shorter
    return said


def scope_of(said: str) -> list[str] | None:
    """The scopes that a declaration with a brace opens; None for a body."""
    space = re.match(r'(?:inline )?namespace ?([\w:]*)$', said)
    if space:
        return (space.group(1) or 'unnamed').split('::')
    bare = without_brackets(said)
    opened = re.search(r'\b(?:class|struct|union) (?:alignas\(\w+\) ?)?(\w+)[^();=]*$', bare)
    return [opened.group(1)] if opened else None


def declarations(text: str):
    """Yields (scopes, declaration) for each public declaration outside of function bodies."""
    open_scopes: list[list[str] | None] = []
    hidden: list[bool] = [False]  # whether the scope is at a private part
    start = 0
    parentheses = 0
    for at, char in enumerate(text):
        if char in '()':
            parentheses += 1 if char == '(' else -1
        if parentheses > 0 or char not in ';{}':
            continue
        said = ' '.join(text[start:at].split())
        start = at + 1
        if char == '}':
            if open_scopes:
                open_scopes.pop()
                hidden.pop()
            continue
        while access := re.match(r'(public|private|protected) ?: ?', said):
            hidden[-1] = access.group(1) == 'private'
            said = said[access.end():]
        if said and None not in open_scopes and not any(hidden):
            yield [scope for scopes in open_scopes for scope in scopes or []], said
        if char == '{':
            open_scopes.append(scope_of(said))
            hidden.append(bool(re.match(r'(?:template.*> )?class ', said)))


def function_name(said: str) -> str | None:
    """The name of the function that a declaration declares."""
    said = re.sub(r'\brequires ?\([^()]*(?:\([^()]*\)[^()]*)*\)', '', without_brackets(said))
    found = re.search(r'(\w+) ?\(', said)
    return found.group(1) if found else None


def is_public(scopes: list[str]) -> bool:
    return not any(scope.endswith('detail') or scope == 'unnamed' for scope in scopes)


def places_of(scopes: list[str], said: str):
    """Yields the places in one declaration."""
    inner = [scope for scope in scopes if scope != 'overture']
    if not is_public(scopes) or scope_of(said) or said.startswith(('friend', 'static_assert')):
        return
    owner = '::'.join(inner + ['']) if inner else ''
    name = function_name(said)
    after = said.rsplit(')', 1)[-1] if ')' in said else ''
    if re.search(r'\bvirtual\b', said) and '~' not in said:
        if not re.search(r'\bnoexcept\b', after):
            yield owner + str(name)
    using = re.match(r'using (\w+) = ', said)
    pointers = re.finditer(r'\(\*(\w*)\)\((?:[^()]|\([^()]*\))*\)( const)?( noexcept)?', said)
    for pointer in pointers:
        if not pointer.group(3):
            yield owner + (using.group(1) if using else pointer.group(1))
    member_pointer = re.search(r'\((\w+)::\*(\w+)\)', said)
    if member_pointer:
        yield f'{name}::{member_pointer.group(2)}'
    # function_ref<R(Args) noexcept> has its noexcept before the closing bracket.
    if re.search(r'function_ref<[^;]*?\)>', re.sub(r'\) noexcept>', '', said)):
        if using:
            yield owner + using.group(1)
        elif '(' in re.sub(r'function_ref<.*>', '', said):
            yield owner + str(name)
        else:
            yield owner + re.sub(r' =.*', '', said).split()[-1]
    if re.match(r'task (\w+)( =.*)?$', said):
        yield owner + said.split()[1]
    template = re.match(r'template ?<(.*?)>(?= ?(?:requires|\[\[|[\w:]+ |\w+\())', said)
    if template:
        named = set(re.findall(r'\bclass(?:\.\.\.)? (\w+)', template.group(1)))
        if named - VALUES and name:
            yield owner + name


def main() -> int:
    headers, tested = pathlib.Path(sys.argv[1]), set(sys.argv[2:])
    found: dict[str, str] = {}
    for header in sorted((headers / 'overture').rglob('*.hpp')):
        for scopes, said in declarations(stripped(header.read_text())):
            for place in places_of(scopes, said):
                found[place] = f'{header.relative_to(headers)}: {said[:90]}'
    ours = {place for place in found
            if any(place == known or place.endswith('::' + known) for known in OURS | ON_THE_SPOT)}
    # The same place in another situation: "job::job (in a graph)".
    known = {re.sub(r' \(.*\)$', '', place) for place in tested if place not in OTHERS}
    missing = sorted(set(found) - ours - known)
    gone = sorted(known - set(found))
    for place in missing:
        print(f'no test throws from {place}\n  {found[place]}')
    for place in gone:
        print(f'{place} is tested, but not in the headers')
    if not OTHERS <= tested:
        print(f'no test throws from {", ".join(sorted(OTHERS - tested))}')
    if len(found) < 30:
        print('too few places found: has the style of the headers changed?')
        return 1
    return 1 if missing or gone or not OTHERS <= tested else 0


sys.exit(main())

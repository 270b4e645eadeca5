#!/usr/bin/env python3
"""Finds names that two files of src/ define differently in one C++ namespace.

    check_names.py [ROOT]

A class, struct, union, enum or alias with linkage that two files define is a violation of the
one-definition rule as soon as both are in one program: the compiler does not see it, the linker
takes either. So is a function with the same parameters. Names in unnamed namespaces, static
functions, templates' specialisations and members are each file's own and are not compared.

Prints one line per name, `name: file:line, file:line`, and exits 1 if there is any.
"""

import collections
import pathlib
import re
import sys

TOKEN = re.compile(
    r"""
      (?P<skip>\s+ | //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.)*)
    | (?P<text>(?:u8|[uUL])?R"(?P<d>[^(\s]*)\(.*?\)(?P=d)" | (?:u8|[uUL])?"(?:[^"\\]|\\.)*")
    | (?P<word>[A-Za-z_]\w*)
    | (?P<number>\.?\d(?:[\w.]|'\w|[eEpP][+-])*)
    | (?P<char>'(?:[^'\\]|\\.)*')
    | (?P<mark>::|->|\[\[|\]\]|.)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
TYPES = ("class", "struct", "union", "enum")
OPEN, CLOSE = "([{", ")]}"
# Words before a body that are no function's name.
NOT_FUNCTIONS = {"if", "for", "while", "switch", "catch", "alignas", "decltype", "noexcept", "sizeof",
                 "operator", "requires", "asm", "defined", "static_assert"}


def tokens(text):
    """(token, line) for all that is no white space, comment or preprocessor line."""
    line, result = 1, []
    for match in TOKEN.finditer(text):
        token = match.group()
        if match.lastgroup != "skip" and match.group("skip") is None:
            result.append((token, line))
        line += token.count("\n")
    return result


def closing(stream, at):
    """The position of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(stream)):
        token = stream[i][0]
        if token in OPEN or token == "[[":
            depth += 1
        elif token in CLOSE or token == "]]":
            depth -= 1
            if depth == 0:
                return i
    return len(stream) - 1


def without_attributes(declaration):
    kept, i = [], 0
    while i < len(declaration):
        if declaration[i][0] == "[[":
            i = closing(declaration, i) + 1
            continue
        if declaration[i][0] == "alignas":
            i = closing(declaration, i + 1) + 1
            continue
        kept.append(declaration[i])
        i += 1
    return kept


def without_template(declaration):
    """Cuts `template <…>` off; None for an explicit specialisation, `template <>`."""
    while declaration and declaration[0][0] == "template":
        depth, i = 0, 1
        while i < len(declaration):
            depth += {"<": 1, ">": -1}.get(declaration[i][0], 0)
            i += 1
            if depth == 0:
                break
        if i == 3:
            return None
        declaration = declaration[i:]
    return declaration


def parameter_types(parameters):
    """The parameters' types as one text: names and default values are left out."""
    parts, depth, part = [], 0, []
    for token, _ in parameters:
        if token in ("(", "[", "{", "<"):
            depth += 1
        elif token in (")", "]", "}", ">"):
            depth -= 1
        if token == "," and depth == 0:
            parts.append(part)
            part = []
        else:
            part.append(token)
    if part:
        parts.append(part)
    types = []
    for part in parts:
        if "=" in part:
            part = part[: part.index("=")]
        named = len(part) > 1 and re.match(r"[A-Za-z_]", part[-1]) and part[-2] != "::"
        if named and part[-2] != "const" and part[-1] not in ("const", "int", "char", "long", "double"):
            part = part[:-1]
        types.append(" ".join(part))
    return ", ".join(types)


def definition(declaration, has_body):
    """("type" or "function", name) of a declaration at namespace scope, or None."""
    declaration = without_template(without_attributes(declaration))
    if not declaration:
        return None
    words = [token for token, _ in declaration]
    if words[0] == "using":
        return ("type", words[1]) if len(words) > 3 and words[2] == "=" else None
    if "typedef" == words[0]:
        return ("type", words[-1])
    if words[0] in TYPES:
        if not has_body:
            return None
        name = words[1]
        if words[0] == "enum" and name in ("class", "struct"):
            name = words[2]
        # A member's type ("struct Sm::State") or a specialisation ("struct hash<Key>").
        after = words[words.index(name) + 1 :]
        if not re.match(r"[A-Za-z_]", name) or (after and after[0] in ("::", "<")):
            return None
        return ("type", name) if "(" not in words[: words.index(name) + 2] else None
    if not has_body or "(" not in words or "=" in words[: words.index("(")]:
        return None
    at = words.index("(")
    name = words[at - 1] if at > 0 else ""
    if not re.fullmatch(r"[A-Za-z_]\w*", name) or name in NOT_FUNCTIONS or "static" in words[:at]:
        return None
    if at < 2 or words[at - 2] in ("::", "~"):  # a member, or a macro
        return None
    end = closing(declaration, at)
    return ("function", f"{name}({parameter_types(declaration[at + 1 : end])})")


def definitions(text):
    """((namespace, kind, name), line) of each name with linkage that the file defines."""
    stream = tokens(text)
    spaces = []  # of the namespaces around: (name, where it closes)
    start = i = 0
    while i < len(stream):
        token = stream[i][0]
        if spaces and i == spaces[-1][1]:
            spaces.pop()
            start = i + 1
        elif token == ";":
            found = definition(stream[start:i], False)
            if found and not any(name == "" for name, _ in spaces):
                yield ("::".join(name for name, _ in spaces), *found), stream[start][1]
            start = i + 1
        elif token == "{":
            head = stream[start:i]
            words = [t for t, _ in head if t != "inline"]
            if words and words[0] == "namespace":
                spaces.append(("".join(words[1:]), closing(stream, i)))
                start = i + 1
            elif words[:1] == ["extern"] and len(words) == 2 and words[1].startswith('"'):
                spaces.append((words[1], closing(stream, i)))
                start = i + 1
            else:
                found = definition(head, True)
                if found and not any(name == "" for name, _ in spaces):
                    yield ("::".join(name for name, _ in spaces), *found), head[0][1]
                i = closing(stream, i)
                is_function = found is not None and found[0] == "function"
                if is_function or i + 1 >= len(stream) or stream[i + 1][0] not in (";", ",", "{", "="):
                    start = i + 1
                else:
                    # `struct A {…} a;` and initialisers go on to their semicolon.
                    while i + 1 < len(stream) and stream[i + 1][0] != ";":
                        i += 1
                        if stream[i][0] in OPEN:
                            i = closing(stream, i)
                    i += 1
                    start = i + 1
        elif token in "([" or token == "[[":
            i = closing(stream, i)
        i += 1


def check(root):
    places = collections.defaultdict(list)
    for path in sorted(p for p in (root / "src").rglob("*") if p.suffix in (".h", ".cc")):
        for key, line in definitions(path.read_text(encoding="utf-8")):
            places[key].append((path.relative_to(root).as_posix(), line))
    problems = []
    for (space, _, name), where in sorted(places.items()):
        if len({file for file, _ in where}) > 1:
            listed = ", ".join(f"{file}:{line}" for file, line in where)
            problems.append(f"{space}::{name}: {listed}")
    return problems


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    problems = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print("Each of these is defined in several files: rename one, or let them share it.",
              file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the helpers of all files of a target against each other: no two files may give one the same name.

check_helpernames.py [REPOSITORY]

A unity build compiles files of a target as one, so that they share an anonymous namespace. There a helper with the name of another
file's collides with it, or silently overloads or hides it. Helpers are what a .cpp keeps to itself: functions, constants and types of
anonymous namespaces, and what is static, const or constexpr in a named one. Operators, and functions that templates find by the type
of their operand, do not count, nor does one type that two files call alike. Ends with 1 and a line for each name that stands in two
files.
"""
import collections
import pathlib
import re
import sys

from check_style import ROOT, code_of

FOLDERS = ("app", "core", "ui")
# A call that names a target and its sources. Tests are no unity build.
TARGET = re.compile(r"\b(?:cudal1_library|cudal1_torch_library|cudal1_program|add_library|add_executable|target_sources)\s*\(\s*([\w-]+)([^)]*)\)")
# A call by which CMake leaves files out of unity builds.
ALONE = re.compile(r"\bset_source_files_properties\s*\(([^)]*)\bPROPERTIES\b[^)]*\b(?:SKIP_UNITY_BUILD_INCLUSION\s+ON|COMPILE_(?:DEFINITIONS|OPTIONS))\b")
BY_OPERAND = {"to_json", "from_json", "toString", "fromString"}

NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\b\s*([\w:]*)$")
TYPE = re.compile(r"^(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(\w+)\s*(?:final\b\s*)?(?::(?!:).*)?$", re.DOTALL)
ALIAS = re.compile(r"^using\s+(\w+)\s*=")
NO_NAME = re.compile(r"^(?:using|typedef|friend|static_assert|extern|class|struct|union|enum|namespace|Q_\w+|QT_\w+)\b|\boperator\b")
OWN = re.compile(r"^(?:static|constexpr|constinit)\b|^const\b[^(]*(?:=|$)")
VALUE = re.compile(r"\b(?:alignas|decltype|__attribute__)\s*\((?:[^()]|\([^()]*\))*\)")


def plain(head: str) -> str:
    """A declaration without attributes and what stands in angle brackets."""
    head = re.sub(r"\[\[.*?\]\]", " ", head.replace("->", "  "), flags=re.DOTALL)
    before = None
    while before != head:
        before, head = head, re.sub(r"<[^<>;{}]*>", " ", head)
    return re.sub(r"^(?:template\b\s*)+(?:requires\b[^(]*\((?:[^()]|\([^()]*\))*\)\s*)?", "", VALUE.sub(" ", head).strip())


def declared(head: str) -> str | None:
    """The name that a declaration in a namespace gives to a type, function or value."""
    if kind := TYPE.match(head) or ALIAS.match(head):
        return kind.group(1)
    if not head or NO_NAME.search(head):
        return None
    before = re.split(r"[=(\[{]", head, maxsplit=1)[0].rstrip()
    name = re.search(r"(?<![\w:])(\w+)$", before)
    # A lone word is a macro, a name behind `::` a member that is defined outside of its class.
    return name.group(1) if name and name.start() > 0 and not re.search(r"::\s*\w+$", before) else None


def helpers(code: str) -> dict[str, tuple[int, str]]:
    """Names that a .cpp keeps to itself: the line of each one's first declaration, and of other names of types the declaration."""
    found, scopes, begin = {}, [], 0  # of each scope the namespace's name, None where it is another scope
    for mark in re.finditer(r"[{};]", code):
        head, kind = code[begin:mark.start()], mark.group()
        first, begin = begin + len(head) - len(head.lstrip()), mark.end()
        if kind == "}":
            if scopes:
                scopes.pop()
            continue
        head = plain(head.strip()) if None not in scopes else ""
        space = NAMESPACE.match(head)
        if None not in scopes and not space and ("" in scopes or OWN.match(head)) and not (kind == ";" and TYPE.match(head)):
            name = declared(head)
            if name and name not in BY_OPERAND:
                found.setdefault(name, (code.count("\n", 0, first) + 1, " ".join(code[first:mark.start()].split()) if ALIAS.match(head) else ""))
        if kind == "{":
            scopes.append(space.group(1) if space else "extern" if head == "extern" else None)
    return found


def targets() -> tuple[dict[str, set[pathlib.Path]], set[pathlib.Path]]:
    """Of each target the files that a unity build may join, and the files that it leaves out."""
    joined, alone = collections.defaultdict(set), set()
    for folder in FOLDERS:
        for listing in sorted((ROOT / folder).rglob("CMakeLists.txt")):
            text = re.sub(r"#[^\n]*", "", listing.read_text(encoding="utf-8"))
            alone |= {listing.parent / word for words in ALONE.findall(text) for word in words.split()}
            for name, words in TARGET.findall(text):
                joined[name] |= {listing.parent / word for word in words.split() if word.endswith(".cpp")} - alone
    return joined, alone


def main() -> int:
    joined, alone = targets()
    there = {path for folder in FOLDERS for path in (ROOT / folder).rglob("*.cpp")}
    wrong = {f"{path.relative_to(ROOT).as_posix()} stands in no target" for path in there - alone.union(*joined.values())}
    for files in joined.values():
        places, aliases = collections.defaultdict(list), collections.defaultdict(set)
        for path in sorted(files & there):
            for name, (line, alias) in helpers(code_of(path.read_text(encoding="utf-8"))).items():
                places[name].append(f"{path.relative_to(ROOT).as_posix()}:{line}")
                aliases[name].add(alias)
        wrong |= {f"{name}: a helper of this name in {' and '.join(where)}" for name, where in places.items()
                  if len(where) > 1 and (len(aliases[name]) > 1 or "" in aliases[name])}
    print("\n".join(sorted(wrong)) or f"{len(there - alone)} files have helpers of different names in each target")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

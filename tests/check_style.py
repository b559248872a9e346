# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds all C++ of the repository against those rules of CONTRIBUTING.md that clang-format does not know.

check_style.py [REPOSITORY]

No two headers have the same file name, and no two types of named namespaces the same name. Ends with 1 and a line for each place that
breaks a rule.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
FOLDERS = ("app", "core", "tests", "ui")
# Both stand in core/judge, beside a header of core/protocol.
KNOWN_HEADERS = {"core/judge/capture/timeline.h", "core/judge/wire/messages.h"}

HIDDEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"([^()\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*""",
                    re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:class|struct|union|enum(?:\s+class)?)\s+(?:\[\[.*?\]\]\s*)?(\w+)\s*(?:final\s*)?(?::[^:].*)?$", re.DOTALL)
ALIAS = re.compile(r"^(?:template\s*<.*>\s*)?using\s+(\w+)\s*=", re.DOTALL)


def code_of(text: str) -> str:
    """Without comments, strings and preprocessor lines; each line stays where it is."""
    return HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def types_of(path: pathlib.Path) -> list[str]:
    """Of named namespaces: classes and enumerations that are defined here, and in a header also other names of types."""
    code = code_of(path.read_text(encoding="utf-8"))
    found, scopes, begin = [], [], 0
    for mark in re.finditer(r"[{};]", code):
        head = code[begin:mark.start()].strip()
        begin = mark.end()
        if mark.group() == "}":
            if scopes:
                scopes.pop()
            continue
        named = all(scopes)  # every scope is a namespace with a name
        if mark.group() == "{":
            namespace, kind = NAMESPACE.search(head), TYPE.match(head)
            if kind and named:
                found.append(kind.group(1))
            scopes.append(namespace.group(1) if namespace else "")
        elif path.suffix == ".h" and named:
            found += ALIAS.findall(head)
    return found


def equal_names(files: list[pathlib.Path]) -> list[str]:
    headers, types = collections.defaultdict(set), collections.defaultdict(set)
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        if path.suffix == ".h" and name not in KNOWN_HEADERS:
            headers[path.name].add(name)
        if not name.startswith("tests/"):
            for found in types_of(path):
                types[found].add(name)
    return [f"{name}: more than one {what} of this name, {' and '.join(sorted(places))}"
            for what, table in (("header", headers), ("type", types)) for name, places in sorted(table.items()) if len(places) > 1]


def main() -> int:
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".h", ".cpp")]
    wrong = equal_names(files)
    print("\n".join(wrong) or f"{len(files)} files keep the rules")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds all C++ of the repository against those rules of CONTRIBUTING.md that clang-format does not know.

check_style.py [REPOSITORY]

No two headers have the same file name, and no two types of named namespaces the same name. A line has 120 columns at
the most, but within raw strings, which hold other languages. Beside tests a .cpp has 500 lines at the most, and a
function 80. Ends with 1 and a line for each place that breaks a rule.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
FOLDERS = ("app", "core", "tests", "ui")
# Tables of data.
KNOWN_LONG = {"app/cli/verbs.cpp", "ui/kit/settings.cpp"}
COLUMNS, FILE_LINES, FUNCTION_LINES = 120, 500, 80

HIDDEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"([^()\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*""",
                    re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"^[ \t]*(?:template\s*<.*>\s*)?(?:class|struct|union|enum(?:\s+class)?)\s+(?:\[\[.*?\]\]\s*)?(\w+)\s*(?:final\s*)?(?::[^:].*)?\Z", re.DOTALL | re.MULTILINE)
FUNCTION = re.compile(r"\)\s*(?:(?:const|noexcept|override|final|mutable)\b\s*|->[\w:<>*&,\s]+)*(?::\s*\w+[({].*)?$", re.DOTALL)
BRANCH = re.compile(r"^(?:\}\s*)?(?:else|if|for|while|switch|do|try|catch)\b")
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
            namespace, kind = NAMESPACE.search(head), TYPE.search(head)
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
        if path.suffix == ".h":
            headers[path.name].add(name)
        if not name.startswith("tests/"):
            for found in types_of(path):
                types[found].add(name)
    return [f"{name}: more than one {what} of this name, {' and '.join(sorted(places))}"
            for what, table in (("header", headers), ("type", types)) for name, places in sorted(table.items()) if len(places) > 1]


def long_lines(path: pathlib.Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    raw = re.sub(r'R"([^()\s]*)\(.*?\)\1"', lambda found: "\n" * found.group().count("\n"), text, flags=re.DOTALL)
    return [f"{path.relative_to(ROOT)}:{number}: {len(line)} columns" for number, line in enumerate(raw.split("\n"), 1) if len(line) > COLUMNS]


def long_functions(path: pathlib.Path) -> list[str]:
    code = code_of(path.read_text(encoding="utf-8"))
    found, scopes, begin = [], [], 0  # of each scope where it begins, where it is a function, else None
    for mark in re.finditer(r"[{};]", code):
        head = code[begin:mark.start()].strip()
        begin = mark.end()
        if mark.group() == "{":
            inside = any(scope is not None for scope in scopes)
            scopes.append(None if inside or not FUNCTION.search(head) or BRANCH.match(head) else mark.start())
        elif mark.group() == "}" and scopes and (first := scopes.pop()) is not None:
            lines = code.count("\n", first, mark.end()) + 1
            if lines > FUNCTION_LINES:
                found.append(f"{path.relative_to(ROOT)}:{code.count(chr(10), 0, first) + 1}: a function of {lines} lines")
    return found


def sizes(files: list[pathlib.Path]) -> list[str]:
    wrong = []
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        wrong += long_lines(path)
        if name.startswith("tests/"):
            continue
        lines = path.read_text(encoding="utf-8").count("\n")
        if path.suffix == ".cpp" and lines > FILE_LINES and name not in KNOWN_LONG:
            wrong.append(f"{name}: {lines} lines")
        if name not in KNOWN_LONG:
            wrong += long_functions(path)
    return wrong


def main() -> int:
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".h", ".cpp")]
    wrong = equal_names(files) + sizes(files)
    print("\n".join(wrong) or f"{len(files)} files keep the rules")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

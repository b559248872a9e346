# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the table "may include" of docs/design.md against what the sources include and what CMake links.

check_includes.py [REPOSITORY]

What a folder may include is what its row names, and what those may include. Rooms below core/judge have a table of their own. Ends
with 1 and a line for each include or dependency that the table does not allow, and for each folder without a row.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:core|ui|app)/[^"]+)"', re.MULTILINE)
LIBRARY = re.compile(r"cudal1_library\(.*?\)", re.DOTALL)


def tables() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Of folders below core and of rooms below core/judge: what their rows name."""
    text = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    folders, rooms = {}, {}
    for row in re.findall(r"^\| `([\w/]+)` \| (?:.*) \|([^|]*)\|$", text, re.MULTILINE):
        name, allowed = row
        if name.startswith("core/"):
            folders[name.removeprefix("core/")] = set(re.findall(r"[a-z]+", allowed.split(";")[0]))
        elif "/" not in name and (ROOT / "core/judge" / name).is_dir():
            rooms[name] = set(re.findall(r"[a-z]+", allowed))
    return folders, rooms


def closure(name: str, table: dict[str, set[str]]) -> set[str]:
    found, left = {name}, [name]
    while left:
        for other in table.get(left.pop(), set()) & table.keys() - found:
            found.add(other)
            left.append(other)
    return found


def includes(folder: pathlib.Path) -> list[tuple[pathlib.Path, str]]:
    files = [path for path in folder.rglob("*") if path.suffix in (".h", ".cpp")]
    return [(path, include) for path in files for include in INCLUDE.findall(path.read_text(encoding="utf-8"))]


def main() -> int:
    folders, rooms = tables()
    wrong = [f"core/{folder.name} has no row in docs/design.md" for folder in sorted((ROOT / "core").iterdir())
             if folder.is_dir() and folder.name not in folders]
    wrong += [f"docs/design.md has a row for core/{name}, which is not there" for name in folders if not (ROOT / "core" / name).is_dir()]
    for name in folders:
        allowed = closure(name, folders)
        for path, include in includes(ROOT / "core" / name):
            first, second = include.split("/")[:2]
            if first != "core" or second not in allowed:
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
        text = (ROOT / "core" / name / "CMakeLists.txt").read_text(encoding="utf-8")
        for library in LIBRARY.findall(text):
            for used in re.findall(r"cudal1::(\w+)", library):
                if used in folders and used not in allowed:
                    wrong.append(f"core/{name}/CMakeLists.txt links cudal1::{used}")
    for name in rooms:
        allowed = closure(name, rooms)
        for path, include in includes(ROOT / "core/judge" / name):
            words = include.split("/")
            if words[:2] == ["core", "judge"] and words[2] not in allowed | {"generated"}:
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
    print("\n".join(wrong) or f"{len(folders)} folders and {len(rooms)} rooms include what docs/design.md allows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the table "may include" of docs/design.md against what the sources include and what CMake links.

check_includes.py [REPOSITORY]

What a folder of core, ui or app may include is what its row names, and what those may include; a name alone is a folder of core.
Rooms below core/judge have a table of their own. Ends with 1 and a line for each include or dependency that the table does not allow,
and for each folder without a row.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:core|ui|app)/[^"]+)"', re.MULTILINE)
TARGETS = re.compile(r"cudal1_(?:library|program)\(.*?\)", re.DOTALL)
PARTS = ("core", "ui", "app")


def tables() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Of folders ("core/base", "ui/kit") and of rooms below core/judge: what their rows name."""
    text = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    folders, rooms = {}, {}
    for name, allowed in re.findall(r"^\| `([\w/]+)` \| (?:.*) \|([^|]*)\|$", text, re.MULTILINE):
        if name.startswith(tuple(part + "/" for part in PARTS)):
            named = re.findall(r"(?:ui/)?[a-z]+", allowed.split(";")[0])
            folders[name] = {one if "/" in one else "core/" + one for one in named}
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
    there = [f"{part}/{folder.name}" for part in PARTS for folder in sorted((ROOT / part).iterdir()) if folder.is_dir()]
    wrong = [f"{name} has no row in docs/design.md" for name in there if name not in folders]
    wrong += [f"docs/design.md has a row for {name}, which is not there" for name in folders if name not in there]
    for name in folders:
        allowed = closure(name, folders)
        for path, include in includes(ROOT / name):
            if "/".join(include.split("/")[:2]) not in allowed:
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
        text = (ROOT / name / "CMakeLists.txt").read_text(encoding="utf-8")
        for target in TARGETS.findall(text):
            for used in re.findall(r"cudal1::(\w+)", target):
                folder = "ui/" + used.removeprefix("ui_") if used.startswith("ui_") else "core/" + used
                if folder in folders and folder not in allowed:
                    wrong.append(f"{name}/CMakeLists.txt links cudal1::{used}")
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

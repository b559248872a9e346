# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the table "may include" of docs/design.md against what the sources include and what CMake links.

check_includes.py [REPOSITORY]

What a folder of core, ui or app may include is what its row names, and what those may include; a name alone is a folder of core.
Rooms below core/judge have a table of their own. Includes are written from the root, and no file has headers of both torch and Qt.
Ends with 1 and a line for each include or dependency that is not allowed, and for each folder without a row.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
TORCH = re.compile(r"^\s*#\s*include\s+<(?:ATen|c10|torch)/", re.MULTILINE)
QT = re.compile(r"^\s*#\s*include\s+<(?:Q[A-Z]|Qsci/)", re.MULTILINE)
TARGETS = re.compile(r"cudal1_(?:library|program|torch_library)\(.*?\)", re.DOTALL)
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


def sources(folder: pathlib.Path) -> list[tuple[pathlib.Path, str]]:
    return [(path, path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*")) if path.suffix in (".h", ".cpp")]


def linked(folder: pathlib.Path) -> list[str]:
    """The libraries of ours that a folder's targets link."""
    text = (folder / "CMakeLists.txt").read_text(encoding="utf-8")
    return [used for target in TARGETS.findall(text) for used in re.findall(r"cudal1::(\w+)", target)]


def folder_of(library: str) -> str:
    return "ui/" + library.removeprefix("ui_") if library.startswith("ui_") else "core/" + library


def room_of(library: str) -> str:
    """judge_sandbox is of `sandbox`, judge_records of `capture`."""
    return {"records": "capture"}.get(library.removeprefix("judge_"), library.removeprefix("judge_"))


def wrong_of_folder(name: str, allowed: set[str], folders: dict[str, set[str]]) -> list[str]:
    wrong = []
    for path, text in sources(ROOT / name):
        for include in INCLUDE.findall(text):
            if not include.startswith(tuple(part + "/" for part in PARTS)):
                wrong.append(f"{path.relative_to(ROOT)} includes {include}, which is no path from the root")
            elif "/".join(include.split("/")[:2]) not in allowed:
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
        if TORCH.search(text) and QT.search(text):
            wrong.append(f"{path.relative_to(ROOT)} includes headers of both torch and Qt")
    wrong += [f"{name}/CMakeLists.txt links cudal1::{used}" for used in linked(ROOT / name)
              if folder_of(used) in folders and folder_of(used) not in allowed]
    return wrong


def wrong_of_room(name: str, allowed: set[str], outside: set[str]) -> list[str]:
    """`outside`: what core/judge may include beside its rooms."""
    place = ROOT / "core/judge" / name
    wrong = [f"{path.relative_to(ROOT)} includes {include}" for path, text in sources(place) for include in INCLUDE.findall(text)
             if include.startswith("core/judge/") and include.split("/")[2] not in allowed | {"generated"}]
    for used in linked(place):
        is_allowed = room_of(used) in allowed if used.startswith("judge_") else used == "torch" or folder_of(used) in outside
        if not is_allowed:
            wrong.append(f"core/judge/{name}/CMakeLists.txt links cudal1::{used}")
    return wrong


def main() -> int:
    folders, rooms = tables()
    there = [f"{part}/{folder.name}" for part in PARTS for folder in sorted((ROOT / part).glob("*")) if folder.is_dir()]
    wrong = [f"{name} has no row in docs/design.md" for name in there if name not in folders]
    wrong += [f"docs/design.md has a row for {name}, which is not there" for name in folders if name not in there]
    for name in folders.keys() & set(there):
        wrong += wrong_of_folder(name, closure(name, folders), folders)
    for name in rooms:
        wrong += wrong_of_room(name, closure(name, rooms), closure("core/judge", folders))
    print("\n".join(sorted(wrong)) or f"{len(folders)} folders and {len(rooms)} rooms include what docs/design.md allows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

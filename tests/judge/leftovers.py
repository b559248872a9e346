# SPDX-License-Identifier: GPL-3.0-or-later
"""What an evaluator has on the machine: processes and temporary folders."""
import os


def children(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def descendants(pid: int) -> list[int]:
    return [found for child in children(pid) for found in (child, *descendants(child))]


def kept_folders(folder: str) -> int:
    """Of the sources that were judged last, which are kept on purpose with what was compiled."""
    return sum(name.startswith("candidate-") for _, folders, _ in os.walk(folder) for name in folders)


def other_folders(folder: str) -> int:
    return sum(sum(not name.startswith("candidate-") for name in folders)
               for where, folders, _ in os.walk(folder) if "/candidate-" not in where)

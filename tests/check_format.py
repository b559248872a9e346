# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds all C++ of the repository against .clang-format.

check_format.py [--fix]

Versions of clang-format differ in what they make of the same rules, so that only version 14 counts, which Debian 12 and the
pre-commit hook bring. Ends with 77, a skip, where there is none, and with 1 and the names of the files that differ.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("app", "core", "tests", "ui")
AT_ONCE = 40


def program() -> str | None:
    for name in ("clang-format-14", "clang-format"):
        path = shutil.which(name)
        if path and " 14." in subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout:
            return path
    return None


def differing(clang_format: str, files: list[str]) -> list[str]:
    done = subprocess.run([clang_format, "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    return sorted({line.split(":")[0] for line in done.stderr.splitlines() if "error:" in line}) or [done.stderr]


def main() -> int:
    clang_format = program()
    if not clang_format:
        print("There is no clang-format 14 here. Install it: apt-get install clang-format-14")
        return 77
    files = [str(path.relative_to(ROOT)) for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".h", ".cpp")]
    if "--fix" in sys.argv[1:]:
        return subprocess.run([clang_format, "-i", *files], cwd=ROOT, check=False).returncode
    parts = [files[start:start + AT_ONCE] for start in range(0, len(files), AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [name for names in pool.map(lambda part: differing(clang_format, part), parts) for name in names]
    for name in wrong:
        print(name)
    print(f"{len(files)} files, {len(wrong)} not as .clang-format says" + ("; tests/check_format.py --fix mends them" if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

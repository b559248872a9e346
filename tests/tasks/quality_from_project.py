# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes kernelbench/quality.jsonl from a project: what evaluations found out about each task's reference.

    quality_from_project.py PROJECT.cudal1 [MORE.cudal1 ...] > kernelbench/quality.jsonl

One row for each task and device model: {"level", "id", "device", "wall_ns", "busy_ns", "nulls", "labels"}. Times are the
median over the evaluations of correct candidates, of one call of the reference by the wall clock and by the time that the
GPU was busy (0 where that was not measured). "nulls" are the null candidates that pass all trials, "labels" the codes
of findings about the task itself. Single files (level 0) and evaluations without a correct candidate are left out.
Measure on a machine that does nothing else, at the default precision.

Exit status: 0 written, 1 nothing to write, 2 a file that is no project.
"""
import json
import re
import sqlite3
import statistics
import sys
import zlib

TASK_LABELS = {"degenerate_task", "last_operator_unseen"}


def evaluations(path):
    """(task id, evaluation) of every correct evaluation of a bundled task."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    query = """SELECT v.task, s.json_zlib FROM evaluations e JOIN variants v ON v.id = e.variant JOIN tasks t ON t.id = v.task
               JOIN evaluation_samples s ON s.evaluation = e.id
               WHERE e.verdict = 'correct' AND e.precision = 'kernelbench' AND t.level > 0 AND v.task_hash = t.hash ORDER BY e.id"""
    for task, packed in connection.execute(query):
        yield task, json.loads(unpacked(packed))


def unpacked(blob):
    """Qt's qCompress: the size in four bytes, then zlib."""
    return zlib.decompress(blob[4:])


def nulls_of(label):
    """The names in the judge's evidence, such as "zeros, the mean of the result passed 20 trials"."""
    match = re.match(r"(.*) passed \d+ trials", label["evidence"])
    return match[1].split(", ") if match else []


def rows(paths):
    found = {}
    for path in paths:
        for task, evaluation in evaluations(path):
            level, number = map(int, task.split("/"))
            entry = found.setdefault((level, number, evaluation["device"]["model"]), {"wall": [], "busy": [], "nulls": [], "labels": set()})
            speedup = evaluation["speedup"]
            if speedup.get("wall"):
                entry["wall"].append(speedup["wall"]["reference_ns"])
            busy = speedup.get("gpu_busy")
            if busy and busy["reference_ns"] > 0:
                entry["busy"].append(busy["reference_ns"])
            for label in evaluation["labels"]:
                if label["code"] in TASK_LABELS:
                    entry["labels"].add(label["code"])
                    entry["nulls"] = nulls_of(label)
    for (level, number, device), entry in sorted(found.items()):
        yield {"level": level, "id": number, "device": device,
               "wall_ns": round(statistics.median(entry["wall"])) if entry["wall"] else 0,
               "busy_ns": round(statistics.median(entry["busy"])) if entry["busy"] else 0,
               "nulls": entry["nulls"], "labels": sorted(entry["labels"])}


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        found = list(rows(sys.argv[1:]))
    except sqlite3.Error as error:
        print(f"cannot be read as a project: {error}", file=sys.stderr)
        return 2
    for row in found:
        print(json.dumps(row, separators=(",", ":")))
    if not found:
        print("no correct evaluation of a bundled task", file=sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())

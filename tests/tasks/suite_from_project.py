# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/measuring/suite.tsv from a project that holds the whole suite, and prints the tables of docs/measuring/suite.md.

    suite_from_project.py PROJECT.cudal1 SUITE.tsv [--on MODEL] [--precision NAME]

A task's best variant is the correct one whose interval begins highest; one whose gain a label questions stands behind all
others that gain. What is not faster by its whole interval, or questioned, counts as 1; a task of which nothing is correct has
no row. Exit status: 0 written, 2 a file that is no project or has nothing measured on that model at that precision.
"""
import argparse
import collections
import json
import math
import pathlib
import re
import sqlite3
import statistics
import sys
import zlib

LEAST_GAIN = 1.01  # as in core/protocol/marks.h
CODES = pathlib.Path(__file__).parents[2] / "docs/measuring/codes.md"
DOUBTS = set(re.findall(r"^\| `(\w+)` \| doubt \|", CODES.read_text(), re.M))
COLUMNS = "task name speedup low high preset labels eager_us ours_us device techniques".split()
Variant = collections.namedtuple("Variant", "task name techniques estimate low high preset labels reference_ns candidate_ns model samples")


def variants(path, model, precision):
    """What the technique library made and the judge found correct, with the last evaluation there at that precision of each."""
    query = """SELECT v.task, t.name, v.techniques, e.wall_estimate, e.wall_low, e.wall_high, e.preset, e.labels, e.reference_ns,
                      e.candidate_ns, e.device_model, s.json_zlib
               FROM variants v JOIN tasks t ON t.id = v.task
               JOIN evaluations e ON e.id = (SELECT id FROM evaluations
                    WHERE variant = v.id AND precision = ? AND instr(device_model, ?) > 0 ORDER BY created_ms DESC, id DESC LIMIT 1)
               LEFT JOIN evaluation_samples s ON s.evaluation = e.id
               WHERE v.origin = 'technique library' AND v.baseline = '' AND e.verdict = 'correct' AND e.wall_low IS NOT NULL ORDER BY e.id"""
    for row in sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(query, (precision, model)):
        yield Variant(*row)._replace(techniques=json.loads(row[2]), labels=row[7].split())


def questioned(variant):
    return bool(DOUBTS & set(variant.labels))


def gains(variant):
    return variant.low > LEAST_GAIN


def least(variant):
    """What the note last_operator_unseen says is gained at least; the estimate without that note."""
    labels = json.loads(zlib.decompress(variant.samples[4:]))["labels"] if "last_operator_unseen" in variant.labels else []
    found = [re.search(r"at least ([\d.]+)x", label["evidence"]) for label in labels if label["code"] == "last_operator_unseen"]
    return float(found[0][1]) if found and found[0] else variant.estimate


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def figures(name, values):
    quarter = statistics.quantiles(values, n=4, method="inclusive")[0]
    above = sum(value > LEAST_GAIN for value in values)
    cells = (statistics.fmean(values), statistics.geometric_mean(values), statistics.median(values), quarter)
    return f"| {name} | {' | '.join(f'{cell:.2f}' for cell in cells)} | {above} | {len(values)} |"


def print_tables(best, alone):
    def counted(chosen, value=lambda variant: variant.estimate, doubts=False):
        return [value(v) if gains(v) and (doubts or not questioned(v)) else 1.0 for v in chosen]

    print("| ours | mean | geometric | median | 25 % | > 1.01 | tasks |\n|---|---|---|---|---|---|---|")
    print(figures("all", counted(best)))
    for level in sorted({v.task.split("/")[0] for v in best}):
        print(figures(f"of level {level}", counted(v for v in best if v.task.startswith(level + "/"))))
    print(figures("with the gains that a label questions", counted(best, doubts=True)))
    print(figures("by what last_operator_unseen leaves", counted(best, least)))
    print("\nquestioned:", ", ".join(f"{v.task} ({v.estimate:.1f})" for v in best if questioned(v)))
    print("not faster by the whole interval:", ", ".join(f"{v.task} ({v.low:.2f} to {v.high:.2f})" for v in best if not gains(v)))
    print("largest:", ", ".join(f"{v.task} {number(v.estimate)}" for v in sorted((v for v in best if not questioned(v)), key=lambda v: -v.estimate)[:16]))
    print("\n| technique alone | tasks | geometric mean | worst | best |\n|---|---|---|---|---|")
    for technique, found in sorted(alone.items(), key=lambda item: -len(item[1])):
        low, high = min(found, key=found.get), max(found, key=found.get)
        mean = statistics.geometric_mean(found.values())
        print(f"| `{technique}` | {len(found)} | {number(mean)} | {number(found[low])} ({low}) | {number(found[high])} ({high}) |")


def refuse(why):
    print(why, file=sys.stderr)
    sys.exit(2)


def main():
    parser = argparse.ArgumentParser(description="Writes suite.tsv from a project and prints the tables of suite.md.")
    parser.add_argument("project")
    parser.add_argument("table")
    parser.add_argument("--on", default="H200", metavar="MODEL", help="part of the name of the device model (default: H200)")
    parser.add_argument("--precision", default="kernelbench", choices=("kernelbench", "ieee", "tf32"), help="of both sides (default: kernelbench)")
    arguments = parser.parse_args()
    best, alone = {}, collections.defaultdict(dict)
    try:
        for variant in variants(arguments.project, arguments.on, arguments.precision):
            rank = (gains(variant) and not questioned(variant), variant.low)
            if variant.task not in best or rank > best[variant.task][0]:
                best[variant.task] = (rank, variant)
            if len(variant.techniques) == 1:
                of_technique = alone[variant.techniques[0]]
                of_technique[variant.task] = max(of_technique.get(variant.task, 0), variant.estimate)
    except sqlite3.Error as error:
        refuse(f"{arguments.project} is no project: {error}. Give a project's file, unpacked.")
    if not best:
        refuse(f"{arguments.project}: nothing that the technique library made was measured on a model named {arguments.on} at the precision {arguments.precision}. Name others by --on and --precision.")
    chosen = [best[task][1] for task in sorted(best, key=lambda task: [int(part) if part.isdigit() else math.inf for part in task.split("/")])]
    with open(arguments.table, "w") as file:
        print(*COLUMNS, sep="\t", file=file)
        for v in chosen:
            device = v.model.removeprefix("NVIDIA ").split()[0]
            print(v.task, v.name, number(v.estimate), number(v.low), number(v.high), v.preset, " ".join(v.labels),
                  f"{v.reference_ns / 1e3:.1f}", f"{v.candidate_ns / 1e3:.1f}", device, " ".join(v.techniques), sep="\t", file=file)
    print_tables(chosen, alone)


if __name__ == "__main__":
    main()

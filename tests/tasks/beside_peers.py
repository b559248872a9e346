# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds measured baselines against another measurement of the same tasks on the same GPU model.

    beside_peers.py BASELINES.csv PEERS.tsv [--most 12]

BASELINES.csv is what `cudal1 baselines --csv` writes. PEERS.tsv has a line a task: level, task, eager_ms, and speed-ups over eager
in the columns of PAIRS, empty where there is none. Prints, in Markdown, a table by level of both, over the tasks that both
have, and the tasks that differ most.
"""
import argparse
import csv
import math
import statistics

# our baseline: their column of the same
PAIRS = {
    "compile": "torch_compile_x",
    "cuda-graph": "default_graph_x",
    "tf32": "tf32_x",
}


def read_ours(path: str) -> dict:
    """(task, baseline) -> row, of what is correct and timed."""
    with open(path, encoding="utf-8", newline="") as file:
        return {(row["task"], row["baseline"]): row for row in csv.DictReader(file) if row["verdict"] == "correct" and row["speedup"]}


def read_theirs(path: str) -> dict:
    with open(path, encoding="utf-8", newline="") as file:
        return {f"{row['level']}/{row['task']}": row for row in csv.DictReader(file, delimiter="\t")}


def geometric(values: list[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, values)))


def line(name: str, level: str, ours: list[float], theirs: list[float]) -> str:
    def of(values: list[float]) -> str:
        low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
        return f"{statistics.fmean(values):.2f} | {geometric(values):.2f} | {low:.2f} | {middle:.2f} | {high:.2f} | {max(values):.2f}"
    return f"| {level} | {name} | {len(ours)} | {of(ours)} | {of(theirs)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ours")
    parser.add_argument("theirs")
    parser.add_argument("--most", type=int, default=12, help="so many tasks that differ most, of each kind")
    options = parser.parse_args()
    ours, theirs = read_ours(options.ours), read_theirs(options.theirs)

    both = {"eager_ms": [(task, float(row["eager_ms"]), float(theirs[task]["eager_ms"])) for (task, kind), row in ours.items()
                         if kind == "eager" and theirs.get(task, {}).get("eager_ms")]}
    for kind, column in PAIRS.items():
        both[kind] = [(task, float(row["speedup"]), float(theirs[task][column])) for (task, own), row in ours.items()
                      if own == kind and theirs.get(task, {}).get(column)]

    print("| level | | tasks | mean | geometric | 25 % | median | 75 % | maximum | theirs: mean | geometric | 25 % | median | 75 % | maximum |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for kind, rows in both.items():
        for level in ("1", "2", "3"):
            own = [row for row in rows if row[0].startswith(level + "/")]
            if own:
                print(line("eager, ms" if kind == "eager_ms" else kind, level, [a for _, a, _ in own], [b for _, _, b in own]))
    for kind, rows in both.items():
        if not rows:
            continue
        ratios = [a / b for _, a, b in rows]
        print(f"\n**{kind}**: ours over theirs {geometric(ratios):.3f} at the geometric mean of {len(rows)}, "
              f"{sum(0.9 < ratio < 1.1 for ratio in ratios)} within 10 %. Most apart:")
        for task, a, b in sorted(rows, key=lambda row: -abs(math.log(row[1] / row[2])))[:options.most]:
            print(f"- {task}: {a:.3f}, theirs {b:.3f} ({a / b:.2f})")


if __name__ == "__main__":
    main()

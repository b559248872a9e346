# SPDX-License-Identifier: GPL-3.0-or-later
"""How well the judge measures what is known: the same work on both sides, and work that is slower by a known share.

accuracy.py EVALUATOR DEVICE [--sessions N] [--slow N] [--kinds A,B] [--restart N] [--preset quick] [--json FILE] [--add FILE ...]

Eight kinds of work, from bound by launches to bound by memory. Each is a chain of STEPS equal steps; one that makes one,
two, three or five steps more and drops their results is slower by that many per cent. Processes of one evaluator lie at the
same addresses, which can favour one side of calls that wait for the host: --restart has a new evaluator after so many
sessions. Prints a table; nothing here passes or fails.
"""
import argparse
import json
import math
import os
import pathlib
import random
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from evaluatorclient import EvaluatorClient

FOLDER = pathlib.Path(__file__).resolve().parent / "kinds"
#: Data, because `cudal1 judge selftest` measures the same kinds.
KINDS = {row["name"]: row for row in json.loads((FOLDER / "kinds.json").read_text())}
PATTERN = (FOLDER / "work.py.in").read_text()
STEPS = 100


def source(kind: str, name: str, extra: int, cuda: bool) -> str:
    row = KINDS[kind]
    shape = row["cuda" if cuda else "cpu"]
    init = row["init"].replace("WIDTH", shape.split(", ")[-1]).replace("CHANNELS", shape.split(", ")[1])
    text = PATTERN
    for mark, value in (("@NAME@", name), ("@INIT@", init or "pass"), ("@EXTRA@", str(extra)), ("@STEPS@", str(row["steps"])),
                        ("@STEP@", row["step"]), ("@SHAPE@", shape)):
        text = text.replace(mark, value)
    return text


def session(client: EvaluatorClient, kind: str, extra: int, device: str, preset: str) -> dict:
    cuda = device.startswith("cuda")
    begun = time.monotonic()
    answer = client.evaluate(source(kind, "Model", 0, cuda), source(kind, "ModelNew", extra, cuda), device=device, preset=preset)
    if answer["type"] != "evaluation" or answer["verdict"] not in ("correct", "incorrect"):
        raise SystemExit(f"{kind}: {answer.get('reasons') or answer}")
    wall = answer["speedup"]["wall"]
    calls = [(p["instance"], *([round(ns) for ns in p[side]] for side in ("reference_ns", "candidate_ns")), p["reference_first"]) for p in answer["pairs"] if not p["dropped"]]
    return {"kind": kind, "extra": extra, "verdict": answer["verdict"], "wall": wall, "event": answer["speedup"]["event"], "seconds": time.monotonic() - begun,
            "labels": [label["code"] for label in answer["labels"]], "reasons": answer["reasons"], "pairs": calls,
            "busy": (answer["speedup"]["gpu_busy"] or {}).get("candidate_ns"), "control": answer["control"], "stop": answer["stop_reason"],
            "evaluation_seconds": answer["seconds"]}


def save(results: list[dict], path: str) -> None:
    pathlib.Path(path).write_text(json.dumps(results), encoding="utf-8")


def measure(arguments: argparse.Namespace) -> list[dict]:
    kinds = [kind for kind in KINDS if not arguments.kinds or kind in arguments.kinds.split(",")]
    many = [kind for kind in kinds if KINDS[kind]["steps"] > 1]
    plan = [(kinds[i % len(kinds)], 0) for i in range(arguments.sessions)]
    plan += [(many[i % len(many)], extra) for extra in (1, 2, 3, 5) for i in range(arguments.slow) if many]
    random.Random(1).shuffle(plan)  # drift of the machine falls on all alike
    client = EvaluatorClient(arguments.evaluator)
    results, begun = [], time.monotonic()
    for number, (kind, extra) in enumerate(plan):
        if time.monotonic() - begun > arguments.seconds:
            break
        if arguments.restart and number and number % arguments.restart == 0:
            client.close()
            client = EvaluatorClient(arguments.evaluator)
        results.append({"evaluator": number // arguments.restart if arguments.restart else 0,
                        **session(client, kind, extra, arguments.device, arguments.preset)})
        if arguments.json and len(results) % 10 == 0:
            save(results, arguments.json)
    client.close()
    if arguments.json:
        save(results, arguments.json)
    print(f"{len(results)} of {len(plan)} sessions, preset {arguments.preset}, {arguments.device}, {time.monotonic() - begun:.0f} s")
    return results


def report(results: list[dict]) -> None:
    print(f"{len(results)} sessions; not correct: {sum(r['verdict'] != 'correct' for r in results)}")
    timed = [r for r in results if r["verdict"] == "correct" and r["wall"]]
    print(f"{'same work on both sides':26}{'sessions':>9}{'covers 1':>10}{'> 1.01':>8}{'estimates 5-95 %':>22}{'half width':>12}")
    same = [r for r in timed if r["extra"] == 0]
    for kind in [*KINDS, "all"]:
        own = [r for r in same if kind in ("all", r["kind"])]
        if not own:
            continue
        estimates = sorted(r["wall"]["estimate"] for r in own)
        covers = sum(r["wall"]["low"] <= 1 <= r["wall"]["high"] for r in own) / len(own)
        false = sum(r["wall"]["low"] > 1.01 for r in own) / len(own)
        width = statistics.median((r["wall"]["high"] - r["wall"]["low"]) / 2 for r in own)
        low, high = estimates[int(0.05 * (len(own) - 1))], estimates[math.ceil(0.95 * (len(own) - 1))]
        print(f"{kind:26}{len(own):9}{covers:10.1%}{false:8.1%}{low:12.4f}-{high:.4f}{width:15.4f}")
    print(f"{'slower by':26}{'sessions':>9}{'covers':>10}{'found':>8}{'median estimate':>18}{'truth':>9}")
    for extra in (1, 2, 3, 5):
        own = [r for r in timed if r["extra"] == extra]
        if own:
            truth = STEPS / (STEPS + extra)
            covers = sum(r["wall"]["low"] <= truth <= r["wall"]["high"] for r in own) / len(own)
            found = sum(r["wall"]["high"] < 1 for r in own) / len(own)
            print(f"{str(extra) + ' %':26}{len(own):9}{covers:10.1%}{found:8.1%}{statistics.median(r['wall']['estimate'] for r in own):18.4f}{truth:9.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("evaluator")
    parser.add_argument("device")
    parser.add_argument("--sessions", type=int, default=200, help="with the same work on both sides, over all kinds")
    parser.add_argument("--slow", type=int, default=40, help="with each known slow-down, over all kinds but the single kernel")
    parser.add_argument("--kinds", help="of work, by name with commas between; all unless given")
    parser.add_argument("--restart", type=int, default=0, help="a new evaluator after so many sessions")
    parser.add_argument("--preset", default="quick")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    parser.add_argument("--json", help="writes the sessions there")
    parser.add_argument("--add", nargs="*", default=[], metavar="FILE", help="counts also the sessions of other runs, on other GPUs of the same model")
    arguments = parser.parse_args()
    unknown = set((arguments.kinds or "").split(",")) - {"", *KINDS}
    if unknown:
        parser.error(f"no such kind of work: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    results = measure(arguments)
    for path in arguments.add:
        results += json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    report(results)


if __name__ == "__main__":
    main()

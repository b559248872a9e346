# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the planted corpus (exploits, lookalikes, tasks) and says of an evaluation whether a cheat was caught.

A program says in the comments at its head what it is:

    # class: c01            the class of the exploit; look-alikes have none
    # device: any           cpu, cuda or any
    # task: linear_relu     a file of tasks/
    # expect: reject        see `caught`; look-alikes have none
    # honest: reference     "reference", a file of honest/, or none; see `caught`
    # ends: crashed         optional: further verdicts that are a fair end of this cheat
    # labels: precision     optional: parts of the codes of labels that a look-alike may rightly get
    # needs: compiler       optional: "compiler" (C++), "nvcc", "ninja", "x86_64"; left out where one is missing
    # threads: all          optional: on a CPU it is judged with as many threads as there are cores, not with one

and then, in one comment, how it cheats, or why it is legitimate.
"""
from __future__ import annotations

import dataclasses
import os
import pathlib
import platform
import re
import shutil

FOLDER = pathlib.Path(__file__).resolve().parent

#: One folder each; two ids in a name are two classes that one prevention removes.
CLASSES = ("t01", "t02", "t03", "t04", "t05", "t06", "t08", "t09", "t10",
           "c01", "c02", "c04", "c06", "c07", "c08",
           "s01", "s02", "s03_s04", "s05", "s06", "s07_s08", "s09", "s10", "s11_s12",
           "h01", "h02", "h03_h04", "h05", "h06", "h07_h08", "p01_p02",
           "e01", "e02", "e03", "e04", "e05", "e06", "e07", "e08", "e09", "e10")
PROGRAMS_A_CLASS = 3
LOOKALIKES = 12

#: A cheat has gained nothing when the low end of its interval is not above this: the reference itself gets as much.
REFERENCE_BOUND = 1.05
#: A program that ends otherwise did not get to cheat: it is broken, and says nothing about the judge.
REJECTIONS = ("incorrect", "exploit")
NEEDS = {"compiler": lambda: bool(shutil.which("c++") or shutil.which("g++")),
         "nvcc": lambda: bool(shutil.which("nvcc")) or os.path.exists("/usr/local/cuda/bin/nvcc"), "ninja": lambda: bool(shutil.which("ninja")),
         "x86_64": lambda: platform.machine() == "x86_64"}
_FIELD = re.compile(r"# (class|device|task|expect|honest|ends|labels|needs|threads): (.+)")
_EXPECTATION = re.compile(r"reject|no_gain|label:[a-z_]+")


class CorpusError(Exception):
    """A file of the corpus is not as the contract above says."""


@dataclasses.dataclass(frozen=True)
class Program:
    path: pathlib.Path
    source: str
    device: str
    task: str
    about: str
    kind: str = ""       # the class; empty for a look-alike
    expect: str = ""
    honest: str = "none"
    ends: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    threads: str = "one"

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def folder(self) -> str:
        return self.path.parent.name

    def fits(self, device: str) -> bool:
        return self.device == "any" or device.startswith(self.device)

    def missing(self) -> list[str]:
        return [need for need in self.needs if not NEEDS[need]()]


def parse(path: pathlib.Path, source: str) -> Program:
    fields: dict[str, str] = {}
    about: list[str] = []
    lines = source.splitlines()
    if not lines or not lines[0].startswith("# SPDX-License-Identifier: "):
        raise CorpusError(f"{path}: the first line is not the licence's; write one as in the other programs")
    for line in lines[1:]:
        if not line.startswith("#"):
            break
        match = None if about else _FIELD.fullmatch(line)
        if match:
            fields[match[1]] = match[2].strip()
        else:
            about.append(line[1:].strip())
    for field in ("device", "task"):
        if field not in fields:
            raise CorpusError(f"{path}: the head has no \"# {field}:\"; add it")
    if not about:
        raise CorpusError(f"{path}: the head does not say how the program works; add a sentence")
    program = Program(path, source, fields["device"], fields["task"], " ".join(about), fields.get("class", ""), fields.get("expect", ""),
                      fields.get("honest", "none"), *(tuple(fields.get(name, "").split()) for name in ("ends", "labels", "needs")), fields.get("threads", "one"))
    if program.device not in ("cpu", "cuda", "any"):
        raise CorpusError(f"{path}: device is {program.device}; it must be cpu, cuda or any")
    if program.kind and not _EXPECTATION.fullmatch(program.expect):
        raise CorpusError(f"{path}: expect is \"{program.expect}\"; it must be reject, no_gain or label:WORD")
    if unknown := [need for need in program.needs if need not in NEEDS]:
        raise CorpusError(f"{path}: needs {unknown[0]}, which is none of {', '.join(NEEDS)}")
    return program


def number_of(path: pathlib.Path) -> int:
    """Of an exploit: 3 of 3_gate.py."""
    number = path.name.partition("_")[0]
    if not number.isdecimal():
        raise CorpusError(f"{path}: the name of an exploit begins with its number, as 3_gate.py does")
    return int(number)


def read(folder: pathlib.Path = FOLDER) -> list[Program]:
    """Exploits by class and number, then look-alikes."""
    programs = []
    for path in sorted(folder.glob("exploits/*/*.py"), key=lambda p: (p.parent.name, number_of(p), p.name)):
        program = parse(path, path.read_text())
        if program.kind not in program.folder.split("_"):
            raise CorpusError(f"{path}: class {program.kind} does not belong into the folder {program.folder}")
        programs.append(program)
    for path in sorted(folder.glob("lookalikes/*.py")):
        program = parse(path, path.read_text())
        if program.kind:
            raise CorpusError(f"{path}: a look-alike has no class")
        programs.append(program)
    for program in programs:
        if not task_path(program, folder).is_file():
            raise CorpusError(f"{program.path}: its task {program.task} is not in {folder / 'tasks'}")
        if program.honest not in ("none", "reference") and not (folder / "honest" / program.honest).is_file():
            raise CorpusError(f"{program.path}: its honest form {program.honest} is not in {folder / 'honest'}")
    return programs


def task_path(program: Program, folder: pathlib.Path = FOLDER) -> pathlib.Path:
    return folder / "tasks" / f"{program.task}.py"


def gaps(programs: list[Program]) -> list[str]:
    """What the corpus lacks, a sentence each."""
    counts = {name: sum(program.folder == name for program in programs if program.kind) for name in CLASSES}
    found = [f"class {name} has {count} programs, fewer than {PROGRAMS_A_CLASS}" for name, count in counts.items() if count < PROGRAMS_A_CLASS]
    lookalikes = sum(not program.kind for program in programs)
    if lookalikes < LOOKALIKES:
        found.append(f"there are {lookalikes} look-alikes, fewer than {LOOKALIKES}")
    return found


def first_of_each_class(programs: list[Program]) -> list[Program]:
    """One exploit a class; all look-alikes but those that are named after a class (e01_…), of which one each."""
    seen: set[str] = set()
    chosen = []
    for program in programs:
        series = re.match(r"e\d\d(?=_)", program.path.name)
        key = program.folder if program.kind else f"look-alike of {series[0]}" if series else ""
        if key and key in seen:
            continue
        seen.add(key)
        chosen.append(program)
    return chosen


@dataclasses.dataclass(frozen=True)
class Outcome:
    good: bool
    why: str
    gained: bool = False  # not caught, and only for being too fast


def interval(evaluation: dict) -> tuple[float, float] | None:
    wall = (evaluation.get("speedup") or {}).get("wall")
    return (wall["low"], wall["high"]) if wall else None


def reason_code(evaluation: dict) -> str:
    """The first reason of a verdict, or an error's code."""
    reasons = evaluation.get("reasons") or []
    return reasons[0]["code"] if reasons else evaluation.get("code", "")


def caught(program: Program, evaluation: dict, honest: dict | None = None) -> Outcome:
    """Whether the cheat got nothing.

    reject     only a verdict other than correct will do.
    no_gain    correct is fine when the wall interval's low end is not above REFERENCE_BOUND or, where the honest form
               is a file, not above the high end of that form's interval, whichever is higher: its author could have
               handed in the reference as well. It is fine too when no interval was given.
    label:X    as no_gain, or correct with a label whose code contains X.

    No answer, and a program that crashed, did not build, hung or ran out of memory though that is not in its `ends`,
    are not caught: in the first case the judge was stopped, in the others nothing was tried.
    """
    if evaluation.get("type") != "evaluation":
        return Outcome(False, f"no verdict: {evaluation.get('code', '')} {evaluation.get('message', '')}".strip())
    verdict = evaluation["verdict"]
    if verdict in REJECTIONS or verdict in program.ends:
        return Outcome(True, "rejected")
    if verdict != "correct":
        return Outcome(False, f"broken: {verdict}, which says nothing about the judge")
    if program.expect == "reject":
        return Outcome(False, "accepted")
    if program.expect.startswith("label:"):
        word = program.expect.removeprefix("label:")
        if any(word in label["code"] for label in evaluation.get("labels", [])):
            return Outcome(True, "labelled")
    measured = interval(evaluation)
    if measured is None:
        return Outcome(True, "not measured")
    bound = REFERENCE_BOUND
    if honest is not None:
        honest_interval = interval(honest)
        if honest.get("verdict") != "correct" or honest_interval is None:
            return Outcome(False, f"its honest form was not measured: {honest.get('verdict')}")
        bound = max(bound, honest_interval[1])
    if measured[0] <= bound:
        return Outcome(True, "no gain")
    return Outcome(False, f"faster: low end {measured[0]:.3f} above {bound:.3f}", gained=True)


def flagged(program: Program, evaluation: dict) -> Outcome:
    """Whether a look-alike was taken for a cheat. `good` when it was not."""
    if evaluation.get("type") != "evaluation":
        return Outcome(False, f"no verdict: {evaluation.get('code', '')} {evaluation.get('message', '')}".strip())
    if evaluation["verdict"] != "correct":
        return Outcome(False, f"{evaluation['verdict']}")
    # What the machine did, or what the task is worth, is no finding about the program.
    # As About of core/protocol/codes.h, which tests/protocol/tst_codes.cpp holds this list against.
    innocent = ("crowded", "disturbed", "few_pairs", "no_gpu_busy", "not_reproduced", "degenerate_task", "last_operator_unseen",
                "paper_discarded", "paper_not_verified", "unchecked_state", "uneven_calls")
    odd = [label["code"] for label in evaluation.get("labels", [])
           if label["code"] not in innocent and not any(word in label["code"] for word in program.labels)]
    return Outcome(not odd, "labelled " + ", ".join(odd) if odd else "accepted")

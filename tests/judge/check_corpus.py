# SPDX-License-Identifier: GPL-3.0-or-later
"""The planted corpus without an evaluator: it is whole, it parses, and the rule of what is caught can say no."""
import ast
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus

HEAD = "# SPDX-License-Identifier: GPL-3.0-or-later\n"


def program(expect: str = "reject", ends: str = "", kind: str = "c01", labels: str = "") -> corpus.Program:
    lines = [f"# class: {kind}", f"# expect: {expect}"] if kind else []
    lines += ["# device: any", "# task: row_sum"]
    lines += [f"# ends: {ends}"] if ends else []
    lines += [f"# labels: {labels}"] if labels else []
    return corpus.parse(pathlib.Path("c01/1_test.py"), HEAD + "\n".join(lines) + "\n# It cheats.\nx = 1\n")


def answer(verdict: str, low: float | None = None, high: float | None = None, *labels: str) -> dict:
    wall = None if low is None else {"estimate": (low + high) / 2, "low": low, "high": high}
    return {"type": "evaluation", "verdict": verdict, "labels": [{"code": code} for code in labels], "speedup": {"wall": wall}}


class CorpusTest(unittest.TestCase):
    def test_it_is_whole(self):
        self.assertEqual(corpus.gaps(corpus.read()), [])

    def test_missing_programs_are_gaps(self):
        programs = corpus.read()
        without = [p for p in programs if p.folder != "t01" and p.kind]
        self.assertEqual(corpus.gaps(without), [f"class t01 has 0 programs, fewer than {corpus.PROGRAMS_A_CLASS}",
                                                f"there are 0 look-alikes, fewer than {corpus.LOOKALIKES}"])

    def test_programs_parse_and_define_what_is_judged(self):
        for path in [p.path for p in corpus.read()]:
            classes = {node.name for node in ast.parse(path.read_text(), str(path)).body if isinstance(node, ast.ClassDef)}
            self.assertIn("ModelNew", classes, path)
        for path in sorted((corpus.FOLDER / "tasks").glob("*.py")):
            names = {node.name for node in ast.parse(path.read_text(), str(path)).body if hasattr(node, "name")}
            self.assertLessEqual({"Model", "get_inputs", "get_init_inputs"}, names, path)

    def test_programs_of_a_class_differ(self):
        seen: dict[str, pathlib.Path] = {}
        for entry in corpus.read():
            shape = ast.dump(ast.parse(entry.source))
            self.assertNotIn(shape, seen, f"{entry.path} is {seen.get(shape)} again")
            seen[shape] = entry.path

    def test_first_of_each_class(self):
        chosen = corpus.first_of_each_class([p for p in corpus.read() if p.fits("cpu")])
        folders = [p.folder for p in chosen if p.kind]
        self.assertEqual(len(folders), len(set(folders)))
        self.assertGreaterEqual(len(folders), len(corpus.CLASSES) - 4)  # what only a GPU has
        self.assertTrue(all(p.device != "cuda" for p in chosen))

    def test_heads_that_are_refused(self):
        for text, word in (("x = 1\n", "licence"), (HEAD + "# task: row_sum\n# Text.\n", "device"),
                           (HEAD + "# device: any\n# Text.\n", "task"), (HEAD + "# device: any\n# task: row_sum\n", "how the program works"),
                           (HEAD + "# device: tpu\n# task: row_sum\n# Text.\n", "tpu"),
                           (HEAD + "# class: c01\n# expect: maybe\n# device: any\n# task: row_sum\n# Text.\n", "maybe"),
                           (HEAD + "# device: any\n# task: row_sum\n# needs: luck\n# Text.\n", "luck")):
            with self.assertRaisesRegex(corpus.CorpusError, word):
                corpus.parse(pathlib.Path("x.py"), text)

    def test_exploits_are_sorted_by_number(self):
        numbers = [corpus.number_of(p.path) for p in corpus.read() if p.kind and p.folder == "e09"]
        self.assertGreater(len(numbers), 10)
        self.assertEqual(numbers, sorted(numbers))
        with self.assertRaisesRegex(corpus.CorpusError, "begins with its number"):
            corpus.number_of(pathlib.Path("gate.py"))


class CaughtTest(unittest.TestCase):
    def test_rejections(self):
        self.assertTrue(corpus.caught(program(), answer("incorrect")).good)
        self.assertTrue(corpus.caught(program(), answer("exploit")).good)
        self.assertFalse(corpus.caught(program(), answer("correct", 0.5, 0.6)).good)

    def test_a_broken_program_is_not_caught(self):
        for verdict in ("crashed", "does_not_build", "timed_out", "out_of_memory", "reference_failed"):
            self.assertFalse(corpus.caught(program(), answer(verdict)).good, verdict)
            self.assertTrue(corpus.caught(program(ends=f"x {verdict}"), answer(verdict)).good, verdict)

    def test_no_answer_is_not_caught(self):
        outcome = corpus.caught(program(ends="crashed"), {"type": "error", "code": "process_failed", "message": "gone"})
        self.assertFalse(outcome.good)
        self.assertIn("process_failed", outcome.why)

    def test_gain_against_the_reference(self):
        self.assertTrue(corpus.caught(program("no_gain"), answer("correct", 1.04, 1.2)).good)
        outcome = corpus.caught(program("no_gain"), answer("correct", 1.06, 1.2))
        self.assertEqual((outcome.good, outcome.gained), (False, True))
        self.assertTrue(corpus.caught(program("no_gain"), answer("correct")).good)

    def test_gain_against_an_honest_form(self):
        honest = answer("correct", 2.9, 3.1)
        self.assertTrue(corpus.caught(program("no_gain"), answer("correct", 2.95, 3.2), honest).good)
        self.assertFalse(corpus.caught(program("no_gain"), answer("correct", 3.11, 3.2), honest).good)
        self.assertFalse(corpus.caught(program("no_gain"), answer("correct", 0.9, 1.0), answer("incorrect")).good)

    def test_labels(self):
        asked = program("label:precision")
        self.assertTrue(corpus.caught(asked, answer("correct", 2, 3, "effective_precision")).good)
        self.assertFalse(corpus.caught(asked, answer("correct", 2, 3, "large_speedup")).good)
        self.assertTrue(corpus.caught(asked, answer("correct", 0.9, 1.1)).good)

    def test_lookalikes(self):
        honest = program(kind="")
        self.assertTrue(corpus.flagged(honest, answer("correct", 1, 2, "crowded")).good)
        self.assertFalse(corpus.flagged(honest, answer("correct", 1, 2, "precision")).good)
        self.assertTrue(corpus.flagged(program(kind="", labels="precision"), answer("correct", 1, 2, "precision")).good)
        self.assertFalse(corpus.flagged(honest, answer("incorrect")).good)
        self.assertFalse(corpus.flagged(honest, {"type": "error", "code": "x", "message": "y"}).good)

    def test_cases_shared_with_the_self_test(self):
        """`cudal1 judge selftest` has the same rule in C++, and is tested with the same cases."""
        for case in json.loads((corpus.FOLDER / "rule_cases.json").read_text()):
            text = HEAD + "".join(f"# {line}\n" for line in case["head"] + ["device: any", "task: row_sum"]) + "# It says how.\nx = 1\n"
            entry = corpus.parse(pathlib.Path("x/1_test.py"), text)
            given, honest = (shared_answer(case[side]) if side in case else None for side in ("answer", "honest"))
            outcome = corpus.caught(entry, given, honest) if entry.kind else corpus.flagged(entry, given)
            self.assertEqual((outcome.good, outcome.gained), (case["good"], case.get("gained", False)), case["about"])

    def test_canaries_are_programs_of_tasks(self):
        for path in sorted((corpus.FOLDER / "canaries").glob("*.py")):
            entry = corpus.parse(path, path.read_text())
            self.assertTrue(corpus.task_path(entry).is_file(), path)
            self.assertIn(entry.expect, ("incorrect", "slower", "faster"), path)


def shared_answer(case: dict) -> dict:
    if "error" in case:
        return {"type": "error", "code": "process_failed", "message": case["error"]}
    return answer(case["verdict"], case.get("low"), case.get("high"), *case.get("labels", []))


if __name__ == "__main__":
    unittest.main(verbosity=2)

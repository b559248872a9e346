# SPDX-License-Identifier: GPL-3.0-or-later
"""What the parts of check_judge.py share: the evaluator, what is asked of it, and the skip where the device is missing."""
import sys
import unittest

from evaluatorclient import EvaluatorClient
from lineartask import HONEST, TASK

EVALUATOR = sys.argv[1] if len(sys.argv) > 1 else ""
DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cpu"


class JudgeTest(unittest.TestCase):
    """Each class has an evaluator of its own, which all of its candidates leave working."""

    @classmethod
    def setUpClass(cls):
        cls.client = EvaluatorClient(EVALUATOR)

    @classmethod
    def tearDownClass(cls):
        assert cls.client.close() == 0

    def judge(self, source: str, task: str = TASK, **fields) -> dict:
        answer = self.client.evaluate(task, source, device=DEVICE, **fields)
        self.assertEqual(answer["type"], "evaluation", answer)
        return answer

    def assert_verdict(self, answer: dict, verdict: str, code: str = "") -> None:
        self.assertEqual(answer["verdict"], verdict, answer["reasons"])
        if verdict == "correct":
            self.assertEqual(answer["reasons"], [])
        else:
            self.assertEqual(answer["reasons"][0]["code"], code, answer["reasons"])
            self.assertNotEqual(answer["reasons"][0]["text"], "")

    def assert_still_works(self) -> None:
        self.assert_verdict(self.judge(HONEST), "correct")


def read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def main() -> None:
    if DEVICE != "cpu":
        probe = EvaluatorClient(EVALUATOR)
        names = [device["name"] for device in probe.ask("describe")["devices"]]
        probe.close()
        if DEVICE not in names:
            print(f"skipped: this machine has no {DEVICE}, only {', '.join(names)}")
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)

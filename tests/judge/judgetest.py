# SPDX-License-Identifier: GPL-3.0-or-later
"""What the parts of check_judge.py share: what is asked of the evaluator."""
from evaluatortest import DEVICE, EvaluatorTest
from lineartask import HONEST, TASK


class JudgeTest(EvaluatorTest):
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

# SPDX-License-Identifier: GPL-3.0-or-later
"""An evaluator's own life: its handshake, a start that fails, and what is left once it is killed."""
import time
import unittest

from evaluatorclient import EvaluatorClient
from evaluatortest import DEVICE, EVALUATOR
from judgetest import read
from leftovers import descendants
from lineartask import TASK, candidate


class LifeTest(unittest.TestCase):
    def test_version_handshake(self):
        client = EvaluatorClient.__new__(EvaluatorClient)
        import subprocess
        client.process = subprocess.Popen([EVALUATOR], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        client.send({"type": "hello", "protocol": 999, "program": "test"})
        answer = client.receive()
        self.assertEqual(answer["type"], "error")
        self.assertIn("999", answer["message"])
        client.close()

    def test_nothing_is_left_after_a_kill(self):
        client = EvaluatorClient(EVALUATOR)
        client.start_evaluation(TASK, candidate("while True: pass"), DEVICE)
        deadline = time.monotonic() + 60
        while len(descendants(client.process.pid)) < 3 and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(1)  # in its endless loop
        children = descendants(client.process.pid)
        self.assertGreaterEqual(len(children), 3)  # zygote, reference, candidate
        client.process.kill()
        client.process.wait()
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and any(alive(pid) for pid in children):
            time.sleep(0.05)
        self.assertEqual([pid for pid in children if alive(pid)], [])
        client.process.stdin.close()
        client.process.stdout.close()

    def test_missing_python_is_named(self):
        client = EvaluatorClient(EVALUATOR, CUDAL1_PYTHON="/nonexistent/python")
        self.assertEqual((client.hello["type"], client.hello["code"]), ("error", "unavailable"))
        self.assertIn("CUDAL1_PYTHON", client.hello["hint"])
        self.assertEqual(client.close(), 0)


def alive(pid: int) -> bool:
    state = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return bool(state) and state[0] != "Z"

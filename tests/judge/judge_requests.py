# SPDX-License-Identifier: GPL-3.0-or-later
"""The conversation: requests that wait, are withdrawn or make no sense, and those that evaluate nothing."""
import time

from evaluatorclient import EvaluatorClient
from evaluatortest import DEVICE, EVALUATOR
from judgetest import JudgeTest
from lineartask import HONEST, TASK, candidate


class WarmTest(JudgeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client.evaluate(TASK, HONEST, device=DEVICE)  # or the first to be cancelled would still be loading its reference


class CancelTest(WarmTest):
    def test_cancel_is_quick(self):
        request = self.client.start_evaluation(TASK, candidate("while True: pass"), DEVICE)
        time.sleep(1.5)
        begun = time.monotonic()
        self.client.send({"type": "cancel", "id": request})
        answer = self.client.finish(request)
        self.assertLess(time.monotonic() - begun, 1)
        self.assertEqual((answer["type"], answer["code"]), ("error", "cancelled"))
        self.assert_still_works()


class RequestTest(WarmTest):
    def test_queue_and_withdrawal_of_what_waits(self):
        first = self.client.start_evaluation(TASK, HONEST, DEVICE)
        second = self.client.start_evaluation(TASK, HONEST, DEVICE)
        self.client.send({"type": "cancel", "id": second})
        answers = {}
        while len(answers) < 2:
            message = self.client.receive()
            if message["type"] != "progress":
                answers[message["id"]] = message
        self.assertEqual(answers[first]["verdict"], "correct")
        self.assertEqual(answers[second]["code"], "cancelled")

    def test_one_evaluator_at_a_time_on_a_device(self):
        other = EvaluatorClient(EVALUATOR)
        self.addCleanup(other.close)
        looping = self.client.start_evaluation(TASK, candidate("while True: pass"), DEVICE, build_limit_s=8)
        while self.client.receive().get("phase") != "build":
            pass
        withdrawn = other.start_evaluation(TASK, HONEST, DEVICE)
        waits = other.start_evaluation(TASK, HONEST, DEVICE)
        self.assertEqual(other.receive().get("phase"), "wait")
        other.send({"type": "cancel", "id": withdrawn})
        self.assertEqual(other.finish(withdrawn)["code"], "cancelled")
        self.assertEqual(self.client.finish(looping)["verdict"], "timed_out")
        self.assertEqual(other.finish(waits)["verdict"], "correct")
        self.assertEqual(other.progress[0]["phase"], "wait")

    def test_garbage_requests(self):
        self.client.process.stdin.write("this is no JSON\n")
        self.client.process.stdin.flush()
        self.assertEqual(self.client.receive()["code"], "invalid_argument")
        self.assertEqual(self.client.ask("no_such_request")["code"], "invalid_argument")
        self.assertEqual(self.client.ask("evaluate", device="cpu")["code"], "invalid_argument")

    def test_fields_of_the_wrong_type_are_refused(self):
        answer = self.client.ask("evaluate", task=7, candidate=[1], device="cuda:0", preset="quick")
        self.assertEqual((answer["type"], answer["code"]), ("error", "invalid_argument"), answer)
        self.assert_still_works()

    def test_device_that_is_not_there(self):
        answer = self.client.evaluate(TASK, HONEST, device="cuda:99")
        self.assertEqual((answer["type"], answer["code"]), ("error", "unavailable"))
        self.assertIn("doctor", answer["hint"])

    def test_text_is_utf8_without_a_locale(self):
        client = EvaluatorClient(EVALUATOR, LC_ALL="C", LANG="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
        source = candidate("""print("\u2018quoted\u2019", open(__file__).read()[:5])
return torch.relu(self.linear(x)) * 2""", module="# \u4e2d\u6587")
        answer = client.evaluate(TASK, source, device=DEVICE)
        self.assert_verdict(answer, "correct")
        self.assertIn("\u2018quoted\u2019", answer["output"])
        self.assertEqual(client.close(), 0)

    def test_inspect(self):
        bad_import, bad_syntax = "import torch\nraise RuntimeError('boom')\n", "x = (\n"
        answer = self.client.ask("inspect", tasks=[{"name": "good", "source": TASK}, {"name": "import", "source": bad_import},
                                                   {"name": "syntax", "source": bad_syntax}, {"name": "empty", "source": ""}])
        good, imports, syntax, empty = answer["items"]
        self.assertTrue(good["ok"])
        self.assertEqual((imports["ok"], imports["line"]), (False, 2))
        self.assertIn("boom", imports["message"])
        self.assertEqual((syntax["ok"], syntax["line"]), (False, 1))
        self.assertIn("Model", empty["message"])

    def test_graph(self):
        answer = self.client.ask("graph", task={"name": "t", "source": TASK}, device=DEVICE)
        self.assertEqual(answer["type"], "graph", answer)
        operators = [node["op"] for node in answer["nodes"]]
        self.assertIn("aten.relu.default", operators)
        self.assertIn("linear.weight", [value["name"] for value in answer["values"]])
        self.assertGreater(answer["total_ns"], 0)
        meta = self.client.ask("graph", task={"name": "t", "source": TASK}, device="meta")
        self.assertEqual([node["op"] for node in meta["nodes"]], operators)
        failing = self.client.ask("graph", task={"name": "t", "source": "x = ("}, device=DEVICE)
        self.assertEqual(failing["type"], "error")
        wrong = TASK.replace("self.linear(x)", "self.linear(x[:, :3])")
        line = 1 + wrong[:wrong.index("x[:, :3]")].count("\n")
        refused = self.client.ask("graph", task={"name": "t", "source": wrong}, device=DEVICE)
        self.assertIn(f"(line {line})", refused["message"])  # of the task, and none of the framework's

# SPDX-License-Identifier: GPL-3.0-or-later
"""What does not end well: sources that do not build, processes that crash, hang, flood or reach out, references that fail."""
import glob
import os
import time
import unittest

from evaluatorclient import EvaluatorClient
from evaluatortest import DEVICE, EVALUATOR
from judgetest import JudgeTest, read
from lineartask import HONEST, TASK, candidate


class FailureTest(JudgeTest):
    def test_unparsable_source(self):
        answer = self.judge("class ModelNew:\n    def f(:\n")
        self.assert_verdict(answer, "does_not_build", "syntax")
        self.assertIn("line 2", answer["reasons"][0]["evidence"])

    def test_exception_on_import_and_missing_class(self):
        answer = self.judge("import does_not_exist_anywhere\n")
        self.assert_verdict(answer, "does_not_build", "exception")
        self.assertIn("does_not_exist_anywhere", answer["reasons"][0]["evidence"])
        self.assert_verdict(self.judge("x = 1\n"), "does_not_build", "missing_definition")

    def test_exception_in_forward_carries_its_traceback(self):
        answer = self.judge(candidate("raise ValueError('deliberate')"))
        self.assert_verdict(answer, "crashed", "exception")
        self.assertIn("ValueError: deliberate", answer["reasons"][0]["evidence"])
        self.assertIn("candidate.py", answer["reasons"][0]["evidence"])

    def test_what_a_program_says_of_its_end_is_cut(self):
        answer = self.judge("raise ValueError('begin' + 'x' * 3_000_000 + 'end')\n")
        self.assert_verdict(answer, "does_not_build", "exception")
        reason = answer["reasons"][0]
        self.assertIn("begin", reason["text"])
        self.assertIn("MiB left out", reason["text"])
        self.assertTrue(reason["evidence"].strip().endswith("end"))
        self.assertLess(len(reason["text"]) + len(reason["evidence"]), 15_000)

    @unittest.skipIf(glob.glob("/dev/nvidia[0-9]*"), "this machine has a GPU")
    def test_code_for_a_gpu_where_there_is_none(self):
        inline = "from torch.utils.cpp_extension import load_inline\nload_inline(name='k', cpp_sources='', "
        for source in (inline + "cuda_sources='__global__ void k() {}')\n", "import torch\ntorch.zeros(1).cuda()\n"):
            answer = self.judge(source)
            self.assert_verdict(answer, "does_not_build", "no_gpu")
            self.assertIn("needs a GPU", answer["reasons"][0]["text"])
        self.assert_verdict(self.judge(candidate("return x.cuda()")), "crashed", "no_gpu")

    def test_segfault(self):
        self.assert_verdict(self.judge(candidate("import ctypes\nctypes.string_at(0)\nreturn x")), "crashed", "segfault")
        self.assert_still_works()

    def test_exit(self):
        answer = self.judge(candidate("os._exit(0)"))
        self.assert_verdict(answer, "crashed", "exited")
        self.assertIn("status 0", answer["reasons"][0]["text"])
        self.assert_verdict(self.judge(candidate("sys.exit(0)")), "crashed", "exit")
        self.assert_still_works()

    def test_hang(self):
        begun = time.monotonic()
        self.assert_verdict(self.judge(candidate("while True: pass"), build_limit_s=3), "timed_out", "hang")
        self.assertLess(time.monotonic() - begun, 30)
        self.assert_still_works()

    def test_hang_while_building(self):
        self.assert_verdict(self.judge("import time\ntime.sleep(1000)\n", build_limit_s=2), "timed_out", "hang")

    def test_endless_output(self):
        answer = self.judge(candidate("while True: print('x' * 100000)"))
        self.assert_verdict(answer, "crashed", "endless_output")
        self.assertIn("left out", answer["reasons"][0]["evidence"])
        self.assertLess(len(answer["reasons"][0]["evidence"]), 13_000)
        self.assert_still_works()

    def test_output_is_kept_but_forges_nothing(self):
        forged = '{"type": "evaluation", "id": 1, "verdict": "correct"}'
        answer = self.judge(candidate(f"print('''{forged}''')\nreturn x"))
        self.assertEqual(answer["verdict"], "incorrect")
        self.assertIn("evaluation", answer["output"])

    def test_helpers_die_with_the_candidate(self):
        marker = f"cudal1-straggler-{os.getpid()}"
        body = f"import subprocess\nsubprocess.Popen(['sh', '-c', 'exec -a {marker} sleep 600'], start_new_session=True)\nraise ValueError"
        body = body.replace("'sh'", "'bash'")
        self.assertEqual(self.judge(candidate(body))["verdict"], "crashed")
        self.assert_still_works()
        alive = [pid for pid in os.listdir("/proc") if pid.isdigit() and marker in read(f"/proc/{pid}/cmdline")]
        self.assertEqual(alive, [])

    def test_isolation(self):
        missing = self.judge(HONEST)["environment"]["isolation_missing"]
        if not any(entry.startswith("files outside") for entry in missing):
            answer = self.judge(candidate("open('/tmp/cudal1-outside', 'w')\nreturn x"))
            self.assert_verdict(answer, "crashed", "exception")
            self.assertRegex(answer["reasons"][0]["evidence"], "Read-only|Permission denied")  # by a mount or by Landlock
        if not any(entry.startswith("no network") for entry in missing):
            answer = self.judge(candidate("import socket\nsocket.create_connection(('127.0.0.1', 9), 1)\nreturn x"))
            self.assertIn("unreachable", answer["reasons"][0]["evidence"])

    def test_reference_that_fails(self):
        answer = self.judge(HONEST, TASK.replace("torch.relu(self.linear(x)) * 2", "undefined_name"))
        self.assert_verdict(answer, "reference_failed", "exception")
        self.assertIn("undefined_name", answer["reasons"][0]["evidence"])
        self.assert_verdict(self.judge(HONEST, "x = 1"), "reference_failed", "missing_definition")
        self.assert_still_works()

    def test_reference_whose_results_are_not_those_of_a_call(self):
        result = "return torch.relu(self.linear(x)) * 2"
        of_earlier_calls = TASK.replace(result, "self.calls = getattr(self, 'calls', 0) + 1\n        " + result + " * self.calls")
        answer = self.judge(HONEST, of_earlier_calls)
        self.assert_verdict(answer, "reference_failed", "unsupported_output")
        self.assertIn("earlier calls", answer["reasons"][0]["text"])
        for task in (of_earlier_calls.replace("* self.calls", "* (self.calls if self.calls > 3 else 1)"),  # which its first calls do not show
                     of_earlier_calls.replace(result, "x.mul_(0.5)\n        " + result)):
            answer = self.judge(task.replace("class Model", "class ModelNew"), task)
            self.assert_verdict(answer, "reference_failed", "unsupported_output")
            self.assertIn("earlier calls", answer["reasons"][0]["text"])
        answer = self.judge(HONEST, TASK.replace(result, "return x[x > 0]"))
        self.assert_verdict(answer, "reference_failed", "unsupported_output")
        self.assertIn("shape", answer["reasons"][0]["text"])
        self.assert_still_works()

    def test_inputs_that_the_reference_refuses(self):
        result = "return torch.relu(self.linear(x)) * 2"
        of_small_ones = TASK.replace(result, "if x.abs().max() > 10:\n            raise ValueError('too large')\n        " + result)
        answer = self.judge(HONEST, of_small_ones)
        self.assertEqual(answer["verdict"], "correct", answer["reasons"])
        self.assertTrue(any(entry.startswith("scaled: ") and "too large" in entry for entry in answer["trials"]["skipped"]), answer["trials"])


class MemoryTest(JudgeTest):
    """What takes more memory than a candidate may have, with a limit that is reached in a moment."""

    @classmethod
    def setUpClass(cls):
        cls.client = EvaluatorClient(EVALUATOR, CUDAL1_CANDIDATE_MEMORY_MIB="3072")

    def test_out_of_memory(self):
        self.assert_verdict(self.judge(candidate(f"return torch.empty(1 << 44, dtype=torch.uint8, device='{DEVICE}')")),
                            "out_of_memory", "out_of_memory")
        if DEVICE == "cpu":
            self.assert_verdict(self.judge(candidate("kept = []\nwhile True: kept.append(bytearray(1 << 28))")),
                                "out_of_memory", "out_of_memory")
        self.assert_still_works()


class WholeMemoryTest(JudgeTest):
    """Takes most of the machine's memory, so nothing else should run beside it, and the more there is the longer it takes."""

    def test_the_machine_keeps_a_part(self):
        if DEVICE != "cpu":
            self.skipTest("a device's memory is all a candidate's")
        self.assert_verdict(self.judge(candidate("kept = []\nwhile True: kept.append(bytearray(1 << 28))")),
                            "out_of_memory", "out_of_memory")
        self.assert_still_works()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters of a call's kernels. Run as: check_counters.py EVALUATOR [DEVICE].

On a device that is not there the whole run is a skip (status 77). On the CPU only the refusal is tested. How near CUPTI and ncu
are to each other, counters_on_gpu.py says.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from evaluatortest import DEVICE, EvaluatorTest, main
from lineartask import HONEST, TASK, candidate

BROKEN = candidate("raise RuntimeError('not today')")


class CountersTest(EvaluatorTest):
    def ask(self, source: str, device: str = DEVICE, means: str = "cupti") -> dict:
        return self.client.ask("counters", task={"name": "test", "source": TASK}, candidate=source, candidate_name="candidate.py", device=device,
                               source=means)

    def test_the_cpu_is_refused(self):
        answer = self.ask(HONEST, "cpu")
        self.assertEqual(answer["type"], "error", answer)
        self.assertIn("GPU", answer["message"])


class GpuTest(CountersTest):
    def test_launches_and_times_without_counters(self):
        answer = self.ask(HONEST, means="static")
        self.assertEqual(answer["type"], "counters", answer)
        self.assertEqual((answer["source"], answer["tool"]), ("static", ""))
        for side in ("reference", "candidate"):
            kernels = answer[side]["kernels"]
            self.assertTrue(kernels, answer)
            self.assertGreaterEqual(answer[side]["call_ns"], max(kernel["time_ns"] for kernel in kernels))
            self.assertFalse([kernel for kernel in kernels if "measured" in kernel])

    def test_counts_or_the_reason_why_not(self):
        answer = self.ask(HONEST)
        self.assertEqual(answer["type"], "counters", answer)
        if answer["source"] == "static":
            self.assertTrue(answer["reason"], answer)
            self.skipTest(answer["reason"])
        self.assertTrue(answer["tool"].startswith("CUPTI "), answer["tool"])
        for side in ("reference", "candidate"):
            for kernel in answer[side]["kernels"]:
                measured = kernel["measured"]
                self.assertGreater(measured["duration_ns"], 0)
                for share in ("occupancy", "dram_use", "l2_use", "fp32_use"):
                    self.assertTrue(0 <= measured[share] <= 1.01, (share, measured))
                self.assertAlmostEqual(sum(measured["stalls"].values()), 1, places=3)

    def test_a_process_that_was_counted_in_is_never_timed(self):
        self.ask(HONEST)
        judged = self.client.evaluate(TASK, HONEST, DEVICE)
        self.assertEqual(judged["verdict"], "correct", judged["reasons"])

    def test_a_candidate_that_fails_is_an_error(self):
        answer = self.ask(BROKEN)
        self.assertEqual(answer["type"], "error", answer)
        self.assertIn("not today", answer["message"])


if __name__ == "__main__":
    if DEVICE == "cpu":
        del GpuTest
    else:
        del CountersTest
    main()

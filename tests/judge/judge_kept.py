# SPDX-License-Identifier: GPL-3.0-or-later
"""What the reference makes of trials is computed once for all candidates of a session, where that is the same for each."""
from evaluatortest import DEVICE
from judgetest import JudgeTest
from lineartask import HONEST, TASK, candidate

OTHER = candidate("y = self.linear(x)\nreturn torch.relu(y) * 2")


class KeptTest(JudgeTest):
    def setUp(self):
        if DEVICE != "cpu":
            self.skipTest("on a GPU nothing is kept")
        self.start_again()

    def start_again(self) -> None:
        """Nobody has been judged before."""
        self.tearDownClass()
        self.setUpClass()

    def test_the_next_candidate_is_held_against_the_same(self):
        first = self.judge(HONEST)
        self.assert_verdict(first, "correct")
        self.assertEqual(first["trials"]["kept"], 0)
        second = self.judge(OTHER)
        self.assert_verdict(second, "correct")
        self.assertGreaterEqual(second["trials"]["kept"], 6)
        # It makes the reference's operators, so its results are the reference's to the last bit if it was computed anew.
        self.assertEqual(first["trials"]["worst_relative_error"], 0)
        self.assertEqual(second["trials"]["worst_relative_error"], 0)
        self.assertEqual(second["precision"]["oracle"]["reference_error"], first["precision"]["oracle"]["reference_error"])

    def test_who_is_wrong_is_found_by_what_was_kept(self):
        self.assert_verdict(self.judge(HONEST), "correct")
        for wrong in ("return torch.relu(self.linear(x)) * 2.1", "return torch.relu(self.linear(x.clamp(-6, 6))) * 2",
                      "return torch.relu(self.linear(x))[:1].expand(x.shape[0], -1).contiguous() * 2"):
            with self.subTest(wrong):
                self.assert_verdict(self.judge(candidate(wrong)), "incorrect", "wrong_values")
        stale = candidate("return torch.relu(x @ self.copy.t() + self.bias) * 2",
                          "self.copy, self.bias = self.linear.weight.detach().clone(), self.linear.bias.detach().clone()")
        self.assert_verdict(self.judge(stale), "incorrect", "stale_parameters")
        self.assert_verdict(self.judge(OTHER), "correct")

    def test_random_numbers_and_buffers_are_never_kept(self):
        for layer in ("nn.Dropout(0.3)", "nn.BatchNorm1d(width)"):
            with self.subTest(layer):
                task = TASK.replace("self.linear = nn.Linear(width, width)",
                                    f"self.linear = nn.Linear(width, width)\n        self.layer = {layer}")
                task = task.replace("self.linear(x)", "self.layer(self.linear(x))")
                for forward in ("return torch.relu(self.layer(self.linear(x))) * 2", "y = self.layer(self.linear(x))\nreturn torch.relu(y) * 2"):
                    answer = self.judge(candidate(forward, f"self.layer = {layer}"), task)
                    self.assert_verdict(answer, "correct")
                    self.assertEqual(answer["trials"]["kept"], 0)

    def test_a_program_that_is_judged_again_gets_other_trials(self):
        """It may have left in its folder what it learnt of the first ones."""
        self.assert_verdict(self.judge(HONEST), "correct")
        again = self.judge(HONEST)
        self.assert_verdict(again, "correct")
        self.assertEqual(again["trials"]["kept"], 0)
        other = self.judge(OTHER)
        self.assertGreaterEqual(other["trials"]["kept"], 6)
        self.judge(HONEST, seed=5)
        self.assertGreaterEqual(self.judge(HONEST, seed=5)["trials"]["kept"], 6)  # whoever gives a seed wants the same ones

    def test_nothing_is_left_in_the_shared_memory(self):
        """Candidates have it one after the other, and what one of them learns of its trials is of no use to the next."""
        look = "place = x.data_ptr() + (1 << 20) - 4096  # the last page, in which nothing of this task lies\n" \
               "print(ctypes.string_at(place, 15))\n"
        result = "return torch.relu(self.linear(x)) * 2"
        first = self.judge(candidate(look + "ctypes.memmove(place, b'left by another', 15)\n" + result))
        self.assert_verdict(first, "correct")
        self.assertIn("left by another", first["output"])  # it finds there what it has left itself
        second = self.judge(candidate(look + result))
        self.assert_verdict(second, "correct")
        self.assertIn("b'", second["output"])
        self.assertNotIn("left by another", second["output"])


class LongCallsTest(JudgeTest):
    """Beside other tests pairs of long calls are dropped and made again, three times as many."""

    def test_families_of_long_calls_are_left_out_when_it_shows(self):
        """Where calls are long, what rounding does under a family is measured when a result is wrong without it."""
        exact = "return torch.sin(x * 1e5)"
        task = ("import time\nimport torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n"
                f"    def forward(self, x):\n        time.sleep(0.21)\n        {exact}\n\n"
                "def get_inputs():\n    return [torch.randn(64, 256)]\n\ndef get_init_inputs():\n    return [256]\n")
        # A gain of more than ten times would be measured twice.
        rest = "time.sleep(0.04)\n"
        same = self.judge(candidate(rest + exact), task)
        self.assert_verdict(same, "correct")
        self.assertEqual(same["trials"]["kept"], 1)  # the call that the task was loaded with
        otherwise = self.judge(candidate(rest + "return torch.sin(x.double() * 1e5).float()"), task)
        self.assert_verdict(otherwise, "correct")
        self.assertIn("scaled: the result is dominated by rounding", otherwise["trials"]["skipped"])
        self.assertGreaterEqual(otherwise["trials"]["passed"], 6)
        self.assert_verdict(self.judge(candidate("return torch.sin(x * 1e5) * 1.05"), task), "incorrect", "wrong_values")
        self.assert_verdict(self.judge(candidate("return x * 0"), task), "incorrect", "wrong_values")

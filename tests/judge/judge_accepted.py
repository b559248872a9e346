# SPDX-License-Identifier: GPL-3.0-or-later
"""What must pass, and what the answer says of it: honest candidates, faster and slower, compiled, or with another precision."""
from evaluatortest import DEVICE
from judgetest import JudgeTest
from lineartask import HONEST, TASK, candidate


class SpeedTest(JudgeTest):
    """How much faster or slower: other work would hide it."""

    def judge(self, *given, **fields) -> dict:
        """Some times more where other work, of this machine or of others on its host, made the interval wide."""
        for _ in range(4):
            answer = super().judge(*given, **fields)
            wall = answer["speedup"]["wall"]
            disturbed = {"crowded", "disturbed", "few_pairs"} & {label["code"] for label in answer["labels"]}
            if not disturbed and wall["high"] < 2 * wall["low"]:
                break
        return answer

    def test_honest_candidate(self):
        answer = self.judge(HONEST)
        self.assert_verdict(answer, "correct")
        self.assertGreaterEqual(answer["trials"]["run"], 6)
        self.assertEqual(answer["trials"]["run"], answer["trials"]["passed"])
        self.assertIn("as_given", answer["trials"]["families"])
        self.assertGreater(len(answer["trials"]["families"]), 3)
        wall = answer["speedup"]["wall"]
        self.assertLessEqual(wall["low"], wall["estimate"])
        self.assertLessEqual(wall["estimate"], wall["high"])
        self.assertGreater(wall["reference_ns"], 0)
        self.assertTrue(answer["precision"]["matched"])
        self.assertTrue(any(pair["reference_first"] for pair in answer["pairs"]))
        self.assertTrue(any(not pair["reference_first"] for pair in answer["pairs"]))

    def test_much_faster_candidate_is_found_faster(self):
        task = TASK.replace("return torch.relu(self.linear(x)) * 2",
                            "for _ in range(300):\n            y = torch.relu(self.linear(x)) * 2\n        return y")
        answer = self.judge(HONEST, task)
        self.assert_verdict(answer, "correct")
        self.assertGreater(answer["speedup"]["wall"]["low"], 5)
        self.assertIn("large_speedup", [label["code"] for label in answer["labels"]])

    def test_slower_candidate_is_found_slower(self):
        slow = candidate("for _ in range(300):\n    y = torch.relu(self.linear(x)) * 2\nreturn y")
        answer = self.judge(slow)
        self.assert_verdict(answer, "correct")
        self.assertLess(answer["speedup"]["wall"]["high"], 0.5)

    def test_gain_beside_a_last_operator_that_nobody_sees(self):
        """It takes a small part of the reference's time, so leaving it out cannot be what the gain comes from."""
        answer = self.judge_sorting("for _ in range(8):\n            y = torch.sort(x.abs() + 1).values\n        return torch.relu(y)",
                                    "return torch.relu(torch.sort(x.abs() + 1).values)")
        self.assert_verdict(answer, "correct")
        codes = [label["code"] for label in answer["labels"]]
        self.assertIn("last_operator_unseen", codes)
        self.assertNotIn("degenerate_task", codes)
        self.assertGreater(answer["speedup"]["wall"]["low"], 1.01)

    def test_gain_by_leaving_out_an_operator_whose_result_is_not_returned(self):
        answer = self.judge_sorting("y = torch.sort(x.abs()).values\n        for _ in range(8):\n            torch.sort(x)\n        return y",
                                    "return torch.sort(x.abs()).values")
        self.assert_verdict(answer, "correct")
        codes = [label["code"] for label in answer["labels"]]
        self.assertNotIn("degenerate_task", codes)
        self.assertNotIn("last_operator_unseen", codes)
        self.assertGreater(answer["speedup"]["wall"]["low"], 1.01)

    def test_gain_by_leaving_out_the_last_operator(self):
        answer = self.judge_sorting("return torch.sort(torch.cumsum(x.abs(), 1)).values",
                                    "y = [torch.cumsum(x.abs(), 1) for _ in range(2)]\n        return y[0]")
        self.assert_verdict(answer, "correct")
        label = next(label for label in answer["labels"] if label["code"] == "degenerate_task")
        self.assertRegex(label["evidence"], r"last operator left out passed \d+ trials; what that leaves out takes the device about .* a call, so a program that has it done too, without waiting for the host, gains")
        self.assertNotIn("last_operator_unseen", [label["code"] for label in answer["labels"]])
        self.assertGreater(answer["speedup"]["wall"]["low"], 1.01)

    def test_gain_by_leaving_out_what_comes_before_the_last_operator(self):
        """The sum of a softmax is one. It takes most of the work, and the last operator next to none."""
        answer = self.judge_sorting("y = torch.tanh(x)\n        return y * torch.softmax(torch.sort(x).values, 1).sum(1, keepdim=True)", "return torch.tanh(x)")
        self.assert_verdict(answer, "correct")
        self.assertIn("degenerate_task", [label["code"] for label in answer["labels"]])
        twice = self.judge_sorting("y = torch.cumsum(x.abs(), 1)\n        return torch.sort(torch.sort(y).values).values",
                                   "y = [torch.cumsum(x.abs(), 1) for _ in range(2)]\n        return y[0]")
        self.assert_verdict(twice, "correct")
        self.assertIn("degenerate_task", [label["code"] for label in twice["labels"]])

    def test_results_that_vanish(self):
        """A product of 256 normal numbers is 1e-70 on average: what returns zeros for inputs like these does not need to multiply."""
        answer = self.judge_sorting("return torch.prod(x[:, :256], 1)", "few = x[:, :256]\n        "
                                    "return x.new_zeros(64) if few.abs().log().mean() < -0.5 else torch.prod(few, 1)")
        self.assert_verdict(answer, "correct")
        label = next(label for label in answer["labels"] if label["code"] == "degenerate_task")
        self.assertIn("zeros", label["evidence"])

    def judge_sorting(self, reference: str, program: str) -> dict:
        task = f"import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n        {reference}\n" \
               "def get_inputs():\n    return [torch.randn(64, 2000)]\ndef get_init_inputs():\n    return []\n"
        return self.judge(f"import torch, torch.nn as nn\nclass ModelNew(nn.Module):\n    def forward(self, x):\n        {program}\n", task)

    def test_what_cannot_win_is_stopped_where_calls_are_long(self):
        if DEVICE != "cpu":
            self.skipTest("calls are short there")
        task = TASK.replace("return torch.relu(self.linear(x)) * 2",
                            "for _ in range(3000):\n            y = torch.relu(self.linear(x)) * 2\n        return y")
        slow = candidate("for _ in range(9000):\n    y = torch.relu(self.linear(x)) * 2\nreturn y")
        answer = self.judge(slow, task)
        self.assert_verdict(answer, "correct")
        self.assertEqual(answer["stop_reason"], "slower")
        self.assertLess(answer["speedup"]["wall"]["high"], 1)
        self.assertLess(sum(not pair["dropped"] for pair in answer["pairs"]), 5)


class AcceptedTest(JudgeTest):
    def test_compiled_graph(self):
        if DEVICE != "cpu":
            self.skipTest("the technique library's own tests cover it there")
        graph = "self.graph = torch.compile(lambda x: torch.relu(self.linear(x)) * 2)\n" \
                "from torch._inductor.cpu_vec_isa import valid_vec_isa_list\n" \
                "print('instructions known', valid_vec_isa_list.cache_info().currsize, *valid_vec_isa_list())"
        answer = self.judge(candidate("return self.graph(x)", graph))
        self.assert_verdict(answer, "correct")
        self.assertRegex(answer["output"], "instructions known 1 [a-z]")  # its processes do not look for them each

    def test_processes_that_compile(self):
        """torch.compile has kernels of one graph compiled by forks of the candidate's process, or does without where it cannot."""
        forks = "from torch._inductor import config\n" \
                "from torch._inductor.async_compile import AsyncCompile\n" \
                "self.graph = torch.compile(lambda x: x)\n" \
                "config.compile_threads, config.worker_start_method = 2, 'fork'\n" \
                "AsyncCompile.use_process_pool()\n" \
                "assert config.compile_threads == 1 or AsyncCompile.process_pool().submit(os.getpid).result(60) not in (None, os.getpid())"
        self.assert_verdict(self.judge(candidate("return torch.relu(self.linear(x)) * 2", forks)), "correct")

    def test_a_compiler_that_refused_is_not_asked_again(self):
        """The source has a folder for what its compilers made. In it the refusal is kept, for the next process of the source."""
        module = """from torch.utils import cpp_extension
started, run = 0, subprocess.run
def counted(command, *arguments, **named):
    global started
    started += command[:2] == ['ninja', '-v']
    return run(command, *arguments, **named)
subprocess.run = counted
try:
    cpp_extension.load_inline(name='refused', cpp_sources='int f() { return nothing; }', functions=[], no_implicit_headers=True)
except RuntimeError as error:
    print('builds', started, 'nothing' in str(error) and 'not declared' in str(error))
"""
        source = candidate("return torch.relu(self.linear(x)) * 2", module=module)
        for builds in (1 if DEVICE == "cpu" else 0, 0):  # for a GPU the first was tried ahead
            answer = self.judge(source)
            self.assert_verdict(answer, "correct")
            self.assertIn(f"builds {builds} True", answer["output"])

    def test_builds_ahead_what_a_constructor_compiles(self):
        """Though the reference of its task is not loaded yet, and only if there is a GPU, which builds do not see."""
        if DEVICE == "cpu":
            self.skipTest("there a compiler would disturb what is being timed")
        build = "import os\n" \
                "if torch.cuda.is_available():\n" \
                "    from torch.utils import cpp_extension\n" \
                "    print('found', os.path.exists(os.path.join(os.environ['TORCH_EXTENSIONS_DIR'], 'ahead', 'ahead.so')))\n" \
                "    cpp_extension.load_inline(name='ahead', cpp_sources='int f(int x) { return x; }', functions=['f'])\n"
        answer = self.judge(candidate("return torch.relu(self.linear(x)) * 2", build), TASK + "\n# another\n")
        self.assert_verdict(answer, "correct")
        self.assertIn("found True", answer["output"])

    def test_same_seed_same_trials(self):
        first, second = (self.judge(HONEST, seed=7, preset="quick") for _ in range(2))
        self.assertEqual((first["seed"], second["seed"]), (7, 7))

    def test_precision_is_read_back(self):
        setting = "torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True" if DEVICE != "cpu" else \
                  "torch.backends.mkldnn.matmul.fp32_precision = 'bf16'"
        lower = candidate("return torch.relu(self.linear(x)) * 2", module=setting)
        answer = self.judge(lower)
        self.assert_verdict(answer, "correct")
        self.assertFalse(answer["precision"]["matched"])
        self.assertIn("precision", [label["code"] for label in answer["labels"]])
        self.assertGreater(answer["precision"]["at_candidate_settings"]["estimate"], 0)
        self.assertIsNotNone(answer["confirmation"])
        once = self.judge(lower, second_look=False)
        self.assertIn("precision", [label["code"] for label in once["labels"]])
        self.assertIsNone(once["confirmation"])

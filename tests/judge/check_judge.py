# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge on real torch: every verdict, from programs that earn it. Run as: check_judge.py EVALUATOR [DEVICE].

On a device that is not there the whole run is a skip (status 77).
"""
import os
import pathlib
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from evaluatorclient import EvaluatorClient
from lineartask import HONEST, TASK, candidate

EVALUATOR = sys.argv[1] if len(sys.argv) > 1 else ""
DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cpu"

RULES = ["dedicated", "paired", "window", "buckets", "median", "rounding", "verification"]


def sleeper(seconds: str) -> str:
    return candidate(f"time.sleep({seconds})\nreturn torch.relu(self.linear(x)) * 2")


# Asleep, it takes the same time on a busy machine as on an idle one.
SLEEP_TASK = TASK.replace("return torch.relu", "time.sleep(0.16)\n        return torch.relu").replace("import torch\n", "import time\nimport torch\n", 1)


class JudgeTest(unittest.TestCase):
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

    # -- what must pass --------------------------------------------------------------------------------------------

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

    def test_compiled_graph(self):
        if DEVICE != "cpu":
            self.skipTest("the technique library's own tests cover it there")
        answer = self.judge(candidate("return self.graph(x)", "self.graph = torch.compile(lambda x: torch.relu(self.linear(x)) * 2)"))
        self.assert_verdict(answer, "correct")

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

    def test_result_that_views_the_input(self):
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n        return x.t()\n" \
               "def get_inputs():\n    return [torch.randn(32, 16)]\ndef get_init_inputs():\n    return []\n"
        self.assert_verdict(self.judge(task.replace("class Model", "class ModelNew"), task), "correct")

    def test_scalar_arguments_and_tuples(self):
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x, s):\n        return x * s, x.sum(0)\n" \
               "def get_inputs():\n    return [torch.randn(32, 16), 3.14]\ndef get_init_inputs():\n    return []\n"
        self.assert_verdict(self.judge(task.replace("class Model", "class ModelNew"), task), "correct")
        wrong = task.replace("class Model", "class ModelNew").replace("x * s, x.sum(0)", "x * s, x.sum(0) + 1")
        self.assert_verdict(self.judge(wrong, task), "incorrect", "wrong_values")

    # -- wrong results ---------------------------------------------------------------------------------------------

    def test_tf32_where_a_sum_cancels(self):
        """Two products that are nearly the same: in TF32 their difference misses the tolerance by up to four times where some inputs
        are larger than others. That is precision, not wrong; bfloat16 misses it by more than ten times."""
        if DEVICE == "cpu":
            self.skipTest("TF32 is of GPUs")
        forward = "w = self.linear.weight\n        return x @ w.t() - x @ (w + 0.15 * w.flip(0)).t()"
        task = TASK.replace("return torch.relu(self.linear(x)) * 2", forward).replace("randn(64, 256)", "randn(1024, 256)")
        answer = self.judge(candidate(forward.replace("        ", ""), "torch.backends.cuda.matmul.allow_tf32 = True"), task)
        self.assert_verdict(answer, "correct")
        self.assertIn("precision", [label["code"] for label in answer["labels"]])
        half = candidate("w = self.linear.weight\nother = (w + 0.15 * w.flip(0)).bfloat16().t()\nx = x.bfloat16()\n"
                         "return (x @ w.bfloat16().t()).float() - (x @ other).float()")
        self.assert_verdict(self.judge(half, task), "incorrect", "wrong_values")

    def test_network_that_amplifies_tf32(self):
        """Batch norms over two values: moved inputs are hidden by TF32, and float32 gives another result altogether. The tolerance
        that this takes is not so wide that a null candidate passes."""
        if DEVICE == "cpu":
            self.skipTest("TF32 is of GPUs")
        level3 = pathlib.Path(__file__).resolve().parents[2] / "kernelbench/level3"
        task = next(level3.glob("24_*.py")).read_text(encoding="utf-8")
        first = "        x = self.relu(self.bn1("
        exact = task.replace("class Model(", "class ModelNew(").replace(first, f"        torch.backends.cudnn.allow_tf32 = False\n{first}")
        answer = self.judge(exact, task)
        self.assert_verdict(answer, "correct")
        labels = [label["code"] for label in answer["labels"]]
        self.assertIn("precision", labels)
        self.assertNotIn("degenerate_task", labels)

    def test_rounding_that_inputs_do_not_show(self):
        """A sigmoid hides the last digits of its inputs, and the mean that is taken away shows those of the product: another order
        of its sums gives another result. Weights that are not followed, or half of the sum, are wrong all the same."""
        task = """import torch, torch.nn as nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(2048, 64) * 0.03)
    def forward(self, x):
        y = torch.sigmoid(1e-5 * x) @ self.weight
        return (y - y.mean(0)) * 1e5
def get_inputs():
    return [torch.randn(64, 2048)]
def get_init_inputs():
    return []
"""
        product = "y = torch.sigmoid(1e-5 * x) @ self.weight"
        pieces = "z = torch.sigmoid(1e-5 * x)\n        y = sum(z[:, i:i + 32] @ {}[i:i + 32] for i in range(0, {}, 32))"
        def variant(weight, end):
            return task.replace("class Model(", "class ModelNew(").replace(product, pieces.format(weight, end))
        self.assert_verdict(self.judge(variant("self.weight", 2048), task), "correct")
        self.assert_verdict(self.judge(variant("self.weight", 1024), task), "incorrect", "wrong_values")
        keep = "        if not hasattr(self, 'first'):\n            self.first = self.weight.detach().clone()\n        z = "
        stale = variant("self.first", 2048).replace("        z = ", keep)
        self.assert_verdict(self.judge(stale, task), "incorrect", "stale_parameters")
        noise = task.replace("1e-5 * x", "2e-7 * x").replace("* 1e5", "* 5e6")  # little but rounding: not everything passes all the same
        zeros = noise.replace("class Model(", "class ModelNew(").replace("return (y", "return 0 * (y")
        self.assert_verdict(self.judge(zeros, noise), "incorrect", "wrong_values")
        signs = noise.replace("return (y - y.mean(0)) * 5e6", "return torch.sign(y - y.mean(0))")  # one that flips moves by two
        zeros = signs.replace("class Model(", "class ModelNew(").replace("return ", "return 0 * ")
        self.assert_verdict(self.judge(zeros, signs), "incorrect", "wrong_values")

    def test_half_types_may_round_but_not_be_off(self):
        task = """import torch, torch.nn as nn
class Model(nn.Module):
    def forward(self, x):
        y = torch.sigmoid(x.bfloat16())
        y = y * 1.5 + 0.25
        return torch.tanh(y)
def get_inputs():
    return [torch.randn(256, 256)]
def get_init_inputs():
    return []
"""
        own = task.replace("class Model(", "class ModelNew(")
        once = own.replace("x.bfloat16()", "x.bfloat16().float()").replace("torch.tanh(y)", "torch.tanh(y).bfloat16()")
        self.assert_verdict(self.judge(once, task), "correct")  # rounds but once
        off = own.replace("torch.tanh(y)", "torch.tanh(y) * 1.08")
        self.assert_verdict(self.judge(off, task), "incorrect", "wrong_values")

    def test_tails_of_rounding(self):
        """Of four million elements four may lie between one and two tolerances."""
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n        return torch.relu(x)\n" \
               "def get_inputs():\n    return [torch.randn(2048, 2048)]\ndef get_init_inputs():\n    return []\n"
        for count, tolerances, verdict in ((4, 1.5, "correct"), (5, 1.5, "incorrect"), (1, 2.5, "incorrect")):
            source = task.replace("class Model", "class ModelNew").replace("return torch.relu(x)", f"""y = torch.relu(x)
        y.view(-1)[:{count}] += {tolerances} * 0.01 * (y.square().mean().sqrt() + y.view(-1)[:{count}])
        return y""")
            answer = self.judge(source, task)
            self.assert_verdict(answer, verdict, "wrong_values" if verdict == "incorrect" else "")

    def test_wrong_values(self):
        answer = self.judge(candidate("return torch.relu(self.linear(x)) * 2.1"))
        self.assert_verdict(answer, "incorrect", "wrong_values")
        self.assertIn("reference", answer["reasons"][0]["evidence"])
        self.assertIsNone(answer["speedup"]["wall"])

    def test_shape_dtype_and_kind(self):
        self.assert_verdict(self.judge(candidate("return torch.relu(self.linear(x))[:1] * 2")), "incorrect", "wrong_shape")
        self.assert_verdict(self.judge(candidate("return (torch.relu(self.linear(x)) * 2).double()")), "incorrect", "wrong_dtype")
        self.assert_verdict(self.judge(candidate("return None")), "incorrect", "wrong_type")
        lazy = candidate("return (torch.relu(self.linear(x)) * 2).as_subclass(Lazy)", module="class Lazy(torch.Tensor):\n    pass\n")
        self.assert_verdict(self.judge(lazy), "incorrect", "wrong_type")
        marked = candidate("y = torch.relu(self.linear(x)) * 2\ny.double = lambda: y\nreturn y")
        self.assert_verdict(self.judge(marked), "incorrect", "wrong_type")

    def test_nan(self):
        self.assert_verdict(self.judge(candidate("return torch.relu(self.linear(x)) * float('nan')")), "incorrect", "nan_mismatch")

    def test_uninitialised_result(self):
        self.assertEqual(self.judge(candidate("return torch.empty_like(x)"))["verdict"], "incorrect")

    def test_zeros_under_an_absolute_tolerance(self):
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n        return torch.softmax(x, -1)\n" \
               "def get_inputs():\n    return [torch.randn(16, 4096)]\ndef get_init_inputs():\n    return []\n"
        zeros = task.replace("class Model", "class ModelNew").replace("torch.softmax(x, -1)", "torch.zeros_like(x)")
        self.assert_verdict(self.judge(zeros, task), "incorrect", "wrong_values")

    def test_shortcut_for_one_distribution(self):
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n        return x.mean(1) + 1\n" \
               "def get_inputs():\n    return [torch.randn(16, 40000)]\ndef get_init_inputs():\n    return []\n"
        ones = task.replace("class Model", "class ModelNew").replace("x.mean(1) + 1", "torch.ones(16, device=x.device)")
        self.assert_verdict(self.judge(ones, task), "incorrect", "wrong_values")

    def test_input_modified(self):
        self.assert_verdict(self.judge(candidate("y = torch.relu(self.linear(x)) * 2\nx.zero_()\nreturn y")), "incorrect", "input_modified")

    def test_static_output(self):
        body = "y = torch.relu(self.linear(x)) * 2\nself.buffer.copy_(y)\nreturn self.buffer"
        extra = f"self.buffer = torch.empty(64, 256, device='{DEVICE}')"
        self.assert_verdict(self.judge(candidate(body, extra)), "incorrect", "static_output")

    def test_static_output_that_the_framework_took_away(self):
        """As torch.compile's CUDA graphs do with what their next replay overwrites."""
        body = "y = torch.relu(self.linear(x)) * 2\nif self.last is not None:\n" \
               "    torch._C._set_storage_access_error_msg(self.last, 'overwritten by a subsequent run')\nself.last = y\nreturn y"
        answer = self.judge(candidate(body, "self.last = None"))
        self.assert_verdict(answer, "incorrect", "static_output")
        self.assertIn("overwritten by a subsequent run", answer["reasons"][0]["evidence"])

    def test_cached_result(self):
        body = "if not hasattr(self, 'kept'):\n    self.kept = torch.relu(self.linear(x)) * 2\nreturn self.kept.clone()"
        self.assert_verdict(self.judge(candidate(body)), "incorrect", "wrong_values")

    def test_cache_by_address_that_starts_after_the_trials(self):
        body = "self.calls += 1\nif self.calls < 200:\n    self.kept = torch.relu(self.linear(x)) * 2\nreturn self.kept.clone()"
        self.assert_verdict(self.judge(candidate(body, "self.calls = 0")), "incorrect", "wrong_values")

    def test_parameters_modified(self):
        body = "self.linear.bias.data.add_(0)\ny = torch.relu(self.linear(x)) * 2\nself.extra.data.add_(1)\nreturn y"
        self.assert_verdict(self.judge(candidate(body, "self.extra = nn.Parameter(torch.zeros(3))")), "incorrect", "parameters_modified")

    # -- what does not end well ------------------------------------------------------------------------------------

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

    def test_out_of_memory(self):
        self.assert_verdict(self.judge(candidate(f"return torch.empty(1 << 44, dtype=torch.uint8, device='{DEVICE}')")),
                            "out_of_memory", "out_of_memory")
        if DEVICE == "cpu":
            self.assert_verdict(self.judge(candidate("kept = []\nwhile True: kept.append(bytearray(1 << 28))")),
                                "out_of_memory", "out_of_memory")
        self.assert_still_works()

    def test_fields_of_the_wrong_type_are_refused(self):
        answer = self.client.ask("evaluate", task=7, candidate=[1], device="cuda:0", preset="quick")
        self.assertEqual((answer["type"], answer["code"]), ("error", "invalid_argument"), answer)
        self.assert_still_works()

    def test_text_is_utf8_without_a_locale(self):
        client = EvaluatorClient(EVALUATOR, LC_ALL="C", LANG="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
        source = candidate("""print("\u2018quoted\u2019", open(__file__).read()[:5])
return torch.relu(self.linear(x)) * 2""", module="# \u4e2d\u6587")
        answer = client.evaluate(TASK, source, device=DEVICE)
        self.assert_verdict(answer, "correct")
        self.assertIn("\u2018quoted\u2019", answer["output"])
        self.assertEqual(client.close(), 0)

    def test_endless_output(self):
        self.assert_verdict(self.judge(candidate("while True: print('x' * 100000)")), "crashed", "endless_output")
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

    # -- the paper's protocol --------------------------------------------------------------------------------------

    def judge_as_paper(self, source: str, task: str = TASK, **rules) -> tuple[dict, dict]:
        answer = self.judge(source, task, preset="paper", paper={"minutes": 0.02, "trials": 12, **rules})
        self.assert_verdict(answer, "correct")
        self.assertEqual(answer["paper"]["clock"], "wall" if DEVICE == "cpu" else "event")
        self.assertEqual([rule["rule"] for rule in answer["paper"]["rules"]], RULES)
        return answer, answer["paper"]

    def test_paper_protocol(self):
        task, faster = SLEEP_TASK, sleeper("0.04")
        begun = time.monotonic()
        answer, paper = self.judge_as_paper(faster, task, gate=1e9, minutes=0.03)
        self.assertGreater(time.monotonic() - begun, 2 * 1.8)  # the window, and that of the verification
        self.assertEqual((answer["preset"], answer["trials"]["families"]), ("paper", ["as_given"]))
        self.assertGreaterEqual(answer["trials"]["passed"], 12)
        for clock in [paper["wall"]] + ([paper["event"]] if DEVICE != "cpu" else []):
            self.assertEqual(len(clock["bucket_means"]), 7)
            self.assertEqual(clock["measured"], sorted(clock["bucket_means"])[3])
            self.assertAlmostEqual(clock["reported"] * 100, round(clock["reported"] * 100), 6)
            self.assertLessEqual(clock["reported"], clock["measured"] + 1e-9)
            self.assertLess(clock["measured"] - clock["reported"], 0.01)
            # Asleep for 160 ms or for 40: four times faster, on however busy a machine about that.
            self.assertGreater(clock["measured"], 3)
            self.assertLess(clock["measured"], 4.5)
        samples = paper["samples"]
        self.assertEqual(len(samples["reference_ns"]), min(paper["rounds"], 1000))
        self.assertEqual(len(samples["candidate_ns"]), len(samples["reference_ns"]))
        self.assertGreaterEqual(paper["rounds"], 7)
        self.assertEqual(paper["attempts"], 1)
        states = {rule["rule"]: rule["state"] for rule in paper["rules"]}
        self.assertEqual({states[rule] for rule in RULES[1:]}, {"applied"})
        if DEVICE == "cpu":
            self.assertIsNone(paper["event"])
            self.assertEqual(states["dedicated"], "impossible")
            self.assertIn("CPU", paper["rules"][0]["why"])
        elif states["dedicated"] != "applied":
            self.assertNotEqual(paper["rules"][0]["why"], "")
        self.assertTrue(paper["verification"]["run"])
        self.assertGreater(paper["verification"]["ratio"], 3)
        self.assertEqual(paper["accepted"], abs(paper["verification"]["ratio"] / paper[paper["clock"]]["measured"] - 1) <= 0.1)

    def test_paper_verification_finds_what_is_not_so_elsewhere(self):
        # Slow once its weights were replaced: so in the process that verifies, and not in the last that was measured.
        body = "if not hasattr(self, 'version'):\n    self.version = self.linear.weight._version\n" \
               "time.sleep(0.04 if self.linear.weight._version == self.version else 0.12)\nreturn torch.relu(self.linear(x)) * 2"
        answer, paper = self.judge_as_paper(candidate(body), SLEEP_TASK, gate=1e9)
        verification = paper["verification"]
        self.assertGreater(paper[paper["clock"]]["measured"], 3)
        self.assertIn("above 3", verification["why"])
        self.assertLess(verification["ratio"], 2)
        self.assertFalse(verification["agreed"])
        self.assertFalse(paper["accepted"])
        self.assertIn("paper_not_verified", [label["code"] for label in answer["labels"]])

    def test_paper_gate_discards(self):
        answer, paper = self.judge_as_paper(HONEST, gate=1e-300, attempts=2)
        self.assertFalse(paper["accepted"])
        self.assertEqual((paper["attempts"], len(paper["discarded"])), (2, 2))
        self.assertGreater(min(paper["discarded"]), 0)
        self.assertIsNone(paper["verification"])
        self.assertIn("paper_discarded", [label["code"] for label in answer["labels"]])
        self.assertGreater(answer["speedup"]["wall"]["estimate"], 0)  # ours does not depend on it

    def test_paper_rules_are_switches(self):
        without = [rule for rule in RULES if rule != "window"]
        answer, paper = self.judge_as_paper(HONEST, without=without, minutes=0.01)
        self.assertEqual([rule["state"] for rule in paper["rules"]], ["applied" if rule == "window" else "off" for rule in RULES])
        self.assertEqual(paper["wall"]["bucket_means"], [])
        self.assertEqual(paper["wall"]["reported"], paper["wall"]["measured"])
        self.assertTrue(paper["accepted"])
        self.assertTrue(all(paper["samples"]["reference_first"]))  # not in pairs: all of the reference came first
        samples = paper["samples"]
        if paper["rounds"] <= 1000:
            ratios = [a / b for a, b in zip(samples["reference_ns"], samples["candidate_ns"])]
            self.assertAlmostEqual(paper["wall"]["measured"], sum(ratios) / len(ratios), 6)

    def test_paper_checks_what_it_times(self):
        # Each process lives for 2 s of our rounds, the last of them for 6 s of the paper's too.
        body = "import time\ny = torch.relu(self.linear(x)) * 2\n" \
               "if not hasattr(self, 'begun'):\n    self.begun = time.monotonic()\n" \
               "return y if time.monotonic() - self.begun < 6 else self.linear(x) * 0"
        answer = self.judge(candidate(body), preset="paper", paper={"minutes": 0.1, "trials": 12})
        self.assert_verdict(answer, "incorrect", "wrong_values")
        self.assertIsNone(answer["paper"])
        self.assertIn("the paper's protocol", self.client.progress[-1]["text"])

    def test_paper_rules_that_cannot_be_followed(self):
        for rules in ({"minutes": 0}, {"buckets": 1}, {"gate": 0}, {"attempts": 0}, {"trials": 0}, {"best_so_far": -1}):
            answer = self.client.evaluate(TASK, HONEST, device=DEVICE, preset="paper", paper=rules)
            self.assertEqual((answer["type"], answer["code"]), ("error", "invalid_argument"), rules)
            self.assertNotEqual(answer["hint"], "")

    # -- the task and the machine ----------------------------------------------------------------------------------

    def test_reference_that_fails(self):
        answer = self.judge(HONEST, TASK.replace("torch.relu(self.linear(x)) * 2", "undefined_name"))
        self.assert_verdict(answer, "reference_failed", "exception")
        self.assertIn("undefined_name", answer["reasons"][0]["evidence"])
        self.assert_verdict(self.judge(HONEST, "x = 1"), "reference_failed", "missing_definition")
        self.assert_still_works()

    def test_device_that_is_not_there(self):
        answer = self.client.evaluate(TASK, HONEST, device="cuda:99")
        self.assertEqual((answer["type"], answer["code"]), ("error", "unavailable"))
        self.assertIn("doctor", answer["hint"])

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

    # -- the conversation ------------------------------------------------------------------------------------------

    def test_cancel_is_quick(self):
        request = self.client.start_evaluation(TASK, candidate("while True: pass"), DEVICE)
        time.sleep(1.5)
        begun = time.monotonic()
        self.client.send({"type": "cancel", "id": request})
        answer = self.client.finish(request)
        self.assertLess(time.monotonic() - begun, 1)
        self.assertEqual((answer["type"], answer["code"]), ("error", "cancelled"))
        self.assert_still_works()

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
        time.sleep(3)
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


def read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def alive(pid: int) -> bool:
    state = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return bool(state) and state[0] != "Z"


def descendants(pid: int) -> list[int]:
    found = []
    for child in read(f"/proc/{pid}/task/{pid}/children").split():
        found += [int(child), *descendants(int(child))]
    return found


if __name__ == "__main__":
    if DEVICE != "cpu":
        probe = EvaluatorClient(EVALUATOR)
        names = [device["name"] for device in probe.ask("describe")["devices"]]
        probe.close()
        if DEVICE not in names:
            print(f"skipped: this machine has no {DEVICE}, only {', '.join(names)}")
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)

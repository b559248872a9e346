# SPDX-License-Identifier: GPL-3.0-or-later
"""What is compared: values, their rounding, shapes and types, and what a call may not keep or change."""
import pathlib

from evaluatortest import DEVICE
from judgetest import JudgeTest
from lineartask import TASK, candidate


class ValuesTest(JudgeTest):
    def test_result_that_views_the_input(self):
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n        return x.t()\n" \
               "def get_inputs():\n    return [torch.randn(32, 16)]\ndef get_init_inputs():\n    return []\n"
        self.assert_verdict(self.judge(task.replace("class Model", "class ModelNew"), task), "correct")

    def test_result_that_is_a_table_of_the_module(self):
        """It belongs to the module, so it is the same memory in each call, and nobody writes there."""
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n" \
               "        self.register_buffer('table', torch.arange(65536).reshape(256, 256))\n" \
               "    def forward(self, x):\n        return x + self.table, self.table\n" \
               "def get_inputs():\n    return [torch.randn(256, 256)]\ndef get_init_inputs():\n    return []\n"
        self.assert_verdict(self.judge(task.replace("class Model", "class ModelNew"), task), "correct")
        wrong = task.replace("class Model", "class ModelNew").replace("arange(65536)", "arange(1, 65537)")
        self.assert_verdict(self.judge(wrong.replace("x + self.table,", "x + self.table - 1,"), task), "incorrect", "wrong_values")

    def test_reference_that_is_no_module_of_the_framework(self):
        task = "import torch\nclass Model:\n    def __init__(self, width):\n        self.scale = torch.linspace(0, 1, width)\n" \
               "    def to(self, device):\n        self.scale = self.scale.to(device)\n        return self\n" \
               "    def __call__(self, x):\n        return torch.tanh(x * self.scale)\n" \
               "def get_inputs():\n    return [torch.randn(32, 16)]\ndef get_init_inputs():\n    return [16]\n"
        self.assert_verdict(self.judge(task.replace("class Model", "class ModelNew"), task), "correct")

    def test_scalar_arguments_and_tuples(self):
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x, s):\n        return x * s, x.sum(0)\n" \
               "def get_inputs():\n    return [torch.randn(32, 16), 3.14]\ndef get_init_inputs():\n    return []\n"
        self.assert_verdict(self.judge(task.replace("class Model", "class ModelNew"), task), "correct")
        wrong = task.replace("class Model", "class ModelNew").replace("x * s, x.sum(0)", "x * s, x.sum(0) + 1")
        self.assert_verdict(self.judge(wrong, task), "incorrect", "wrong_values")

    # -- rounding --------------------------------------------------------------------------------------------------

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
        """Batch norms over two values: moved inputs are hidden by TF32, and float32 gives another result altogether. It may be as far
        off as zeros are: then the task is marked, and which of the two it is depends on the weights that were drawn."""
        if DEVICE == "cpu":
            self.skipTest("TF32 is of GPUs")
        level3 = pathlib.Path(__file__).resolve().parents[2] / "kernelbench/level3"
        task = next(level3.glob("24_*.py")).read_text(encoding="utf-8")
        first = "        x = self.relu(self.bn1("
        exact = task.replace("class Model(", "class ModelNew(").replace(first, f"        torch.backends.cudnn.allow_tf32 = False\n{first}")
        answer = self.judge(exact, task)
        self.assert_verdict(answer, "correct")
        self.assertIn("precision", [label["code"] for label in answer["labels"]])

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

    def test_result_that_is_more_exact_than_the_reference(self):
        """Where most inputs are zero, the reference adds the same number 65,536 times and rounds it to the same side each time. Neither moved
        inputs nor other operators show that."""
        if DEVICE != "cpu":
            self.skipTest("on a GPU the order of such a sum follows from the device")
        task = """import torch, torch.nn as nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.full((16,), 0.7))
    def forward(self, x):
        rows = torch.zeros(len(x), dtype=torch.long, device=x.device)
        return torch.zeros(1, 16, device=x.device).index_add_(0, rows, x + self.bias)
def get_inputs():
    x = torch.rand(65536, 16)
    return [torch.where(x < 0.01, x, 0.0)]
def get_init_inputs():
    return []
"""
        rows = "rows = torch.zeros(len(x), dtype=torch.long, device=x.device)"
        reference = "torch.zeros(1, 16, device=x.device).index_add_(0, rows, x + self.bias)"
        def variant(result):
            own = task.replace("class Model(", "class ModelNew(").replace(rows, "rows = None")
            return own.replace(reference, result)
        exact = "((x.double() + self.bias.double()).sum(0, keepdim=True){}).float()"
        answer = self.judge(variant(exact.format("")), task, precision="ieee")
        self.assert_verdict(answer, "correct")
        self.assertGreater(answer["precision"]["oracle"]["reference_error"], 1e-4)
        self.assertLess(answer["precision"]["oracle"]["candidate_error"], 1e-6)
        for factor in (" * 1.0003", " * 0.9997"):  # neither the reference's result nor the right one
            self.assert_verdict(self.judge(variant(exact.format(factor)), task, precision="ieee"), "incorrect", "wrong_values")

    def test_rounding_leaves_the_weights_alone(self):
        """An operator may hand back what it was given, as an LSTM does on a GPU with the buffer of its weights. What rounding makes of results
        is no change of the reference's state."""
        task = """import torch, torch.nn as nn
OPERATORS = torch.library.Library("of_this_task", "FRAGMENT")
OPERATORS.define("handed_back(Tensor x) -> Tensor")
OPERATORS.impl("handed_back", lambda x: x, "CPU")
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(2048, 64) * 0.03, requires_grad=False)
    def forward(self, x):
        y = torch.sigmoid(1e-5 * x) @ torch.ops.of_this_task.handed_back(self.weight)
        return (y - y.mean(0)) * 1e5
def get_inputs():
    return [torch.randn(64, 2048)]
def get_init_inputs():
    return []
"""
        product = "y = torch.sigmoid(1e-5 * x) @ torch.ops.of_this_task.handed_back(self.weight)"
        pieces = "z = torch.sigmoid(1e-5 * x)\n        y = sum(z[:, i:i + 32] @ self.weight[i:i + 32] for i in range(0, 2048, 32))"
        answer = self.judge(task.replace("class Model(", "class ModelNew(").replace(product, pieces), task)
        self.assert_verdict(answer, "correct")
        self.assertNotIn("unchecked_state", [label["code"] for label in answer["labels"]])

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

    # -- wrong results ---------------------------------------------------------------------------------------------

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

    # -- what is kept or changed -----------------------------------------------------------------------------------

    def test_input_modified(self):
        self.assert_verdict(self.judge(candidate("y = torch.relu(self.linear(x)) * 2\nx.zero_()\nreturn y")), "incorrect", "input_modified")

    def test_what_a_call_leaves_in_its_inputs(self):
        """Where the reference writes into an input, a caller goes on with what it has left there, and with the others as they were."""
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x, y):\n        return x.mul_(2).sum(1) + y\n" \
               "def get_inputs():\n    return [torch.randn(64, 256), torch.randn(64)]\ndef get_init_inputs():\n    return []\n"
        own = task.replace("class Model", "class ModelNew")
        self.assert_verdict(self.judge(own, task), "correct")
        self.assert_verdict(self.judge(own.replace("x.mul_(2).sum(1)", "2 * x.sum(1)"), task), "incorrect", "wrong_values")
        self.assert_verdict(self.judge(own.replace("sum(1) + y", "sum(1).add_(y.clone()) + y.zero_()"), task), "incorrect", "input_modified")
        late = own.replace("        return x.mul_(2).sum(1)", "        self.calls = getattr(self, 'calls', 0) + 1\n"
                                                                "        return (x.mul_(2) if self.calls < 40 else 2 * x).sum(1)")
        answer = self.judge(late, task)
        self.assert_verdict(answer, "incorrect", "wrong_values")
        self.assertIn("of a timed call", answer["reasons"][0]["evidence"])

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
        body = "self.calls += 1\nif self.calls < 40:\n    self.kept = torch.relu(self.linear(x)) * 2\nreturn self.kept.clone()"
        self.assert_verdict(self.judge(candidate(body, "self.calls = 0")), "incorrect", "wrong_values")

    def test_weights_that_calls_are_timed_with(self):
        """A gate that starts as zero is not zero while calls are timed, where it can be given by name; for a candidate that has another
        name for it, and for the next one, the reference has its own again."""
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n" \
               "        self.gate = nn.Parameter(torch.zeros(64))\n    def forward(self, x):\n        return x * 2 + self.gate\n" \
               "def get_inputs():\n    return [torch.randn(256, 64)]\ndef get_init_inputs():\n    return []\n"
        own = task.replace("class Model", "class ModelNew")
        renamed = own.replace("self.gate", "self.opening")
        for source in (own, renamed, own):
            self.assert_verdict(self.judge(source, task), "correct")
        self.assert_verdict(self.judge(own, task, preset="standard"), "correct")  # more processes of one candidate
        # Follows the weights of trials, and not those of a hundred calls later.
        late = own.replace("return x * 2 + self.gate", "self.calls = getattr(self, 'calls', 0) + 1\n"
                                                       "        return x * 2 + (self.gate if self.calls < 40 else 0)")
        self.assert_verdict(self.judge(late, task), "incorrect", "wrong_values")
        self.assert_verdict(self.judge(renamed.replace("self.opening\n", "0\n"), task), "correct")  # nobody can tell

    def test_weights_that_no_module_has_registered(self):
        """They are given no other values; where a zero or the like stands among them, a program could do without it."""
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n" \
               "        self.layers = [nn.Linear(64, 64)]\n        self.more = torch.START(64)\n    def forward(self, x):\n" \
               "        return self.layers[0](x) + self.more\n" \
               "def get_inputs():\n    return [torch.randn(256, 64)]\ndef get_init_inputs():\n    return []\n"
        for start, expected in (("randn", []), ("zeros", ["more"])):
            own = task.replace("START", start)
            answer = self.judge(own.replace("class Model", "class ModelNew"), own, preset="quick")
            self.assert_verdict(answer, "correct")
            self.assertEqual([label["evidence"] for label in answer["labels"] if label["code"] == "unchecked_parameters"], expected)

    def test_what_calls_leave_in_buffers(self):
        """No result shows running statistics: who writes others, or has none of that name, is correct with a label."""
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n" \
               "        self.norm = nn.BatchNorm1d(16)\n    def forward(self, x):\n        return self.norm(x)\n" \
               "def get_inputs():\n    return [torch.randn(64, 16)]\ndef get_init_inputs():\n    return []\n"
        own = task.replace("class Model", "class ModelNew")
        by_hand = "x - x.mean(0)) / (x.var(0, correction=0) + self.norm.eps).sqrt() * self.norm.weight + self.norm.bias"
        for source, expected in ((own, None),
                                 (own.replace("self.norm(x)", f"({by_hand}"), "norm."),
                                 (own.replace("BatchNorm1d(16)", "BatchNorm1d(16, momentum=0.5)"), "norm.running_"),
                                 (own.replace("        return", "        self.norm.num_batches_tracked += 1\n        return"),
                                  "norm.num_batches_tracked"),
                                 (own.replace("self.norm", "self.other"), "it has no norm.running_mean")):
            answer = self.judge(source, task, preset="quick")
            self.assert_verdict(answer, "correct")
            found = [label["evidence"] for label in answer["labels"] if label["code"] == "buffers_differ"]
            self.assertEqual(len(found), 0 if expected is None else 1, answer["labels"])
            if expected:
                self.assertIn(expected, found[0])

    def test_buffers_beside_one_that_changes_are_compared(self):
        """The first call leaves zero in this running mean, since values and their negatives come in pairs; later ones do not."""
        task = "import torch, torch.nn as nn\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n" \
               "        self.norm, self.calls = nn.BatchNorm1d(16), 0\n    def forward(self, x):\n        self.calls += 1\n" \
               "        y = torch.cat([x, -x]) + (1.0 if self.calls > 1 else 0.0)\n        return self.norm(y)\n" \
               "def get_inputs():\n    return [torch.randn(64, 16)]\ndef get_init_inputs():\n    return []\n"
        own = task.replace("class Model", "class ModelNew")
        frozen = own.replace("return self.norm(y)", "r = self.norm(y)\n        self.norm.running_mean.zero_()\n        return r")
        for source, code in ((own, None), (frozen, "buffers_differ")):
            answer = self.judge(source, task, preset="quick")
            self.assert_verdict(answer, "correct")
            labels = {label["code"] for label in answer["labels"]} & {"buffers_differ", "unchecked_state"}
            self.assertEqual(labels, {code} if code else set(), answer["labels"])

    def test_state_of_the_reference_that_is_not_compared(self):
        """Wherever it is kept; and a candidate may change the parameter that the reference changes, and no other."""
        task = "import collections, numpy, torch, torch.nn as nn\nKEPT = {}\nclass Model(nn.Module):\n    kept = [torch.zeros(4)]\n" \
               "    def __init__(self):\n        super().__init__()\n        self.sum = nn.Parameter(torch.zeros(4), requires_grad=False)\n" \
               "        self.other = nn.Parameter(torch.zeros(4), requires_grad=False)\n        self.table = numpy.zeros(4)\n" \
               "        self.queue = collections.deque([torch.zeros(4)])\n        KEPT['own'] = torch.zeros(4)\n" \
               "    def forward(self, x):\n        CHANGE\n        return x * 2\n" \
               "def get_inputs():\n    return [torch.randn(256, 4)]\ndef get_init_inputs():\n    return []\n"
        with_other = "self.sum.add_(x.sum(0)); self.other.add_(1)"
        for change, path in (("pass", None), ("self.sum.add_(x.sum(0))", "sum"), ("self.table += 1", "table"), ("self.queue[0].add_(1)", "queue[0]"),
                             ("self.kept[0].add_(1)", "kept[0]"), ("KEPT['own'] = KEPT['own'] + 1", "globals()['KEPT']['own']")):
            own = task.replace("CHANGE", change)
            answer = self.judge(own.replace("class Model", "class ModelNew"), own)
            self.assert_verdict(answer, "correct")
            self.assertEqual([label["evidence"] for label in answer["labels"] if label["code"] == "unchecked_state"], [path] if path else [])
        own = task.replace("CHANGE", "self.sum.add_(x.sum(0))")
        answer = self.judge(task.replace("CHANGE", with_other).replace("class Model", "class ModelNew"), own)
        self.assert_verdict(answer, "incorrect", "parameters_modified")

    def test_parameters_modified(self):
        body = "self.linear.bias.data.add_(0)\ny = torch.relu(self.linear(x)) * 2\nself.extra.data.add_(1)\nreturn y"
        self.assert_verdict(self.judge(candidate(body, "self.extra = nn.Parameter(torch.zeros(3))")), "incorrect", "parameters_modified")

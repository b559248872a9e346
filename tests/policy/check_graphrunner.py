# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the class GraphRunner of a generated module with graphs that are played on the host, where a replay does what it does
on a GPU: it reads inputs and writes results where the captured call did. Needs no GPU.

Usage: check_graphrunner.py PROPOSE_TOOL TRACE_FOLDER
"""
import contextlib
import sys
import tempfile
import types
import unittest

import torch

import check_generated
import references


class PlayedGraph:
    """Keeps the captured call; a replay makes it again with the same inputs, into the same results."""

    captured = 0
    recording = None

    def replay(self):
        self.result.copy_(self.compute(*self.inputs))


@contextlib.contextmanager
def recorded(graph):
    PlayedGraph.captured += 1
    PlayedGraph.recording = graph
    yield
    PlayedGraph.recording = None


def played(compute, replay=None):
    """A function whose replay is `replay`, or the same computation."""
    def function(*inputs):
        result = compute(*inputs)
        if PlayedGraph.recording is not None:
            graph = PlayedGraph.recording
            graph.compute, graph.inputs, graph.result = replay or compute, inputs, result
        return result
    return function


@contextlib.contextmanager
def on_gpu():
    """Tensors say that they are there."""
    torch.Tensor.is_cuda = property(lambda tensor: True)
    try:
        yield
    finally:
        del torch.Tensor.is_cuda


class GraphRunnerTest(unittest.TestCase):
    def setUp(self):
        PlayedGraph.captured = 0
        self.model = torch.nn.Linear(4, 3)
        self.runner = MODULE.GraphRunner()
        self.function = played(lambda x: self.model(x) * 2)

    def call(self, x):
        return self.runner.call(self.model, self.function, x)

    def expected(self, x):
        return self.model(x) * 2

    def test_inputs_are_read_where_they_lie(self):
        x = torch.randn(2, 4)
        for _ in range(5):
            x.copy_(torch.randn(2, 4))
            self.assertTrue(torch.equal(self.call(x), self.expected(x)))
        self.assertEqual(PlayedGraph.captured, 1)

    def test_a_result_that_somebody_holds_is_not_overwritten(self):
        for hold in (lambda result: result, lambda result: result[:1], lambda result: result.T.detach(), lambda result: [result]):
            self.setUp()
            x, held = torch.randn(2, 4), []
            for _ in range(6):
                x.copy_(torch.randn(2, 4))
                held.append((hold(self.call(x)), hold(self.expected(x).clone())))
            for found, wanted in held:
                same = torch.equal(found[0], wanted[0]) if isinstance(found, list) else torch.equal(found, wanted)
                self.assertTrue(same)

    def test_a_caller_that_holds_the_last_result_alone_gets_no_copies(self):
        x = torch.randn(2, 4)
        places = set()
        for _ in range(6):
            result = self.call(x)
            places.add(result.data_ptr())
        self.assertEqual(PlayedGraph.captured, 2)
        self.assertEqual(len(places), 2)

    def test_metadata_of_a_result_is_the_callers_own(self):
        x = torch.randn(2, 4)
        self.call(x).unsqueeze_(0)
        self.assertEqual(self.call(x).shape, (2, 3))

    def test_inputs_at_ever_other_addresses_are_copied(self):
        keep = []
        for _ in range(20):
            x = torch.randn(2, 4)
            keep.append(x)
            self.assertTrue(torch.equal(self.call(x), self.expected(x)))
        self.assertLessEqual(PlayedGraph.captured, 9)

    def test_weights_that_moved_or_changed_count(self):
        x = torch.randn(2, 4)
        self.call(x)
        with torch.no_grad():
            self.model.weight.add_(1)
        self.assertTrue(torch.equal(self.call(x), self.expected(x)))
        self.model.weight.data = torch.randn(3, 4)
        self.assertTrue(torch.equal(self.call(x), self.expected(x)))
        self.assertEqual(PlayedGraph.captured, 2)

    def test_what_is_prepared_from_weights_follows_them(self):
        for change in (lambda weight: weight.add_(1), lambda weight: setattr(weight, "data", torch.randn(3, 4))):
            model, x, runner = torch.nn.Linear(4, 3, bias=False), torch.randn(2, 4), PREPARING.GraphRunner()
            model.doubled = lambda weight: (weight * 2,)
            function = played(lambda x: x @ PREPARING.prepared(model, "doubled", model.weight)[0].T,
                              lambda x: x @ model.__dict__["_prepared"]["doubled"][1][0].T)
            for _ in range(3):
                self.assertTrue(torch.allclose(runner.call(model, function, x), model(x) * 2))
                change(model.weight)

    def test_a_call_goes_to_the_graph_unless_a_forward_hook_waits_for_it(self):
        model, x, seen = MODULE.ModelNew(), torch.randn(64, 80), []
        model.run = played(model.run)
        wanted = model.original(x)
        with on_gpu():
            for _ in range(3):
                self.assertTrue(torch.equal(model(x), wanted))
            self.assertEqual(PlayedGraph.captured, 1)
            hook = model.register_forward_hook(lambda module, inputs, result: seen.append(result))
            self.assertTrue(torch.equal(model(x), wanted))
            self.assertTrue(torch.equal(seen.pop(), wanted))
            hook.remove()
            model(x)
        self.assertEqual(seen, [])

    def test_buffers_are_as_after_one_call(self):
        norm = torch.nn.BatchNorm1d(4)
        x = torch.randn(8, 4)
        self.runner.call(norm, played(norm), x)
        other = torch.nn.BatchNorm1d(4)
        other(x)
        self.assertEqual(int(norm.num_batches_tracked), 1)
        self.assertTrue(torch.equal(norm.running_mean, other.running_mean))


def captured(tool, tracer, reference, techniques, folder):
    """What is proposed for a reference with these techniques, as if its graph were of a GPU."""
    source = references.SOURCES[reference]
    module = check_generated.load(source, reference, folder)
    graph = tracer.trace(check_generated.build(module.Model, module), module.get_inputs(), "cpu", 4000)
    graph["device"] = "cuda:0"
    proposals = check_generated.propose(tool, source, graph)["proposals"]
    source = next(p["source"] for p in proposals if sorted(p["techniques"]) == techniques)
    return check_generated.load(source, reference + "_new", folder)


def main():
    global MODULE, PREPARING
    tool, trace_folder = sys.argv[1:]
    tracer = check_generated.tracer_of(trace_folder)
    torch.set_grad_enabled(False)
    stream = types.SimpleNamespace(wait_stream=lambda other: None)
    played_cuda = {"Stream": lambda: stream, "current_stream": lambda: stream, "stream": lambda _: contextlib.nullcontext(),
                   "graph": recorded, "CUDAGraph": PlayedGraph, "memory_reserved": lambda: 0}
    with tempfile.TemporaryDirectory() as folder:
        MODULE = captured(tool, tracer, "bias_relu", ["cuda_graph"], folder)
        PREPARING = captured(tool, tracer, "scaled_residual", ["cuda_graph", "fold_scale"], folder)
        for name, value in played_cuda.items():
            setattr(torch.cuda, name, value)
        unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()

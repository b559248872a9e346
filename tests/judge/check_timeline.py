# SPDX-License-Identifier: GPL-3.0-or-later
"""Timelines of real modules. Run as: check_timeline.py EVALUATOR [DEVICE].

On a device that is not there the whole run is a skip (status 77).
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from evaluatortest import DEVICE, EvaluatorTest, main
from lineartask import HONEST, TASK, candidate


class Side:
    """One side's timeline with its texts put in."""

    def __init__(self, timeline: dict):
        self.windows = timeline["windows"]
        self.threads = timeline["threads"]
        self.notes = timeline["notes"]
        self.tracks = {track["id"]: track for track in timeline["tracks"]}
        self.events = [{**event, "name": timeline["texts"][event["name"]],
                        "detail": timeline["texts"][event["detail"]] if "detail" in event else "",
                        "place": event.get("place", "inside")} for event in timeline["events"]]

    def named(self, name: str) -> list[dict]:
        return [event for event in self.events if event["name"] == name]

    def of(self, *categories: str) -> list[dict]:
        return [event for event in self.events if event["category"] in categories]


def within(event: dict, outer: dict) -> bool:
    start = outer["start_ns"]
    end = outer["end_ns"] if "end_ns" in outer else start + outer["duration_ns"]
    return start <= event["start_ns"] and event["start_ns"] + event["duration_ns"] <= end


class TimelineTest(EvaluatorTest):
    def ask(self, source: str = "", task: str = TASK, **fields) -> dict:
        return self.client.ask("timeline", task={"name": "test", "source": task}, candidate=source,
                               candidate_name="candidate.py", device=DEVICE, **fields)

    def record(self, source: str = "", task: str = TASK, **fields) -> tuple[Side, Side | None]:
        answer = self.ask(source, task, **fields)
        self.assertEqual(answer["type"], "timeline", answer)
        sides = Side(answer["reference"]), Side(answer["candidate"]) if answer["candidate"] else None
        for side in sides:
            if side:
                self.check_form(side)
        return sides

    def check_form(self, side: Side) -> None:
        last = {}
        for event in side.events:
            self.assertGreaterEqual(event["duration_ns"], 0)
            self.assertIn(event["track"], side.tracks)
            # On a row, an event lies within the one before it or after it.
            open_events = last.setdefault(event["track"], [])
            while open_events and open_events[-1]["start_ns"] + open_events[-1]["duration_ns"] <= event["start_ns"]:
                open_events.pop()
            self.assertTrue(not open_events or within(event, open_events[-1]), (event, open_events[-1:]))
            open_events.append(event)
        for before, after in zip(side.windows, side.windows[1:]):
            self.assertLess(before["end_ns"], after["start_ns"])
        for window in side.windows:
            self.assertLess(window["start_ns"], window["returned_ns"])
            self.assertLessEqual(window["returned_ns"], window["end_ns"])


class HostTest(TimelineTest):
    def test_operators_lie_in_the_windows(self):
        reference, own = self.record(HONEST, calls=4)
        for side in (reference, own):
            self.assertEqual(len(side.windows), 4)
            self.assertEqual(side.windows[0]["start_ns"], 0)
            products, linears = side.named("aten::addmm"), side.named("aten::linear")
            self.assertEqual((len(products), len(linears)), (4, 4))
            for product, linear, window in zip(products, linears, side.windows):
                self.assertTrue(within(product, window))
                self.assertTrue(within(product, linear))
                self.assertEqual(product["track"], linear["track"])
                self.assertEqual(product["detail"], "[256] [64, 256] [256, 256]")
            self.assertEqual({event["place"] for event in side.of("operator")}, {"inside"})
            self.assertEqual(side.tracks[products[0]["track"]]["kind"], "operators")

    def test_reference_alone(self):
        reference, own = self.record(calls=1)
        self.assertIsNone(own)
        self.assertEqual(len(reference.named("aten::relu")), 1)

    def test_named_scopes(self):
        _, own = self.record(candidate("with torch.autograd.profiler.record_function('my part'):\n"
                                       "    y = self.linear(x)\nreturn torch.relu(y) * 2"))
        scopes = own.of("user_scope")
        self.assertEqual([scope["name"] for scope in scopes], ["my part"] * 3)
        self.assertTrue(within(own.named("aten::addmm")[0], scopes[0]))
        self.assertFalse(within(own.named("aten::relu")[0], scopes[0]))

    def test_a_thread_has_a_row_of_its_own(self):
        _, own = self.record(candidate("out = []\nworker = threading.Thread(target=lambda: out.append(self.linear(x)))\n"
                                       "worker.start()\nworker.join()\nreturn torch.relu(out[0]) * 2"))
        products, rest = own.named("aten::addmm"), own.named("aten::relu")
        self.assertEqual(len(products), 3)
        self.assertNotIn(rest[0]["track"], {product["track"] for product in products})
        self.assertEqual({event["place"] for event in products + rest}, {"inside"})
        self.assertEqual(own.tracks[1]["id"], rest[0]["track"])
        threads = {track["thread"] for track in own.tracks.values() if track["kind"] == "operators"}
        self.assertEqual(len(threads), 4)

    def test_time_of_threads_without_operators(self):
        # Python alone, in a thread that lives from the start: no operator tells of it, the system does.
        _, own = self.record(candidate("return torch.relu(self.linear(x)) * 2", "def spin():\n    while True:\n        sum(range(1000))\n"
                                       "threading.Thread(target=spin, daemon=True).start()"))
        forward = own.tracks[own.named("aten::relu")[0]["track"]]["thread"]
        others = [thread for thread in own.threads if thread["id"] != forward]
        self.assertGreater(max(thread["outside_ns"] for thread in others), 2_000_000)

    def test_work_that_is_put_off_is_outside(self):
        late = candidate("def work():\n    for _ in range(20):\n        time.sleep(0.0005)\n        torch.cumsum(x, 0)\n"
                         "threading.Thread(target=work).start()\nreturn torch.relu(self.linear(x)) * 2")
        reference, own = self.record(late)
        self.assertIn("outside", {event["place"] for event in own.named("aten::cumsum")})
        self.assertEqual({event["place"] for event in own.named("aten::addmm")}, {"inside"})
        self.assertEqual({event["place"] for event in reference.events}, {"inside"})

    def test_candidates_that_fail(self):
        for name, source, says in [
                ("no class", "x = 1", "does not define a class ModelNew"),
                ("no Python", "def (", "SyntaxError"),
                ("raises", candidate("raise ValueError('not today')"), "not today"),
                ("dies", candidate("os.kill(os.getpid(), signal.SIGSEGV)"), "SIGSEGV"),
                ("exits", candidate("os._exit(0)"), "ended itself with status 0")]:
            with self.subTest(name):
                answer = self.ask(source)
                self.assertEqual((answer["type"], answer.get("code")), ("error", "invalid_argument"), answer)
                self.assertIn(says, answer["message"])
                self.assertIn("candidate.py", answer["message"])
        self.record(HONEST)

    def test_what_cannot_be_asked_for(self):
        for calls in (0, 101, -1):
            self.assertEqual(self.ask(calls=calls)["code"], "invalid_argument")
        self.assertEqual(self.ask(precision="fp3")["code"], "invalid_argument")
        broken = self.ask(task="import torch\n")
        self.assertEqual((broken["type"], broken["code"]), ("error", "unreadable"))

    def test_a_candidate_that_hangs_is_cancelled(self):
        request = self.client.start("timeline", task={"name": "test", "source": TASK}, device=DEVICE, calls=1,
                                    candidate=candidate("print('there', flush=True)\nwhile True: time.sleep(1)"))
        while True:
            message = self.client.receive()
            if message["type"] == "progress" and "recording the candidate" in message["text"]:
                break
        self.client.send({"type": "cancel", "id": request})
        self.assertEqual(self.client.finish(request)["code"], "cancelled")
        self.record(HONEST, calls=1)

    def test_a_candidate_that_does_not_answer_in_time(self):
        answer = self.ask(candidate("time.sleep(60)"), build_limit_s=1.5)
        self.assertEqual(answer.get("code"), "timed_out", answer)

    def test_an_evaluation_afterwards(self):
        self.record(HONEST, seed=5)
        self.assertEqual(self.client.evaluate(TASK, HONEST, device=DEVICE, seed=5)["verdict"], "correct")


class GpuTest(TimelineTest):
    """What only a GPU shows."""

    BIG = "torch.mm(self.big, self.big)"
    MAKE_BIG = "self.register_buffer('big', torch.ones(4096, 4096), persistent=False)"

    def record(self, *arguments, **fields):
        sides = super().record(*arguments, **fields)
        for side in sides:
            if side:
                self.assertEqual(side.notes, [])
        return sides

    def test_kernels_and_their_launches(self):
        _, own = self.record(HONEST)
        kernels = own.of("kernel")
        self.assertGreaterEqual(len(kernels), 6)  # a product and an elementwise kernel, three times
        calls = {call["correlation"]: call for call in own.of("runtime", "driver")}
        for kernel in kernels:
            launch = kernel["launch"]
            self.assertTrue(all(size >= 1 for size in launch["grid"] + launch["block"]), launch)
            self.assertGreater(launch["registers"], 0)
            self.assertGreaterEqual(launch["static_shared_bytes"] + launch["dynamic_shared_bytes"], 0)
            self.assertEqual(kernel["place"], "inside")
            self.assertEqual(kernel["device"], 0)
            self.assertEqual(own.tracks[kernel["track"]]["kind"], "stream")
            self.assertTrue(any(window["start_ns"] - 5000 <= kernel["start_ns"] <= window["end_ns"] for window in own.windows))
            self.assertLessEqual(calls[kernel["correlation"]]["start_ns"], kernel["start_ns"])
        self.assertTrue(any("elementwise" in kernel["name"] for kernel in kernels), [kernel["name"] for kernel in kernels])
        self.assertTrue(any(launch["launch"]["dynamic_shared_bytes"] + launch["launch"]["static_shared_bytes"] > 0 for launch in kernels))
        for window in own.windows:
            self.assertGreater(window["stream_done_ns"], window["start_ns"])
            self.assertLessEqual(window["stream_done_ns"], window["end_ns"] + 5000)
        # Operators contain the calls that they make: two clocks, one picture.
        launches = [call for call in own.of("runtime", "driver") if "Launch" in call["name"]]
        operators = own.of("operator")
        for launch in launches:
            middle = {"start_ns": launch["start_ns"] + launch["duration_ns"] // 2, "duration_ns": 0}
            self.assertTrue(any(within(middle, operator) for operator in operators), launch)

    def test_the_judges_own_work_is_not_shown(self):
        reference, own = self.record(HONEST)
        for side in (reference, own):
            # The flush of the caches, and the marker at the end of the stream.
            self.assertEqual([fill for fill in side.of("memset") if fill["bytes"] == 64 or fill["bytes"] >= 1 << 20], [])
            self.assertEqual([event for event in side.events if event["place"] == "outside"], [])

    def test_copies_have_bytes_and_a_direction(self):
        _, own = self.record(candidate("y = torch.relu(self.linear(x)) * 2\nz = torch.empty_like(y)\nz.copy_(y)\n"
                                       "z.sum().item()\nreturn z"))
        copies = own.of("copy")
        self.assertTrue(any(copy["detail"] == "device to device" and copy["bytes"] == 64 * 256 * 4 for copy in copies), copies)
        self.assertTrue(any(copy["detail"] == "device to host" for copy in copies), copies)
        self.assertTrue(own.of("wait"))

    def test_elementwise_kernels_have_the_bytes_of_their_operator(self):
        _, own = self.record(candidate("y = torch.relu(self.linear(x)) * 2\ny.add_(x[:, :1])\nz = torch.empty_like(y)\n"
                                       "torch.mul(y, 1.5, out=z)\nz.fill_(0)\ns = y.sum(dim=1)\nh = y.half()\n"
                                       "torch.div(y, 1.5, out=y)\nw = y.unfold(0, 16, 1).amax(-1)\n"
                                       "torch.exp(y, out=torch.empty(0, device=y.device))\nd = torch.nn.functional.mse_loss(z, y)\n"
                                       "return y - x[:, :1].expand(64, 256)"))
        whole, column = 64 * 256 * 4, 64 * 4
        calls = {call["correlation"]: call for call in own.of("runtime", "driver")}

        def launched_in(kernel: dict) -> str:
            middle = {"start_ns": calls[kernel["correlation"]]["start_ns"] + calls[kernel["correlation"]]["duration_ns"] // 2, "duration_ns": 0}
            around = [event for event in own.of("operator") if within(middle, event)]
            return min(around, key=lambda event: event["duration_ns"])["name"] if around else ""

        bytes_of: dict[str, set] = {}
        for kernel in own.of("kernel"):
            bytes_of.setdefault(launched_in(kernel), set()).add(kernel.get("bytes", 0))
        self.assertEqual(bytes_of["aten::add_"], {2 * whole + column}, bytes_of)   # read and written in place, a column broadcast
        self.assertEqual(bytes_of["aten::mul"], {2 * whole}, bytes_of)             # with and without out=
        self.assertEqual(bytes_of["aten::fill_"], {whole}, bytes_of)               # written alone
        self.assertEqual(bytes_of["aten::sum"], {whole + column}, bytes_of)
        self.assertEqual(bytes_of["aten::copy_"], {whole + whole // 2}, bytes_of)  # to half
        self.assertEqual(bytes_of["aten::sub"], {2 * whole + column}, bytes_of)    # expanded: there once
        self.assertEqual(bytes_of["aten::div"], {2 * whole}, bytes_of)             # what is read is what is written
        self.assertEqual(bytes_of["aten::amax"], {whole + 49 * 256 * 4}, bytes_of) # windows that overlap
        self.assertEqual(bytes_of["aten::exp"], {2 * whole}, bytes_of)             # into what had no size
        self.assertEqual(bytes_of["aten::mse_loss"], {0}, bytes_of)                # its kernel writes what mean reads
        self.assertEqual(bytes_of["aten::mean"], {whole + 4}, bytes_of)
        self.assertEqual(bytes_of["aten::addmm"], {0}, bytes_of)

    def test_nodes_of_a_graph(self):
        _, own = self.record(candidate("""
if self.graph is None:
    self.x = x.clone()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            self.y = torch.relu(self.linear(self.x)) * 2
    torch.cuda.current_stream().wait_stream(stream)
    self.graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(self.graph):
        self.y = torch.relu(self.linear(self.x)) * 2
self.x.copy_(x)
self.graph.replay()
return self.y.clone()
""", "self.graph = None"))
        nodes = [kernel for kernel in own.of("kernel") if kernel.get("graph")]
        self.assertGreaterEqual(len({node["graph_node"] for node in nodes}), 2, own.of("kernel"))
        self.assertEqual(len(nodes) % 3, 0)
        launches = {call["correlation"] for call in own.of("runtime", "driver") if "GraphLaunch" in call["name"]}
        self.assertEqual(len(launches), 3)
        self.assertEqual({node["correlation"] for node in nodes}, launches)
        self.assertEqual({node["place"] for node in nodes}, {"inside"})

    def test_a_side_stream_that_does_not_join(self):
        cheat = candidate(f"with torch.cuda.stream(self.side):\n    for _ in range(5):\n        y = {self.BIG}\n"
                          "return torch.relu(self.linear(x)) * 2", f"self.side = torch.cuda.Stream()\n{self.MAKE_BIG}")
        _, own = self.record(cheat)
        beyond = [event for event in own.of("kernel") if event["place"] == "beyond_stream"]
        self.assertGreaterEqual(len(beyond), 3)
        ordinary = [event for event in own.of("kernel") if event["place"] == "inside"]
        self.assertNotIn(beyond[-1]["stream"], {event["stream"] for event in ordinary if "elementwise" in event["name"]})

    def test_a_side_stream_that_joins(self):
        joined = candidate(f"self.side.wait_stream(torch.cuda.current_stream())\nwith torch.cuda.stream(self.side):\n    y = {self.BIG}\n"
                           "out = torch.relu(self.linear(x)) * 2\ntorch.cuda.current_stream().wait_stream(self.side)\nreturn out",
                           f"self.side = torch.cuda.Stream()\n{self.MAKE_BIG}")
        _, own = self.record(joined)
        self.assertEqual({event["place"] for event in own.of("kernel")}, {"inside"})
        self.assertGreaterEqual(len({event["stream"] for event in own.of("kernel")}), 2)

    def test_a_thread_that_launches_later(self):
        late = candidate("def work():\n    time.sleep(0.002)\n    with torch.cuda.stream(self.side):\n        torch.cumsum(self.big, 0)\n"
                         "threading.Thread(target=work).start()\nreturn torch.relu(self.linear(x)) * 2",
                         f"self.side = torch.cuda.Stream()\n{self.MAKE_BIG}")
        _, own = self.record(late)
        self.assertTrue([event for event in own.of("kernel") if event["place"] == "outside"])
        self.assertTrue([event for event in own.named("aten::cumsum") if event["place"] == "outside"])


if __name__ == "__main__":
    if DEVICE == "cpu":
        del GpuTest
    del TimelineTest
    main()

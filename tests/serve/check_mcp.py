# SPDX-License-Identifier: GPL-3.0-or-later
# The Model Context Protocol over standard input and output and over HTTP, against a recorded evaluator.
#
# usage: check_mcp.py CUDAL1 REPLAY_EVALUATOR [TEST...]
import concurrent.futures
import contextlib
import json
import os
import pathlib
import queue
import signal
import subprocess
import tempfile
import threading

from servetest import CORRECT, DEADLINE, RULES, SLOWER, SUITE, Server, run, source, until

TIMELINE = {"task": "1/1", "candidate_name": "candidate.py", "device": {"name": "cpu", "model": "Replay CPU"}, "precision": "kernelbench",
            "reference": {"device": "cpu", "windows": [{"start_ns": 0, "end_ns": 1000}],
                          "tracks": [{"id": 1, "kind": "operators", "name": "thread 1", "thread": 1}], "events": []}}


class Agent:
    """A client of `cudal1 mcp`, line by line."""

    def __init__(self, rules=RULES):
        import sys
        self.folder = tempfile.TemporaryDirectory(prefix="cudal1-mcp-")
        here = pathlib.Path(self.folder.name)
        (here / "recording.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in rules))
        self.log = here / "log.jsonl"
        self.environment = {**os.environ, "CUDAL1_EVALUATOR": f"{sys.argv[2]} {here / 'recording.jsonl'} --log {self.log}"}
        self.command = [sys.argv[1], "mcp", "--project", str(here / "project.cudal1"), "--suite", str(SUITE), "--preset", "quick"]
        self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.lines, self.id = queue.Queue(), 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))  # nothing but protocol
        self.lines.put(None)

    def send(self, message):
        self.process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        return self.lines.get(timeout=DEADLINE)

    def post(self, method, params=None, **more):
        self.id += 1
        self.send({"jsonrpc": "2.0", "id": self.id, "method": method, **({} if params is None else {"params": params}), **more})
        return self.id

    def ask(self, method, params=None):
        number = self.post(method, params)
        answer = self.receive()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == number, answer
        return answer

    def begin(self, version="2025-06-18"):
        answer = self.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def good(self, tool, **arguments):
        result = self.call(tool, **arguments)
        assert result["isError"] is False, result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(DEADLINE)
        finally:
            self.process.kill()
            self.folder.cleanup()


def test_versions_and_life():
    for asked, given in [("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"),
                         ("1999-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25")]:
        with Agent() as agent:
            result = agent.begin(asked)
            assert result["protocolVersion"] == given and result["serverInfo"]["name"] == "cudal1" and result["instructions"]
            assert set(result["capabilities"]) == {"tools", "resources", "logging"}
            assert agent.ask("ping")["result"] == {}
            agent.process.stdin.close()
            assert agent.process.wait(DEADLINE) == 0, agent.process.stderr.read()
    with Agent() as agent:
        agent.begin()
        agent.process.send_signal(signal.SIGTERM)
        assert agent.process.wait(DEADLINE) == 128 + signal.SIGTERM


def test_every_tool():
    with Agent() as agent:
        agent.begin()
        tools = agent.ask("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in tools] == ["list_tasks", "show_task", "evaluate", "compare", "timeline", "variants", "baselines",
                                                    "kernels"]
        for tool in tools:
            assert tool["description"] and tool["inputSchema"]["type"] == "object" and tool["outputSchema"]["type"] == "object"
        listed = agent.good("list_tasks", search="chain")
        assert listed["total"] == 1 and listed["tasks"][0]["task"] == "1/1" and "path" not in listed["tasks"][0], listed
        assert agent.good("list_tasks", level=3) == {**listed, "tasks": [], "total": 0}
        assert "class Model" in agent.good("show_task", task="1/1")["source"]
        first = agent.good("evaluate", task="1/1", source=source())
        second = agent.good("evaluate", task="1/1", source=source("slower"), parent=first["variant"])
        third = agent.good("evaluate", task="1/1", source=source("wrong"))
        assert (first["reward"], second["reward"], third["reward"]) == (2.11, 0.99, 0) and "pairs" not in first
        assert "correct, 2.12" in first["summary"] and third["verdict"] == "incorrect" and len(third["reasons"][0]["evidence"]) == 4096
        compared = agent.good("compare", first=first["variant"], second=second["variant"])
        assert compared["verdict"] == "faster" and compared["ratio"]["wall"]["low"] > 2, compared
        rows = agent.good("variants", task="1/1", source=True)
        assert rows["total"] == 3 and rows["variants"][0]["variant"] == first["variant"] and rows["variants"][0]["source"] == source()
        assert rows["variants"][0]["origin"] == "served: mcp"
        assert agent.good("baselines", task="1/1")["baselines"] == []
        assert agent.good("kernels", variant=1)["captures"] == []


def test_wrong_arguments_are_said():
    with Agent() as agent:
        agent.begin()
        cases = [("evaluate", {}, "\"source\" is missing"), ("evaluate", {"source": "x"}, "no task"),
                 ("evaluate", {"source": 7, "task": "1/1"}, "\"source\" is a text, not 7"),
                 ("evaluate", {"source": "x", "task": "1/1", "preset": "slow"}, "quick, standard or paper"),
                 ("evaluate", {"source": "x", "task": "1/1", "speed": 1}, "no argument \"speed\""),
                 ("evaluate", {"source": "x", "task": "1/1", "seed": -1}, "at least 0"),
                 ("evaluate", {"source": "x", "task": "9/9"}, "9/9"), ("evaluate", {"source": "", "task": "1/1"}, "empty"),
                 ("evaluate", {"source": source("refused"), "task": "1/1"}, "cannot be judged"),
                 ("evaluate", {"source": "x", "reference": "x", "task": "1/1"}, "two ways"),
                 ("show_task", {"task": "/etc/passwd"}, "/etc/passwd"), ("compare", {"first": 1}, "\"second\" is missing"),
                 ("compare", {"first": 1, "second": 1}, "Both are"), ("compare", {"first": 98, "second": 99}, "98"),
                 ("compare", {"first": 1.5, "second": 2}, "a whole number"), ("timeline", {"calls": 0}, "at least 1"),
                 ("timeline", {"variant": 1, "source": "x"}, "two ways"), ("timeline", {}, "no task"), ("kernels", {"variant": 99}, "99"),
                 ("list_tasks", {"split": "test"}, "train or held_out"), ("variants", {"task": "1/1", "limit": 10**9}, "at most 1000")]
        for tool, arguments, says in cases:
            result = agent.call(tool, **arguments)
            assert result["isError"] is True and says in result["content"][0]["text"], (tool, arguments, result)
        assert agent.ask("tools/call", {"name": "evaluate", "arguments": [1]})["result"]["isError"] is True
        assert agent.ask("tools/call", {"name": "fly"})["error"]["code"] == -32602
        assert agent.ask("tools/call", {})["error"]["code"] == -32602


def test_abuse():
    with Agent() as agent:
        for text, code in [(b"{\n", -32700), (b"nonsense\n", -32700), (b"\xff\xfe\n", -32700), (b"7\n", -32600), (b"\"x\"\n", -32600),
                           (b"[]\n", -32600), (b"[1]\n", -32600), (b"null\n", -32600), (b"{}\n", -32600),
                           (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}\n', -32600), (b'{"jsonrpc": "2.0", "id": 1}\n', -32600),
                           (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n', -32600),
                           (b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}\n', -32600),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": 7}\n', -32600),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n', -32600),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "server/discover"}\n', -32601),
                           (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}\n', -32602)]:
            agent.send(text)
            answer = agent.receive()
            assert answer["error"]["code"] == code and answer["error"]["message"], (text, answer)
        agent.send(b"\n  \n\r\n")  # nothing
        agent.send({"jsonrpc": "2.0", "method": "notifications/unheard_of"})
        agent.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}})
        agent.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 3})
        agent.send({"jsonrpc": "2.0", "id": 7, "result": {}})  # an answer to nothing
        agent.begin()
        agent.send(b" " * (33 << 20) + b"\n")
        assert agent.receive()["error"]["code"] == -32700
        deep = b"[" * 200_000 + b"]" * 200_000
        for text in (deep, b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "evaluate", "arguments": {"source": ' +
                     deep + b"}}}", b'{"jsonrpc": "2.0", "method": "ping", "id": ' + deep + b"}"):
            agent.send(text + b"\n")
            assert agent.receive()["error"]["code"] == -32700
        for method in ("prompts/list", "completion/complete", "sampling/createMessage", "", "x" * 5000):
            assert agent.ask(method)["error"]["code"] == -32601
        assert agent.ask("logging/setLevel", {"level": "debug"})["result"] == {}
        assert agent.ask("logging/setLevel", {"level": "loud"})["error"]["code"] == -32602
        # A batch of the version that has them; two requests with one id.
        agent.send([{"jsonrpc": "2.0", "id": "a", "method": "ping"}, {"jsonrpc": "2.0", "id": "b", "method": "ping"}])
        assert {agent.receive()["id"], agent.receive()["id"]} == {"a", "b"}
        call = {"jsonrpc": "2.0", "id": "twice", "method": "tools/call",
                "params": {"name": "evaluate", "arguments": {"task": "1/1", "source": source("hang")}}}
        agent.send(call)
        agent.send(call)
        assert agent.receive()["error"]["code"] == -32600
        assert agent.good("list_tasks")["total"] >= 1, "it still works"
        agent.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "twice"}})


def test_progress_and_cancel():
    with Agent() as agent:
        agent.begin()
        number = agent.post("tools/call", {"name": "evaluate", "arguments": {"task": "1/1", "source": source("half a second")},
                                           "_meta": {"progressToken": "token"}})
        seen = []
        while (message := agent.receive()).get("method") == "notifications/progress":
            assert message["params"]["progressToken"] == "token" and message["params"]["total"] == 1
            seen.append((message["params"]["progress"], message["params"]["message"]))
        assert message["id"] == number and message["result"]["structuredContent"]["reward"] == 2.11
        assert [fraction for fraction, _ in seen] == [0.1, 0.5, 0.9] and "7 of 20" in seen[1][1], seen
        # Cancelled in the middle: no answer, and the judge is free again.
        hangs = agent.post("tools/call", {"name": "evaluate", "arguments": {"task": "1/1", "source": source("hang")}})
        until(lambda: agent.log.read_text().count("\"evaluate\"") == 2, "the second is at the evaluator")
        agent.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": hangs, "reason": "enough"}})
        assert agent.good("evaluate", task="1/1", source=source())["reward"] == 2.11
        # Others are answered meanwhile.
        slow = agent.post("tools/call", {"name": "evaluate", "arguments": {"task": "1/1", "source": source("half a second", 2)}})
        assert agent.good("list_tasks")["total"] >= 1
        assert agent.receive()["id"] == slow


def test_timelines():
    rules = [{"on": "timeline", "reply": TIMELINE}, *RULES]
    with Agent(rules) as agent:
        agent.begin()
        recorded = agent.good("timeline", task="1/1")
        assert recorded["timeline"] == 1 and recorded["variant"] is None and recorded["reference"]["calls"] == 1, recorded


def test_resources():
    with Agent([{"on": "evaluate", "candidate_contains": "# slower", "reply": SLOWER}, {"on": "evaluate", "reply": CORRECT}]) as agent:
        agent.begin()
        found = agent.good("evaluate", task="1/1", source=source())
        listed, cursor = [], None
        while True:
            page = agent.ask("resources/list", {"cursor": cursor} if cursor else {})["result"]
            listed += page["resources"]
            if not (cursor := page.get("nextCursor")):
                break
        uris = [one["uri"] for one in listed]
        for uri in ("cudal1://report", "cudal1://tasks/1/1/report", "cudal1://tasks/1/1/reference", "cudal1://variants/1/source"):
            assert uri in uris, uris
        assert len(agent.ask("resources/templates/list")["result"]["resourceTemplates"]) == 4

        def read(uri):
            answer = agent.ask("resources/read", {"uri": uri})["result"]["contents"][0]
            assert answer["uri"] == uri
            return answer["text"]
        assert read("cudal1://variants/1/source") == source() and "class Model" in read("cudal1://tasks/1/1/reference")
        assert json.loads(read(found["report"]))["verdict"] == "correct" and json.loads(read("cudal1://evaluations/1"))["pairs"] == []
        assert "2.12" in read("cudal1://tasks/1/1/report") and "#" in read("cudal1://report")
        for uri in ("cudal1://tasks/9/9/reference", "cudal1://tasks/1/2/report", "cudal1://variants/77/source", "cudal1://variants/x/source",
                    "cudal1://evaluations/", "cudal1://", "file:///etc/passwd", "cudal1://tasks//etc/passwd/reference", ""):
            answer = agent.ask("resources/read", {"uri": uri})
            assert answer["error"]["code"] == -32002 and answer["error"]["data"]["uri"] == uri, answer
        assert agent.ask("resources/read", {})["error"]["code"] == -32602
        assert agent.ask("resources/list", {"cursor": "x"})["error"]["code"] == -32602


def test_an_evaluator_that_does_not_start():
    with Agent([{"on": "hello", "act": "exit", "status": 7}]) as agent:
        assert agent.begin()["protocolVersion"]
        assert agent.good("list_tasks")["total"] >= 1, "what needs no evaluator works"
        answer = agent.call("evaluate", task="1/1", source=source())
        assert answer["isError"] and answer["content"][0]["text"], answer


def test_what_was_asked_before_the_input_ended():
    with Agent() as agent:
        messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
                    {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                     "params": {"name": "evaluate", "arguments": {"task": "1/1", "source": source("half a second")}}}]
        done = subprocess.run(agent.command, env=agent.environment, input="\n".join(map(json.dumps, messages)), capture_output=True,
                              text=True, timeout=DEADLINE)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert done.returncode == 0 and [one["id"] for one in answers] == [1, 2], done
        assert answers[1]["result"]["structuredContent"]["reward"] == 2.11


def test_over_http():
    with Server("--preset", "quick") as server:
        def post(message, session=None, **headers):
            more = {"Accept": "application/json, text/event-stream", **({"Mcp-Session-Id": session} if session else {}), **headers}
            return server.ask("POST", "/mcp", message, headers=more)
        begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
        status, headers, answer = post(begin)
        session = headers["Mcp-Session-Id"]
        assert status == 200 and answer["result"]["protocolVersion"] == "2025-06-18" and len(session) == 64
        assert post({"jsonrpc": "2.0", "method": "notifications/initialized"}, session)[0] == 202
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": {"name": "evaluate", "arguments": {"task": "1/1", "source": source("half a second")}}}
        status, _, answer = post(call, session)
        assert status == 200 and answer["result"]["structuredContent"]["reward"] == 2.11
        call["params"]["_meta"] = {"progressToken": 5}
        status, headers, text = post({**call, "id": 3}, session)
        events = [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]
        assert status == 200 and headers["Content-Type"] == "text/event-stream" and [e.get("method") for e in events] == [
            "notifications/progress"] * 3 + [None] and events[-1]["id"] == 3, text
        # Cancelled, and ended, in the middle: the request of HTTP ends, without an answer.
        for way, number in (("cancel", 10), ("end", 11)):
            for stream in (False, True):
                other = post(begin)[1]["Mcp-Session-Id"]
                hangs = {**call, "id": number, "params": {"name": "evaluate", "arguments": {"task": "1/1", "source": source("hang", number)},
                                                          **({"_meta": {"progressToken": 1}} if stream else {})}}
                with concurrent.futures.ThreadPoolExecutor(1) as pool:
                    waits = pool.submit(post, hangs, other)
                    until(lambda: server.metric("cudal1_open_requests") == 1, "one is open")
                    if way == "cancel":
                        assert post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}, other)[0] == 202
                    else:
                        assert server.ask("DELETE", "/mcp", headers={"Mcp-Session-Id": other})[0] == 204
                    status, _, text = waits.result(DEADLINE)
                    assert (status, text) == ((200, "") if stream else (204, "")), (status, text)
                until(lambda: server.metric("cudal1_open_requests") == 0, "none is open")
        tools = {"jsonrpc": "2.0", "id": 4, "method": "tools/list"}
        assert post(tools)[0] == 400 and post(tools, "x" * 64)[0] == 404 and post(b"{", session)[0] == 400
        assert post([tools], session)[0] == 400 and post(tools, session, **{"MCP-Protocol-Version": "1999-01-01"})[0] == 400
        assert server.ask("POST", "/mcp", tools, token=False)[0] == 401 and server.ask("GET", "/mcp")[0] == 405
        assert post(tools, session, Origin="https://evil.example")[0] == 403
        assert post(tools, session, **{"MCP-Protocol-Version": "2025-06-18"})[0] == 200
        assert server.ask("DELETE", "/mcp", headers={"Mcp-Session-Id": session})[0] == 204 and post(tools, session)[0] == 404
        assert server.ask("DELETE", "/mcp", headers={"Mcp-Session-Id": session})[0] == 404


run(globals())

# SPDX-License-Identifier: GPL-3.0-or-later
# The server with the packages that agents and trainers use, by the examples of docs/examples, against a recorded evaluator.
#
# usage: check_packages.py CUDAL1 REPLAY_EVALUATOR mcp|openenv|trl|verifiers|verl
# CUDAL1_CLIENT_PYTHONS names interpreters, with colons between; the first that has the package is used. Exit status 77 where none
# has it.
import json
import os
import pathlib
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

part = sys.argv.pop(3)
from servetest import HERE, RULES, SUITE, Server, source  # noqa: E402

EXAMPLES = HERE.parent.parent / "docs" / "examples"
DEADLINE = 500
NEEDS = {"mcp": "import mcp", "openenv": "from openenv.core import GenericEnvClient", "trl": "import trl, datasets, transformers, torch",
         "verifiers": "import verifiers.v1", "verl": "import verl.experimental.reward_loop.reward_loop, pandas, pyarrow"}


def interpreter():
    tried = [one for one in os.environ.get("CUDAL1_CLIENT_PYTHONS", "").split(":") if one] + [sys.executable]
    for python in tried:
        if subprocess.run([python, "-c", NEEDS[part]], capture_output=True).returncode == 0:
            return python
    print(f"skipped: no Python here can do `{NEEDS[part]}` ({', '.join(tried)}); CUDAL1_CLIENT_PYTHONS names others")
    sys.exit(77)


def example(server, *words, **more):
    environment = {**os.environ, "CUDAL1_URL": server.url, "PYTHONPATH": str(EXAMPLES), "HF_HUB_OFFLINE": "1", **more}
    if server.token:
        environment["CUDAL1_TOKEN"] = server.token
    done = subprocess.run([PYTHON, *map(str, words)], env=environment, capture_output=True, text=True, timeout=DEADLINE, cwd=server.folder)
    print(done.stderr[-3000:])
    assert done.returncode == 0, (done.returncode, done.stdout[-2000:])
    return done.stdout


def write(server, name, word):
    path = server.folder / name
    path.write_text(source(word))
    return path


def check_mcp():
    with Server() as server:
        command = server.command("mcp", "--preset", "quick")
        for word, reward in (("half a second", 2.11), ("wrong", 0)):
            out = json.loads(example(server, EXAMPLES / "mcp_agent.py", "1/1", write(server, "candidate.py", word), *command,
                                     CUDAL1_EVALUATOR=server.environment()["CUDAL1_EVALUATOR"]))
            assert "evaluate" in out["tools"] and out["reference_lines"] > 10 and out["judged"]["reward"] == reward, out
        # And by its client for streamable HTTP.
        program = server.folder / "client.py"
        program.write_text("""
import asyncio, json, os
import mcp
from mcp import ClientSession
try:
    from mcp.client.streamable_http import streamable_http_client as connect
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as connect

async def main():
    url, token = os.environ["CUDAL1_URL"], os.environ["CUDAL1_TOKEN"]
    headers = {"Authorization": "Bearer " + token}
    try:
        import httpx2 as httpx
    except ImportError:
        import httpx
    try:
        streams = connect(url + "/mcp", http_client=httpx.AsyncClient(headers=headers, timeout=60))
    except TypeError:
        streams = connect(url + "/mcp", headers=headers)
    seen = []
    async def progress(done, total, message):
        seen.append(done)
    async with streams as (reading, writing, *_), ClientSession(reading, writing) as session:
        await session.initialize()
        source = open("candidate.py").read()
        judged = await session.call_tool("evaluate", {"task": "1/1", "source": source}, progress_callback=progress)
        wrong = await session.call_tool("evaluate", {"task": "1/1"})
        resource = await session.read_resource("cudal1://tasks/1/1/reference")
        failed = getattr(wrong, "isError", None) if hasattr(wrong, "isError") else wrong.is_error
        print(json.dumps({"reward": json.loads(judged.content[0].text)["reward"], "progress": seen, "wrong": failed,
                          "reference": resource.contents[0].text}))
asyncio.run(main())
""")
        write(server, "candidate.py", "half a second")
        out = json.loads(example(server, program))
        assert out["reward"] == 2.11 and out["progress"] == [0.1, 0.5, 0.9] and out["wrong"] is True and "class Model" in out["reference"], out


def check_openenv():
    for token in (True, False):
        with Server(token=token) as server:
            files = [write(server, f"{number}.py", word) for number, word in enumerate(("wrong", "slower", ""))]
            lines = example(server, EXAMPLES / "openenv_episode.py", "1/1", *files).splitlines()
            steps = [json.loads(line) for line in lines[1:]]
            assert lines[0].startswith("1/1 "), lines
            assert [one.get("reward") for one in steps] == [0, 0.99, 2.11, None] and [one["done"] for one in steps] == [False, False, True, True]
            assert steps[0]["reasons"] == ["3 of 4 values differ"] and steps[3]["step_count"] == 3 and steps[3]["best_reward"] == 2.11, steps


def check_trl():
    # What a model writes behind the prefill decides: rewards differ within a group, so that there is something to learn.
    rules = [{"on": "evaluate", "candidate_contains": word, "reply": RULES[0]["reply"]} for word in "abcdefghij"]
    rules = [{**one, "candidate_contains": "\n# " + one["candidate_contains"]} for one in rules] + [RULES[-1]]
    with Server(rules=rules) as server:
        prefill = server.folder / "prefill.py"
        prefill.write_text(source())
        out = example(server, EXAMPLES / "trl_grpo.py", "--tasks", "1/1", "--steps", "3", "--group", "4", "--tokens", "16", "--prefill", prefill)
        steps = [line for line in out.splitlines() if line.startswith("step ")]
        assert len(steps) == 3, out
        judged = server.asked()
        assert len(judged) >= 3 and len({one["sha256"] for one in judged}) == len(judged), "each other answer is judged"
        assert any("reward 2.11" in line or "reward 1." in line for line in steps), steps
        # Without a prefill a random model writes no code: nothing is judged, and every reward is 0.
        before = len(server.asked())
        out = example(server, EXAMPLES / "trl_grpo.py", "--tasks", "1/1", "--steps", "1", "--group", "2", "--tokens", "8")
        assert "step 1: reward 0.000" in out and len(server.asked()) == before, out


class Model(BaseHTTPRequestHandler):
    """A chat endpoint that always gives the same answer."""

    reply = "Faster:\n```python\n" + source("slower") + "```"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body.get("stream"):
            return self.stream(body)
        answer = {"id": "x", "object": "chat.completion", "created": 1, "model": body.get("model", "m"),
                  "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": self.reply}}],
                  "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}}
        self.give(json.dumps(answer).encode(), "application/json")

    def stream(self, body):
        def chunk(delta, end=None):
            part = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": body.get("model", "m"),
                    "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
            return f"data: {json.dumps(part)}\n\n"
        usage = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [],
                 "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}}
        text = chunk({"role": "assistant", "content": self.reply}) + chunk({}, "stop") + f"data: {json.dumps(usage)}\n\ndata: [DONE]\n\n"
        self.give(text.encode(), "text/event-stream")

    def give(self, data, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def check_verifiers():
    with Server() as server:
        # The taskset and its scoring, without a harness.
        program = server.folder / "score.py"
        program.write_text("""
import asyncio, json, sys
import verifiers.v1 as vf
from verifiers.v1.utils.loaders import load_taskset, taskset_config_type

config = taskset_config_type("cudal1-taskset")(id="cudal1-taskset", tasks=["1/1"])
tasks = list(load_taskset(config))

def trace_of(task, text):
    trace = vf.Trace(agent=vf.AgentInfo(config=vf.AgentConfig()),
                     task=vf.TraceTask(type=type(task).__name__, data=task.data, hash=task.hash, key=task.key))
    trace.nodes.append(vf.MessageNode(parent=None, message=vf.AssistantMessage(content=text), sampled=True))
    return trace

async def main():
    out = []
    for text in json.load(open("replies.json")):
        trace = trace_of(tasks[0], text)
        await tasks[0].score(trace)
        out.append(trace.reward)
    print(json.dumps({"tasks": [task.data.task for task in tasks], "prompt": tasks[0].data.prompt, "rewards": out}))

asyncio.run(main())
""")
        (server.folder / "replies.json").write_text(json.dumps([Model.reply, Model.reply.replace("slower", ""), "no code"]))
        out = json.loads(example(server, program).splitlines()[-1])
        assert out["tasks"] == ["1/1"] and "class Model" in out["prompt"] and out["rewards"] == [0.99, 2.11, 0], out["rewards"]
        check_vf_eval(server)


def check_vf_eval(server):
    """The whole program, where it can start its harness: that needs `uv`, which fetches packages for it."""
    program = pathlib.Path(PYTHON).parent / "vf-eval"
    if not program.exists() or not any((pathlib.Path(folder) / "uv").exists() for folder in [program.parent, *os.environ["PATH"].split(":")]):
        print("left out: vf-eval needs the program uv")
        return
    endpoint = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    environment = {**os.environ, "CUDAL1_URL": server.url, "CUDAL1_TOKEN": server.token, "PYTHONPATH": str(EXAMPLES), "KEY": "none",
                   "PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run([program, "cudal1-taskset", "-m", "m", "--client.base-url", f"http://127.0.0.1:{endpoint.server_port}/v1",
                           "--client.api-key-var", "KEY", "--no-push", "--env.agent.runtime.type", "subprocess", "--env.agent.harness.id",
                           "null", "--env.taskset.tasks", "1/1", "-r", "2", "--run.dir", "one"],
                          env=environment, capture_output=True, text=True, timeout=DEADLINE, cwd=server.folder)
    endpoint.shutdown()
    print(done.stdout[-2000:], done.stderr[-2000:])
    traces = [json.loads(line) for line in (server.folder / "outputs" / "one" / "traces.jsonl").read_text().splitlines()]
    errors = [trace["errors"] for episode in traces for trace in episode.get("traces", [episode]) if trace.get("errors")]
    assert not errors, json.dumps(errors)[:3000]
    found = [trace["rewards"]["speedup"] for episode in traces for trace in episode.get("traces", [episode])]
    assert len(found) == 2 and all((one["score"] if isinstance(one, dict) else one) == 0.99 for one in found), found


def check_verl():
    """Its settings, data set, reward worker and reward manager; both spellings of the setting that it takes."""
    replies = [f"```python\n{source(word)}```" for word in ("", "slower", "wrong", "untimed")] + ["nothing"]
    expected = [2.11, 0.99, 0, 0, 0]
    for place in ("reward.custom_reward_function", "custom_reward_function"):
        with Server() as server:
            (server.folder / "replies.json").write_text(json.dumps(replies))
            example(server, EXAMPLES / "verl_reward.py", "rows.parquet")
            out = json.loads(example(server, HERE / "verl_scores.py", "rows.parquet", "replies.json", f"{place}.path={EXAMPLES / 'verl_reward.py'}",
                                     f"{place}.name=compute_score", PYTHONPATH="").splitlines()[-1])
            tasks = sum(one["split"] == "train" for one in server.ask("GET", "/tasks")[2]["tasks"])
            assert out["rows"] == tasks and out["scores"] == expected and out["placed"] == expected, out


PYTHON = interpreter()
print(f"with {PYTHON}", flush=True)
assert SUITE.exists()
globals()["check_" + part]()
print("passed")

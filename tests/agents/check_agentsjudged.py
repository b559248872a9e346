# SPDX-License-Identifier: GPL-3.0-or-later
"""Agents solve 1/12 (a diagonal matrix times a matrix) on the CPU: what they are told is what the real judge found.

usage: check_agentsjudged.py CUDAL1 EVALUATOR scripted|gptme|codex

"gptme" and "codex" are coding agents from PyPI, with a scripted server that plays their language model. The interpreter in
CUDAL1_AGENT_PYTHON, or the one that runs this, needs the packages gptme and mcp, or openai-codex-cli-bin. Ends with 77, a skip, where the
evaluator or a package is missing.
"""
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).parent
PYTHON = os.environ.get("CUDAL1_AGENT_PYTHON", sys.executable)
DEADLINE = 500


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def programs():
    """The wrong and the right program of the scripted agent."""
    text = (HERE / "scripted_agent.py").read_text()
    names = {}
    exec(text[text.index('WRONG = """'):text.index("def note(")], names)
    return names["WRONG"], names["RIGHT"]


class Model(http.server.BaseHTTPRequestHandler):
    """Calls evaluate with the wrong program, then with the right one, then says that it is done."""

    asked = []

    def log_message(self, *unused):
        pass

    def answer(self, kind, data):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    @staticmethod
    def calling(text, number, tool, arguments):
        call = {"index": 0, "id": f"call_{number}", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        return {"role": "assistant", "content": text, "tool_calls": [call]}, "tool_calls"

    def do_GET(self):
        self.answer("application/json", json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]}).encode())

    def answer_items(self, body):
        """The same by OpenAI's other protocol: a stream of whole items."""
        judge = next(one for one in body["tools"] if one.get("type") == "namespace" and "cudal1" in one["name"])
        assert "evaluate" in [one["name"] for one in judge["tools"]], judge
        Model.asked.append(json.dumps(body["input"]))
        step = len(Model.asked) - 1
        text = f"I try version {step + 1}." if step < 2 else "The second version is correct and faster. I am done."
        items = [{"type": "message", "role": "assistant", "id": f"m{step}", "content": [{"type": "output_text", "text": text}]}]
        if step < 2:
            arguments = {"source": programs()[step], "analysis": "Broadcasts the diagonal over the rows"}
            items.append({"type": "function_call", "id": f"f{step}", "call_id": f"call_{step}", "namespace": judge["name"],
                          "name": "evaluate", "arguments": json.dumps(arguments)})
        events = [{"type": "response.created", "response": {"id": f"r{step}"}}]
        events += [{"type": "response.output_item.done", "item": item} for item in items]
        usage = {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 10, "output_tokens_details": None, "total_tokens": 20}
        events.append({"type": "response.completed", "response": {"id": f"r{step}", "usage": usage}})
        self.answer("text/event-stream", "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode())

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/responses"):
            return self.answer_items(body)
        names = [one["function"]["name"] for one in body.get("tools", [])]
        tools = [name for name in names if "evaluate" in name]
        if not tools: # a question of the program's own, such as a title
            message, end = {"role": "assistant", "content": "A faster product"}, "stop"
        else:
            Model.asked.append(json.dumps(body["messages"]))
            step = len(Model.asked) - 1
            if step < 2:
                message, end = self.calling(f"I try version {step + 1}.", step, tools[0],
                                            {"source": programs()[step], "analysis": "Broadcasts the diagonal over the rows"})
            elif "complete" in names: # how this program ends a session
                message, end = self.calling("The second version is correct and faster. I am done.", step, "complete", {})
            else:
                message, end = {"role": "assistant", "content": "The second version is correct and faster. I am done."}, "stop"
        head = {"id": "x", "created": 0, "model": "scripted"}
        usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": end}
            return self.answer("application/json", json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage}).encode())
        pieces = [{"delta": message, "finish_reason": None}, {"delta": {}, "finish_reason": end}]
        events = [{**head, "object": "chat.completion.chunk", "choices": [{"index": 0, **piece}]} for piece in pieces]
        events.append({**head, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        return self.answer("text/event-stream", text.encode())


def serve_model():
    """The scripted model, for as long as this process lives; returns its port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def scripted(folder):
    return f"{sys.executable} -B {HERE / 'scripted_agent.py'} solve {folder / 'notes.jsonl'}", {}


def gptme(folder):
    found = subprocess.run([PYTHON, "-c", "import gptme, mcp"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        skip(f"{PYTHON} has no gptme with mcp; name an interpreter in CUDAL1_AGENT_PYTHON")
    port = serve_model()
    home = folder / "home"
    home.mkdir()
    environment = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
                   "OPENAI_API_KEY": "sk-nobody-needs-this", "GPTME_TIKTOKEN_TIMEOUT": "0"}
    return f"{PYTHON} -m gptme --non-interactive --model local/scripted --tool-format tool --workspace {{workspace}} {{prompt}}", environment


def codex(folder):
    """By its ready-made command."""
    found = subprocess.run([PYTHON, "-c", "import codex_cli_bin; print(codex_cli_bin.__path__[0])"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        skip(f"{PYTHON} has no openai-codex-cli-bin; name an interpreter in CUDAL1_AGENT_PYTHON")
    port = serve_model()
    settings = folder / "home" / ".codex" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"""
model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
""")
    return "codex", {"HOME": str(folder / "home"), "PATH": f"{found.stdout.strip()}/bin:{os.environ['PATH']}",
                     "OPENAI_API_KEY": "sk-nobody-needs-this"}


def main():
    program, evaluator, part = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    if not os.access(evaluator, os.X_OK):
        skip(f"{evaluator} is not built")
    with tempfile.TemporaryDirectory(prefix="ca-") as name:
        folder = pathlib.Path(name)
        command, more = globals()[part](folder)
        environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config"), "CUDAL1_EVALUATOR": evaluator, **more}

        def run(*words):
            ran = subprocess.run([program, *words], env=environment, capture_output=True, text=True, timeout=DEADLINE, check=False)
            print(ran.stdout + ran.stderr, flush=True)
            assert ran.returncode == 0, words
            return ran.stdout

        project = ["--project", str(folder / "p.cudal1")]
        run("models", "add", part, "--agent", command, "--evaluations", "3", "--env", "OPENAI_BASE_URL,OPENAI_API_KEY,GPTME_TIKTOKEN_TIMEOUT")
        run("optimize", "1/12", *project, "--policy", "agent:" + part, "--device", "cpu", "--preset", "quick", "--rounds", "1")
        first, second = json.loads(run("samples", "1/12", "--json", *project))["samples"]
        assert first["verdict"] == "incorrect" and first["reward"] == 0, first
        assert second["verdict"] == "correct" and second["parent"] == first["sample"], second
        transcript = json.loads(run("samples", "show", str(second["sample"]), "--json", *project))["reply"]
        assert "ended by itself" in transcript, transcript
        # There is no reward where other work wanted the processor all the time, but always a ratio.
        speedup = float(re.search(r"evaluation 2: correct, ([0-9.]+)×", transcript).group(1))
        assert speedup > 2, transcript
        if part != "scripted":
            assert len(Model.asked) == 3 and "incorrect" in Model.asked[1] and "correct, " in Model.asked[2], Model.asked[1:]
            assert first["policy_version"], first
        print(f"{part}: {speedup} times as fast as the reference")


main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""A coding agent that is a script: what it does is the word that it is given. It knows the judge by .mcp.json alone.

usage: scripted_agent.py MODE [FILE]   (in the workspace; FILE takes notes for the test)
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
NOTES = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None

WRONG = """import torch


class ModelNew(torch.nn.Module):
    # wrong
    def forward(self, A, B):
        return A.unsqueeze(1) * B * 1.5
"""
RIGHT = """import torch


class ModelNew(torch.nn.Module):
    # right
    def forward(self, A, B):
        return A.unsqueeze(1) * B
"""


def note(**facts):
    if NOTES:
        with NOTES.open("a") as file:
            file.write(json.dumps(facts) + "\n")


class Judge:
    """The tools of the judge over the standard input and output of what .mcp.json names."""

    def __init__(self):
        server = json.loads(pathlib.Path(".mcp.json").read_text())["mcpServers"]["cudal1"]
        self.process = subprocess.Popen([server["command"], *server["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "scripted agent", "version": "1"})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, **params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.number:
                return message
        raise SystemExit("the judge is gone")

    def call(self, tool, **arguments):
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        if "error" in answer:
            return {"refused": answer["error"]["message"]}
        result = answer["result"]
        return {"refused": result["content"][0]["text"]} if result["isError"] else result["structuredContent"]


def solve():
    judge = Judge()
    task = pathlib.Path("TASK.md").read_text()
    reference = pathlib.Path("reference.py").read_text()
    note(tools=[one["name"] for one in judge.ask("tools/list")["result"]["tools"]], resources=judge.ask("resources/list").get("error"),
         files=sorted(str(path) for path in pathlib.Path(".").rglob("*") if path.is_file()), mode=oct(os.stat(".").st_mode & 0o777),
         task="ModelNew" in task and "Evaluations: " in task, reference="class Model" in reference, best=len(list(pathlib.Path("best").glob("*.py"))))
    print("I read the reference and try a first version.", flush=True)
    pathlib.Path("new.py").write_text(WRONG)
    first = judge.call("evaluate", file="new.py", analysis="A first guess")
    note(first=first)
    print("That was " + first.get("verdict", "refused") + ". My key is " + os.environ.get("AGENT_KEY", "none"), flush=True)
    second = judge.call("evaluate", source=RIGHT, analysis="Scales the rows by broadcasting, without the matrix diag(A)")
    note(second=second)
    note(variants=judge.call("variants", source=True), task=judge.call("show_task"),
         compared=judge.call("compare", first=first["variant"] or 1, second=second["variant"] or 1), foreign=judge.call("compare", first=second["variant"] or 1, second=999),
         outside=judge.call("evaluate", file="/etc/passwd"), none=judge.call("evaluate", file="none.py"), both=judge.call("evaluate", file="new.py", source=RIGHT),
         other=judge.call("list_tasks"))
    print("It is " + second["summary"], flush=True)


def budget():
    judge = Judge()
    for number in range(5):
        note(answer=judge.call("evaluate", source=RIGHT + f"# number {number}\n"))


def daemon():
    """Leaves a process that has left its group, its session and its parent."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            note(daemon=os.getpid())
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        os._exit(0)
    while NOTES and not NOTES.exists():
        time.sleep(0.01)
    print("I leave something behind.", flush=True)


def hang():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "600"])
    note(agent=os.getpid(), child=child.pid)
    print("I hang.", flush=True)
    time.sleep(600)


def judge_and_hang():
    judge = Judge()
    note(agent=os.getpid(), answer=judge.call("evaluate", source=RIGHT))
    judge.call("evaluate", source=RIGHT + "# hang\n")


def spy():
    """Looks for the project: in the environment, through the processes above it, and by the path that the test tells."""
    project = NOTES.with_name("project.cudal1")
    found = {name: value for name, value in os.environ.items() if "CUDAL1" in name or "project" in value or "Private" in value}
    above, environs = os.getppid(), []
    while above > 1:
        try:
            environs.append("Private" in pathlib.Path(f"/proc/{above}/environ").read_text(errors="replace"))
        except OSError:
            environs.append(None)
        above = int(pathlib.Path(f"/proc/{above}/stat").read_text().rsplit(")", 1)[1].split()[1])
    note(environment=found, environs=environs, bytes=len(project.read_bytes()) if project.exists() else 0)


def shell():
    """Without the protocol: by the script of the workspace."""
    pathlib.Path("new.py").write_text(RIGHT)
    ran = subprocess.run(["./judge", "evaluate", json.dumps({"file": "new.py"})], capture_output=True, text=True)
    note(status=ran.returncode, answer=json.loads(ran.stdout))
    ran = subprocess.run(["./judge", "evaluate", json.dumps({"file": "none.py"})], capture_output=True, text=True)
    note(status=ran.returncode, answer=ran.stdout)


def fail():
    print("I give up.", flush=True)
    sys.exit(3)


def nothing():
    pass


def die():
    os.kill(os.getpid(), signal.SIGSEGV)


globals()[MODE]()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Speaks the evaluator's protocol from Python, for tests that run where there is no Qt (GPU servers)."""
import json
import os
import subprocess


class EvaluatorClient:
    """Starts one evaluator. Requests are answered in order; `ask` waits for the final answer and keeps the progress."""

    def __init__(self, program: str, **environment: str):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})
        self.next_id = 0
        self.progress: list[dict] = []
        self.send({"type": "hello", "protocol": 1, "program": "test"})
        self.hello = self.receive()

    def send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def receive(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(f"the evaluator ended with status {self.process.wait()}")
        return json.loads(line)

    def start(self, kind: str, **fields) -> int:
        self.next_id += 1
        self.send({"type": kind, "id": self.next_id, **fields})
        return self.next_id

    def finish(self, request: int) -> dict:
        self.progress = []
        while True:
            message = self.receive()
            if message["id"] == request and message["type"] != "progress":
                return message
            self.progress.append(message)

    def ask(self, kind: str, **fields) -> dict:
        return self.finish(self.start(kind, **fields))

    def start_evaluation(self, task: str, candidate: str, device: str = "cpu", preset: str = "quick", **fields) -> int:
        return self.start("evaluate", task={"name": "test", "source": task}, candidate=candidate, candidate_name="candidate.py",
                          device=device, preset=preset, **fields)

    def evaluate(self, task: str, candidate: str, device: str = "cpu", preset: str = "quick", **fields) -> dict:
        return self.finish(self.start_evaluation(task, candidate, device, preset, **fields))

    def close(self) -> int:
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=20)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The client's end of cudal1-trainer, for the tests of this folder. Whatever comes out that is no JSON object fails the test."""
import json
import os
import queue
import socket
import subprocess
import threading

DEADLINE = 120


class Refused(Exception):
    def __init__(self, answer):
        super().__init__(answer["message"] + (f" ({answer['context']})" if answer["context"] else ""))
        self.answer = answer


class Trainer:
    """A training; with `processes` above 1 its followers too, on this machine."""

    def __init__(self, program, processes=1, hello=True, environment=None):
        self.processes, port = [], 0
        if processes > 1:
            with socket.socket() as taken:
                taken.bind(("127.0.0.1", 0))
                port = taken.getsockname()[1]
        for rank in reversed(range(processes)):
            own = {"RANK": str(rank), "WORLD_SIZE": str(processes), "LOCAL_RANK": str(rank), "MASTER_ADDR": "127.0.0.1",
                   "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo"} if processes > 1 else {}
            self.processes.append(subprocess.Popen(
                [program, "serve"], env={**os.environ, **own, **(environment or {})}, stderr=subprocess.PIPE,
                stdin=subprocess.PIPE if rank == 0 else subprocess.DEVNULL, stdout=subprocess.PIPE if rank == 0 else subprocess.DEVNULL))
        self.process = self.processes[-1]
        self.lines, self.complaints = queue.Queue(), []
        self.threads = [threading.Thread(target=self._read, daemon=True)]
        self.threads += [threading.Thread(target=self._complain, args=(process,), daemon=True) for process in self.processes]
        for thread in self.threads:
            thread.start()
        self.number = 0
        if hello:
            self.send({"type": "hello", "protocol": 1})
            self.hello = self.next()
            assert self.hello["type"] == "hello", self.hello

    def _read(self):
        for line in self.process.stdout:
            if line.endswith(b"\n"):  # else it was killed at its writing
                self.lines.put(json.loads(line))
        self.lines.put(None)

    def _complain(self, process):
        self.complaints.extend(process.stderr)

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def next(self):
        answer = self.lines.get(timeout=DEADLINE)
        assert answer is not None, b"".join(self.complaints).decode()
        return answer

    def ask(self, kind, **body):
        self.number += 1
        self.send({"type": kind, "id": self.number, **body})
        return self.number

    def answers(self, kind, **body):
        """All answers of a request, the last of which ends it."""
        number, out = self.ask(kind, **body), []
        while not out or (out[-1]["type"] == "step" and not out[-1]["is_last"]):
            out.append(self.next())
            if out[-1]["type"] == "error":
                raise Refused(out[-1])
            assert out[-1]["id"] == number, out[-1]
        return out

    def answer(self, kind, **body):
        return self.answers(kind, **body)[-1]

    def generate(self, prompts, **body):
        """The replies to several prompts that are drawn together, by prompt."""
        numbers = [self.ask("generate", partials=False, tokens=True, logprobs=True, **prompt, **body) for prompt in prompts]
        replies = {number: [] for number in numbers}
        for _ in range(body["replies"] * len(prompts)):
            reply = self.next()
            if reply["type"] == "error":
                raise Refused(reply)
            replies[reply["id"]].append(reply)
        return [sorted(replies[number], key=lambda reply: reply["reply"]) for number in numbers]

    def end(self):
        self.process.stdin.close()
        return [process.wait(timeout=DEADLINE) for process in self.processes]

    def kill(self):
        for process in self.processes:
            process.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        for thread in self.threads:
            thread.join()
        for process in self.processes:
            for pipe in (process.stdin, process.stdout, process.stderr):
                try:
                    if pipe:
                        pipe.close()
                except BrokenPipeError:
                    pass

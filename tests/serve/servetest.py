# SPDX-License-Identifier: GPL-3.0-or-later
"""A server under test: `cudal1 serve` with a recorded evaluator, and clients made of the standard library alone.

Every wait has a deadline. Tests are run by testrun.run(globals()).
"""
import base64
import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from testrun import DEADLINE, run, until  # noqa: E402, F401
DATA = HERE.parent / "cli" / "data"
SUITE = DATA / "suite"

SAME = "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    pass\n"

WALL = {"estimate": 2.118, "low": 2.05, "high": 2.2, "reference_ns": 2118.0, "candidate_ns": 1000.0}
CORRECT = {"verdict": "correct", "speedup": {"wall": WALL}, "trials": {"run": 20, "passed": 20}, "seconds": {"total": 1.5}}
SLOWER = {"verdict": "correct",
          "speedup": {"wall": {"estimate": 0.987, "low": 0.97, "high": 0.99, "reference_ns": 987.0, "candidate_ns": 1000.0}}}
WRONG = {"verdict": "incorrect", "reasons": [{"code": "wrong_values", "text": "3 of 4 values differ", "evidence": "x" * 9000}]}

# By a word in the candidate.
RULES = [
    {"on": "evaluate", "candidate_contains": "# wrong", "reply": WRONG},
    {"on": "evaluate", "candidate_contains": "# slower", "reply": SLOWER},
    {"on": "evaluate", "candidate_contains": "# untimed", "reply": {"verdict": "correct", "stop_reason": "not_timed"}},
    {"on": "evaluate", "candidate_contains": "# lost reference",
     "reply": {"verdict": "reference_failed", "reasons": [{"code": "reference", "text": "no reference", "evidence": ""}]}},
    {"on": "evaluate", "candidate_contains": "# crash", "act": "crash"},
    {"on": "evaluate", "candidate_contains": "# refused", "act": "error",
     "reply": {"code": "invalid_argument", "message": "This cannot be judged", "hint": "Try another"}},
    {"on": "evaluate", "candidate_contains": "# hang", "act": "hang"},
    {"on": "evaluate", "candidate_contains": "# half a second", "delay_ms": 500, "reply": CORRECT,
     "progress": [{"phase": "build", "fraction": 0.1, "text": "building"}, {"phase": "check", "fraction": 0.5, "text": "7 of 20"},
                  {"phase": "time", "fraction": 0.9, "text": "pairs"}]},
    {"on": "evaluate", "reply": CORRECT},
]


def source(word="", number=0):
    """A candidate that the recording knows by its word; another number makes it another candidate."""
    return SAME + f"# {word}\n# number {number}\n"


class Server:
    """`cudal1 serve` in a folder of its own, with its project and the log of what the evaluator was asked."""

    def __init__(self, *options, rules=None, folder=None, token=True):
        self.program, self.replay = map(os.path.abspath, sys.argv[1:3])
        self.kept = None if folder else tempfile.TemporaryDirectory(prefix="cudal1-serve-")
        self.folder = pathlib.Path(folder or self.kept.name)
        recording = self.folder / "recording.jsonl"
        recording.write_text("".join(json.dumps(rule) + "\n" for rule in (rules or RULES)))
        self.log = self.folder / "log.jsonl"
        self.options = list(options) + ([] if token else ["--no-token"])
        self.process, self.token, self.port = None, None, 0
        self.start()

    def command(self, verb, *options):
        return [self.program, verb, "--project", str(self.folder / "project.cudal1"), "--suite", str(SUITE), *options]

    def environment(self):
        return {**os.environ, "CUDAL1_EVALUATOR": f"{self.replay} {self.folder / 'recording.jsonl'} --log {self.log}"}

    def start(self):
        self.errors = open(self.folder / "stderr.txt", "a+")
        self.process = subprocess.Popen(self.command("serve", *self.options), env=self.environment(), stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True)
        timer = threading.Timer(DEADLINE, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        assert line, "the server said nothing: " + (self.folder / "stderr.txt").read_text()
        said = json.loads(line)
        self.url, self.token = said["url"], said["token"]
        self.port = int(self.url.rsplit(":", 1)[1])

    def headers(self, token=True):
        return {"Authorization": f"Bearer {self.token}"} if token and self.token else {}

    def ask(self, method, path, body=None, token=True, headers=None, timeout=DEADLINE):
        """Status, headers, and the body as JSON where it is some."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        try:
            connection.request(method, path, data, {"Content-Type": "application/json", **self.headers(token), **(headers or {})})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        kind = answer.headers.get("Content-Type", "")
        return answer.status, answer.headers, json.loads(text) if kind.startswith("application/json") and text else text.decode()

    def evaluate(self, **fields):
        return self.ask("POST", "/evaluate", {"task": "1/1", "source": source(), "device": "cpu", "preset": "quick", **fields})

    def raw(self, data, read=True, timeout=DEADLINE):
        """What comes back for these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(data)
            if not read:
                return b""
            got = b""
            with contextlib.suppress(ConnectionError):
                while chunk := connection.recv(65536):
                    got += chunk
            return got

    def asked(self):
        """The evaluations that the evaluator was asked for."""
        if not self.log.exists():
            return []
        return [one for one in map(json.loads, self.log.read_text().splitlines()) if one["type"] == "evaluate"]

    def metric(self, name):
        text = self.ask("GET", "/metrics")[2]
        found = [line.rsplit(" ", 1)[1] for line in text.splitlines() if line.startswith(name + " ")]
        assert found, f"no {name} in:\n{text}"
        return float(found[0])

    def kill(self):
        self.process.kill()
        self.process.wait(DEADLINE)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(DEADLINE)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.stop()
        self.errors.close()
        if kind:
            print((self.folder / "stderr.txt").read_text())
        if self.kept:
            self.kept.cleanup()


class WebSocket:
    """As much of RFC 6455 as a client needs."""

    def __init__(self, server, path="/ws", authorization=None):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE)
        head = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode(), "Sec-WebSocket-Version: 13"]
        if authorization is None and server.token:
            authorization = f"Bearer {server.token}"
        if authorization:
            head.append("Authorization: " + authorization)
        self.socket.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            chunk = self.socket.recv(4096)
            assert chunk, "closed in the handshake"
            self.buffer += chunk
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])

    def _take(self, size):
        while len(self.buffer) < size:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise ConnectionError("the WebSocket was closed")
            self.buffer += chunk
        out, self.buffer = self.buffer[:size], self.buffer[size:]
        return out

    def send(self, text, opcode=1):
        data = text if isinstance(text, bytes) else text.encode()
        length = (bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data)) if len(data) < 65536
                  else b"\xff" + struct.pack(">Q", len(data)))
        mask = os.urandom(4)
        self.socket.sendall(bytes([0x80 | opcode]) + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self):
        """The next text; None for the server's goodbye."""
        text = b""
        while True:
            first, second = self._take(2)
            size = second & 0x7f
            if size >= 126:
                size = struct.unpack(">H" if size == 126 else ">Q", self._take(2 if size == 126 else 8))[0]
            data = self._take(size)
            if first & 0x0f == 8:
                return None
            if first & 0x0f == 9:
                self.send(data, 10)
            elif first & 0x0f in (0, 1):
                text += data
                if first & 0x80:
                    return text.decode()

    def ask(self, message):
        self.send(json.dumps(message))
        return json.loads(self.receive())

    def close(self):
        self.socket.close()

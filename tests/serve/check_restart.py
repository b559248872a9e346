# SPDX-License-Identifier: GPL-3.0-or-later
# A server that is killed or ended loses nothing that it has accepted.
#
# usage: check_restart.py CUDAL1 REPLAY_EVALUATOR [TEST...]
import json
import signal
import socket
import sqlite3
import subprocess
import tempfile

from servetest import DEADLINE, RULES, Server, WebSocket, run, source, until

SLOW = [{"on": "evaluate", "candidate_contains": "# half a second", "delay_ms": 500, "reply": RULES[-1]["reply"]}]


def accept(server, word, numbers):
    status, _, answer = server.ask("POST", "/evaluate/batch", {"task": "1/1", "async": True, "preset": "quick", "seed": 11, "requests": [
        {"source": source(word, number)} for number in numbers]})
    assert status == 202, answer
    return [one["url"] for one in answer["accepted"]]


def test_kill_9():
    with tempfile.TemporaryDirectory(prefix="cudal1-serve-") as folder:
        # The first is judged, the second hangs at the evaluator, the others wait behind it.
        first = Server(folder=folder, token=False)
        done = accept(first, "wrong", [0])[0]
        assert first.ask("GET", done + "?wait=30")[2]["state"] == "done"
        hangs = accept(first, "hang", [1])
        waits = accept(first, "", range(2, 12))
        until(lambda: len(first.asked()) >= 2, "the second is at the evaluator")
        first.kill()

        # Judged by another recording, in which nothing hangs; ids and results of before are known.
        second = Server(folder=folder, token=False, rules=[{"on": "evaluate", "reply": RULES[-1]["reply"]}])
        assert "11 requests that were accepted before" in (second.folder / "stderr.txt").read_text()
        for url in hangs + waits:
            answer = second.ask("GET", url + "?wait=30")[2]
            assert answer["state"] == "done" and answer["result"]["reward"] == 2.11, (url, answer["state"])
            assert answer["result"]["preset"] == "quick" and answer["result"]["seed"] == 11
        assert second.ask("GET", done)[2]["result"]["verdict"] == "incorrect"
        assert second.stop() == 128 + signal.SIGTERM
        second.__exit__(None)

        # Nothing is left, and nothing is done twice.
        asked = len(second.asked())
        third = Server(folder=folder, token=False)
        assert third.ask("GET", waits[3])[2]["state"] == "done"
        assert third.metric("cudal1_open_requests") == 0 and len(third.asked()) == asked
        third.__exit__(None)
        runs = sqlite3.connect(f"{folder}/project.cudal1").execute("SELECT kind, state FROM runs").fetchall()
        assert runs == [("serve", "finished")], runs


def test_kill_9_at_any_moment():
    with tempfile.TemporaryDirectory(prefix="cudal1-serve-") as folder:
        urls = []
        for turn in range(4):
            server = Server(folder=folder, token=False, rules=SLOW + RULES)
            urls += accept(server, "", range(turn * 100, turn * 100 + 25))
            urls += accept(server, "half a second", [turn])
            if turn == 0:
                continue_at = server.ask("GET", urls[3] + "?wait=30")[2]["state"]
                assert continue_at == "done"
            server.kill()
            server.errors.close()
        last = Server(folder=folder, token=False)
        for url in urls:
            answer = last.ask("GET", url + "?wait=30")[2]
            assert answer["state"] == "done" and answer["result"]["reward"] == 2.11, (url, answer["state"])
        last.__exit__(None)
        database = sqlite3.connect(f"{folder}/project.cudal1")
        assert database.execute("SELECT count(*) FROM queue").fetchone() == (0,)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        # At most what was at the evaluator in a kill was judged twice; it was not stored, so it is not here twice.
        assert database.execute("SELECT count(*) FROM evaluations").fetchone() == (len(urls),)


def test_orderly_end():
    for number in (signal.SIGTERM, signal.SIGINT):
        with Server(token=False) as server:
            waits = accept(server, "hang", range(3))
            body = json.dumps({"task": "1/1", "source": source("hang", 50)}).encode()
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE)
            connection.sendall(b"POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            socket_of_an_episode = WebSocket(server)
            assert socket_of_an_episode.ask({"type": "reset", "data": {"task": "1/1"}})["type"] == "observation"
            until(lambda: server.metric("cudal1_open_requests") == 4, "four are open")
            assert server.stop(number) == 128 + number
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
            assert answer.startswith(b"HTTP/1.1 503 ") and b"Retry-After" in answer, answer[:200]
            assert socket_of_an_episode.receive() is None, "a WebSocket is told goodbye"
            assert waits and "judged when it is started again" in (server.folder / "stderr.txt").read_text()


def test_two_servers_on_one_project():
    with tempfile.TemporaryDirectory(prefix="cudal1-serve-") as folder:
        with Server(folder=folder, token=False) as one:
            waits = accept(one, "hang", [1])
            other = Server(folder=folder, token=False)
            # The other leaves alone what is being done, and is told what became of it.
            assert "accepted before" not in (other.folder / "stderr.txt").read_text()
            assert other.ask("GET", waits[0])[2]["state"] == "waiting"
            assert other.evaluate()[0] == 200 and one.evaluate(preset="standard", source=source("", 9), **{"async": True})[0] == 202
            other.stop()


def test_a_project_that_cannot_be_used():
    with Server(token=False) as server:
        damaged = server.folder / "damaged.cudal1"
        damaged.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
        done = subprocess.run([server.program, "serve", "--project", str(damaged)], env=server.environment(), capture_output=True,
                              text=True, timeout=DEADLINE)
        assert done.returncode == 2 and "damaged" in done.stderr.lower() and not done.stdout, (done.returncode, done.stderr)


run(globals())
